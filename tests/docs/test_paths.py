"""Files, folders, modules, tests and make targets that the documents name are in the repository.

What counts as a path, in code spans and fenced blocks:

- a word with a slash whose first part is a folder of the repository (`tests/studies`, `services/reading/desk.py`);
- a whole span with a slash, or with the ending of a source file, even if it leaves out the first folders, as documents
  about one room do (`fields/registry.js`, `desk.py`, `record/`): some path of the repository has to end in it.

`<name>` stands for any name, of which there has to be one. Routes begin with a slash; names in capitals, and the
folders in ELSEWHERE, belong to a study or an installation.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from tests.docs.markdown import blocks, documents, name_of, paths_of_the_repository, spans
from tests.harness.server import ROOT

A_PATH = re.compile(r"[\w.<>-]+(?:/[\w.<>-]+)*/?")
SOURCE = re.compile(r".*[\w>]\.(?:py|js|mjs|md|sh|toml|lock)")
# Folders of a study, of what is installed, and of what tests leave behind.
ELSEWHERE = {"volumes", ".venv", "test-artifacts"}


def missing_paths(text: str, there: set[str]) -> list[str]:
    """Return the paths that a document names and that are not among those of the repository."""
    whole = [span for span in spans(text) if A_PATH.fullmatch(span) and ("/" in span or SOURCE.fullmatch(span))]
    words = [word for code in (*blocks(text), *spans(text)) for word in re.split(r"[\s=\"'(),]+", code) if "/" in word]
    roots = {path for path in there if "/" not in path}
    of_ours = [word for word in words if A_PATH.fullmatch(word) and word.split("/")[0] in roots]
    named = dict.fromkeys(path for path in (*whole, *of_ours) if not _is_elsewhere(path))
    return [path for path in named if not _is_there(path.rstrip("/"), there)]


def _is_elsewhere(path: str) -> bool:
    first, last = path.split("/")[0], path.rstrip("/").split("/")[-1]
    return first in ELSEWHERE or bool(re.fullmatch(r"[A-Z_]+", first)) or last.startswith(".")


def _is_there(path: str, there: set[str]) -> bool:
    wanted = re.sub(r"<\w+>", "*", path)
    return any(fnmatch.fnmatchcase(f"/{existing}", f"*/{wanted}") for existing in there)


def missing_modules(text: str) -> list[str]:
    """Return the modules behind `python -m` that are in one of our folders and do not exist."""
    named = re.findall(r"python -m ([\w.]+)", " ".join((*blocks(text), *spans(text))))
    ours = [ROOT.joinpath(*name.split(".")) for name in named if (ROOT / name.split(".")[0]).is_dir()]
    return [path.name for path in ours if not path.with_suffix(".py").exists() and not (path / "__main__.py").exists()]


@pytest.fixture(scope="module")
def there() -> set[str]:
    return paths_of_the_repository()


@pytest.fixture(scope="module")
def tests_there(there: set[str]) -> set[str]:
    tests = [ROOT / path for path in there if path.startswith("tests/") and path.endswith(".py")]
    return set(re.findall(r"def (test_\w+)", " ".join(file.read_text(encoding="utf-8") for file in tests)))


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_every_path_that_is_named_is_there(document: Path, there: set[str]) -> None:
    assert missing_paths(document.read_text(encoding="utf-8"), there) == []


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_every_module_that_is_run_is_there(document: Path) -> None:
    assert missing_modules(document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_every_test_that_is_named_is_there(document: Path, tests_there: set[str]) -> None:
    named = {span for span in spans(document.read_text(encoding="utf-8")) if re.fullmatch(r"test_\w+", span)}

    assert named - tests_there == set()


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_every_make_target_that_is_named_is_there(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = document.read_text(encoding="utf-8")

    lines = [line for code in (*blocks(text), *spans(text)) for line in code.splitlines()]
    named = {match[1] for line in lines if (match := re.match(r"(?:\w+=\S+ )*make ([a-z-]+)", line))}

    assert named - targets == set()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`services/reading/desk.py`", []),
        ("`desk.py`", []),
        ("`reading/`", []),
        ("`services/<room>/desk.py`", []),
        ("`GET /reading/scans`, `/health`, `volumes/c1.nii.gz`, `DATA_DIR/backups/`, `.hdr/.img`, `items.csv`", []),
        ("`k / (k - 1)`", []),
        ("```\npytest services/reading -k x\n```", []),
        ("`services/reading/gone.py`", ["services/reading/gone.py"]),
        ("`gone.py`", ["gone.py"]),
        ("`linding.py`", ["linding.py"]),
        ("`gone/`", ["gone/"]),
        ("`services/<room>/gone.py`", ["services/<room>/gone.py"]),
        ("`make browser ARGS=services/gone`", ["services/gone"]),
        ("```\npytest services/gone -k x\n```", ["services/gone"]),
    ],
)
def test_a_path_that_is_gone_is_told_from_others(text: str, missing: list[str]) -> None:
    there = {"services", "services/reading", "services/reading/desk.py"}

    assert missing_paths(text, there) == missing


def test_a_module_that_is_gone_is_found() -> None:
    assert missing_modules("`python -m agreement`, `python -m benchmarks.load`, `python -m benchmarks.gone`") == [
        "gone"
    ]
