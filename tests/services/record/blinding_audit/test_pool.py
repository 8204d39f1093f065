"""The audit of a pool: an answer of a person under judgement is no leak, and what leads to its author is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db import Database
from db.engine import make_engine
from services.judging import sealed_split
from services.studies.folders import checking
from services.studies.freeze import freezing
from tests.blinding.columns import freeze_as_it_is_now, take_the_guards_away
from tests.following_study import read_through
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, work_through, write_listed
from tests.pool_study import GROUPS, POOL, consulting, opened_pool, pooled_answers, with_models
from tests.room_study import change_item, rewrite, rows_of
from tests.sealed_study import with_many_items
from tests.services.reading.test_places_in_pools import with_an_image
from tests.services.record.blinding_audit.planted_study import ANY, audited
from tests.services.report.sealed_scores import items_for_test
from tests.situations import Situation, answers, opened_once

AIDED = """
blindread: 2
name: listed
title: People and models
groups: {readers: {title: Readers, people: 2}, graders: {title: Graders, people: 2}}
attributes: {items: {model_a: text}}
phases:
  - key: secret_arm
    title: Consultation
    rates: items
    shows: [prompt]
    form: {kind: {type: choice, options: {s: Solid, g: Ground glass}}, why: text}
    by: readers
  - key: grade
    title: Grading
    rates: [candidates, answers of secret_arm]
    takes: [kind, why]
    shows: [prompt, candidate]
    form: {right: yes_no}
    by: graders
"""

# One reads all of it, and another grades that beside a model's answers.
SEALED = """
blindread: 2
name: sealed
title: People and a model
groups: {readers: Readers, graders: Graders}
phases:
  - {key: read, rates: items, shows: [prompt], form: {name: text}, by: readers}
  - {key: grade, rates: [candidates, answers of read], shows: [prompt, candidate], form: {right: yes_no}, by: graders}
"""


def drawn(database: Database, folder: Path, protocol: str = POOL) -> Situation:
    """Return a study whose pool is drawn; both people answered alike."""

    def make(empty: Database) -> Situation:
        situation = imported_listed(empty, folder, groups=GROUPS)
        freezing.freeze_study(empty, situation.admin, situation.study_key)
        for reader in situation.raters[:2]:
            said = consulting(("A glioma of the left temporal lobe", "A metastasis"), "The rim is thick and irregular.")
            read_through(situation, reader, {f"i{n}": said for n in range(1, 7)})
        return situation

    write_listed(folder, protocol, [with_models])
    return opened_once(database, folder, ("drawn pool",), make)


@pytest.mark.parametrize("shows", ["[scans, prompt, reference, candidate]", "[prompt, reference, candidate]"])
def test_an_answer_of_a_person_that_is_scored_is_no_leak(sqlite_database: Database, tmp_path: Path, shows: str) -> None:
    protocol = POOL.replace("[scans, prompt, reference, candidate]", shows)
    situation = drawn(sqlite_database, tmp_path / "study", protocol)

    result = audited(situation, tmp_path / "audit.json").result

    # Two read six items, and two score eleven answers of models and twelve of people.
    assert (result["assignments"]["searched"], result["result"]) == (12 + 46, "no leak")
    assert result["hidden_values"]["author"] >= 12


@pytest.mark.parametrize(
    ("kind", "hidden"),
    [
        ("author", lambda database: pooled_answers(database)[0][2].receipt),
        ("author", lambda _: "readers/1"),
        ("key", lambda database: pooled_answers(database)[0][0].key),
        ("person", lambda _: "Rater 1"),
        ("model", lambda _: "model-a"),
    ],
    ids=["receipt", "slot", "key", "name", "model"],
)
def test_what_leads_to_the_author_of_an_answer_is_a_leak(
    sqlite_database: Database, tmp_path: Path, kind: str, hidden: Callable[[Database], str]
) -> None:
    situation = drawn(sqlite_database, tmp_path / "study")
    candidate, item, _ = pooled_answers(sqlite_database)[0]
    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(
            text("UPDATE candidate SET answer = :said WHERE id = :id"),
            {"said": f"A glioma, says {hidden(sqlite_database)} here.", "id": candidate.id},
        )
        freeze_as_it_is_now(connection)
        connection.commit()

    assert ("candidate", item) in audited(situation, tmp_path / "audit.json").leaks(kind)


@pytest.mark.parametrize(
    ("imported", "leaks"),
    [("before", {"i1", "any"}), ("now", set())],
    ids=["imported in mm", "imported now"],
)
def test_a_model_whose_place_is_written_as_no_persons_is_told_from_people(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imported: str, leaks: set[str]
) -> None:
    pixels = {"place": "column 33 row 17"}
    # Three numbers were taken before images were measured.
    written = "-7.5 3.5 0" if imported == "before" else pixels["place"]

    def by_column_and_row(folder: Path) -> None:
        with_an_image(folder)
        places = {"i1": written, "i2": written}
        rows = [row | {"place": places.get(row["item"], row["place"])} for row in rows_of(folder / "candidates.csv")]
        rewrite(folder / "candidates.csv", [row | (pixels if row["candidate"] == "k1a" else {}) for row in rows])

    if imported == "before":
        monkeypatch.setattr(checking, "EXPANDING", replace(checking.EXPANDING, measure=None))
    protocol = POOL.replace("People and models", f"Imported {imported}")
    situation = opened_pool(sqlite_database, tmp_path / "study", protocol, changes=[by_column_and_row])
    for reader in situation.raters[:2]:
        read_through(situation, reader, {f"i{n}": consulting() for n in range(1, 7)})

    audit = audited(situation, tmp_path / "audit.json")

    assert {item for _, item in audit.leaks("writing")} == leaks


@pytest.mark.parametrize(
    ("written", "leaks"),
    [("Ground glass", set()), ("Ground glass, as the aid says", {"i1", ANY})],
    ids=["as an option", "in words"],
)
def test_an_aid_that_is_an_option_is_a_leak_in_an_answer_only_if_it_is_written_in_words(
    sqlite_database: Database, tmp_path: Path, written: str, leaks: set[str]
) -> None:
    def with_an_aid(folder: Path) -> None:
        change_item(folder, "i1", model_a="Ground glass")
        rewrite(
            folder / "candidates.csv",
            [
                {
                    "candidate": f"i{n}{model}",
                    "item": f"i{n}",
                    "model": f"model-{model}",
                    "kind": kind,
                    "why": "Bright.",
                }
                for n in range(1, 7)
                for model, kind in (("a", "Solid"), ("b", written if n == 1 else "Ground glass"))
            ],
        )

    protocol = AIDED.replace("People and models", f"The aid is {written}")
    situation = opened_pool(sqlite_database, tmp_path / "study", protocol, changes=[with_an_aid])
    for reader in situation.raters[:2]:
        read_through(situation, reader, {f"i{n}": lambda _: answers(kind="s", why="Dark.") for n in range(1, 7)})

    audit = audited(situation, tmp_path / "audit.json")

    assert {item for _, item in audit.leaks("attribute")} == leaks


def test_how_many_people_wrote_the_same_about_sealed_subjects_is_not_counted(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    results = []
    for is_alike in (True, False):
        folder = tmp_path / str(is_alike)
        engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
        study = with_many_items(folder / "study", SEALED)
        situation = imported_listed(
            Database(engine, folder / "data"), study, key="sealed", groups=("readers", "graders")
        )
        freezing.freeze_study(situation.database, situation.admin, "sealed")
        sealed_split.make_split(situation.database, situation.admin, "sealed", 0.5)
        others = set() if is_alike else items_for_test(situation)

        def answer(payload: dict[str, Any], others: set[str] = others) -> dict[str, Any]:
            item = f"i{payload['prompt'].removeprefix('Item ').removesuffix('?')}"
            return answers(name=f"A cyst in {item}" if item in others else "A cyst of the arachnoid")

        work_through(replace(situation, raters=situation.raters[:1]), answer)
        results.append(audited(situation, folder / "audit.json", show_values=True).result)
        engine.dispose()

    counts = [(result["hidden_values"], result["not_searched_for"], result["legitimate"]) for result in results]
    assert counts[0] == counts[1]
