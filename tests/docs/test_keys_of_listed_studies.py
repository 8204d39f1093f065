"""The reference of keys is the one of the schema, and each of its examples is one that the schema takes."""

from __future__ import annotations

import re
from typing import Any, get_args

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from protocol.language.authored_fields import AttributeType, AuthoredField, FieldType
from protocol.language.authored_plan import Estimated
from protocol.language.phases import KNOWN_ATTRIBUTES
from protocol.language.reference import PAGE, PARTS, default_of, filled_in, keys_of, parts_in, says_of, values_of
from protocol.language.schema import json_schema

TEXT = PAGE.read_text(encoding="utf-8")
KEYS = [(heading, key) for heading, part in PARTS.items() for key in keys_of(part)]


WHOLE = json_schema()


def schema_of(part: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a part as it stands in that of the study."""
    return WHOLE if WHOLE["title"] == part.__name__ else {**WHOLE["$defs"][part.__name__], "$defs": WHOLE["$defs"]}


def test_the_page_is_the_one_of_the_schema() -> None:
    assert filled_in(TEXT) == TEXT, "run: python -m protocol.language.reference"


def test_each_part_has_its_table_below_a_heading_of_its_own() -> None:
    assert list(parts_in(TEXT)) == list(PARTS)
    for heading in PARTS:
        assert re.search(rf"^##+ {heading}\n(?:(?!#).*\n)*<!-- keys: {heading} -->", TEXT, re.MULTILINE), heading


def test_each_part_of_the_schema_has_a_table() -> None:
    """But for what its short forms say, and for how scans hang, which write-a-protocol.md describes."""
    without = {"AuthoredForm", "AuthoredOptions", "OptionWords"}
    hanging = {"Hanging", "Pane", "WindowPreset"}

    assert set(WHOLE["$defs"]) - without - hanging == {
        part.__name__ for part in PARTS.values() if part.__name__ != "AuthoredStudy"
    }


@pytest.mark.parametrize(("heading", "key"), KEYS)
def test_each_example_is_taken_by_the_schema(heading: str, key: str) -> None:
    schema = schema_of(PARTS[heading])
    written = yaml.safe_load(says_of(keys_of(PARTS[heading])[key]).example)

    assert list(written) == [key]
    value = "" if written[key] is None else written[key]
    only = {"$defs": schema["$defs"], **schema["properties"][key]}
    assert [error.message for error in jsonschema.Draft202012Validator(only).iter_errors(value)] == []


@pytest.mark.parametrize(("heading", "key"), KEYS)
def test_each_key_has_its_description_in_the_schema_that_editors_read(heading: str, key: str) -> None:
    says = says_of(keys_of(PARTS[heading])[key])

    described = schema_of(PARTS[heading])["properties"][key]["description"]

    assert described.lower().startswith(says.text.lower())
    assert described.endswith(says.example)


def test_defaults_and_values_are_those_of_the_code() -> None:
    phase, analysis = PARTS["A phase"], PARTS["Analysis"]

    assert default_of(keys_of(phase)["spacing"]) == "`0`"
    assert default_of(keys_of(phase)["comment"]) == "`yes`"
    assert default_of(keys_of(phase)["shows"]) == "has to stand"
    assert values_of(phase, "spacing") == "a whole number from 0 to 50"
    assert values_of(phase, "by") == "a name, or a list of them; or [keys](#by)"
    assert values_of(analysis, "confidence") == "a number above 0.5 and below 1"
    assert values_of(AuthoredField, "means") == "a list, each a number from 0 to 1"


@pytest.mark.parametrize("words", [FieldType, AttributeType, Estimated])
def test_each_word_of_a_closed_list_is_named(words: object) -> None:
    assert [word for word in get_args(words) if f"`{word}`" not in TEXT] == []


def test_the_attributes_that_every_study_has_are_all_named() -> None:
    sentence = TEXT.partition("Beside the attributes that are declared, ")[2].partition("\n\n")[0]

    assert re.findall(r"`([a-z_]+)`", sentence) == sorted(KNOWN_ATTRIBUTES)
