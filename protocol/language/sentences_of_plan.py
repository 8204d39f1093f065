"""What the tables have to contain and what is computed, in words."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.language.authored_plan import AuthoredEstimate, are_right_at_once
from protocol.language.bins import levels_of
from protocol.language.criteria import criterion_in_words
from protocol.language.expansion import Attribute, Condition, Expansion
from protocol.language.results import form_named, is_number
from protocol.language.sentences_of_material import field_of, result_words, value_text
from protocol.language.wording import capital, listed, percent, spoken

# The words for each estimate, ending with the preposition before its field.
_ESTIMATES = {
    "accuracy": "accuracy of",
    "agreement": "agreement on",
    "direction": "signed difference on",
    "uniformity": "uniformity of the signed difference on",
    "corrected": "{score}, corrected for the judges’ errors, by",
    "distribution": "distribution of",
    "mean": "mean of",
    "difference": "difference in",
    "pass_at": "pass@{k} by",
    "macro_f1": "macro-F1 of",
    "calibration": "calibration of",
    "win_rate": "win rate by",
    "distance": "distance of",
    "auc": "area under the ROC curve of",
    "rate": "share of {option} for",
    "joint_rate": "share of items with {option} for",
    "flag_precision": "precision of the flag by",
    "correlation": "correlation of",
    "blinding_index": "blinding index by",
}
_PARTNERS = {
    "judges": "against the judges",
    "models": "beside the models",
    "text_only": "beside the answers without the image",
    "exact_match": "against exact match",
    "token_f1": "against token F1",
}
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hommel": "Hommel",
    "bh": "Benjamini and Hochberg (false discovery rate)",
    "by": "Benjamini and Yekutieli (false discovery rate)",
}
_USED = {
    "given": "of the answers as given",
    "settled": "of what raters settled on",
    "step 1": "of the answers of the first step",
}
_TABLES = ("cases", "items", "candidates", "raters")


def columns_of(study: Expansion) -> tuple[str, ...]:
    """Return the columns that the tables need beyond those of every study, and who sees them."""
    said = []
    for table in _TABLES:
        columns = [_column(each) for each in study.attributes if each.table == table]
        if columns:
            where = "Of each rater" if table == "raters" else f"In {table}.csv"
            said.append(f"{where}: {listed(columns)}.")
    keys = [each.key for each in study.attributes]
    shown = [
        f"{key} in “{phase.title}”"
        for key in keys
        for phase in study.phases
        if key in phase.shows or (phase.then is not None and key in phase.then.shows)
    ]
    if said:
        said.append(f"Raters are shown {listed(shown) or 'none of them'}{', and none of the others' if shown else ''}.")
    return tuple(said)


def _column(attribute: Attribute) -> str:
    kind = {"yes_no": "yes or no", "choice": "one of", "ordinal": "one of, lowest first"}.get(
        attribute.type, attribute.type
    )
    options = [
        option.id if option.text == option.id else f"{option.id} = {option.text}" for option in attribute.options
    ]
    options += levels_of(attribute.bins)
    kind += f": {' / '.join(options)}" if options else ""
    headed = f"; headed “{attribute.label}”" if attribute.label else ""
    return f"{attribute.key} ({kind}{headed}{'; it tells the reference' if attribute.tells_reference else ''})"


def plan_of(study: Expansion) -> tuple[str, ...]:
    """Return what was declared to be computed."""
    plan = study.analysis
    if plan.primary is None and not plan.also and not plan.criteria:
        return ()
    said = [f"Primary estimate: {line_in_words(study, plan.primary)}."] if plan.primary else []
    said += [f"{capital(line_in_words(study, line))}." for line in plan.also]
    said += [
        f"Criterion “{spoken(line.key)}”: {criterion_in_words(line, line_in_words(study, line))}."
        for line in plan.criteria
    ]
    if plan.tables:
        said.append(f"Tables by {listed([spoken(key) for key in plan.tables])}.")
    if plan.comparisons is not None:
        said.append(
            f"Comparisons are corrected for their number in each table: {CORRECTIONS[plan.comparisons.correction]}."
        )
    within = f", resampled within each {listed([spoken(key) for key in plan.strata])}" if plan.strata else ""
    method = (
        f"percentile bootstrap with {plan.resamples:,} resamples"
        if plan.interval == "percentile_bootstrap"
        else "each by the method of its statistic"
    )
    said.append(f"Intervals of {percent(plan.confidence)}: {method}{within}; clustered by {spoken(plan.cluster)}.")
    return tuple(said)


def line_in_words(study: Expansion, line: AuthoredEstimate) -> str:
    """Return a line of the plan in words."""
    options = dict.fromkeys(f"“{_option(study, line, name)}”" for name in line.of)
    scores = dict.fromkeys(_score(study, line, name) for name in line.of)
    what = _ESTIMATES[line.estimate].format(
        k=line.k or "k", option=listed(list(options), "or"), score=listed(list(scores), "or")
    )
    if are_right_at_once(line):
        what = "share of units that are right at once in"
    said = f"{what} {_fields(study, line.of)}"
    if line.using:
        said += f", {listed([_USED[used] for used in line.using])}"
    if line.against:
        said += f", {listed([_PARTNERS[partner] for partner in line.against])}"
    elif line.estimate == "agreement":
        said += ", between raters"
    if line.where:
        said += f", where {where_in_words(study, line)}"
    if line.estimate == "flag_precision" and line.over:
        said += f", the flag being the column {listed([spoken(key) for key in line.over])}"
    elif line.estimate == "auc" and line.over:
        columns = listed([spoken(key) for key in line.over])
        said += f", by the number in the column{'s' if len(line.over) > 1 else ''} {columns}"
    elif line.over:
        among = "over" if line.estimate != "joint_rate" else "by" if line.over == ["model"] else "in"
        said += f", {among} every {listed([spoken(key) for key in line.over])}"
    if line.compare:
        said += f", {_compared(study, line.compare)}"
    return said + (f", by {listed([spoken(key) for key in line.by])}" if line.by else "")


def _compared(study: Expansion, name: str) -> str:
    """Return what is compared with what; if there are just two values, these."""
    declared = next((each for each in study.attributes if each.key == name), None)
    if name == "group":
        are_two = len(study.groups) == 2
    else:
        are_two = declared is not None and (declared.type == "yes_no" or len(declared.options) == 2)
    if not are_two:
        return f"comparing each {spoken(name)} with the others"
    return f"comparing the two {'groups' if name == 'group' else f'values of {spoken(name)}'}"


def _fields(study: Expansion, names: Sequence[str]) -> str:
    """Return fields by their labels, grouped by phase."""
    labels: dict[str, list[str]] = {}
    for name in names:
        key, _, field = name.partition(".")
        asked = field_of(study, key, field)
        labels.setdefault(study.phase(key).title, []).append(f"“{asked.label if asked else field}”")
    return listed([f"{listed(within)} in “{title}”" for title, within in labels.items()])


def _option(study: Expansion, line: AuthoredEstimate, name: str) -> str:
    """Return the text of the option of a field that is counted: the one that the line names, or the positive one."""
    key, _, field = name.partition(".")
    asked = field_of(study, key, field)
    counted = line.option or (asked.positive if asked else None) or ""
    return next((option.text for option in asked.options if option.id == counted), counted) if asked else counted


def _score(study: Expansion, line: AuthoredEstimate, name: str) -> str:
    """Return what a judge's score in a field is: a mean, a share of the positive option, or the share that is right."""
    key, _, field = name.partition(".")
    asked = field_of(study, key, field)
    if asked is not None and is_number(asked):
        return "mean"
    is_right = asked is None or asked.type == "correctness" or not _option(study, line, name)
    return "share that is right" if is_right else f"share of “{_option(study, line, name)}”"


def where_in_words(study: Expansion, line: AuthoredEstimate) -> str:
    """Return which units a line of the plan is about."""
    form = form_named(study, line)
    return listed([condition_in_words(study, key, values, form) for key, values in line.where.items()])


def condition_in_words(study: Expansion, key: str, values: list[str], form: str | None = None) -> str:
    """Return a condition on an attribute, or on the result of a phase in one form of the items, in words."""
    if "." in key:
        label, title, texts = result_words(study, Condition(name=key, values=values), form)
        return f"“{label}” of “{title}” is {listed(texts, 'or')}"
    return f"{spoken(key)} is {listed([value_text(study, key, value) for value in values], 'or')}"
