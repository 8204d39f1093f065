"""Labels made elsewhere are stored slice by slice, are seen all at once, and leave nothing where they do not end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from db import AuditEvent, Database, ImportedLabel, LabelImport, LabelReservation
from db.engine import make_engine
from services import report
from services.errors import Conflict
from services.judging import import_labels, import_runs
from services.judging.import_labels import LabelLine
from services.progress import data_lock
from services.record import verification
from services.report.files.label_file import label_files
from services.report.rows.loading import newest_rows
from services.studies.folders import unfinished_imports
from services.studies.freeze import thawing
from tests.harness.forked import forked_manage
from tests.services.judging.slices import Left, killed_at, store_one_row_a_slice
from tests.situations import Situation, open_study

CSV = b"""item,candidate,labeller,verdict,explanation
i1,k1,Dr A,correct,Same side.
i1,k2,Dr A,incorrect,
i1,k1,Dr B,correct,
i2,k3,Dr B,incorrect,
"""


@pytest.fixture(autouse=True)
def a_slice_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    store_one_row_a_slice(monkeypatch)


def take_in(situation: Situation, name: str = "labels", act: Callable[[int], object] = lambda _: None) -> LabelLine:
    """Import the labels, and do something after each slice, with how many were stored."""
    return import_labels.import_labels(
        situation.database, situation.admin, "tiny", name=name, content=CSV, file_name="labels.csv",
        progress=lambda done, _total, what: act(done) if what == "Storing the labels" else None,
    )  # fmt: skip


def stored(database: Database) -> tuple[int, int, int]:
    """Return how many labels are stored, how many reservations there are, and how many imports that publish."""
    with database.read_only() as session:
        tables = (ImportedLabel, LabelReservation, LabelImport)
        labels, reserved, published = (len(session.exec(select(table.id)).all()) for table in tables)
    return labels, reserved, published


def seen(situation: Situation) -> list[object]:
    """Return what readers see of labels: their list, what reports go by, the chain, and whether a thaw is possible."""
    database, admin = situation.database, situation.admin
    with database.read_only() as session:
        events = session.exec(select(AuditEvent.action)).all()
        newest = newest_rows(session, 1)
    return [
        import_labels.labels_of(database, admin, "tiny"),
        newest,
        events,
        thawing.can_be_thawed(database, admin, "tiny"),
    ]


def test_nobody_sees_a_label_before_all_of_them(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    before, meanwhile, rows = seen(situation), [], []

    def look(_: int) -> None:
        meanwhile.append(seen(situation))
        rows.append(stored(database))
        # It takes the longest of all.
        if len(rows) == 3:
            assert verification.verify_study(database, "tiny") == []

    take_in(situation, act=look)

    assert rows == [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0)]
    # While labels come in, the study cannot be thawed; nothing else is different.
    assert meanwhile == [[*before[:3], False]] * 4
    after = seen(situation)
    assert [len(after[0]), after[2][-1]] == [1, "labels made elsewhere imported"]
    assert after[1] != before[1]


def test_a_report_that_is_made_meanwhile_has_no_label_and_one_that_is_made_afterwards_all(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny", "The readers are done.")
    files = []

    def look(_: int) -> None:
        built = report.build_report(opened.database, opened.admin, "tiny")
        files.append([len(list(file.rows)) for file in label_files(opened.database, built)])

    take_in(opened, act=lambda done: look(done) if done == 3 else None)
    look(0)

    assert files == [[], [4]]


def test_no_transaction_stores_more_than_a_slice(opened: Situation) -> None:
    sizes: list[int] = []

    def note(
        _connection: object, _cursor: object, statement: str, values: object, _context: object, many: bool
    ) -> None:
        if statement.startswith("INSERT INTO imported_label"):
            sizes.append(len(values) if many else 1)  # type: ignore[arg-type]

    event.listen(opened.database.engine, "before_cursor_execute", note)
    try:
        take_in(opened)
    finally:
        event.remove(opened.database.engine, "before_cursor_execute", note)

    assert sizes == [1, 1, 1, 1]


def test_unfinished_labels_can_be_deleted_and_published_ones_never(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    take_in(situation)
    said: dict[str, list[str]] = {}

    def tried(statement: str) -> str:
        with database.engine.connect() as connection:
            transaction = connection.begin()
            try:
                connection.execute(text(statement))
            except DBAPIError as error:
                return str(error.orig)
            finally:
                transaction.rollback()
        return ""

    def try_it(_: int) -> None:
        with database.read_only() as session:
            keys = {row.name: row.id for row in session.exec(select(LabelReservation))}
        for name, key in keys.items():
            said[name] = [
                tried(f"DELETE FROM imported_label WHERE import_id = {key}"),
                tried(f"UPDATE imported_label SET remark = 'x' WHERE import_id = {key}"),
                tried(f"DELETE FROM label_reservation WHERE id = {key}"),
            ]

    take_in(situation, "more", act=lambda done: try_it(done) if done == 2 else None)

    assert said["more"][0] == ""
    assert "append-only" in said["labels"][0]
    assert all("append-only" in said[name][1] for name in said)
    # Neither goes while labels are stored under it.
    assert all("foreign key" in said[name][2].lower() for name in said)


@pytest.mark.postgresql
def test_labels_are_not_deleted_while_they_are_being_published(
    postgres_url: str, data_dir: Path, tmp_path: Path
) -> None:
    """Neither transaction sees what the other does; on SQLite there is one writer at a time."""
    database = Database(make_engine(postgres_url), data_dir)
    situation = open_study(database, tmp_path / "study")
    said: list[str] = []

    def delete(key: int) -> None:
        try:
            with database.engine.begin() as connection:
                connection.execute(text(f"DELETE FROM imported_label WHERE import_id = {key}"))
        except DBAPIError as error:
            said.append(str(error.orig))

    def publish_meanwhile(done: int) -> None:
        if done < 4:
            return
        with database.writing() as session:
            key = session.exec(select(LabelReservation.id)).one()
            session.add(
                LabelImport(
                    id=key, study_id=1, name="labels", field="", scale=[], source="s", source_sha256="0" * 64,
                    blinding="", drawn="",
                )
            )  # fmt: skip
            session.flush()
            deleting.append(threading.Thread(target=delete, args=(key,)))
            deleting[0].start()
            time.sleep(0.2)
        deleting[0].join()
        raise Left

    deleting: list[threading.Thread] = []
    with pytest.raises(Left):
        take_in(situation, act=publish_meanwhile)

    assert ["append-only" in sentence for sentence in said] == [True]
    assert stored(database)[0] == 4
    database.engine.dispose()


@pytest.mark.server
@pytest.mark.parametrize(
    ("beginning", "before", "left"),
    [
        ("INSERT INTO label_reservation", 0, 0),
        ("INSERT INTO imported_label", 0, 0),
        ("INSERT INTO imported_label", 1, 1),
        ("INSERT INTO imported_label", 3, 3),
        ("UPDATE label_reservation", 2, 2),
        ("INSERT INTO label_import", 0, 4),
        ("INSERT INTO audit_event", 0, 4),
    ],
)
def test_what_a_kill_leaves_is_seen_by_nobody_and_the_next_import_starts_clean_and_says_so(
    database: Database, tmp_path: Path, beginning: str, before: int, left: int
) -> None:
    situation = open_study(database, tmp_path / "study")
    as_it_was = seen(situation)

    killed_at(situation, beginning, before, take_in)

    assert seen(situation)[:3] == as_it_was[:3]
    assert stored(database)[0] == left
    line = take_in(situation)
    assert line.cleared == left
    assert ("removed before this one began" in line.in_words) == (left > 0)
    assert stored(database) == (4, 1, 1)
    assert (line.labels, line.candidates, line.labellers) == (4, 3, ("Dr A", "Dr B"))
    assert verification.verify_study(database, "tiny") == []


@pytest.mark.server
def test_what_a_kill_left_is_listed_and_removed_by_the_command_that_cleans(opened: Situation) -> None:
    killed_at(opened, "INSERT INTO imported_label", 3, take_in)
    time.sleep(1)
    environment = {**os.environ, "BLINDREAD_DATA_DIR": str(opened.database.data_dir)}
    environment["DATABASE_URL"] = opened.database.engine.url.render_as_string()
    opened.database.engine.dispose()

    listed, removed = (forked_manage(environment, "clean", *options).stdout for options in ((), ("--yes",)))

    assert "3 labels made elsewhere whose import was not completed. --yes deletes them." in listed
    assert "Deleted: 3 labels made elsewhere" in removed
    assert stored(opened.database) == (0, 0, 0)


def test_a_study_is_not_thawed_while_labels_come_in_and_is_after_that_was_left(opened: Situation) -> None:
    def thaw(_: int) -> None:
        with pytest.raises(Conflict, match="labels made elsewhere are being imported"):
            thawing.thaw_study(opened.database, opened.admin, "tiny", "A prompt is wrong.")
        raise Left

    with pytest.raises(Left):
        take_in(opened, act=thaw)
    assert stored(opened.database) == (0, 0, 0)

    thawing.thaw_study(opened.database, opened.admin, "tiny", "A prompt is wrong.")


def test_a_file_that_is_sent_twice_at_once_comes_in_once(opened: Situation) -> None:
    begun, refused = threading.Event(), threading.Event()

    def slowly(done: int) -> None:
        begun.set()
        # It moves, and its last slice waits until the other was refused.
        refused.wait(20) if done == 4 else time.sleep(0.2)

    first = threading.Thread(target=take_in, args=(opened, "labels", slowly))
    first.start()
    begun.wait(20)
    try:
        with pytest.raises(Conflict, match="Labels 'labels' are being imported at this moment"):
            take_in(opened)
    finally:
        refused.set()
        first.join()

    with pytest.raises(Conflict, match="already been imported as labels 'labels'"):
        take_in(opened)
    assert stored(opened.database) == (4, 1, 1)


def test_an_import_that_stood_still_is_taken_over_and_stores_nothing_more(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    situation = open_study(database, tmp_path / "study")
    monkeypatch.setattr(unfinished_imports, "HELD_FOR", timedelta(seconds=0.3))
    lines = []

    def take_over(done: int) -> None:
        if done == 2 and not lines:
            lines.append(take_in(situation))

    with pytest.raises(Conflict, match="cleaned away"):
        take_in(situation, act=take_over)

    assert [line.cleared for line in lines] == [2]
    assert stored(database) == (4, 1, 1)
    assert verification.verify_study(database, "tiny") == []


def test_labels_have_a_run_of_the_same_name_beside_them(opened: Situation) -> None:
    """What is reserved for labels is not what is reserved for runs."""
    content = b"item,candidate,verdict\ni1,k1,correct\n"

    def judge(done: int) -> None:
        if done == 2:
            import_runs.import_judge_verdicts(
                opened.database, opened.admin, "tiny", name="labels", judge="j", content=content, file_name="j.csv"
            )

    take_in(opened, act=judge)

    assert [run.name for run in import_runs.judge_runs_of(opened.database, opened.admin, "tiny")] == ["labels"]
    assert stored(opened.database) == (4, 1, 1)
    assert verification.verify_study(opened.database, "tiny") == []
