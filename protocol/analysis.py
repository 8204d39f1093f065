"""What will be computed, fixed before the first verdict."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from protocol.parts import Part, Says


class AnalysisPlan(Part):
    """What will be computed, fixed before the first verdict."""

    primary: Annotated[
        Literal["closed_format_accuracy", "overall_accuracy", "agreement"],
        Says("the primary estimate", "primary: agreement"),
    ] = "closed_format_accuracy"
    unit: Annotated[Literal["item"], Says("the unit that is counted", "unit: item")] = "item"
    cluster: Annotated[Literal["subject"], Says("what is resampled as a whole for intervals", "cluster: subject")] = (
        "subject"
    )
    # Protocols are stored with every default written out, so one frozen with percentile bootstraps keeps them.
    interval: Annotated[
        Literal["by_statistic", "percentile_bootstrap"],
        Says(
            "whether each statistic has its own kind of interval or all have a percentile bootstrap",
            "interval: percentile_bootstrap",
        ),
    ] = "by_statistic"
    confidence: Annotated[
        float, Field(gt=0.5, lt=1.0), Says("the confidence level of the intervals", "confidence: 0.9")
    ] = 0.95
    resamples: Annotated[
        int, Field(ge=200, le=100_000), Says("the number of bootstrap resamples", "resamples: 2000")
    ] = 10_000
    seed: Annotated[int, Says("the seed of the resamples", "seed: 7")] = 1
    # 1: each statistic draws its own subjects, as before this key existed; 2: one draw for the whole report.
    draw: Annotated[
        Literal[1, 2], Says("whether statistics share one draw of subjects (2) or each draws its own (1)", "draw: 1")
    ] = 2
    # What `by_statistic` means for kappa and nominal alpha; it was "adjusted" before this key existed.
    kappa_interval: Annotated[
        Literal["adjusted", "effective", "scattered"],
        Says("the interval of kappa and nominal alpha with `by_statistic`", "kappa_interval: adjusted"),
    ] = "scattered"
