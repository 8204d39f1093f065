"""What will be computed, fixed before the first verdict."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from protocol.parts import Part, Says


class AnalysisPlan(Part):
    """What will be computed, fixed before the first verdict."""

    primary: Annotated[
        Literal["closed_format_accuracy", "overall_accuracy", "agreement"],
        Says("the estimate that is declared to be the primary one", "primary: agreement"),
    ] = "closed_format_accuracy"
    unit: Annotated[Literal["item"], Says("what is counted", "unit: item")] = "item"
    cluster: Annotated[Literal["subject"], Says("what is drawn as a whole in intervals", "cluster: subject")] = (
        "subject"
    )
    # A protocol is stored with every default written out: what was frozen as a percentile bootstrap stays one.
    interval: Annotated[
        Literal["by_statistic", "percentile_bootstrap"],
        Says(
            "whether each statistic has its own interval or all have the percentile bootstrap",
            "interval: percentile_bootstrap",
        ),
    ] = "by_statistic"
    confidence: Annotated[float, Field(gt=0.5, lt=1.0), Says("the confidence of intervals", "confidence: 0.9")] = 0.95
    resamples: Annotated[int, Field(ge=200, le=100_000), Says("how often bootstraps draw", "resamples: 2000")] = 10_000
    seed: Annotated[int, Says("what bootstraps draw from", "seed: 7")] = 1
    # 1: each statistic draws subjects by itself, as before there was a choice; 2: one draw for all of a report.
    draw: Annotated[
        Literal[1, 2], Says("whether statistics share one draw of subjects (2) or each draws its own (1)", "draw: 1")
    ] = 2
    # What `by_statistic` means for kappa and nominal alpha; "adjusted" before there was a choice.
    kappa_interval: Annotated[
        Literal["adjusted", "effective", "scattered"],
        Says("which interval kappa and nominal alpha have `by_statistic`", "kappa_interval: adjusted"),
    ] = "scattered"
