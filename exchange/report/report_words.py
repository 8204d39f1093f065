"""The wording of report rows: the one place where statistics, parties, parts of the items and numbers are worded.

The page, HTML file, CSV, JSON and figures all use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exchange.report.estimate_rows import (
    Cautioned,
    Comparison,
    Counted,
    Direction,
    Estimated,
    EstimateRow,
    IfIndependent,
    LeftOut,
    Party,
    Pooled,
    Remark,
    Stratum,
)
from exchange.report.report_structure import EstimateTable
from exchange.report.shown_numbers import LEAST_P, has_interval, shown_interval, shown_p, shown_value
from exchange.report.statistic_names import Scale, Statistic
from exchange.report.statistic_words import BETWEEN, BOUNDS, EXPLORATORY, OF_CONSENSUS, TURNED, WORDS

# Of more that are left out only the number is given.
MOST_NAMED = 5

FORMATS = {"yes_no": "Yes/no", "choice": "Choice", "open": "Open answer"}
GROUNDINGS = {"image_grounded": "Image-grounded", "image_informed": "Image-informed"}
KAPPA_INTERVALS = {
    "adjusted": "adjusted interval",
    "effective": "adjusted interval on a cautious effective number of items",
    "scattered": "adjusted interval on an effective number of items by how scattered disagreements are",
}
DRAWS = {1: "a separate draw for each estimate", 2: "one draw for all estimates"}
PRIMARY = {
    "closed_format_accuracy": "accuracy on closed formats (yes/no and choice)",
    "overall_accuracy": "accuracy on all items",
    "agreement": "percent agreement between raters on answers, for each pair, all items",
}
CORRECTIONS = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "hommel": "Hommel",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
}
# The names of the plan's lines, in titles and in place of lines that were not computed.
PRIMARY_ESTIMATE, ALSO_DECLARED = "Primary estimate", "Also declared"
STATES = {"final": "Final: the data are locked", "interim": "Interim look: the study is open"}
# The kind of caution that is marked at the number of clusters instead of beside the value.
_OF_FEW_CLUSTERS = "few_clusters"
# The names that `agreement` gives to intervals with two items added, whose P value has the same standard error.
_ITEMS_ADDED = ("adjusted", "effective", "scattered")
WEIGHTED = "weighted to the pool"
# Statistics whose P value tests 0.5 instead of 0.
_HALF: frozenset[Statistic] = frozenset({"auc", "effect_size", "discordant_share"})

_PARTIES = {
    "all_raters": "All raters",
    "no_rater": "No rater",
    "reviewer": "Reviewer",
    "decision": "Decision",
    "consensus": "Consensus",
    "chance": "Chance",
    "text_only": "Text-only baseline",
    "reference": "Reference",
}
_STRATA = {
    "all": "All items",
    "closed": "Closed formats (yes/no and choice)",
    "candidates": "All candidates",
    "references": "All references",
    "pairs": "All pairs",
    "overlays": "Overlays offered",
    "verdicts_differ": "Verdicts differ",
    "reviewed": "Reviewed items",
    "controls": "Controls",
}
_TWICE = re.compile(r"\b(model|prior) (?=\1 )", re.IGNORECASE)
_STRATUM_KEYS = {
    "candidates": "all",
    "references": "all",
    "pairs": "all",
    "overlays": "overlays offered",
    "verdicts_differ": "verdicts differ",
}


@dataclass(frozen=True)
class EstimateLine:
    """A row in words: its label, the statistic's name in files, who it is about, its part and its note."""

    row: EstimateRow
    label: str
    name: str
    who: str
    stratum: str
    note: str

    @property
    def estimate(self) -> Estimated:
        """The estimate."""
        return self.row.estimate

    @property
    def beside(self) -> Estimated | None:
        """The same estimate with an interval that assumes independent items, if there is one."""
        return self.row.beside

    @property
    def scale(self) -> Scale:
        """The scale on which both are shown."""
        return self.row.scale


# The kind of answers that a row uses, if its line of the plan covers several kinds.
_ANSWERS = {"": "", "given": "as given", "settled": "as settled", "step 1": "first step"}


def answers_in_words(rows: Sequence[EstimateRow]) -> list[str]:
    """Return the kind of answers that each row uses; empty if all use the same."""
    are_several = len({row.answers for row in rows}) > 1
    return [_ANSWERS[row.answers] if are_several else "" for row in rows]


def names_of_answers(rows: Sequence[EstimateRow]) -> list[str]:
    """Return whose answers each row is about, with the kind of answers if they are of several kinds."""
    kinds = answers_in_words(rows)
    return [", ".join(filter(None, (who(row), kind))) for row, kind in zip(rows, kinds, strict=True)]


def lines_of(table: EstimateTable) -> list[EstimateLine]:
    """Return the rows of a table in words."""
    of_answers = answers_in_words(table.rows)
    notes = ["; ".join(filter(None, (_note(table, row), of))) for row, of in zip(table.rows, of_answers, strict=True)]
    return [
        EstimateLine(row, _label(table, row), _name(row), who(row), stratum_key(row.stratum), note)
        for row, note in zip(table.rows, notes, strict=True)
    ]


def party_in_words(party: Party) -> str:
    """Return a party's name, or what it is called."""
    return party.name or _PARTIES[party.kind]


def parties_in_words(parties: Iterable[Party], between: str = "and") -> str:
    """Return the parties by name, with a word between them."""
    return f" {between} ".join(party_in_words(party) for party in parties)


def who(row: EstimateRow) -> str:
    """Return who an estimate is about; for a difference, what is subtracted from what."""
    which = (row.statistic, row.compared)
    of_two = row.parties[1::-1] if which in TURNED and len(row.parties) > 1 else row.parties[:2]
    between = parties_in_words(of_two, BETWEEN.get(which, "and"))
    return between + "".join(f" by {party_in_words(judge)}" for judge in row.parties[2:])


def stratum_key(stratum: Stratum) -> str:
    """Return the name of a part of the items in files."""
    if stratum.kind == "scan":
        return f"offered {stratum.value}"
    if stratum.kind == "grounding":
        return stratum.value
    if stratum.kind == "attribute":
        return f"{stratum.name} {stratum.value}"
    return f"{_STRATUM_KEYS.get(stratum.kind, stratum.kind)} {stratum.value}".strip()


def said_once(words: str) -> str:
    """Return words without a doubled noun: a name such as Model A is not called model Model A."""
    return _TWICE.sub("", words)


def stratum_in_words(stratum: Stratum) -> str:
    """Return the name of a part of the items in a line of its own."""
    if stratum.kind == "format":
        return FORMATS[stratum.value]
    if stratum.kind == "grounding":
        return GROUNDINGS[stratum.value]
    if stratum.kind == "category":
        return f"Category: {stratum.value}"
    if stratum.kind in ("model", "prior"):
        return said_once(f"{stratum.kind.capitalize()} {stratum.value}")
    if stratum.kind == "attribute":
        name = stratum.name.replace("_", " ").capitalize()
        # A tier named Tier 1 is not shown as tier: Tier 1.
        return stratum.value if f"{stratum.value} ".startswith(f"{name} ") else f"{name}: {stratum.value}"
    if stratum.kind == "selected":
        return f"Where {stratum.value}"
    return _STRATA.get(stratum.kind, stratum.value)


def statistic_in_words(row: EstimateRow) -> str:
    """Return the label that a statistic gives to a line; empty if it goes without saying."""
    words = _line(row)
    return words[:1].upper() + words[1:]


def _label(table: EstimateTable, row: EstimateRow) -> str:
    part, words = stratum_in_words(row.stratum), _line(row)
    if table.lines == "stratum":
        label = part
    elif table.lines == "both":
        label = f"{part}: {words}" if words else part
    else:
        label = statistic_in_words(row)
        if row.stratum.kind == "model":
            label += said_once(f", model {row.stratum.value}")
    if row.stage:
        label += f", {row.stage}"
    if row.bound:
        label += f", {BOUNDS[row.compared, row.bound][0]}"
    return label + _variant(row)


def plan_of(row: EstimateRow) -> str:
    """Return the role of a row in the analysis plan: `primary`, `also` if declared in addition, or empty."""
    return "primary" if row.planned else "also" if row.declared else ""


def _name(row: EstimateRow) -> str:
    name = _filled(WORDS[row.statistic, row.compared].name, row)
    if row.stage:
        name += f", {row.stage} adjudication"
    if row.bound:
        name += f", {BOUNDS[row.compared, row.bound][1]}"
    return name + _variant(row)


def _variant(row: EstimateRow) -> str:
    return (f", {WEIGHTED}" if row.weighted else "") + (", exploratory" if row.exploratory else "")


def _line(row: EstimateRow) -> str:
    words = WORDS[row.statistic, row.compared]
    return _filled(words.of_pool if row.weighted and words.of_pool else words.line, row)


def _filled(words: str, row: EstimateRow) -> str:
    part = stratum_in_words(row.stratum)
    return words.format(
        stratum=part[:1].lower() + part[1:],
        tool=row.tool.replace("_", " "),
        option=row.category.text if row.category is not None else "",
        depth=row.depth,
    )


def _note(table: EstimateTable, row: EstimateRow) -> str:
    notes = ["primary estimate"] if row.planned else ["planned"] if row.declared else []
    if row.exploratory:
        notes.append(EXPLORATORY)
    if row.compared == "consensus" and row.stage:
        notes.append(OF_CONSENSUS[row.stage])
    if row.compared == "best_rater":
        notes.append("chosen as the best on these very answers")
    if row.settled is not None:
        notes.append(f"consensus on {row.settled.n} of {row.settled.of}, likely the easier ones")
    if row.statistic == "discordant_share":
        notes.append("P: exact McNemar test, which assumes independent items")
    if contradiction := _contradiction(row):
        notes.append(contradiction)
    if row.comparison is not None and row.comparison.correction and row.comparison.count > 1:
        notes.append(_comparison_in_words(row.comparison, row.scale))
    if row.remark is not None:
        scorer = "exact match" if row.compared == "exact_match" else ""
        notes.append(_remark_in_words(row.remark, scorer, table.cluster, row.estimate.n_clusters is not None))
    return "; ".join(notes)


def _contradiction(row: EstimateRow) -> str:
    """Return a sentence if the P value and the interval, by different methods, disagree; otherwise empty."""
    estimate = row.estimate
    if not shown_p(estimate.p) or estimate.p is None or not has_interval(estimate):
        return ""
    tested = 0.5 if row.statistic in _HALF else 0.0
    holds, level = estimate.low <= tested <= estimate.high, 1 - estimate.confidence
    if holds != (estimate.p < level):
        return ""
    beside = "although the interval holds" if holds else "although the interval does not hold"
    of = shown_value(tested, row.scale) if tested else "0"
    return f"P is {'' if holds else 'not '}below {level:.3g} {beside} {of}: they come from different methods"


def _comparison_in_words(comparison: Comparison, scale: Scale) -> str:
    p, together = comparison.p, comparison.together
    said = [f"P {'' if p < LEAST_P else '= '}{shown_p(p)}"] if p is not None and shown_p(p) else []
    if together is not None and has_interval(together):
        said.append(shown_interval(together, scale))
    of = f"{CORRECTIONS[comparison.correction]}, {comparison.count} comparisons"
    if comparison.tested < comparison.count:
        of += f", {comparison.tested or 'none'} of them with a P"
    return f"{of}: {', '.join(said) or 'no P value'}"


def _remark_in_words(remark: Remark, scorer: str, cluster: str, is_clustered: bool) -> str:
    match remark:
        case Pooled():
            return "descriptive only: answers of different formats are pooled"
        case LeftOut(n, why, of, who):
            of_all, more = f" of {of}" if of else "", n - MOST_NAMED
            named = ", ".join((*who[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])))
            return f"{n}{of_all} {why}" + (f" ({named})" if who else "")
        case IfIndependent(share):
            return f"{100 * share:.1f} % expected if errors were independent"
        case Counted(done, of, not_recorded):
            return f"{done} of {of}" + (f"; {not_recorded} not recorded" if not_recorded else "")
        case Direction(strict, lenient, by_interval):
            said = (
                f"{scorer} stricter on {strict}, more lenient on {lenient}"
                if scorer
                else f"{strict} stricter, {lenient} more lenient"
            )
            # If each unit is its own cluster, there is no clustering to account for.
            accounting = f", which accounts for clustering by {cluster}" if is_clustered else ""
            return said + (f": {by_interval} by the interval{accounting}" if by_interval else "")


def few_clusters_of(estimate: Estimated) -> Cautioned | None:
    """Return the caution that an estimate's interval rests on few clusters; None if there is no such caution."""
    return next((each for each in estimate.cautions if each.kind == _OF_FEW_CLUSTERS), None)


def further_warnings(estimate: Estimated) -> tuple[Cautioned, ...]:
    """Return an estimate's cautions without that about few clusters, which is marked at their number."""
    return tuple(each for each in estimate.cautions if each.kind != _OF_FEW_CLUSTERS)


def few_clusters_note(cluster: str, fewest: int) -> str:
    """Return the note below a table in which an interval rests on few clusters."""
    return f"fewer than {fewest} {cluster}s: the interval is likely to be too narrow"


def few_subjects_notice(subjects: int, fewest: int) -> str:
    """Return the notice at the start of the report of a study with few subjects."""
    return (
        f"Only {subjects} {'subject' if subjects == 1 else 'subjects'}: intervals from fewer than "
        f"{fewest} subjects are likely to be too narrow."
    )


def intervals_in_words(rows: Sequence[EstimateRow], cluster: str) -> str:
    """Return the words of a caption about intervals, from the methods of the rows' intervals.

    Parameters
    ----------
    rows
        The drawn rows; those without an interval are ignored.
    cluster
        What the rows are clustered by.
    """
    drawn = [row for row in rows if has_interval(row.estimate)]
    if not drawn:
        return "no value has an interval (the table says why)"
    kinds = dict.fromkeys(row.estimate.made[0].text for row in drawn)
    clustered = all(row.estimate.n_clusters is not None for row in drawn)
    allowing = f" that allow for clustering by {cluster}" if clustered else ""
    # Of intervals that hold together the level is that of all of them, as in the table.
    level = 1 - (1 - drawn[0].estimate.confidence) * drawn[0].together
    hold = " that hold together" if any(row.together > 1 for row in drawn) else ""
    return f"{100 * level:g} % intervals{hold} ({'; '.join(kinds)}){allowing}"


def tests_note(rows: Sequence[EstimateRow]) -> str:
    """Return the note below a table on what the P values of kappa and alpha test and how; empty if there are none."""
    names = {"cohen_kappa": "kappa", "krippendorff_alpha": "alpha"}
    tested = dict.fromkeys(
        names[row.statistic]
        for row in rows
        if row.statistic in names and shown_p(row.estimate.p) and row.estimate.interval in _ITEMS_ADDED
    )
    if not tested:
        return ""
    name = " or ".join(tested)
    return (
        f"P of {name}: two-sided t test of {name} = 0, by the value and standard error with two items added, as the "
        "interval; the printed value has none added, so where it is 0.00, P may be below 1"
    )
