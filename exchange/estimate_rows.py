"""Estimates of the report in typed parts: what was computed, of what, whose it is, and on which items it rests.

Nothing here is worded: `report_words` prints the rows, the same for page, files and figures. The estimates inside come
from `agreement`; here they are known by their shape only, so that this folder stays readable on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from exchange.statistic_names import SCALES, Compared, Scale, Statistic


class Cautioned(Protocol):
    """One thing to know about an estimate: of which kind it is, what it says, and below how many it applies."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def fewest(self) -> int: ...
    @property
    def made(self) -> Sequence[Made]: ...


class Made(Protocol):
    """A part of a method or a caution: as printed, as a note of several says it, and what in it may want explaining.

    `together` is None where a note says it as it is printed; `is_number` is so of a number that is each estimate's own.
    """

    @property
    def text(self) -> str: ...
    @property
    def together(self) -> str | None: ...
    @property
    def is_number(self) -> bool: ...
    @property
    def terms(self) -> Sequence[str]: ...


class Estimated(Protocol):
    """A point estimate with its interval, n, unit and method, or the reason why it is undefined."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def unit(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def made(self) -> Sequence[Made]: ...
    @property
    def undefined_because(self) -> str | None: ...
    @property
    def se(self) -> float | None: ...
    @property
    def p(self) -> float | None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def n_clusters(self) -> int | None: ...
    @property
    def warning(self) -> str | None: ...
    @property
    def cautions(self) -> Sequence[Cautioned]: ...
    @property
    def interval(self) -> str | None: ...


@dataclass(frozen=True)
class Party:
    """Whose an estimate is. `name` is that of a rater, a judge's run, a model or a part of the units."""

    kind: Literal[
        "rater",
        "all_raters",
        "no_rater",
        "reviewer",
        "decision",
        "consensus",
        "judge",
        "model",
        "part",
        "chance",
        "text_only",
        "reference",
    ]
    name: str = ""


ALL_RATERS = Party("all_raters")
REVIEWER = Party("reviewer")
CONSENSUS = Party("consensus")
REFERENCE = Party("reference")


@dataclass(frozen=True)
class Stratum:
    """On which items or candidates an estimate rests.

    `value` is the format, category, grounding or model; of `prior` what became of it; of `scan` pane and sequence; of
    `attribute` its value, in words, with the `name` of what was declared; of `selected` the selection in words, and
    of `part` what a part of a part is called.
    """

    kind: Literal[
        "all",
        "closed",
        "format",
        "category",
        "grounding",
        "candidates",
        "references",
        "pairs",
        "model",
        "prior",
        "scan",
        "overlays",
        "verdicts_differ",
        "reviewed",
        "controls",
        "attribute",
        "selected",
        "part",
    ]
    value: str = ""
    name: str = ""


ALL_ITEMS = Stratum("all")
ALL_CANDIDATES = Stratum("candidates")
ALL_REFERENCES = Stratum("references")
ALL_PAIRS = Stratum("pairs")


@dataclass(frozen=True)
class Category:
    """An option of a field, by identity and in words."""

    id: str
    text: str


@dataclass(frozen=True)
class Pooled:
    """The estimate pools answers of different formats."""


# Why verdicts, or questions, are in no share.
Reason = Literal[
    "not assessable",
    "unresolved",
    "neither correct nor incorrect",
    "excluded or not assessable",
    "undetermined or not assessable",
    "undetermined or not assessable, counted as not read",
    "undetermined or not assessable in a condition",
    "without a consensus",
]


@dataclass(frozen=True)
class LeftOut:
    """How many verdicts say neither right nor wrong, or on how many questions raters do not agree.

    Attributes
    ----------
    of
        Of how many these are; 0 where that is not said.
    who
        What each of them is called, where that is said.
    """

    n: int
    why: Reason
    of: int = 0
    who: tuple[str, ...] = ()


@dataclass(frozen=True)
class IfIndependent:
    """What share would be expected if both erred independently."""

    share: float


@dataclass(frozen=True)
class Counted:
    """Of how many it was done, and of how many more it was not recorded."""

    done: int
    of: int
    not_recorded: int = 0


@dataclass(frozen=True)
class Direction:
    """On how many candidates the judge was stricter or more lenient, and what the interval says, where it is asked."""

    strict: int
    lenient: int
    by_interval: str = ""


Remark = Pooled | LeftOut | IfIndependent | Counted | Direction


@dataclass(frozen=True)
class Comparison:
    """One of several comparisons that are read together.

    Attributes
    ----------
    count
        How many there are, this one included.
    correction
        By what the plan corrects for their number; empty where it does not.
    p
        The P value so corrected; None where there is none.
    together
        The same value with an interval that holds together with those of the others; None under a correction that has
        no such intervals.
    """

    count: int
    correction: str = ""
    p: float | None = None
    together: Estimated | None = None


@dataclass(frozen=True)
class EstimateRow:
    """One estimate.

    Attributes
    ----------
    parties
        Whose it is: one, or the two that are compared, in their order, with the judge by which they are, if by any.
    beside
        A second interval of the same value (Wilson's) that assumes independent items.
    stage
        Before or after adjudication, where both are reported.
    bound
        With everything that says neither right nor wrong counted wrong (`worst`) or right (`best`).
    weighted
        By 1 / inclusion probability, to the pool.
    planned
        It is the primary estimate of the analysis plan.
    declared
        The analysis plan names it beside the primary estimate.
    exploratory
        The estimate of another row once more, with an interval that the frozen plan does not name.
    tool
        Which tool of the viewer, where that is counted.
    category
        Which option of a field, where it is about a single option.
    depth
        How many lines of a ranked list are looked at, where that matters.
    comparison
        Of a difference, how many of them are read together, and what follows from that.
    versions
        With which versions of the study its units came; empty in a study of the first language, which has none.
    answers
        Of a line of a plan, which answers it takes: as given, as settled, or of the first step.
    together
        How many intervals, its own among them, hold together by Bonferroni; 1 where it is alone.
    """

    statistic: Statistic
    compared: Compared
    parties: tuple[Party, ...]
    stratum: Stratum
    estimate: Estimated
    beside: Estimated | None = None
    stage: Literal["", "before", "after"] = ""
    bound: Literal["", "worst", "best"] = ""
    weighted: bool = False
    planned: bool = False
    declared: bool = False
    exploratory: bool = False
    tool: str = ""
    category: Category | None = None
    depth: int | None = None
    remark: Remark | None = None
    comparison: Comparison | None = None
    versions: tuple[int, ...] = ()
    answers: Literal["", "given", "settled", "step 1"] = ""
    together: int = 1

    @property
    def scale(self) -> Scale:
        """How it is shown."""
        return SCALES[self.statistic]

    @property
    def estimates(self) -> tuple[Estimated, ...]:
        """The estimate and, where there is one that is not the same interval again, the one beside it."""
        own, other = self.estimate, self.beside
        if other is None or (own.method, own.low, own.high) == (other.method, other.low, other.high):
            return (own,)
        return (own, other)
