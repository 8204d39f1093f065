"""Whoever has the database file and knows how the chain is linked tries to leave `verify` silent, or to know a draw.

Nothing here rewrites the chain: events are only added at its end, correctly linked, so that every head that was ever
kept is still in it.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from db import Assignment, Case, Database, Freeze, Item, Membership, Study, Verdict, audit
from db.base import stored_id
from db.engine import make_engine
from services.errors import NotAllowed
from services.progress import data_lock
from services.reading.answers import Answers
from services.record import package, verification
from services.seals import proofs
from services.studies import draws, frozen_facts
from services.studies.dealing import assigning
from services.studies.membership import members, removing
from tests.db.full_study import full_study
from tests.harness import databases
from tests.situations import Situation, read_all

Detail = dict[str, Any]


@pytest.fixture(scope="module")
def worked_through(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a study in which every table holds a row."""
    folder = tmp_path_factory.mktemp("worked-through")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    full_study(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data"


@pytest.fixture
def study(worked_through: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copytree(worked_through, tmp_path / "data")
    engine = make_engine(databases.sqlite_url(tmp_path / "data" / "blindread.db"))
    yield Database(engine, tmp_path / "data")
    engine.dispose()


def by_hand(database: Database, *statements: str) -> None:
    """Change the file; the triggers are lifted before and put back afterwards."""
    connection = sqlite3.connect(str(database.engine.url.database))
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        assert connection.execute(statement).rowcount != 0, statement
    for _, statement in triggers:
        connection.execute(statement)
    connection.commit()
    connection.close()


def append(database: Database, action: str, forged: Callable[[Session, int], Detail]) -> None:
    """Add an event at the end of the chain, linked as the program would."""
    with database.writing() as session:
        study_id = stored_id(session.exec(select(Study.id).where(Study.key == "tiny")).one())
        audit.record(session, action, person_id=1, study_id=study_id, **forged(session, study_id))


def first_verdict(session: Session) -> Verdict:
    reading = select(Verdict).join(Assignment).where(Assignment.phase == "reading").order_by(col(Verdict.id))
    return session.exec(reading).first()


def kept_head(database: Database) -> str:
    with database.read_only() as session:
        return audit.head(session)


def is_found(database: Database, head: str) -> bool:
    return verification.verify_study(database, "tiny", head) != []


ROOT = "(SELECT min(v.id) FROM verdict v JOIN assignment a ON a.id = v.assignment_id WHERE a.phase = 'reading')"


def test_an_appended_event_cannot_end_the_seal_on_a_verdict_and_set_another(study: Database) -> None:
    head = kept_head(study)
    by_hand(study, f"UPDATE verdict SET active_ms = 1, shown_at = submitted_at WHERE id = {ROOT}")

    def resealed(session: Session, study_id: int) -> Detail:
        rows = list(session.exec(select(Verdict)))
        keys = proofs.ranges(stored_id(row.id) for row in rows)
        others = dict.fromkeys(("display", "flag", "viewing_trace"), "1-9999")
        beside = {t: proofs.rows_of(session, t, study_id) for t in proofs.COLUMNS if proofs.table_name(t) in others}
        seals = proofs.sealed(rows) | proofs.sealed_values(beside)
        return {"role": "rater", "member": 1, "ended": {"verdict": keys, **others}, "rows": seals}

    append(study, "member joined", resealed)

    # The answer's own hash leaves times out of what it covers, but the seal does not.
    assert is_found(study, head)


@pytest.mark.parametrize("action", ["verdict", "revision", "decision"])
def test_a_second_event_with_a_receipt_does_not_take_the_place_of_the_first(study: Database, action: str) -> None:
    head = kept_head(study)
    fields = {"answer": "forged"}
    content = Answers(fields, None, "", None).content_sha256()
    by_hand(
        study,
        f"UPDATE verdict SET fields = '{json.dumps(fields)}', comment = '', content_sha256 = '{content}' "
        "WHERE id = (SELECT max(id) FROM verdict)",
    )

    def again(session: Session, _study_id: int) -> Detail:
        verdict = session.exec(select(Verdict).order_by(col(Verdict.id).desc())).first()
        return {
            "receipt": verdict.receipt,
            "content_sha256": content,
            "ended": {"verdict": str(verdict.id)},
            "rows": proofs.sealed([verdict]),
        }

    append(study, action, again)

    assert is_found(study, head)


def test_the_items_of_two_verdicts_are_not_exchanged_under_the_cloak_of_a_return(study: Database) -> None:
    """Somebody who comes back in another role has all assignments sealed anew; nobody else's verdicts may move."""
    head = kept_head(study)
    by_hand(
        study,
        f"UPDATE assignment SET public_id = public_id || 'x', position = position + 500 WHERE id = "
        f"(SELECT assignment_id FROM verdict WHERE id = {ROOT})",
    )

    def returned(session: Session, study_id: int) -> Detail:
        rows = list(session.exec(select(Assignment).where(Assignment.study_id == study_id)))
        member = session.exec(select(Membership).where(Membership.pseudonym == "Reviewer 1")).one()
        keys = proofs.ranges(stored_id(row.id) for row in rows)
        return {
            "role": "reviewer",
            "member": member.person_id,
            "ended": {"assignment": keys, "membership": str(member.id)},
            "rows": proofs.sealed([*rows, member]),
        }

    append(study, "member joined", returned)

    assert is_found(study, head)


def test_two_raters_do_not_change_names_under_the_cloak_of_a_return(study: Database) -> None:
    head = kept_head(study)
    first, other = "(SELECT id FROM membership WHERE pseudonym = 'Rater 1')", "'Rater 2'"
    by_hand(
        study,
        f"UPDATE membership SET pseudonym = '-' WHERE id = {first}",
        f"UPDATE membership SET pseudonym = 'Rater 1' WHERE pseudonym = {other}",
        "UPDATE membership SET pseudonym = 'Rater 2' WHERE pseudonym = '-'",
    )

    def returned(session: Session, study_id: int) -> Detail:
        rows = list(session.exec(select(Membership).where(Membership.study_id == study_id)))
        keys = proofs.ranges(stored_id(row.id) for row in rows)
        return {"role": "rater", "member": 2, "ended": {"membership": keys}, "rows": proofs.sealed(rows)}

    append(study, "member joined", returned)

    assert is_found(study, head)


def test_a_reference_is_not_exchanged_by_ending_its_seal_and_freezing_again(study: Database) -> None:
    head = kept_head(study)
    by_hand(study, "UPDATE reference SET accepted = '[\"no\"]' WHERE id = (SELECT min(id) FROM reference)")

    def frozen_again(session: Session, study_id: int) -> Detail:
        salt = session.exec(select(Study.salt).where(Study.id == study_id)).one()
        rows = proofs.frozen_rows(session, study_id)
        ended = {proofs.table_name(table): proofs.ranges(values) for table, values in rows.items() if values}
        sha256 = session.exec(select(Freeze.sha256).where(Freeze.study_id == study_id)).one()
        return {"manifest_sha256": sha256, "ended": ended, "rows": proofs.sealed_values(rows, salt)}

    append(study, "study renamed", frozen_again)

    assert is_found(study, head)


def test_a_member_who_was_taken_out_is_not_put_back_by_hand(opened: Situation) -> None:
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-2")
    assert verification.verify_study(opened.database, "tiny") == []

    by_hand(opened.database, "UPDATE membership SET removed_at = NULL WHERE removed_at IS NOT NULL")

    assert verification.verify_study(opened.database, "tiny") != []


def test_a_member_who_came_back_is_not_taken_out_by_hand(opened: Situation) -> None:
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-2")
    members.invite(opened.database, opened.admin, "tiny", "rater-2", "Rater-2", "rater")
    assert verification.verify_study(opened.database, "tiny") == []

    by_hand(
        opened.database,
        "UPDATE membership SET removed_at = created_at WHERE person_id = (SELECT id FROM person WHERE login = "
        "'rater-2')",
    )

    assert verification.verify_study(opened.database, "tiny") != []


def test_an_honest_return_in_another_role_still_verifies(opened: Situation) -> None:
    """The way round of the attacks above: what the program itself does must not be called forged."""
    read_all(opened, opened.raters[0])
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-2")
    members.invite(opened.database, opened.admin, "tiny", "rater-2", "Rater-2", "reviewer")
    members.invite(opened.database, opened.admin, "tiny", "rater-3", "Rater-3", "rater")
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-3")
    members.invite(opened.database, opened.admin, "tiny", "rater-3", "Rater-3", "reviewer")

    assert verification.verify_study(opened.database, "tiny") == []


def test_an_event_that_covers_rows_without_end_does_not_fill_the_memory(study: Database) -> None:
    append(study, "member joined", lambda *_: {"member": 1, "rows": {"verdict": ["1-999999999999", "0" * 64]}})

    assert is_found(study, kept_head(study))


def test_an_event_of_another_study_proves_nothing_here(study: Database) -> None:
    head = kept_head(study)
    by_hand(study, "DELETE FROM acknowledgement", "DELETE FROM audit_event WHERE action = 'instructions acknowledged'")

    assert is_found(study, head)


# ---- draws -----------------------------------------------------------------------------------------------------------


def drawn_order(situation: Situation, pseudonym: str) -> list[int]:
    with situation.database.read_only() as session:
        query = select(Assignment.item_id).join(Membership)
        query = query.where(Membership.pseudonym == pseudonym, Assignment.phase == "reading")
        return list(session.exec(query.order_by(col(Assignment.position))))


def test_no_public_words_give_the_order_of_reading(opened: Situation) -> None:
    """Seeds, keys, pseudonyms, dates and hashes are printed somewhere; none of them as a key draws what was drawn."""
    with opened.database.read_only() as session:
        study = session.exec(select(Study)).one()
        freeze = session.exec(select(Freeze)).one()
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        rules = phases.rules_of(phases.named("reading"))
        items = list(session.exec(select(Item, Case.subject).join(Case).order_by(col(Item.id))))
    public = ["7", "3", "tiny", "Rater 1", freeze.sha256, str(freeze.created_at), "0" * 64, "", str(study.id)]
    drawn = {rater: drawn_order(opened, rater) for rater in ("Rater 1", "Rater 2")}

    def order_by(generator: random.Random) -> list[int]:
        return [stored_id(item.id) for item in assigning.ordered(items, rules, generator)]

    guessed: dict[str, dict[str, list[int]]] = {}
    for word in public:
        for rater in drawn:
            for purpose in (f"reading|{rater}", rater, "reading", ""):
                for seed in (word, f"{word}|{purpose}", f"{purpose}|{word}"):
                    rule = seed.replace(rater, "the rater")
                    guessed.setdefault(rule, {})[rater] = order_by(random.Random(seed))
            for salt in (word.encode().hex() or "00", "00" * 32):
                key = draws.key_from(salt, 1, 0, 7)
                guessed.setdefault(f"salt {salt}", {})[rater] = order_by(key.rng("reading", rater))

    with opened.database.read_only() as session:
        secret = draws.key_of(session, stored_id(study.id), 7)
    assert {rater: order_by(secret.rng("reading", rater)) for rater in drawn} == drawn  # what a right guess gives
    # One order in 720 comes out by chance, but hardly those of both raters by one rule.
    assert [rule for rule, orders in guessed.items() if orders == drawn] == []


def test_the_keys_that_a_package_discloses_do_not_draw_for_who_joins_after_a_re_opening(
    opened: Situation, tmp_path: Path
) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    package.export_study(opened.database, opened.admin, "tiny", tmp_path / "package")
    disclosed = json.loads((tmp_path / "package" / "draws.json").read_text())
    data_lock.reopen_study(opened.database, opened.admin, "tiny", "somebody came late")
    members.invite(opened.database, opened.admin, "tiny", "late", "Late", "rater")

    with opened.database.read_only() as session:
        study = session.exec(select(Study)).one()
        used = draws.key_of(session, stored_id(study.id), 7).value.hex()

    assert used not in {entry["key"] for entry in disclosed["keys"]}
    assert study.salt not in (tmp_path / "package" / "draws.json").read_text()
    assert packaging_is_shut(opened, tmp_path / "again")


def packaging_is_shut(situation: Situation, folder: Path) -> bool:
    try:
        package.export_study(situation.database, situation.admin, "tiny", folder)
    except NotAllowed:
        return not folder.exists()
    return False


def test_an_interim_look_discloses_no_key(opened: Situation, tmp_path: Path) -> None:
    data_lock.take_interim_look(opened.database, opened.admin, "tiny", "to see whether it works")
    package.export_study(opened.database, opened.admin, "tiny", tmp_path / "package")

    with opened.database.read_only() as session:
        study = session.exec(select(Study)).one()
        key = draws.key_of(session, stored_id(study.id), 7).value.hex()
    everything = b"".join(path.read_bytes() for path in (tmp_path / "package").rglob("*") if path.is_file())

    assert not (tmp_path / "package" / "draws.json").exists()
    assert study.salt.encode() not in everything
    assert key.encode() not in everything
