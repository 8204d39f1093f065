"""Every key that a listed study may have stands in the table of its part, and every example can be written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml
from pydantic import BaseModel

from protocol.language import authored
from protocol.language.phases import KNOWN_ATTRIBUTES

TEXT = (Path(__file__).parents[2] / "docs" / "how-to" / "keys-of-a-listed-study.md").read_text(encoding="utf-8")
PARTS = {
    "The study": authored.AuthoredStudy,
    "A group": authored.AuthoredGroup,
    "A field": authored.AuthoredField,
    "A phase": authored.AuthoredPhase,
    "Pairs": authored.AuthoredPairs,
    "From": authored.AuthoredSource,
    "Sample": authored.AuthoredSample,
    "By": authored.AuthoredPeople,
    "Opens": authored.AuthoredOpening,
    "Analysis": authored.AuthoredAnalysis,
}


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the lines of the table below a heading."""
    section = re.split(r"^#+ ", TEXT.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def written_keys(part: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in part.model_fields.items()}


@pytest.mark.parametrize("heading", PARTS)
def test_each_key_has_its_line(heading: str) -> None:
    listed = [key for row in rows_of(heading) for key in re.findall(r"`([a-z_]+)`", row[0])]

    assert len(listed) == len(set(listed))
    assert set(listed) == written_keys(PARTS[heading])


def test_the_columns_that_can_be_declared_and_their_keys_have_their_lines() -> None:
    listed = {key for row in rows_of("Attributes") for key in re.findall(r"`([a-z_]+)`", row[0])}

    assert listed == written_keys(authored.AuthoredAttributes) | written_keys(authored.AuthoredAttribute)


def test_what_a_criterion_has_beyond_an_estimate_has_its_line() -> None:
    listed = {key for row in rows_of("A criterion") for key in re.findall(r"`([a-z_]+)`", row[0])}

    assert listed == written_keys(authored.AuthoredCriterion) - written_keys(authored.AuthoredEstimate)


def test_each_example_can_be_read() -> None:
    examples = [
        row[2].strip("` ")
        for heading in [*PARTS, "Attributes", "A criterion"]
        for row in rows_of(heading)
        if row[2].startswith("`")
    ]

    assert len(examples) > 60
    for example in examples:
        assert isinstance(yaml.safe_load(example), dict), example


@pytest.mark.parametrize("words", [authored.FieldType, authored.AttributeType, authored.Estimated])
def test_each_word_of_a_closed_list_is_named(words: object) -> None:
    assert [word for word in get_args(words) if f"`{word}`" not in TEXT] == []


def test_the_attributes_that_every_study_has_are_all_named() -> None:
    sentence = TEXT.partition("Beside the attributes that are declared, ")[2].partition("\n\n")[0]

    assert re.findall(r"`([a-z_]+)`", sentence) == sorted(KNOWN_ATTRIBUTES)
