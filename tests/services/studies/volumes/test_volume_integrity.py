"""A stored volume that is not what was prepared is never sent; it is noted once, and told to the study's admins."""

from __future__ import annotations

import gzip
import hashlib
import os
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import AuditEvent, Database, Verification, Volume, now
from services.errors import NotFound
from services.reading import shown_volumes, submission
from services.record import daily_verification, verification
from services.studies.volumes import volume_integrity, volume_store
from services.studies.volumes.volume_integrity import NotIntact
from tests.situations import Situation, open_study


def token_of(volume: dict[str, Any]) -> str:
    return str(volume["url"]).rsplit("/", 1)[1]


def first_volume(situation: Situation) -> dict[str, Any]:
    """What the first rater's browser gets on the volume on their desk."""
    payload = submission.current_payload(situation.database, situation.raters[0], "tiny", "reading")
    volume: dict[str, Any] = payload["images"]["panes"][0]["volumes"][0]
    return volume


def file_of(situation: Situation, volume: dict[str, Any]) -> Path:
    return shown_volumes.volume_in_reach(situation.database, situation.raters[0], token_of(volume))


def flip_a_byte_that_still_unpacks(file: Path) -> None:
    """Damage a file as a failing disk would: it unpacks to its full length, as browsers unpack it, to other voxels."""
    packed = bytearray(file.read_bytes())
    unpacked = zlib.decompress(packed, wbits=31)
    for place in range(len(packed) - 9, 18, -1):
        packed[place] ^= 1
        # A browser that is handed gzip does not look at its checksum: the last eight bytes.
        unpacking = zlib.decompressobj(wbits=-15)
        try:
            content = unpacking.decompress(bytes(packed[10:-8]))
        except zlib.error:
            content = b""
        if len(content) == len(unpacked) and content != unpacked:
            file.write_bytes(packed)
            return
        packed[place] ^= 1
    raise AssertionError("no byte could be flipped")


def noted(database: Database) -> list[dict[str, Any]]:
    with database.read_only() as session:
        return [
            event.detail for event in session.exec(select(AuditEvent).where(AuditEvent.action == "scan not intact"))
        ]


def key_of(situation: Situation, volume: dict[str, Any]) -> str:
    with situation.database.read_only() as session:
        sha256 = volume_store.sha256_of(file_of(situation, volume))
        return session.exec(select(Volume.key).where(Volume.sha256 == sha256)).one()


@pytest.fixture
def study(database: Database, tmp_path: Path) -> Situation:
    return open_study(database, tmp_path / "study")


def test_an_intact_volume_is_sent_and_its_payload_holds_the_hash_of_what_it_unpacks_to(opened: Situation) -> None:
    volume = first_volume(opened)

    sent = shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))

    assert hashlib.sha256(gzip.decompress(sent)).hexdigest() == volume["sha256"]
    assert noted(opened.database) == []


def test_a_flipped_byte_that_still_unpacks_is_not_sent(opened: Situation) -> None:
    volume = first_volume(opened)
    flip_a_byte_that_still_unpacks(file_of(opened, volume))

    with pytest.raises(NotIntact, match="is not the one that was prepared"):
        shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))


def test_another_patients_prepared_file_in_its_place_is_not_sent(opened: Situation) -> None:
    volume = first_volume(opened)
    file = file_of(opened, volume)
    with opened.database.read_only() as session:
        other = session.exec(select(Volume.sha256).where(Volume.sha256 != volume_store.sha256_of(file))).first()
    file.write_bytes(volume_store.path_of(opened.database, str(other)).read_bytes())

    with pytest.raises(NotIntact, match="is not the one that was prepared"):
        shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))


def test_an_exchange_after_a_volume_was_sent_is_seen_even_when_size_and_time_are_kept(opened: Situation) -> None:
    volume = first_volume(opened)
    file = file_of(opened, volume)
    long_ago = (1_600_000_000, 1_600_000_000)
    os.utime(file, long_ago)
    shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))

    flip_a_byte_that_still_unpacks(file)
    os.utime(file, long_ago)

    with pytest.raises(NotIntact):
        shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))


def test_what_was_found_is_noted_once_for_each_state_and_told_to_the_admins(study: Situation) -> None:
    volume = first_volume(study)
    file = file_of(study, volume)
    flip_a_byte_that_still_unpacks(file)

    for _ in range(3):
        with pytest.raises(NotIntact):
            shown_volumes.read_volume(study.database, study.raters[0], token_of(volume))
    file.unlink()
    for _ in range(3):
        with pytest.raises(NotIntact, match="is missing on the server"):
            shown_volumes.read_volume(study.database, study.raters[0], token_of(volume))

    key = key_of(study, volume)
    assert [(event["volume"], event["state"]) for event in noted(study.database)] == [
        (key, "damaged"),
        (key, "missing"),
    ]
    lines = daily_verification.state_of_verification(study.database, study.admin, "tiny").damaged_volumes
    assert [line.split(" UTC: ")[1] for line in lines] == [
        f"volume '{key}' was not shown: the file on the server is not the one that was prepared.",
        f"volume '{key}' was not shown: its prepared file is missing on the server.",
    ]


def test_damage_found_by_a_browser_is_noted_once_too(opened: Situation) -> None:
    volume = first_volume(opened)

    for _ in range(3):
        shown_volumes.report_damage(opened.database, opened.raters[0], token_of(volume))

    assert [(event["volume"], event["state"]) for event in noted(opened.database)] == [
        (key_of(opened, volume), "arrived damaged")
    ]
    assert volume_integrity.read_intact(file_of(opened, volume))


def test_nobody_reports_damage_of_a_volume_out_of_their_reach(opened: Situation) -> None:
    volume = first_volume(opened)

    with pytest.raises(NotFound):
        shown_volumes.report_damage(opened.database, opened.raters[1], token_of(volume))

    assert noted(opened.database) == []


def test_what_was_noted_is_told_until_a_verification_finds_no_fault(opened: Situation) -> None:
    volume = first_volume(opened)
    shown_volumes.report_damage(opened.database, opened.raters[0], token_of(volume))

    daily_verification.verify_now(opened.database, opened.admin, "tiny")

    state = daily_verification.state_of_verification(opened.database, opened.admin, "tiny")
    assert (state.problems, state.damaged_volumes) == ([], [])
    shown_volumes.report_damage(opened.database, opened.raters[0], token_of(volume))
    assert len(noted(opened.database)) == 2


# ---- what it costs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what is hashed from now on, one number for each time."""
    lengths: list[int] = []
    plain = hashlib.sha256

    def counted(content: bytes = b"", **options: Any) -> Any:
        lengths.append(len(content))
        return plain(content, **options)

    monkeypatch.setattr(hashlib, "sha256", counted)
    return lengths


def test_a_file_is_hashed_once_however_often_it_is_sent(opened: Situation, hashes: list[int]) -> None:
    file = file_of(opened, first_volume(opened))
    written = file.stat()
    # A file that was written just now is hashed each time: after a change its times could be the same.
    while time.time_ns() - written.st_ctime_ns <= volume_integrity.SETTLED_NS:
        time.sleep(0.01)

    for _ in range(5):
        volume_integrity.read_intact(file)

    assert hashes.count(written.st_size) == 1


def test_a_file_that_was_put_back_is_hashed_again_and_sent(opened: Situation) -> None:
    volume = first_volume(opened)
    file = file_of(opened, volume)
    content = file.read_bytes()
    file.write_bytes(b"damaged")
    with pytest.raises(NotIntact):
        volume_integrity.read_intact(file)

    file.write_bytes(content)

    assert volume_integrity.read_intact(file) == content


def test_no_more_than_a_bounded_number_of_files_is_remembered() -> None:
    remembered = volume_integrity._Remembered()

    for number in range(volume_integrity.REMEMBERED + 10):
        remembered.keep((1, number, 1, 1, 1), "0")

    assert remembered.get((1, 9, 1, 1, 1)) is None
    assert remembered.get((1, 10, 1, 1, 1)) == "0"


# ---- files that were prepared before there was a hash of what they unpack to -----------------------------------------


def without_unpacked_hashes(database: Database) -> dict[str, str | None]:
    with database.writing() as session:
        volumes = session.exec(select(Volume)).all()
        before = {volume.key: volume.unpacked_sha256 for volume in volumes}
        for volume in volumes:
            volume.unpacked_sha256 = None
            session.add(volume)
    return before


def unpacked_hashes(database: Database) -> dict[str, str | None]:
    with database.read_only() as session:
        return {volume.key: volume.unpacked_sha256 for volume in session.exec(select(Volume))}


def test_hashes_that_are_lacking_are_made_once_with_progress(study: Situation) -> None:
    before = without_unpacked_hashes(study.database)
    assert volume_integrity.lacks_unpacked_hashes(study.database)
    steps: list[tuple[int, int, str]] = []

    problems = volume_integrity.fill_unpacked_hashes(study.database, lambda *step: steps.append(step))

    assert problems == []
    assert unpacked_hashes(study.database) == before
    assert (steps[0][:2], steps[-1][:2]) == ((0, 9), (9, 9))
    assert not volume_integrity.lacks_unpacked_hashes(study.database)


def test_a_damaged_file_gets_no_hash_and_is_named(opened: Situation) -> None:
    volume = first_volume(opened)
    key = key_of(opened, volume)
    before = without_unpacked_hashes(opened.database)
    flip_a_byte_that_still_unpacks(file_of(opened, volume))

    problems = volume_integrity.fill_unpacked_hashes(opened.database)

    assert problems == [f"The prepared file of volume '{key}' is missing or damaged; put it back from a backup."]
    assert unpacked_hashes(opened.database) == {**before, key: None}


def test_a_volume_without_the_hash_is_sent_all_the_same(opened: Situation) -> None:
    without_unpacked_hashes(opened.database)

    volume = first_volume(opened)

    assert volume["sha256"] is None
    assert shown_volumes.read_volume(opened.database, opened.raters[0], token_of(volume))


def test_a_hash_that_was_made_meanwhile_is_told_without_a_restart(opened: Situation) -> None:
    without_unpacked_hashes(opened.database)
    before = first_volume(opened)

    volume_integrity.fill_unpacked_hashes(opened.database)

    assert before["sha256"] is None
    assert first_volume(opened)["sha256"] is not None


def test_verification_names_a_hash_that_was_changed_in_the_database(opened: Situation) -> None:
    with opened.database.writing() as session:
        volume = session.exec(select(Volume).where(Volume.key == "c2-t1")).one()
        volume.unpacked_sha256 = "0" * 64
        session.add(volume)

    assert verification.verify_study(opened.database, "tiny") == [
        "The hash of the unpacked file of volume 'c2-t1' was changed; browsers refuse to show it."
    ]


def test_a_study_is_verified_from_the_page_and_the_result_kept(study: Situation) -> None:
    began = now()

    assert daily_verification.verify_now(study.database, study.admin, "tiny") == []

    with study.database.read_only() as session:
        stored = session.exec(select(Verification)).one()
    assert stored.started_at >= began
    assert (stored.files_checked, stored.problems) == (9, [])
    assert daily_verification.state_of_verification(study.database, study.admin, "tiny").ended_at == stored.ended_at


def test_a_pipe_in_the_place_of_a_volume_is_no_volume_and_nobody_waits_for_it(opened: Situation) -> None:
    path = file_of(opened, first_volume(opened))
    path.unlink()
    os.mkfifo(path)

    with pytest.raises(NotIntact):
        volume_integrity.read_intact(path)
