"""What is stored of a judge's run: what is known about it, and the values of each verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from exchange.foreign.layout import Asked
from exchange.judge_pairs import Order
from exchange.judge_verdicts import JudgeRow
from services.judging.candidate_keys import UNKNOWN as NO_CANDIDATE
from services.judging.judged_pairs import stored_order
from services.judging.named_models import stored_models
from services.judging.placed_rows import AT_ONCE, PlacedRows, in_parts
from services.judging.run_files import ReadRun
from services.judging.sources import stored_unplaced


def parameters_of(
    read: ReadRun,
    placed: PlacedRows,
    field: str,
    identity: Mapping[str, Any],
    asked: Asked,
    only_order: Order | None,
) -> dict[str, Any]:
    """Return what is stored about a run beside its name, judge and scale."""
    return (
        dict(read.stored)
        | ({"field": field} if field else {})
        | stored_order(only_order, read.of_other_order)
        | dict(identity)
        | asked.stored
        | stored_models(placed.unused_models)
        | stored_unplaced([*read.unplaced, *placed.unplaced], read.left_out + placed.left_out)
    )


def values_of(rows: Iterable[JudgeRow], placed: PlacedRows) -> Iterator[dict[str, Any] | None]:
    """Yield the values to store for each row, in the order of the file; None for a row without a candidate."""
    done = 0
    for part in in_parts(rows, lambda: AT_ONCE):
        ids = placed.ids[done : done + len(part)].tolist()
        done += len(part)
        for candidate, row in zip(ids, part, strict=True):
            yield (
                None
                if candidate == NO_CANDIDATE
                else {
                    "candidate_id": candidate,
                    "verdict": row.verdict,
                    "error": row.error,
                    "explanation": row.explanation,
                    "failure": row.failure or "",
                    "confidence": row.confidence,
                    "shown_first": row.shown_first,
                }
            )
    if done != placed.ids.size:
        raise ValueError(f"{done} rows were stored of {placed.ids.size} that were checked")
