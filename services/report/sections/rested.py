"""The data behind a criterion's estimates: how many units and raters, and who gave nothing to compute from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from exchange.report.estimate_rows import EstimateRow, Party
from protocol.language.authored_plan import AuthoredCriterion
from services.report.rows.columns import Column
from services.report.rows.excluded import says_neither
from services.report.rows.ratings import Ratings
from services.report.sections.selecting import PartOfLine

NOTHING = "there is nothing to compute it from"
# Of two raters kappa is computed.
_FEWEST_OF_ALPHA = 3
# An abstention is an answer and counts in the denominators.
_ANSWERS: frozenset[str | None] = frozenset({"answered", "undetermined"})


def are_several(row: EstimateRow) -> bool:
    """Return whether a row is about all raters together."""
    return any(party.kind in ("all_raters", "consensus") for party in row.parties)


def units_of(criterion: AuthoredCriterion, row: EstimateRow, ratings: Ratings) -> int:
    """Return the number of units behind an estimate: its n or, if that counts verdicts, the units they are about.

    Parameters
    ----------
    ratings
        The answers from which the estimate is computed.
    """
    n = row.estimate.n
    if row.estimate.unit != "verdict":
        return n
    by_unit = zip(*_entering(criterion, ratings), strict=True)
    return min(n, sum(any(enters) for enters in by_unit))


def _entering(criterion: AuthoredCriterion, ratings: Ratings) -> Iterator[list[bool]]:
    """Yield, by rater, which answers enter an estimate for all raters together."""
    for column, answers, correct in zip(ratings.columns, ratings.answers, ratings.correct, strict=True):
        if criterion.estimate == "rate":
            leaves = says_neither(ratings.field) - {criterion.option}
            yield [answer is not None and answer not in leaves for answer in answers]
        elif criterion.estimate in ("calibration", "auc"):
            about = column.about or (None,) * len(answers)
            yield [None not in pair for pair in zip(column.values, about, strict=True)]
        else:
            yield [is_right is not None for is_right in correct]


def raters_of(ratings: Ratings, whose: Sequence[Party] = ()) -> int:
    """Return how many raters gave an answer to any of the units, not counting those who only abstained.

    Parameters
    ----------
    whose
        The parties of a line: if raters are among them, only they are counted.
    """
    named = [party for party in whose if party.kind == "rater"]
    return sum("answered" in column.states for column in ratings.columns if not named or column.party in named)


def only_abstained(ratings: Ratings) -> int:
    """Return how many raters abstained on every unit that they answered."""
    return sum(_has_answered(column) and "answered" not in column.states for column in ratings.columns)


def lacking(
    criterion: AuthoredCriterion, part: PartOfLine, chosen: Sequence[EstimateRow]
) -> list[tuple[tuple[Party, ...], str]]:
    """Return the parties that have to reach a criterion in a part but have no estimate, and why.

    Parameters
    ----------
    chosen
        The estimates computed for the part that have to reach the bounds.
    """
    ratings = part.ratings
    if ratings.models and not ratings.columns:
        # A criterion is about people.
        return []
    if not chosen:
        return [((), _why_nothing(criterion, part))]
    if any(are_several(row) for row in chosen):
        return []
    named = {row.parties for row in chosen}
    if criterion.estimate == "agreement" and not criterion.against:
        return [(pair, _why_not_both(*columns)) for pair, columns in _pairs(ratings) if pair not in named]
    of_raters = {party for parties in named for party in parties if party.kind == "rater"}
    if not of_raters or criterion.estimate == "difference":
        return []
    return [
        ((column.party,), NOTHING if _has_answered(column) else "this rater has answered none of these units")
        for column in ratings.columns
        if column.party not in of_raters and any(state is not None for state in column.states)
    ]


def _has_answered(column: Column) -> bool:
    return not _ANSWERS.isdisjoint(column.states)


def _why_nothing(criterion: AuthoredCriterion, part: PartOfLine) -> str:
    ratings, is_of_pairs = part.ratings, criterion.estimate == "agreement" and not criterion.against
    if not any(_has_answered(column) for column in ratings.columns):
        if part.answers == "settled":
            return "nothing is settled of any of these units"
        return "nobody has answered any of these units"
    if is_of_pairs and criterion.statistic == "krippendorff_alpha" and len(ratings.columns) < _FEWEST_OF_ALPHA:
        here = "there is one" if len(ratings.columns) == 1 else "here there are two, of whom there is kappa"
        return f"alpha is of three raters or more, and {here}"
    if is_of_pairs and len(ratings.pairs) > len(ratings.pairs_on(part.stratum)):
        return f"its {len(ratings.pairs)} pairs of raters are too many to be told apart here"
    return NOTHING


def _pairs(ratings: Ratings) -> list[tuple[tuple[Party, Party], tuple[Column, Column]]]:
    """Return every two raters who were assigned at least one unit in common."""
    asked = [{place for place, state in enumerate(own.states) if state is not None} for own in ratings.columns]
    return [
        ((ratings.columns[a].party, ratings.columns[b].party), (ratings.columns[a], ratings.columns[b]))
        for a, b in combinations(range(len(ratings.columns)), 2)
        if asked[a] & asked[b]
    ]


def _why_not_both(first: Column, second: Column) -> str:
    silent = [column.party.name for column in (first, second) if not _has_answered(column)]
    if silent:
        return f"{' and '.join(silent)} answered none of these units"
    return "there is no unit that both have answered"
