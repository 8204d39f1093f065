"""Logs of Inspect AI: one JSON object (`.json`), or a ZIP archive with a file for each sample (`.eval`).

A candidate is identified by the sample's id and the evaluated model, and by the epoch if the study declares it. What
could not be graded is a bare NaN, or in older releases an "I" with an explanation: neither is a verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from exchange.foreign.inspect_archive import read_archive
from exchange.foreign.json_rows import clue, clues_of, value_at
from exchange.foreign.layout import Asked, ForeignLine, Layout, NotInLayout, RawRow, Source
from exchange.json_parts import values_of_member
from exchange.json_text import json_value
from exchange.refusal import InputRefused, Problems, listed
from exchange.spreadsheet import NotRead

_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}")
_SUCCEEDED = "success"
_NOT_GRADED = "Grade not found in model output"


def recognises(source: Source) -> bool:
    """Return whether a file is an archive with the members of a log, or an object with the head of one."""
    if source.is_archive:
        # Archives store member names uncompressed.
        return b"header.json" in source.content or b"_journal/start.json" in source.content
    return {"eval", "samples", "version"} <= set(source.first)


def rows(source: Source, _asked: Asked, problems: Problems) -> Iterator[RawRow]:
    """Read the samples, each with the log's `eval` and `status`, numbered from 1.

    Raises
    ------
    InputRefused
        The file is not a log, is damaged, or has no samples.
    """
    log, samples = read_archive(source) if source.is_archive else _whole(source)
    head = log.get("eval")
    of_log = {"eval": head if isinstance(head, dict) else {}, "status": log.get("status")}
    number = 0
    for number, sample in enumerate(samples, start=1):
        if isinstance(sample, dict):
            yield number, {**sample, **of_log}
        else:
            problems.add_line(source.name, "sample", number, "expected an object; export the log again.")
    if not number:
        raise InputRefused(f"{source.name} holds no samples; log them (log_samples), or convert the whole log.")


def _whole(source: Source) -> tuple[dict[str, Any], Iterator[Any]]:
    try:
        if not source.is_object:
            json_value(source.text)
            return {}, iter(())
        log = source.outline
        if log.is_followed:
            raise ValueError("Extra data")
    except NotRead:
        raise
    except ValueError as error:
        raise InputRefused(f"{source.name}: not valid JSON ({error}); export the log again.") from None
    return log.members, values_of_member(source.content, "samples")


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read the score of a sample: by the scorer that is asked for, if there are several."""
    score = _score(row, asked)
    yield ForeignLine(
        number,
        clues_of(
            item=clue(row.get("id")),
            model=clue(value_at(row, "eval.model")),
            epoch=clue(row.get("epoch")),
            # What was graded is the whole completion, or what the scorer extracted from it.
            answer=clue(value_at(row, "output.completion"), value_at(score, "answer")),
        ),
        _said(row, score),
    )


def _score(row: dict[str, Any], asked: Asked) -> dict[str, Any] | None:
    scores = row.get("scores") or {}
    if not isinstance(scores, dict):
        raise NotInLayout("has scores that are not an object by scorer; export the log again.")
    name, _, part = asked.scorer.partition(".")
    if not name and len(scores) > 1:
        raise NotInLayout(
            f"has several scores, {listed(scores)}; say which is meant, as --scorer {next(iter(scores))}."
        )
    if name and scores and name not in scores:
        raise NotInLayout(f"has no score '{name}', but {listed(scores)}; correct the name of the scorer.")
    score = scores.get(name) if name else next(iter(scores.values()), None)
    if score is None:
        return None
    if not isinstance(score, dict):
        raise NotInLayout("has a score that is not an object with its value; export the log again.")
    value = score.get("value")
    if isinstance(value, dict):
        if part not in value:
            whole = name or next(iter(scores))
            raise NotInLayout(f"has several values, {listed(value)}; say which is meant, as --scorer {whole}.KEY.")
        return {**score, "value": value[part]}
    return score


def _said(row: dict[str, Any], score: dict[str, Any] | None) -> dict[str, Any]:
    if score is None:
        error = value_at(row, "error.message") or row.get("error") or ""
        return {"verdict": "", "error": str(error), "failure": "error" if error else "no_verdict"}
    value, explanation = score.get("value"), str(score.get("explanation") or "")
    if explanation.startswith(_NOT_GRADED):
        return {"verdict": "", "failure": "unreadable", "explanation": explanation}
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return {"verdict": "", "failure": "no_verdict", "explanation": explanation}
    return {"verdict": value, "explanation": explanation}


def identity(row: dict[str, Any]) -> dict[str, str]:
    """Return the grading model, the prompt and the date from the head of a log, if there is one scorer."""
    head = row["eval"]
    scorers = head.get("scorers")
    only = scorers[0] if isinstance(scorers, list) and len(scorers) == 1 else {}
    models = (value_at(only, path) for path in ("options.model", "options.model.model"))
    said = {
        "model": next((model for model in (*models, value_at(head, "model_roles.grader.model")) if _says(model)), ""),
        "prompt": value_at(only, "options.template"),
        "made_on": "".join(_DAY.findall(str(head.get("created")))),
    }
    return {name: value for name, value in said.items() if _says(value)}


def stopped(row: dict[str, Any]) -> str:
    """Return the status of a log whose evaluation failed, was cancelled or did not end; empty if it succeeded."""
    status = row["status"]
    return status if _says(status) and status != _SUCCEEDED else ""


def _says(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


LAYOUT = Layout(
    key="inspect-ai",
    name="Inspect AI",
    unit="sample",
    clues="the id of the sample and the evaluated model",
    recognises=recognises,
    rows=rows,
    lines=lines,
    words={"C": "correct", "I": "incorrect", "P": "partly"},
    identity=identity,
    stopped=stopped,
    stand_for={"epoch": ""},
    stores_ungraded=True,
)
