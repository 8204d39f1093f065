"""Report estimates in typed parts: what was computed, about what, for whom, and on which items.

Nothing is worded here: `report_words` words the rows, identically for page, files and figures. The estimates inside
come from `agreement`; this module only knows their shape, so that the folder stays readable on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from exchange.report.statistic_names import SCALES, Compared, Scale, Statistic


class Cautioned(Protocol):
    """A caution about an estimate: its kind, what it says, and the number below which it applies."""

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
    """Who or what an estimate is about. `name` is that of a rater, a judge's run, a model or a part of the units."""

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
    """The items or candidates that an estimate rests on.

    `value` is the format, category, grounding or model; for `prior` what became of it; for `scan` the pane and
    sequence; for `attribute` its value in words, with the attribute's `name`; for `selected` the selection in words;
    and for `part` the name of a part of a part.
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
    """An option of a field: its id and its text."""

    id: str
    text: str


@dataclass(frozen=True)
class Pooled:
    """The estimate pools answers in different formats."""


# Why verdicts, or questions, are in no share.
Reason = Literal[
    "not assessable",
    "unresolved",
    "neither correct nor incorrect",
    "excluded or not assessable",
    "undetermined or not assessable",
    "undetermined or not assessable, counted as not read",
    "undetermined or not assessable in a condition",
    "excluded or not assessable in a condition",
    "without a consensus",
    "without a valid answer, in no mean here and not right in the accuracy",
    "without a valid answer, in no share here and not right in the accuracy",
]


@dataclass(frozen=True)
class LeftOut:
    """The number of verdicts that are neither right nor wrong, or of questions on which raters do not agree.

    Attributes
    ----------
    of
        The number that they are part of; 0 if not stated.
    who
        What each of them is called; empty if not stated.
    """

    n: int
    why: Reason
    of: int = 0
    who: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settled:
    """On how many units people agree, of those on which they could have differed; the others are in no comparison."""

    n: int
    of: int


@dataclass(frozen=True)
class IfIndependent:
    """The share expected if both erred independently."""

    share: float


@dataclass(frozen=True)
class Counted:
    """How many it was done for, and for how many more it was not recorded."""

    done: int
    of: int
    not_recorded: int = 0


@dataclass(frozen=True)
class Direction:
    """On how many candidates the judge was stricter or more lenient, and what the interval says, if asked for."""

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
        The number of comparisons, this one included.
    tested
        The number of those that have a P value, which is what P values are corrected for.
    correction
        The plan's correction for their number; empty if it has none.
    p
        The corrected P value; None if there is none.
    together
        The same value with a simultaneous interval; None under a correction that has no such intervals.
    """

    count: int
    tested: int
    correction: str = ""
    p: float | None = None
    together: Estimated | None = None


@dataclass(frozen=True)
class EstimateRow:
    """One estimate.

    Attributes
    ----------
    parties
        Who it is about: one party, or the two that are compared, in order, followed by the judge if one compares them.
    beside
        A second interval of the same value (Wilson's) that assumes independent items.
    stage
        Before or after adjudication, if both are reported.
    bound
        Everything that is neither right nor wrong is counted as wrong (`worst`) or right (`best`).
    weighted
        Weighted to the pool by 1 / inclusion probability.
    planned
        It is the primary estimate of the analysis plan.
    declared
        The analysis plan names it in addition to the primary estimate.
    exploratory
        Repeats another row's estimate with an interval that the frozen plan does not name.
    tool
        The tool of the viewer, if tools are counted.
    category
        The option of a field, if it is about a single option.
    depth
        How many lines of a ranked list are considered, if that matters.
    comparison
        For a difference, how many are read together, and what follows from that.
    versions
        The versions of the study that its units came with; empty in a study of the first language, which has none.
    answers
        For a line of a plan, which answers it uses: as given, as settled, or from the first step.
    together
        The number of intervals, including this one, that hold simultaneously by Bonferroni; 1 if it is alone.
    settled
        For what is compared with a consensus that only some of the units have: how many.
    in_pixels
        A distance in images without scale, where a pixel is counted as what is a millimetre elsewhere.
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
    settled: Settled | None = None
    in_pixels: bool = False

    @property
    def scale(self) -> Scale:
        """The scale on which it is shown."""
        scale = SCALES[self.statistic]
        return "pixels" if self.in_pixels and scale == "millimetres" else scale

    @property
    def estimates(self) -> tuple[Estimated, ...]:
        """The estimate and, if there is one with a different interval, the one beside it."""
        own, other = self.estimate, self.beside
        if other is None or (own.method, own.low, own.high) == (other.method, other.low, other.high):
            return (own,)
        return (own, other)
