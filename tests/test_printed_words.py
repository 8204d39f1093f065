"""Words are printed and not read back: what code needs of them is in a field beside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("agreement", "exchange", "services", "components", "pages", "commands")

# Attributes that hold a sentence of ours, and functions that return one.
SENTENCES = {"method", "warning", "undefined_because", "because", "sentence"}
WORDED = re.compile(r"in_words$|^in_(points|brief|figures|percent)$|^shown_")
NAMED = re.compile(rf"\.(?:{'|'.join(SENTENCES)})\b|in_(?:words|points|brief|figures|percent)\(|\bshown_")
TAKING_APART = {
    "split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "startswith", "endswith",
    "find", "index",
}  # fmt: skip
PATTERNS = {"match", "search", "fullmatch", "split", "sub", "findall", "finditer"}


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCES
    if not isinstance(node, ast.Call):
        return False
    named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return WORDED.search(named) is not None


def _reads_words(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = zip(node.ops, node.comparators, strict=True)
        return any(isinstance(how, ast.In | ast.NotIn) and _is_words(where) for how, where in sides)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
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
    ],
)
def test_reading_words_back_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "agreement").mkdir()
    (tmp_path / "agreement/kappa.py").write_text(f"def f():\n    return {line}")

    assert read_back(tmp_path) == {"agreement/kappa.py: f"}


@pytest.mark.parametrize("line", ["f'{estimate.method}; rough'", "name.split('.')", "row.estimate.interval in KINDS"])
def test_what_reads_no_words_is_let_through(tmp_path: Path, line: str) -> None:
    (tmp_path / "agreement").mkdir()
    (tmp_path / "agreement/kappa.py").write_text(f"def f():\n    return {line}")

    assert read_back(tmp_path) == set()
