"""Accuracy of each rater against the reference, overall and in parts, with intervals clustered by subject."""

from __future__ import annotations

from agreement import Accuracy, accuracy_of_correctness, mcnemar, paired_difference
from agreement.contrast import difference_of_parts
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, EstimateRow, LeftOut, Stratum
from exchange.report.report_structure import EstimateTable, Section
from exchange.report.report_words import PRIMARY
from protocol.analysis import AnalysisPlan
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Column, Part, Reads
from services.report.sections.exploratory import exploratory_rows
from services.report.sections.fields.text import WORDS_OF_F1
from services.report.sections.without_reference import without_reference_sentences


def accuracy_section(reads: Reads, intervals: IntervalSettings, plan: AnalysisPlan) -> Section:
    """Build the section: per rater overall, closed, per format, per category, grounded and informed."""
    title, unknown = "Accuracy against the reference", without_reference_sentences(reads)
    if not reads.referenced.positions:
        return Section("accuracy", "Accuracy", title, (*unknown, *_primary_sentences(reads, plan)), ())
    categories, groundings = (reads.with_reference(parts) for parts in (reads.categories, reads.groundings))
    main = reads.with_reference([reads.everything, reads.closed_ended, *reads.formats])
    return Section(
        key="accuracy",
        short_title="Accuracy",
        title=title,
        explanation=(*unknown, "Accuracy is correct / (correct + incorrect).", *_primary_sentences(reads, plan)),
        method=(
            (
                "Items called not assessable, missing verdicts and technical failures are excluded; they are counted "
                "under “Completeness”."
            ),
            (
                "Open text is correct if it equals an accepted answer after normalisation (lower case, numbers "
                "compared as numbers, without articles, and with punctuation deleted: a-b becomes ab), or if the "
                "only number in it is within the reference range."
            ),
            (
                f"The primary estimate of the analysis plan is {PRIMARY[plan.primary]}. All other estimates are "
                "descriptive and not adjusted for multiple comparisons."
            ),
        ),
        tables=tuple(
            table
            for table in (
                _per_part("accuracy", "By rater, overall and by format", main, reads, intervals, plan),
                _per_part(
                    "accuracy_by_category",
                    "By category",
                    categories,
                    reads,
                    intervals,
                    plan,
                ),
                _per_part(
                    "accuracy_by_grounding",
                    "Image-grounded and image-informed items",
                    groundings,
                    reads,
                    intervals,
                    plan,
                ),
                _grounding_difference(reads, intervals),
                _bounds(reads, intervals),
                _token_f1(reads, intervals),
                _differences(reads, intervals),
            )
            if table is not None and table.rows
        ),
    )


def _primary_sentences(reads: Reads, plan: AnalysisPlan) -> tuple[str, ...]:
    """Return a sentence if the primary estimate needs references and there are none; otherwise nothing."""
    lacking = [part for part in (reads.everything, reads.closed_ended) if is_primary(part, plan) and part.positions]
    if not lacking or reads.with_reference(lacking):
        return ()
    which = PRIMARY[plan.primary]
    return (f"The primary estimate of the analysis plan, {which}, could not be computed: it needs references.",)


def accuracy_of(column: Column, part: Part, reads: Reads, intervals: IntervalSettings) -> Accuracy:
    """Return a rater's accuracy on those items of a part that were assigned to this rater."""
    own = Part(part.stratum, tuple(i for i in part.positions if column.assigned[i]))
    has_reference = [reads.items[i].has_reference for i in own.positions]
    return accuracy_of_correctness(
        own.of(column.correct),
        excluded=[apart and known for apart, known in zip(own.of(column.not_assessable), has_reference, strict=True)],
        without_reference=[
            answer is not None and not known
            for answer, known in zip(own.of(column.answers), has_reference, strict=True)
        ],
        **intervals.by(reads.subjects_of(own)),
    )


def is_primary(part: Part, plan: AnalysisPlan) -> bool:
    """Return whether a part is the one on which the analysis plan declares its primary estimate."""
    named = {"closed_format_accuracy": Stratum("closed"), "overall_accuracy": ALL_ITEMS}
    return part.stratum == named.get(plan.primary)


def _per_part(
    key: str, title: str, parts: list[Part], reads: Reads, intervals: IntervalSettings, plan: AnalysisPlan
) -> EstimateTable:
    rows = []
    for part in parts:
        planned = is_primary(part, plan)
        of_part = [row for column in reads.columns for row in _of_rater(column, part, reads, intervals, planned)]
        if len(reads.columns) > 1:
            of_part.append(_of_all_raters(part, reads, intervals))
        # Exploratory rows go below those of the frozen plan.
        rows += sorted(of_part, key=lambda row: row.exploratory)
    return EstimateTable(
        key=key,
        title=title,
        explanation=(
            "Intervals account for clustering by subject; the Wilson interval beside them assumes independent "
            "items. “All raters” pools the verdicts of all raters: the unit is the verdict, and verdicts are "
            "still clustered by subject."
        ),
        rows=tuple(rows),
    )


def _of_rater(
    column: Column, part: Part, reads: Reads, intervals: IntervalSettings, planned: bool
) -> list[EstimateRow]:
    result = accuracy_of(column, part, reads, intervals)
    row = EstimateRow(
        "accuracy", "reference", (column.party,), part.stratum, result.primary, result.wilson, planned=planned
    )
    if not planned:
        return [row]
    return [row, *exploratory_rows(row, intervals, lambda today: accuracy_of(column, part, reads, today).primary)]


def _of_all_raters(part: Part, reads: Reads, intervals: IntervalSettings) -> EstimateRow:
    """Return the pooled accuracy of all verdicts, without Wilson's interval, as verdicts on one item are dependent."""
    correct, subjects = [], []
    for column in reads.columns:
        for i in part.positions:
            if column.correct[i] is not None:
                correct.append(column.correct[i])
                subjects.append(reads.items[i].subject)
    result = accuracy_of_correctness(correct, unit="verdict", **intervals.by(subjects))
    return EstimateRow("accuracy", "reference", (ALL_RATERS,), part.stratum, result.primary)


def _grounding_difference(reads: Reads, intervals: IntervalSettings) -> EstimateTable | None:
    groundings = reads.with_reference(reads.groundings)
    if len(groundings) != 2:
        return None
    first = set(groundings[0].positions)
    rows = []
    for column in reads.columns:
        known = [i for i in range(len(reads.items)) if column.correct[i] is not None]
        difference = difference_of_parts(
            [float(bool(column.correct[i])) for i in known],
            [i in first for i in known],
            name="difference of accuracies",
            **intervals.by([reads.items[i].subject for i in known]),
        )
        rows.append(EstimateRow("accuracy_difference", "groundings", (column.party,), ALL_ITEMS, difference))
    return EstimateTable(
        key="accuracy_grounding_difference",
        title="Image-grounded minus image-informed",
        explanation="Difference between the two accuracies in percentage points; subjects are resampled as clusters.",
        rows=tuple(rows),
        lines="statistic",
    )


def _bounds(reads: Reads, intervals: IntervalSettings) -> EstimateTable | None:
    rows = []
    for part in reads.with_reference([reads.everything, reads.closed_ended]):
        for column in reads.columns:
            result = accuracy_of(column, part, reads, intervals)
            if result.n_excluded:
                remark = LeftOut(result.n_excluded, "not assessable")
                rows += [
                    EstimateRow(
                        "accuracy", "reference", (column.party,), part.stratum, result.worst_case,
                        bound="worst", remark=remark,
                    ),
                    EstimateRow(
                        "accuracy", "reference", (column.party,), part.stratum, result.best_case,
                        bound="best", remark=remark,
                    ),
                ]  # fmt: skip
    return EstimateTable(
        key="accuracy_bounds",
        title="Sensitivity analysis: not assessable items counted as wrong, or as right",
        explanation="Worst case: all of them wrong. Best case: all of them right. The accuracy above excludes them.",
        rows=tuple(rows),
    )


def _token_f1(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for column in reads.columns:
        known = [i for i, value in enumerate(column.token_f1) if value is not None]
        if not known:
            continue
        estimate = intervals.mean(
            [float(column.token_f1[i] or 0.0) for i in known],
            [reads.items[i].subject for i in known],
        )
        rows.append(EstimateRow("token_f1", "reference", (column.party,), Stratum("format", "open"), estimate))
    return EstimateTable(
        key="token_f1",
        title="Open text: token F1",
        explanation=(
            "Mean word overlap with the best-matching accepted answer, from 0 to 1; open items whose only "
            f"reference is a numeric range are excluded. {WORDS_OF_F1}"
        ),
        rows=tuple(rows),
    )


def _differences(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in reads.with_reference([reads.everything, reads.closed_ended]):
        for a, b in reads.pairs:
            first, second = part.of(a.correct), part.of(b.correct)
            difference = paired_difference(first, second, **intervals.by(reads.subjects_of(part)))
            both = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
            test = mcnemar(
                sum(x and not y for x, y in both),
                sum(y and not x for x, y in both),
                "exact",
                confidence=intervals.confidence,
                unit="item",
            )
            raters = (a.party, b.party)
            rows.append(EstimateRow("accuracy_difference", "raters", raters, part.stratum, difference))
            rows.append(EstimateRow("discordant_share", "raters", raters, part.stratum, test))
    return EstimateTable(
        key="accuracy_differences",
        title="Differences between raters",
        explanation=(
            "Paired, on items answered by both raters, in percentage points; subjects are resampled as clusters. "
            "McNemar’s exact test uses the items that one rater had right and the other wrong."
        ),
        rows=tuple(rows),
        lines="both",
    )
