"""Lines of the plan without a number: parts that nobody answered, and fields for which no figure is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from agreement.estimate import undefined
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party
from exchange.report.report_structure import EstimateTable
from exchange.report.report_words import ALSO_DECLARED, PRIMARY_ESTIMATE
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.computed import columns_of_raters, field_is_computed
from protocol.language.expansion import Expansion
from protocol.language.results import form_named, is_probability
from protocol.language.sentences_of_plan import line_in_words
from protocol.language.wording import capital, listed, spoken
from services.report.rows.excluded import says_neither
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.sections.phases import division_by
from services.report.sections.selecting import PartOfLine

# An abstention is an answer.
_SAID: frozenset[str | None] = frozenset({"answered", "undetermined"})
_PEOPLE = frozenset({"rater", "all_raters", "consensus"})
# Comparisons of models, or of other parts of what is rated.
_OF_PARTS = frozenset({"models", "models_over_readers"})


def left_out(study: Expansion, phases: Sequence[PhaseRatings]) -> Iterator[str]:
    """Yield the reason for each field of a line that no section covers; the line would otherwise vanish silently."""
    plan = study.analysis
    by_key = {phase.phase.key: phase for phase in phases}
    for line in [*([plan.primary] if plan.primary is not None else []), *plan.also, *plan.criteria]:
        for name in line.of:
            key, _, field = name.partition(".")
            if not field_is_computed(study, name, line):
                continue
            phase, rated = study.phase(key), by_key.get(key)
            if not phase.counts:
                reason = f"no figure is made of “{phase.title}”, whose answers do not count"
            elif phase.source.practice == "only":
                reason = f"no figure is made of “{phase.title}”, which is for practice"
            elif rated is not None and not rated.fields:
                reason = f"nothing was drawn for “{phase.title}”"
            elif rated is None or rated.of_field(field, form_named(study, line)) is None:
                reason = f"no unit that was drawn for “{phase.title}” has this field in its form"
            else:
                continue
            words = capital(line_in_words(study, line.model_copy(update={"of": [name]})))
            yield f"{_named(study, line)}, since {reason}: {words}."


def _named(study: Expansion, line: AuthoredEstimate) -> str:
    if isinstance(line, AuthoredCriterion):
        return f"Criterion “{spoken(line.key)}”: not decided"
    return f"{PRIMARY_ESTIMATE if line is study.analysis.primary else ALSO_DECLARED}, not computed"


def why_no_row(study: Expansion, line: AuthoredEstimate, parts: Sequence[PartOfLine]) -> str:
    """Return why a line has no row in any of its parts."""
    own = [part.ratings for part in parts if part.ratings.units]
    unknown = [spoken(name) for name in line.by if name in columns_of_raters(study)]
    if unknown and not parts:
        return f"{listed(unknown)} of none of these raters is known"
    if not own:
        return "no unit that was drawn is among those that it is about"
    if all(_SAID.isdisjoint(column.states) for ratings in own for column in ratings.columns):
        return f"nobody has answered any of these {own[0].unit}s"
    neither = says_neither(own[0].field) - {line.option}
    if neither and all(_is_all_of(neither, ratings) for ratings in own):
        return f"every answer to these {own[0].unit}s is {_excluded_in_words(own[0])}, which leaves nothing to count"
    compared = None if line.compare in (None, "group") else division_by(study, line.compare)
    if compared is not None and all(len(compared.values_in(ratings)) < 2 for ratings in own):
        return f"no two of the {own[0].unit}s that it compares differ in {spoken(compared.name)}"
    needs_two = line.estimate == "agreement" and not line.against
    if needs_two and all(_people_who_answered(ratings) < 2 for ratings in own):
        return f"a single rater has answered these {own[0].unit}s"
    if line.estimate == "calibration" and not is_probability(own[0].field):
        return "this confidence is no probability, and the rest, the area under the ROC curve, has a line of its own"
    return "there is nothing to compute it from"


def _is_all_of(options: Set[str | None], ratings: Ratings) -> bool:
    """Return whether nothing was answered but these options."""
    return all(value in options for column in ratings.columns for value in column.values if value is not None)


def _excluded_in_words(ratings: Ratings) -> str:
    return listed([f"“{each.text}”" for each in ratings.field.options if each.id in says_neither(ratings.field)], "or")


def _people_who_answered(ratings: Ratings) -> int:
    return sum(not _SAID.isdisjoint(column.states) for column in ratings.columns)


def with_unanswered_parts(
    table: EstimateTable, parts: Sequence[PartOfLine], confidence: float, *, of_groups: bool = False
) -> EstimateTable:
    """Return the table with undefined rows for parts that have none, modelled on the rows of another part.

    Parameters
    ----------
    parts
        Each with its kind of answers: a part can have given answers but no settled ones.
    of_groups
        Whether the parts are those in which groups of raters are compared, as opposed to those of each group.
    """
    in_table = [row for row in table.rows if (row.compared == "groups") == of_groups and not row.bound]
    # A flag of units with unequal chances has weighted rows alone.
    computed = {(row.answers, row.stratum) for row in in_table}
    own = [row for row in in_table if not row.weighted] or in_table
    # Rows of models do not serve as a pattern for people's, unless models are what is compared.
    alike = [row for row in own if row.compared in _OF_PARTS or all(party.kind != "model" for party in row.parties)]
    lacking: list[EstimateRow] = []
    for part in parts:
        if (part.answers, part.stratum) not in computed:
            # Settled answers have nothing to agree with, so a line may have rows only for the given answers.
            same = [row for row in alike if row.answers == part.answers]
            other = [row for row in alike if row.compared != "raters"]
            among = same or other
            like = [row for row in among if (row.answers, row.stratum) == (among[0].answers, among[0].stratum)]
            lacking += _undefined(part, like, confidence)
    return replace(table, rows=(*table.rows, *lacking))


def _undefined(part: PartOfLine, like: Sequence[EstimateRow], confidence: float) -> Iterator[EstimateRow]:
    ratings = part.ratings
    if not ratings.columns:
        return
    rows = (
        replace(
            row,
            parties=_of_part(row.parties, ratings),
            stratum=part.stratum,
            estimate=undefined(row.statistic, 0, row.estimate.unit, "none", _reason(row, part), confidence=confidence),
            beside=None,
            remark=None,
            comparison=None,
            versions=ratings.versions,
            answers=part.answers,
        )
        for row in like
    )
    seen = set()
    for row in rows:
        which = (row.statistic, row.compared, row.parties, row.category, row.depth)
        if which not in seen:
            seen.add(which)
            yield row


def _reason(row: EstimateRow, part: PartOfLine) -> str:
    ratings = part.ratings
    if all(_SAID.isdisjoint(column.states) for column in ratings.columns):
        if part.answers == "settled":
            return f"nothing is settled of any of these {ratings.unit}s"
        return f"nobody has answered any of these {ratings.unit}s"
    if row.compared == "reference" and not ratings.has_reference:
        return f"none of these {ratings.unit}s has a reference"
    return "there is nothing to compute it from"


def _of_part(parties: tuple[Party, ...], ratings: Ratings) -> tuple[Party, ...]:
    """Return the parties of an undefined row: the same if they are raters of the part, else the part's raters."""
    own = [column.party for column in ratings.columns]
    are_settled = all(party.kind == "consensus" for party in own)
    of_people = {party for party in parties if party.kind in _PEOPLE}
    named = {party for party in of_people if party.kind == "rater"}
    if named.issubset(own) and not (are_settled and of_people):
        return parties
    return tuple(own) if len(own) == 1 else (ALL_RATERS,)
