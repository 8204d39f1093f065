"""Nonsense and overload at every way in, and what a reader may learn from the newest routes."""

from __future__ import annotations

import json
import re
import socket as sockets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from sqlmodel import select

from db import AuditEvent, Database, Display, Volume
from db.engine import make_engine
from db.migrate import standing
from server import logs
from server.logs import configure_logs, note_fault
from services import report
from services.errors import Conflict, InputRefused, NotAllowed, NotFound
from services.progress import data_lock
from services.reading import instructions, shown_volumes, submission
from services.reading.pace import duration
from services.reading.verdict_rows import Circumstances
from services.record import maintenance, package, restoring
from services.studies.folders import starter
from services.studies.membership import members
from services.studies.volumes import damaged_volumes
from tests.blinding.attacking import assignments_of, keys
from tests.blinding.marked_study import OBSERVED, STUDY, mark
from tests.blinding.serving import ServedStudy, client
from tests.blinding.transcript import Chunk, marks_in
from tests.harness import databases
from tests.harness.command_line import invoke
from tests.harness.forked import forked_manage
from tests.harness.server import clean_environment
from tests.room_study import reading_rules, room_study, with_practice
from tests.situations import Situation, any_answers, on_the_desk, read_all, show, signed_in, submit


@pytest.fixture(scope="module")
def cookies(marked: ServedStudy) -> dict[str, str]:
    return marked.cookie(OBSERVED)


@pytest.fixture(scope="module")
def rater(marked: ServedStudy, cookies: dict[str, str]) -> Iterator[httpx.Client]:
    with client(marked.server, cookies) as opened:
        yield opened


# ---- what a reader may learn -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["manifest.json", "report.html", "report.json", "report-csv.zip", "draws.json", "x"])
def test_a_download_tells_a_rater_nothing_not_even_whether_there_is_a_study(rater: httpx.Client, file: str) -> None:
    own, none = (rater.get(f"/download/{study}/{file}") for study in (STUDY, "none-such"))

    assert own.status_code in {403, 404}
    assert marks_in([Chunk("body", own.content), Chunk("body", str(own.headers).encode())]) == {}
    assert none.status_code == 404


def test_a_damage_report_on_a_volume_ahead_says_nothing_and_leaves_nothing(opened: Situation) -> None:
    rater = opened.raters[0]
    derived = keys(opened, rater)
    with opened.database.read_only() as session:
        tokens = [derived.volume_token(volume_id) for volume_id in session.exec(select(Volume.id))]
    refused = 0
    for token in [*tokens, "", "x" * 10_000, "\x00", "é", tokens[0].upper()]:
        try:
            shown_volumes.report_damage(opened.database, rater, token)
        except NotFound:
            refused += 1
    with opened.database.read_only() as session:
        noted = session.exec(select(AuditEvent).where(AuditEvent.action == damaged_volumes.ACTION)).all()

    # The current and the next item's scans are in reach: four of nine at most, and the five odd tokens are not.
    assert refused >= 5 + 5
    assert len(noted) == len(tokens) + 5 - refused


def test_reporting_damage_again_and_again_leaves_one_event(opened: Situation) -> None:
    rater = opened.raters[0]
    names = (keys(opened, rater).volume_token(number) for number in range(1, 10))
    token = next(name for name in names if _in_reach(opened, name))
    for _ in range(50):
        shown_volumes.report_damage(opened.database, rater, token)
    with opened.database.read_only() as session:
        noted = session.exec(select(AuditEvent).where(AuditEvent.action == damaged_volumes.ACTION)).all()

    assert len(noted) == 1


def _in_reach(situation: Situation, token: str) -> bool:
    try:
        shown_volumes.volume_in_reach(situation.database, situation.raters[0], token)
    except NotFound:
        return False
    return True


def test_the_end_of_reading_tells_of_scores_only_how_many_and_how_long(opened: Situation) -> None:
    rater, other = opened.raters
    read_all(opened, other)
    read_all(opened, rater)
    done = on_the_desk(opened, rater)
    # Some day a random public id spells a short key.
    text = re.sub(r'"[\w-]{22}"', '"a public id"', json.dumps(done))

    assert done["kind"] != "item"
    for hidden in ("model-a", "model-b", "k1", "A cyst", "subject-", "hidden note", "i1", "accepted", "Rater 2"):
        assert hidden not in text
    assert "4 answers" in text


def test_the_pace_is_ones_own_and_not_that_of_others(opened: Situation) -> None:
    rater, other = opened.raters
    read_all(opened, rater)
    before = on_the_desk(opened, rater)
    while (payload := on_the_desk(opened, other))["kind"] == "item":
        show(opened, other, payload)
        submission.submit(
            opened.database, other, payload["assignment"], payload["key"], any_answers(payload),
            Circumstances(active_ms=4_000_000),
        )  # fmt: skip

    assert on_the_desk(opened, rater) == before


@pytest.mark.parametrize("milliseconds", [0, 1, 59_999, 10**15, 0.5, 86_400_000 * 20_000])
def test_a_pace_of_any_size_is_said_in_a_few_letters(milliseconds: float) -> None:
    assert len(duration(milliseconds)) < 24


def test_the_end_screen_of_a_practice_says_nothing_of_the_real_items(migrated_sqlite: Path, tmp_path: Path) -> None:
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, tmp_path / "data" / "blindread.db"))
    rules = reading_rules(practice={"pass_mark": 0.0})
    situation = room_study(Database(engine, tmp_path / "data"), tmp_path / "study", with_practice, protocol=rules)
    rater = situation.raters[0]
    ahead = assignments_of(situation, rater, "reading")
    seen = []
    while (payload := on_the_desk(situation, rater))["phase"] == "practice" and payload["kind"] == "item":
        show(situation, rater, payload)
        submit(situation, rater, payload)
        seen.append(json.dumps(payload))
    engine.dispose()

    assert ahead
    assert not any(assignment in text for assignment in ahead for text in seen)


def test_a_closed_report_that_was_made_is_shut_again_by_a_re_opening(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    assert report.download(opened.database, opened.admin, "tiny", "json")
    data_lock.reopen_study(opened.database, opened.admin, "tiny", "an answer came late")

    with pytest.raises(NotAllowed):
        report.download(opened.database, opened.admin, "tiny", "json")


def test_an_interim_look_of_one_admin_opens_nothing_for_another(opened: Situation) -> None:
    members.invite(opened.database, opened.admin, "tiny", "second", "Second", "admin")
    data_lock.take_interim_look(opened.database, opened.admin, "tiny", "to see whether it works")

    with pytest.raises(NotAllowed):
        report.download(opened.database, signed_in(opened.database, "second"), "tiny", "json")


# ---- nonsense at the routes ------------------------------------------------------------------------------------------

ODD_PATHS = (
    "/assets/viewer/room-" + "a" * 300 + ".mjs", "/assets/viewer/..%2f..%2fapp.py", "/assets/viewer/room-a.mjs%00",
    "/assets/viewer/", "/download/" + "a" * 5_000 + "/report.json", "/download/%00/manifest.json",
    "/download/..%2f..%2f/manifest.json", f"/download/{STUDY}/..%2fblindread.db", "/download/x/y/z",
    "/reading/volume/" + "%F0%9F%A6%B4" * 200, "/reading/revisable", "/reading/revisable?assignment=%00",
    "/reading/session?assignment[]=1", "/reading/scans?assignment=" + "x" * 8_000, "/reading/scans?" + "a=b&" * 3_000,
    "/notice?x=<script>", "/static/..%2f..%2fpages", "/component/../../etc/passwd", "/%F0%28%8C%BC", "/%C3%A9",
)  # fmt: skip


@pytest.mark.parametrize("path", ODD_PATHS, ids=range(len(ODD_PATHS)))
def test_an_odd_address_is_no_error_of_the_server(marked: ServedStudy, rater: httpx.Client, path: str) -> None:
    for method in ("GET", "HEAD", "POST", "DELETE"):
        answer = rater.request(method, path)

        assert answer.status_code < 500, method
        assert marks_in([Chunk("body", answer.content)]) == {}
        assert str(marked.server.data_dir) not in answer.text


@pytest.mark.parametrize("number", [2**31, 2**63, -(2**63) - 1, 10**30, 1e300, -1, "9" * 4000, True, None, [1]])
def test_a_measured_time_of_any_size_costs_nobody_their_verdict(
    marked: ServedStudy, rater: httpx.Client, number: Any
) -> None:
    instructions.acknowledge_instructions(marked.study.database, marked.study.observed, STUDY, "reading")
    desk = submission.current_payload(marked.study.database, marked.study.observed, STUDY, "reading")
    body = {"assignment": desk["assignment"], "load_ms": number, "viewport": [number, number], "renderer": "r" * 9_000}
    answer = rater.post("/reading/shown", json=body)

    assert answer.status_code in {200, 400}
    with marked.study.database.read_only() as session:
        assert all(display.load_ms <= 86_400_000 for display in session.exec(select(Display)))


def test_a_draft_for_the_last_possible_number_does_not_shut_out_the_verdict(opened: Situation) -> None:
    rater = opened.raters[0]
    payload = on_the_desk(opened, rater)
    submission.save_draft(opened.database, rater, payload["assignment"], submission.LARGEST_SEQUENCE, {"fields": {}})
    show(opened, rater, payload)

    assert submit(opened, rater, payload).receipt


def test_the_log_of_a_fault_is_bounded_whatever_was_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_logs()
    # A logger that has written keeps the end to which it wrote then.
    monkeypatch.setattr(logs, "_events", structlog.get_logger())
    for path in (
        "/" + "a" * 60_000,
        "/link/SECRETTOKEN",
        "//link/SECRETTOKEN",
        "/\n{forged}",
        "/reading/x/SECRETTOKEN",
    ):
        note_fault(OSError("x" * 100_000), path, 500)
    lines = capsys.readouterr().err.splitlines()

    assert all(len(line) < 6_000 for line in lines)
    assert "SECRETTOKEN" not in "".join(lines)
    assert len(lines) == 5


def test_two_hundred_sockets_and_requests_of_a_stranger_leave_the_server_answering(marked: ServedStudy) -> None:
    held = []
    try:
        for _ in range(200):
            connection = sockets.create_connection(("127.0.0.1", marked.server.port), timeout=5)
            connection.sendall(b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\nlogin=")
            held.append(connection)
        with marked.client() as stranger:
            assert stranger.get("/health").status_code == 200
            assert stranger.get("/sign-in").status_code == 200
    finally:
        for connection in held:
            connection.close()


def test_the_server_log_holds_no_mark_token_or_login_after_all_of_it(
    marked: ServedStudy, cookies: dict[str, str]
) -> None:
    log = marked.server.log_text()

    assert marks_in([Chunk("log", log.encode())]) == {}
    assert not any(token in log for token in cookies.values())
    assert OBSERVED not in log
    assert mark("adminlogin") not in log


# ---- the command line ------------------------------------------------------------------------------------------------


def test_a_new_study_writes_into_no_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "protocol.yaml").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "full")

    for target in ("full", "file", "link"):
        with pytest.raises(Conflict):
            starter.new_study(tmp_path / target)
    assert (tmp_path / "full" / "protocol.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\x00" + b"\xff" * 5000, b"no database at all", b"\x00" * 4096]
)
def test_a_backup_of_nonsense_leaves_the_place_empty(tmp_path: Path, content: bytes) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    (backup / "blindread.db").write_bytes(content)
    target = tmp_path / "data" / "blindread.db"
    target.parent.mkdir()
    engine = make_engine(f"sqlite:///{target.as_posix()}")

    with pytest.raises((InputRefused, Conflict)):
        restoring.restore_installation(Database(engine, tmp_path / "data"), backup)
    assert standing(engine) == "empty"
    engine.dispose()


def test_a_restore_never_writes_over_an_installation(opened: Situation, tmp_path: Path) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    read_all(opened, opened.raters[0])

    with pytest.raises(Conflict):
        restoring.restore_installation(opened.database, tmp_path / "backup")
    assert on_the_desk(opened, opened.raters[0])["kind"] != "item"


NO_DRAWS = (b"", b"[]", b"{}", b'{"drawn": [{"purpose": "x"}]}', b"\xff\xfe", b'{"drawn": 1}', b"[" * 5000)


def test_a_package_of_nonsense_is_redrawn_to_one_sentence(opened: Situation, tmp_path: Path) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    package.export_study(opened.database, opened.admin, "tiny", tmp_path / "package")

    for broken in NO_DRAWS:
        (tmp_path / "package" / "draws.json").write_bytes(broken)
        done = invoke("redraw", tmp_path / "package")

        assert isinstance(done.exception, SystemExit)
        assert (done.exit_code, len(done.output.strip().splitlines())) == (1, 1)


def test_a_folder_or_a_head_that_is_none_is_one_sentence_at_the_command_line(opened: Situation, tmp_path: Path) -> None:
    (tmp_path / "no-folder").write_bytes(b"\xff\xfe\x00no text")
    environment = clean_environment(opened.database.data_dir, {})
    opened.database.engine.dispose()
    for arguments in (
        ("--data-dir", str(tmp_path / "no-folder"), "init"),
        ("verify", "tiny", "--audit-head", str(tmp_path / "no-folder")),
    ):
        refused = forked_manage(environment, *arguments)

        assert refused.returncode != 0
        assert "Traceback" not in refused.stdout + refused.stderr
