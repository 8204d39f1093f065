"""A manifest lists what was drawn, and holds a hash of each table of the pool: nothing of it changes unseen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session, select

from db import Database, Freeze, Study
from db.base import stored_id
from db.engine import DATABASE_FILE, make_engine
from services.record import maintenance, verification
from services.studies import draws, frozen_facts
from services.studies.drawing import drawing_phases, stored_pool
from services.studies.folders import importing, pool_files
from services.studies.freeze import freezing
from services.studies.freeze.manifest import sha256_of
from tests.db.first_release import load_listed_pool
from tests.harness import databases
from tests.pair_study import PAIRS, opened_pairs, with_models
from tests.services.record.tampering import past_the_guards
from tests.services.studies.folders.test_pool_files import POOL, PROTOCOL, SAMPLE, write_pool
from tests.situations import owner_of, write_table

SCORES = """  - key: score
    rates: candidates
    from: {phase: read}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    opens: {after: read}
"""


def write_pool_with_answers(folder: Path) -> Path:
    """Write three items of a pool of twelve, and the answers of two models to them, with references."""
    write_pool(folder, PROTOCOL + SCORES)
    numbers = range(POOL)
    write_table(folder / "references.csv", "item,accepted", [(f"i{n}", "yes" if n % 2 else "no") for n in numbers])
    answers = [(f"k{n}-{m}", f"i{n}", f"model {m}", f"Answer {n}.") for n in numbers for m in "ab"]
    write_table(folder / "candidates.csv", "candidate,item,model,answer", answers)
    return folder


@pytest.fixture(scope="module")
def _frozen_once(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / DATABASE_FILE))
    frozen_pool(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data"


@pytest.fixture
def frozen(_frozen_once: Path, tmp_path: Path) -> Iterator[Database]:
    """The pool with its answers, frozen, in a SQLite database of this test's own."""
    data = Path(shutil.copytree(_frozen_once, tmp_path / "copy"))
    engine = make_engine(databases.sqlite_url(data / DATABASE_FILE))
    yield Database(engine, data)
    engine.dispose()


def frozen_pool(database: Database, folder: Path) -> dict[str, Any]:
    admin = owner_of(database)
    importing.import_study(database, admin, write_pool_with_answers(folder))
    return freezing.freeze_study(database, admin, "pool").manifest


def manifest_of(database: Database) -> dict[str, Any]:
    with database.read_only() as session:
        stored: dict[str, Any] = json.loads(session.exec(select(Freeze.manifest_json)).one())
    return stored


def study_in(session: Session) -> int:
    return stored_id(session.exec(select(Study.id)).one())


def undrawn(manifest: dict[str, Any]) -> str:
    """Return the number of an item that was not drawn."""
    return next(str(number) for number in range(POOL) if f"i{number}" not in manifest["items"])


def test_what_was_drawn_is_listed_and_of_the_pool_a_hash_of_each_table(database: Database, tmp_path: Path) -> None:
    manifest = frozen_pool(database, tmp_path / "pool")

    numbers = [key.removeprefix("i") for key in manifest["phases"]["read"]["units"]]
    assert manifest["format"] == "blindread-manifest/2"
    assert len(numbers) == SAMPLE
    assert sorted(manifest["items"]) == sorted(f"i{n}" for n in numbers)
    assert sorted(manifest["cases"]) == sorted(f"c{n}" for n in numbers)
    assert sorted(manifest["candidates"]) == sorted(f"k{n}-{m}" for n in numbers for m in "ab")
    assert {part: said["rows"] for part, said in manifest["pool"].items()} == {
        "cases": POOL, "items": POOL, "candidates": 2 * POOL, "references": POOL, "files_named": 3 * POOL,
    }  # fmt: skip
    assert verification.verify_study(database, "pool") == []


def test_the_hashes_of_a_pool_follow_from_its_tables_but_those_of_references(
    sqlite_database: Database, tmp_path: Path, frozen: Database
) -> None:
    """The secret of the study keys the hash of its references, so that nobody can guess what is right."""
    here, there = manifest_of(frozen)["pool"], frozen_pool(sqlite_database, tmp_path / "pool")["pool"]

    assert here.pop("references") != there.pop("references")
    assert here == there


CHANGES = {
    "cases": "UPDATE study_case SET note = 'other' WHERE key = 'c{}'",
    "items": "UPDATE item SET prompt = 'Another question?' WHERE key = 'i{}'",
    "candidates": "UPDATE candidate SET answer = 'Another answer.' WHERE key = 'k{}-a'",
    "references": "UPDATE reference SET accepted = '[\"perhaps\"]' "
    "WHERE item_id = (SELECT id FROM item WHERE key = 'i{}')",
    "files_named": "UPDATE pool_file SET path = 'elsewhere.nii.gz' WHERE key = 'c{}-t2'",
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_change_of_an_undrawn_row_does_not_pass_unseen(frozen: Database, part: str) -> None:
    past_the_guards(frozen, CHANGES[part].format(undrawn(manifest_of(frozen))))

    assert f"Changed since the freeze: pool {part}." in verification.verify_study(frozen, "pool")


MOVES = {
    "an item to another case": ("items", "UPDATE item SET case_id = case_id + 1 WHERE key = 'i{}'"),
    "an answer to another item": ("candidates", "UPDATE candidate SET item_id = item_id + 1 WHERE key = 'k{}-a'"),
    "an answer that is taken out": ("candidates", "DELETE FROM candidate WHERE key = 'k{}-b'"),
    "a scan to another case": ("files_named", "UPDATE pool_file SET case_id = case_id + 1 WHERE key = 'c{}-t2'"),
    "a reference that is taken out": (
        "references",
        "DELETE FROM reference WHERE item_id = (SELECT id FROM item WHERE key = 'i{}')",
    ),
}


@pytest.mark.parametrize("move", MOVES)
def test_an_undrawn_row_is_neither_moved_nor_taken_out_unseen(frozen: Database, move: str) -> None:
    part, statement = MOVES[move]
    past_the_guards(frozen, statement.format(undrawn(manifest_of(frozen))))

    assert f"Changed since the freeze: pool {part}." in verification.verify_study(frozen, "pool")


def test_a_row_that_was_drawn_is_named(frozen: Database) -> None:
    drawn = next(iter(manifest_of(frozen)["items"]))
    past_the_guards(frozen, f"UPDATE item SET prompt = 'Another question?' WHERE key = '{drawn}'")

    problems = verification.verify_study(frozen, "pool")

    assert {f"Changed since the freeze: items {drawn}.", "Changed since the freeze: pool items."} <= set(problems)


def test_the_same_is_drawn_again_from_the_stored_pool(frozen: Database) -> None:
    with frozen.read_only() as session:
        study_id = study_in(session)
        expansion = frozen_facts.expansion_of(session, study_id)
        assert expansion is not None
        key = draws.key_of(session, study_id, expansion.seed)
        again = drawing_phases.draw_phases(session, expansion, stored_pool.pool_of(session, study_id), key)

    assert {part.key: part.as_manifest() for part in again} == manifest_of(frozen)["phases"]


def test_a_manifest_of_a_format_that_nobody_knows_is_said_to_be_one(frozen: Database) -> None:
    past_the_guards(frozen, "UPDATE freeze SET manifest_json = replace(manifest_json, 'manifest/2', 'manifest/9')")

    problems = verification.verify_study(frozen, "pool")

    assert "The stored manifest has a format that this release does not know." in problems


@contextmanager
def with_listed_pool(url: str, folder: Path) -> Iterator[Database]:
    """Bring up to date the same pool, frozen when the manifest listed every row of it."""
    database = Database(make_engine(url), folder / "data")
    load_listed_pool(database.engine, folder)
    maintenance.prepare(database)
    yield database
    database.engine.dispose()


def test_a_manifest_that_lists_its_whole_pool_verifies_as_it_was_written(
    empty_database_url: str, tmp_path: Path
) -> None:
    with with_listed_pool(empty_database_url, tmp_path) as database:
        manifest = manifest_of(database)
        problems = verification.verify_study(database, "pool", files=False)

    assert (manifest["format"], len(manifest["items"]), problems) == ("blindread-manifest/1", POOL, [])


def test_of_a_manifest_that_lists_its_whole_pool_a_row_is_still_named(tmp_path: Path) -> None:
    with with_listed_pool(databases.sqlite_url(tmp_path / DATABASE_FILE), tmp_path) as database:
        past_the_guards(database, "UPDATE item SET prompt = 'Another question?' WHERE key = 'i5'")
        problems = verification.verify_study(database, "pool", files=False)

    assert "Changed since the freeze: items i5." in problems


def test_pairs_that_are_drawn_are_sealed_and_those_that_were_named_are_in_the_hash(
    sqlite_database: Database, tmp_path: Path
) -> None:
    opened_pairs(sqlite_database, tmp_path / "drawn")

    assert verification.verify_study(sqlite_database, "listed") == []
    assert "pairs" not in manifest_of(sqlite_database)["pool"]
    past_the_guards(sqlite_database, "UPDATE candidate SET answer = 'x' WHERE id = (SELECT max(id) FROM candidate)")
    assert any("Table candidate" in problem for problem in verification.verify_study(sqlite_database, "listed"))


def test_a_pair_that_tables_name_is_not_made_of_other_answers_unseen(sqlite_database: Database, tmp_path: Path) -> None:
    named = [("p1", "k1a", "k1b"), ("p2", "k2a", "k2b")]
    opened_pairs(
        sqlite_database,
        tmp_path / "named",
        changes=(with_models, lambda folder: write_table(folder / "pairs.csv", "pair,first,second", named)),
        protocol=PAIRS.replace("rates: pairs\n", "rates: pairs\n    pairs: table\n"),
    )
    past_the_guards(
        sqlite_database,
        "UPDATE candidate_pair SET second_id = (SELECT id FROM candidate WHERE key = 'k1c') WHERE id = 1",
    )

    assert "Changed since the freeze: pool pairs." in verification.verify_study(sqlite_database, "listed")


# ---- what a freeze takes ---------------------------------------------------------------------------------------------


def test_a_freeze_reads_the_answers_of_a_pool_once(sqlite_database: Database, tmp_path: Path) -> None:
    admin = owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, write_pool_with_answers(tmp_path / "study"))
    sent: list[str] = []
    event.listen(sqlite_database.engine, "before_cursor_execute", lambda *about: sent.append(about[2]))

    freezing.freeze_study(sqlite_database, admin, "pool")

    whole = [statement for statement in sent if "candidate.answer" in statement and " IN (" not in statement]
    assert len(whole) == 1


def test_the_same_secret_draws_what_it_always_drew(sqlite_database: Database, tmp_path: Path) -> None:
    admin = owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, write_pool_with_answers(tmp_path / "study"))
    with sqlite_database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE study SET salt = '{'5a' * 32}'")
    pool_files.prepare_volumes(sqlite_database, admin, "pool", tmp_path / "study")

    manifest = freezing.freeze_study(sqlite_database, admin, "pool").manifest

    # Another release may freeze it, and prepares scans in its own way; references are hashed with their time.
    fixed = {key: said for key, said in manifest.items() if key not in ("software_version", "volumes")}
    del fixed["pool"]["references"]
    assert sha256_of(fixed) == "3f322630f96073ce9af02b5ab4d53389ac52fe26112ab7297365da5744e4bb25"
