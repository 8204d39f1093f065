"""The documents of the repository, taken apart: code spans, fenced blocks, links, headings."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.harness.server import ROOT

FENCED = re.compile(r"^ *```[^\n]*\n(.*?)^ *```", re.S | re.M)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def documents() -> list[Path]:
    """Return every document of the repository but the changelog, which names what is gone too."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(document: Path) -> str:
    """Return a document's path from the root, as the names of tests give it."""
    return document.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[str]:
    """Return the text of fenced blocks."""
    return FENCED.findall(text)


def spans(text: str) -> list[str]:
    """Return the text between single backticks, outside of fenced blocks, each in one line."""
    return [" ".join(span.split()) for span in SPAN.findall(FENCED.sub("", text))]


def links(text: str) -> list[str]:
    """Return the targets of links and images that lie in the repository."""
    targets = LINK.findall(SPAN.sub("", FENCED.sub("", text)))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(text: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paths_of_the_repository() -> set[str]:
    """Return the paths of all files and folders that are, or are about to be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    files = {Path(line) for line in listed.stdout.splitlines() if (ROOT / line).exists()}
    return {path.as_posix() for file in files for path in (file, *file.parents)} - {"."}
