"""The raters' marks on candidates: correct or incorrect against the reference, by candidate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from agreement import accuracy_of_correctness, cohen_kappa, percent_agreement
from agreement.weighted import weighted_mean
from exchange.report_structure import Column, EstimateRow, EstimateTable, PlainTable, Section
from services.report.collected import CandidateAnswer, Collected, Member
from services.report.computing import Computing, renamed


@dataclass(frozen=True)
class Marks:
    """The frozen sample of candidates and each rater's marks on it; None where a rater gave none.

    `consensus` is the mark on which all raters agree; None where they differ or fewer than two marked it.
    """

    sample: tuple[CandidateAnswer, ...]
    items: tuple[str, ...]
    raters: tuple[Member, ...]
    marks: tuple[tuple[bool | None, ...], ...]
    consensus: tuple[bool | None, ...]
    n_ties: int

    @property
    def is_proportional(self) -> bool:
        """Whether every candidate of the pool had the same chance of being in the sample."""
        chances = [one.probability or 0.0 for one in self.sample]
        return not chances or max(chances) - min(chances) < 1e-9


def marks_of(collected: Collected) -> Marks:
    """Arrange the marks over the frozen sample."""
    keys = {item.id: item.key for item in collected.items}
    sample = tuple(one for one in collected.candidates if one.probability is not None)
    entries = {
        (entry.member_id, entry.candidate_id): collected.marked_correct(entry)
        for entry in collected.entries_of("scoring")
    }
    marks = tuple(tuple(entries.get((rater.id, one.id)) for one in sample) for rater in collected.raters)
    given = [[own[i] for own in marks if own[i] is not None] for i in range(len(sample))]
    return Marks(
        sample=sample,
        items=tuple(keys.get(one.item_id, str(one.item_id)) for one in sample),
        raters=collected.raters,
        marks=marks,
        consensus=tuple(one[0] if len(one) >= 2 and len(set(one)) == 1 else None for one in given),
        n_ties=sum(len(set(one)) > 1 for one in given),
    )


def marks_section(collected: Collected, marks: Marks, computing: Computing, scorers: EstimateTable) -> Section | None:
    """Build the section on scorer validation, with the table of automatic scorers; None without a scoring phase."""
    if collected.protocol.scoring is None:
        return None
    tables = (
        _counts(marks),
        _shares(marks, computing),
        _between_raters(marks, computing),
        _by_category(collected, marks, computing),
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
                f"{len(marks.sample)} of {len(collected.candidates)} candidates were drawn at the freeze "
                f"({collected.freeze_method}); {chance}."
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
    return PlainTable(
        key="marks_counts",
        title="Marks per rater",
        explanation="Counts of candidates in the sample.",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("sample", "In the sample", "Candidates to be marked"),
            Column("correct", "Marked correct", "Candidates marked correct"),
            Column("incorrect", "Marked incorrect", "Candidates marked incorrect"),
            Column("missing", "Missing", "Candidates without a mark"),
        ),
        rows=tuple(
            (rater.pseudonym, len(own), own.count(True), own.count(False), own.count(None))
            for rater, own in zip(marks.raters, marks.marks, strict=True)
        ),
    )


def _shares(marks: Marks, computing: Computing) -> EstimateTable:
    rows = []
    models = sorted({one.model for one in marks.sample})
    for model in ["", *models]:
        here = [i for i, one in enumerate(marks.sample) if not model or one.model == model]
        clusters = computing.by([marks.items[i] for i in here])
        for rater, own in zip(marks.raters, marks.marks, strict=True):
            mine = [own[i] for i in here]
            found = accuracy_of_correctness(mine, unit="candidate", **clusters)
            rows.append(
                EstimateRow(
                    f"Model {model}" if model else "All candidates",
                    rater.pseudonym,
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
                    EstimateRow("All candidates, weighted to the pool", rater.pseudonym, "all", "percent", weighted)
                )
    return EstimateTable(
        key="marks_shares",
        title="Share of candidates marked correct",
        explanation="Unit: the candidate.",
        rows=tuple(rows),
        cluster="item",
    )


def _between_raters(marks: Marks, computing: Computing) -> EstimateTable:
    rows = []
    clusters = computing.by(marks.items)
    for (first, a), (second, b) in combinations(zip(marks.raters, marks.marks, strict=True), 2):
        raters = f"{first.pseudonym} and {second.pseudonym}"
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


def _by_category(collected: Collected, marks: Marks, computing: Computing) -> EstimateTable:
    category_of = {item.id: item.category for item in collected.items}
    of_sample = [category_of.get(one.item_id, "") for one in marks.sample]
    rows = []
    for category in sorted(set(of_sample)):
        here = [i for i, one in enumerate(of_sample) if one == category]
        clusters = computing.by([marks.items[i] for i in here])
        for (first, a), (second, b) in combinations(zip(marks.raters, marks.marks, strict=True), 2):
            own, other = [a[i] for i in here], [b[i] for i in here]
            percent = percent_agreement(own, other, unit="candidate", **clusters)
            kappa = cohen_kappa(own, other, unit="candidate", **clusters)
            raters = f"{first.pseudonym} and {second.pseudonym}"
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
