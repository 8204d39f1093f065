"""Labels that people gave elsewhere in place of raters' verdicts: never both at once, marked wherever they count.

Nobody knows here how these people were blinded. Nothing of this study's raters stays in what is computed from them: no
verdict, nothing that was settled after several opinions, no chance of being drawn.
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

# Beside a figure; with a panel all of it is said.
_MARK = "made elsewhere"
BY_LABELS = f"by labels {_MARK}, not blinded here"
_HEAD = f"The people are labellers and no raters of this study: their labels were {NOT_BLINDED_HERE}."


def with_labels(read: Read, labels: Labels) -> Read:
    """Return the same candidates and judges with labels made elsewhere as all that people said."""
    material, candidates = read
    humans = {name: _verdicts(own, candidates.ids, material.scale) for name, own in labels.by_labeller.items()}
    return replace(material, humans=humans, adjudicated=None, probability=None, strata=None, frame=None), candidates


def planned(plan: Plan, labels: Labels, material: Material) -> Plan:
    """Return a plan with what is known of how the labelled candidates were chosen."""
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
        # A labeller who was asked and gave no label is counted, like a rater who cannot assess.
        states[place] = State.EXCLUDED if code is None else State.VERDICT
    return Verdicts(np.asarray(codes), states)


def marked(rows: Iterable[Row], humans: Collection[str]) -> tuple[Row, ...]:
    """Return the rows of a panel, each that rests on such labels marked as resting on them."""
    return tuple(_marked(row, humans) for row in rows)


def _marked(row: Row, humans: Collection[str]) -> Row:
    if not row.basis and not set(row.parties) & set(humans):
        return row
    return replace(row, basis=f"{row.basis}, {_MARK}" if row.basis else _MARK)


def sentences(lines: Sequence[LabelLine]) -> tuple[str, ...]:
    """Return what is to be said of a calibration by such labels; nothing where there are none."""
    return (_HEAD, *(_origin(line) for line in lines)) if lines else ()


def _origin(line: LabelLine) -> str:
    drawn = "said to be a simple random part" if line.is_random_part else "not known, which corrects no score"
    return (
        f"Labels '{line.name}': {counted(line.labels, 'label')} of {counted(len(line.labellers), 'labeller')} on "
        f"{counted(line.candidates, 'candidate')}, from {line.source} ({line.source_sha256[:12]}), imported on "
        f"{line.at} by {line.imported_by}; how the labellers were blinded is {line.blinding_in_words}; how the "
        f"candidates were chosen is {drawn}."
    )


def blinded_in_words(lines: Sequence[LabelLine]) -> str:
    """Return how these people were blinded, as a certificate says it."""
    of_each = "; ".join(f"'{line.name}': {line.blinding_in_words}" for line in lines)
    return f"not blinded here; elsewhere, {of_each}"


def origin_in_words(lines: Sequence[LabelLine]) -> str:
    """Return where these labels came from, as a certificate says it."""
    return "; ".join(
        f"labels made elsewhere '{line.name}', of {', '.join(line.labellers)}, imported on {line.at} by "
        f"{line.imported_by}"
        for line in lines
    )


def people_of(labels: Labels) -> dict[str, dict[int, Said]]:
    """Return what each labeller said, by candidate, for files."""
    return {
        name: {
            label.candidate_id: (label.missing, None) if label.label is None else (VERDICT, label.label)
            for label in own
        }
        for name, own in labels.by_labeller.items()
    }


def remarks_of(labels: Labels) -> dict[int, dict[str, str]]:
    """Return what labellers wrote, by candidate and name."""
    written: dict[int, dict[str, str]] = {}
    for name, own in labels.by_labeller.items():
        for label in own:
            if label.remark:
                written.setdefault(label.candidate_id, {})[name] = label.remark
    return written
