"""One draw of clusters for all statistics of a file: the same bootstrap, and what becomes of parts of the file."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import numpy as np
import pytest

from agreement import (
    accuracy_of_correctness,
    bland_altman,
    bootstrap,
    brier_score,
    cohen_kappa,
    conger_kappa,
    expected_calibration_error,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    lin_ccc,
    pabak,
    paired_difference,
    pearson,
    percent_agreement,
)
from agreement.cluster_codes import of_used, sizes_of
from agreement.coding import compact
from agreement.ranks_of_units import spearman_of
from agreement.resampling import ONE_DRAW, OWN_DRAW, ratio, sums_by_cluster
from agreement.shared_draw import ClusterDraw

RNG = np.random.default_rng(11)
SUBJECTS = [f"subject {number}" for number in RNG.integers(0, 60, 300)]
A = RNG.integers(0, 3, 300)
B = np.where(RNG.random(300) < 0.7, A, RNG.integers(0, 3, 300))
C = np.where(RNG.random(300) < 0.6, A, RNG.integers(0, 3, 300))
RATINGS = np.column_stack([A, B, C]).astype(float)
RIGHT = (A == B).astype(float)
STATED = np.clip(0.3 + 0.4 * RIGHT + 0.2 * RNG.random(300), 0, 1)

STATISTICS = {
    "percent agreement": partial(percent_agreement, A, B, interval="percentile"),
    "Cohen's kappa": partial(cohen_kappa, A, B, interval="percentile"),
    "weighted kappa": partial(cohen_kappa, A, B, weights="quadratic", interval="percentile"),
    "prevalence-adjusted": partial(pabak, A == 1, B == 1, interval="percentile"),
    "Fleiss' kappa": partial(fleiss_kappa, RATINGS, interval="percentile"),
    "Conger's kappa": partial(conger_kappa, RATINGS, interval="percentile"),
    "Gwet's AC1": partial(gwet_ac, RATINGS, interval="percentile"),
    "alpha": partial(krippendorff_alpha, RATINGS, interval="percentile"),
    "alpha of numbers": partial(krippendorff_alpha, RATINGS, "interval", interval="percentile"),
    "Brier score": partial(brier_score, STATED, RIGHT, interval="percentile"),
    "calibration error": partial(expected_calibration_error, STATED, RIGHT),
    "difference": partial(paired_difference, A == B, A == C),
    "mean": partial(bootstrap, np.mean, STATED),
    "median": partial(bootstrap, np.median, STATED),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_a_shared_draw_has_the_distribution_of_separate_draws(name):
    draw = ClusterDraw(SUBJECTS, resamples=4000, seed=1)

    shared = STATISTICS[name](**draw.by())
    separate = STATISTICS[name](clusters=SUBJECTS, resamples=4000, seed=2)

    assert ONE_DRAW in shared.method
    assert shared.value == separate.value
    assert shared.n_clusters == separate.n_clusters
    # the error of a standard error from 4000 resamples is 1.1 %, that of a limit about 4 % of the standard error
    assert shared.se == pytest.approx(separate.se, rel=0.06)
    assert (shared.low, shared.high) == pytest.approx((separate.low, separate.high), abs=0.2 * shared.se)


def test_the_mean_of_all_resamples_is_the_value():
    draw = ClusterDraw(SUBJECTS, resamples=4000, seed=1)
    rows = sums_by_cluster(np.column_stack([RIGHT, np.ones(300)]), draw.clusters)

    values = ratio(draw.totals(np.asarray(rows)))

    assert values.mean() == pytest.approx(RIGHT.mean(), abs=4 * values.std() / np.sqrt(4000))


def test_a_statistic_has_the_same_numbers_alone_as_beside_others():
    together = ClusterDraw(SUBJECTS, resamples=500, seed=1)

    with ThreadPoolExecutor(8) as side_by_side:
        beside = list(side_by_side.map(lambda statistic: statistic(**together.by()), STATISTICS.values()))

    alone = [statistic(**ClusterDraw(SUBJECTS, resamples=500, seed=1).by()) for statistic in STATISTICS.values()]
    for ours, theirs in zip(beside, alone, strict=True):
        assert (ours.low, ours.high, ours.se) == pytest.approx((theirs.low, theirs.high, theirs.se), abs=1e-12)


def test_one_statistic_alone_has_the_numbers_of_its_own_draw():
    # clusters whose sums all differ, in rising order: then both ways number the clusters alike
    scores = np.sort(np.random.default_rng(2).normal(size=200))
    patients = np.arange(200)

    shared = bootstrap(np.mean, scores, **ClusterDraw(patients, resamples=300, seed=4).by())
    own = bootstrap(np.mean, scores, clusters=patients, resamples=300, seed=4)

    assert (shared.low, shared.high, shared.se) == pytest.approx((own.low, own.high, own.se), abs=1e-14)


def test_the_resamples_of_two_statistics_are_the_same():
    draw = ClusterDraw(SUBJECTS, resamples=700, seed=3)
    first = sums_by_cluster(np.column_stack([A == B, np.ones(300)]).astype(float), draw.clusters)
    second = sums_by_cluster(np.column_stack([A == C, np.ones(300)]).astype(float), draw.clusters)

    gaps = ratio(draw.totals(np.asarray(first))) - ratio(draw.totals(np.asarray(second)))

    difference = paired_difference(A == B, A == C, interval="percentile", **draw.by())
    assert np.quantile(gaps, [0.025, 0.975]) == pytest.approx([difference.low, difference.high], abs=1e-12)


def test_a_part_of_a_file_goes_with_the_clusters_of_the_whole():
    draw = ClusterDraw(SUBJECTS, resamples=400, seed=3)
    part = np.array([name < "subject 4" for name in SUBJECTS])
    weights = np.concatenate(list(draw.weights()))
    names = sorted(set(SUBJECTS))

    estimate = percent_agreement(A[part], B[part], interval="percentile", **draw.by(np.array(SUBJECTS)[part].tolist()))

    times = weights[:, [names.index(name) for name in np.array(SUBJECTS)[part]]]
    values = times @ RIGHT[part] / times.sum(axis=1)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-12)
    assert estimate.n_clusters == len({name for name in names if name < "subject 4"})


def test_a_slice_of_the_clusters_says_the_same_as_their_names():
    draw = ClusterDraw(SUBJECTS, resamples=400, seed=3)
    part = A > 0

    by_slice = cohen_kappa(A[part], B[part], interval="percentile", **draw.by(draw.clusters[part]))

    by_name = cohen_kappa(A[part], B[part], interval="percentile", **draw.by(np.array(SUBJECTS)[part].tolist()))
    assert by_slice == by_name


def test_resamples_without_any_item_are_left_out_and_counted():
    # five of twenty clusters: a resample has none of them with probability (3/4)^20 = .3 %
    patients, right = np.arange(20), np.array([1.0, 0, 1, 1, 0])
    draw = ClusterDraw(patients, resamples=4000, seed=1)

    estimate = accuracy_of_correctness(right, interval="percentile", **draw.by(draw.clusters[:5])).primary

    lost = int((np.concatenate(list(draw.weights()))[:, :5].sum(axis=1) == 0).sum())
    assert 0 < lost < 40
    assert f"{lost} of 4000 resamples had no value and were left out" in estimate.method
    assert ONE_DRAW in estimate.method


def test_a_part_that_many_resamples_have_nothing_of_is_drawn_by_itself_and_says_so():
    # two of twenty clusters: (9/10)^20 = 12 %
    patients, scores = np.repeat(np.arange(20), 2), np.arange(40.0)
    draw = ClusterDraw(patients, resamples=1000, seed=1)

    estimate = bootstrap(np.mean, scores[:4], **draw.by(draw.clusters[:4]))

    own = bootstrap(np.mean, scores[:4], clusters=patients[:4], resamples=1000, seed=1)
    assert OWN_DRAW in estimate.method
    assert (estimate.low, estimate.high, estimate.se) == (own.low, own.high, own.se)


def test_strata_are_drawn_by_themselves_and_say_so():
    draw = ClusterDraw(np.arange(40), resamples=300, seed=1)
    scores = np.random.default_rng(1).normal(size=40)

    estimate = bootstrap(np.mean, scores, strata=np.arange(40) % 2, **draw.by())

    assert OWN_DRAW in estimate.method
    own = bootstrap(np.mean, scores, clusters=np.arange(40), strata=np.arange(40) % 2, resamples=300, seed=1)
    assert (estimate.low, estimate.high) == (own.low, own.high)


def test_weights_too_many_to_keep_are_drawn_anew_and_are_the_same(monkeypatch):
    draw = ClusterDraw(SUBJECTS, resamples=300, seed=3)
    kept_as_numbers = percent_agreement(A, B, interval="percentile", **draw.by())
    monkeypatch.setattr("agreement.shared_draw._HELD_AS_NUMBERS", 0)
    in_bytes = ClusterDraw(SUBJECTS, resamples=300, seed=3)
    first = percent_agreement(A, B, interval="percentile", **in_bytes.by())
    again = percent_agreement(A, B, interval="percentile", **in_bytes.by())
    monkeypatch.setattr("agreement.shared_draw._HELD", 0)
    anew = ClusterDraw(SUBJECTS, resamples=300, seed=3)

    assert (
        kept_as_numbers
        == first
        == again
        == percent_agreement(A, B, interval="percentile", **anew.by())
        == percent_agreement(A, B, interval="percentile", **anew.by())
    )


def test_counts_of_many_clusters_are_added_up_exactly_in_half_the_memory():
    draw = ClusterDraw(np.arange(8_000), resamples=1_000, seed=1)
    counts = np.random.default_rng(1).integers(0, 2_000, (8_000, 3)).astype(float)

    tracemalloc.start()
    totals = draw.totals(counts)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (totals == np.concatenate([block @ counts for block in draw.weights()])).all()
    assert most < 8 * 8_000 * 1_000  # bytes: the weights as numbers of 64 bits


@pytest.mark.parametrize("greatest", [0.5, 3_000])
def test_what_32_bits_do_not_hold_is_added_up_in_64(greatest):
    draw = ClusterDraw(np.arange(8_000), resamples=600, seed=1)
    rows = np.full((8_000, 1), 1.0)
    rows[0] = greatest  # no whole number, or one that sums may be too great with

    totals = draw.totals(rows)

    assert totals == pytest.approx(np.concatenate([block @ rows for block in draw.weights()]), rel=1e-14)


@pytest.mark.parametrize("units", [60, 8_000])
def test_columns_that_were_added_up_before_have_the_same_totals_in_any_place(units):
    draw = ClusterDraw(np.arange(units), resamples=600, seed=1)
    first, second = np.random.default_rng(1).integers(0, 9, (units, 3)).astype(float), np.full(units, 0.25)

    totals = draw.totals(first)
    again = draw.totals(np.column_stack([second, first[:, 2], first[:, 0], first[:, 2]]))

    assert (again[:, 1:] == totals[:, [2, 0, 2]]).all()
    assert again[:, 0] == pytest.approx(np.concatenate([block @ second for block in draw.weights()]), rel=1e-14)


@pytest.mark.parametrize(("units", "in_parallel"), [(60, True), (700, True), (8_000, False)])
def test_totals_are_the_same_to_the_last_bit_whichever_columns_are_added_up_together(units, in_parallel):
    rows = np.random.default_rng(1).normal(size=(units, 11))
    clusters, options = np.arange(units), {"resamples": 600, "seed": 1, "in_parallel": in_parallel}

    together = ClusterDraw(clusters, **options).totals(rows)
    apart = ClusterDraw(clusters, **options)

    assert all((apart.totals(rows[:, some]) == together[:, some]).all() for some in ([9, 10], [3], [0, 9, 5, 1, 2]))


def test_totals_that_are_known_wait_for_no_product():
    draw = ClusterDraw(np.arange(20), resamples=50, seed=1)
    rows = np.random.default_rng(1).normal(size=(20, 2))
    totals = draw.totals(rows)

    draw._multiplying = True  # as while another statistic's product is computed
    with ThreadPoolExecutor(1) as thread:
        again = thread.submit(draw.totals, rows[:, ::-1]).result(timeout=5)

    assert (again == totals[:, ::-1]).all()


def test_statistics_at_work_together_wait_for_one_product():
    draw = ClusterDraw(np.arange(20), resamples=50, seed=1, in_parallel=True)
    rows = np.random.default_rng(1).normal(size=(20, 2))

    with ThreadPoolExecutor(1) as thread:

        def beside() -> tuple[bool, np.ndarray, np.ndarray]:
            other = thread.submit(draw.among_others, lambda: draw.totals(rows[:, :1]))
            waited = wait([other], timeout=0.05).done == set()
            own = draw.totals(rows[:, 1:])
            return waited, other.result(timeout=5), own

        waited, first, second = draw.among_others(beside)

    alone = ClusterDraw(np.arange(20), resamples=50, seed=1, in_parallel=True).totals(rows)
    assert waited
    assert (np.hstack([first, second]) == alone).all()


def test_a_statistic_waits_no_longer_for_one_that_ends_without_a_product():
    draw = ClusterDraw(np.arange(20), resamples=50, seed=1)
    with ThreadPoolExecutor(1) as thread:
        other = draw.among_others(lambda: thread.submit(draw.among_others, lambda: draw.totals(np.ones((20, 1)))))

        assert (other.result(timeout=5) == 20.0).all()


def test_a_statistic_that_fails_leaves_the_product_to_those_that_waited_with_it():
    draw = ClusterDraw(np.arange(20), resamples=50, seed=1)
    with ThreadPoolExecutor(1) as thread, pytest.raises(ZeroDivisionError):
        other = thread.submit(draw.among_others, lambda: draw.totals(np.ones((20, 1))))
        draw.among_others(lambda: 1 / 0)

    assert (other.result(timeout=5) == 20.0).all()


def test_the_memory_of_columns_that_were_added_up_is_bounded():
    draw = ClusterDraw(np.arange(20), resamples=50_000, seed=1)
    rows = np.random.default_rng(1).normal(size=(20, 300))

    tracemalloc.start()
    for column in rows.T:
        draw.totals(column[:, None])
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert held < 8 * 7_000_000  # of 15 million totals, and a million weights
    assert (draw.totals(rows[:, :1]) == ClusterDraw(np.arange(20), resamples=50_000, seed=1).totals(rows[:, :1])).all()


def test_bca_limits_from_a_shared_draw_are_those_of_separate_draws():
    draw = ClusterDraw(SUBJECTS, resamples=4000, seed=1)

    shared = percent_agreement(A, B, interval="bca", **draw.by())
    separate = percent_agreement(A, B, interval="bca", clusters=SUBJECTS, resamples=4000, seed=2)

    assert (shared.low, shared.high) == pytest.approx((separate.low, separate.high), abs=0.25 * shared.se)


def test_a_draw_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match="'subject x'; expected clusters of the draw"):
        ClusterDraw(SUBJECTS, resamples=10, seed=1).by(["subject x"])
    with pytest.raises(ValueError, match=r"clusters has shape \(\); expected one dimension"):
        ClusterDraw(np.array(3), seed=1)
    with pytest.raises(ValueError, match="resamples is 0"):
        ClusterDraw(SUBJECTS, resamples=0, seed=1)
    with pytest.raises(ValueError, match="seed is None"):
        ClusterDraw(SUBJECTS, resamples=10, seed=None)


def test_a_draw_of_each_statistic_keeps_its_numbers():
    # numbers that stand in reports of frozen studies: they were printed before there was a shared draw
    rng = np.random.default_rng(5)
    for n, k in ((40, 10), (400, 90)):
        x = rng.integers(0, 5, n).astype(float)
        y = np.where(rng.random(n) < 0.7, x, rng.integers(0, 5, n))
        clusters = rng.integers(0, k, n)
    keywords = {"clusters": clusters, "resamples": 600, "seed": 3, "interval": "percentile"}

    mean = bootstrap(np.mean, x + y / 7, **keywords)
    kappa = cohen_kappa(x, y, **keywords)
    ac1 = gwet_ac(np.column_stack([x, y]), **keywords)

    assert (mean.low, mean.high) == pytest.approx((2.05348259265923, 2.329870535633427), abs=1e-14)
    assert (kappa.low, kappa.high) == pytest.approx((0.6636761978209315, 0.7646698901570944), abs=1e-14)
    assert (ac1.low, ac1.high) == pytest.approx((0.6644303808902735, 0.7655276737184543), abs=1e-14)


def test_every_resample_has_as_many_clusters_of_each_stratum_as_the_file():
    clusters = [f"s{number:02}" for number in range(30)]
    strata = ["rare"] * 4 + ["often"] * 26
    draw = ClusterDraw(clusters, resamples=300, seed=5, strata=strata)

    times = np.concatenate(list(draw.weights()))

    assert (times[:, :4].sum(axis=1) == 4).all() and (times[:, 4:].sum(axis=1) == 26).all()
    # Within a stratum it is drawn with replacement.
    assert times[:, :4].max() > 1


def test_strata_of_a_draw_hold_for_statistics_of_the_file_and_of_parts_of_it():
    clusters = [f"s{number}" for number in range(40)]
    strata = ["a"] * 20 + ["b"] * 20
    right = [1.0] * 20 + [0.0] * 20
    draw = ClusterDraw(clusters, resamples=300, seed=5, strata=strata)

    # Each stratum has one value, so that every resample has the same mean.
    whole = bootstrap(np.mean, np.array(right), **draw.by(clusters))
    assert "within strata" in whole.method and "every resample" in str(whole.undefined_because)
    # Of few clusters the units are drawn by themselves, within the same strata.
    few = bootstrap(np.mean, np.array([1.0, 0.0]), **draw.by(["s1", "s21"]))
    assert OWN_DRAW in few.method and "every resample" in str(few.undefined_because)


def test_a_cluster_in_two_strata_is_refused():
    with pytest.raises(ValueError, match="two strata"):
        ClusterDraw(["s1", "s1", "s2"], resamples=10, seed=1, strata=["a", "b", "a"])


def columns_added_up(*statistics):
    """How many columns a draw has multiplied with its weights after some statistics, one after the other."""
    draw = ClusterDraw(SUBJECTS, resamples=50, seed=1)
    for statistic in statistics:
        statistic(**draw.by(), interval="percentile")
    return len(draw._known)


def test_concordance_takes_no_further_sums_than_the_correlation():
    x, y = A + RNG.random(300), B + RNG.random(300)
    # 1, x, y, their squares and their product
    assert columns_added_up(partial(pearson, x, y), partial(lin_ccc, x, y)) == 6


def test_of_the_pairs_of_a_rater_the_sums_of_the_rater_are_taken_once():
    x, y, z = (verdicts + RNG.random(300) for verdicts in (A, B, C))
    pairs = [partial(pearson, *pair) for pair in ((x, y), (x, z), (y, z))]
    assert columns_added_up(*pairs) == 1 + 3 + 3 + 3


def test_bias_and_limits_of_agreement_take_the_same_three_sums():
    assert columns_added_up(partial(bland_altman, A + RNG.random(300), B + 0.5)) == 3


def test_spearman_of_few_values_counts_the_pairs_of_values_of_each_cluster():
    clusters = np.arange(20_000) % 600
    x, y = RNG.integers(0, 3, (2, clusters.size)).astype(float)
    of_sums = spearman_of(x, y, clusters)
    assert of_sums.kind is not None
    assert np.array_equal(of_sums.by_cluster(clusters), sums_by_cluster(of_sums.of_items(), clusters))


@pytest.mark.parametrize("width", [1, 6])
def test_sums_of_many_items_are_those_of_few_to_the_last_bit(width):
    clusters, rows = RNG.integers(0, 5_000, 110_000), RNG.normal(size=(110_000, width))
    expected = np.column_stack([np.bincount(clusters, weights=column) for column in rows.T])
    assert np.array_equal(sums_by_cluster(rows, clusters), expected)


def test_clusters_of_all_items_are_counted_once():
    codes = ClusterDraw(SUBJECTS, resamples=10, seed=1).clusters
    assert compact(of_used(codes, np.ones(300, dtype=bool)))[0] is codes


def test_the_items_of_each_cluster_are_counted_once_for_all_statistics_of_the_same_items():
    codes = ClusterDraw(SUBJECTS, resamples=10, seed=1).clusters
    assert sizes_of(codes) is sizes_of(codes)
    assert sizes_of(codes[::2]).tolist() == np.bincount(np.asarray(codes)[::2]).tolist()


def test_clusters_of_some_items_are_counted_anew():
    codes = ClusterDraw(SUBJECTS, resamples=10, seed=1).clusters
    some, count = compact(of_used(codes, np.asarray(codes) > 0))
    assert count == codes.of_file.size - 1
    assert some.of_file.tolist() == codes.of_file[1:].tolist()


def test_small_whole_numbers_wait_in_one_byte_and_have_the_same_totals():
    draw = ClusterDraw(np.arange(500), resamples=20, seed=1)
    rows = np.column_stack([np.arange(500) % 128, -np.ones(500), np.arange(500) / 3.0])
    together, alone = draw.totals(rows), [draw.totals(rows[:, [place]])[:, 0] for place in range(3)]
    weights = np.concatenate(list(draw.weights()))
    assert np.array_equal(together[:, :2], weights @ rows[:, :2])
    assert np.allclose(together, np.column_stack(alone), rtol=1e-14)
