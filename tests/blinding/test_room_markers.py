"""What practice, turns, masks, history, priors and revisions hide reaches nobody, or nobody before its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from services.adjudication import review_queue
from tests.blinding.journey import SETTLED, Stage, Visitor
from tests.blinding.marked_room import PRACTICE, TURNS, UNRELEASED_FACTS, marked_room
from tests.blinding.marked_study import OBSERVED, STUDY, mark, shown
from tests.blinding.serving import ServedStudy, serve_marked
from tests.blinding.transcript import marks_in, words_in

pytestmark = pytest.mark.browser

# Hidden from raters and reviewers alike, whatever they do.
HIDDEN = (
    "subjecttalk", "notec1", "historyname", "historyvalue", "unofferedlabel", "priorlabel", "picturefile",
    "picturetext", "overlaykeynamed", "overlaykeyunnamed", "overlaylabel", "overlayfilenamed", "overlayfileunnamed",
    "volume0", "volumepicture", "conversation", "itemp1", "itemt2", "categoryp1", "categoryr1", "originp1", "originr1",
    "textonly", "supersededcomment", "supersededflag", "descrip", "extension", "gzipname",
)  # fmt: skip


@dataclass(frozen=True)
class Journey:
    """All that reached a rater and a reviewer, item by item."""

    rater: list[Stage]
    reviewer: list[Stage]

    def first_sight(self, stages: list[Stage], word: str) -> int | None:
        """Return during which stage a hidden mark came for the first time; None for never."""
        return next((n for n, stage in enumerate(stages) if mark(word) in marks_in(stage.chunks)), None)

    def handed_in(self, stages: list[Stage], word: str) -> int:
        """Return during which stage the item with this prompt was handed in: the one after that which brought it."""
        return 1 + next(n for n, stage in enumerate(stages) if word in stage.shown)


@pytest.fixture(scope="module")
def journey(migrated_sqlite, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Journey]:
    """One rater practises and reads everything; then a reviewer reads and decides on it."""
    with serve_marked(migrated_sqlite, tmp_path_factory.mktemp("room"), marked_room) as serving:
        rater, reviewer = Visitor(browser, serving), Visitor(browser, serving)
        try:
            rater.come_in(OBSERVED)
            rater_saw = _work_through(rater, "reading")
            _open_queue(serving)
            reviewer.come_in("reviewer")
            yield Journey(rater_saw, _work_through(reviewer, "review"))
        finally:
            rater.close()
            reviewer.close()


def _open_queue(serving: ServedStudy) -> None:
    study = serving.study
    assert review_queue.open_review_queue(study.database, study.situation.admin, STUDY).disagreed == 5


def _work_through(visitor: Visitor, queue: str) -> list[Stage]:
    """Work through a queue, a stage per item: from handing in the item before it until it stands on the screen."""
    with visitor.stage(queue) as stage:
        visitor.enter(queue)
        stage.shown = _words_on_the_screen(visitor)
    while not visitor.is_done():
        with visitor.stage(queue) as stage:
            visitor.fill_in()
            visitor.hand_in()
            if visitor.page.locator(".feedback").count():
                visitor.transcript.look(visitor.page)
                visitor.page.wait_for_timeout(SETTLED)
                visitor.page.locator(".submit").click()
                visitor.page.locator(".fields > .field, .between, .done").first.wait_for()
                visitor.begin()
            stage.shown = _words_on_the_screen(visitor)
    with visitor.stage(queue):
        visitor.go(f"/reading?study={STUDY}&phase={queue}")
        visitor.go("/")
    return visitor.stages


def _words_on_the_screen(visitor: Visitor) -> str:
    phase = visitor.words_of(".phase")
    return f"{phase} {visitor.words_of('.prompt')}"


# ---- proof that the search would find them ---------------------------------------------------------------------------


def test_what_is_meant_to_be_seen_is_found(journey: Journey) -> None:
    seen = {word for stage in journey.rater for word in marks_in(stage.chunks)}

    wanted = {
        shown(word) for word in ("label", "priorlabel", "overlay", "promptp1", "promptr1", "promptt1", "promptx1")
    }
    assert wanted <= seen


# ---- hidden for good -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", HIDDEN)
def test_what_is_hidden_reaches_no_rater(journey: Journey, word: str) -> None:
    assert journey.first_sight(journey.rater, word) is None


@pytest.mark.parametrize("word", [*HIDDEN, "explanation1", "practiceref1"])
def test_what_is_hidden_reaches_no_reviewer(journey: Journey, word: str) -> None:
    assert journey.first_sight(journey.reviewer, word) is None


@pytest.mark.parametrize("fact", UNRELEASED_FACTS)
def test_a_fact_that_the_protocol_does_not_release_reaches_nobody(journey: Journey, fact: str) -> None:
    everything = [chunk for stage in (*journey.rater, *journey.reviewer) for chunk in stage.chunks]

    assert words_in(everything, [fact]) == {}


def test_no_other_mark_reaches_anybody(journey: Journey) -> None:
    """What is not named above, in a field that nobody thought of."""
    in_time = {mark(f"{kind}{n}") for kind in ("explanation", "practiceref") for n in PRACTICE}
    in_time |= {mark(f"turn{n}") for n in TURNS[1:]} | {mark("turnlabel"), mark("standingcomment")}
    everything = [chunk for stage in (*journey.rater, *journey.reviewer) for chunk in stage.chunks]

    leaked = {word for word in marks_in(everything) if word.startswith("zqhidden")}
    assert leaked - {mark(word) for word in HIDDEN} <= in_time


# ---- withheld until its time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", PRACTICE)
@pytest.mark.parametrize("kind", ["explanation", "practiceref"])
def test_what_is_right_in_practice_comes_with_the_feedback_and_not_before(
    journey: Journey, kind: str, number: str
) -> None:
    seen = journey.first_sight(journey.rater, f"{kind}{number}")

    assert seen == journey.handed_in(journey.rater, shown(f"promptp{number}"))


@pytest.mark.parametrize(("word", "before"), [("turn2", "promptt1"), ("turnlabel", "promptt1"), ("turn3", "turn2")])
@pytest.mark.parametrize("who", ["rater", "reviewer"])
def test_a_turn_comes_when_the_one_before_it_is_handed_in(journey: Journey, who: str, word: str, before: str) -> None:
    stages: list[Stage] = getattr(journey, who)
    prompt = mark(before) if before.startswith("turn") else shown(before)

    seen = journey.first_sight(stages, word)

    assert seen is not None
    # A reviewer hands every item in twice: the own read, and the decision with which the next turn comes.
    assert seen == journey.handed_in(stages, prompt) + (who == "reviewer")


def test_the_comment_that_stands_comes_with_the_opinions_and_not_before(journey: Journey) -> None:
    assert journey.first_sight(journey.rater, "standingcomment") is None
    seen = journey.first_sight(journey.reviewer, "standingcomment")
    assert seen == journey.handed_in(journey.reviewer, shown("promptr1"))
