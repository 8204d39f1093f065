"""Inclusion probabilities against full enumeration of every design on a pool of eight."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from services.studies.sampling.completion import Flow, IntegerProgram
from services.studies.sampling.drawing import draw_once
from services.studies.sampling.inclusion import REPEATS, inclusions
from services.studies.sampling.planning import Plan, plan
from services.studies.sampling.pool import Partition, Pool
from tests.services.studies.sampling.designs import admissible, enumerated, source, units

# Templates lie within tiers and subjects within sites; tiers, sites, pairs and colours cross one another.
EIGHT = units(
    [
        {"tier": "1", "template": "a", "subject": "s1", "site": "x", "pair": "p", "colour": "red", "item": "i1"},
        {"tier": "1", "template": "a", "subject": "s2", "site": "x", "pair": "q", "colour": "blue", "item": "i1"},
        {"tier": "1", "template": "a", "subject": "s3", "site": "y", "pair": "p", "colour": "blue", "item": "i2"},
        {"tier": "1", "template": "b", "subject": "s1", "site": "x", "pair": "q", "colour": "red", "item": "i2"},
        {"tier": "2", "template": "c", "subject": "s1", "site": "x", "pair": "r", "colour": "blue", "item": "i3"},
        {"tier": "2", "template": "c", "subject": "s4", "site": "y", "pair": "r", "colour": "green", "item": "i3"},
        {"tier": "2", "template": "d", "subject": "s2", "site": "x", "pair": "p", "colour": "red", "item": "i4"},
        {"tier": "2", "template": "d", "subject": "s2", "site": "x", "pair": "r", "colour": "green", "item": "i5"},
    ]
)

EXACT: dict[str, dict[str, Any]] = {
    "all": {"size": "all"},
    "a number": {"size": "3"},
    "a share": {"size": "40%"},
    "proportional": {"size": "5", "strata": ["tier"]},
    "proportional over unequal strata": {"size": "3", "strata": ["template"]},
    "equal": {"size": "4", "strata": ["template"], "allocation": "equal", "where": {"template": ["a", "c", "d"]}},
    "sizes": {"strata": ["tier"], "sizes": {"1": "1", "2": "all"}},
    "sizes as shares": {"strata": ["tier"], "sizes": {"1": "75%", "2": "0%"}},
    "items whole": {"size": "2", "by_item": True},
    "items whole within strata": {"size": "3", "strata": ["tier"], "by_item": True},
    "a limit that does not bite": {"size": "3", "at_most": {"template": 3}},
}
LIMITED: dict[str, dict[str, Any]] = {
    "a limit": {"size": "3", "at_most": {"subject": 1}},
    "two limits that cross": {"size": "3", "at_most": {"template": 1, "subject": 1}},
    "two limits as tight as can be": {"size": "4", "at_most": {"template": 1, "subject": 1}},
    "a limit within strata": {"size": "4", "strata": ["tier"], "at_most": {"template": 1}},
    "a limit across strata": {"size": "4", "strata": ["tier"], "at_most": {"subject": 1}},
    "a nested and a crossing limit": {"size": "4", "strata": ["tier"], "at_most": {"template": 1, "subject": 1}},
    "two chains of nested limits": {
        "size": "4", "strata": ["tier"], "at_most": {"template": 1, "subject": 2, "site": 3}
    },
    "two per value": {"size": "5", "strata": ["tier"], "at_most": {"template": 2, "subject": 2}},
    "three limits that cross": {"size": "3", "at_most": {"subject": 1, "pair": 1, "colour": 1}},
    "limits and strata that cross": {"size": "3", "strata": ["tier"], "at_most": {"subject": 1, "pair": 1}},
    "a stratum drawn in full": {
        "strata": ["template"], "sizes": {"a": "1", "b": "all", "c": "1", "d": "0%"}, "at_most": {"subject": 1}
    },
    "all that limits allow": {"size": "all", "at_most": {"subject": 1}},
    "items whole under a limit": {"size": "2", "by_item": True, "at_most": {"tier": 1}},
}  # fmt: skip


def planned(design: dict[str, Any]) -> Plan:
    return plan(EIGHT, source(**design))


@pytest.mark.parametrize("design", EXACT)
def test_without_limits_that_bite_probabilities_are_exact_and_those_of_enumeration(design: str) -> None:
    result = planned(EXACT[design])

    probabilities = inclusions(result.pool, "a key")

    expected = enumerated(result, EXACT[design].get("at_most", {}))
    assert [inclusion.kind for inclusion in probabilities] == ["exact"] * len(expected)
    assert [inclusion.probability for inclusion in probabilities] == [float(share) for share in expected]
    assert {inclusion.standard_error for inclusion in probabilities} == {0.0}


@pytest.mark.parametrize("design", LIMITED)
def test_with_limits_they_are_within_monte_carlo_error_of_enumeration(design: str, monkeypatch: Any) -> None:
    # The solver is called for nearly every draw of so small a pool, which takes a while but no hours.
    monkeypatch.setattr("services.studies.sampling.inclusion.MOST_WORK", 10**9)
    result = planned(LIMITED[design])
    repeats = 1_500 if isinstance(result.pool.completion, IntegerProgram) else REPEATS

    probabilities = inclusions(result.pool, "a key", repeats)

    for inclusion, share in zip(probabilities, enumerated(result, LIMITED[design]["at_most"]), strict=True):
        if inclusion.kind == "exact":
            assert inclusion.probability == float(share)
            continue
        assert inclusion.hits is not None
        error = math.sqrt(float(share * (1 - share)) / repeats)
        assert abs(inclusion.hits / repeats / inclusion.alike - share) <= 4.5 * error


@pytest.mark.parametrize("design", LIMITED)
def test_every_admissible_sample_can_be_drawn_and_nothing_else(design: str) -> None:
    result = planned(LIMITED[design])
    repeats = 600 if isinstance(result.pool.completion, IntegerProgram) else 3_000

    drawn = {frozenset(draw_once(result.pool, f"key {number}")) for number in range(repeats)}

    assert drawn == admissible(result, LIMITED[design]["at_most"])


def test_samples_within_limits_are_not_all_equally_likely() -> None:
    # The docs of the room say so, and this is the pool that shows it: a path a-b-c of two admissible pairs and more.
    result = planned(LIMITED["two limits that cross"])

    times = Counter(frozenset(draw_once(result.pool, f"key {number}")) for number in range(5_000))

    assert max(times.values()) > 1.5 * min(times.values())


def test_both_ways_to_look_ahead_draw_the_same() -> None:
    # What is drawn hangs on whether a sample can be completed, never on which completion was at hand.
    result = planned(LIMITED["two limits as tight as can be"])
    programmed = Pool(result.pool.stratum, result.pool.wanted, result.pool.limits)
    strata, wanted = result.pool.stratum, result.pool.wanted
    solver = IntegerProgram(len(strata), [Partition(strata, wanted), *programmed.limits], sum(wanted))
    programmed.__dict__["completion"] = solver

    assert isinstance(result.pool.completion, Flow)
    for number in range(50):
        assert draw_once(result.pool, f"key {number}") == draw_once(programmed, f"key {number}")
    assert solver.calls > 50


def test_fewer_than_200_hits_are_not_known_and_say_so() -> None:
    result = planned(LIMITED["two limits that cross"])

    few = inclusions(result.pool, "a key", repeats=300)

    unknown = [inclusion for inclusion in few if inclusion.hits is not None and inclusion.hits < 200]
    assert unknown
    assert {inclusion.probability for inclusion in unknown} == {None}
    assert unknown[0].method == (
        f"not known: drawn {unknown[0].hits} times in 300 repeats of the whole draw under keys derived from its own, "
        "fewer than 200"
    )


def test_a_simulated_probability_says_its_error_and_its_method() -> None:
    simulated = inclusions(planned(LIMITED["a limit"]).pool, "a key")[0]

    assert simulated.kind == "simulated"
    assert simulated.alike == 3  # the units about s1
    assert simulated.hits is not None
    # At most a unit of the three is drawn, so its number is 0 or 1.
    share = simulated.hits / 20_000
    assert simulated.probability == pytest.approx(share / 3, rel=1e-12)
    assert simulated.standard_error == pytest.approx(
        math.sqrt((share * (1 - share) + 1 / 20_000) / 20_000) / 3, rel=1e-12
    )
    assert simulated.method == (
        f"simulated: 3 units alike were drawn {simulated.hits:,} times in 20,000 repeats of the whole draw under keys "
        "derived from its own"
    )


def test_units_alike_are_estimated_together_and_so_are_known_in_a_large_pool() -> None:
    # Four templates of 2,500 units each: every unit is drawn in 2 of 20,000 repeats, every template in half of them.
    pool = plan(
        units([{"template": str(number % 4)} for number in range(10_000)]), source("2", at_most={"template": 1})
    )

    probabilities = inclusions(pool.pool, "a key", 2_000)

    assert {inclusion.kind for inclusion in probabilities} == {"simulated"}
    for inclusion in probabilities[:4]:
        assert inclusion.probability is not None
        assert inclusion.standard_error is not None
        assert abs(inclusion.probability - 2 / 10_000) < 4.5 * inclusion.standard_error


def test_a_simulation_that_needs_the_solver_too_often_is_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr("services.studies.sampling.inclusion.MOST_WORK", 200)

    probabilities = inclusions(planned(LIMITED["limits and strata that cross"]).pool, "a key", 1_000)

    assert {inclusion.kind for inclusion in probabilities} == {"not known"}
    assert "the simulation was given up after" in probabilities[0].method


def test_progress_is_reported_from_the_first_repeat_to_the_last() -> None:
    reports: list[tuple[int, int]] = []

    inclusions(planned(LIMITED["a limit"]).pool, "a key", 500, lambda done, of: reports.append((done, of)))

    assert reports == [(0, 500), (200, 500), (400, 500), (500, 500)]
