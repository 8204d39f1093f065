"""Who reads what in which order: stored for each rater, different between raters, subjects kept apart."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from db import Assignment, Case, Database, Item, Membership
from services.reading import submission
from services.studies.dealing.spacing import spaced
from services.studies.membership import members
from tests.situations import Situation, on_the_desk, open_study, read_all, signed_in

subjects_and_distance = st.tuples(
    st.lists(st.sampled_from("abcdefg"), max_size=24), st.integers(min_value=0, max_value=4), st.integers(0, 10_000)
)


def closest(subjects: list[str]) -> int:
    """Return the least number of others between two of one subject; a large number when no subject comes twice."""
    gaps = [
        later - earlier - 1
        for earlier, subject in enumerate(subjects)
        for later, another in enumerate(subjects)
        if later > earlier and subject == another
    ]
    return min(gaps, default=1_000)


def is_possible(subjects: list[str], distance: int) -> bool:
    """Whether any order keeps the distance: the most frequent subjects, spread out, must leave room for all.

    With m the largest count and k subjects that have it, m - 1 blocks of distance + 1 places and k at the end are
    needed, and they suffice (scheduling of equal tasks with a cooling time).
    """
    counts = Counter(subjects).values()
    largest = max(counts, default=0)
    return (largest - 1) * (distance + 1) + sum(count == largest for count in counts) <= len(subjects)


def orders_of(database: Database, phase: str) -> dict[str, list[tuple[str, str]]]:
    """Return item key and subject in the stored order of each rater."""
    with database.read_only() as session:
        rows = session.exec(
            select(Membership.pseudonym, Item.key, Case.subject)
            .join(Assignment, Assignment.membership_id == Membership.id)
            .join(Item, Item.id == Assignment.item_id)
            .join(Case, Case.id == Item.case_id)
            .where(Assignment.phase == phase)
            .order_by(Membership.id, Assignment.position)
        ).all()
    orders: dict[str, list[tuple[str, str]]] = {}
    for pseudonym, key, subject in rows:
        orders.setdefault(pseudonym, []).append((key, subject))
    return orders


@given(drawn=subjects_and_distance)
def test_an_order_holds_every_thing_once(drawn: tuple[list[str], int, int]) -> None:
    subjects, distance, seed = drawn
    things = list(range(len(subjects)))

    order = spaced(things, subjects, distance, random.Random(seed))

    assert sorted(order) == things


@given(drawn=subjects_and_distance)
def test_subjects_are_kept_apart_whenever_any_order_does(drawn: tuple[list[str], int, int]) -> None:
    subjects, distance, seed = drawn

    order = spaced(list(range(len(subjects))), subjects, distance, random.Random(seed))

    if is_possible(subjects, distance):
        assert closest([subjects[thing] for thing in order]) >= distance


@given(drawn=subjects_and_distance)
def test_the_same_seed_gives_the_same_order(drawn: tuple[list[str], int, int]) -> None:
    subjects, distance, seed = drawn
    things = list(range(len(subjects)))

    first = spaced(things, subjects, distance, random.Random(seed))

    assert spaced(things, subjects, distance, random.Random(seed)) == first


def test_without_a_distance_every_thing_comes_first_about_equally_often() -> None:
    firsts = Counter(spaced("abcde", "vvwwx", 0, random.Random(seed))[0] for seed in range(2_000))

    # 2000 draws with probability 1/5: standard deviation 17.9, so five of them on either side.
    assert all(310 < firsts[thing] < 490 for thing in "abcde")


def test_every_rater_reads_all_items_and_scores_the_whole_sample_in_an_order_of_their_own(opened: Situation) -> None:
    reads, scores = orders_of(opened.database, "reading"), orders_of(opened.database, "scoring")

    assert set(reads) == set(scores) == {"Rater 1", "Rater 2"}
    assert sorted(reads["Rater 1"]) == sorted(reads["Rater 2"])
    assert reads["Rater 1"] != reads["Rater 2"]
    assert [len(order) for order in scores.values()] == [4, 4]
    assert sorted(scores["Rater 1"]) == sorted(scores["Rater 2"])


def test_items_are_shown_in_the_stored_order(opened: Situation) -> None:
    stored = [key for key, _ in orders_of(opened.database, "reading")["Rater 1"]]
    shown = []
    while (payload := on_the_desk(opened, opened.raters[0]))["kind"] == "item":
        shown.append(payload["prompt"].removeprefix("Prompt of ").removesuffix("?"))
        with opened.database.read_only() as session:
            waiting = session.exec(select(Assignment).where(Assignment.public_id == payload["assignment"])).one()
        assert waiting.position == len(shown)
        _close(opened, payload)

    assert shown == stored


def _close(situation: Situation, payload: dict[str, object]) -> None:

    submission.report_failure(situation.database, situation.raters[0], str(payload["assignment"]), "not needed here")


def test_the_distance_of_the_protocol_is_kept_in_what_is_stored(sqlite_database: Database, tmp_path: Path) -> None:
    open_study(sqlite_database, tmp_path / "study", {"reading": {"subject_distance": 2}})

    for order in orders_of(sqlite_database, "reading").values():
        assert closest([subject for _, subject in order]) >= 2


def test_as_listed_means_the_order_of_the_file_for_everybody(sqlite_database: Database, tmp_path: Path) -> None:
    open_study(sqlite_database, tmp_path / "study", {"reading": {"order": "as_listed"}})

    for order in orders_of(sqlite_database, "reading").values():
        assert [key for key, _ in order] == ["i1", "i2", "i3", "i4", "i5", "i6"]


@pytest.mark.parametrize("shuffle", [False, True])
def test_options_are_shuffled_per_rater_only_where_the_protocol_says_so(
    sqlite_database: Database, tmp_path: Path, shuffle: bool
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study", {"reading": {"shuffle_options": shuffle}})
    for number in range(3, 7):
        members.invite(sqlite_database, situation.admin, "tiny", f"rater-{number}", f"Rater {number}", "rater")

    with sqlite_database.read_only() as session:
        orders = session.exec(
            select(Assignment.option_order)
            .join(Item, Item.id == Assignment.item_id)
            .where(Assignment.phase == "reading", Item.format == "choice")
        ).all()

    assert {tuple(sorted(order)) for order in orders} == {("both", "left", "none", "right")}
    assert (len({tuple(order) for order in orders}) > 1) is shuffle


def test_yes_and_no_always_stand_in_the_same_order(sqlite_database: Database, tmp_path: Path) -> None:
    open_study(sqlite_database, tmp_path / "study", {"reading": {"shuffle_options": True}})

    with sqlite_database.read_only() as session:
        orders = session.exec(
            select(Assignment.option_order)
            .join(Item, Item.id == Assignment.item_id)
            .where(Assignment.phase == "reading", Item.format == "yes_no")
        ).all()

    assert {tuple(order) for order in orders} == {("yes", "no")}


def test_a_rater_invited_after_the_freeze_gets_assignments_too(opened: Situation) -> None:
    before = orders_of(opened.database, "reading")

    members.invite(opened.database, opened.admin, "tiny", "late", "Late Rater", "rater")

    after = orders_of(opened.database, "reading")
    assert {name: after[name] for name in before} == before
    assert sorted(after["Rater 3"]) == sorted(before["Rater 1"])
    assert len(orders_of(opened.database, "scoring")["Rater 3"]) == 4
    late = signed_in(opened.database, "late")
    assert len(read_all(opened, late)) == 6


@pytest.mark.parametrize("seed", range(40))
def test_without_a_distance_the_order_is_drawn_as_by_choices_among_all_that_are_left(seed: int) -> None:
    """Orders that were drawn by earlier releases are drawn again from their keys."""
    numbers = random.Random(seed)
    subjects = [f"s{numbers.randrange(1 + seed)}" for _ in range(numbers.randrange(60))]
    things = list(range(len(subjects)))
    rng = random.Random(f"key {seed}")
    left: dict[str, list[int]] = {}
    for thing, subject in zip(things, subjects, strict=True):
        left.setdefault(subject, []).append(thing)
    for waiting in left.values():
        rng.shuffle(waiting)
    expected = []
    while left:
        subject = rng.choices(list(left), weights=[len(waiting) for waiting in left.values()])[0]
        expected.append(left[subject].pop())
        if not left[subject]:
            del left[subject]

    assert spaced(things, subjects, 0, random.Random(f"key {seed}")) == expected
