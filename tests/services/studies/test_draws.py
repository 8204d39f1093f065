"""Draws: keyed by the study's secret, recorded, and open to be checked from the disclosed keys alone."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, AuditEvent, Candidate, Database, Freeze, FreezeItem, Item, Membership, Study
from db.engine import make_engine
from services.adjudication import review_queue
from services.errors import NotFound
from services.progress import data_lock
from services.record import maintenance, redrawing
from services.record.package import export_study
from services.seals import sealing
from services.studies import draws
from services.studies.membership import members
from tests.db.first_release import load_first_release
from tests.db.full_study import full_study
from tests.harness import databases
from tests.situations import Situation, imported_study, open_study, read_all, signed_in


def order_of(database: Database, study_key: str, pseudonym: str, phase: str = "reading") -> list[str]:
    """Return what a rater reads, by the keys of the items, in their order."""
    with database.read_only() as session:
        rows = session.exec(
            select(Item.key)
            .join(Assignment, col(Assignment.item_id) == Item.id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .join(Study, col(Study.id) == Assignment.study_id)
            .where(Study.key == study_key, Membership.pseudonym == pseudonym, Assignment.phase == phase)
            .order_by(col(Assignment.position))
        )
        return list(rows)


def sample_of(database: Database, study_key: str) -> list[str]:
    with database.read_only() as session:
        rows = session.exec(
            select(Candidate.key)
            .join(FreezeItem, col(FreezeItem.candidate_id) == Candidate.id)
            .join(Study, col(Study.id) == Candidate.study_id)
            .where(Study.key == study_key)
            .order_by(col(Candidate.key))
        )
        return list(rows)


def with_everything_drawn(database: Database, folder: Path) -> Situation:
    situation = open_study(database, folder)
    read_all(situation, situation.raters[0])
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i3?": "no"})
    review_queue.open_review_queue(database, situation.admin, "tiny")
    return situation


def test_studies_with_the_same_seed_draw_differently(sqlite_database: Database, tmp_path: Path) -> None:
    orders, samples = set(), set()
    for number in range(6):
        key = f"copy-{number}"
        open_study(sqlite_database, tmp_path / key, key=key)
        orders.add(tuple(order_of(sqlite_database, key, "Rater 1")))
        samples.add(tuple(sample_of(sqlite_database, key)))

    assert len(orders) > 1
    assert len(samples) > 1


def test_the_seed_alone_does_not_draw_what_the_study_drew(sqlite_database: Database, tmp_path: Path) -> None:
    """What anybody could compute of release 0.1.0, from the protocol and a guessable pseudonym."""
    agreed = 0
    for number in range(6):
        key = f"copy-{number}"
        open_study(sqlite_database, tmp_path / key, {"reading": {"subject_distance": 0}}, key=key)
        keys = [f"i{place}" for place in range(1, 7)]
        guessed = random.Random("7|Rater 1")
        guessed.shuffle(keys)
        agreed += keys == order_of(sqlite_database, key, "Rater 1")

    assert agreed <= 1


def test_every_draw_comes_out_again_from_the_package_alone(sqlite_database: Database, tmp_path: Path) -> None:
    situation = full_study(sqlite_database, tmp_path / "study")
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    export_study(sqlite_database, situation.admin, "tiny", tmp_path / "package")
    sqlite_database.engine.dispose()
    sqlite_database.data_dir.rename(tmp_path / "gone")
    again = redrawing.redraw(tmp_path / "package")

    drawn = json.loads((tmp_path / "package" / "draws.json").read_text("utf-8"))["drawn"]
    assert again.problems == []
    assert again.count == len(drawn) == 6
    assert {draw["purpose"] for draw in drawn} == {"scoring sample", "practice", "reading", "review"}


@pytest.fixture(scope="module")
def package(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of a study in which everything was drawn; to be copied."""
    folder = tmp_path_factory.mktemp("drawn")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    situation = with_everything_drawn(database, folder / "study")
    data_lock.close_study(database, situation.admin, "tiny")
    export_study(database, situation.admin, "tiny", folder / "package")
    engine.dispose()
    return folder / "package"


@pytest.mark.parametrize("part", ["assignments", "sample", "opinions", "controls", "key"])
def test_what_was_drawn_otherwise_is_named(package: Path, tmp_path: Path, part: str) -> None:
    shutil.copytree(package, tmp_path / "package")
    file = tmp_path / "package" / "draws.json"
    disclosed = json.loads(file.read_text("utf-8"))

    if part == "assignments":
        first, second = [assignment for assignment in disclosed["assignments"] if assignment["phase"] == "reading"][:2]
        first["position"], second["position"] = second["position"], first["position"]
    elif part == "sample":
        disclosed["sample"] = [candidate["candidate"] for candidate in disclosed["candidates"]]
    elif part == "opinions":
        for opinions in disclosed["opinions"]:
            opinions["order"].reverse()
    elif part == "controls":
        next(draw for draw in disclosed["drawn"] if draw["purpose"] == "review")["controls"] = ["i3"]
    else:
        disclosed["keys"][0]["key"] = "00" * 32
    file.write_text(json.dumps(disclosed), encoding="utf-8")

    assert redrawing.redraw(tmp_path / "package").problems != []


def test_no_key_is_disclosed_before_the_data_lock_and_the_secret_never(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = with_everything_drawn(sqlite_database, tmp_path / "study")
    data_lock.take_interim_look(sqlite_database, situation.admin, "tiny", "The safety board asked for it.")
    with sqlite_database.read_only() as session:
        secret = session.exec(select(Study.salt)).one()
        key = draws.key_of(session, 1, 7).value.hex()

    export_study(sqlite_database, situation.admin, "tiny", tmp_path / "interim")
    data_lock.close_study(sqlite_database, situation.admin, "tiny")
    export_study(sqlite_database, situation.admin, "tiny", tmp_path / "final")

    def written(folder: str) -> str:
        return "".join(path.read_text("utf-8") for path in (tmp_path / folder).rglob("*.json"))

    assert not (tmp_path / "interim" / "draws.json").exists()
    assert key not in written("interim")
    assert key in written("final")
    assert secret not in written("final")
    with pytest.raises(NotFound, match="exported after the data lock"):
        redrawing.redraw(tmp_path / "interim")


def test_a_study_that_is_opened_again_draws_with_another_key(sqlite_database: Database, tmp_path: Path) -> None:
    situation = with_everything_drawn(sqlite_database, tmp_path / "study")
    data_lock.close_study(sqlite_database, situation.admin, "tiny")
    export_study(sqlite_database, situation.admin, "tiny", tmp_path / "first")
    data_lock.reopen_study(sqlite_database, situation.admin, "tiny", "One more rater has time.")
    members.invite(sqlite_database, situation.admin, "tiny", "rater-3", "Rita", "rater")
    data_lock.close_study(sqlite_database, situation.admin, "tiny")
    export_study(sqlite_database, situation.admin, "tiny", tmp_path / "second")

    first, second = (json.loads((tmp_path / name / "draws.json").read_text("utf-8")) for name in ("first", "second"))

    assert [key["reopened"] for key in second["keys"]] == [0, 1]
    assert second["keys"][0] == first["keys"][0]
    assert second["drawn"][-1]["who"] == ["Rater 3"]
    assert second["drawn"][-1]["reopened"] == 1
    assert redrawing.redraw(tmp_path / "second") == redrawing.Repeated(len(second["drawn"]), [])


def test_draws_of_the_first_release_stay_and_new_ones_follow_the_new_rule(
    empty_database_url: str, tmp_path: Path
) -> None:
    from db.engine import make_engine

    engine = make_engine(empty_database_url)
    load_first_release(engine, tmp_path)
    database = Database(engine, tmp_path / "data")
    before = order_of(database, "demo", "Rater 1")
    maintenance.prepare(database)
    admin = signed_in(database, "demo-admin")

    members.invite(database, admin, "demo", "late", "Late Comer", "rater")

    assert order_of(database, "demo", "Rater 1") == before
    assert sorted(order_of(database, "demo", "Rater 3")) == sorted(before)
    with database.read_only() as session:
        assert {freeze.draw_rule for freeze in session.exec(select(Freeze))} == {1}
        drawn = session.exec(select(AuditEvent.detail).where(AuditEvent.action == "drawn")).all()
    assert [(draw["who"], draw["rule"]) for draw in drawn] == [(["Rater 3"], 2)]
    assert not sealing.seal_earlier_rows(database)
    engine.dispose()


def test_a_draft_draws_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    imported_study(sqlite_database, tmp_path / "study")

    with sqlite_database.read_only() as session:
        assert session.exec(select(AuditEvent.id).where(AuditEvent.action == "drawn")).all() == []
