"""Words are printed and not read back: what code needs of them is in a field beside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("agreement", "exchange", "services", "components", "pages", "commands", "server")

# Attributes that hold a sentence of ours, variables that are called what they hold, and functions that return one.
SENTENCES = {"method", "warning", "undefined_because", "because", "sentence"}
VARIABLES = {"reason", "refusal", "sentence", "warning"}
WORDED = re.compile(r"in_words$|^in_(points|brief|figures|percent)$|^shown_")
TAKING_APART = {
    "split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "startswith", "endswith",
    "find", "index",
}  # fmt: skip
PATTERNS = {"match", "search", "fullmatch", "split", "sub", "findall", "finditer"}
# What a file has to contain for it to be worth reading as a program.
_VARIABLES = "|".join(VARIABLES)
NAMED = re.compile(
    rf"\.(?:{'|'.join(SENTENCES)})\b|in_(?:words|points|brief|figures|percent)\(|\bshown_"
    rf"|\b(?:{_VARIABLES})\.(?:{'|'.join(TAKING_APART)})\(|\.(?:{'|'.join(PATTERNS)})\([^)\n]*\b(?:{_VARIABLES})\b"
    rf"|['\"] (?:not )?in (?:{_VARIABLES}|words)\b"
)


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCES
    if isinstance(node, ast.Name):
        return node.id in VARIABLES
    if not isinstance(node, ast.Call):
        return False
    named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return WORDED.search(named) is not None


def _reads_words(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = zip(node.ops, node.comparators, strict=True)
        looks = [where for how, where in sides if isinstance(how, ast.In | ast.NotIn)]
        # Words may also be a list or a text of others, in which no part of a sentence is looked for.
        for_a_part = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        return any(map(_is_words, looks)) or (
            for_a_part and any(isinstance(where, ast.Name) and where.id == "words" for where in looks)
        )
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    # A reason that somebody typed is stored without NUL, as PostgreSQL cannot store one.
    if node.func.attr == "replace" and isinstance(node.args[0], ast.Constant) and node.args[0].value == "\x00":
        return False
    if node.func.attr in TAKING_APART and _is_words(node.func.value):
        return True
    return node.func.attr in PATTERNS and any(map(_is_words, node.args))


def _functions(source: str) -> Iterator[ast.FunctionDef]:
    # Few files name such words at all; only these need be read as programs.
    if NAMED.search(source):
        yield from (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))


def read_back(root: Path) -> set[str]:
    """Return the functions that take a sentence of ours apart or look for words in it."""
    return {
        f"{file.relative_to(root).as_posix()}: {function.name}"
        for room in ROOMS
        for file in sorted((root / room).rglob("*.py"))
        # Other programs' files have methods of their own.
        if "foreign" not in file.parts
        for function in _functions(file.read_text(encoding="utf-8"))
        if any(map(_reads_words, ast.walk(function)))
    }


def test_no_function_reads_data_back_out_of_printed_words() -> None:
    assert read_back(ROOT) == set()


@pytest.mark.parametrize(
    "line",
    [
        "'left out' in row.estimate.method",
        "estimate.method.partition('; ')[0]",
        "re.split('[,;]', estimate.method)",
        "_COUNT.sub('', estimate.warning)",
        "in_points(estimate).partition(', no interval')[0]",
        "p_in_words(p).removeprefix('P ')",
        "{reason.partition(': ')[2] for reason in reasons if reason.startswith('Form ')}",
        "in_points if 'points' in words else in_figures",
    ],
)
def test_reading_words_back_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "agreement").mkdir()
    (tmp_path / "agreement/kappa.py").write_text(f"def f():\n    return {line}")

    assert read_back(tmp_path) == {"agreement/kappa.py: f"}


@pytest.mark.parametrize("line", ["f'{estimate.method}; rough'", "name.split('.')", "row.estimate.interval in KINDS",
                                  "limits not in words", "reason.replace('\\x00', '')"])  # fmt: skip
def test_what_reads_no_words_is_let_through(tmp_path: Path, line: str) -> None:
    (tmp_path / "agreement").mkdir()
    (tmp_path / "agreement/kappa.py").write_text(f"def f():\n    return {line}")

    assert read_back(tmp_path) == set()
