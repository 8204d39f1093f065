"""A flag against people, weighted by the draw; and a pool by who wrote its answers: from the CSV files alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from tests.following_study import read_through
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables
from tests.pool_study import POOL, consulting, opened_pool
from tests.published_studies import flag_review
from tests.services.report.planted import reported
from tests.services.report.recomputed import Rows, estimate_in, tables_of, values_in
from tests.situations import answers


def test_precision_and_misses_of_a_flag_are_of_all_questions(sqlite_database: Database, tmp_path: Path) -> None:
    situation = flag_review(sqlite_database, tmp_path / "study", flagged=100, others=200)

    # Every second of each kind is left out, whichever of them were drawn.
    reviewed = {True: 0, False: 0}

    def review(about: str, _: int) -> dict[str, Any]:
        is_flagged = int(about.split()[4]) < 100
        leaves_out = reviewed[is_flagged] % 2 == 0
        reviewed[is_flagged] += 1
        return {"exclude": "yes", "reasons": ["text_only"]} if leaves_out else {"exclude": "no"}

    report = reported(situation, review)
    flags = next(table for _, table in report.estimate_tables() if table.key == "line_4")
    assert "“Weighted to the pool”: each unit counts for as many as it stands for" in flags.explanation
    tables = tables_of(sqlite_database, report)
    said = values_in(tables["fields.csv"], "exclude", "item")["Rater 1"]
    flagged = {row["item"]: row["flagged"] == "yes" for row in tables["items.csv"]}
    weight = {row["item"]: 1 / float(row["inclusion_probability"]) for row in tables["sample.csv"]}
    assert sorted(set(weight.values())) == [1.0, 20.0]

    of_flagged = [item for item in said if flagged[item]]
    precision = sum(said[item] == "yes" for item in of_flagged) / len(of_flagged)
    row = estimate_in(tables, "plan", "line_4", "All items: precision of the flag", "Rater 1")
    assert math.isclose(float(row["value"]), precision) and int(row["n"]) == 5 and row["plan"] == "also"

    left_out = [item for item in said if said[item] == "yes"]
    missed = sum(weight[item] for item in left_out if not flagged[item]) / sum(weight[item] for item in left_out)
    row = estimate_in(tables, "plan", "line_4", "All items: missed by the flag, weighted to the pool", "Rater 1")
    assert math.isclose(float(row["value"]), missed) and int(row["n"]) == len(left_out)
    assert "5 flagged and 200 other items that were read" in row["method"]
    assert float(row["low"]) < missed < float(row["high"])


GRADED = POOL.replace("readers: {title: Readers, people: 2}", "students: Students, seniors: Seniors")
GRADED = GRADED.replace("by: readers", "by: [students, seniors]").replace(
    "form: {right: yes_no,",
    "form: {match: {type: choice, options: {'1': The first, '2': The second, '3': The third, none: None}}, "
    "quality: {type: ordinal, options: ['1', '2', '3']},",
)
GRADED += """
analysis:
  primary: {estimate: pass_at, k: 1, of: grade.match, by: [group, model]}
  also:
    - {estimate: mean, of: grade.quality, by: [group, model]}
    - {estimate: blinding_index, of: grade.author}
"""
PARTS = {
    "Group: Students": "student",
    "Group: Seniors": "senior",
    "Model model-a": "model-a",
    "Model model-b": "model-b",
}
WHO = {"Rater 1": "student", "Rater 2": "senior"}


@pytest.fixture(scope="module")
def pool(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("pool")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    situation = opened_pool(database, folder / "study", GRADED, groups=("students", "seniors", "graders", "graders"))
    for number, reader in enumerate(situation.raters[:2]):
        said = consulting(lines=("Glioma", f"Tumour {number}"), why=f"Reason {number}.")
        read_through(situation, reader, {f"i{n}": said for n in range(1, 7)})
    times = 0

    def grading(payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal times
        times += 1
        match = ("1", "2", "none", "1", "3", "none", "2")[times % 7]
        author = ("person", "model", "unsure", "person")[times % 4]
        return answers(match=match, quality=str(1 + times % 3), author=author)

    for grader in situation.raters[2:]:
        read_through(situation, grader, {f"i{n}": grading for n in range(1, 7)})
    yield closed_tables(situation)
    engine.dispose()


def authors(tables: dict[str, Rows]) -> dict[str, str]:
    """Return who wrote each candidate: a student, a senior, or a model by its name."""
    return {row["candidate"]: row["model"] or WHO[row["author"]] for row in tables["candidates.csv"]}


@pytest.mark.parametrize("grader", ["Rater 3", "Rater 4"])
def test_groups_of_people_and_models_are_side_by_side_in_a_pool(pool: dict[str, Rows], grader: str) -> None:
    wrote, match = authors(pool), values_in(pool["fields.csv"], "match")[grader]
    quality = values_in(pool["fields.csv"], "quality")[grader]
    for part, author in PARTS.items():
        own = [unit for unit in match if wrote[unit] == author]
        row = estimate_in(pool, "plan", "line_1", f"{part}: pass@1, as rated", grader)
        assert math.isclose(float(row["value"]), sum(match[unit] == "1" for unit in own) / len(own))
        assert int(row["n"]) == len(own) and row["plan"] == "primary"
        row = estimate_in(pool, "plan", "line_2", f"{part}: mean", grader)
        assert math.isclose(float(row["value"]), sum(float(quality[unit]) for unit in own) / len(own))
    within = estimate_in(pool, "phase_grade", "match_matched_lines", "All candidates: pass@3, as rated", grader)
    assert math.isclose(float(within["value"]), sum(said != "none" for said in match.values()) / len(match))


def test_guesses_of_who_wrote_an_answer_say_whether_the_blinding_held(pool: dict[str, Rows]) -> None:
    wrote, guess = authors(pool), values_in(pool["fields.csv"], "author")["Rater 3"]
    people = [said for unit, said in guess.items() if wrote[unit] in WHO.values()]
    bang = (people.count("person") - people.count("model")) / len(people)
    row = estimate_in(pool, "plan", "line_3", "All candidates: Bang’s index of people’s answers", "Rater 3")
    assert math.isclose(float(row["value"]), bang) and int(row["n"]) == len(people) == 12

    models = [said for unit, said in guess.items() if wrote[unit] not in WHO.values()]
    unsure = (people + models).count("unsure") / len(guess)
    can_tell = len(guess) * (1 - unsure)
    wrong = (people.count("model") + models.count("person")) / can_tell
    says_person = (people + models).count("person") / can_tell
    from_people = sum(said != "unsure" for said in people) / can_tell
    by_chance = from_people * (1 - says_person) + (1 - from_people) * says_person
    james = (1 + unsure + (1 - unsure) * (wrong - by_chance) / by_chance) / 2
    row = estimate_in(pool, "plan", "line_3", "All candidates: James’ index", "Rater 3")
    assert math.isclose(float(row["value"]), james)
