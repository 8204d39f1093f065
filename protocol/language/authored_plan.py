"""What the author of a study declares before the first verdict: estimates, criteria, tables, intervals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from protocol.language.short_forms import Keys, Where, as_words
from protocol.parts import FromOne, FromZero, Key, Part, Says

# Estimates that a plan can name; what a field's type computes anyway need not be listed.
Estimated = Literal[
    "accuracy", "agreement", "direction", "uniformity", "corrected", "distribution", "mean", "difference", "pass_at",
    "macro_f1", "calibration", "win_rate", "distance", "auc", "rate", "joint_rate", "flag_precision", "correlation",
    "blinding_index",
]  # fmt: skip

FieldOfPhase = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,39}$")]

# The answers as they were given, as a later phase settled them, or those of the first step.
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
        Says("the field of a phase, or several", "of: read.answer"),
    ]
    where: Annotated[
        Where,
        Says("only units with these values of an attribute, or of `PHASE.FIELD`", "where: {format: choice}", "all"),
    ] = {}
    by: Annotated[
        Keys, Says("attributes by whose values it is parted; `rater` in a difference", "by: site", "in one")
    ] = []
    compare: Annotated[
        Key | None, Says("an attribute, or `group`, whose values are compared", "compare: group", "none")
    ] = None
    over: Annotated[
        Keys,
        Says(
            "attributes over whose values it is taken, as uniformity and a joint rate are",
            "over: [tier, model]",
            "none",
        ),
    ] = []
    using: Annotated[
        Annotated[list[AnswersUsed], _SEVERAL_USED],
        Says(
            "the answers as they were given, as a later phase settled them, or of the first step",
            "as: settled",
            "`given`",
        ),
    ] = Field([], alias="as")
    against: Annotated[
        Annotated[list[Partner], _SEVERAL_PARTNERS],
        Says(
            "what it is computed with: judges, models, the text-only baseline, or a comparison of texts",
            "with: judges",
            "none of these",
        ),
    ] = Field([], alias="with")
    option: Annotated[str | None, Says("the option that is counted", "option: present", "the positive one")] = None
    k: Annotated[
        Annotated[int, Field(ge=1, le=50)] | None,
        Says("of `pass_at`, the first so many lines of a list", "k: 5", "1 where groups are compared, else each"),
    ] = None


# Under `by`, each rater as a part of their own, unless an attribute has the name.
RATER = "rater"


def are_right_at_once(line: AuthoredEstimate) -> bool:
    """Return whether a line is about several fields of which all have to be right: a joint rate of no option."""
    return line.estimate == "joint_rate" and len(line.of) > 1 and line.option is None and not line.over


class AuthoredLeast(Part):
    """On how much a criterion has to rest at least."""

    units: Annotated[FromOne, Says("so many units", "units: 100")] = 1
    raters: Annotated[FromOne, Says("so many raters who did not only abstain", "raters: 3")] = 1


class AuthoredCriterion(AuthoredEstimate):
    """What an estimate has to reach: which statistic of it, and beyond which bound its confidence limit has to lie."""

    key: Annotated[Key, Says("its name in the report", "key: agree")]
    statistic: Annotated[
        Key | None,
        Says(
            "which statistic of the estimate, where it has several, as agreement",
            "statistic: cohen_kappa",
            "the first of them; of an agreement it has to stand",
        ),
    ] = None
    # The lower confidence limit has to lie above, the upper one below.
    above: Annotated[
        Annotated[float, Field(ge=-1.0, le=1.0)] | None,
        Says("the lower limit has to lie above this", "above: 0.6", "no such bound"),
    ] = None
    below: Annotated[
        Annotated[float, Field(ge=-1.0, le=1.0)] | None,
        Says("the upper limit has to lie below this", "below: 0.05", "no such bound"),
    ] = None
    # Whether each rater or pair has to reach it, and not all raters taken together.
    each_rater: Annotated[
        bool, Says("that each rater or pair has to reach it alone, and not all raters together", "each_rater: yes")
    ] = False
    least: Annotated[
        AuthoredLeast, Says("on how much it has to rest", "least: {units: 100, raters: 3}", "one unit, one rater")
    ] = AuthoredLeast()


class AuthoredComparisons(Part):
    """How P values of comparisons are corrected for the number of those that are read together."""

    correction: Annotated[
        Literal["bonferroni", "holm", "hommel", "bh", "by"],
        Says("how P values are corrected for the number of comparisons in a table", "correction: holm"),
    ]


class AuthoredAnalysis(Part):
    """What was declared before the first verdict."""

    primary: Annotated[
        AuthoredEstimate | None,
        Says("the estimate that the study is for", "primary: {estimate: agreement, of: score.verdict}", "none"),
    ] = None
    also: Annotated[
        list[AuthoredEstimate], Says("further estimates", "also: [{estimate: accuracy, of: read.answer}]", "none")
    ] = []
    criteria: Annotated[
        list[AuthoredCriterion],
        Says(
            "what estimates have to reach",
            "criteria: [{key: good, estimate: accuracy, of: read.answer, above: 0.8}]",
            "none",
        ),
    ] = []
    tables: Annotated[Keys, Says("attributes by which tables are made", "tables: [tier]", "none")] = []
    comparisons: Annotated[
        AuthoredComparisons | None,
        Says("how comparisons are corrected", "comparisons: {correction: holm}", "not corrected"),
    ] = None
    cluster: Annotated[Key, Says("what resamples are drawn by", "cluster: subject")] = "subject"
    # Attributes within whose values a bootstrap resamples, so that every resample has as many of each.
    strata: Annotated[Keys, Says("attributes within which a bootstrap resamples", "strata: diagnosis", "none")] = []
    interval: Annotated[
        Literal["by_statistic", "percentile_bootstrap"],
        Says("which intervals are computed", "interval: percentile_bootstrap"),
    ] = "by_statistic"
    confidence: Annotated[
        Annotated[float, Field(gt=0.5, lt=1.0)], Says("the level of the intervals", "confidence: 0.9")
    ] = 0.95
    resamples: Annotated[Annotated[int, Field(ge=200, le=100_000)], Says("how many", "resamples: 2000")] = 10_000
    seed: Annotated[FromZero, Says("of the resamples", "seed: 3")] = 1
