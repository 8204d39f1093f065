"""The JSON Schema for editors: it is the one of the code, and takes what the program takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from protocol.language.schema import json_schema
from tests.protocol.language.study_text import HEAD

FILE = Path(__file__).resolve().parents[3] / "studies" / "protocol.schema.json"


def problems(text: str) -> list[str]:
    """Return what an editor says of a study; it has read the file as YAML with numbers and yes."""
    document: Any = yaml.safe_load(HEAD + text)
    return [error.message for error in jsonschema.Draft202012Validator(json_schema()).iter_errors(document)]


def test_the_file_beside_the_studies_is_the_schema_of_the_code() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json_schema(), (
        "python -m protocol.language.schema > studies/protocol.schema.json"
    )


@pytest.mark.parametrize(
    "text",
    [
        "phases: [{key: a, rates: items, shows: [scans], form: {v: text}}]",
        "phases: [{key: a, rates: [candidates, answers of b], shows: scans, form: f, by: [x, y], from: b}]",
        "phases: [{key: a, rates: items, shows: [], form: {v: {type: choice, options: {yes: Yes, 2: Two}}}}]",
        "phases: [{key: a, rates: items, shows: [], form: f, from: {phase: b, let_in: [differs]}, comment: no}]",
    ],
)
def test_short_forms_are_taken(text: str) -> None:
    assert problems(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "phases: []",
        "phases: [{key: a, rates: items, form: f}]",
        "phases: [{key: a, rates: items, shows: [], form: {v: txt}}]",
        "phases: [{key: a, rates: items, shows: [], form: f, blind: yes}]",
    ],
)
def test_what_the_program_refuses_is_marked(text: str) -> None:
    assert problems(text) != []
