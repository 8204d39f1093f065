"""The reports of all field types, in one table; nothing depends on what a field is called."""

from __future__ import annotations

from protocol.fields import KINDS
from protocol.fields.kind import Scale
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

# What is reported of answers on a scale, whatever the type that takes them.
_OF_SCALE: dict[Scale, FieldReport] = {
    "nominal": nominal.OF_OPTIONS,
    "ordinal": ordinal.REPORT,
    "interval": number.REPORT,
    "set": several.REPORT,
    "ranking": ranked.REPORT,
    "text": text.REPORT,
    "place": point.REPORT,
}
# A type has the report of its scale, unless it is named here.
REPORTS: dict[str, FieldReport] = {
    **{name: _OF_SCALE[kind.scale] for name, kind in KINDS.items()},
    "choice": nominal.OF_CHOICE,
    "as_item": as_item.REPORT,
    "confidence": confidence.REPORT,
    "correctness": correctness.REPORT,
    "preference": preference.REPORT,
    "resolution": nominal.REPORT,
    "guess": nominal.OF_GUESSES,
}
