"""Which two answers are compared: by model, by condition or by a table; drawn as other units are, on drawn sides."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, AuditEvent, Candidate, CandidatePair, Case, Database, Freeze, FreezeItem, Item, Study
from exchange.refusal import InputRefused
from services.errors import Conflict
from services.record import verification
from services.studies.freeze import freezing, thawing
from tests.following_study import units_in
from tests.listed_study import imported_listed, work_through, write_listed
from tests.pair_study import MODELS, PAIRS, answers_at, opened_pairs, with_models
from tests.situations import answers, write_table

CONDITIONS = PAIRS.replace(
    "title: Two answers compared\n",
    "title: Two answers compared\nattributes: {candidates: {condition: {type: choice, options: [plain, aided]}}}\n",
)


def with_conditions(folder: Path) -> None:
    """Write an answer of two models under two conditions to each item."""
    lines = [
        (f"k{n}{model}{condition[0]}", f"i{n}", f"model-{model}", f"{model} {condition} {n}.", condition)
        for n in range(1, 7)
        for model in "ab"
        for condition in ("plain", "aided")
    ]
    write_table(folder / "candidates.csv", "candidate,item,model,answer,condition", lines)


def with_pairs(said: str, protocol: str = PAIRS) -> str:
    """Return the study with its pairs said otherwise."""
    return protocol.replace("rates: pairs\n", f"rates: pairs\n    pairs: {said}\n")


def drawn_from(said: str) -> str:
    """Return the study with another selection of its pairs."""
    return PAIRS.replace("rates: pairs\n", f"rates: pairs\n    from: {said}\n")


def listing(*lines: tuple[str, str, str]) -> Callable[[Path], None]:
    """Return what writes a table of pairs."""
    return lambda folder: write_table(folder / "pairs.csv", "pair,first,second", lines)


def compared(database: Database) -> set[frozenset[str]]:
    """Return the keys of the two answers of each pair that is stored."""
    with database.read_only() as session:
        keys = dict(session.exec(select(Candidate.id, Candidate.key)).all())
        rows = session.exec(select(CandidatePair)).all()
    return {frozenset((keys[row.first_id], keys[row.second_id])) for row in rows}


@pytest.mark.parametrize(
    ("said", "differ"),
    [
        ("{of: condition}", {("a", "aided/plain"), ("b", "aided/plain")}),
        ("{of: model, same: condition}", {("a/b", "plain"), ("a/b", "aided")}),
        ("{of: condition, same: []}", {("a", "aided/plain"), ("b", "aided/plain"), ("a/b", "aided/plain")}),
    ],
    ids=["conditions of one model", "models under one condition", "conditions across models"],
)
def test_two_answers_are_a_pair_where_they_differ_in_one_thing_and_are_alike_in_others(
    sqlite_database: Database, tmp_path: Path, said: str, differ: set[tuple[str, str]]
) -> None:
    opened_pairs(sqlite_database, tmp_path / "study", with_pairs(said, CONDITIONS), changes=(with_conditions,))

    words = {"p": "plain", "a": "aided"}
    estimated = {
        ("/".join(sorted({key[2] for key in pair})), "/".join(sorted({words[key[3]] for key in pair})))
        for pair in compared(sqlite_database)
    }
    assert estimated == differ


def test_a_pair_with_no_response_is_left_out_and_counted(sqlite_database: Database, tmp_path: Path) -> None:
    opened_pairs(
        sqlite_database, tmp_path / "study", changes=(lambda folder: with_models(folder, silent=("k1a", "k2b")),)
    )

    with sqlite_database.read_only() as session:
        manifest = json.loads(session.exec(select(Freeze.manifest_json)).one())["phases"]["secret_arm"]
    assert len(compared(sqlite_database)) == 18 - 4
    assert manifest["notes"] == ["Left out were 4 pairs of which an answer is no response."]
    assert manifest["units"]["k1b & k1c"]["answers"] == ["k1b", "k1c"]


def test_a_sample_of_pairs_is_drawn_by_strata_with_its_probabilities(sqlite_database: Database, tmp_path: Path) -> None:
    said = "{where: {model: [model-a, model-b, model-c]}, sample: {size: 6, strata: model, allocation: equal}}"
    opened_pairs(sqlite_database, tmp_path / "study", drawn_from(said))

    with sqlite_database.read_only() as session:
        rows = session.exec(select(FreezeItem)).all()
    assert Counter(row.stratum for row in rows) == {
        "model-a / model-b": 2, "model-a / model-c": 2, "model-b / model-c": 2,
    }  # fmt: skip
    assert [row.inclusion_probability for row in rows] == pytest.approx([1 / 3] * 6)


def test_of_each_subject_at_most_so_many_pairs_are_drawn(sqlite_database: Database, tmp_path: Path) -> None:
    opened_pairs(sqlite_database, tmp_path / "study", drawn_from("{sample: {at_most: {subject: 1}}}"))

    with sqlite_database.read_only() as session:
        of_items = select(Case.subject).join(Item, col(Item.case_id) == Case.id)
        subjects = session.exec(of_items.join(FreezeItem, col(FreezeItem.item_id) == Item.id)).all()
        everybody = set(session.exec(select(Case.subject).join(Item, col(Item.case_id) == Case.id)))
    assert Counter(subjects) == dict.fromkeys(everybody, 1)


def test_a_condition_on_answers_is_met_by_a_pair_of_which_both_meet_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    opened_pairs(sqlite_database, tmp_path / "study", drawn_from("{where: {model: [model-a, model-c]}}"))

    assert compared(sqlite_database) == {frozenset((f"k{n}a", f"k{n}c")) for n in range(1, 7)}


def test_answers_that_were_scored_before_are_compared_with_each_other(
    sqlite_database: Database, tmp_path: Path
) -> None:
    score = """
  - key: score
    rates: candidates
    from: {where: {model: [model-a, model-b]}}
    shows: [prompt, candidate]
    form: {right: yes_no}
"""
    later = PAIRS.replace("phases:\n", f"phases:{score}").replace("rates: pairs\n", "rates: pairs\n    from: score\n")
    opened_pairs(sqlite_database, tmp_path / "study", later)

    assert compared(sqlite_database) == {frozenset((f"k{n}a", f"k{n}b")) for n in range(1, 7)}


def test_pairs_of_a_table_are_those_that_are_compared(database: Database, tmp_path: Path) -> None:
    table = listing(("p1", "k1a", "k1c"), ("p2", "k3b", "k3a"))
    situation = opened_pairs(database, tmp_path / "study", with_pairs("table"), changes=(with_models, table))

    assert compared(database) == {frozenset(("k1a", "k1c")), frozenset(("k3a", "k3b"))}
    assert {pair for pair, _, _ in answers_at(situation).values()} == {"p1", "p2"}
    assert verification.verify_study(database, "listed") == []


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([("p1", "k1a", "k1a")], "line 2: 'k1a' is compared with itself; name two answers to one item."),
        ([("p1", "k1a", "k2b")], "line 2: 'k1a' and 'k2b' are answers to two items ('i1' and 'i2'); name two to one."),
        ([("p1", "k1a", "k1b"), ("p2", "k1b", "k1a")], "line 3: 'k1b' and 'k1a' are a pair in line 2 already"),
        ([("p1", "k1a", "k1x")], "second 'k1x' is not in candidates.csv"),
        ([("k1a", "k1b", "k1c")], "pair 'k1a' has the key of an answer"),
        ([], "is missing: phase 'secret_arm' compares the pairs of a table; add it, or name pairs.of."),
    ],
    ids=["itself", "two items", "twice", "unknown", "a key of an answer", "no line"],
)
def test_a_table_of_pairs_that_cannot_be_compared_is_refused_in_a_sentence(
    sqlite_database: Database, tmp_path: Path, lines: list[tuple[str, str, str]], says: str
) -> None:
    folder = write_listed(tmp_path / "study", with_pairs("table"), (with_models, *([listing(*lines)] if lines else [])))

    with pytest.raises(InputRefused) as refused:
        imported_listed(sqlite_database, folder)

    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("protocol", "changes", "says"),
    [
        (PAIRS, (lambda folder: with_models(folder, MODELS[:1]),), "candidates.csv, column model: phase '"),
        (
            with_pairs("{of: condition}", CONDITIONS).replace("[plain, aided]", "[plain, aided, none]"),
            (
                lambda folder: write_table(
                    folder / "candidates.csv", "candidate,item,model,answer,condition",
                    [(f"k{n}{m}", f"i{n}", m, "Yes.", "plain") for n in (1, 2) for m in "ab"],
                ),
            ),
            "of the same model with another condition, and no item has two",
        ),
        (PAIRS, (with_models, listing(("p1", "k1a", "k1b"))), "no phase compares its pairs; write pairs: table"),
    ],
    ids=["one model", "one condition", "a table that nobody asks for"],
)  # fmt: skip
def test_a_study_without_two_answers_to_compare_is_refused_at_its_import(
    sqlite_database: Database, tmp_path: Path, protocol: str, changes: tuple[Callable[[Path], None], ...], says: str
) -> None:
    folder = write_listed(tmp_path / "study", protocol, changes)

    with pytest.raises(InputRefused) as refused:
        imported_listed(sqlite_database, folder)

    assert says in str(refused.value)


def test_a_selection_that_leaves_no_pair_is_refused_at_the_freeze(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", drawn_from("{where: {model: model-a}}"), (with_models,))
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match="to no item are there two answers by another model, of those with model is"):
        freezing.freeze_study(sqlite_database, situation.admin, "listed")


def test_sides_are_drawn_for_each_person_by_a_draw_of_its_own(database: Database, tmp_path: Path) -> None:
    situation = opened_pairs(database, tmp_path / "study")

    first, second = ({pair: at_a for pair, at_a, _ in answers_at(situation, rater).values()} for rater in (0, 1))

    assert set(first) == set(second)
    # Of 18 pairs all on the same side for both comes up once in 2^18 draws.
    assert first != second
    assert 0 < sum(at_a == pair.split(" & ")[0] for pair, at_a in first.items()) < 18
    with database.read_only() as session:
        drawn = [event.detail for event in session.exec(select(AuditEvent).where(AuditEvent.action == "drawn"))]
    assert [event["who"] for event in drawn if event["purpose"] == "sides"] == [
        ["secret_arm", "Rater 1"], ["secret_arm", "Rater 2"],
    ]  # fmt: skip


def test_sides_are_balanced_over_many_people(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study", raters=20)

    swapped = sum(
        at_a != pair.split(" & ")[0] for rater in range(20) for pair, at_a, _ in answers_at(situation, rater).values()
    )

    # Of 360, six standard deviations from one half.
    assert abs(swapped - 180) < 6 * (360 / 4) ** 0.5


def test_the_next_freeze_after_a_thaw_compares_the_same_pairs(database: Database, tmp_path: Path) -> None:
    situation = opened_pairs(database, tmp_path / "study", drawn_from("{sample: {size: 5}}"))
    before = compared(database)

    thawing.thaw_study(database, situation.admin, "listed", "A misspelt question.")
    freezing.freeze_study(database, situation.admin, "listed")

    assert compared(database) == before and len(before) == 5
    assert verification.verify_study(database, "listed") == []


DIFFERING = (
    (
        PAIRS.split("analysis:")[0]
        + """
  - key: again
    rates: pairs
    from: {phase: secret_arm, let_in: differs}
    shows: [prompt, candidate, opinions]
    form: {better: preference}
    by: third
"""
    )
    .replace("phases:\n", "groups: {pair: Pair, third: Third}\nphases:\n")
    .replace("flags: {prompt", "by: pair\n    flags: {prompt")
)


def preferring(models: str) -> Callable[[dict[str, object]], dict[str, object]]:
    """Return how somebody answers who prefers the answer of the model that comes first here."""

    def answer(payload: dict[str, object]) -> dict[str, object]:
        a, b = (models.index(str(text)[0].lower()) for text in payload["sides"])  # type: ignore[attr-defined]
        return answers(better="a" if a < b else "b")

    return answer


def test_a_pair_is_let_in_where_two_people_prefer_another_answer_whatever_the_letters(
    database: Database, tmp_path: Path
) -> None:
    folder = write_listed(tmp_path / "study", DIFFERING, (with_models,))
    situation = imported_listed(database, folder, groups=("pair", "pair", "third"))
    freezing.freeze_study(database, situation.admin, "listed")
    # They differ on the pairs of b and c alone.
    for rater, order in zip(situation.raters[:2], ("abc", "acb"), strict=True):
        work_through(replace(situation, raters=(rater,)), preferring(order))

    third = situation.raters[2]
    assert units_in(situation, "again", third) == {f"k{n}b & k{n}c" for n in range(1, 7)}


def test_what_others_preferred_is_shown_by_the_sides_of_who_sees_it(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", DIFFERING, (with_models,))
    situation = imported_listed(sqlite_database, folder, groups=("pair", "pair", "third"))
    freezing.freeze_study(sqlite_database, situation.admin, "listed")
    for rater, order in zip(situation.raters[:2], ("abc", "acb"), strict=True):
        work_through(replace(situation, raters=(rater,)), preferring(order))

    seen = work_through(replace(situation, raters=situation.raters[2:]), lambda _: answers(better="tie"))

    assert len(seen) == 6
    for payload in seen:
        # One of the two prefers b's answer, the other c's: A and B are said once each.
        said = {line[1] for opinion in payload["opinions"] for line in opinion["lines"]}
        assert said == {"A is better", "B is better"}
        # They go by numbers: beside a pair A and B are its answers.
        assert [opinion["name"] for opinion in payload["opinions"]] == ["1", "2"]
    with sqlite_database.read_only() as session:
        own = session.exec(select(Assignment).where(Assignment.phase == "again").order_by(col(Assignment.id))).all()
    assert all(len(assignment.opinion_order) == 2 for assignment in own)


def test_an_opinion_in_words_says_whether_its_sides_are_those_of_who_sees_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    """The words name the answer that the writer saw at A."""
    folder = write_listed(tmp_path / "study", DIFFERING, (with_models,))
    situation = imported_listed(sqlite_database, folder, groups=("pair", "pair", "third"))
    with sqlite_database.writing() as session:
        # Sides are drawn by the study's secret; by this one not all are the same.
        session.exec(select(Study)).one().salt = "5a" * 32
    freezing.freeze_study(sqlite_database, situation.admin, "listed")
    for rater, order in zip(situation.raters[:2], ("abc", "acb"), strict=True):
        prefer = preferring(order)

        def in_words(payload: Any, prefer: Any = prefer) -> dict[str, Any]:
            given = prefer(payload)
            return {**given, "fields": {**given["fields"], "why": f"A is: {payload['sides'][0]}"}}

        work_through(replace(situation, raters=(rater,)), in_words)

    seen = work_through(replace(situation, raters=situation.raters[2:]), lambda _: answers(better="tie"))

    meant = []
    for payload in seen:
        for opinion in payload["opinions"]:
            said = dict(opinion["lines"])
            is_here = said["Why"].removeprefix("A is: ") == payload["sides"][0]
            meant.append((is_here, said["A and B in their words"]))
    assert set(meant) == {(True, "As here"), (False, "Their A is B here")}


def test_an_attribute_is_shown_that_both_answers_have_in_common(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = with_pairs("{of: model, same: condition}", CONDITIONS)
    shown = protocol.replace("shows: [prompt, candidate]", "shows: [prompt, candidate, condition]")
    situation = opened_pairs(sqlite_database, tmp_path / "study", shown, changes=(with_conditions,), raters=1)

    seen = work_through(situation, lambda _: answers(better="tie"))

    for payload in seen:
        facts = dict(payload["context"]["facts"])
        assert all(facts["Condition"] in text for text in payload["sides"])
