"""An empty cell of a column that tells the reference tells as much as a cell that says so."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from protocol.language.expansion import Expansion
from services.studies.drawing.drawing_phases import of_units
from services.studies.drawing.drawn_in_common import left_by_draws, shares_of_draws
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.sampling.units import Unit
from tests.protocol.language.study_text import expanded

STUDY = """
blindread: 2
name: empty
title: Some cells are empty
attributes:
  items: {{finding: {{type: text, tells: reference}}, site: text}}
  candidates: {{grade: {{type: text, tells: reference}}}}
phases:
  - {{key: read, rates: {kind}, shows: [prompt], form: {{seen: yes_no}}}}
  - {{key: look, rates: {kind}, from: {{where: {{{where}}}}}, shows: [prompt], form: {{odd: yes_no}}}}
"""


def pool_of(items: Mapping[str, Unit], answers: Mapping[str, Unit]) -> Pool:
    nothing = frozenset[str]()
    return Pool(items, answers, nothing, nothing, {}, nothing, {}, {}, {}, {})


def items_of(findings: str, sites: str = "") -> dict[str, Unit]:
    """Return an item of a subject of its own for each finding; a dot is an empty cell."""
    return {
        f"i{number}": Unit(
            f"i{number}", f"s{number}", f"i{number}", {"finding": finding.strip("."), "site": site or "x"}
        )
        for number, (finding, site) in enumerate(zip(findings, sites or "x" * len(findings), strict=True))
    }


def drawn(study: Expansion, units: Mapping[str, Unit], looked_at: str) -> list[DrawnPhase]:
    return [
        of_units(study.phase("read"), units.values()),
        of_units(study.phase("look"), [units[key] for key in looked_at.split()]),
    ]


@pytest.mark.parametrize("rest", ["n", "."], ids=["written", "empty"])
def test_what_is_new_beside_several_selected_values_is_of_one(rest: str) -> None:
    study = expanded(STUDY.format(kind="items", where="finding: [t, s]"))
    items = items_of(f"ts{rest}{rest}")

    shares = list(shares_of_draws(study, drawn(study, items, "i0 i1"), pool_of(items, {}), set()))

    assert [(share.telling, share.blind, share.is_new, share.value) for share in shares] == [
        ("look", "read", True, rest.strip("."))
    ]


@pytest.mark.parametrize("rest", ["n", "."], ids=["written", "empty"])
def test_what_another_column_selects_is_of_one_value(rest: str) -> None:
    study = expanded(STUDY.format(kind="items", where="site: [y]"))
    items = items_of(f"ts{rest}{rest}", sites="xxyy")

    left = left_by_draws(study, drawn(study, items, "i2 i3"), pool_of(items, {}))

    assert left["look"].values == {"finding": rest.strip(".")}


def test_empty_cells_among_others_are_another_value() -> None:
    study = expanded(STUDY.format(kind="items", where="finding: [t, s]"))
    items = items_of("tsn.")

    assert not list(shares_of_draws(study, drawn(study, items, "i0 i1"), pool_of(items, {}), set()))


def test_where_all_cells_are_empty_nothing_is_told_by_them() -> None:
    study = expanded(STUDY.format(kind="items", where="site: [y]"))
    items = items_of("....", sites="xxyy")

    assert not left_by_draws(study, drawn(study, items, "i2 i3"), pool_of(items, {}))


@pytest.mark.parametrize(("given_in", "tells"), [("", True), ("first", False)], ids=["models", "people"])
def test_answers_of_people_have_no_cell_in_a_column_of_candidates(given_in: str, tells: bool) -> None:
    study = expanded(STUDY.format(kind="candidates", where="grade: [good, fair]"))
    items = items_of("tsss")
    answers = {
        f"k{number}": Unit(
            f"k{number}", f"s{number}", f"i{number}", {"grade": grade}, given_in="" if grade else given_in
        )
        for number, grade in enumerate(("good", "fair", "", ""))
    } | {"k4": Unit("k4", "s0", "i0", {"grade": ""})}
    parts = drawn(study, {key: answers[key] for key in ("k0", "k1", "k2", "k3")}, "k0 k1")

    shares = list(shares_of_draws(study, parts, pool_of(items, answers), set()))

    assert bool(shares) == tells


def test_items_have_no_cell_in_a_column_of_candidates() -> None:
    study = expanded(STUDY.format(kind="items", where="site: [y]"))
    items = items_of("ttss", sites="xxyy")
    answers = {
        f"k{number}": Unit(f"k{number}", f"s{number}", f"i{number}", {"grade": grade})
        for number, grade in enumerate(("good", "fair"))
    }

    left = left_by_draws(study, drawn(study, items, "i2 i3"), pool_of(items, answers))

    assert "grade" not in left["look"].values
