"""Consensus, points, sets and rankings take iterators, arrays, data frames, masked arrays and counts with a point."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import agreement

READS = np.random.default_rng(1).integers(0, 3, (60, 5))
POINTS = np.random.default_rng(2).normal(0, 5, (60, 3))
LISTS = [["a", "b"], ["b"], ["c", "a"]] * 8
SETS = [{"a"}, {"a", "b"}, {"c"}] * 8
FEW = {"resamples": 50, "seed": 1}
SETS_OF_60, LISTS_OF_60 = [{"a"}, {"a", "b"}, {"c"}] * 20, [["a", "b"], ["b"], ["c", "a"]] * 20
PAIRS_OF_SETS = list(zip(SETS_OF_60, SETS_OF_60[::-1], strict=True))
PAIRS_OF_LISTS = list(zip(LISTS_OF_60, LISTS_OF_60[::-1], strict=True))

TABLES = {
    "consensus": lambda table: agreement.consensus(table).values,
    "leave_one_out": lambda table: agreement.leave_one_out(table, **FEW).mean,
    "dawid_skene": lambda table: agreement.dawid_skene(table, seed=1).values,
    "percent_agreement_of_all": lambda table: agreement.percent_agreement_of_all(table, 1),
    "fleiss_kappa_per_category": agreement.fleiss_kappa_per_category,
    "light_kappa": lambda table: agreement.light_kappa(table, **FEW),
    "icc_with_missing": lambda table: agreement.icc_with_missing(table, 3),
    "mean_over_pairs": lambda table: agreement.mean_over_pairs(table, lambda x, y: abs(x - y), **FEW),
}
HOLDERS = {
    "iterator of iterators": lambda table: iter([iter(row) for row in table.tolist()]),
    "tuple of tuples": lambda table: tuple(map(tuple, table.tolist())),
    "array of floats": lambda table: table.astype(float),
    "data frame": pd.DataFrame,
    "table of Arrow": lambda table: pa.table({str(rater): column for rater, column in enumerate(table.T)}),
    "masked array": lambda table: np.ma.array(table, mask=np.zeros_like(table, dtype=bool)),
}


@cache
def of_lists(name):
    return TABLES[name](READS.tolist())


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("holder", HOLDERS)
def test_what_holds_the_ratings_does_not_matter(name, holder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        held = TABLES[name](HOLDERS[holder](READS))

    assert held == of_lists(name)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_masked_is_missing(name):
    mask = np.random.default_rng(3).random(READS.shape) < 0.1
    holes = np.where(mask, None, READS.astype(object)).tolist()

    assert TABLES[name](np.ma.array(READS, mask=mask)) == TABLES[name](holes)


def test_distances_take_iterators_and_masked_arrays():
    plain = agreement.distances_to_reference(POINTS.tolist(), POINTS[::-1].tolist())

    assert agreement.distances_to_reference(iter(POINTS), iter(POINTS[::-1])).tolist() == plain.tolist()
    masked = np.ma.array(plain, mask=np.arange(60) < 5)
    assert agreement.localisation(masked, 5.0, **FEW).n_missing == 5
    assert agreement.localisation(iter(plain), 5.0, **FEW) == agreement.localisation(plain, 5.0, **FEW)


def test_sets_and_lists_take_iterators_and_series():
    reference = ["a"] * 24

    ranked = agreement.ranking_accuracy(LISTS, reference, **FEW)
    assert agreement.ranking_accuracy(iter(LISTS), pd.Series(reference), **FEW) == ranked
    chosen = agreement.set_accuracy(SETS, SETS[::-1], **FEW)
    assert agreement.set_accuracy(pd.Series(SETS), iter(SETS[::-1]), **FEW) == chosen


CLUSTERED = {
    "icc": lambda clusters: agreement.icc(READS, clusters=clusters, **FEW),
    "icc, one rating of each item": lambda clusters: agreement.icc(READS, 1, clusters=clusters, **FEW),
    "fleiss_kappa_per_category": lambda clusters: agreement.fleiss_kappa_per_category(READS, clusters=clusters, **FEW),
    "localisation": lambda clusters: agreement.localisation(np.arange(60.0), 5.0, clusters=clusters, **FEW),
    "place_agreement": lambda clusters: agreement.place_agreement(
        np.stack([POINTS, POINTS[::-1]], 1), 1.0, clusters=clusters, **FEW
    ),
    "set_accuracy": lambda clusters: agreement.set_accuracy(SETS_OF_60, SETS_OF_60[::-1], clusters=clusters, **FEW),
    "set_agreement": lambda clusters: agreement.set_agreement(PAIRS_OF_SETS, clusters=clusters, **FEW),
    "ranking_accuracy": lambda clusters: agreement.ranking_accuracy(LISTS_OF_60, ["a"] * 60, clusters=clusters, **FEW),
    "ranking_agreement": lambda clusters: agreement.ranking_agreement(PAIRS_OF_LISTS, clusters=clusters, **FEW),
}


@pytest.mark.parametrize("name", CLUSTERED)
def test_clusters_are_read_once(name):
    clusters = [f"s{item // 2}" for item in range(60)]

    assert repr(CLUSTERED[name](iter(clusters))) == repr(CLUSTERED[name](clusters))


def test_a_bootstrap_of_an_icc_reads_its_ratings_once():
    held = agreement.icc(iter(READS.tolist()), interval="percentile", **FEW)

    assert held == agreement.icc(READS, interval="percentile", **FEW)


def test_counts_may_have_a_point():
    assert agreement.consensus(READS, fewest=2.0, leave_out=1.0) == agreement.consensus(READS, fewest=2, leave_out=1)
    assert agreement.overlap_at_k(["a"], ["a"], 1.0) == 1.0
    assert agreement.cases_needed(agreement.VARIANCES["Van Dyke"], 6.0, width=0.1) == agreement.cases_needed(
        agreement.VARIANCES["Van Dyke"], 6, width=0.1
    )


def test_a_frame_of_scores_with_a_missing_one_is_taken_as_its_rows():
    frame = pd.DataFrame({"a": [1, 2, None, 4, 5], "b": [3, 2, 1, 0, 5]}, dtype="Int64")
    rows = [[1, 3], [2, 2], [None, 1], [4, 0], [5, 5]]
    reference, classes = ["b", "a", "a", "a", "b"], ["a", "b"]

    assert agreement.macro_auc(frame, reference, classes=classes) == agreement.macro_auc(
        rows, reference, classes=classes
    )


@pytest.mark.parametrize("hold", [pa.array, lambda column: pa.chunked_array([column[:3], column[3:]])])
def test_a_covariate_in_an_arrow_array_is_taken_as_its_list(hold):
    human, judge, rest = [1, 0, 1, 0, 1, 1], [1, 0, 1, 1, 1, 0], [1, 0, 1, 1, 0]
    x, others = [None, 1, 2, 3, 4, 6], [1, None, 3, 2, 2]

    def of(covariates, unlabelled):
        return agreement.prediction_powered_regression(human, judge, covariates, rest, unlabelled, model="linear")

    assert of(hold(x), hold(others)) == of(x, others)


def test_an_array_of_rankings_is_taken_as_its_lists_whatever_dimensions_numpy_gives_it():
    alike = [[["a", "b"], ["b", "a"]], [["a", "c"], ["a", "c"]], [["b", "c"], ["c", "a"]]]
    rows = np.empty(3, dtype=object)
    for item, row in enumerate(alike):
        rows[item] = row

    expected = agreement.ranking_agreement(alike, **FEW)

    for array in (np.array(alike, dtype=object), np.array(alike), rows):
        assert agreement.ranking_agreement(array, **FEW) == expected


@pytest.mark.parametrize("second", [[1, 2, 2, 2], [1, 1, 1, 1]])
@pytest.mark.parametrize("kind", [int, float, str, {1: True, 2: False, 3: False}.get])
def test_a_missing_category_in_a_table_of_pandas_categories_is_missing(kind, second):
    rows = [(kind(1), kind(1)), (kind(2), kind(second[1])), (None, kind(second[2])), (kind(3), kind(second[3]))]
    table = pd.DataFrame({place: pd.Categorical(column) for place, column in enumerate(zip(*rows, strict=True))})

    of_table, of_rows = agreement.fleiss_kappa(table), agreement.fleiss_kappa(rows)

    assert (of_table.value, of_table.n) == (of_rows.value, of_rows.n)
    assert agreement.consensus(table).values == agreement.consensus(rows).values
