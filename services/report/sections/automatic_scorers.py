"""Automatic scorers against the raters' consensus: whether exact match or token F1 may stand in for a human mark."""

from __future__ import annotations

from agreement import cohen_kappa, exact_match, judge_direction, percent_agreement, spearman, token_f1
from exchange.report_structure import EstimateRow, EstimateTable
from services.reading.correctness import in_words, score_written
from services.report.interval_settings import IntervalSettings, renamed
from services.report.rows.marks import Marks
from services.report.rows.study_rows import ReadItem, StudyRows


def automatic_scorers(study: StudyRows, marks: Marks, intervals: IntervalSettings) -> EstimateTable:
    """Return how exact match and token F1 of the candidates' texts go with the consensus of the raters."""
    items = {item.id: item for item in study.items}
    texts = [(items.get(one.item_id), one.answer) for one in marks.sample]
    exact = [None if item is None else _exact(item, answer) for item, answer in texts]
    overlap = [None if item is None else _overlap(item, answer) for item, answer in texts]
    clusters = intervals.by(marks.items)
    direction = judge_direction(marks.consensus, exact, **clusters)
    percent = percent_agreement(exact, marks.consensus, unit="candidate", **clusters)
    kappa = cohen_kappa(exact, marks.consensus, unit="candidate", **clusters)
    rows = [
        EstimateRow(
            "Exact match: same verdict", ("Consensus",), "all", "percent",
            renamed(percent, "percent agreement of exact match with the consensus"),
        ),
        EstimateRow(
            "Exact match: Cohen’s kappa", ("Consensus",), "all", "number",
            renamed(kappa, "Cohen's kappa of exact match with the consensus"),
        ),
        EstimateRow(
            "Exact match: consensus minus exact match", ("Consensus",), "all", "points", direction.difference,
            note=f"{direction.strict} stricter, {direction.lenient} more lenient" if direction.n else "",
        ),
    ]  # fmt: skip
    models = sorted({one.model for one in marks.sample})
    for model in ["", *models] if len(models) > 1 else [""]:
        here = [i for i, one in enumerate(marks.sample) if not model or one.model == model]
        for name, values in (("Token F1", overlap), ("Exact match", [None if x is None else float(x) for x in exact])):
            consensus = [marks.consensus[i] for i in here]
            found = spearman(
                [values[i] for i in here],
                [None if mark is None else float(mark) for mark in consensus],
                confidence=intervals.confidence,
                unit="candidate",
            )
            rows.append(
                EstimateRow(
                    f"{name}: Spearman correlation{f', model {model}' if model else ''}",
                    ("Consensus",),
                    f"model {model}" if model else "all",
                    "number",
                    renamed(found, f"Spearman correlation of {name.lower()} with the consensus"),
                )
            )
    return EstimateTable(
        key="automatic_scorers",
        title="Automatic scorers against the consensus",
        explanation=(
            "Each candidate’s text is scored against the accepted answers in words. A scorer far below the raters’ "
            "agreement with each other cannot replace them. Correlations assume independent candidates."
        ),
        rows=tuple(rows) if any(mark is not None for mark in marks.consensus) else (),
        cluster="item",
    )


def _words(item: ReadItem) -> list[str]:
    return [in_words(item, answer) for answer in item.accepted]


def _exact(item: ReadItem, answer: str) -> bool | None:
    if not item.is_closed:
        return score_written(item, answer).correct
    return exact_match(answer, _words(item)) == 1.0 if item.accepted else None


def _overlap(item: ReadItem, answer: str) -> float | None:
    return token_f1(answer, _words(item)) if item.accepted else None
