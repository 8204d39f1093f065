"""Labels made elsewhere in place of raters' verdicts: never both at once, and marked wherever they count.

How these people were blinded is not known here. What is computed from their labels uses nothing from this study's
raters: no verdicts, no decisions made after seeing several opinions, and no inclusion probabilities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from agreement.judge.material import Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.rows import Row
from agreement.judge.scale import Scale, State
from services.errors import counted
from services.judging.import_labels import NOT_BLINDED_HERE, LabelLine
from services.report.calibration.exported import VERDICT, Said
from services.report.calibration.material import Read, code_of, nothing
from services.report.rows.candidate_columns import Ids, places_in
from services.report.rows.labels import Label, Labels

# The short form, next to a figure; a panel has the full sentences.
_MARK = "made elsewhere"
BY_LABELS = f"by labels {_MARK}, not blinded here"
_HEAD = f"The people are labellers, not raters of this study: their labels were {NOT_BLINDED_HERE}."


def with_labels(read: Read, labels: Labels) -> Read:
    """Return the same candidates and judges, with labels made elsewhere as the only human verdicts."""
    material, candidates = read
    humans = {name: _verdicts(own, candidates.ids, material.scale) for name, own in labels.by_labeller.items()}
    return replace(material, humans=humans, adjudicated=None, probability=None, strata=None, frame=None), candidates


def planned(plan: Plan, labels: Labels, material: Material) -> Plan:
    """Return the plan with what is known of how the labelled candidates were chosen."""
    every = bool(material.n) and material.labelled_places.size == material.n
    return replace(plan, design="random" if labels.are_a_random_part or every else "unknown")


def _verdicts(own: Sequence[Label], ids: Ids, scale: Scale) -> Verdicts:
    codes, states = nothing(ids.size)
    places = places_in(ids, [label.candidate_id for label in own]).tolist()
    for place, label in zip(places, own, strict=True):
        if place < 0:
            continue
        code = None if label.label is None else code_of(label.label, scale)
        if code is not None:
            codes[place] = code
        # A labeller who was asked but gave no label counts like a rater who answers "not assessable".
        states[place] = State.EXCLUDED if code is None else State.VERDICT
    return Verdicts(np.asarray(codes), states)


def marked(rows: Iterable[Row], humans: Collection[str]) -> tuple[Row, ...]:
    """Return the rows of a panel, marking those that are based on such labels."""
    return tuple(_marked(row, humans) for row in rows)


def _marked(row: Row, humans: Collection[str]) -> Row:
    if not row.basis and not set(row.parties) & set(humans):
        return row
    return replace(row, basis=f"{row.basis}, {_MARK}" if row.basis else _MARK)


def sentences(lines: Sequence[LabelLine]) -> tuple[str, ...]:
    """Return the sentences that a calibration by such labels needs; none without labels."""
    return (_HEAD, *(_origin(line) for line in lines)) if lines else ()


def _origin(line: LabelLine) -> str:
    unsaid = "not known, which corrects no score of a model labelled in part"
    drawn = "said to be a simple random part" if line.is_random_part else unsaid
    return (
        f"Labels '{line.name}': {counted(line.labels, 'label')} of {counted(len(line.labellers), 'labeller')} on "
        f"{counted(line.candidates, 'candidate')}, from {line.source} ({line.source_sha256[:12]}), imported on "
        f"{line.at} by {line.imported_by}; how the labellers were blinded is {line.blinding_in_words}; how the "
        f"candidates were chosen is {drawn}."
    )


def blinded_in_words(lines: Sequence[LabelLine]) -> str:
    """Return how these people were blinded, in the words of a certificate."""
    of_each = "; ".join(f"'{line.name}': {line.blinding_in_words}" for line in lines)
    return f"not blinded here; elsewhere, {of_each}"


def origin_in_words(lines: Sequence[LabelLine]) -> str:
    """Return where these labels came from, in the words of a certificate."""
    return "; ".join(
        f"labels made elsewhere '{line.name}', of {', '.join(line.labellers)}, imported on {line.at} by "
        f"{line.imported_by}"
        for line in lines
    )


def people_of(labels: Labels) -> dict[str, dict[int, Said]]:
    """Return each labeller's labels, by candidate, for files."""
    return {
        name: {
            label.candidate_id: (label.missing, None) if label.label is None else (VERDICT, label.label)
            for label in own
        }
        for name, own in labels.by_labeller.items()
    }


def remarks_of(labels: Labels) -> dict[int, dict[str, str]]:
    """Return the labellers' remarks, by candidate and name."""
    written: dict[int, dict[str, str]] = {}
    for name, own in labels.by_labeller.items():
        for label in own:
            if label.remark:
                written.setdefault(label.candidate_id, {})[name] = label.remark
    return written
