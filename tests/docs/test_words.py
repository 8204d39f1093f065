"""Words that were retired for the field's own: each with what is said instead, and where it may not stand any more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("agreement", "components", "db", "exchange", "imaging", "pages", "protocol", "server", "services", "studies")
PROSE = (*CODE, "docs", "README.md", "CONTRIBUTING.md", "manage.py")

# Pattern, what is said instead, where: in identifiers of the code, or in prose as well.
RETIRED = (
    (r"\bdealer\b", "rng", CODE),
    (r"\bmend the\b", "correct the", PROSE),
    (r"\bis no (file|folder|role|letter|backup)\b", "is not a ...", PROSE),
    (r"\bstands already in\b", "is already in", PROSE),
    (r'"""Say whether\b', "Return whether", CODE),
    (r"\bbelongs into\b", "belongs in", PROSE),
    (r"\bhalf a surrogate pair\b", "an unpaired surrogate", PROSE),
    (r"\bmarking phase\b", "scoring phase", PROSE),
    (r"\bground truth\b", "reference", PROSE),
    (r"\bgold standard\b", "reference", PROSE),
    (r"\bcompared to\b", "compared with", PROSE),
)


def files_in(places: tuple[str, ...]) -> list[Path]:
    files = []
    for place in places:
        path = ROOT / place
        within = [path] if path.is_file() else sorted(path.rglob("*"))
        files += [
            file
            for file in within
            if file.suffix in (".py", ".md", ".yaml")
            and "node_modules" not in file.parts
            and "migrations" not in file.parts
        ]
    return files


@pytest.mark.parametrize(("word", "instead", "places"), RETIRED, ids=[word for word, _, _ in RETIRED])
def test_a_retired_word_is_said_no_more(word: str, instead: str, places: tuple[str, ...]) -> None:
    said = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files_in(places)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(word, line, re.IGNORECASE)
    ]

    assert said == [], f"say '{instead}'"


def test_the_table_finds_a_word_where_it_stands() -> None:
    assert any(re.search(word, "key.dealer('reading')", re.IGNORECASE) for word, _, _ in RETIRED)
