"""Accuracy of each rater against the reference, overall and in parts, with what an interval must allow for."""

from __future__ import annotations

from agreement import Accuracy, accuracy_of_correctness, mcnemar, paired_difference
from agreement.contrast import difference_of_parts
from exchange.report_structure import EstimateRow, EstimateTable, Section
from protocol.analysis import AnalysisPlan
from services.report.interval_settings import IntervalSettings, renamed
from services.report.rows.readings import Column, Readings, Stratum


def accuracy_section(readings: Readings, intervals: IntervalSettings, plan: AnalysisPlan) -> Section:
    """Build the section: per rater overall, closed, per format, per category, grounded and informed."""
    parts = [readings.everything, readings.closed, *readings.formats]
    main = [part for part in parts if part.positions]
    return Section(
        key="accuracy",
        short_title="Accuracy",
        title="Accuracy against the reference",
        explanation=(
            (
                "Accuracy is correct / (correct + incorrect). Items said to be not assessable, missing verdicts and "
                "technical failures are in neither; they are counted under “Completeness”."
            ),
            (
                "Open text counts as correct when it equals an accepted answer after normalisation (lower case, "
                "numbers as numbers, without punctuation and articles), or when its "
                "one number lies in the reference range."
            ),
            (
                f"The primary estimate of the analysis plan is {_primary_title(plan)}. All others are descriptive and "
                "not adjusted for their number."
            ),
        ),
        tables=tuple(
            table
            for table in (
                _per_part("accuracy", "Per rater, overall and per format", main, readings, intervals, plan),
                _per_part("accuracy_by_category", "Per category", readings.categories, readings, intervals, plan),
                _per_part(
                    "accuracy_by_grounding",
                    "Image-grounded and image-informed items",
                    readings.groundings,
                    readings,
                    intervals,
                    plan,
                ),
                _grounding_difference(readings, intervals),
                _bounds(readings, intervals),
                _token_f1(readings, intervals),
                _differences(readings, intervals),
            )
            if table is not None and table.rows
        ),
    )


def accuracy_of(column: Column, part: Stratum, readings: Readings, intervals: IntervalSettings) -> Accuracy:
    """Return a rater's accuracy on a part of the items that were theirs to read."""
    own = Stratum(part.key, part.title, tuple(i for i in part.positions if column.assigned[i]))
    has_reference = [readings.items[i].has_reference for i in own.positions]
    return accuracy_of_correctness(
        own.of(column.correct),
        excluded=[apart and known for apart, known in zip(own.of(column.not_assessable), has_reference, strict=True)],
        without_reference=[
            answer is not None and not known
            for answer, known in zip(own.of(column.answers), has_reference, strict=True)
        ],
        **intervals.by(readings.subjects_of(own)),
    )


def is_primary(part: Stratum, plan: AnalysisPlan) -> bool:
    """Say whether a part is the one that the analysis plan names as primary."""
    return part.key == {"closed_format_accuracy": "closed", "overall_accuracy": "all"}[plan.primary]


def _primary_title(plan: AnalysisPlan) -> str:
    return {
        "closed_format_accuracy": "accuracy on closed formats (yes/no and choice)",
        "overall_accuracy": "accuracy on all items",
    }[plan.primary]


def _per_part(
    key: str, title: str, parts: list[Stratum], readings: Readings, intervals: IntervalSettings, plan: AnalysisPlan
) -> EstimateTable:
    rows = []
    for part in parts:
        note = "primary estimate" if is_primary(part, plan) else ""
        for column in readings.columns:
            found = accuracy_of(column, part, readings, intervals)
            rows.append(
                EstimateRow(
                    part.title, (column.rater.pseudonym,), part.key, "percent", found.primary, found.wilson, note
                )
            )
        if len(readings.columns) > 1:
            rows.append(_of_all_raters(part, readings, intervals))
    return EstimateTable(
        key=key,
        title=title,
        explanation=(
            "The interval resamples whole subjects. Wilson’s interval beside it assumes independent items. “All "
            "raters” pools the verdicts of all raters: its unit is the verdict, its clusters are still the subjects."
        ),
        rows=tuple(rows),
    )


def _of_all_raters(part: Stratum, readings: Readings, intervals: IntervalSettings) -> EstimateRow:
    """Return the pooled accuracy of all verdicts; Wilson's interval is left out, since verdicts come in pairs."""
    correct, subjects = [], []
    for column in readings.columns:
        for i in part.positions:
            if column.correct[i] is not None:
                correct.append(column.correct[i])
                subjects.append(readings.items[i].subject)
    found = accuracy_of_correctness(correct, unit="verdict", **intervals.by(subjects))
    return EstimateRow(part.title, ("All raters",), part.key, "percent", found.primary)


def _grounding_difference(readings: Readings, intervals: IntervalSettings) -> EstimateTable | None:
    if len(readings.groundings) != 2:
        return None
    first = set(readings.groundings[0].positions)
    rows = []
    for column in readings.columns:
        known = [i for i in range(len(readings.items)) if column.correct[i] is not None]
        found = difference_of_parts(
            [float(bool(column.correct[i])) for i in known],
            [i in first for i in known],
            name="difference of accuracies, grounded minus informed",
            **intervals.by([readings.items[i].subject for i in known]),
        )
        rows.append(EstimateRow("Grounded minus informed", (column.rater.pseudonym,), "all", "points", found))
    return EstimateTable(
        key="accuracy_grounding_difference",
        title="Image-grounded minus image-informed",
        explanation="Difference of the two accuracies in percentage points; whole subjects are resampled.",
        rows=tuple(rows),
    )


def _bounds(readings: Readings, intervals: IntervalSettings) -> EstimateTable | None:
    rows = []
    for part in (readings.everything, readings.closed):
        for column in readings.columns:
            found = accuracy_of(column, part, readings, intervals)
            if found.n_excluded:
                note = f"{found.n_excluded} not assessable"
                rows += [
                    EstimateRow(
                        f"{part.title}, worst case", (column.rater.pseudonym,), part.key, "percent", found.worst_case,
                        note=note,
                    ),
                    EstimateRow(
                        f"{part.title}, best case", (column.rater.pseudonym,), part.key, "percent", found.best_case,
                        note=note,
                    ),
                ]  # fmt: skip
    return EstimateTable(
        key="accuracy_bounds",
        title="If the not assessable items had been answered",
        explanation="Worst case: all of them wrong. Best case: all of them right. The accuracy above leaves them out.",
        rows=tuple(rows),
    )


def _token_f1(readings: Readings, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for column in readings.columns:
        known = [i for i, value in enumerate(column.token_f1) if value is not None]
        if not known:
            continue
        found = intervals.mean(
            [float(column.token_f1[i] or 0.0) for i in known],
            [readings.items[i].subject for i in known],
            name="mean token F1",
        )
        rows.append(EstimateRow("Open text", (column.rater.pseudonym,), "format open", "number", found))
    return EstimateTable(
        key="token_f1",
        title="Open text: token F1",
        explanation=(
            "Mean overlap of words with the accepted answer that fits best, between 0 and 1; open items whose "
            "reference is a numeric range only are left out."
        ),
        rows=tuple(rows),
    )


def _differences(readings: Readings, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    parts = [part for part in (readings.everything, readings.closed) if part.positions]
    for part in parts:
        for a, b in readings.pairs:
            first, second = part.of(a.correct), part.of(b.correct)
            found = paired_difference(
                first, second, name="difference of accuracies", **intervals.by(readings.subjects_of(part))
            )
            both = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
            test = mcnemar(
                sum(x and not y for x, y in both),
                sum(y and not x for x, y in both),
                "exact",
                confidence=intervals.confidence,
                unit="item",
            )
            raters = (a.rater.pseudonym, b.rater.pseudonym)
            rows.append(EstimateRow(part.title, raters, part.key, "points", found, link="minus"))
            rows.append(
                EstimateRow(
                    f"{part.title}: share of discordant items that the first had right",
                    raters,
                    part.key,
                    "percent",
                    renamed(test, "share of discordant items, first right"),
                    note="P is exact McNemar and assumes independent items",
                )
            )
    return EstimateTable(
        key="accuracy_differences",
        title="Differences between raters",
        explanation=(
            "Paired, on the items that both answered, in percentage points; whole subjects are resampled. McNemar’s "
            "exact test rests on the items that one rater had right and the other wrong."
        ),
        rows=tuple(rows),
    )
