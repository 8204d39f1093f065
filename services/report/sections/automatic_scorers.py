"""Automatic scorers against the raters' consensus: whether exact match or token F1 can replace a human score."""

from __future__ import annotations

from agreement import cohen_kappa, exact_match, percent_agreement, spearman, token_f1
from exchange.report.estimate_rows import ALL_CANDIDATES, CONSENSUS, EstimateRow
from exchange.report.report_structure import EstimateTable
from exchange.report.statistic_names import Compared
from services.reading.correctness import in_words, score_written
from services.report.interval_settings import IntervalSettings
from services.report.rows.scores import Scores, by_model
from services.report.rows.study_rows import ReadItem, StudyRows
from services.report.sections.direction import TEST_OF_DIRECTION, direction_of, direction_remark


def automatic_scorers(study: StudyRows, scores: Scores, intervals: IntervalSettings) -> EstimateTable:
    """Return how exact match and token F1 of the candidates' texts relate to the raters' consensus."""
    items = {item.id: item for item in study.items}
    texts = [(items.get(candidate.item_id), candidate.answer) for candidate in scores.sample]
    exact = [None if item is None else _exact(item, answer) for item, answer in texts]
    overlap = [None if item is None else _overlap(item, answer) for item, answer in texts]
    texts_can_be_scored = any(score is not None for score in exact)
    clusters = intervals.by(scores.items)
    direction = direction_of(scores.consensus, exact, scores.items, intervals)
    percent = percent_agreement(exact, scores.consensus, unit="candidate", **clusters)
    kappa = intervals.kappa(cohen_kappa, exact, scores.consensus, unit="candidate", **clusters)
    rows = [
        EstimateRow("percent_agreement", "exact_match", (CONSENSUS,), ALL_CANDIDATES, percent),
        EstimateRow("cohen_kappa", "exact_match", (CONSENSUS,), ALL_CANDIDATES, kappa),
        EstimateRow(
            "signed_difference", "exact_match", (CONSENSUS,), ALL_CANDIDATES, direction.difference,
            remark=direction_remark(direction),
        ),
    ]  # fmt: skip
    scorers: tuple[tuple[Compared, list[float | None]], ...] = (
        ("token_f1", overlap),
        ("exact_match", [None if x is None else float(x) for x in exact]),
    )
    parts = by_model(scores.sample)
    # With only one model, its rows would repeat those of all candidates.
    for stratum, here in parts if len(parts) > 2 else parts[:1]:
        for scorer, values in scorers:
            consensus = [scores.consensus[i] for i in here]
            estimate = spearman(
                [values[i] for i in here],
                [None if score is None else float(score) for score in consensus],
                confidence=intervals.confidence,
                unit="candidate",
            )
            rows.append(EstimateRow("spearman", scorer, (CONSENSUS,), stratum, estimate))
    return EstimateTable(
        key="automatic_scorers",
        title="Automatic scorers against the consensus",
        explanation=(
            "Each candidate’s text is scored against the accepted answers. A scorer that agrees with the raters "
            "far less than they agree with each other cannot replace them. Correlations assume independent "
            f"candidates. {TEST_OF_DIRECTION}"
        ),
        rows=tuple(rows) if any(score is not None for score in scores.consensus) and texts_can_be_scored else (),
        lines="statistic",
        cluster="item",
    )


def _words(item: ReadItem) -> list[str]:
    return [in_words(item, answer) for answer in item.accepted]


def _exact(item: ReadItem, answer: str) -> bool | None:
    if not item.is_closed_ended:
        return score_written(item, answer).correct
    return exact_match(answer, _words(item)) == 1.0 if item.accepted else None


def _overlap(item: ReadItem, answer: str) -> float | None:
    return token_f1(answer, _words(item)) if item.accepted else None
