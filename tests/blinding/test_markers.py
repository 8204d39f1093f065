"""Nothing hidden reaches a rater's or reviewer's browser: marks are planted, and all that was sent is searched."""

from __future__ import annotations

import base64
import gzip
import json
import urllib.parse
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser
from sqlmodel import select

from db import Assignment, Membership, Volume
from services.adjudication import review_queue
from tests.blinding.journey import Stage, Visitor
from tests.blinding.marked_study import (
    HIDDEN_WORDS,
    OBSERVED,
    STUDY,
    candidates_by_id,
    mark,
    own_marks_by_prompt,
    shown,
)
from tests.blinding.serving import ServedStudy
from tests.blinding.transcript import Chunk, marks_in, route_of, words_in

pytestmark = pytest.mark.browser

# Addresses that a curious rater tries; each must answer with a refusal, the worklist or nothing.
CURIOUS = (
    f"/reading?study={STUDY}&phase=scoring",
    f"/reading?study={STUDY}&phase=review",
    f"/reading?study={STUDY}&phase=opinions",
    f"/reading?study={STUDY}&phase=%00",
    "/reading?study=another",
    "/reading",
    f"/report?study={STUDY}",
    f"/preview?study={STUDY}",
    f"/study?study={STUDY}",
    "/documentation?document=blinding",
    "/import",
)
AFTERWARDS = ("/", f"/reading?study={STUDY}&phase=reading", f"/report?study={STUDY}")


@dataclass(frozen=True)
class Journey:
    """A rater's and a reviewer's whole way through the study."""

    entry: list[Stage]
    reads: list[Stage]
    marks: list[Stage]
    reviews: list[Stage]
    opinions: list[Stage]
    afterwards: list[Stage]
    unread: list[str]
    log: str


@pytest.fixture(scope="module")
def journey(marked: ServedStudy, browser: Browser) -> Iterator[Journey]:
    """One rater reads and marks everything; then a reviewer decides; then the rater looks round again."""
    rater = Visitor(browser, marked)
    reviewer = Visitor(browser, marked)
    try:
        entry = _come_in_and_look_round(rater)
        reads, marks = _work_through(rater, "reading"), _work_through(rater, "scoring")
        review_queue.open_review_queue(marked.study.database, marked.study.situation.admin, STUDY)
        reviewer.come_in("reviewer")
        stages = _work_through(reviewer, "review")
        afterwards = _look_round(rater, AFTERWARDS)
        yield Journey(
            entry,
            reads,
            marks,
            [stage for stage in stages if stage.name == "review"],
            [stage for stage in stages if stage.name == "opinions"],
            afterwards,
            rater.transcript.unread + reviewer.transcript.unread,
            marked.server.log_text(),
        )
    finally:
        rater.close()
        reviewer.close()


def _come_in_and_look_round(rater: Visitor) -> list[Stage]:
    with rater.stage("signing in"):
        rater.go("/")
        rater.go("/link/wrong")
        rater.come_in(OBSERVED)
    return [*rater.stages, *_look_round(rater, CURIOUS)]


def _look_round(rater: Visitor, paths: tuple[str, ...]) -> list[Stage]:
    begun = len(rater.stages)
    for path in paths:
        with rater.stage(path):
            rater.go(path)
    return rater.stages[begun:]


def _work_through(visitor: Visitor, queue: str) -> list[Stage]:
    """Work through a queue; what arrives with an item's acknowledgement already belongs to the next item."""
    begun = len(visitor.stages)
    with visitor.stage(queue) as stage:
        visitor.enter(queue)
        stage.shown = _what_is_shown(visitor, stage)
    number = 0
    while not visitor.is_done():
        with visitor.stage(queue) as stage:
            visitor.fill_in()
            if number == 1:
                visitor.reload()
                visitor.fill_in()
            visitor.hand_in()
            stage.shown = _what_is_shown(visitor, stage)
        number += 1
    with visitor.stage(queue):
        visitor.go(f"/reading?study={STUDY}&phase={queue}")
        visitor.go("/")
    return visitor.stages[begun:]


def _what_is_shown(visitor: Visitor, stage: Stage) -> str:
    """Return the words of the item on the screen, and call the stage after the phase that has begun."""
    if "see the opinions, then decide" in visitor.words_of(".phase"):
        stage.name = "opinions"
    return " ".join(visitor.words_of(place) for place in (".brief", ".cards", ".prompt"))


def hidden(marks: dict[str, str]) -> dict[str, str]:
    """Return the marks that were meant to stay hidden, with the place each was found in."""
    return {word: place for word, place in marks.items() if word.startswith(mark("")[:8])}


def chunks_of(stages: list[Stage]) -> list[Chunk]:
    return [chunk for stage in stages for chunk in stage.chunks]


# ---- the search itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        lambda secret: secret,
        lambda secret: b"x" * 7 + base64.b64encode(b'{"a": "' + secret + b'"}'),
        lambda secret: base64.urlsafe_b64encode(b"\xfe\xff\xfe" + secret).rstrip(b"="),
        lambda secret: b"\x08\x12" + zlib.compress(secret),
        lambda secret: gzip.compress(base64.b64encode(secret)),
        lambda secret: secret.hex().encode(),
        lambda secret: secret.decode().encode("utf-16-le"),
        lambda secret: secret.upper(),
        lambda secret: "".join(f"%{byte:02x}" for byte in secret).encode(),
        lambda secret: json.dumps({"a": urllib.parse.quote(secret.decode())}).encode(),
    ],
)
def test_the_search_finds_a_mark_through_the_usual_encodings(wrap) -> None:
    assert marks_in([Chunk("here", wrap(mark("needle").encode()))]) == {mark("needle"): "here"}


def test_the_whole_journey_was_taken_down(journey: Journey) -> None:
    everything = chunks_of([*journey.entry, *journey.reads, *journey.marks, *journey.reviews, *journey.opinions])

    kinds = {chunk.origin.split(" ")[0] for chunk in everything}
    assert {"URL", "headers", "body", "websocket", "DOM", "cookies"} <= kinds
    # A browser that leaves a page drops what was still on its way to it. Each kind of answer was read all the same.
    read = {route_of(chunk.origin.removeprefix("body of ")) for chunk in everything if chunk.origin.startswith("body")}
    assert [unread for unread in journey.unread if unread.split(":")[0] not in read] == []
    assert any("/reading/volume/" in chunk.origin and chunk.origin.startswith("body") for chunk in everything)


def test_what_a_rater_is_meant_to_see_is_found(journey: Journey) -> None:
    marks = marks_in(chunks_of(journey.reads))

    wanted = {shown(word) for word in ("title", "instructions", "notice", "label")}
    wanted |= {shown(f"prompt{number}") for number in range(1, 6)} | {shown(f"vignettec{n}") for n in (1, 2, 3)}
    assert wanted <= marks.keys()


# ---- the rater -------------------------------------------------------------------------------------------------------


def test_nothing_hidden_reaches_a_rater_who_reads(journey: Journey) -> None:
    everything = chunks_of([*journey.entry, *journey.reads])

    assert hidden(marks_in(everything)) == {}
    assert words_in(everything, HIDDEN_WORDS) == {}


def test_no_salt_and_no_hash_of_a_volume_or_freeze_reaches_a_browser(journey: Journey, marked: ServedStudy) -> None:
    everything = chunks_of([*journey.reads, *journey.marks, *journey.reviews, *journey.opinions])

    assert words_in(everything, marked.study.machine_names) == {}


def test_scoring_shows_the_own_items_reference_and_the_candidates_answer_and_no_more(
    journey: Journey, marked: ServedStudy
) -> None:
    database = marked.study.database
    with database.read_only() as session:
        sampled = session.exec(
            select(Assignment.candidate_id)
            .where(Assignment.phase == "scoring", Assignment.membership_id == _membership_of(marked))
            .order_by(Assignment.position)
        ).all()
    in_order = [candidates_by_id(database)[candidate] for candidate in sampled if candidate is not None]
    allowed: set[str] = set()

    for number, (prompt, answer) in enumerate(in_order):
        stage = journey.marks[number]
        assert prompt in stage.shown
        allowed |= own_marks_by_prompt()[prompt] | {answer.removeprefix("So: ")}
        assert hidden(marks_in(stage.chunks)).keys() <= allowed
    assert hidden(marks_in(chunks_of(journey.marks))).keys() <= allowed
    assert not words_in(chunks_of(journey.marks), {mark("modela"), mark("modelb"), *HIDDEN_WORDS})


def _membership_of(marked: ServedStudy) -> int:
    with marked.study.database.read_only() as session:
        return session.exec(select(Membership.id).where(Membership.person_id == marked.study.observed.person_id)).one()


def test_a_rater_who_has_finished_still_learns_nothing(journey: Journey) -> None:
    marks = hidden(marks_in(chunks_of(journey.afterwards)))

    assert marks == {}


# ---- the reviewer ----------------------------------------------------------------------------------------------------


def test_nothing_hidden_reaches_a_reviewer_who_reads_an_item_first(journey: Journey) -> None:
    first = journey.reviews[0]

    assert first.shown
    assert hidden(marks_in(first.chunks)) == {}


def test_opinions_are_those_on_the_item_and_come_without_names_flags_or_reference(journey: Journey) -> None:
    seen_so_far: set[str] = set()

    assert journey.opinions
    for stage in journey.opinions:
        key = next(number for number in "12345" if shown(f"prompt{number}") in stage.shown)
        seen_so_far |= {mark(f"said{key}"), mark(f"comment{key}")}
        assert hidden(marks_in(stage.chunks)).keys() <= seen_so_far
        assert not words_in(stage.chunks, ("Olive Observed", "disagreement", '"origin', *HIDDEN_WORDS))


# ---- beside the browser ----------------------------------------------------------------------------------------------


def test_a_volumes_bytes_say_nothing_packed_or_unpacked(marked: ServedStudy) -> None:
    store = marked.study.database.volume_dir
    with marked.study.database.read_only() as session:
        names = session.exec(select(Volume.sha256)).all()
    files = [next(store.rglob(f"{name}*")) for name in names]

    for file in files:
        content = file.read_bytes()
        assert marks_in([Chunk("volume", content), Chunk("unpacked", gzip.decompress(content))]) == {}
        # No name, no time and no comment in the gzip header: flags and time are zero.
        assert content[3:8] == bytes(5)


def test_the_servers_log_holds_no_answer_no_name_no_token_and_no_link(journey: Journey) -> None:
    log = Chunk("log", journey.log.encode())

    assert marks_in([log]) == {}
    assert "Olive" not in journey.log
    assert "/link/" not in journey.log
    assert "/reading/volume/" not in journey.log
    assert "My own words" not in journey.log
    assert "Traceback" not in journey.log
