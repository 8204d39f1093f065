"""HealthBench's meta-evaluation: one rubric criterion per line, with physicians' labels of a completion.

`binary_labels` and `anonymized_physician_ids` correspond by position; the physicians differ from line to line. What a
grader adds under `criteria_met` is a judge's verdict; the physicians' labels are then ignored unless they are what is
asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import clue, clues_of, json_rows
from exchange.foreign.layout import Asked, ForeignLine, Layout, NotInLayout, Source


def recognises(source: Source) -> bool:
    """Return whether the first line has a completion, a rubric, and labels by physicians or a grader."""
    first = source.first
    return {"completion_id", "rubric"} <= set(first) and ("binary_labels" in first or "criteria_met" in first)


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read a grader's verdict, or the label of each physician."""
    clues = clues_of(
        prompt_id=clue(row.get("prompt_id")),
        completion_id=clue(row.get("completion_id")),
        rubric=clue(row.get("rubric")),
        answer=clue(row.get("completion")),
    )
    if asked.of_people and "verdict" in asked.columns:
        # The file does not say whose verdict this is; it is not a physician's.
        yield ForeignLine(number, clues, {})
        return
    if not asked.of_people and ("criteria_met" in row or "verdict" in asked.columns):
        said = {"verdict": row.get("criteria_met"), "explanation": row.get("explanation", "")}
        yield ForeignLine(number, clues, said)
        return
    labels, people = row.get("binary_labels"), row.get("anonymized_physician_ids")
    if not isinstance(labels, list) or not isinstance(people, list) or len(labels) != len(people):
        raise NotInLayout("binary_labels and anonymized_physician_ids are not lists of one length; correct the line.")
    if len(set(map(str, people))) != len(people):
        raise NotInLayout("names a physician twice in anonymized_physician_ids; correct the line.")
    for label, person in zip(labels, people, strict=True):
        yield ForeignLine(number, clues, {"verdict": label}, party=str(person))


LAYOUT = Layout(
    key="healthbench-meta",
    name="HealthBench meta-evaluation",
    clues="completion_id, prompt_id and rubric",
    recognises=recognises,
    rows=json_rows,
    lines=lines,
    words={"true": "correct", "false": "incorrect"},
    stand_for={"prompt_id": "item", "completion_id": "candidate", "rubric": "reference"},
)
