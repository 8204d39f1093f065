"""The command line and the verification where they are used as nobody meant: a sentence, and nothing is lost."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import NoResultFound as NoRowFound

from db import Database
from db.engine import make_engine
from services.errors import Conflict, InputRefused, NotFound, Refused
from services.reading import opening, settling
from services.record import maintenance, redrawing, restoring, verification
from services.seals import proofs
from services.studies.freeze import freezing, thawing
from tests.db.full_study import full_study
from tests.following_study import READ_THEN_RESOLVE, flagging, opened_following, read_through
from tests.harness import databases
from tests.harness.command_line import invoke
from tests.listed_study import READ_THEN_SCORE, imported_listed, opened_listed, write_listed
from tests.pair_study import opened_pairs
from tests.pool_study import GROUPS as POOL_GROUPS
from tests.pool_study import POOL, consulting, with_models
from tests.sealed_study import looked_at_and_opened, with_many_items
from tests.situations import (
    Situation,
)
from tests.versioned_study import corrected_prompt, new_version, opened_for_versions


@pytest.mark.parametrize(
    "arguments",
    [
        ["redraw", "README.md"],
        ["serve", "--port", "99999"],
        ["serve", "--port", "-1"],
        ["backup", "x" * 400],
        ["backup", "/dev/null/x"], ["restore", "README.md"], ["import", "README.md"], ["import", "/dev/null"],
        ["owner", "x" * 5000, "--name", "Q"], ["owner", " \u200b", "--name", "Q"], ["lock", "\x1b[2J"],
        ["invite", "none", "x", "--name", "", "--role", "king"], ["verify", "x" * 5000], ["freeze", "../x"],
        ["judge", "import", "none", "/dev/zero", "--name", "x"], ["report", "none", "--out", "/dev/null/x"],
        ["practise-again", "none", "x"], ["remove-member", "none", "\x00"], ["delete-draft", "%", "--yes"],
    ],
)  # fmt: skip
def test_nonsense_at_the_command_line_is_answered_in_a_sentence(
    imported: Situation, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("services.installation.environment.database", lambda: imported.database)
    done = invoke(*arguments)

    assert done.exit_code in {1, 2}
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_package_in_which_a_file_is_a_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "draws.json").mkdir()
    with pytest.raises(Refused):
        redrawing.redraw(tmp_path)


def test_a_backup_into_the_folder_of_the_volumes_is_refused(imported: Situation) -> None:
    target = imported.database.volume_dir / "backup"
    with pytest.raises(Conflict):
        maintenance.back_up_installation(imported.database, target)

    assert not target.exists()


@pytest.fixture
def saved(imported: Situation, tmp_path: Path) -> Path:
    maintenance.back_up_installation(imported.database, tmp_path / "backup")
    return tmp_path / "backup"


def brought_back(backup: Path, place: Path, database: Path | None = None) -> restoring.Restored:
    place.mkdir(exist_ok=True)
    engine = make_engine(f"sqlite:///{(database or place / 'blindread.db').as_posix()}")
    try:
        return restoring.restore_installation(Database(engine, place), backup)
    finally:
        engine.dispose()


def test_a_restore_never_writes_over_the_database_of_another_program(saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE precious AS SELECT 'years of work' AS x")
    with pytest.raises(Conflict):
        brought_back(saved, tmp_path / "new", other)

    assert sqlite3.connect(other).execute("SELECT x FROM precious").fetchone()


def test_a_restore_never_writes_over_an_installation_that_lost_its_version(
    opened: Situation, saved: Path, tmp_path: Path
) -> None:
    file = Path(str(opened.database.engine.url.database))
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM alembic_version")
    with pytest.raises(Conflict):
        brought_back(saved, tmp_path / "new", file)


@pytest.mark.parametrize("head", [b"\xff\xfe\x00", b"hello", b""])
def test_a_backup_whose_head_is_none_is_refused_before_anything_is_written(
    saved: Path, tmp_path: Path, head: bytes
) -> None:
    (saved / "audit-head.txt").write_bytes(head)
    with pytest.raises(InputRefused):
        brought_back(saved, tmp_path / "new")

    assert not (tmp_path / "new" / "blindread.db").exists() or brought_back_again(saved, tmp_path / "new")


def brought_back_again(saved: Path, place: Path) -> bool:
    """Whether the place can still be restored into, once the head was put right."""
    (saved / "audit-head.txt").unlink()
    try:
        return brought_back(saved, place).problems == []
    except Conflict:
        return False


def test_a_backup_with_a_link_to_nowhere_among_its_volumes_is_brought_back_or_refused_in_a_sentence(
    saved: Path, tmp_path: Path
) -> None:
    (saved / "volumes" / "dangling").symlink_to("/nonexistent")
    try:
        brought_back(saved, tmp_path / "new")
    except (Refused, InputRefused):
        return


@pytest.fixture(scope="module")
def worked_through(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    full_study(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_a_closed_phase(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closed")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    later = "{key: later, rates: items, shows: [prompt], form: {v: text}, counts: no, opens: {by_admin: yes}}"
    protocol = f"{READ_THEN_RESOLVE}  - {later}\n"
    situation = opened_following(Database(engine, folder / "data"), folder / "study", protocol)
    opening.open_phase(situation.database, situation.admin, situation.study_key, "later", "The first part is over.")
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging})
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_a_pool(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    database = Database(
        make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db")), folder / "data"
    )
    write_listed(folder / "study", POOL, [with_models])
    situation = imported_listed(database, folder / "study", groups=POOL_GROUPS[1:])
    freezing.freeze_study(database, situation.admin, "listed")
    read_through(situation, situation.raters[0], {f"i{n}": consulting() for n in range(1, 7)}, most=1)
    settling.close_phase(database, situation.admin, "listed", "secret_arm", "So that there is a row.")
    database.engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_a_thaw(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thaw")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = opened_listed(Database(engine, folder / "data"), folder / "study", READ_THEN_SCORE)
    thawing.thaw_study(situation.database, situation.admin, situation.study_key, "A misspelt prompt.")
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_pairs(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    opened_pairs(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_a_version(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("version")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = opened_for_versions(Database(engine, folder / "data"), folder / "study")
    new_version(situation, folder / "study", corrected_prompt)
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture(scope="module")
def with_a_sealed_part(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("divided")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    looked_at_and_opened(imported_listed(Database(engine, folder / "data"), with_many_items(folder / "study")))
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture
def changed(worked_through: Path, tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, Database]]:
    yield from to_be_changed(worked_through, tmp_path)


@pytest.fixture
def changed_in_a_list(
    request: pytest.FixtureRequest, table: str, tmp_path: Path
) -> Iterator[tuple[sqlite3.Connection, Database]]:
    yield from to_be_changed(request.getfixturevalue(OF_LISTED[table]), tmp_path)


def to_be_changed(database: Path, tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, Database]]:
    """Yield a copy of a database, open to be changed, and the same as the program sees it."""
    copy = tmp_path / "blindread.db"
    shutil.copy(database, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    engine = make_engine(f"sqlite:///{copy.as_posix()}")
    yield connection, Database(engine, tmp_path)
    engine.dispose()
    connection.close()


def lifted(connection: sqlite3.Connection) -> list[str]:
    """Drop the triggers and return how to put them back."""
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    return [statement for _, statement in triggers]


def another(value: Any, kind: str) -> Any:
    """Return a value of the same kind that is not the same."""
    if isinstance(value, int | float):
        return 1 - value if value in (0, 1) else value + 1
    if kind == "JSON":
        return '["x"]' if str(value).startswith("[") else '{"x":1}'
    if kind.startswith("DATE"):
        return "2020-02-02 00:00:00.000000" if kind == "DATETIME" else "2020-02-02"
    if value is None:
        return {"INTEGER": 1, "FLOAT": 1.0, "BOOLEAN": 1}.get(kind, "x")
    return value[:-1] + ("b" if value[-1:] != "b" else "a") if value else "x"


LEAVES_NO_STUDY_TO_VERIFY = {("study", "id"), ("study", "key"), ("freeze", "study_id")}


SEALED = [proofs.table_name(model) for model in proofs.COLUMNS]
# They have rows only in studies of their own, which list their phases: by which fixture.
OF_LISTED = {
    "phase_closing": "with_a_closed_phase",
    "phase_opening": "with_a_closed_phase",
    "pooled_answer": "with_a_pool",
    "thaw": "with_a_thaw",
    "candidate_pair": "with_pairs",
    "study_version": "with_a_version",
    "withdrawn_unit": "with_a_version",
    "sealed_split": "with_a_sealed_part",
    "split_opening": "with_a_sealed_part",
    "opened_basis": "with_a_sealed_part",
    "calibration_look": "with_a_sealed_part",
}


@pytest.mark.parametrize("table", [table for table in SEALED if table not in OF_LISTED])
def test_no_column_of_a_sealed_row_changes_unseen(changed: tuple[sqlite3.Connection, Database], table: str) -> None:
    assert unseen_changes(*changed, "tiny", table) == []


@pytest.mark.parametrize("table", OF_LISTED)
def test_no_column_of_a_sealed_row_of_a_listed_study_changes_unseen(
    changed_in_a_list: tuple[sqlite3.Connection, Database], table: str
) -> None:
    assert unseen_changes(*changed_in_a_list, "listed", table) == []


def unseen_changes(connection: sqlite3.Connection, database: Database, study: str, table: str) -> list[str]:
    """Return the columns of the first row of a table whose change the verification of the study does not name."""
    sealed = next(columns for model, columns in proofs.COLUMNS.items() if proofs.table_name(model) == table)
    kinds = {row[1]: row[2].partition("(")[0] for row in connection.execute(f"PRAGMA table_info({table})")}
    lifted(connection)
    guards = set(verification.verify_study(database, study, files=False))
    unseen = []
    for column in sealed:
        if (table, column) in LEAVES_NO_STUDY_TO_VERIFY:
            continue
        row, value = connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid").fetchone()
        try:
            new = another(value, kinds[column])
            connection.execute(f"UPDATE OR ABORT {table} SET {column} = ? WHERE rowid = ?", (new, row))
        except sqlite3.IntegrityError:
            continue
        row = new if column in ("id", "verdict_id") or (table, column) == ("protocol", "study_id") else row
        try:
            if set(verification.verify_study(database, study, files=False)) <= guards:
                unseen.append(column)
        except (LookupError, ValueError, NotFound, NoRowFound):
            # It cannot be read any more: an error, which nobody overlooks.
            pass
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
    return unseen


@pytest.mark.parametrize(
    "act",
    [
        "DELETE FROM freeze",
        "UPDATE study SET removed_at = '2026-01-01 00:00:00.000000'",
        "DELETE FROM study_case WHERE id = 1",
        "DELETE FROM protocol",
        "UPDATE protocol SET canonical_json = '{'",
        "UPDATE freeze SET manifest_json = '['",
        "UPDATE freeze_item SET stratum = stratum || 'x'",
    ],
)
def test_what_was_done_to_a_frozen_study_is_said_in_a_sentence(
    changed: tuple[sqlite3.Connection, Database], act: str
) -> None:
    connection, database = changed
    triggers = lifted(connection)
    connection.execute(act)
    for statement in triggers:
        connection.execute(statement)

    assert verification.verify_study(database, "tiny", files=False) != []
