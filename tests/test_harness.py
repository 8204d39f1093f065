"""The fixtures do what the other tests rely on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import Engine, inspect, text

from db.engine import Database, make_engine
from tests.harness import chromium, postgresql, provide
from tests.harness.ending import made_once
from tests.harness.screenshots import photograph
from tests.harness.server import ROOT, RunningServer, clean_environment


def test_engine_comes_with_the_schema(engine: Engine) -> None:
    tables = inspect(engine).get_table_names()

    assert {"study", "verdict", "alembic_version"} <= set(tables)


@pytest.mark.parametrize("turn", [1, 2])
def test_no_test_sees_what_another_one_stored(engine: Engine, turn: int) -> None:
    with engine.connect() as connection:
        seen = inspect(connection).has_table("left_behind")

    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE left_behind (turn INTEGER)"))

    assert not seen, f"turn {turn}"


def test_database_has_an_empty_data_folder_of_its_own(database: Database) -> None:
    assert not database.volume_dir.exists()


def test_empty_database_has_no_table(empty_database_url: str) -> None:
    engine = make_engine(empty_database_url)

    tables = inspect(engine).get_table_names()
    engine.dispose()

    assert tables == []


def test_what_a_run_shares_is_made_by_one_of_its_processes_and_found_by_the_others(tmp_path: Path) -> None:
    making = (
        "import os, sys\n"
        "from tests.harness.ending import made_once\n"
        "folder = made_once(sys.argv[1], lambda place: (place / 'by').write_text(str(os.getpid())))\n"
        "print((folder / 'by').read_text())"
    )
    command = [sys.executable, "-c", making, tmp_path.name]

    makers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {maker.communicate()[0].strip() for maker in makers}

    assert len(said) == 1
    assert said <= {str(maker.pid) for maker in makers}


def test_what_could_not_be_made_is_tried_again_and_never_found_half_made(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "first half").touch()
        raise OSError

    with pytest.raises(OSError):
        made_once(tmp_path.name, fail)
    folder = made_once(tmp_path.name, lambda place: (place / "whole").touch())

    assert [file.name for file in folder.iterdir()] == ["whole"]


def test_a_server_starts_only_where_the_test_says_so(tmp_path: Path) -> None:
    running = RunningServer(tmp_path / "data", tmp_path / "log", {})

    with pytest.raises(RuntimeError, match="marker `server`"):
        running.start()


TRIED_TWICE = """
import pytest

pytestmark = pytest.mark.flaky(reruns=1)

@pytest.fixture(scope="session")
def made():
    return []

@pytest.fixture(scope="module")
def study(made):
    made.append("made")
    yield []
    made.append("taken down")

def test_before(study):
    study.append("an answer")

def test_of_what_is_shown(study, made):
    found = list(study)
    study.append("another answer")
    assert made[-1] == "made" and found == [], "Locator expected"

def test_after(made):
    assert made == ["made", "taken down", "made"]
"""


@pytest.mark.server
def test_a_second_try_finds_no_trace_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "test_tried.py").write_text(TRIED_TWICE)
    with_plugins = ["-p", "tests.harness.second_try", "-p", "no:cacheprovider"]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", *with_plugins, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert "3 passed, 1 rerun" in done.stdout, done.stdout


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nothing is found and nothing can be installed."""
    monkeypatch.setenv("BLINDREAD_CHROMIUM", str(tmp_path / "no-such-browser"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(postgresql, "PLACES", ())


def test_missing_programs_are_named_and_skipped_on_a_developers_machine(
    bare_machine: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)

    code = provide.main()

    assert code == 0
    assert chromium.MISSING in capsys.readouterr().out


def test_missing_programs_fail_under_ci(
    bare_machine: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")

    code = provide.main()

    assert code == 1
    assert postgresql.MISSING in capsys.readouterr().out


def test_server_under_test_does_not_inherit_the_developers_own_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://precious")
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")

    environment = clean_environment(tmp_path, {"BLINDREAD_EXAMPLE": "1"})

    assert "DATABASE_URL" not in environment
    assert "STREAMLIT_SERVER_ADDRESS" not in environment
    assert environment["BLINDREAD_EXAMPLE"] == "1"


@pytest.mark.server
def test_server_can_be_killed_and_restarted_on_the_same_port(tmp_path: Path) -> None:
    app = "import streamlit\napp = streamlit.App('pages/entry/navigation.py')\n"
    (tmp_path / "app.py").write_text(app)
    (tmp_path / "pages/entry").mkdir(parents=True)
    (tmp_path / "pages/entry/navigation.py").write_text("import streamlit as st\nst.write('hello')\n")
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit/config.toml").write_text('server.headless = true\nserver.address = "127.0.0.1"\n')
    running = RunningServer(tmp_path / "data", tmp_path / "log", {}, root=tmp_path)
    running.start()
    first, port = running.pid, running.port

    running.kill9()
    running.restart()
    second = running.pid
    running.stop()

    assert first != second
    assert running.port == port
    assert f":{port}" in running.log_text()


@pytest.mark.server
def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import no_such_module\nimport streamlit\napp = streamlit.App('page.py')\n")
    running = RunningServer(tmp_path / "data", tmp_path / "log", {}, root=tmp_path)

    with pytest.raises(RuntimeError, match="no_such_module"):
        running.start()


@pytest.mark.parametrize("name", ["Demo admin", "Demo reviewer", "Demo rater 1", "Demo rater 2"])
def test_each_of_the_demos_people_can_sign_in_by_link(
    demo_server: RunningServer, signed_in: Callable[..., Page], name: str
) -> None:
    page = signed_in(demo_server, name)

    page.get_by_test_id("stApp").wait_for()
    page.get_by_role("heading").first.wait_for()

    assert page.url.startswith(demo_server.url)
    assert page.get_by_test_id("stException").count() == 0


def test_browser_draws_with_webgl_2(page: Page) -> None:
    drawn = page.evaluate(
        """() => {
          const gl = document.createElement('canvas').getContext('webgl2');
          gl.clearColor(0, 1, 0, 1);
          gl.clear(gl.COLOR_BUFFER_BIT);
          const pixel = new Uint8Array(4);
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
          return Array.from(pixel);
        }"""
    )

    assert drawn == [0, 255, 0, 255]


def test_two_pages_are_two_people(new_page: Callable[..., Page]) -> None:
    first, second = new_page(), new_page(width=800, height=600)
    first.context.add_cookies([{"name": "who", "value": "first", "url": "http://127.0.0.1"}])

    assert second.context.cookies() == []


def test_failed_browser_tests_leave_a_screenshot(
    browser: Browser, page: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.harness.screenshots.FOLDER", tmp_path)
    page.set_content("<h1>What was on the screen</h1>")

    saved = photograph(browser, "tests/test_x.py::test_a[b c]")

    assert [file.name for file in saved] == ["tests-test_x.py-test_a-b-c-1.png"]
    assert saved[0].read_bytes().startswith(b"\x89PNG")
