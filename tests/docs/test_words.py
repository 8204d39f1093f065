"""Words that were retired for the field's own: each with what is said instead, and where it may not stand any more."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "agreement", "commands", "components", "db", "exchange", "imaging", "pages", "protocol", "server", "services",
    "studies",
)  # fmt: skip
PROSE = (*CODE, "docs", "README.md", "CONTRIBUTING.md", "manage.py")
GUIDES = (
    "README.md", "CONTRIBUTING.md", "docs/how-to", "docs/security.md", "docs/blinding.md", "docs/glossary.md",
)  # fmt: skip

# Pattern of a text in lower case, what is said instead, where: in identifiers of the code, or in prose as well.
RETIRED = (
    (r"\bdealer\b", "rng", CODE),
    (r"\bmend the\b", "correct the", PROSE),
    (r"\bis no (file|folder|role|letter|backup)\b", "is not a ...", PROSE),
    (r"\bstands already in\b", "is already in", PROSE),
    (r'"""say whether\b', "Return whether", CODE),
    (r"\bbelongs into\b", "belongs in", PROSE),
    (r"\bhalf (of )?a surrogate pair\b", "an unpaired surrogate", PROSE),
    (r"\bmarking phase\b", "scoring phase", PROSE),
    (r"\bground truth\b", "reference", PROSE),
    (r"\bgold standard\b", "reference", PROSE),
    (r"\bcompared to\b", "compared with", PROSE),
    (r"\bpictures?\b(?!\"\])", "image", PROSE),
    (r"\b(candidates|answers) (are |to be )?marked\b|\braters mark candidates\b", "score", PROSE),
    (r"\bamong yours\b", "does not exist, or you have no access to it", PROSE),
    (r"\b(exists|used|frozen|submitted|imported) already\b", "already exists, has already been used ...", PROSE),
    (r"\bbring in a study\b", "import a study", PROSE),
    (r"\btries at a password\b", "password attempts", GUIDES),
    (r"\bwhoever\b", "anybody who, people who", GUIDES),
    (r"\bis told\b", "is notified, is informed", GUIDES),
    (r"\bstands? (in(?! for\b)|on|at|above|below|beside)\b", "is in, is shown, is stored in", GUIDES),
    (r"\blies (in|among|beside|behind)\b", "is in, is stored in", GUIDES),
    (r"\bnot promised\b", "not guaranteed", GUIDES),
    (r"\bsmall letters?\b", "lower-case letters", PROSE),
    (r"\bstands there twice\b", "is listed twice", PROSE),
    (r"' is said of\b", "describes", PROSE),
    (r"\bsays something else (under|than)\b", "differs in, differs from", PROSE),
    (r"\bhangs? on\b", "depends on", GUIDES),
    (r"\bby itself\b", "on its own, alone", GUIDES),
    (r"\bfields\.between_raters\b", "nominal_agreement", CODE),
    (r"\bcalibration\.computing\b", "calibrating", CODE),
)

# A name, argument or function that is called so does not say what it holds; what is said instead.
VAGUE = {
    "found": "problems, rows, matches, the refusal ...",
    "kept": "stored, cached, selected, retained ...",
    "told": "messages, notices, what was reported ...",
    "one": "item, rater, study, row ...",
    "believed": "accepted, trusted ...",
    "dealer": "rng",
}
NAMED = (*CODE, "benchmarks", "tests", "app.py", "manage.py")


# A part of a name that says by another word what has a word already.
SYNONYMS = {
    "marks": "scores",
    "marking": "scoring",
    "scan": "volume",
    "scans": "volumes",
    "picture": "image",
    "pictures": "images",
    "mask": "overlay",
    "masks": "overlays",
    "readings": "reads",
    "annotator": "rater",
    "annotators": "raters",
}
# The statistics have masked arrays and marks of a placement; the demo's scan is a visit with several volumes.
SPOKEN = tuple(place for place in (*CODE, "app.py", "manage.py") if place not in ("agreement", "studies"))


@cache
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


@cache
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


# Where a text goes on in the next line, in a program as a string of its own.
_SEAM = re.compile(r'"\n\s*[fr]{0,2}"|\s*\n[\s#>]*')


@cache
def said_in(file: Path) -> str:
    """Return what a file says as one line: a word that is broken over two lines is said all the same."""
    return _SEAM.sub(lambda seam: "" if '"' in seam[0] else " ", text_of(file))


@cache
def said_in_lower_case(file: Path) -> str:
    return said_in(file).lower()


def sayings(word: str, text: str) -> list[str]:
    """Return what a text in lower case says of a retired word, which is a pattern."""
    # What begins with a letter is looked for ten times faster than what begins at the border of a word.
    begun, pattern = re.compile(word.removeprefix(r"\b")), re.compile(word)
    return [match[0] for start in begun.finditer(text) if (match := pattern.match(text, start.start()))]


@pytest.mark.parametrize(("word", "instead", "places"), RETIRED, ids=[word for word, _, _ in RETIRED])
def test_a_retired_word_is_said_no_more(word: str, instead: str, places: tuple[str, ...]) -> None:
    said = [
        f"{file.relative_to(ROOT)}: {saying}"
        for file in files_in(places)
        for saying in sayings(word, said_in_lower_case(file))
    ]

    assert said == [], f"say '{instead}'"


def test_a_phrase_is_noticed_over_the_seam_of_two_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('raise Wrong(\n    f"{name}: mend "\n    "the cell."\n)\n# It belongs\n# into it.\n')

    said = said_in(tmp_path / "a.py")

    assert "mend the cell" in said and "belongs into it" in said


def test_the_table_finds_a_word_where_it_stands() -> None:
    assert any(sayings(word, "key.dealer('reading')") for word, _, _ in RETIRED)


def test_the_table_leaves_alone_what_only_begins_or_ends_as_a_word_does() -> None:
    assert not any(sayings(word, "a redealer, the dealers' ex-ground truths") for word, _, _ in RETIRED)


@pytest.mark.parametrize("word", [word for word, _, _ in RETIRED])
def test_the_table_is_in_lower_case_as_the_texts_are(word: str) -> None:
    assert word == word.lower()


# The kinds of nodes by which a program names something, and where the name is.
GIVEN = {
    ast.arg: "arg", ast.FunctionDef: "name", ast.AsyncFunctionDef: "name", ast.ClassDef: "name",
    ast.ExceptHandler: "name", ast.alias: "asname", ast.Name: "id", ast.Attribute: "attr",
    ast.MatchAs: "name", ast.MatchStar: "name", ast.MatchMapping: "rest",
}  # fmt: skip


def names_given(source: str) -> list[tuple[int, str]]:
    """Return line and name of what a program names: variables, attributes, arguments, functions, classes, imports."""
    return sorted(
        (getattr(node, "lineno", 0), name)
        for node in ast.walk(ast.parse(source))
        if (place := GIVEN.get(type(node))) and (name := getattr(node, place))
        # What is only read was named elsewhere.
        if not isinstance(getattr(node, "ctx", None), (ast.Load, ast.Del))
    )


def may_give(name: str) -> re.Pattern[str]:
    """Return a pattern of the texts in which such names may be given: only these need be read as programs.

    A name that is given is defined, or followed by the end of a line, a sign of some kinds, or by `in` or `if`.
    """
    after = r"[ \t]*(?:$|[=:,)\]};#\\]|[-+*/%@&|^<>]+=|(?:in|if)\b)"
    return re.compile(rf"\b(?:def|class)\s+{name}|{name}{after}", re.MULTILINE)


MAY_BE_VAGUE = may_give(rf"\b(?:{'|'.join(VAGUE)})\b")
MAY_BE_A_SYNONYM = may_give(rf"\b(?:\w*_)?(?i:{'|'.join(SYNONYMS)})(?:_\w*)?\b")


def vague_names(source: str) -> list[tuple[int, str]]:
    """Return line and name of everything that is called by a vague name."""
    named = names_given(source) if MAY_BE_VAGUE.search(source) else []
    return [(line, name) for line, name in named if name in VAGUE]


@cache
def vague_names_in_the_code() -> tuple[tuple[str, str], ...]:
    """Return each vague name in the code with its file and line."""
    return tuple(
        (name, f"{file.relative_to(ROOT)}:{line}")
        for file in files_in(NAMED)
        if file.suffix == ".py"
        for line, name in vague_names(text_of(file))
    )


@pytest.mark.parametrize("word", VAGUE)
def test_no_name_in_the_code_is_a_vague_one(word: str) -> None:
    places = [place for name, place in vague_names_in_the_code() if name == word]

    assert places == [], f"instead of '{word}' say what it holds: {VAGUE[word]}"


@pytest.mark.parametrize(
    "source",
    [
        "found = rows()",
        "found += 1",
        "total, *found = rows()",
        "(found\n) = rows()",
        "found \\\n    = rows()",
        "found: int  # a number",
        "import row as found; import rows",
        "total = 0\nfor found in rows():\n    total += 1",
        "if found := rows(): pass",
        "lines = [found.line for found in rows()]",
        "with rows() as found: pass",
        "def row(found): pass",
        "def found(): pass",
        "async def found(): pass",
        "row = lambda *, found: 1",
        "class Rows:\n    found: int = 0",
        "self.found = 1",
        "try: pass\nexcept OSError as found: pass",
        "from rows import row as found",
        "match row:\n    case [1, *found]: pass",
        "match row:\n    case {'a': 1, **found}: pass",
        "match row:\n    case int() as found: pass",
    ],
)
def test_a_vague_name_is_noticed_wherever_it_is_given(source: str) -> None:
    assert [name for _, name in vague_names(source)] == ["found"]


@pytest.mark.parametrize("source", ["print(session.one())", "founded = 1", "row = 'found'", "def one_row(): pass"])
def test_a_word_in_a_text_or_another_name_is_no_vague_name(source: str) -> None:
    assert vague_names(source) == []


def synonyms(source: str) -> list[tuple[int, str]]:
    """Return line and name of everything of whose name a part has another word."""
    named = names_given(source) if MAY_BE_A_SYNONYM.search(source) else []
    return [(line, name) for line, name in named if not SYNONYMS.keys().isdisjoint(name.lower().split("_"))]


@pytest.mark.parametrize(
    "file", [file for file in files_in(SPOKEN) if file.suffix == ".py"], ids=lambda file: str(file.relative_to(ROOT))
)
def test_one_thing_has_one_word_in_names(file: Path) -> None:
    assert synonyms(text_of(file)) == []


@pytest.mark.parametrize("name", ["scan", "first_scan", "Scan", "SCAN_OF_1", "_scan", "scan_"])
def test_a_synonym_is_noticed_within_a_name(name: str) -> None:
    assert synonyms(f"def f({name}): pass") == [(1, name)]
    assert synonyms(f"def {name}(): pass") == [(1, name)]
