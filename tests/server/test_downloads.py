"""A file is made for whoever asks, by the right that they have then; knowing its name is no right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from db import Database
from db.engine import database_from_environment
from server import downloads
from server.gate import Gate
from services.people import identity
from services.progress import data_lock
from services.studies.membership import members
from tests.situations import Situation, open_study, opened_once, write_study_folder

FILES = ("manifest.json", "report.html", "report-csv.zip", "report.json")


@pytest.fixture
def situation(sqlite_url: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Situation]:
    """Two studies with an admin each, the first of them closed, in the database that the routes open."""
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(data_dir))
    database_from_environment.cache_clear()
    database = database_from_environment()

    def make(empty: Database) -> Situation:
        made = open_study(empty, tmp_path / "one")
        open_study(empty, tmp_path / "two", key="other")
        members.invite(empty, made.admin, "other", "other-admin", "Olga Other", "admin")
        data_lock.close_study(empty, made.admin, "tiny")
        return made

    yield opened_once(database, write_study_folder(tmp_path / "one"), ("two studies",), make)
    database.engine.dispose()
    database_from_environment.cache_clear()


def asking(database: Database, login: str | None) -> TestClient:
    client = TestClient(Starlette(routes=downloads.routes, middleware=[Middleware(Gate)]), base_url="http://127.0.0.1")
    if login is not None:
        token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
        client.cookies.set("blindread-default", token)
    return client


@pytest.mark.parametrize("name", FILES)
def test_an_admin_gets_the_file_of_their_study_to_keep(situation: Situation, name: str) -> None:
    answer = asking(situation.database, "admin").get(f"/download/tiny/{name}")

    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="tiny-{name}"'
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.content) > 100


def test_an_owner_gets_a_study_to_start_from_and_nobody_else(situation: Situation) -> None:
    owner, admin, rater = (asking(situation.database, login) for login in ("admin", "other-admin", "rater-1"))

    given = owner.get("/download/new-study/my-study.zip")

    assert (given.status_code, given.content[:2]) == (200, b"PK")
    assert given.headers["content-disposition"] == 'attachment; filename="my-study.zip"'
    assert [client.get("/download/new-study/my-study.zip").status_code for client in (admin, rater)] == [403, 403]


def test_the_shape_of_a_published_study_is_a_file_of_its_name(situation: Situation) -> None:
    owner = asking(situation.database, "admin")

    given = owner.get("/download/new-study/mri_eval_judge_validation.zip")

    assert (given.status_code, given.content[:2]) == (200, b"PK")
    assert given.headers["content-disposition"] == 'attachment; filename="mri_eval_judge_validation.zip"'
    assert owner.get("/download/new-study/starter.zip").status_code == 404


@pytest.mark.parametrize("name", FILES)
def test_an_admin_of_another_study_gets_nothing_of_it(situation: Situation, name: str) -> None:
    mine, theirs = asking(situation.database, "admin"), asking(situation.database, "other-admin")
    assert mine.get(f"/download/tiny/{name}").status_code == 200

    answer = theirs.get(f"/download/tiny/{name}")

    assert (answer.status_code, answer.text) == (404, "This study does not exist, or you have no access to it.")


@pytest.mark.parametrize("name", FILES)
def test_raters_and_reviewers_get_nothing(situation: Situation, name: str) -> None:
    for login in ("rater-1", "reviewer"):
        assert asking(situation.database, login).get(f"/download/tiny/{name}").status_code == 403


@pytest.mark.parametrize("name", FILES)
def test_nobody_gets_anything_without_a_login(situation: Situation, name: str) -> None:
    assert asking(situation.database, None).get(f"/download/tiny/{name}").status_code == 401


def test_a_report_that_is_shut_on_its_page_is_shut_here(situation: Situation) -> None:
    admin = asking(situation.database, "other-admin")

    assert "is locked until" in admin.get("/download/other/report.json").text
    manifest = admin.get("/download/other/manifest.json")

    assert json.loads(manifest.text)["study"] == "other"


@pytest.mark.parametrize(
    "path", ["/download/tiny/else.txt", "/download/no-such/report.json", "/download/%00/manifest.json"]
)
def test_what_there_is_not_is_said_in_a_sentence(situation: Situation, path: str) -> None:
    answer = asking(situation.database, "admin").get(path)

    assert answer.status_code == 404
    assert answer.text.endswith(".")


def test_streamlits_own_files_are_shut_to_everybody(situation: Situation) -> None:
    assert asking(situation.database, "admin").get("/media/x.json").status_code == 404


def test_no_page_makes_a_file_that_streamlit_would_serve() -> None:
    root = Path(__file__).parents[2]
    sources = [path.read_text("utf-8") for folder in ("pages", "components") for path in (root / folder).rglob("*.py")]

    for call in ("download_button", "st.image(", "st.audio(", "st.video(", "st.pdf("):
        assert not any(call in source for source in sources), call
