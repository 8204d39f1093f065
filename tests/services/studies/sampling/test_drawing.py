"""The draw as a whole: what studies ask for, what always holds of it, and that it can be repeated."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from services.studies.sampling.completion import Flow, IntegerProgram
from services.studies.sampling.drawing import draw_once, fill_places
from services.studies.sampling.planning import plan
from services.studies.sampling.pool import Partition, two_chains
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.sample import DrawnSample, draw
from services.studies.sampling.units import Unit
from tests.services.studies.sampling.designs import keeps_limits, source, units

# What release 0.2.0 draws: see the test that asks for it.
FROZEN_PLAIN = ["u11", "u12", "u19", "u26"]
FROZEN_LIMITED = ["u03", "u04", "u08", "u12", "u16", "u20"]

CATEGORIES = {
    "anatomy": 30, "location": 25, "presence": 22, "measurement": 20, "signal": 12, "longitudinal": 14,
    "modality": 6, "diagnosis": 18, "severity": 12, "reasoning": 11, "demographic": 8,
}  # templates per category: 178  # fmt: skip


def neuroqa(size: int = 5_000, subjects: int = 1_300) -> list[Unit]:
    """A pool of items from 178 templates in 11 categories."""
    rng = random.Random(7)
    templates = [(category, f"{category}-{number}") for category, many in CATEGORIES.items() for number in range(many)]
    chosen = [templates[number % len(templates)] for number in range(size)]
    return [
        Unit(f"q{number:05}", f"s{rng.randrange(subjects)}", f"q{number:05}", {"category": category, "template": name})
        for number, (category, name) in enumerate(chosen)
    ]


def mri_eval() -> list[Unit]:
    """1365 items of three tiers, answered by four models."""
    tiers = ["1"] * 1134 + ["2"] * 213 + ["3"] * 18
    return [
        Unit(f"{model}-{number}", None, f"i{number}", {"tier": tier, "model": model})
        for number, tier in enumerate(tiers)
        for model in ("GPT-5.4", "Opus 4.6", "Sonnet 4.6", "Llama 3.3 70B")
    ]


def keys(sample: DrawnSample) -> list[str]:
    return [row.unit.key for row in sample.units]


# ---- what studies ask for --------------------------------------------------------------------------------------------


def test_neuroqa_100_of_a_pool_over_11_categories_with_a_template_and_a_subject_once() -> None:
    pool = neuroqa()
    elsewhere = frozenset({f"s{number}" for number in range(60)})

    sample = draw(
        pool,
        source("100", strata=["category"], at_most={"template": 1, "subject": 1}),
        random.Random("neuroqa"),
        elsewhere,
        repeats=2_000,
    )

    assert len(sample.units) == 100
    assert len({row.unit.attributes["template"] for row in sample.units}) == 100
    assert len({row.unit.subject for row in sample.units}) == 100
    assert not {row.unit.subject for row in sample.units} & elsewhere
    assert len(sample.table) == 11
    available = sum(row.available for row in sample.table)
    for row in sample.table:
        assert row.drawn == row.planned
        assert abs(row.drawn - 100 * row.available / available) < 1
    assert Counter(row.unit.attributes["category"] for row in sample.units) == {
        row.stratum: row.drawn for row in sample.table
    }


def test_neuroqa_every_template_of_a_pool_in_which_each_is_needed_once() -> None:
    # 178 of 178 templates with few subjects to spare: whoever takes what comes first ends with templates left over.
    pool = neuroqa(size=900, subjects=185)
    asked = source("178", at_most={"template": 1, "subject": 1})
    planned = plan(pool, asked)
    blind = [len(fill_places(planned.pool, random.Random(number), None)) for number in range(50)]

    sample = draw(pool, asked, random.Random("tight"), repeats=50)

    assert max(blind) < 178
    assert len({row.unit.attributes["template"] for row in sample.units}) == 178
    assert len({row.unit.subject for row in sample.units}) == 178


def test_mri_eval_all_of_tiers_2_and_3_and_some_of_tier_1_of_one_model_of_four() -> None:
    asked = source(where={"model": ["Sonnet 4.6"]}, strata=["tier"], sizes={"1": "18", "2": "all", "3": "all"})

    sample = draw(mri_eval(), asked, random.Random("mri-eval"))

    assert {row.unit.attributes["model"] for row in sample.units} == {"Sonnet 4.6"}
    assert [(row.stratum, row.available, row.planned, row.drawn) for row in sample.table] == [
        ("1", 1134, 18, 18), ("2", 213, 213, 213), ("3", 18, 18, 18),
    ]  # fmt: skip
    assert {(row.stratum, row.inclusion.probability) for row in sample.units} == {
        ("1", 18 / 1134), ("2", 1.0), ("3", 1.0),
    }  # fmt: skip
    assert sample.units[0].inclusion.kind == "exact"
    assert sample.weighting_refused is None


def test_all_candidates_of_a_drawn_item_come_together() -> None:
    sample = draw(mri_eval(), source("5", strata=["tier"], by_item=True), random.Random(3))

    assert Counter(Counter(row.unit.item for row in sample.units).values()) == {4: 5}
    assert sum(row.drawn for row in sample.table) == 5
    assert sum(row.units for row in sample.table) == 20


def test_a_sample_with_units_that_are_drawn_too_rarely_is_not_weighted() -> None:
    asked = source("100", at_most={"template": 1, "subject": 1})

    sample = draw(neuroqa(), asked, random.Random(1), repeats=250)

    assert sample.weighting_refused is not None
    assert sample.weighting_refused.startswith(
        "Weighting is refused: the inclusion probability of 100 of 100 drawn units is not known, since each was drawn, "
        "with the units alike, fewer than 200 times in 250 repeats of the draw (the rarest "
    )


# ---- it can be repeated ----------------------------------------------------------------------------------------------


def test_the_same_generator_draws_the_same_in_whatever_order_the_units_come() -> None:
    pool = neuroqa(900)
    asked = source("60", strata=["category"], at_most={"template": 1, "subject": 1})
    shuffled = list(pool)
    random.Random(0).shuffle(shuffled)

    first = draw(pool, asked, random.Random("key"), repeats=200)
    second = draw(shuffled, asked, random.Random("key"), repeats=200)

    assert first == second
    assert keys(first) == sorted(keys(first))
    assert keys(first) != keys(draw(pool, asked, random.Random("another"), repeats=200))


def test_a_draw_of_this_release_is_drawn_by_every_later_one() -> None:
    # Frozen studies are drawn again years later: change the rule, and this draw has to stay under its own name.
    pool = units([{"tier": str(number % 3), "subject": f"s{number % 7}"} for number in range(30)])

    plain = draw(pool, source("4"), random.Random("frozen"), repeats=1)
    limited = draw(pool, source("6", strata=["tier"], at_most={"subject": 1}), random.Random("frozen"), repeats=1)

    assert keys(plain) == FROZEN_PLAIN
    assert keys(limited) == FROZEN_LIMITED


# ---- what always holds -----------------------------------------------------------------------------------------------

values = st.lists(
    st.fixed_dictionaries(
        {
            "tier": st.sampled_from("123"),
            "template": st.sampled_from(["", "a", "b", "c", "d"]),
            "subject": st.sampled_from(["", "s1", "s2", "s3", "s4"]),
            "site": st.sampled_from("xyz"),
        }
    ),
    min_size=1,
    max_size=9,
)
limits = st.dictionaries(st.sampled_from(["template", "subject", "site"]), st.integers(1, 2), max_size=3)


def largest(pool: list[Unit], strata: list[str], sizes: dict[str, int], at_most: dict[str, int]) -> int:
    """Return by trying all subsets how many units a sample within sizes and limits can have."""
    for size in range(len(pool), 0, -1):
        for chosen in combinations(range(len(pool)), size):
            drawn = Counter(pool[place].value(strata[0]) if strata else "all" for place in chosen)
            if all(count <= sizes[name] for name, count in drawn.items()) and keeps_limits(
                chosen, lambda place, name: pool[place].value(name), at_most
            ):
                return size
    return 0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values, limits, st.booleans(), st.data())
def test_sizes_are_reached_within_the_limits_exactly_when_that_is_possible(
    rows: list[dict[str, str]], at_most: dict[str, int], stratified: bool, data: st.DataObject
) -> None:
    pool = units(rows)
    strata = ["tier"] if stratified else []
    available = Counter(unit.value("tier") if stratified else "all" for unit in pool)
    sizes = {name: data.draw(st.integers(0, many)) for name, many in available.items()}
    wanted = sum(sizes.values())
    assume(wanted)
    written = {name: str(size) if size else "0%" for name, size in sizes.items()}
    asked = source(strata=strata, sizes=written, at_most=at_most) if strata else source(str(wanted), at_most=at_most)
    most = largest(pool, strata, sizes, at_most)

    if most < wanted:
        with pytest.raises(CannotDraw) as refusal:
            plan(pool, asked)
        assert all(reason.startswith("sample.at_most") for reason in refusal.value.reasons)
        return
    sample = draw(pool, asked, random.Random(data.draw(st.integers(0, 99))), repeats=2)

    assert len(set(keys(sample))) == wanted
    assert all(row.drawn == row.planned == sizes[row.stratum] for row in sample.table)
    drawn = [row.unit for row in sample.units]
    assert keeps_limits(range(len(drawn)), lambda place, name: drawn[place].value(name), at_most)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=40), st.integers(0, 9))
def test_all_within_two_limits_is_a_maximum_matching(pairs: list[tuple[int, int]], seed: int) -> None:
    pool = units([{"template": f"t{template}", "subject": f"s{subject}"} for template, subject in pairs])
    edges = csr_array((np.ones(len(pairs)), tuple(zip(*pairs, strict=True))), shape=(12, 12))
    matching = int((maximum_bipartite_matching(edges, perm_type="column") >= 0).sum())

    sample = draw(pool, source(at_most={"template": 1, "subject": 1}), random.Random(seed), repeats=1)

    assert len(sample.units) == matching
    assert sample.table[0].planned is None or sample.table[0].planned == matching


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=2, max_size=20),
    st.fixed_dictionaries(
        {"template": st.integers(1, 2), "subject": st.integers(1, 2), "site": st.integers(1, 4)},
    ),
    st.integers(0, 99),
)
def test_flows_and_integer_programs_agree_on_what_is_largest_and_on_what_is_drawn(
    pairs: list[tuple[int, int]], at_most: dict[str, int], seed: int
) -> None:
    # Templates within tiers and subjects within sites: two chains of nested groups.
    rows = [
        {"template": f"t{template}", "tier": str(template % 2), "subject": f"s{subject}", "site": str(subject % 3)}
        for template, subject in pairs
    ]
    available = Counter(row["tier"] for row in rows)
    pool = plan(units(rows), source(at_most=at_most)).pool
    tiers = [int(row["tier"]) for row in rows]
    wanted = [(available["0"] + 1) // 2, (available["1"] + 1) // 2]
    partitions = [Partition(tiers, wanted), *pool.limits]
    flow, program = Flow(len(rows), *two_chains(partitions)), IntegerProgram(len(rows), partitions, 0)

    assert flow.maximum() == program.maximum()
    assert [flow.maximum([unit]) for unit in range(len(rows))] == [program.maximum([unit]) for unit in range(len(rows))]
    if flow.maximum() == sum(wanted):
        program = IntegerProgram(len(rows), partitions, sum(wanted))
        flow.restart([])
        program.restart([])
        order = list(range(len(rows)))
        random.Random(seed).shuffle(order)
        assert [flow.admits(unit) for unit in order] == [program.admits(unit) for unit in order]


@settings(max_examples=100, deadline=None)
@given(values, limits, st.integers(0, 99))
def test_a_draw_that_ends_without_looking_ahead_is_the_one_with_it(
    rows: list[dict[str, str]], at_most: dict[str, int], seed: int
) -> None:
    pool = plan(units(rows), source(at_most=at_most)).pool
    blind = fill_places(pool, random.Random(seed), None)
    assume(pool.limits and len(blind) == pool.size)

    pool.completion.restart(blind)

    assert fill_places(pool, random.Random(seed), pool.completion) == blind


def test_units_that_are_alike_are_drawn_alike() -> None:
    # Template a has 30 units, b has 1: places go to strata, and within a stratum to units, not to templates.
    pool = plan(units([{"template": "a"}] * 30 + [{"template": "b"}]), source("1", at_most={"template": 1})).pool
    times = Counter(unit for number in range(6_200) for unit in draw_once(pool, str(number)))

    # Each of the 31 is expected 200 times, with a standard deviation of 14.
    assert all(140 < times[unit] < 260 for unit in range(31))
