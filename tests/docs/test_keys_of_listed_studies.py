"""The references of keys are those of the schema, and each of their examples is one that the schema takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from protocol.language.authored_fields import AttributeType, AuthoredField, FieldType
from protocol.language.authored_plan import Estimated
from protocol.language.phases import KNOWN_ATTRIBUTES
from protocol.language.reference import (
    PAGE,
    PAGES,
    PARTS,
    PARTS_OF_FIRST,
    default_of,
    filled_in,
    keys_of,
    says_of,
    values_of,
)
from protocol.language.schema import json_schema
from protocol.study import Protocol

TEXT = PAGE.read_text(encoding="utf-8")
KEYS = [(heading, key) for parts in PAGES.values() for heading, part in parts.items() for key in keys_of(part)]


WHOLE = json_schema()
OF_FIRST = Protocol.model_json_schema()
ALL_PARTS = {**PARTS, **PARTS_OF_FIRST}


def schema_of(part: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a part as it stands in that of the study."""
    whole = WHOLE if part in PARTS.values() else OF_FIRST
    return whole if whole["title"] == part.__name__ else {**whole["$defs"][part.__name__], "$defs": whole["$defs"]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_the_one_of_the_schema(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert filled_in(text) == text, "run: python -m protocol.language.reference"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_part_has_its_table_below_a_heading_of_its_own(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert re.findall("<!-- keys: (.+?) -->", text) == list(PAGES[page])
    for heading in PAGES[page]:
        assert re.search(rf"^##+ {heading}\n(?:(?!#).*\n)*<!-- keys: {heading} -->", text, re.MULTILINE), heading


def test_each_part_of_the_first_language_has_a_table() -> None:
    assert {OF_FIRST["title"], *OF_FIRST["$defs"]} == {part.__name__ for part in PARTS_OF_FIRST.values()}


def test_each_part_of_the_schema_has_a_table() -> None:
    """But for what its short forms say, and for how scans hang, which the page of the first language lists."""
    without = {"AuthoredForm", "AuthoredOptions", "OptionWords"}
    hanging = {"Hanging", "Pane", "WindowPreset"}

    assert set(WHOLE["$defs"]) - without - hanging == {
        part.__name__ for part in PARTS.values() if part.__name__ != "AuthoredStudy"
    }


@pytest.mark.parametrize(("heading", "key"), KEYS)
def test_each_example_is_taken_by_the_schema(heading: str, key: str) -> None:
    schema = schema_of(ALL_PARTS[heading])
    written = yaml.safe_load(says_of(keys_of(ALL_PARTS[heading])[key]).example)

    assert list(written) == [key]
    value = "" if written[key] is None else written[key]
    only = {"$defs": schema["$defs"], **schema["properties"][key]}
    assert [error.message for error in jsonschema.Draft202012Validator(only).iter_errors(value)] == []


@pytest.mark.parametrize(("heading", "key"), KEYS)
def test_each_key_has_its_description_in_the_schema_that_editors_read(heading: str, key: str) -> None:
    says = says_of(keys_of(ALL_PARTS[heading])[key])

    described = schema_of(ALL_PARTS[heading])["properties"][key]["description"]

    assert described.lower().startswith(says.text.lower())
    assert described.endswith(says.example)


def test_defaults_and_values_are_those_of_the_code() -> None:
    phase, analysis = PARTS["A phase"], PARTS["Analysis"]

    assert default_of(keys_of(phase)["spacing"]) == "`0`"
    assert default_of(keys_of(phase)["comment"]) == "`yes`"
    assert default_of(keys_of(phase)["shows"]) == "required"
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
