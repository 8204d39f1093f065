"""The fields of a study with listed phases that a judge can fill in as people do, and their scales."""

from __future__ import annotations

import math
from collections.abc import Sequence

from protocol.fields import NUMBERS, ONE_OPTION
from protocol.fields.yes_no import YES_NO
from protocol.language.expansion import Expansion, Field
from protocol.language.pools import rates_texts
from protocol.language.results import filled_in
from protocol.scales import CORRECTNESS, FROM_WRONG, JudgeScale, grades_correctness, number_scale, scale_of_options

# In the order of a scale, lowest first.
_NO_YES = YES_NO[::-1]


def judged_fields(study: Expansion) -> dict[str, Field]:
    """Return the fields that a judge can fill in, by PHASE.FIELD: about models' answers, of a type with a scale."""
    forms = {form.key: form.fields for form in study.forms}
    return {
        f"{phase.key}.{field.key}": field
        for phase in study.phases
        if rates_texts(phase) and "candidates" in phase.rates and phase.source.practice == "never"
        for field in filled_in(phase, forms)
        if field.type in ONE_OPTION | NUMBERS | {"correctness"}
    }


def compared_fields(study: Expansion) -> dict[str, Field]:
    """Return the preferences that a judge can give, by PHASE.FIELD: which of two models' answers is better."""
    return {
        f"{phase.key}.{field.key}": field
        for phase in study.phases
        if "pairs" in phase.rates and phase.source.practice == "never"
        for field in phase.fields
        if field.type == "preference"
    }


def can_be_excluded(study: Expansion, name: str) -> bool:
    """Return whether people can say in the phase of a field, PHASE.FIELD, that a unit is not assessable."""
    return any(phase.key == name.partition(".")[0] and phase.not_assessable for phase in study.phases)


def scale_of_field(field: Field) -> JudgeScale:
    """Return the scale on which a judge fills in a field, lowest first."""
    if field.type in NUMBERS:
        low = -math.inf if field.minimum is None else field.minimum
        return number_scale(low, math.inf if field.maximum is None else field.maximum)
    options = _options(field)
    if field.type == "correctness" and {key for key, _ in options} == set(CORRECTNESS.names):
        return CORRECTNESS
    return scale_of_options(options)


def _options(field: Field) -> Sequence[tuple[str, str]]:
    if field.type == "yes_no":
        return _NO_YES
    options = [(option.id, option.text) for option in field.options]
    if not grades_correctness([key for key, _ in options]):
        return options
    # Judges' scales are ordered from wrong to right, in whatever order the options are offered.
    return sorted(options, key=lambda option: FROM_WRONG.index(option[0]))
