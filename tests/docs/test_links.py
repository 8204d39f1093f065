"""Every link between the documents leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.markdown import anchors, documents, links, name_of
from tests.harness.server import ROOT


def dead_links(document: Path) -> list[str]:
    """Return the links of a document that lead to no file, or to no heading in it."""
    dead = []
    for link in links(document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


@pytest.mark.parametrize("document", [*documents(), ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert dead_links(document) == []


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[there](other.md)", []),
        ("[there](other.md#what-it-costs)", []),
        ("# Here\n[up](#here)", []),
        ("[out](https://example.org/x)", []),
        ("`[code](gone.md)`", []),
        ("[gone](gone.md)", ["gone.md"]),
        ("![gone](gone.png)", ["gone.png"]),
        ("[no such part](other.md#nothing)", ["other.md#nothing"]),
        ("[no such part](#nothing)", ["#nothing"]),
    ],
)
def test_a_dead_link_is_told_from_others(tmp_path: Path, text: str, dead: list[str]) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## What it costs\n")
    (tmp_path / "page.md").write_text(text)

    assert dead_links(tmp_path / "page.md") == dead
