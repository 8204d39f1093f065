"""Each panel of a calibration has a link to the documentation's section on it, which the application shows itself."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from agreement.judge.panels import PANELS
from db import Database
from services.judging import import_runs
from services.progress import data_lock
from tests.listed_study import SCORE_ALONE, opened_listed, work_through
from tests.pages.conftest import OpenPage, as_read


def test_the_link_beside_each_panel_leads_to_its_section(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE)
    import_runs.import_judge_verdicts(
        served_database, situation.admin, "listed", name="run", judge="Judge", file_name="j.csv",
        content=b"item,candidate,verdict\ni1,k1,1\ni1,k2,0\n", field="score.verdict",
    )  # fmt: skip
    work_through(situation)
    data_lock.close_study(served_database, situation.admin, "listed")

    app = open_page(situation.admin, "admin/calibration.py", study="listed")

    links = [each.proto.url for each in app.get("link_button") if each.proto.label == "Documentation"]
    asked = [urlsplit(link) for link in links]
    assert [parse_qs(link.query)["section"] for link in asked] == [[kind.anchor] for kind in PANELS.values()]
    assert {(link.scheme, link.netloc, link.path) for link in asked} == {("", "", "/documentation")}
    for link, kind in zip(asked, PANELS.values(), strict=True):
        page = open_page(
            situation.admin, "admin/documentation.py", **{name: each for name, (each,) in parse_qs(link.query).items()}
        )
        assert [head.value for head in page.subheader] == [f"{kind.number} {kind.title}"]
        assert not page.exception and not page.error


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"document": "gone"}, "The documentation has no document 'gone'"),
        ({"document": "calibrate-a-judge", "section": "9-gone"}, "has no heading '9-gone'"),
        ({}, "The documentation has no document ''"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence(
    served_database: Database, open_page: OpenPage, tmp_path: Path, asked: dict[str, str], said: str
) -> None:
    situation = opened_listed(served_database, tmp_path / "study", SCORE_ALONE)

    app = open_page(situation.admin, "admin/documentation.py", **asked)

    assert not app.exception
    (refusal,) = app.error
    assert said in as_read(refusal.value)
