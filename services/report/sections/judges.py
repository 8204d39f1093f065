"""Judges against raters: each run against each rater and against their consensus, never pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agreement import accuracy_of_correctness, cohen_kappa, diagnostic_accuracy, judge_direction, percent_agreement
from agreement.weighted import weighted_mean
from exchange.report.estimate_rows import ALL_CANDIDATES, CONSENSUS, EstimateRow, LeftOut, Party
from exchange.report.report_structure import Cell, Column, EstimateTable, PlainTable, Section, Table
from exchange.report.report_words import party_in_words
from services.judging.verdict_columns import UNRESOLVED, CandidateIds
from services.report.interval_settings import IntervalSettings
from services.report.rows.excluded import excluded_by_either
from services.report.rows.scores import Scores, by_model, items_of
from services.report.rows.study_rows import CandidateAnswer, Run, StudyRows
from services.report.sections.direction import TEST_OF_DIRECTION, direction_of, direction_remark


def judges_section(study: StudyRows, scores: Scores, intervals: IntervalSettings) -> Section | None:
    """Build the section; None if the study has no candidates, because there is nothing to judge."""
    if not study.candidates:
        return None
    if not study.runs:
        return Section("judges", "Judges", "Judges", ("No judge’s verdicts have been imported.",), ())
    tables: list[Table] = [_counts(study)]
    for number, run in enumerate(study.runs, start=1):
        tables += [
            _pool(number, run, study, intervals),
            _against(number, run, scores, intervals),
            _direction(number, run, scores, intervals),
            _direction_counts(number, run, scores, intervals),
            _as_a_test(number, run, scores, intervals),
        ]
    return Section(
        key="judges",
        short_title="Judges",
        title="Judges against raters",
        explanation=(
            (
                "Each run is compared with each rater and with the raters’ consensus on the candidates that both "
                "have scored; raters are not pooled, since that would count a candidate twice."
            ),
        ),
        method=(
            (
                "The consensus is the score on which all raters agree. Candidates on which they differ are "
                f"excluded: {scores.n_ties}."
            ),
            (
                "Unresolved candidates (the judge returned an error instead of a verdict) do not count as wrong: "
                "they are counted, excluded from every comparison, and covered by a worst and a best case."
            ),
        ),
        tables=tuple(table for table in tables if not isinstance(table, EstimateTable | PlainTable) or table.rows),
    )


def humans_of(scores: Scores) -> list[tuple[Party, Sequence[bool | None]]]:
    """Return the humans that a judge is compared with: each rater, and the consensus if there are several."""
    humans: list[tuple[Party, Sequence[bool | None]]] = [
        (rater.party, own) for rater, own in zip(scores.raters, scores.scores, strict=True)
    ]
    return humans + ([(CONSENSUS, scores.consensus)] if len(humans) > 1 else [])


def neither_of(scores: Scores) -> list[Sequence[bool]]:
    """Return for each of `humans_of` which scores are neither; the consensus is neither if every rater's score is."""
    neither: list[Sequence[bool]] = list(scores.neither)
    return neither + ([list(map(all, zip(*neither, strict=True)))] if len(neither) > 1 else [])


def said_on_sample(run: Run, scores: Scores) -> list[bool | None]:
    """Return a run's verdicts on the sample; None if unresolved or not judged."""
    said = run.verdicts.correctness_of(_ids(scores.sample)).tolist()
    return [None if math.isnan(verdict) else bool(verdict) for verdict in said]


def _ids(candidates: Sequence[CandidateAnswer]) -> CandidateIds:
    return np.fromiter((candidate.id for candidate in candidates), dtype=np.int64, count=len(candidates))


def _counts(study: StudyRows) -> PlainTable:
    rows: list[tuple[Cell, ...]] = []
    for run in study.runs:
        rows.append(
            (
                run.name,
                run.judge,
                len(study.candidates),
                run.verdicts.n_correct,
                run.verdicts.n_incorrect,
                run.verdicts.n_unresolved,
                len(study.candidates) - len(run.verdicts),
            )
        )
    return PlainTable(
        key="judge_runs",
        title="Runs",
        explanation="Counts of candidates in the whole pool.",
        columns=(
            Column("run", "Run", "Name of the run"),
            Column("judge", "Judge", "Name of the judge"),
            Column("pool", "Pool", "Candidates in the study"),
            Column("correct", "Correct", "Candidates judged correct"),
            Column("incorrect", "Incorrect", "Candidates judged incorrect"),
            Column("unresolved", "Unresolved", "Candidates with an error instead of a verdict"),
            Column("not_judged", "Not in the run", "Candidates that are not in the run"),
        ),
        rows=tuple(rows),
    )


def _pool(number: int, run: Run, study: StudyRows, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    for stratum, positions in by_model(study.candidates):
        here = [study.candidates[i] for i in positions]
        ids = _ids(here)
        result = accuracy_of_correctness(
            run.verdicts.correctness_of(ids),
            excluded=run.verdicts.codes_of(ids) == UNRESOLVED,
            unit="candidate",
            **intervals.by(items_of(study, here)),
        )
        rows.append(EstimateRow("share", "judged_correct", (run.party,), stratum, result.primary, result.wilson))
        if result.n_excluded:
            remark = LeftOut(result.n_excluded, "unresolved")
            rows += [
                EstimateRow(
                    "share", "judged_correct", (run.party,), stratum, result.worst_case, bound="worst", remark=remark
                ),
                EstimateRow(
                    "share", "judged_correct", (run.party,), stratum, result.best_case, bound="best", remark=remark
                ),
            ]
    return EstimateTable(
        key=f"judge_{number}_pool",
        of=run.party,
        title=f"{run.name}: share of candidates judged correct",
        explanation=_whole_pool(len(study.candidates) - len(run.verdicts)),
        rows=tuple(rows),
        cluster="item",
    )


def _whole_pool(n_not_judged: int) -> str:
    said = "All candidates. Unit: candidate."
    if n_not_judged:
        are = "candidate is" if n_not_judged == 1 else "candidates are"
        said += (
            f" {n_not_judged} {are} not in the run, and left out of every row, also of those that count all unresolved "
            "as incorrect or correct: these do not bound what the judge would have said about the whole pool."
        )
    return said


def _against(number: int, run: Run, scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    said = said_on_sample(run, scores)
    clusters = intervals.by(scores.items)
    for (human, own), neither in zip(humans_of(scores), neither_of(scores), strict=True):
        parties = (run.party, human)
        excluded = excluded_by_either(said, own, [False] * len(said), neither)
        percent = percent_agreement(said, own, excluded=excluded, unit="candidate", **clusters)
        kappa = intervals.kappa(cohen_kappa, said, own, excluded=excluded, unit="candidate", **clusters)
        rows += [
            EstimateRow("percent_agreement", "judgements", parties, ALL_CANDIDATES, percent),
            EstimateRow("cohen_kappa", "judgements", parties, ALL_CANDIDATES, kappa),
        ]
        if not scores.is_proportional:
            same = [None if x is None or y is None else float(x == y) for x, y in zip(said, own, strict=True)]
            weighted = weighted_mean(
                same,
                [candidate.probability for candidate in scores.sample],
                name="percent agreement",
                unit="candidate",
                **clusters,
            )
            rows.append(
                EstimateRow("percent_agreement", "judgements", parties, ALL_CANDIDATES, weighted, weighted=True)
            )
    return EstimateTable(
        key=f"judge_{number}_agreement",
        of=run.party,
        title=f"{run.name}: agreement with the raters",
        explanation=(
            "Unit: candidate scored by both. The ceiling is the raters’ agreement with each other, in the section "
            "on scores."
        ),
        rows=tuple(rows),
        lines="statistic",
        cluster="item",
    )


def _direction(number: int, run: Run, scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    said = said_on_sample(run, scores)
    for human, own in humans_of(scores):
        of_models = human == CONSENSUS or len(scores.raters) == 1
        for stratum, here in by_model(scores.sample) if of_models else by_model(scores.sample)[:1]:
            result = direction_of(
                [own[i] for i in here], [said[i] for i in here], [scores.items[i] for i in here], intervals
            )
            rows.append(
                EstimateRow(
                    "signed_difference", "judgements", (run.party, human), stratum, result.difference,
                    remark=direction_remark(result),
                )
            )  # fmt: skip
        if not scores.is_proportional:
            gaps = [None if x is None or y is None else float(x) - float(y) for x, y in zip(own, said, strict=True)]
            weighted = weighted_mean(
                gaps,
                [candidate.probability for candidate in scores.sample],
                name="signed difference",
                unit="candidate",
                **{**intervals.by(scores.items), "interval": intervals.kind or "widened"},
            )
            rows.append(
                EstimateRow(
                    "signed_difference", "judgements", (run.party, human), ALL_CANDIDATES, weighted, weighted=True
                )
            )
    return EstimateTable(
        key=f"judge_{number}_direction",
        of=run.party,
        title=f"{run.name}: direction of its errors",
        explanation=(
            "Share scored correct by the human minus share scored correct by the judge, in percentage points: "
            f"positive if the judge is stricter than the human, negative if it is more lenient. {TEST_OF_DIRECTION}"
        ),
        rows=tuple(rows),
        cluster="item",
    )


def _direction_counts(number: int, run: Run, scores: Scores, intervals: IntervalSettings) -> PlainTable:
    said = said_on_sample(run, scores)
    rows = []
    for human, own in humans_of(scores):
        result = judge_direction(own, said, confidence=intervals.confidence)
        rows.append(
            (
                party_in_words(human),
                result.both_correct,
                result.strict,
                result.lenient,
                result.both_incorrect,
                result.n,
                result.n_missing,
            )
        )
    return PlainTable(
        key=f"judge_{number}_counts",
        title=f"{run.name}: two-by-two table",
        explanation="Counts of candidates in the sample.",
        columns=(
            Column("human", "Compared with", "A rater, or the consensus of the raters"),
            Column("both_correct", "Both correct", "Candidates that both score correct"),
            Column("strict", "Judge stricter", "Judge incorrect, human correct"),
            Column("lenient", "Judge more lenient", "Judge correct, human incorrect"),
            Column("both_incorrect", "Both incorrect", "Candidates that both score incorrect"),
            Column("n", "Compared", "Candidates with both scores"),
            Column("left_out", "Left out", "Candidates without one of the two: missing, unresolved, or no consensus"),
        ),
        rows=tuple(rows),
    )


def _as_a_test(number: int, run: Run, scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    rows = []
    said = said_on_sample(run, scores)
    for human, own in humans_of(scores):
        result = diagnostic_accuracy(
            said, own, True, categories=(False, True), unit="candidate", **intervals.by(scores.items)
        )
        rows += [
            EstimateRow("sensitivity", "judgements", (run.party, human), ALL_CANDIDATES, result.sensitivity),
            EstimateRow("specificity", "judgements", (run.party, human), ALL_CANDIDATES, result.specificity),
        ]
    return EstimateTable(
        key=f"judge_{number}_sensitivity",
        of=run.party,
        title=f"{run.name}: sensitivity and specificity for “correct”, with the human as reference",
        explanation=(
            "Sensitivity: among candidates scored correct by the human. Specificity: among those scored incorrect."
        ),
        rows=tuple(rows),
        lines="statistic",
        cluster="item",
    )
