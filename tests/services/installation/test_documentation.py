"""Those who may calibrate judges read the documentation in the application; each panel leads to its heading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agreement.judge.panels import HOW_TO, PANELS
from components.documentation_view import in_application
from db import Database
from services.errors import NotAllowed, NotFound
from services.installation import documentation
from services.installation.documentation import section_to_read
from tests.docs.markdown import anchors
from tests.harness.server import ROOT
from tests.listed_study import SCORE_ALONE, opened_listed

GUIDE = "calibrate-a-judge"


def test_each_panel_leads_to_a_heading_that_exists(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORE_ALONE)

    for kind in PANELS.values():
        section = section_to_read(sqlite_database, situation.admin, GUIDE, kind.anchor)

        assert section.title == f"{kind.number} {kind.title}"
        assert section.file == HOW_TO
        assert documentation.anchor_of(section.title) == kind.anchor
        assert section.text


def test_a_section_ends_where_another_of_its_level_begins(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORE_ALONE)

    section = section_to_read(sqlite_database, situation.admin, GUIDE, "in-the-application")

    assert next(iter(section.sections.values())) == "A sealed test part"
    assert "### A sealed test part" in section.text
    direction = section_to_read(sqlite_database, situation.admin, GUIDE, "2-direction").text
    assert not re.search("^#", direction, re.MULTILINE)


@pytest.mark.parametrize("document", ["", "nothing", "../secrets", "0032-panels-of-a-calibration", "x\x00"])
def test_an_unknown_document_is_refused_in_one_sentence(
    sqlite_database: Database, tmp_path: Path, document: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORE_ALONE)

    with pytest.raises(NotFound, match=r"^The documentation has no document '.*'; go back to the page"):
        section_to_read(sqlite_database, situation.admin, document, "2-direction")
    with pytest.raises(NotFound, match=r"^docs/how-to/calibrate-a-judge\.md has no heading 'nothing'; remove it"):
        section_to_read(sqlite_database, situation.admin, GUIDE, "nothing")


def test_raters_do_not_read_it(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORE_ALONE)

    with pytest.raises(NotAllowed, match=r"^Only owners and admins of a study"):
        section_to_read(sqlite_database, situation.raters[0], GUIDE, "2-direction")


def test_links_of_all_documents_lead_to_headings_in_the_application_or_to_a_site() -> None:
    link = re.compile(r"\]\((?!https?://)([^)]*)\)")
    ours = re.compile(r"/documentation\?document=([\w-]+)(?:&section=([^)]+))?")

    dead = [
        f"{name}: {target}"
        for name, file in documentation.documents().items()
        for target in link.findall(re.sub(r"`[^`]*`", "", in_application(file.read_text(encoding="utf-8"), name)))
        if not ((there := ours.fullmatch(target)) and _exists(*there.groups()))
    ]

    assert dead == []


def _exists(name: str, anchor: str | None) -> bool:
    text = documentation.documents()[name].read_text(encoding="utf-8")
    return not anchor or anchor in anchors(text)


def test_what_the_application_does_not_show_is_named() -> None:
    said = in_application(
        "[why](../adr/0001-x.md), ![a screen](../a.png), [formula](../statistics.md#direction)", GUIDE
    )

    assert said == (
        "why (../adr/0001-x.md), a screen (../a.png), [formula](/documentation?document=statistics&section=direction)"
    )


def test_the_how_to_of_the_panels_is_a_file() -> None:
    assert (ROOT / HOW_TO).is_file()
