"""The candidates that a calibration reads as columns are those that a report reads as lines, with all that it uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sqlmodel import select

from agreement.judge.factors import Factor
from db import Database, Study
from services.report.calibration.material import candidates_of_models
from services.report.rows.candidate_columns import (
    by_appearance,
    columns_of,
    factor_of,
    first_known,
    load_candidate_columns,
    places_in,
)
from services.report.rows.listed_loading import load_listed
from services.report.rows.ratings_of_phases import ratings_of
from services.studies import frozen_facts
from tests.following_study import read_through
from tests.listed_study import SCORE_ALONE, opened_listed
from tests.pair_study import opened_pairs
from tests.pool_study import POOL, consulting, opened_pool
from tests.situations import Situation
from tests.versioned_study import changed_cell, new_version

ATTRIBUTES = "attributes: {items: {tier: text}, cases: {site: text}, candidates: {condition: text}}\nphases:"


def add_attributes(folder: Path) -> None:
    for table, column, value in (("items", "tier", "t"), ("cases", "site", "s"), ("candidates", "condition", "c")):
        header, *lines = (folder / f"{table}.csv").read_text(encoding="utf-8").splitlines()
        # Of every fourth it is not known.
        said = [f"{line},{f'{value}{place % 4}' if place % 4 else ''}" for place, line in enumerate(lines)]
        (folder / f"{table}.csv").write_text("\n".join([f"{header},{column}", *said]) + "\n", encoding="utf-8")


def with_attributes(database: Database, folder: Path) -> Situation:
    return opened_listed(database, folder, SCORE_ALONE.replace("phases:", ATTRIBUTES), 1, [add_attributes])


def in_two_versions(database: Database, folder: Path) -> Situation:
    situation = opened_listed(database, folder, SCORE_ALONE, 1)
    new_version(situation, folder, changed_cell("candidates.csv", "k3", "answer", "On the left side."))
    return situation


def with_answers_of_people(database: Database, folder: Path) -> Situation:
    situation = opened_pool(database, folder, POOL)
    for reader in situation.raters[:2]:
        read_through(situation, reader, {f"i{n}": consulting(why="I have seen it before.") for n in range(1, 7)})
    return situation


STUDIES: dict[str, Callable[[Database, Path], Situation]] = {
    "attributes": with_attributes,
    "versions": in_two_versions,
    "a pool": with_answers_of_people,
    "pairs": opened_pairs,
}


@pytest.mark.parametrize("without", [frozenset(), frozenset({2, 3})])
@pytest.mark.parametrize("study", STUDIES)
def test_columns_say_what_lines_say(database: Database, tmp_path: Path, study: str, without: frozenset[int]) -> None:
    STUDIES[study](database, tmp_path / "study")
    with database.read_only() as session:
        expansion = frozen_facts.expansion_of(session, 1)
        assert expansion is not None
        phases = frozen_facts.phases_of(session, 1)
        rows = load_listed(session, session.exec(select(Study)).one(), expansion, phases, without)
        read = load_candidate_columns(session, 1, without)
    lines, items = candidates_of_models(rows)
    expected = columns_of(lines, items)

    assert read.ids.tolist() == [line.id for line in lines] and len(lines) > 0
    assert read.item_ids.tolist() == [item.id for item in items]
    assert factor_in_words(read.models) == [line.model for line in lines]
    assert read.responded.tolist() == [bool(line.answer or line.answers) for line in lines]
    for name in ("category", "format", "grounding", "subject", "item", "model", "tier", "site", "condition"):
        assert factor_in_words(read.factor(name)) == factor_in_words(expected.factor(name))
        assert read.clusters(name).tolist() == expected.clusters(name).tolist()
    declared = [{**item.attributes, **line.attributes} for line, item in zip(lines, items, strict=True)]
    for name in ("tier", "site", "condition"):
        assert factor_in_words(read.factor(name)) == [said.get(name, "") for said in declared]


def factor_in_words(factor: Factor) -> list[str]:
    return [(*factor.names, "")[code] for code in factor.codes.tolist()]


@pytest.mark.parametrize("study", STUDIES)
def test_what_people_said_is_about_what_was_drawn_alone(database: Database, tmp_path: Path, study: str) -> None:
    STUDIES[study](database, tmp_path / "study")
    with database.read_only() as session:
        row, expansion = session.exec(select(Study)).one(), frozen_facts.expansion_of(session, 1)
        assert expansion is not None
        phases = frozen_facts.phases_of(session, 1)
        every = load_listed(session, row, expansion, phases)
        drawn = load_listed(session, row, expansion, phases, only_drawn=True)

    assert len(drawn.items) <= len(every.items)
    for part, whole in zip(ratings_of(drawn, expansion, ()), ratings_of(every, expansion, ()), strict=True):
        for own, other in zip(part.fields, whole.fields, strict=True):
            assert (own.units, own.columns, own.models) == (other.units, other.columns, other.models)
            assert (own.answers, own.clusters, own.keys) == (other.answers, other.clusters, other.keys)


def test_an_item_of_which_nothing_was_drawn_is_not_read_with_what_people_said(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = SCORE_ALONE.replace("rates: candidates", "rates: candidates\n    from: {sample: {size: 1}}")
    opened_listed(sqlite_database, tmp_path / "study", protocol, 1)
    with sqlite_database.read_only() as session:
        row, expansion = session.exec(select(Study)).one(), frozen_facts.expansion_of(session, 1)
        assert expansion is not None
        drawn = load_listed(session, row, expansion, frozen_facts.phases_of(session, 1), only_drawn=True)
        pool = load_candidate_columns(session, 1, frozenset())

    assert ({item.key for item in drawn.items}, len(drawn.drawn)) == ({line.item for line in drawn.drawn}, 1)
    assert {line.item for line in drawn.candidates} == {line.item for line in drawn.drawn}
    assert len(pool) > len(drawn.candidates)


def test_levels_are_numbered_as_they_appear_and_those_that_do_not_are_left_out() -> None:
    factor = by_appearance(np.array([3, -1, 0, 3]), ("a", "b", "c", "d"))

    assert (factor.codes.tolist(), factor.names) == ([0, -1, 1, 0], ("d", "a"))
    assert (factor_of(["d", "", "a", "d"]).codes.tolist(), factor_of([]).names) == ([0, -1, 1, 0], ())


def test_the_first_factor_that_knows_a_candidate_says_its_level() -> None:
    factor = first_known([factor_of(["", "x", ""]), factor_of(["y", "y", ""]), factor_of(["x", "z", "x"])])

    assert factor_in_words(factor) == ["y", "x", "x"]
    assert factor.codes.tolist() == [0, 1, 1]


def test_rows_that_are_not_there_have_no_place() -> None:
    assert places_in(np.array([2, 5, 9]), [9, 3, 2, 10]).tolist() == [2, -1, 0, -1]
    assert places_in(np.array([], dtype=np.int64), [1]).tolist() == [-1]
