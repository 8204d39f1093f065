"""The lines of NeuroVLM-Bench: what a model filled in about an image, field by field.

A candidate is identified by image and model, because `experiment_id` starts over with each run. A line with
`status: success` may contain a reply that could not be parsed, and "null" in quotation marks counts as empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exchange.foreign.json_rows import clue, clues_of, json_rows, value_at
from exchange.foreign.layout import Asked, ForeignLine, Layout, NotInLayout, Source
from exchange.refusal import listed

_RESPONSE = "output.parsed_response"
# Which confidence belongs to which field.
_CONFIDENCES = {"diagnosis_name": "diagnosis_confidence", "severity_score": "severity_confidence"}


def recognises(source: Source) -> bool:
    """Return whether the first line has an image, a status and a parsed response at the benchmark's paths."""
    inputs, outputs = source.first.get("input"), source.first.get("output")
    return isinstance(inputs, dict) and "image_path" in inputs and isinstance(outputs, dict) and "status" in outputs


def lines(number: int, row: dict[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Read the field of the response that has the name of the study's field, or that is mapped to it."""
    yield ForeignLine(
        number,
        clues_of(
            image_path=clue(value_at(row, "input.image_path")),
            # Providers answer under a longer name than the one requested; the study may use either.
            model=clue(value_at(row, "input.model_requested"), value_at(row, "api_response.model")),
        ),
        _said(row, asked),
    )


def _said(row: dict[str, Any], asked: Asked) -> dict[str, Any]:
    status, response = value_at(row, "output.status"), value_at(row, _RESPONSE)
    error = value_at(row, "output.error")
    if status != "success":
        return {"verdict": "", "error": str(error or status or "no status"), "failure": "error"}
    if not isinstance(response, dict):
        return {"verdict": "", "failure": "no_verdict"}
    if "raw_response" in response:
        reply = str(response["raw_response"])
        return {"verdict": "", "error": str(response.get("error") or ""), "failure": "unreadable", "explanation": reply}
    if "verdict" in asked.columns:
        # A mapped column is read separately.
        return {"verdict": ""}
    if asked.field not in response:
        fields = ", ".join(f"verdict={_RESPONSE}.{key}" for key in list(response)[:2])
        lacks = f"has no field '{asked.field}' in its response, but" if asked.field else "has a response of"
        raise NotInLayout(f"{lacks} {listed(response)}; say which is meant, as {fields}.")
    value = response[asked.field]
    said = {"verdict": "" if value in (None, "null") else value}
    confidence = response.get(_CONFIDENCES.get(asked.field, ""))
    return said if confidence in (None, "null") or said["verdict"] == "" else {**said, "confidence": confidence}


LAYOUT = Layout(
    key="neurovlm-bench",
    name="NeuroVLM-Bench",
    clues="image_path and model",
    recognises=recognises,
    rows=json_rows,
    lines=lines,
    confidence_of="verdict",
)
