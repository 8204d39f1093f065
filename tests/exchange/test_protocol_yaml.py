"""A protocol says the same by the quick parser and by PyYAML's own, which has the words for what is wrong."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange import protocol_yaml
from exchange.refusal import InputRefused

STUDIES = Path(__file__).resolve().parents[2] / "studies"
# Whatever has a meaning in YAML, and some that has none.
PARTS = (
    *(" ", "  ", "\n", "\n  ", "\n- ", ": ", ":", ",", "{", "}", "[", "]", "a", "b", "no", "1.10", '"', "'", "|", ">"),
    *("|-", "#", " #", "&x ", "*x", "? ", "?", "-", "- ", "---\n", "\t", "\\n", "\\x41", "\\/", "\u2028", "\x85", "é"),
    *("😀", "%YAML 1.1\n", "...\n", "<<: ", "@", "`", "key", "\r\n", "020", "''", "\ufeff", "\x00", "\ud800", "="),
)


def said_by(text: str, *, quickly: bool) -> Any:
    """Return what a text says, or the sentence by which it is refused."""
    with pytest.MonkeyPatch.context() as only:
        only.setattr(yaml, "__with_libyaml__", quickly)
        protocol_yaml._load.cache_clear()
        try:
            return protocol_yaml.load(text, "protocol.yaml")
        except InputRefused as refused:
            return str(refused)


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*/*.yaml")), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_studies_say_the_same_by_either_parser(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert said_by(text, quickly=True) == said_by(text, quickly=False)


@pytest.mark.parametrize("seed", range(5))
def test_nonsense_says_the_same_by_either_parser_or_is_refused_in_the_same_words(seed: int) -> None:
    drawn = random.Random(seed)
    for _ in range(200):
        text = "".join(drawn.choices(PARTS, k=drawn.randint(1, 14)))

        # As text: what is no number equals nothing, itself neither.
        assert repr(said_by(text, quickly=True)) == repr(said_by(text, quickly=False)), repr(text)


@pytest.mark.parametrize("text", ["a: [b? c]", "a: {b: c?}", "a: b\tc", "a: |#\n  b", "a: b\ufeff", "? a"])
def test_what_the_parsers_read_differently_is_read_by_pyyaml(text: str) -> None:
    assert said_by(text, quickly=True) == said_by(text, quickly=False)
