"""Decision records have one form, so that each can be read at a glance."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.markdown import name_of
from tests.harness.server import ROOT

RECORDS = sorted((ROOT / "docs/adr").glob("*.md"))
FORM = re.compile(
    r"# (?P<number>\d+)\. [^\n]+[^\n.]\n"
    r"\n"
    r"\d{4}-\d{2}-\d{2}(?:\. [^\n]+\.)?\n"
    r"\n"
    r"\*\*Context\.\*\* (?P<context>.+)\n"
    r"\n"
    r"\*\*Decision\.\*\*(?: |\n\n)(?P<decision>.+)\n"
    r"\n"
    r"\*\*Consequences\.\*\*(?: |\n\n)(?P<consequences>.+)\n",
    re.S,
)


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_a_record_has_title_date_context_decision_and_consequences(record: Path) -> None:
    match = FORM.fullmatch(record.read_text(encoding="utf-8"))

    assert match is not None
    assert record.name.startswith(f"{int(match['number']):04}-")


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_a_record_has_no_other_headings(record: Path) -> None:
    text = record.read_text(encoding="utf-8")

    assert re.findall(r"^#+ ", text, re.M) == ["# "]
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.M) == ["Context", "Decision", "Consequences"]


def test_records_are_numbered_without_a_gap() -> None:
    assert [int(record.name[:4]) for record in RECORDS] == list(range(1, len(RECORDS) + 1))
