"""Instructions and consent keep their words and lose their images."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.acknowledged_text import without_images
from exchange.study_folder.protocol_file import parse_protocol
from protocol.study import Protocol
from tests.situations import PROTOCOL

BEACON = "https://elsewhere.example/who-reads.png"


@pytest.mark.parametrize(
    ("written", "remaining"),
    [
        (f"See ![the atlas]({BEACON}) first.", "See the atlas first."),
        (f"![]({BEACON} 'a title')Begin.", "Begin."),
        (f"![one][b] and ![b][]\n\n[b]: {BEACON}", f"one and b\n\n[b]: {BEACON}"),
        (f"!![twice]({BEACON})", "twice"),
        (f"![two\nlines](<{BEACON}>)", "two\nlines"),
        (f"[![an image that leads on]({BEACON})](https://elsewhere.example)",
         "[an image that leads on](https://elsewhere.example)"),
        ("Stop! [Read this](https://elsewhere.example) **first**, 2 ! 3", None),
    ],
)  # fmt: skip
def test_words_of_an_image_stand_in_its_place(written: str, remaining: str | None) -> None:
    assert without_images(written) == (written if remaining is None else remaining)


@pytest.mark.parametrize(
    "nested", ["![a ![b](x) c](y)", "![a [b] c](y)", "!\\![a](x)", "![a\\](b)](y)", "![[a]](y)", "!!![x](y)![](z)"]
)
def test_whatever_is_left_of_an_image_cannot_be_one(nested: str) -> None:
    assert "![" not in without_images(nested)


def test_every_acknowledged_text_loses_its_images_at_import() -> None:
    image = f"![scan]({BEACON}) Read on."
    protocol: dict[str, Any] = copy.deepcopy(PROTOCOL) | {"instructions": image, "consent": image}
    protocol["scoring"]["instructions"] = protocol["adjudication"]["instructions"] = image

    read = parse_protocol(yaml.safe_dump(protocol))

    assert read.scoring is not None
    assert read.adjudication is not None
    texts = {read.instructions, read.consent, read.scoring.instructions, read.adjudication.instructions}
    assert texts == {"scan Read on."}


def test_instructions_of_nothing_but_an_image_are_refused() -> None:
    with pytest.raises(InputRefused, match="key instructions: nothing is left without its images"):
        parse_protocol(yaml.safe_dump(PROTOCOL | {"instructions": f"![]({BEACON})"}))


def test_protocol_that_is_stored_already_keeps_the_words_that_were_acknowledged() -> None:
    stored = parse_protocol(yaml.safe_dump(PROTOCOL)).model_copy(update={"instructions": f"![]({BEACON}) Read."})

    assert Protocol.model_validate_json(stored.canonical_json()).instructions == f"![]({BEACON}) Read."


def test_texts_are_plain_until_the_protocol_says_otherwise() -> None:
    assert set(parse_protocol(yaml.safe_dump(PROTOCOL)).text.model_dump().values()) == {"plain"}

    marked = parse_protocol(yaml.safe_dump(PROTOCOL | {"text": {"prompt": "markdown"}}))

    assert (marked.text.prompt, marked.text.candidate) == ("markdown", "plain")


def test_kind_of_text_or_setting_that_nobody_knows_is_refused() -> None:
    for text, key in (({"prompt": "html"}, "text.prompt"), ({"title": "markdown"}, "text.title")):
        with pytest.raises(InputRefused, match=f"key {key}"):
            parse_protocol(yaml.safe_dump(PROTOCOL | {"text": text}))
