"""What the raters' marks on candidates say: shares, and agreement between raters."""

from __future__ import annotations

from itertools import combinations

from agreement import accuracy_of_correctness, cohen_kappa, percent_agreement
from agreement.weighted import weighted_mean
from exchange.report_structure import Column, EstimateRow, EstimateTable, PlainTable, Section
from services.report.interval_settings import IntervalSettings, renamed
from services.report.rows.marks import Marks
from services.report.rows.study_rows import StudyRows


def marks_section(
    study: StudyRows, marks: Marks, intervals: IntervalSettings, scorers: EstimateTable
) -> Section | None:
    """Build the section on scorer validation, with the table of automatic scorers; None without a scoring phase."""
    if study.protocol.scoring is None:
        return None
    tables = (
        _counts(marks),
        _shares(marks, intervals),
        _between_raters(marks, intervals),
        _by_category(study, marks, intervals),
        scorers,
    )
    chance = (
        "every candidate had the same chance of being in the sample, so nothing is weighted"
        if marks.is_proportional
        else "candidates had unequal chances of being in the sample, so the shares of the pool are weighted by "
        "1 / inclusion probability and stand beside the plain ones"
    )
    return Section(
        key="marks",
        short_title="Marks",
        title="Marks on candidates (scorer validation)",
        explanation=(
            (
                f"{len(marks.sample)} of {len(study.candidates)} candidates were drawn at the freeze "
                f"({study.freeze_method}); {chance}."
            ),
            (
                "Raters marked them correct or incorrect against the reference, after closing all their own reads, "
                "without knowing which model gave the answer. Intervals resample whole items, since candidates of "
                "one item share prompt and reference."
            ),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def _counts(marks: Marks) -> PlainTable:
    others = [text for _, text in marks.others]
    apart = f" {', '.join(others)}: an answer of its own, in neither part of a share." if others else ""
    return PlainTable(
        key="marks_counts",
        title="Marks per rater",
        explanation=f"Counts of candidates in the sample.{apart}",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("sample", "In the sample", "Candidates to be marked"),
            Column("correct", "Marked correct", "Candidates marked correct"),
            Column("incorrect", "Marked incorrect", "Candidates marked incorrect"),
            *(Column(f"mark_{key}", f"Marked {text}", f"Candidates marked {text}") for key, text in marks.others),
            Column("missing", "Missing", "Candidates without a mark"),
        ),
        rows=tuple(
            (
                rater.pseudonym,
                len(own),
                own.count(True),
                own.count(False),
                *(given.count(key) for key, _ in marks.others),
                given.count(None),
            )
            for rater, own, given in zip(marks.raters, marks.marks, marks.given, strict=True)
        ),
    )


def _shares(marks: Marks, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    models = sorted({one.model for one in marks.sample})
    for model in ["", *models]:
        here = [i for i, one in enumerate(marks.sample) if not model or one.model == model]
        clusters = intervals.by([marks.items[i] for i in here])
        for rater, own in zip(marks.raters, marks.marks, strict=True):
            mine = [own[i] for i in here]
            found = accuracy_of_correctness(mine, unit="candidate", **clusters)
            rows.append(
                EstimateRow(
                    f"Model {model}" if model else "All candidates",
                    (rater.pseudonym,),
                    f"model {model}" if model else "all",
                    "percent",
                    renamed(found.primary, "share marked correct"),
                    renamed(found.wilson, "share marked correct"),
                )
            )
            if not marks.is_proportional and not model:
                weighted = weighted_mean(
                    [None if mark is None else float(mark) for mark in mine],
                    [marks.sample[i].probability for i in here],
                    name="share marked correct, weighted to the pool",
                    unit="candidate",
                    **clusters,
                )
                rows.append(
                    EstimateRow("All candidates, weighted to the pool", (rater.pseudonym,), "all", "percent", weighted)
                )
    return EstimateTable(
        key="marks_shares",
        title="Share of candidates marked correct",
        explanation="Unit: the candidate.",
        rows=tuple(rows),
        cluster="item",
    )


def _between_raters(marks: Marks, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    clusters = intervals.by(marks.items)
    for (first, a), (second, b) in combinations(zip(marks.raters, marks.marks, strict=True), 2):
        raters = (first.pseudonym, second.pseudonym)
        percent = percent_agreement(a, b, unit="candidate", **clusters)
        kappa = cohen_kappa(a, b, unit="candidate", **clusters)
        rows += [
            EstimateRow("Same mark", raters, "all", "percent", renamed(percent, "percent agreement on marks")),
            EstimateRow("Cohen’s kappa", raters, "all", "number", renamed(kappa, "Cohen's kappa on marks")),
        ]
    return EstimateTable(
        key="marks_agreement",
        title="Agreement between raters on the marks: the ceiling for a judge",
        explanation=(
            "Unit: the candidate; compared is correct or incorrect. A judge cannot be expected to agree with one rater "
            f"better than the raters agree with each other. Candidates on which the "
            f"raters differ, so that there is no consensus: {marks.n_ties}."
        ),
        rows=tuple(rows),
        cluster="item",
    )


def _by_category(study: StudyRows, marks: Marks, intervals: IntervalSettings) -> EstimateTable:
    category_of = {item.id: item.category for item in study.items}
    of_sample = [category_of.get(one.item_id, "") for one in marks.sample]
    rows = []
    for category in sorted(set(of_sample)):
        here = [i for i, one in enumerate(of_sample) if one == category]
        clusters = intervals.by([marks.items[i] for i in here])
        for (first, a), (second, b) in combinations(zip(marks.raters, marks.marks, strict=True), 2):
            own, other = [a[i] for i in here], [b[i] for i in here]
            percent = percent_agreement(own, other, unit="candidate", **clusters)
            kappa = cohen_kappa(own, other, unit="candidate", **clusters)
            raters = (first.pseudonym, second.pseudonym)
            stratum = f"category {category}"
            rows += [
                EstimateRow(
                    f"{category}: same mark", raters, stratum, "percent", renamed(percent, "percent agreement on marks")
                ),
                EstimateRow(
                    f"{category}: Cohen’s kappa", raters, stratum, "number", renamed(kappa, "Cohen's kappa on marks")
                ),
            ]
    return EstimateTable(
        key="marks_by_category",
        title="Agreement on the marks, per category",
        explanation="Unit: the candidate; a category with one candidate has no kappa.",
        rows=tuple(rows),
        cluster="item",
    )
