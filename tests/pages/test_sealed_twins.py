"""Nothing that an admin gets depends on what people answered about sealed subjects: two installations say the same.

Searching for planted words finds what is quoted; this finds what is counted, ordered, dated or left out, too.
"""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import Database
from db.engine import database_from_environment, make_engine
from server.downloads import FILES, OF_JUDGES, AskedOfJudge
from tests.harness.command_line import invoke
from tests.harness.postgresql import PostgresDatabases
from tests.pages.conftest import ROOT, opened_page
from tests.services.report.sealed_scores import items_for_test
from tests.services.report.sealed_twins import STUDY, answered, divided, on_sqlite
from tests.situations import Situation

# They work through a study twice, and build all that is made of it.
pytestmark = pytest.mark.server
Twins = tuple[Situation, Situation]

# What is drawn anew for each row, or follows from the moment, whatever was answered: keys of assignments, receipts and
# times. Hashes do, too (each is of rows with such keys or times), but not which of them are equal. Pages show the first
# digits of a freeze's.
_HASH = re.compile(r"\b[0-9a-f]{64}\b|(?<=freeze )[0-9a-f]{12}\b")
_OF_THE_MOMENT = (
    (re.compile(r'"assignment": "[\w-]{22}"'), "<assignment>"),
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b"), "<receipt>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z| UTC)?"), "<time>"),
)
COMMANDS = {
    "export": ("export", STUDY, "--out", "OUT"),
    "verify": ("verify", STUDY),
    "blinding-audit": ("blinding-audit", STUDY, "--out", "OUT", "--show-values"),
    "judge report": ("judge", "report", STUDY, "--all-rows"),
    "judge report by labels": ("judge", "report", STUDY, "--all-rows", "--labels", "physicians"),
    "judge report by what was settled": ("judge", "report", STUDY, "--all-rows", "--basis", "adjudicated"),
    "judge certify by labels": (
        "judge", "certify", STUDY, "--run", "run-1", "--labels", "physicians", "--to", "OUT.json",
    ),
}  # fmt: skip
PAGES = sorted(path.stem for path in (ROOT / "pages" / "admin").glob("*.py") if path.stem != "import_study")


@pytest.fixture(scope="module")
def twins(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    """Return a closed and judged study, and one in which something else is said of sealed subjects."""
    folder = tmp_path_factory.mktemp("twins")
    at_first = divided(on_sqlite(migrated_sqlite, folder / "at first"), folder / "at first")
    others, study = items_for_test(at_first), folder / "at first" / "study"
    pair = answered(at_first, folder / "a", study=study), answered(at_first, folder / "b", others, study=study)
    yield pair
    for each in pair:
        each.database.engine.dispose()


@pytest.fixture(scope="module")
def twins_on_postgresql(
    postgres_server: PostgresDatabases, migrated_postgres: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twins]:
    """Return the same pair on PostgreSQL, which returns rows in any order that a statement leaves open."""
    folder, names = tmp_path_factory.mktemp("twins"), []

    def copy_of(name: str, data_dir: Path) -> Database:
        names.append(postgres_server.create_database(template=name))
        return Database(make_engine(postgres_server.url(names[-1])), data_dir)

    def copied(database: Database, data_dir: Path) -> Database:
        shutil.copytree(database.data_dir, data_dir)
        return copy_of(str(database.engine.url.database), data_dir)

    (folder / "at first" / "data").mkdir(parents=True)
    at_first = divided(copy_of(migrated_postgres, folder / "at first" / "data"), folder / "at first")
    others = items_for_test(at_first)
    study = folder / "at first" / "study"
    pair = (
        answered(at_first, folder / "a", copied=copied, study=study),
        answered(at_first, folder / "b", others, copied=copied, study=study),
    )
    yield pair
    for each in pair:
        each.database.engine.dispose()
    for name in names:
        postgres_server.drop_database(name)


def as_compared(text: str, situation: Situation) -> str:
    text = text.replace(str(situation.database.data_dir), "<folder>")
    text = text.replace(f"'{situation.database.engine.url.database}'", "<database>")
    for pattern, name in _OF_THE_MOMENT:
        text = pattern.sub(name, text)
    numbers: dict[str, int] = {}
    return _HASH.sub(lambda match: f"<hash {numbers.setdefault(match[0], len(numbers))}>", text)


def test_hashes_are_compared_by_which_of_them_are_equal(twins: Twins) -> None:
    a, b, c = ("0" * 63 + end for end in "abc")

    compared = [as_compared(" ".join(hashes), twins[0]) for hashes in ((a, b, a), (c, a, c), (a, b, c))]

    assert compared[0] == compared[1] != compared[2]


def require_the_same(first: str, second: str) -> None:
    # A difference of megabytes takes longer to be shown than to be made.
    differing = [pair for pair in zip(first.splitlines(), second.splitlines(), strict=False) if pair[0] != pair[1]]
    assert differing[:3] == []
    assert len(first) == len(second)


def serve(situation: Situation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages and commands use the database of a situation."""
    monkeypatch.setenv("DATABASE_URL", situation.database.engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(situation.database.data_dir))
    database_from_environment.cache_clear()


@pytest.fixture(autouse=True)
def nothing_served_afterwards() -> Iterator[None]:
    yield
    database_from_environment.cache_clear()


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_downloaded_are_the_same(twins: Twins, name: str) -> None:
    make, media_type = FILES[name]

    def made(situation: Situation) -> str:
        content = make(situation.database, situation.admin, STUDY)
        if media_type != "application/zip":
            return as_compared(content.decode(), situation)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return as_compared("\n".join(archive.read(each).decode() for each in archive.namelist()), situation)

    require_the_same(*map(made, twins))


@pytest.mark.parametrize("labels", [(), ("physicians",)], ids=["by raters", "by labels made elsewhere"])
def test_files_of_judges_that_are_downloaded_are_the_same(twins: Twins, labels: tuple[str, ...]) -> None:
    asked = AskedOfJudge("score.verdict", ("run-1",), "", labels)

    for make, _ in OF_JUDGES.values():
        require_the_same(*(as_compared(make(each.database, each.admin, STUDY, asked), each) for each in twins))


@pytest.mark.parametrize("name", COMMANDS)
def test_what_commands_print_and_write_is_the_same(
    twins: Twins, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_the_same(*(said_by(name, each, tmp_path / end, monkeypatch) for each, end in zip(twins, "ab", strict=True)))


@pytest.mark.postgresql
@pytest.mark.parametrize("name", ["export", "blinding-audit", "judge report by labels"])
def test_what_commands_print_and_write_is_the_same_on_postgresql(
    twins_on_postgresql: Twins, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = zip(twins_on_postgresql, "ab", strict=True)

    require_the_same(*(said_by(name, each, tmp_path / end, monkeypatch) for each, end in pair))


def said_by(name: str, situation: Situation, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command prints and writes about a situation, as it is compared."""
    serve(situation, monkeypatch)
    folder.mkdir()
    result = invoke(*(f"{folder}/{part.lower()}" if part.startswith("OUT") else part for part in COMMANDS[name]))
    assert result.exit_code == 0, result.output
    written = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    texts = [f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in written]
    return as_compared("\n".join([result.output.replace(str(folder), "<out>"), *texts]), situation)


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_the_same(twins: Twins, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for situation in twins:
        serve(situation, monkeypatch)
        page = opened_page(situation.admin, f"admin/{name}.py", study=STUDY)
        assert not page.exception
        text = "\n".join(str(element.proto) for element in page.main)
        shown.append(as_compared(text, situation))

    require_the_same(*shown)
