"""The analysis plan as the author of a study writes it: estimates, criteria, tables and intervals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from protocol.language.short_forms import Keys, Where, as_words
from protocol.parts import FromOne, FromZero, Key, Part, Says

# Estimates that a plan can name. Those that follow from a field's type are computed without being listed.
Estimated = Literal[
    "accuracy", "agreement", "direction", "uniformity", "corrected", "distribution", "mean", "difference", "pass_at",
    "macro_f1", "calibration", "win_rate", "distance", "auc", "rate", "joint_rate", "flag_precision", "correlation",
    "blinding_index",
]  # fmt: skip

FieldOfPhase = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,39}$")]

# Answers as given, as settled by a later phase, or as given in the first step.
AnswersUsed = Literal["given", "settled", "step 1"]

Partner = Literal["judges", "models", "text_only", "exact_match", "token_f1"]

_SEVERAL_USED = BeforeValidator(as_words, json_schema_input_type=AnswersUsed | list[AnswersUsed])

_SEVERAL_PARTNERS = BeforeValidator(as_words, json_schema_input_type=Partner | list[Partner])


class AuthoredEstimate(Part):
    """One line of the analysis: an estimate of one field of one phase."""

    estimate: Annotated[Estimated, Says("what is computed", "estimate: accuracy")]
    of: Annotated[
        Annotated[
            list[FieldOfPhase],
            BeforeValidator(as_words, json_schema_input_type=FieldOfPhase | list[FieldOfPhase]),
            Field(min_length=1),
        ],
        Says("the field of a phase, or several fields", "of: read.answer"),
    ]
    where: Annotated[
        Where,
        Says("only units with these values of an attribute or of `PHASE.FIELD`", "where: {format: choice}", "all"),
    ] = {}
    by: Annotated[
        Keys, Says("attributes by which it is broken down; in a difference also `rater`", "by: site", "not broken down")
    ] = []
    compare: Annotated[
        Key | None, Says("an attribute, or `group`, between whose values it is compared", "compare: group", "none")
    ] = None
    over: Annotated[
        Keys,
        Says(
            "for uniformity and a joint rate, the attributes over whose values they are taken; for the `auc` of a "
            "score, columns of numbers of the candidates",
            "over: [tier, model]",
            "none",
        ),
    ] = []
    using: Annotated[
        Annotated[list[AnswersUsed], _SEVERAL_USED],
        Says(
            "which answers: as given, as settled by a later phase, or as given in the first step",
            "as: settled",
            "`given`",
        ),
    ] = Field([], alias="as")
    against: Annotated[
        Annotated[list[Partner], _SEVERAL_PARTNERS],
        Says(
            "what it is computed against: judges, models, the text-only baseline, or a comparison of texts",
            "with: judges",
            "none of these",
        ),
    ] = Field([], alias="with")
    option: Annotated[str | None, Says("the option that is counted", "option: present", "the positive option")] = None
    k: Annotated[
        Annotated[int, Field(ge=1, le=50)] | None,
        Says("for `pass_at`, how many lines of the list count", "k: 5", "1 if groups are compared, else every k"),
    ] = None


# The value of `by` that breaks an estimate down by rater, unless an attribute has this name.
RATER = "rater"


def are_right_at_once(line: AuthoredEstimate) -> bool:
    """Return whether a line is a joint rate of several fields that all have to be right, without an option."""
    return line.estimate == "joint_rate" and len(line.of) > 1 and line.option is None and not line.over


class AuthoredLeast(Part):
    """The least data on which a criterion can be decided."""

    units: Annotated[FromOne, Says("the fewest units", "units: 100")] = 1
    raters: Annotated[FromOne, Says("the fewest raters, not counting those who only abstained", "raters: 3")] = 1


class AuthoredCriterion(AuthoredEstimate):
    """What an estimate has to reach: one of its statistics, and the bound for a confidence limit of that."""

    key: Annotated[Key, Says("its name in the report", "key: agree")]
    statistic: Annotated[
        Key | None,
        Says(
            "which of the estimate's statistics, if it has several, as agreement does",
            "statistic: cohen_kappa",
            "the first; required for agreement",
        ),
    ] = None
    above: Annotated[
        Annotated[float, Field(ge=-1.0, le=1.0)] | None,
        Says("the bound above which the lower confidence limit has to lie", "above: 0.6", "no lower bound"),
    ] = None
    below: Annotated[
        Annotated[float, Field(ge=-1.0, le=1.0)] | None,
        Says("the bound below which the upper confidence limit has to lie", "below: 0.05", "no upper bound"),
    ] = None
    each_rater: Annotated[
        bool, Says("whether each rater or pair has to reach it, instead of all raters together", "each_rater: yes")
    ] = False
    least: Annotated[
        AuthoredLeast,
        Says(
            "the fewest units and raters on which it can be decided",
            "least: {units: 100, raters: 3}",
            "one unit, one rater",
        ),
    ] = AuthoredLeast()


class AuthoredComparisons(Part):
    """How P values are corrected for the number of comparisons that are read together."""

    correction: Annotated[
        Literal["bonferroni", "holm", "hommel", "bh", "by"],
        Says("the correction of P values for the number of comparisons in a table", "correction: holm"),
    ]


class AuthoredAnalysis(Part):
    """The analysis that is declared before the first verdict."""

    primary: Annotated[
        AuthoredEstimate | None,
        Says("the primary estimate of the study", "primary: {estimate: agreement, of: score.verdict}", "none"),
    ] = None
    also: Annotated[
        list[AuthoredEstimate],
        Says("further declared estimates", "also: [{estimate: accuracy, of: read.answer}]", "none"),
    ] = []
    criteria: Annotated[
        list[AuthoredCriterion],
        Says(
            "the bounds that estimates have to reach",
            "criteria: [{key: good, estimate: accuracy, of: read.answer, above: 0.8}]",
            "none",
        ),
    ] = []
    tables: Annotated[
        Keys, Says("attributes by which the report's tables are broken down", "tables: [tier]", "none")
    ] = []
    comparisons: Annotated[
        AuthoredComparisons | None,
        Says("how P values of comparisons are corrected", "comparisons: {correction: holm}", "not corrected"),
    ] = None
    cluster: Annotated[Key, Says("the attribute whose values are resampled as a whole", "cluster: subject")] = "subject"
    # Every resample has as many clusters of each stratum as the data.
    strata: Annotated[
        Keys, Says("attributes within whose values a bootstrap resamples", "strata: diagnosis", "none")
    ] = []
    interval: Annotated[
        Literal["by_statistic", "percentile_bootstrap"],
        Says("which confidence intervals are computed", "interval: percentile_bootstrap"),
    ] = "by_statistic"
    confidence: Annotated[
        Annotated[float, Field(gt=0.5, lt=1.0)], Says("the confidence level of the intervals", "confidence: 0.9")
    ] = 0.95
    resamples: Annotated[
        Annotated[int, Field(ge=200, le=100_000)], Says("the number of bootstrap resamples", "resamples: 2000")
    ] = 10_000
    seed: Annotated[FromZero, Says("the seed of the resamples", "seed: 3")] = 1
    # What `by_statistic` means for weighted kappas, alphas of ordered steps and scores of a classification; it was
    # "plain" before this key existed. Written out only if it is not, so that older studies keep their hashes.
    interval_scale: Annotated[
        Literal["transformed", "plain"],
        Field(exclude_if="plain".__eq__),
        Says(
            "the interval of weighted kappas, ordinal alpha, F1 and balanced accuracy with `by_statistic`: allowing "
            "for the ends of their scale, or as in older studies",
            "interval_scale: plain",
        ),
    ] = "transformed"
    # It was "percentile" before this key existed. Written out only if it is not: older studies keep their hashes.
    interval_same: Annotated[
        Literal["score", "percentile"],
        Field(exclude_if="percentile".__eq__),
        Says(
            "the interval of how often two raters have the same set, option of a set, or first line, with "
            "`by_statistic`: that of other shares, or as in older studies",
            "interval_same: percentile",
        ),
    ] = "score"
    # It was 2 before this key existed. Written out only if it is not, so that older studies keep their hashes.
    p_from: Annotated[
        Annotated[int, Field(ge=2, le=100)],
        Field(exclude_if=(2).__eq__),
        Says("the fewest clusters from which a bootstrap gives P values; 2 in older studies", "p_from: 20"),
    ] = 10
    # What `by_statistic` means for numbers in clusters and for how often one group exceeds another; it was "plain"
    # before this key existed. Written out only if it is not, so that older studies keep their hashes.
    interval_of_numbers: Annotated[
        Literal["widened", "plain"],
        Field(exclude_if="plain".__eq__),
        Says(
            "the interval of means, correlations and limits of agreement in clusters, of differences of coefficients "
            "and of the probability of superiority with `by_statistic`: widened for few clusters, or as in older "
            "studies",
            "interval_of_numbers: plain",
        ),
    ] = "widened"
    # It was "normal" before this key existed. Written out only if it is not: older studies keep their hashes.
    p_in_clusters: Annotated[
        Literal["t", "normal"],
        Field(exclude_if="normal".__eq__),
        Says(
            "the distribution of P of areas, of the probability of superiority and of corrected differences in "
            "clusters, and of the limits of the latter: t, with a test of uniformity in which a cluster may be alike "
            "on each level in a way of its own, or as in older studies",
            "p_in_clusters: normal",
        ),
    ] = "t"
