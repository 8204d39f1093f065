"""Pages run as a signed-in person sees them, against a real database, without a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from components.frame import PAGES
from db import Database
from db.engine import database_from_environment
from services.people.identity import Actor

ROOT = Path(__file__).resolve().parents[2]
OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Let Streamlit look for components in the installed packages once, and not at every run of a page as it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def served_database(sqlite_url: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The database that the pages open, as a server's process would."""
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(data_dir))
    database_from_environment.cache_clear()
    opened = database_from_environment()
    yield opened
    opened.engine.dispose()
    database_from_environment.cache_clear()


@pytest.fixture
def open_page(served_database: Database) -> OpenPage:
    """A function that runs a page for a signed-in person: `open_page(actor, "admin/study.py", study="tiny")`."""
    return opened_page


def opened_page(actor: Actor | None, page: str | None = None, **query: str) -> AppTest:
    """Run a page of the database that the environment names, for a signed-in person."""
    app = AppTest.from_file(str(ROOT / "pages" / "entry" / "navigation.py"), default_timeout=30)
    if actor is not None:
        app.user = {"login_session": str(actor.login_session_id)}
    for name, value in query.items():
        app.query_params[name] = value
    if page is not None:
        script = ROOT / "pages" / page
        # By its address it is opened at once, as in a browser; a test knows a page whose script has another name than
        # its address only once a run has said which pages there are.
        if script.stem not in PAGES:
            app.run()
        app.switch_page(str(script))
    return app.run()


def as_read(text: str) -> str:
    """Return a text that is no Markdown, as it stands on the page."""
    return re.sub(r"\\(.)|:small\[\]", r"\1", text)
