"""Estimates of the report in typed parts: what was computed, of what, whose it is, and on which items it rests.

Nothing here is worded: `report_words` prints the rows, the same for page, files and figures. The estimates inside come
from `agreement`; here they are known by their shape only, so that this folder stays readable on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Statistic = Literal[
    "accuracy",
    "accuracy_difference",
    "agreement_difference",
    "auc",
    "bang_index",
    "balanced_accuracy",
    "brier_score",
    "calibration_error",
    "category_kappa",
    "chi_square",
    "cohen_kappa",
    "discordant_share",
    "effect_size",
    "gwet_ac1",
    "icc",
    "jaccard",
    "james_index",
    "kappa_difference",
    "krippendorff_alpha",
    "lin_ccc",
    "linear_kappa",
    "lower_limit",
    "macro_f1",
    "mean",
    "mean_answer",
    "mean_difference",
    "mean_distance",
    "micro_f1",
    "overlap",
    "pabak",
    "pass_at_k",
    "pearson",
    "percent_agreement",
    "quadratic_kappa",
    "sensitivity",
    "share",
    "shortcut_score",
    "signed_difference",
    "spearman",
    "specificity",
    "strength",
    "token_f1",
    "upper_limit",
    "weighted_f1",
    "win_rate",
]

# What a statistic compares, or what it is the share or the mean of.
Compared = Literal[
    "above_right",
    "abstentions",
    "active_time",
    "adjudicated_answer",
    "all_with_reference",
    "answers",
    "assessability",
    "best_rater",
    "between_levels",
    "both_right",
    "both_wrong",
    "chance_floor",
    "confidence",
    "consensus",
    "control_decision",
    "control_read",
    "corrected_score",
    "correctness",
    "covered",
    "distance",
    "exact_match",
    "first_lines",
    "flag_misses",
    "flag_precision",
    "groundings",
    "groups",
    "interaction",
    "invalid",
    "jointly",
    "judged_correct",
    "judgements",
    "levels",
    "lists",
    "majority_floor",
    "matched",
    "models",
    "models_over_readers",
    "no_response",
    "no_preference",
    "not_assessable",
    "one_against_rest",
    "one_answer",
    "option",
    "others",
    "overlay_shown",
    "own_blind_read",
    "preferred",
    "prior",
    "prior_never_opened",
    "queue",
    "raters",
    "raw_score",
    "reference",
    "right_at_once",
    "same_of_both_wrong",
    "same_wrong_answer",
    "scored_correct",
    "scores",
    "sequence_never_opened",
    "sets",
    "side_a",
    "source",
    "stated",
    "text_only_floor",
    "token_f1",
    "tool_used",
    "undetermined",
    "upheld",
    "upheld_by_none",
    "window_changed",
]

Scale = Literal["percent", "points", "number", "signed", "seconds", "millimetres"]
SCALES: dict[Statistic, Scale] = {
    "accuracy": "percent",
    "accuracy_difference": "points",
    "agreement_difference": "points",
    "auc": "number",
    "bang_index": "signed",
    "balanced_accuracy": "percent",
    "brier_score": "number",
    "calibration_error": "number",
    "category_kappa": "number",
    "chi_square": "number",
    "cohen_kappa": "number",
    "discordant_share": "percent",
    "effect_size": "number",
    "gwet_ac1": "number",
    "icc": "number",
    "jaccard": "percent",
    "james_index": "number",
    "kappa_difference": "signed",
    "krippendorff_alpha": "number",
    "lin_ccc": "number",
    "linear_kappa": "number",
    "lower_limit": "signed",
    "macro_f1": "percent",
    "mean": "seconds",
    "mean_answer": "number",
    "mean_difference": "signed",
    "mean_distance": "millimetres",
    "micro_f1": "percent",
    "overlap": "percent",
    "pabak": "number",
    "pass_at_k": "percent",
    "pearson": "number",
    "percent_agreement": "percent",
    "quadratic_kappa": "number",
    "sensitivity": "percent",
    "share": "percent",
    "shortcut_score": "number",
    "signed_difference": "points",
    "spearman": "number",
    "specificity": "percent",
    "strength": "signed",
    "token_f1": "number",
    "upper_limit": "signed",
    "weighted_f1": "percent",
    "win_rate": "percent",
}


class Cautioned(Protocol):
    """One thing to know about an estimate: of which kind it is, what it says, and below how many it is said."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def fewest(self) -> int: ...


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
ALL_PAIRS = Stratum("pairs")


@dataclass(frozen=True)
class Category:
    """An option of a field, by identity and in words."""

    id: str
    text: str


@dataclass(frozen=True)
class Pooled:
    """The estimate pools answers of different formats."""


@dataclass(frozen=True)
class LeftOut:
    """How many verdicts say neither right nor wrong."""

    n: int
    why: Literal[
        "not assessable",
        "unresolved",
        "excluded or not assessable",
        "undetermined or not assessable, counted as not read",
    ]


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
