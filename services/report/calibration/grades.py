"""A judge's probability of the positive verdict, from its verdicts and their confidences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from agreement.coding import Floats
from agreement.judge.material import Verdicts
from agreement.judge.scale import Scale
from db import JudgeRun, JudgeVerdict
from exchange.formats import FOREIGN_VERDICTS
from services.judging.run_identity import in_words, judge_of
from services.judging.verdict_columns import READ_AT_ONCE
from services.report.calibration.material import Read
from services.report.rows.candidate_columns import Ids

_OF_LAYOUTS = {layout.key: layout.confidence_of for layout in FOREIGN_VERDICTS}


def graded(session: Session, read: Read, runs: Sequence[JudgeRun]) -> Read:
    """Return the material with the probability of the positive verdict, for judges that state their confidence.

    If a judge has several runs, the first one counts, because its verdicts are the ones that are calibrated.
    """
    material, candidates = read
    first: dict[str, JudgeRun] = {}
    for run in runs:
        first.setdefault(in_words(judge_of(run)), run)
    grades: dict[str, Floats] = {}
    said: dict[str, str] = {}
    ungraded: dict[str, str] = {}
    for judge, run in first.items():
        confidence = _confidences(session, run, candidates.ids)
        if np.isnan(confidence).all():
            continue
        why_not = _why_not(confidence_of(run), material.scale, run.name)
        if why_not:
            ungraded[judge] = why_not
        else:
            grades[judge] = probability_of(material.judges[judge], confidence, material.scale, confidence_of(run))
            said[judge] = _in_words(judge, confidence_of(run), material.scale)
    return replace(material, grades=grades, grades_say=said, ungraded=ungraded), candidates


def confidence_of(run: JudgeRun) -> str:
    """Return what a run's confidences refer to: "verdict", "positive", or an empty text if that is not known.

    Our own columns define it, and so do formats with a confidence of their own; for a mapped column nobody knows.
    """
    said: Mapping[str, object] = run.parameters
    columns = said.get("columns")
    if said.get("confidence_of"):
        return str(said["confidence_of"])
    if isinstance(columns, Mapping) and "confidence" in columns:
        return ""
    return _OF_LAYOUTS.get(str(said["layout"]), "") if said.get("layout") else "verdict"


def probability_of(verdicts: Verdicts, confidence: Floats, scale: Scale, of: str) -> Floats:
    """Return each candidate's probability of the positive verdict; nan without a verdict or a confidence.

    Parameters
    ----------
    confidence : ndarray of float, shape (n,)
        From 0 to 1.
    of
        "positive" if it is the probability of the positive verdict itself; "verdict" if it is that of the given verdict
        out of two: then the probability is the confidence for a positive verdict and 1 minus it for the other.
    """
    known = ~np.isnan(verdicts.codes)
    positive = [code for code, level in enumerate(scale.levels) if level in scale.positive]
    given = (of == "positive") | np.isin(verdicts.codes, positive)
    return np.where(known, np.where(given, confidence, 1.0 - confidence), np.nan)


def _why_not(of: str, scale: Scale, run: str) -> str:
    if not scale.positive:
        return "the scale has no positive verdict for its confidences to be the probability of."
    if not of:
        return (
            f"nothing says whether the confidences of run '{run}' are of the verdict given or of {_positive(scale)}; "
            "import the run again under another name with 'What its confidences are of' chosen (judge import, "
            "confidence-of), and choose that run in place of this one: together they would count as repeated runs "
            "in which nothing changed."
        )
    if of == "verdict" and len(scale.levels) != 2:
        return (
            f"its confidences are of the verdict given, one of {len(scale.levels)}; how probable "
            f"{_positive(scale)} is follows from them only where there are two."
        )
    return ""


def _in_words(judge: str, of: str, scale: Scale) -> str:
    positive = _positive(scale)
    if of == "positive":
        return f"The probability is the confidence of {judge} that {positive} is right, as its import says."
    (other,) = (level for level in scale.levels if level not in scale.positive)
    return (
        f"The probability of {positive} is the confidence of {judge} where it says {positive}, and one minus it where "
        f"it says {other}: its confidences are of the verdict given."
    )


def _positive(scale: Scale) -> str:
    return " or ".join(scale.positive)


def _confidences(session: Session, run: JudgeRun, ids: Ids) -> Floats:
    """Return the confidence of each candidate; nan if there is none."""
    confidences = np.full(ids.size, np.nan)
    query = (
        select_columns(col(JudgeVerdict.candidate_id), col(JudgeVerdict.confidence))
        .where(col(JudgeVerdict.run_id) == run.id, col(JudgeVerdict.confidence).is_not(None))
        .execution_options(yield_per=READ_AT_ONCE)
    )
    if not ids.size:
        return confidences
    for rows in session.connection().execute(query).partitions():
        numbers, said = (np.array(column) for column in zip(*rows, strict=True))
        places = np.minimum(np.searchsorted(ids, numbers), ids.size - 1)
        here = ids[places] == numbers
        confidences[places[here]] = said[here]
    return confidences
