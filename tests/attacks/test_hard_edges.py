"""Damaged rows, forged senders, odd archives and arguments, clocks and two logins at once."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import shutil
import sqlite3
import tracemalloc
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import NoResultFound as NoRowFound
from streamlit.proto.BackMsg_pb2 import BackMsg
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed

from db import Database, now
from db.engine import make_engine
from db.waiting import Unavailable, within
from exchange.judge_verdicts import parse_judge_verdicts
from exchange.study_zip import unpack_study_zip
from manage import cli
from server import hosts
from services.errors import Conflict, InputRefused, NotFound, Refused
from services.judging import import_runs
from services.people import identity, notices, signing_in
from services.reading import revising, submission
from services.record import maintenance, redrawing, restoring, verification
from services.seals import proofs
from services.studies import starter
from services.studies.checking import checked_folder
from tests.blinding.attacking import assignments_of
from tests.blinding.marked_study import OBSERVED, STUDY
from tests.blinding.serving import ServedStudy, client
from tests.blinding.streamlit_socket import ask, messages_of_run, run_page, socket, text_of
from tests.db.full_study import full_study
from tests.harness import databases
from tests.situations import (
    PROTOCOL,
    Situation,
    any_answers,
    on_the_desk,
    open_study,
    show,
    signed_in,
    submit,
    write_study_folder,
)

HIDDEN = b"zqhidden"
PASSWORD = "correct horse battery"


# ---- what a reader can send and see ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cookies(marked: ServedStudy) -> dict[str, str]:
    return marked.cookie(OBSERVED)


@pytest.fixture(scope="module")
def rater(marked: ServedStudy, cookies: dict[str, str]) -> Iterator[httpx.Client]:
    with client(marked.server, cookies) as opened:
        yield opened


ODD: tuple[Any, ...] = (
    None, True, -1, 2**64, 10**30, 1e308, "", "x" * 5000, [[]], {}, {"fields": []}, {"fields": {"answer": []}},
    {"fields": {"answer": {}}}, {"fields": {"answer": 10**30}}, {"fields": {"": 1}}, {"fields": {}, "flag": 5},
    {"fields": {}, "flag": {"id": []}}, {"fields": {}, "not_assessable": {}}, {"fields": {}, "comment": {"a": 1}},
)  # fmt: skip


@pytest.mark.parametrize("act", ["shown", "draft", "verdict", "failure", "damage", "reopen", "resume"])
def test_no_odd_value_in_any_place_of_a_request_is_an_error_or_shows_something_hidden(
    marked: ServedStudy, rater: httpx.Client, act: str
) -> None:
    desk = submission.current_payload(marked.study.database, marked.study.observed, STUDY, "reading")
    plain = {"assignment": desk["assignment"], "key": "k", "sequence": 1, "answers": {"fields": {}}, "volume": "x"}
    plain |= {"load_ms": 1, "active_ms": 1, "idle_ms": 1, "viewport": [1, 1], "renderer": "x", "trace": {}}
    places = ["assignment"] if act == "failure" else list(plain)
    answers = [rater.post(f"/reading/{act}", json={**plain, place: odd}) for place in places for odd in ODD]

    assert [answer.text for answer in answers if answer.status_code >= 500 or HIDDEN in answer.content] == []


@pytest.mark.parametrize("page", ["reading", "study", "report", "preview", "people", "import", "worklist"])
@pytest.mark.parametrize(
    "query",
    [
        *(f"study={STUDY}&phase={phase}" for phase in ("scoring", "review", "opinions", "practice", "admin", "")),
        f"study={STUDY}%00&phase=reading", "phase=%00&study=%ff", f"study=none&study={STUDY}&phase=review&open=1",
    ],
)  # fmt: skip
def test_no_edited_address_of_a_page_shows_a_rater_something_hidden(
    marked: ServedStudy, cookies: dict[str, str], page: str, query: str
) -> None:
    assert HIDDEN.decode() not in text_of(run_page(marked.server, cookies, page, query))


@pytest.mark.parametrize("kind", ["debug_shutdown_runtime", "debug_disconnect_websocket", "clear_cache", "stop_script"])
def test_no_message_for_developers_stops_the_server_or_the_page(
    marked: ServedStudy, cookies: dict[str, str], rater: httpx.Client, kind: str
) -> None:
    with socket(marked.server, cookies) as opened:
        ask(opened)
        messages_of_run(opened)
        opened.send(BackMsg(**{kind: True}).SerializeToString())
        ask(opened)
        assert messages_of_run(opened)
    assert rater.get("/health").status_code == 200


def test_frames_of_nonsense_end_at_most_their_own_socket(
    marked: ServedStudy, cookies: dict[str, str], rater: httpx.Client
) -> None:
    chance = random.Random(5)
    # The server may close it at any of them.
    with contextlib.suppress(ConnectionClosed), socket(marked.server, cookies) as opened:
        for _ in range(30):
            opened.send(chance.randbytes(chance.randrange(1, 200)))
    assert rater.get("/health").status_code == 200
    assert run_page(marked.server, cookies)


@pytest.mark.parametrize("path", ["my-study.zip", "my-study.zip/manifest.json", "%2e/my-study.zip", "MY-STUDY.ZIP"])
def test_the_study_to_start_from_is_sent_to_no_rater_by_any_spelling(rater: httpx.Client, path: str) -> None:
    assert not rater.get(f"/download/{path}").content.startswith(b"PK")
    for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert rater.request(method, f"/download/{path}").status_code >= 400 or path == "MY-STUDY.ZIP"


@pytest.mark.parametrize("study", ["%00", "%0d%0aX:y", "%22", "~", "é", "."])
def test_no_odd_study_in_the_address_of_a_download_writes_a_header(rater: httpx.Client, study: str) -> None:
    answer = rater.get(f"/download/{STUDY}{study}/manifest.json")

    assert answer.status_code in {400, 403, 404}
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("origin", ["http://[", "http://[x]y/", "http://[127.0.0.1:80]"])
def test_an_origin_that_is_no_address_is_refused_as_another_site(rater: httpx.Client, origin: str) -> None:
    assert rater.post("/reading/shown", json={}, headers={"Origin": origin}).status_code == 403


# ---- verdicts: two logins, other keys, a database that is held -------------------------------------------------------


def test_the_key_of_one_item_or_login_files_no_answer_under_another(opened: Situation) -> None:
    rater, again = opened.raters[0], signed_in(opened.database, "rater-1")
    first = on_the_desk(opened, rater)
    show(opened, rater, first)
    receipt = submit(opened, rater, first)
    second = on_the_desk(opened, rater)
    show(opened, rater, second)

    for actor, key in ((rater, first["key"]), (again, second["key"]), (rater, ""), (rater, second["key"].upper())):
        with pytest.raises(Conflict):
            submission.submit(opened.database, actor, second["assignment"], key, any_answers(second))
    assert submission.submit(opened.database, again, first["assignment"], first["key"], any_answers(first)) == receipt


def test_twelve_submits_at_once_from_two_logins_leave_one_verdict_and_one_receipt(opened: Situation) -> None:
    logins = (opened.raters[0], signed_in(opened.database, "rater-1"))
    desks = [on_the_desk(opened, actor) for actor in logins]
    for actor, desk in zip(logins, desks, strict=True):
        show(opened, actor, desk)

    def hand_in(number: int) -> str:
        desk = desks[number % 2]
        try:
            given = {**any_answers(desk), "comment": str(number)}
            return submit(opened, logins[number % 2], desk, given).receipt
        except Conflict:
            return ""

    with ThreadPoolExecutor(12) as pool:
        receipts = [receipt for receipt in pool.map(hand_in, range(12)) if receipt]
    assert len(receipts) == 1
    assert verification.verify_study(opened.database, "tiny") == []


def test_nothing_ahead_is_drafted_shown_given_up_or_submitted_by_a_second_login(opened: Situation) -> None:
    again = signed_in(opened.database, "rater-1")
    ahead = assignments_of(opened, again, "reading")[2]

    for act in (
        lambda: submission.save_draft(opened.database, again, ahead, 1, {"fields": {}}),
        lambda: show(opened, again, {"assignment": ahead}),
        lambda: submission.report_failure(opened.database, again, ahead, "x"),
    ):
        with pytest.raises(Conflict):
            act()


def test_a_patience_that_ran_out_on_a_connection_does_not_stay_on_it(opened: Situation) -> None:
    engine, rater = opened.database.engine, opened.raters[0]
    held = sqlite3.connect(str(engine.url.database), isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    for seconds in (0.3, 0.0):
        with pytest.raises(Unavailable), within(seconds):
            show(opened, rater, on_the_desk(opened, rater))
    held.execute("ROLLBACK")
    held.close()

    for _ in range(2):
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000
            connection.invalidate()


def test_a_clock_that_is_set_back_refuses_no_revision(
    migrated_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, tmp_path / "data" / "blindread.db"))
    rules = {"reading": {**PROTOCOL["reading"], "revision": "session"}}
    situation = open_study(Database(engine, tmp_path / "data"), tmp_path / "study", rules)
    rater = situation.raters[0]
    desk = on_the_desk(situation, rater)
    show(situation, rater, desk)
    submit(situation, rater, desk)
    reopened = revising.reopen(situation.database, rater, desk["assignment"])
    monkeypatch.setattr("services.people.clock.now", lambda: now() - timedelta(hours=3))
    show(situation, rater, reopened)

    assert submit(situation, rater, reopened).receipt
    engine.dispose()


# ---- signing in ------------------------------------------------------------------------------------------------------


def test_whoever_set_a_password_by_a_link_puts_no_notice_of_a_further_link_away(opened: Situation) -> None:
    database = opened.database
    joined = identity.make_link(database, "rater-1", "join", by=opened.admin)
    identity.use_link(database, joined, PASSWORD)
    identity.use_link(database, identity.make_link(database, "rater-1", "sign_in", by=opened.admin), None)
    by_password = identity.actor_of_token(database, signing_in.sign_in(database, "rater-1", PASSWORD))
    assert by_password is not None
    count = len(notices.notices_of(database, by_password))
    notices.confirm_notices(database, by_password)

    assert len(notices.notices_of(database, by_password)) == count


def come_through(said: str, peer: tuple[str, int]) -> tuple[str, str]:
    """Return address and scheme of a request behind `Hosts`, where this machine alone is a proxy."""
    received: dict[str, Any] = {}

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        received.update(scope)

    async def nothing(*_: Any) -> dict[str, Any]:
        return {}

    guard = hosts.Hosts(app)
    guard.proxies = hosts.networks(("127.0.0.1",))
    headers = [(b"host", b"localhost"), (b"x-forwarded-for", said.encode()), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "scheme": "http", "client": peer, "headers": headers}
    asyncio.run(guard(scope, nothing, nothing))
    return received["client"][0], received["scheme"]


@pytest.mark.parametrize("said", ["1.2.3.4", "127.0.0.1, 1.2.3.4", "1.2.3.4:0, 127.0.0.1:1"])
def test_a_stranger_who_names_other_addresses_keeps_their_own(said: str) -> None:
    assert come_through(said, ("10.0.0.5", 54321)) == ("10.0.0.5", "http")


@pytest.mark.parametrize("said", ["10.0.0.5:54321, 1.2.3.4", "1.2.3.4, 10.0.0.5:54321"])
def test_a_stranger_who_names_their_own_port_is_no_proxy(said: str) -> None:
    assert come_through(said, ("10.0.0.5", 54321)) == ("10.0.0.5", "http")


@pytest.mark.parametrize("name", ["127.0.0.1:1@evil.example", "localhost:evil.example", "[::1]:x@evil.example"])
def test_a_name_with_something_else_than_a_port_behind_it_is_not_ours(name: str) -> None:
    assert hosts.name_of(name) not in hosts.ALWAYS_ALLOWED


# ---- files -----------------------------------------------------------------------------------------------------------

BEGUN = '{"item":"a","candidate":"b","verdict":1'


@pytest.mark.parametrize("value", ["NaN", "1e999", "-0", "{}", "[]", '"\\u0000"', "[" * 900 + "]" * 900, "null"])
@pytest.mark.parametrize("place", ["item", "candidate", "verdict", "error", "explanation"])
def test_an_odd_value_in_a_judges_line_is_read_or_refused_in_a_sentence(place: str, value: str) -> None:
    members = {"item": '"a"', "candidate": '"b"', "verdict": '"1"', place: value}
    line = "{" + ",".join(f'"{name}":{text}' for name, text in members.items()) + "}"
    try:
        parse_judge_verdicts(line.encode(), "x.jsonl")
    except InputRefused as refusal:
        assert len(str(refusal)) < 400


def test_a_judges_line_of_many_keys_of_which_the_last_is_doubled_is_refused_at_once() -> None:
    keys_ = [f'"{number:x}":1' for number in range(12_000)]
    line = ",".join([BEGUN, *keys_, keys_[-1]]) + "}"
    with pytest.raises(InputRefused, match="stands there twice"):
        parse_judge_verdicts(line.encode(), "x.jsonl")


def test_a_judges_file_of_short_lines_costs_no_multiple_of_itself() -> None:
    content = b"item,candidate,verdict\n" + b"a,b,x\n" * 50_000
    tracemalloc.start()
    with pytest.raises(InputRefused):
        parse_judge_verdicts(content, "x.csv")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 20 * len(content)


def test_a_refusal_of_a_judges_file_steers_no_terminal(opened: Situation) -> None:
    content = b'{"item":"\\u001b[2J\\u001b]0;x\\u0007","candidate":"k1","verdict":1}'
    with pytest.raises(InputRefused) as refusal:
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, "tiny", name="r", judge="", content=content, file_name="x.jsonl"
        )

    assert str(refusal.value).isprintable()


def test_all_that_is_wrong_with_a_judges_keys_is_said_at_once(opened: Situation) -> None:
    content = b"item,candidate,verdict\ni1,k1,1\ni1,k1,0\nno,such,1\n"
    with pytest.raises(InputRefused) as refusal:
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, "tiny", name="r", judge="", content=content, file_name="x.csv"
        )
    said = " ".join(str(problem) for problem in refusal.value.problems)

    assert "no + such" in said
    assert "twice" in said


def test_a_table_with_a_header_of_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    header, _, rest = (folder / "cases.csv").read_text().partition("\n")
    many = ",".join(f"{number:x}" for number in range(20_000))
    (folder / "cases.csv").write_text(f"{header.strip()},{many}\n{rest}")
    with pytest.raises(InputRefused):
        checked_folder(folder)


def unpacked(content: bytes, target: Path) -> Path:
    target.mkdir(parents=True)
    return unpack_study_zip(io.BytesIO(content), "x.zip", target)


def test_a_damaged_archive_is_unpacked_inside_its_folder_or_refused_in_a_sentence(tmp_path: Path) -> None:
    whole, chance = starter._packed(), random.Random(1)
    for number in range(150):
        content = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3, 20))):
            content[chance.randrange(len(content) - 3000, len(content))] = chance.randrange(256)
        target = tmp_path / "in"
        try:
            unpacked(bytes(content[: len(content) if number % 9 else chance.randrange(len(content))]), target)
        except InputRefused as refusal:
            assert str(tmp_path) not in str(refusal)
        assert [path.name for path in tmp_path.iterdir()] == ["in"]
        shutil.rmtree(target)


@pytest.mark.parametrize("other", ["s/./protocol.yaml", "s//protocol.yaml", "s\\protocol.yaml"])
def test_an_archive_that_names_one_file_in_two_ways_is_refused(tmp_path: Path, other: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("s/protocol.yaml", "name: a")
        archive.writestr(other, "name: b")

    with pytest.raises(InputRefused):
        unpacked(packed.getvalue(), tmp_path / "in")


@pytest.mark.parametrize("table", ["protocol.yaml", "cases.csv", "volumes.csv", "candidates.csv"])
@pytest.mark.parametrize("kind", ["folder", "loop", "nowhere"])
def test_a_table_that_is_no_file_is_refused_in_a_sentence(tmp_path: Path, table: str, kind: str) -> None:
    folder = write_study_folder(tmp_path / "study")
    place = folder / table
    place.unlink()
    if kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(place if kind == "loop" else "/nonexistent")
    try:
        checked_folder(folder)
    except InputRefused as refusal:
        assert str(tmp_path) not in str(refusal)
    else:
        # The only table here that a study may lack.
        assert table == "candidates.csv"


# ---- the command line ------------------------------------------------------------------------------------------------


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
    done = CliRunner().invoke(cli, arguments)

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


# ---- what verify sees ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worked_through(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    full_study(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data" / "blindread.db"


@pytest.fixture
def changed(worked_through: Path, tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, Database]]:
    """A copy of the database without triggers, open to be changed, and the same as the program sees it."""
    copy = tmp_path / "blindread.db"
    shutil.copy(worked_through, copy)
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


@pytest.mark.parametrize("table", [proofs.table_name(model) for model in proofs.COLUMNS])
def test_no_column_of_a_sealed_row_changes_unseen(changed: tuple[sqlite3.Connection, Database], table: str) -> None:
    connection, database = changed
    sealed = next(columns for model, columns in proofs.COLUMNS.items() if proofs.table_name(model) == table)
    kinds = {row[1]: row[2].partition("(")[0] for row in connection.execute(f"PRAGMA table_info({table})")}
    lifted(connection)
    guards = set(verification.verify_study(database, "tiny", files=False))
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
            if set(verification.verify_study(database, "tiny", files=False)) <= guards:
                unseen.append(column)
        except (LookupError, ValueError, NotFound, NoRowFound):
            # It cannot be read any more: an error, which nobody overlooks.
            pass
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
    assert unseen == []


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
