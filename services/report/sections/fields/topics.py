"""What a field type reports: its tables, and which of them an analysis plan can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from exchange.report.estimate_rows import ALL_RATERS, CONSENSUS, EstimateRow, Stratum
from exchange.report.report_structure import Drawn, PairedPoints
from exchange.report.shown_numbers import shown_p
from exchange.report.statistic_names import MEASURED, Compared, Statistic
from protocol.fields import PLACES, SETS
from protocol.language.authored_plan import Estimated, Partner
from services.report.interval_settings import IntervalSettings
from services.report.rows.chances import unequal
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers

# Takes the ratings of some units, their stratum, and how intervals are computed.
Compute = Callable[[Ratings, Stratum, IntervalSettings], list[EstimateRow]]
Holds = Callable[[Ratings, Sequence[EstimateRow]], bool]


@dataclass(frozen=True)
class Topic:
    """Estimates of one field that are read together, on all units and on parts of them.

    Attributes
    ----------
    key
        The table's name in files, after the field.
    title
        The table's title, after the label of the field.
    explanation
        What is computed, and from what.
    compute
        Returns no rows if the ratings provide nothing to compute them from.
    in_parts
        Whether it is repeated for each value of the attributes that the plan names under `tables`.
    drawn
        How its rows are drawn: values with intervals, shares of an ordered scale on both sides of its middle, shares
        by lines of a list, accuracy by stated confidence, floors and ceilings with raters, accuracy by thirds, or not
        at all.
    points
        For differences with limits of agreement: returns the units from which they are computed.
    of_models
        Whether models' answers in the same field are reported too, in the same way as the raters'.
    further
        Sentences that follow the explanation, each with the condition under which it is needed.
    names
        The statistics that the title already names, so that a figure of one does not repeat it.
    """

    key: str
    title: str
    explanation: str
    compute: Compute
    in_parts: bool = True
    drawn: Drawn = "forest"
    points: Callable[[Ratings], tuple[PairedPoints, ...]] | None = None
    of_models: bool = False
    further: tuple[tuple[str, Holds], ...] = ()
    names: frozenset[tuple[Statistic, Compared]] = frozenset()

    def explained(self, ratings: Ratings, rows: Sequence[EstimateRow]) -> list[str]:
        """Return the explanation of these rows in pieces, as other topics may have some in common."""
        return [self.explanation, *(says for says, holds in self.further if holds(ratings, rows))]

    def rows_of_models(self, ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        """Return the rows of each model that answered the field; empty for topics that are only about raters."""
        models = ratings.of_models if self.of_models else []
        return [row for model in models for row in self.compute(model, stratum, intervals)]


def pools_raters(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row is about all raters together."""
    return any(ALL_RATERS in row.parties for row in rows)


def says_all_were_alike(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row is about how often all raters gave the same answer."""
    return any(row.statistic == "percent_agreement" and ALL_RATERS in row.parties for row in rows)


def has_models(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row is about a model."""
    return any(party.kind == "model" for row in rows for party in row.parties)


def has_alpha(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row is an alpha."""
    return any(row.statistic == "krippendorff_alpha" for row in rows)


def has_bounds(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether there are bounds, because some verdicts were neither right nor wrong."""
    return any(row.bound for row in rows)


def has_consensus(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row is about the raters' consensus."""
    return any(CONSENSUS in row.parties for row in rows)


def has_judges(ratings: Ratings, _: Sequence[EstimateRow]) -> bool:
    """Return whether any judge's run is about the field."""
    return bool(ratings.judges)


def has_abstentions(ratings: Ratings, _: Sequence[EstimateRow]) -> bool:
    """Return whether any rater or model abstained in the field."""
    return any("undetermined" in column.states for column in (*ratings.columns, *ratings.models))


def has_unanswered(ratings: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether anybody abstained in the field or called a unit not assessable."""
    return has_abstentions(ratings, rows) or any("not_assessable" in column.states for column in ratings.columns)


def has_empty_sets(ratings: Ratings, _: Sequence[EstimateRow]) -> bool:
    """Return whether anybody chose no option of a set."""
    return ratings.field.type in SETS and any("empty" in column.states for column in ratings.columns)


def has_tests(_: Ratings, rows: Sequence[EstimateRow]) -> bool:
    """Return whether any row has a P value."""
    return any(shown_p(row.estimate.p) for row in rows)


POOLED = ("“All raters” pools verdicts.", pools_raters)
MEAN_OF_UNITS = ("“All raters” is the mean over units of what the raters of each gave.", pools_raters)
MEAN_OF_PAIRS = ("“All raters” is the mean over every two of them.", pools_raters)
SAME_OF_ALL = (
    "“All raters” gave the same answer where every one of them did, which is rarer than that two did.",
    says_all_were_alike,
)
POOLED_VERDICTS = (
    "“All raters” pools verdicts, so that a unit with two verdicts counts twice; it is not what raters agreed on.",
    pools_raters,
)


def measured_in(ratings: Ratings) -> str:
    """Return in what the numbers of a field are, of a place its distances; empty where it names no unit."""
    of_places = "px" if ratings.in_pixels else "mm"
    return ratings.field.unit or (of_places if ratings.field.type in PLACES else "")


def unit_in_words(ratings: Ratings, rows: Sequence[EstimateRow]) -> str:
    """Return the unit of a field's means and differences in words; empty if it has no unit or no such rows."""
    measured, unit = {row.statistic for row in rows} & MEASURED, measured_in(ratings)
    if not unit or not measured:
        return ""
    what = "Means and differences" if "mean_answer" in measured and len(measured) > 1 else "Differences"
    return f"{'Means' if measured == {'mean_answer'} else what} are in {unit}."


def weighted_in_words(ratings: Ratings, rows: Sequence[EstimateRow]) -> str:
    """Return what it means that rows are weighted, or that they are not although chances differ or are not known."""
    as_drawn = not all(row.weighted for row in rows)
    if any(row.weighted for row in rows):
        return (
            "“Weighted to the pool”: each unit counts for as many as it stands for (1 / chance of being drawn), so "
            "that the value is of all that was drawn from, and not of the sample as it is."
        ) + (" Every other row is of the sample as it is." if as_drawn else "")
    if not as_drawn:
        return ""
    if None in ratings.chances:
        return (
            "Not weighted to the pool: of some units the chance of being drawn is not known, and these rows are of the "
            "sample as it is."
        )
    if unequal(ratings.chances) is None:
        return ""
    return (
        "Not weighted to the pool: units had unequal chances of being drawn, and these rows are of the sample as it is."
    )


@dataclass(frozen=True)
class FieldReport:
    """The figures of one field type.

    Attributes
    ----------
    topics
        Its tables, in order.
    planned
        The topic for each estimate that a plan can name; others are not computed for this type.
    against
        The same for estimates against judges, the text-only answers, or automatic scores.
    numbers
        Returns, by column, the answers as numbers, so that parts can be compared; None if they have no numbers.
    is_share
        Whether these numbers are 1 for correct and 0 otherwise.
    of_columns
        Makes the topic on columns of numbers of the candidates; None if the type has nothing to compare them with.
    at_depth
        Makes the topic on the first lines of lists that counts so many of them too; None if the type has no lines.
    """

    topics: tuple[Topic, ...]
    planned: Mapping[Estimated, Topic] = field(default_factory=dict)
    against: Mapping[tuple[Estimated, Partner], Topic] = field(default_factory=dict)
    numbers: Callable[[Ratings], Sequence[Numbers]] | None = None
    is_share: bool = False
    of_columns: Callable[[Sequence[str]], Topic] | None = None
    at_depth: Callable[[int], Topic] | None = None
