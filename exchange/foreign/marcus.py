"""Output of the MARCUS judge: the rows of a prediction file, each with a Likert score, a label or an error.

There is no item id. A candidate is identified by question, reference and case together, never by its position. A row
with `eval_error` has no verdict: it is never a wrong answer, and never a 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import clue, clues_of, json_rows, value_at
from exchange.foreign.layout import Asked, ForeignLine, Layout, NotInLayout, Source
from exchange.json_text import json_value
from exchange.refusal import listed

_REFERENCES = ("ground_truth", "gts", "gt")
_ANSWERS = ("model_answer", "prediction")
_SCORES = ("likert_score", "eval_label")
_FENCE = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL)
# The judge replied, but its reply was not a score.
_UNREADABLE = re.compile(r"(?i)\binvalid\b.*\bin response\b")


def recognises(source: Source) -> bool:
    """Return whether the first row has a question and what the MARCUS judge adds to it."""
    first = source.first
    return "question" in first and any(key in first for key in (*_SCORES, "eval_error"))


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read a row by any of the names that its columns can have."""
    own = [key for key in row if key in asked.models]
    if len(own) > 1:
        raise NotInLayout(f"has answers of several models ({', '.join(own[:3])}); split the file by model.")
    answer = next((row[key] for key in _ANSWERS if row.get(key) is not None), row[own[0]] if own else None)
    yield ForeignLine(
        number,
        clues_of(
            question=clue(row.get("question")),
            reference=clue(next((row[key] for key in _REFERENCES if row.get(key) is not None), None)),
            case=clue(row.get("case_id")),
            model=clue(*own),
            answer=clue(answer),
        ),
        _said(row, asked),
    )


def _said(row: dict[str, Any], asked: Asked) -> dict[str, Any]:
    mapped = asked.columns.get("verdict")
    if not mapped and not any(key in row for key in (*_SCORES, "eval_error")):
        columns = listed(row)
        raise NotInLayout(
            f"has none of likert_score, eval_label and eval_error, but {columns}; say which is meant, as verdict=score."
        )
    cells = [value_at(row, mapped)] if mapped else [row.get(key) for key in _SCORES]
    scores = [cell for cell in cells if cell not in (None, "")]
    if len(scores) > 1:
        raise NotInLayout("has both likert_score and eval_label; remove the column that is not meant.")
    error = str(row.get("eval_error") or "").strip()
    if not scores:
        failure = "unreadable" if _UNREADABLE.search(error) else "error" if error else "no_verdict"
        return {"verdict": "", "error": error, "failure": failure}
    if error:
        raise NotInLayout("has both a verdict and eval_error; a judge that failed gave none; remove one of the two.")
    verdict, explanation = _unfenced(scores[0])
    own = row.get("likert_explanation") or row.get("explanation") or explanation
    return {"verdict": verdict, "explanation": own if isinstance(own, str) else ""}


def _unfenced(score: Any) -> tuple[Any, str]:
    """Return a score and its explanation; some files contain the judge's whole reply as JSON in a code fence."""
    text = _FENCE.sub(r"\1", score) if isinstance(score, str) else ""
    if not text.startswith("{"):
        return text or score, ""
    try:
        reply = json_value(text)
    except ValueError as error:
        raise NotInLayout(f"holds a reply that is not valid JSON ({error}); give the score alone.") from None
    if "answer" not in reply:
        raise NotInLayout(f"holds a reply without answer, but {listed(reply)}; give the score alone.")
    return reply["answer"], str(reply.get("explanation") or "")


LAYOUT = Layout(
    key="marcus",
    name="MARCUS",
    clues="question, reference and case, and the answer where it is given",
    recognises=recognises,
    rows=json_rows,
    lines=lines,
)
