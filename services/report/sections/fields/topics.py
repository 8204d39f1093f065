"""What a field type says of its figures: which tables there are, and which of them an analysis plan can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from exchange.estimate_rows import EstimateRow, Stratum
from exchange.report_structure import Drawn, PairedPoints
from protocol.language.authored import Estimated, Partner
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings

# Takes what was filled in on some units, what these are called, and how intervals are computed.
Numbers = list[float | None]
Compute = Callable[[Ratings, Stratum, IntervalSettings], list[EstimateRow]]


@dataclass(frozen=True)
class Topic:
    """Estimates of one field that are read together, on all units and on parts of them.

    Attributes
    ----------
    key
        What the table is called in files, behind the field.
    title
        What it says, behind the label of the field.
    explanation
        What is computed, and of what.
    compute
        Returns no rows where the ratings give no reason for them.
    in_parts
        Whether it is repeated for each value of the attributes that the plan names under `tables`.
    drawn
        How its rows are drawn: values with intervals, shares of an ordered scale on both sides of its middle, shares
        over the lines of a list, accuracy over stated confidence, floors and ceilings beside raters, accuracy over
        thirds, or not.
    points
        Of differences with their limits, gives the units that they are computed of.
    of_models
        Whether the answers of models in the same field are held against the same, beside those of the raters.
    """

    key: str
    title: str
    explanation: str
    compute: Compute
    in_parts: bool = True
    drawn: Drawn = "forest"
    points: Callable[[Ratings], tuple[PairedPoints, ...]] | None = None
    of_models: bool = False

    def rows_of_models(self, ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        """Return the same of each model that answered the field; nothing where it is of raters alone."""
        models = ratings.of_models if self.of_models else []
        return [row for model in models for row in self.compute(model, stratum, intervals)]


@dataclass(frozen=True)
class FieldReport:
    """The figures of one field type.

    Attributes
    ----------
    topics
        Its tables, in order.
    planned
        The topic that an estimate of a plan is, by its name there; what is not named is not computed of this type.
    against
        The same of estimates against judges, the answers without the image, or automatic scores.
    numbers
        By column, what of the answers is a number, so that parts can be compared; None where nothing is.
    is_share
        Whether these numbers are 1 for correct and 0.
    """

    topics: tuple[Topic, ...]
    planned: Mapping[Estimated, Topic] = field(default_factory=dict)
    against: Mapping[tuple[Estimated, Partner], Topic] = field(default_factory=dict)
    numbers: Callable[[Ratings], Sequence[Numbers]] | None = None
    is_share: bool = False
