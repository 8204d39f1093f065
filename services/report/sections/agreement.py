"""Agreement between raters, for every pair: on answers, on correctness, and on errors that they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Literal

from agreement import Estimate, cohen_kappa, krippendorff_alpha, pabak, percent_agreement, shared_errors
from exchange.report.estimate_rows import (
    ALL_ITEMS,
    ALL_RATERS,
    EstimateRow,
    IfIndependent,
    Party,
    Pooled,
    Remark,
    Stratum,
)
from exchange.report.report_structure import Column as TableColumn
from exchange.report.report_structure import EstimateTable, Matrix, PlainTable, Section, Table
from exchange.report.report_words import PRIMARY, parties_in_words, stratum_in_words
from protocol.analysis import AnalysisPlan
from protocol.fields.yes_no import YES_NO
from services.reading.correctness import NOT_ASSESSABLE, reference_in_words, written_in_words
from services.report.interval_settings import IntervalSettings
from services.report.rows.reads import Column, Part, Reads
from services.report.sections.exploratory import exploratory_rows
from services.report.sections.without_reference import without_reference_sentences

# Kappa falls when one answer is frequent, regardless of the agreement.
_PABAK = "PABAK is the value kappa would take if both values were equally frequent."
_PLANNED = (
    f"The primary estimate of the analysis plan is {PRIMARY['agreement']}. All other estimates are descriptive.",
)
# Nobody would look through the matrices of more pairs than this.
MOST_PAIRS = 6
# A matrix with more categories than this is unreadable.
LARGEST_MATRIX = 12


def agreement_section(reads: Reads, intervals: IntervalSettings, plan: AnalysisPlan) -> Section:
    """Build the section for every pair of raters; without a pair, it says so."""
    if not reads.pairs:
        why = "This study has fewer than two raters, so agreement between raters is not reported."
        if plan.primary == "agreement":
            why += " It would be the primary estimate of the analysis plan."
        return Section("agreement", "Agreement", "Agreement between raters", (why,), ())
    tables: list[Table] = [_on_answers(reads, intervals, plan), _on_correctness(reads, intervals)]
    if len(reads.columns) > 2:
        tables.append(_all_together(reads, intervals))
    tables.append(_per_category(reads, intervals))
    if any(any(column.not_assessable) for column in reads.columns):
        tables.append(_on_assessability(reads, intervals))
    if reads.referenced.positions:
        tables.append(_shared_errors(reads, intervals))
    tables.append(_shared_error_list(reads))
    tables += _matrices(reads)
    return Section(
        key="agreement",
        short_title="Agreement",
        title="Agreement between raters",
        explanation=(
            *without_reference_sentences(reads),
            *(_PLANNED if plan.primary == "agreement" else ()),
            (
                "“On answers”: did two raters give the same answer, right or wrong? “On correctness”: were both right "
                "or both wrong?"
            ),
        ),
        method=(
            "The two kappas differ on the same data and must not be compared with each other.",
            (
                "Answers are compared by option, not by position in the list: the third option of one item is not "
                "the third option of another. Open text is compared after normalisation."
            ),
            (
                "An item is included for a pair of raters if both answered it. Items that either rater did not "
                "answer or called not assessable are excluded from n."
            ),
        ),
        tables=tuple(table for table in tables if not isinstance(table, EstimateTable | PlainTable) or table.rows),
    )


def answers_by_format(reads: Reads, column: Column, part: Part) -> list[str | None]:
    """Return canonical answers with their format, so that the option `left` is not the typed word `left`."""
    return part.of(reads.answers_by_format[column.rater.id])


def _on_answers(reads: Reads, intervals: IntervalSettings, plan: AnalysisPlan) -> EstimateTable:
    rows = []
    parts: list[tuple[Part, Remark | None]] = [(part, None) for part in reads.formats]
    if len(reads.formats) > 1:
        parts += [(reads.closed_ended, Pooled())] if len(_closed_ended_formats(reads)) > 1 else []
        parts += [(reads.everything, Pooled())]
    for part, remark in parts:
        # If there is only one format, its items are all items.
        planned = plan.primary == "agreement" and part.positions == reads.everything.positions
        clusters = intervals.by(reads.subjects_of(part))
        answers = {column.party: answers_by_format(reads, column, part) for column in reads.columns}
        for a, b in reads.pairs:
            parties = (a.party, b.party)
            rows += _rows_of_pair(
                part, parties, answers[a.party], answers[b.party], intervals, clusters, "answers", _binary(part),
                remark, planned,
            )  # fmt: skip
    return EstimateTable(
        key="agreement_on_answers",
        title="On answers",
        explanation=f"Unit: item; the two answers themselves are compared. {_PABAK}",
        rows=tuple(rows),
        lines="both",
    )


def _on_correctness(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in reads.with_reference([reads.everything, reads.closed_ended, *reads.formats]):
        clusters = intervals.by(reads.subjects_of(part))
        correct = {column.party: part.of(column.correct) for column in reads.columns}
        for a, b in reads.pairs:
            rows += _rows_of_pair(
                part,
                (a.party, b.party),
                correct[a.party],
                correct[b.party],
                intervals,
                clusters,
                "correctness",
                (True, False),
            )
    return EstimateTable(
        key="agreement_on_correctness",
        title="On correctness",
        explanation=f"Unit: item; whether each rater was right is compared. {_PABAK}",
        rows=tuple(rows),
        lines="both",
    )


def _rows_of_pair(
    part: Part,
    parties: tuple[Party, Party],
    first: Sequence[object],
    second: Sequence[object],
    intervals: IntervalSettings,
    clusters: dict[str, Any],
    compared: Literal["answers", "correctness"],
    binary: tuple[Hashable, Hashable] | None,
    remark: Remark | None = None,
    planned: bool = False,
) -> list[EstimateRow]:
    def percent_by(settings: IntervalSettings) -> Estimate:
        return percent_agreement(first, second, **settings.with_kind(clusters))

    def kappa_by(settings: IntervalSettings) -> Estimate:
        return settings.kappa(cohen_kappa, first, second, **settings.with_kind(clusters))

    percent = EstimateRow(
        "percent_agreement", compared, parties, part.stratum, percent_by(intervals),
        # Shares can be pooled over formats; agreement by chance differs between them.
        remark=None if planned else remark, planned=planned,
    )  # fmt: skip
    rows = [percent]
    if planned:
        rows += exploratory_rows(percent, intervals, percent_by)
    kappa = EstimateRow("cohen_kappa", compared, parties, part.stratum, kappa_by(intervals), remark=remark)
    rows += [kappa, *exploratory_rows(kappa, intervals, kappa_by)]
    if binary is not None:
        adjusted = pabak(first, second, categories=binary, **clusters)
        rows.append(EstimateRow("pabak", compared, parties, part.stratum, adjusted, remark=remark))
    return rows


def _binary(part: Part) -> tuple[Hashable, Hashable] | None:
    """Return the two answers of yes/no items in their compared form; None for other formats."""
    if part.stratum != Stratum("format", "yes_no"):
        return None
    yes, no = (f"yes_no: {option}" for option, _ in YES_NO)
    return yes, no


def _all_together(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in [*reads.formats, reads.everything]:
        clusters = intervals.by(reads.subjects_of(part))
        answers = [answers_by_format(reads, column, part) for column in reads.columns]
        pooled = Pooled() if part.stratum == ALL_ITEMS and len(reads.formats) > 1 else None
        of_items = [list(row) for row in zip(*answers, strict=True)]
        rows += _rows_of_alpha("answers", part, of_items, intervals, clusters, pooled)
        for known in reads.with_reference([part]):
            correct = [known.of(column.correct) for column in reads.columns]
            clusters = intervals.by(reads.subjects_of(known))
            of_items = [list(row) for row in zip(*correct, strict=True)]
            rows += _rows_of_alpha("correctness", known, of_items, intervals, clusters)
    return EstimateTable(
        key="agreement_of_all",
        title="All raters together",
        explanation=(
            "Krippendorff’s alpha (nominal) over all raters; items with only one answer are excluded. Unit: item."
        ),
        rows=tuple(rows),
        lines="both",
    )


def _rows_of_alpha(
    compared: Literal["answers", "correctness"],
    part: Part,
    of_items: Sequence[Sequence[object]],
    intervals: IntervalSettings,
    clusters: dict[str, Any],
    remark: Remark | None = None,
) -> list[EstimateRow]:
    def alpha_by(settings: IntervalSettings) -> Estimate:
        return settings.kappa(krippendorff_alpha, of_items, **settings.with_kind(clusters))

    alpha = EstimateRow("krippendorff_alpha", compared, (ALL_RATERS,), part.stratum, alpha_by(intervals), remark=remark)
    return [alpha, *exploratory_rows(alpha, intervals, alpha_by)]


def _per_category(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for part in reads.categories:
        by = intervals.by(reads.subjects_of(part))
        answers = {column.party: answers_by_format(reads, column, part) for column in reads.columns}
        for a, b in reads.pairs:
            estimate = percent_agreement(answers[a.party], answers[b.party], **by)
            rows.append(EstimateRow("percent_agreement", "answers", (a.party, b.party), part.stratum, estimate))
    return EstimateTable(
        key="agreement_by_category",
        title="Same answer, by category",
        explanation="Unit: item. Kappa is not reported: categories are small and mix formats.",
        rows=tuple(rows),
    )


def _on_assessability(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for a, b in reads.pairs:
        first, second = (
            [None if said is None else said == NOT_ASSESSABLE for said in column.said] for column in (a, b)
        )
        estimate = percent_agreement(first, second, **intervals.by(reads.subjects))
        rows.append(EstimateRow("percent_agreement", "assessability", (a.party, b.party), ALL_ITEMS, estimate))
    return EstimateTable(
        key="agreement_on_assessability",
        title="On assessability",
        explanation="Unit: item; whether each rater called it not assessable is compared.",
        rows=tuple(rows),
    )


def _shared_errors(reads: Reads, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for a, b in reads.pairs:
        # Without a reference, answers are neither right nor wrong.
        shared = shared_errors(a.answers, b.answers, a.correct, b.correct, **intervals.by(reads.subjects))
        parties = (a.party, b.party)
        share = shared.expected_both_wrong
        expected = IfIndependent(share) if share is not None else None
        rows += [
            EstimateRow("share", "both_wrong", parties, ALL_ITEMS, shared.both_wrong, remark=expected),
            EstimateRow("share", "same_wrong_answer", parties, ALL_ITEMS, shared.same_wrong_answer),
            EstimateRow("share", "same_of_both_wrong", parties, ALL_ITEMS, shared.same_given_both_wrong),
        ]
    return EstimateTable(
        key="shared_errors",
        title="Shared errors",
        explanation=(
            "Items on which raters agree and are wrong: either the item is hard or the reference is wrong, and "
            "the data cannot tell which, so these items deserve a second look. Unit: item answered by both raters."
        ),
        rows=tuple(rows),
        lines="statistic",
    )


def _shared_error_list(reads: Reads) -> PlainTable:
    rows = []
    for i, item in enumerate(reads.items):
        for a, b in reads.pairs:
            if a.correct[i] is False and b.correct[i] is False and a.answers[i] == b.answers[i]:
                baseline = written_in_words(item, item.text_only_answer) if item.text_only_answer else ""
                rows.append(
                    (
                        item.key, item.category, item.prompt, parties_in_words((a.party, b.party)),
                        a.words[i], reference_in_words(item), baseline,
                    )
                )  # fmt: skip
    return PlainTable(
        key="shared_error_items",
        title="Items on which two raters gave the same wrong answer",
        explanation="The last column shows whether the text alone suggests that answer.",
        columns=(
            TableColumn("item", "Item", "Key of the item"),
            TableColumn("category", "Category", "Category of the item"),
            TableColumn("prompt", "Prompt", "What was asked"),
            TableColumn("raters", "Raters", "The two raters, by pseudonym"),
            TableColumn("answer", "Their answer", "The answer both gave"),
            TableColumn("reference", "Reference", "The answer counted as right"),
            TableColumn("text_only", "Text-only baseline", "What the text-only baseline answered"),
        ),
        rows=tuple(rows),
    )


def _closed_ended_formats(reads: Reads) -> set[str]:
    return {item.format for item in reads.items if item.is_closed_ended}


def _matrices(reads: Reads) -> list[Matrix]:
    """Return, for each closed format and pair, a matrix of how often each answer met each other answer."""
    matrices: list[Matrix] = []
    for part in reads.formats if len(reads.pairs) <= MOST_PAIRS else []:
        if not reads.items[part.positions[0]].is_closed_ended:
            continue
        texts = _texts(reads, part)
        labels = [*texts, NOT_ASSESSABLE]
        for a, b in reads.pairs:
            counts = Counter(zip(part.of(a.said), part.of(b.said), strict=True))
            used = [label for label in labels if any(label in pair and None not in pair for pair in counts)]
            if not 1 < len(used) <= LARGEST_MATRIX:
                continue
            shown = tuple(texts.get(label, "Not assessable") for label in used)
            matrices.append(
                Matrix(
                    key=f"matrix_{part.stratum.value}_{a.rater.id}_{b.rater.id}",
                    title=(f"{stratum_in_words(part.stratum)}: answers of {parties_in_words((a.party, b.party))}"),
                    explanation="Counts of items; on the diagonal, both raters gave the same answer.",
                    stratum=part.stratum,
                    parties=(a.party, b.party),
                    row_labels=shown,
                    column_labels=shown,
                    counts=tuple(tuple(counts[(row, column)] for column in used) for row in used),
                )
            )
    return matrices


def _texts(reads: Reads, part: Part) -> dict[str, str]:
    """Return a format's option texts by id; where two options have the same text, it includes the id."""
    texts: dict[str, str] = {}
    for i in part.positions:
        for option, text in reads.items[i].options:
            texts.setdefault(option, text)
    twice = {text for text, times in Counter(texts.values()).items() if times > 1}
    return {option: f"{text} ({option})" if text in twice else text for option, text in texts.items()}
