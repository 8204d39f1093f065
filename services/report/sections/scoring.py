"""The raters' scores on candidates: shares, and agreement between raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from agreement import Estimate, accuracy_of_correctness, cohen_kappa, percent_agreement
from agreement.weighted import weighted_mean
from exchange.report.estimate_rows import ALL_CANDIDATES, EstimateRow, LeftOut, Party, Stratum
from exchange.report.report_structure import Column, EstimateTable, PlainTable, Section
from services.report.interval_settings import IntervalSettings
from services.report.rows.excluded import excluded_by_either
from services.report.rows.scores import Scores, by_model
from services.report.rows.study_rows import StudyRows
from services.report.sections.exploratory import exploratory_rows


def scoring_section(
    study: StudyRows, scores: Scores, intervals: IntervalSettings, scorers: EstimateTable
) -> Section | None:
    """Build the section on scorer validation, with the table of automatic scorers; None without a scoring phase."""
    if study.protocol.scoring is None:
        return None
    tables = (
        _counts(scores),
        _shares(scores, intervals),
        _between_raters(scores, intervals),
        _by_category(study, scores, intervals),
        scorers,
    )
    chance = (
        "every candidate had the same probability of being sampled, so estimates are unweighted"
        if scores.is_proportional
        else (
            "candidates had unequal probabilities of being sampled, so shares of the pool are weighted by 1 / "
            "inclusion probability and reported beside the unweighted ones"
        )
    )
    return Section(
        key="scores",
        short_title="Scores",
        title="Scores on candidates (scorer validation)",
        explanation=(
            (
                f"{len(scores.sample)} of {len(study.candidates)} candidates were drawn at the freeze, at random "
                f"within each model; {chance}."
            ),
        ),
        method=(
            (
                "Raters scored them correct or incorrect against the reference, after completing all their own "
                "reads, without knowing which model gave the answer. Candidates of the same item share prompt and "
                "reference, so intervals account for clustering by item unless the table says otherwise; how each "
                "is computed is stated below its table."
            ),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def _counts(scores: Scores) -> PlainTable:
    others = [text for _, text in scores.others]
    apart = f" {', '.join(others)}: an answer of its own, in no numerator or denominator of a share." if others else ""
    return PlainTable(
        key="scores_counts",
        title="Scores by rater",
        explanation=f"Counts of candidates in the sample.{apart}",
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("sample", "In the sample", "Candidates to be scored"),
            Column("correct", "Scored correct", "Candidates scored correct"),
            Column("incorrect", "Scored incorrect", "Candidates scored incorrect"),
            *(Column(f"score_{key}", f"Scored {text}", f"Candidates scored {text}") for key, text in scores.others),
            Column("missing", "Missing", "Candidates without a score"),
        ),
        rows=tuple(
            (
                rater.pseudonym,
                len(own),
                own.count(True),
                own.count(False),
                *(given.count(key) for key, _ in scores.others),
                given.count(None),
            )
            for rater, own, given in zip(scores.raters, scores.scores, scores.given, strict=True)
        ),
    )


def _shares(scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for stratum, here in by_model(scores.sample):
        clusters = intervals.by([scores.items[i] for i in here])
        for rater, own, neither in zip(scores.raters, scores.scores, scores.neither, strict=True):
            mine, left_out = [own[i] for i in here], [neither[i] for i in here]
            result = accuracy_of_correctness(mine, excluded=left_out, unit="candidate", **clusters)
            row = EstimateRow("share", "scored_correct", (rater.party,), stratum, result.primary, result.wilson)
            rows.append(row)
            if result.n_excluded:
                bound = replace(row, beside=None, remark=LeftOut(result.n_excluded, "neither correct nor incorrect"))
                rows += [
                    replace(bound, estimate=result.worst_case, bound="worst"),
                    replace(bound, estimate=result.best_case, bound="best"),
                ]
            if not scores.is_proportional and stratum == ALL_CANDIDATES:
                weighted = weighted_mean(
                    [None if score is None else float(score) for score in mine],
                    [scores.sample[i].probability for i in here],
                    name="share",
                    unit="candidate",
                    **clusters,
                )
                rows.append(EstimateRow("share", "scored_correct", (rater.party,), stratum, weighted, weighted=True))
    bounds = (
        " What was scored neither correct nor incorrect is left out; beside the share are two bounds, with all of "
        "these incorrect and all of them correct."
    )
    return EstimateTable(
        key="scores_shares",
        title="Share of candidates scored correct",
        explanation=f"Unit: the candidate.{bounds if any(row.bound for row in rows) else ''}",
        rows=tuple(rows),
        cluster="item",
    )


def _between_raters(scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    clusters = intervals.by(scores.items)
    for a, b in combinations(range(len(scores.raters)), 2):
        excluded = excluded_by_either(scores.scores[a], scores.scores[b], scores.neither[a], scores.neither[b])
        parties = (scores.raters[a].party, scores.raters[b].party)
        rows += _rows_of_pair(
            parties, ALL_CANDIDATES, scores.scores[a], scores.scores[b], excluded, intervals, clusters
        )
    return EstimateTable(
        key="scores_agreement",
        title="Agreement between raters on the scores: the ceiling for a judge",
        explanation=(
            "Unit: candidate; scores of correct or incorrect are compared. A judge cannot be expected to agree "
            "with a rater better than the raters agree with each other. Candidates without a consensus, because "
            f"the raters differ: {scores.n_ties}."
        ),
        rows=tuple(rows),
        lines="statistic",
        cluster="item",
    )


def _rows_of_pair(
    parties: tuple[Party, Party],
    stratum: Stratum,
    first: Sequence[bool | None],
    second: Sequence[bool | None],
    excluded: Sequence[bool],
    intervals: IntervalSettings,
    clusters: dict[str, Any],
) -> list[EstimateRow]:
    def kappa_by(settings: IntervalSettings) -> Estimate:
        by = settings.with_kind(clusters) | {"excluded": excluded}
        return settings.kappa(cohen_kappa, first, second, unit="candidate", **by)

    percent = percent_agreement(first, second, excluded=excluded, unit="candidate", **clusters)
    kappa = EstimateRow("cohen_kappa", "scores", parties, stratum, kappa_by(intervals))
    return [
        EstimateRow("percent_agreement", "scores", parties, stratum, percent),
        kappa,
        *exploratory_rows(kappa, intervals, kappa_by),
    ]


def _by_category(study: StudyRows, scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    category_of = {item.id: item.category for item in study.items}
    of_sample = [category_of.get(candidate.item_id, "") for candidate in scores.sample]
    rows = []
    for category in sorted(set(of_sample)):
        here = [i for i, own_category in enumerate(of_sample) if own_category == category]
        clusters = intervals.by([scores.items[i] for i in here])
        for a, b in combinations(range(len(scores.raters)), 2):
            first, second = ([scores.scores[rater][i] for i in here] for rater in (a, b))
            excluded = excluded_by_either(
                first, second, *([scores.neither[rater][i] for i in here] for rater in (a, b))
            )
            parties = (scores.raters[a].party, scores.raters[b].party)
            rows += _rows_of_pair(parties, Stratum("category", category), first, second, excluded, intervals, clusters)
    return EstimateTable(
        key="scores_by_category",
        title="Agreement on the scores, by category",
        explanation="Unit: candidate; kappa is undefined for a category with one candidate.",
        rows=tuple(rows),
        lines="both",
        cluster="item",
    )
