"""The reports of all field types, in one table; nothing depends on what a field is called."""

from __future__ import annotations

from services.report.sections.fields import (
    as_item,
    confidence,
    correctness,
    nominal,
    number,
    ordinal,
    point,
    preference,
    ranked,
    several,
    text,
)
from services.report.sections.fields.topics import FieldReport

REPORTS: dict[str, FieldReport] = {
    "yes_no": nominal.REPORT,
    "choice": nominal.OF_CHOICE,
    "several": several.REPORT,
    "ordinal": ordinal.REPORT,
    "number": number.REPORT,
    "text": text.REPORT,
    "ranked": ranked.REPORT,
    "point": point.REPORT,
    "as_item": as_item.REPORT,
    "confidence": confidence.REPORT,
    "correctness": correctness.REPORT,
    "preference": preference.REPORT,
    "resolution": nominal.REPORT,
    "guess": nominal.OF_GUESSES,
}
