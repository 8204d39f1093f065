"""Items that are alike are computed once: the estimates are those of one item after the other."""

from dataclasses import replace

import numpy as np
import pytest

from agreement import conger_kappa, fleiss_kappa, gwet_ac
from agreement.added_items import added_rows, adjusted_estimate
from agreement.category_counts import counts_of
from agreement.chance_corrected import estimate_of
from agreement.coefficients import (
    brennan_prediger_coefficient,
    conger_coefficient,
    fleiss_coefficient,
    gwet_coefficient,
)
from agreement.ratings import kinds_of, weight_matrix

RNG = np.random.default_rng(12)
TRUTH = RNG.integers(0, 3, (600, 1))
CODES = np.where(RNG.random((600, 3)) < 0.7, TRUTH, RNG.integers(0, 3, (600, 3)))
CODES[RNG.random(CODES.shape) < 0.1] = -1
CODES = CODES[(CODES >= 0).any(axis=1)]
CLUSTERS = np.arange(len(CODES)) // 6
BUILDERS = [fleiss_coefficient, gwet_coefficient, brennan_prediger_coefficient, conger_coefficient]


def test_kinds_are_the_different_rows():
    rows, kind = kinds_of(CODES, 3)

    assert len(rows) == len(np.unique(CODES, axis=0)) < len(CODES)
    assert (rows[kind] == CODES).all()


@pytest.mark.parametrize(("items", "categories"), [(20, 3), (500, 40)])
def test_where_most_rows_may_differ_each_item_is_its_own_kind(items, categories):
    rows, kind = kinds_of(CODES[:items], categories)

    assert kind is None
    assert rows.shape == (items, 3)


@pytest.mark.parametrize("build", BUILDERS)
def test_a_coefficient_of_kinds_is_that_of_their_items(build):
    rows, kind = kinds_of(CODES, 3)
    w = weight_matrix(3, "linear")

    of_kinds = build(rows, counts_of(rows, 3), w, np.bincount(kind))

    of_items = build(CODES, counts_of(CODES, 3), w)
    assert of_kinds.rows[kind] == pytest.approx(of_items.rows, abs=1e-12)
    assert of_kinds.linearise()[kind] == pytest.approx(of_items.linearise(), abs=1e-12)
    assert of_kinds.rarest == pytest.approx(of_items.rarest)


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize("build", BUILDERS)
def test_the_adjusted_interval_of_kinds_is_that_of_their_items(build, clusters):
    rows, kind = kinds_of(CODES, 3)
    w = weight_matrix(3, None)
    of_items = build(CODES, counts_of(CODES, 3), w)
    added = added_rows(lambda codes: build(codes, counts_of(codes, 3), w).rows, 3, CODES)
    words = {"name": "kappa", "unit": "item", "confidence": 0.95}

    of_kinds = adjusted_estimate(
        of_items.of_sums,
        build(rows, counts_of(rows, 3), w, np.bincount(kind)).rows,
        added,
        clusters,
        kind=kind,
        **words,
    )

    one_by_one = adjusted_estimate(of_items.of_sums, of_items.rows, added, clusters, **words)
    assert of_kinds.n == one_by_one.n
    assert (of_kinds.value, of_kinds.low, of_kinds.high, of_kinds.se) == pytest.approx(
        (one_by_one.value, one_by_one.low, one_by_one.high, one_by_one.se), rel=1e-7
    )


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac, conger_kappa])
def test_ten_times_the_items_have_the_same_value_and_a_standard_error_of_ten_times_as_many(coefficient):
    # of few items each is computed by itself, of many the kinds are
    table = np.where(CODES < 0, np.nan, CODES)
    few, many = table[:60], np.tile(table[:60], (10, 1))

    once, repeated = coefficient(few, interval="t"), coefficient(many, interval="t")

    assert repeated.value == pytest.approx(once.value, abs=1e-12)
    assert repeated.se * np.sqrt(599 / 59) == pytest.approx(once.se, rel=1e-9)


@pytest.mark.parametrize("interval", ["adjusted", "percentile", "bca"])
@pytest.mark.parametrize("build", BUILDERS)
def test_only_gwets_interval_linearises_item_by_item(build, interval):
    w, counts = weight_matrix(3, None), counts_of(CODES, 3)
    added = added_rows(lambda codes: build(codes, counts_of(codes, 3), w).rows, 3, CODES)
    coefficient = replace(build(CODES, counts, w), added=added)
    keywords = {"resamples": 200, "seed": 1, "confidence": 0.95, "unit": "item"}

    def refuse():
        raise AssertionError("linearised")

    estimate = estimate_of(replace(coefficient, linearise=refuse), "kappa", len(CODES), CLUSTERS, interval, **keywords)

    assert estimate == estimate_of(coefficient, "kappa", len(CODES), CLUSTERS, interval, **keywords)
