"""Which estimates of an analysis plan this release computes, by the field's type, never by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from protocol.fields import KINDS, LISTS, NUMBERS, ONE_OPTION, ORDERED, PLACES, SETS, types_on
from protocol.fields.kind import Scale
from protocol.language.authored_plan import (
    RATER,
    AuthoredCriterion,
    AuthoredEstimate,
    Estimated,
    Partner,
    are_right_at_once,
)
from protocol.language.expansion import Expansion, Field, Phase
from protocol.language.judged import judged_fields
from protocol.language.model_answers import answers_items
from protocol.language.pools import kind_rated, rates_texts
from protocol.language.results import (
    FORM,
    fields_of_line,
    filled_in,
    has_scores,
    is_number,
    is_probability,
    lines_of_options,
)
from protocol.language.sentences_of_plan import line_in_words
from protocol.language.wording import capital, listed, place_in_words, spoken

_NOMINAL: frozenset[Estimated] = frozenset({"accuracy", "agreement", "distribution", "rate", "macro_f1", "auc"})
# Estimates by the scale of a field type.
_OF_SCALE: dict[Scale, frozenset[Estimated]] = {
    "nominal": _NOMINAL,
    "ordinal": frozenset({"accuracy", "agreement", "distribution", "rate", "mean"}),
    "interval": frozenset({"accuracy", "agreement", "mean"}),
    "set": frozenset({"accuracy", "agreement", "distribution", "rate"}),
    "ranking": frozenset({"accuracy", "agreement", "pass_at"}),
    "text": frozenset({"accuracy", "agreement"}),
    "place": frozenset({"accuracy", "agreement", "distance"}),
}
# Estimates by field type: those of its scale, unless it is named here; a test compares them with the report.
COMPUTED: dict[str, frozenset[Estimated]] = {
    **{name: _OF_SCALE[kind.scale] for name, kind in KINDS.items()},
    "choice": _NOMINAL | {"pass_at"},
    "as_item": frozenset({"accuracy", "agreement"}),
    "confidence": frozenset({"mean", "calibration", "auc"}),
    "correctness": frozenset({"accuracy", "agreement", "distribution", "rate"}),
    "preference": frozenset({"agreement", "win_rate"}),
    "resolution": _NOMINAL,
    "guess": _NOMINAL | {"blinding_index"},
}


# Estimates against something other than raters, by scale and by field type.
_BASELINE: frozenset[tuple[Estimated, Partner]] = frozenset({("accuracy", "text_only")})
_MODELS: frozenset[tuple[Estimated, Partner]] = frozenset({("accuracy", "models")})
_JUDGED: frozenset[tuple[Estimated, Partner]] = frozenset({("agreement", "judges")})
_OF_CLASSES: frozenset[tuple[Estimated, Partner]] = frozenset({("macro_f1", "models"), ("auc", "models")})
_ON_SCALES: frozenset[tuple[Estimated, Partner]] = frozenset({("correlation", "judges"), ("direction", "judges")})
_AGAINST_ON_SCALE: dict[Scale, frozenset[tuple[Estimated, Partner]]] = {
    "nominal": _BASELINE | _MODELS | _JUDGED | _OF_CLASSES,
    "ordinal": _BASELINE | _MODELS | _JUDGED | _ON_SCALES,
    "interval": _MODELS | _JUDGED | _ON_SCALES,
    "set": _MODELS,
    "ranking": _MODELS | {("pass_at", "models")},
    "text": _BASELINE | _MODELS,
    "place": _MODELS | {("distance", "models")},
}
COMPUTED_AGAINST: dict[str, frozenset[tuple[Estimated, Partner]]] = {
    **{name: _AGAINST_ON_SCALE[kind.scale] for name, kind in KINDS.items()},
    # How often one option is chosen has a direction.
    **dict.fromkeys(types_on("nominal"), _AGAINST_ON_SCALE["nominal"] | {("direction", "judges")}),
    **dict.fromkeys(("resolution", "guess"), _AGAINST_ON_SCALE["nominal"]),
    "as_item": _AGAINST_ON_SCALE["text"],
    "preference": _JUDGED,
    "confidence": frozenset({("calibration", "models"), ("auc", "models")}),
    "correctness": frozenset(
        {("agreement", "judges"), ("direction", "judges"), ("correlation", "token_f1"), ("correlation", "exact_match")}
    ),
}
# Types that allow comparisons between parts, because their answers are numbers, or right or wrong.
COMPARED = frozenset(COMPUTED) - SETS - LISTS - PLACES - {"confidence", "preference"}
_COLUMNS = frozenset({"model", "category", "format", "grounding"})
# What is known of every rater if the study asks for it.
OF_RATERS = frozenset({"specialty", "years"})
# Types answered by one option, which can be counted.
_COUNTED = ONE_OPTION | {"guess", "resolution"}
# Estimates and types with a mean by which groups of people can be compared.
_MEASURED = frozenset({*product(("mean",), ORDERED | NUMBERS), *product(("distance",), PLACES)})
# Types whose answers a reference can make right or wrong, by which groups of people can be compared.
_RIGHT_OR_WRONG = frozenset(
    key for key, estimates in COMPUTED.items() if "accuracy" in estimates and key != "correctness"
)


def is_computed(study: Expansion, field: Field, phase: Phase, line: AuthoredEstimate) -> bool:
    """Return whether this release computes a line of the plan for one of its fields."""
    if not _has_what_it_is_about(study, field, phase, line) or not _selects_what_there_is(study, phase, line):
        return False
    # The mean or median of several answers is not itself an answer that could be right, or agree with another.
    averaged = "settled" in line.using and phase.result in ("mean", "median")
    if averaged and not (is_number(field) and line.estimate in ("mean", "difference", "correlation", "direction")):
        return False
    if are_right_at_once(line):
        with_models = line.against in ([], ["models"])
        return field.type in _RIGHT_OR_WRONG and with_models and line.compare is None and not line.using
    if line.estimate in ("joint_rate", "flag_precision"):
        return _counts_an_option(study, field, phase, line)
    if line.estimate in ("uniformity", "corrected"):
        return _holds_judges_against_people(study, field, phase, line)
    if line.estimate == "auc" and field.type == "correctness":
        columns = number_columns(study)
        return bool(line.over) and {*line.over} <= {*columns} and not line.against and line.compare is None
    against = COMPUTED_AGAINST.get(field.type, frozenset())
    if line.over or any((line.estimate, partner) not in against for partner in line.against):
        return False
    if line.estimate == "direction" and not has_scores(field):
        return False
    if line.estimate == "difference":
        # How groups of people score is not compared: scores are counted by rater, and never pooled.
        scored_by_groups = line.compare == "group" and field.type == "correctness"
        return line.compare is not None and field.type in COMPARED and not scored_by_groups
    if line.compare is not None:
        # Only groups of people who answer the same units are compared.
        known = COMPUTED[field.type] & {"accuracy", "pass_at"}
        right = line.estimate in known and field.type in _RIGHT_OR_WRONG
        agreed = line.estimate == "agreement" and field.type in _COUNTED | SETS and not line.against
        measured = (line.estimate, field.type) in _MEASURED and not line.against
        return line.compare == "group" and (right or agreed or measured)
    return bool(line.against) or line.estimate in COMPUTED[field.type]


def by_each_rater(study: Expansion, line: AuthoredEstimate) -> bool:
    """Return whether a line has `by: rater` and no attribute is called so: how raters vary in a difference."""
    return RATER in line.by and all(each.key != RATER for each in study.attributes)


def columns_of_raters(study: Expansion) -> frozenset[str]:
    """Return what is known of raters: specialty, years, and what the study declares of them."""
    return OF_RATERS | {each.key for each in study.attributes if each.table == "raters"}


def number_columns(study: Expansion) -> list[str]:
    """Return the keys of the attributes of candidates that are numbers."""
    return [each.key for each in study.attributes if each.table == "candidates" and each.type == "number"]


def _selects_what_there_is(study: Expansion, phase: Phase, line: AuthoredEstimate) -> bool:
    """Return whether a line divides its units or its raters by columns and results that they have."""
    parts = {*line.where, *line.by, *line.over, *([line.compare] if line.compare is not None else [])}
    of_units = _COLUMNS | {"group"} | {each.key for each in study.attributes if each.table != "raters"}
    results = {name for name in line.where if "." in name}
    of_raters = columns_of_raters(study)
    known = (
        of_units | of_raters | results | ({FORM} & {*line.where}) | ({RATER} if by_each_rater(study, line) else set())
    )
    if line.compare in of_raters or of_raters & {*line.over} or not parts <= known:
        return False
    # A result about a candidate says nothing about its item.
    rated = [study.phase(name.partition(".")[0]) for name in results]
    return all(kind_rated(other) != "candidates" or kind_rated(phase) == "candidates" for other in rated)


def _counts_an_option(study: Expansion, field: Field, phase: Phase, line: AuthoredEstimate) -> bool:
    """Return whether an option of the field can be counted, over conditions or among flagged units."""
    option = line.option or field.positive
    if line.against or line.compare is not None or option is None:
        return False
    if line.estimate == "joint_rate":
        return field.type in _COUNTED | {"correctness"} and rates_texts(phase) and bool(line.over)
    if field.type not in _COUNTED:
        return False
    of_flags = {each.key for each in study.attributes if each.type == "yes_no" and each.table != "raters"}
    return len(line.over) == 1 and line.over[0] in of_flags


def _holds_judges_against_people(study: Expansion, field: Field, phase: Phase, line: AuthoredEstimate) -> bool:
    """Return whether judges and people both rate models' answers in a field, on a scale that has scores."""
    if f"{phase.key}.{field.key}" not in judged_fields(study) or not has_scores(field) or phase.rates != ["candidates"]:
        return False
    of_raters = columns_of_raters(study) | {"group"}
    if line.against not in ([], ["judges"]) or line.using not in ([], ["given"]):
        return False
    if of_raters & {*line.where, *line.by, *line.over} or any("." in name for name in line.where):
        return False
    if line.estimate == "uniformity":
        return bool(line.over) and line.compare is None
    return not line.over and line.compare in (None, "model")


def _has_what_it_is_about(study: Expansion, field: Field, phase: Phase, line: AuthoredEstimate) -> bool:
    """Return whether a line has the data it needs, such as models' answers, or the confidence for an area."""
    if "models" in line.against and not answers_items(phase):
        return False
    if line.estimate == "pass_at" and field.type == "choice":
        return lines_of_options(field) > 0 and rates_texts(phase)
    if line.estimate == "blinding_index":
        return phase.answers_of is not None and "candidates" in phase.rates
    if line.estimate != "auc" or field.type in ("confidence", "correctness"):
        return True
    asked = filled_in(phase, {form.key: form.fields for form in study.forms})
    return any(other.about == field.key and is_probability(other) for other in asked)


def not_computed(study: Expansion) -> Iterator[str]:
    """Yield a sentence for each line of the analysis plan that this release does not compute for all its fields."""
    yield from (said for _, said in lines_not_computed(study))


def lines_not_computed(study: Expansion) -> Iterator[tuple[str, str]]:
    """Yield the same sentences, each with the line's place in the protocol: "line 2 of analysis.also"."""
    plan = study.analysis
    lines: list[tuple[tuple[str | int, ...], AuthoredEstimate]] = [
        *([(("analysis", "primary"), plan.primary)] if plan.primary is not None else []),
        *((("analysis", "also", number), line) for number, line in enumerate(plan.also)),
        *((("analysis", "criteria", line.key), line) for line in plan.criteria),
    ]
    for path, line in lines:
        lacking = [name for name in line.of if not field_is_computed(study, name, line)]
        if lacking:
            words = capital(line_in_words(study, line.model_copy(update={"of": lacking})))
            named = f"Criterion “{spoken(line.key)}”, d" if isinstance(line, AuthoredCriterion) else "D"
            said = f"{named}eclared, not computed by this release: {words}."
            yield place_in_words(path), " ".join(filter(None, (said, _what_it_lacks(study, line, lacking))))
    of_raters = [key for key in plan.strata if key == "group" or _table_of(study, key) == "raters"]
    if of_raters:
        within = listed([spoken(key) for key in of_raters])
        said = f"Declared, not done by this release: bootstraps that resample within each {within}."
        yield place_in_words(("analysis", "strata")), said


def _what_it_lacks(study: Expansion, line: AuthoredEstimate, names: Sequence[str]) -> str:
    """Return a sentence on what keeps a line from being computed, if the line alone shows it; otherwise empty."""
    estimate = spoken(line.estimate)
    if line.estimate in ("direction", "uniformity", "corrected") and not {*names} <= {*judged_fields(study)}:
        return f"A line on {estimate} is of judges’ verdicts, which are about models’ answers."
    if line.estimate == "direction" and not line.against:
        return "A direction needs with: judges."
    if line.estimate == "correlation" and not line.against:
        return "A correlation needs with: judges for steps and numbers, with: token_f1 or exact_match for scores."
    if line.compare not in (None, "group") and line.estimate not in ("difference", "corrected"):
        return "Values of an attribute are compared by estimate: difference; under by, each of them has a line."
    if line.over and line.estimate not in ("uniformity", "joint_rate", "flag_precision", "auc"):
        return f"{capital(estimate)} is not taken over anything; under by, each value has a line."
    return next(filter(None, (_what_a_field_lacks(study, line, name) for name in names)), "")


def _what_a_field_lacks(study: Expansion, line: AuthoredEstimate, name: str) -> str:
    """Return a sentence on what keeps a line from being computed for a field of its type; otherwise empty."""
    phase = study.phase(name.partition(".")[0])
    field = fields_of_line(line, [phase], {form.key: form.fields for form in study.forms})[name]
    what = "An area under the ROC curve" if line.estimate == "auc" else capital(spoken(line.estimate))
    of_type = f"of a field of type {field.type}"
    against = COMPUTED_AGAINST.get(field.type, frozenset())
    vain = [partner for partner in line.against if (line.estimate, partner) not in against]
    known = sorted(partner for estimate, partner in against if estimate == line.estimate)
    computed = line.estimate in COMPUTED[field.type]
    if vain and (known or computed):
        said = f"{what} {of_type} is not computed with: {listed(vain, 'or')}"
        return f"{said}, only with: {listed(known, 'or')}." if known else f"{said}; leave that out."
    if line.estimate == "auc" and field.type != "correctness":
        if computed:
            return f"{what} {of_type} needs a confidence about it that is a probability, in the same form."
        return (
            f"{what} is of a choice among options with a confidence about it, of a confidence, or of scores over "
            f"columns of numbers; a field of type {field.type} is none of these."
        )
    if line.estimate == "pass_at" and field.type == "choice":
        return (
            f"{what} {of_type} needs options that are the lines of a list (1, 2, 3 and so on, and one for no match), "
            "in a phase that rates answers."
        )
    return ""


def _table_of(study: Expansion, key: str) -> str:
    return next((each.table for each in study.attributes if each.key == key), "")


def field_is_computed(study: Expansion, name: str, line: AuthoredEstimate) -> bool:
    """Return whether this release computes a line for one of the fields that it names."""
    phase = study.phase(name.partition(".")[0])
    fields = fields_of_line(line, [phase], {form.key: form.fields for form in study.forms})
    return is_computed(study, fields[name], phase, line)
