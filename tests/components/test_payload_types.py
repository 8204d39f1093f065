"""The types that the browser's sources are checked against are those of services/reading/payloads.py."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from components.viewer import payload_types
from services.reading.payloads import ProgressPayload

WRITE_THEM = "run python -m components.viewer.payload_types and commit what it writes"


def test_written_schema_is_that_of_the_types() -> None:
    assert payload_types.SCHEMA.read_text(encoding="utf-8") == payload_types.schema_text(), WRITE_THEM


def test_written_declarations_are_those_of_the_types() -> None:
    assert payload_types.DECLARATIONS.read_text(encoding="utf-8") == payload_types.declarations(), WRITE_THEM


def test_no_payload_may_have_a_key_that_its_type_does_not_name() -> None:
    described = payload_types.schema()["$defs"]
    open_ended = [
        name
        for name, definition in described.items()
        if "properties" in definition and definition["additionalProperties"] is not False
    ]

    assert open_ended == []


def test_a_key_too_many_is_found_by_the_type_of_a_payload() -> None:
    with pytest.raises(ValidationError, match="model"):
        TypeAdapter(ProgressPayload).validate_python({"done": 1, "total": 2, "model": "x"}, extra="forbid")
