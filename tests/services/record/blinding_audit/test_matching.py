"""Values are found as whole words, however they are written, and nothing else is."""

from __future__ import annotations

import base64
import gzip
import urllib.parse
import zlib

import pytest

from services.record.blinding_audit import kinds
from services.record.blinding_audit.matching import Index, Literal
from tests.harness.server import ROOT


def holds(text: str, value: str) -> bool:
    return Index([(1, Literal.of(value))]).search(text) == {1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Known arachnoid cyst.", "arachnoid cyst"),
        ("KNOWN  ARACHNOID\ncyst", "Arachnoid cyst"),
        ("reading/SUB_01/t1", "sub-01"),
        ("(no-image)", "no-image"),
        ("Größe: ﬁbrös", "fibrös"),
        ("seen on 01.06.2024", "01/06/2024"),
        ("p = 0.666667.", "0.666667"),
        ("as GPT\u2011Falcon\u20137, I", "gpt-falcon-7"),
        ("g\u00adpt\u200b-falcon\u2060-7", "gpt-falcon-7"),
        ("an in\u00adfarct of the left thala\u200bmus", "infarct of the left thalamus"),
        ("an infarct \u200b of the left \ufeff thalamus", "infarct of the left thalamus"),
        (" ".join("abcdefghijkl") + " and something else", " ".join("abcdefghijklm")),
    ],
)
def test_a_value_is_found(text: str, value: str) -> None:
    assert holds(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("subject-12", "subject-1"),
        ("leftover", "left"),
        ("a cyst, arachnoid", "arachnoid cyst"),
        ("sub 01", "sub-01"),
        ("", "anything"),
    ],
)
def test_another_text_holds_no_value(text: str, value: str) -> None:
    assert not holds(text, value)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda secret: secret,
        lambda secret: b"x" * 7 + base64.b64encode(b'{"a": "' + secret + b'"}'),
        lambda secret: base64.urlsafe_b64encode(b"\xfe\xff\xfe " + secret).rstrip(b"="),
        lambda secret: b"\x08\x12" + zlib.compress(secret),
        lambda secret: gzip.compress(base64.b64encode(secret)),
        lambda secret: secret.hex().encode(),
        lambda secret: secret.decode().encode("utf-16-le"),
        lambda secret: urllib.parse.quote(secret).replace("-", "%2D").encode(),
    ],
    ids=["plain", "base64", "base64 of addresses", "zlib", "gzip", "hexadecimal", "utf-16", "percent"],
)
def test_a_value_is_found_through_the_usual_encodings(wrap) -> None:
    assert Index([(1, Literal.of("subject-17-left"))]).search_bytes(wrap(b"subject-17-left")) == {1}


@pytest.mark.parametrize("value", ["yes", "T2", "1.0", "1234", "No.", "c1", "0.25"])
def test_a_short_value_is_said_to_be_too_short(value: str) -> None:
    assert Literal.of(value).is_too_short


@pytest.mark.parametrize("value", ["left", "c1-t1", "12345", "0.66667", "c01-side"])
def test_a_longer_value_is_not(value: str) -> None:
    assert not Literal.of(value).is_too_short


@pytest.mark.parametrize(("value", "is_label"), [("s01", True), ("k12", True), ("T1w", False), ("12", False)])
def test_short_labels_are_those_with_letters_and_two_digits(value: str, is_label: bool) -> None:
    assert Literal.of(value).is_label is is_label


def test_the_how_to_has_the_table_of_kinds() -> None:
    assert kinds.table() in (ROOT / "docs/how-to/audit-the-blinding.md").read_text("utf-8")
