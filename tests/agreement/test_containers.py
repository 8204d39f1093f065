"""Every function takes iterators, masked arrays, half precision and counts with a point alike."""

import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import agreement
from agreement.codebook import distinct_texts

RNG = np.random.default_rng(8)
BINARY, OTHER, THIRD = (RNG.integers(0, 2, 24).tolist() for _ in range(3))
SCORES, OTHERS = RNG.integers(1, 6, 24).tolist(), RNG.integers(1, 6, 24).tolist()
SURE = (RNG.integers(0, 9, 24) / 8).tolist()
GROUPS = [f"s{number // 2}" for number in range(24)]
NUMBERED = [number // 2 for number in range(24)]
READS = RNG.integers(0, 2, (24, 3)).tolist()
MEASURED = RNG.integers(1, 9, (24, 3)).tolist()
FEW: dict[str, Any] = {"resamples": 60, "seed": 1}

# each function with the arguments that hold one entry, or one row, for each item
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "percent_agreement": (agreement.percent_agreement, {"a": BINARY, "b": OTHER, "clusters": GROUPS}),
    "cohen_kappa": (agreement.cohen_kappa, {"a": SCORES, "b": OTHERS, "clusters": GROUPS}),
    "kappa_per_category": (agreement.kappa_per_category, {"a": SCORES, "b": OTHERS, "clusters": NUMBERED}),
    "pabak": (agreement.pabak, {"a": BINARY, "b": OTHER, "clusters": GROUPS}),
    "accuracy": (agreement.accuracy, {"verdicts": BINARY, "reference": OTHER, "clusters": NUMBERED}),
    "accuracy_of_correctness": (agreement.accuracy_of_correctness, {"correct": BINARY, "clusters": GROUPS}),
    "shared_errors": (
        agreement.shared_errors,
        {"answers_a": SCORES, "answers_b": OTHERS, "correct_a": BINARY, "correct_b": OTHER, "clusters": GROUPS},
    ),
    "judge_direction": (agreement.judge_direction, {"human": BINARY, "judge": OTHER, "clusters": NUMBERED}),
    "diagnostic_accuracy": (
        lambda **given: agreement.diagnostic_accuracy(positive=1, **given),
        {"judge": BINARY, "reference": OTHER, "clusters": GROUPS},
    ),
    "alt_test": (agreement.alt_test, {"humans": READS, "judge": BINARY, "clusters": GROUPS}),
    "alt_test_by_domain": (
        agreement.alt_test_by_domain,
        {"humans": READS, "judge": BINARY, "domains": ["x", "y"] * 12},
    ),
    "fleiss_kappa": (agreement.fleiss_kappa, {"ratings": READS, "clusters": GROUPS}),
    "conger_kappa": (agreement.conger_kappa, {"ratings": READS, "clusters": GROUPS}),
    "gwet_ac": (agreement.gwet_ac, {"ratings": READS, "clusters": GROUPS}),
    "brennan_prediger": (agreement.brennan_prediger, {"ratings": READS, "clusters": GROUPS}),
    "krippendorff_alpha": (agreement.krippendorff_alpha, {"ratings": READS, "clusters": GROUPS}),
    "krippendorff_alpha, interval": (
        lambda **given: agreement.krippendorff_alpha(level="interval", **given),
        {"ratings": MEASURED, "clusters": GROUPS},
    ),
    "icc": (lambda resamples, seed, **given: agreement.icc(**given), {"ratings": MEASURED}),
    "kendall_w": (lambda resamples, seed, **given: agreement.kendall_w(**given), {"ratings": MEASURED}),
    "lin_ccc": (lambda resamples, seed, **given: agreement.lin_ccc(**given), {"a": SCORES, "b": OTHERS}),
    "bland_altman": (lambda resamples, seed, **given: agreement.bland_altman(**given), {"a": SCORES, "b": OTHERS}),
    "pearson": (lambda resamples, seed, **given: agreement.pearson(**given), {"x": SCORES, "y": OTHERS}),
    "spearman": (lambda resamples, seed, **given: agreement.spearman(**given), {"x": SCORES, "y": OTHERS}),
    "kendall_tau": (lambda resamples, seed, **given: agreement.kendall_tau(**given), {"x": SCORES, "y": OTHERS}),
    "mann_whitney": (lambda resamples, seed, **given: agreement.mann_whitney(**given), {"x": SCORES, "y": OTHERS}),
    "roc_auc": (
        lambda resamples, seed, **given: agreement.roc_auc(**given),
        {"score": SURE, "outcome": BINARY, "clusters": GROUPS},
    ),
    "macro_auc": (
        lambda resamples, seed, **given: agreement.macro_auc(classes=[0, 1, 2], **given),
        {"scores": MEASURED, "reference": BINARY, "clusters": GROUPS},
    ),
    "reader_averaged_difference": (
        lambda resamples, seed, **given: agreement.reader_averaged_difference(**given),
        {"first": READS, "second": MEASURED, "clusters": GROUPS},
    ),
    "readers_against_judge": (
        lambda resamples, seed, **given: agreement.readers_against_judge(**given),
        {"readers_scores": READS, "judge_scores": BINARY, "clusters": GROUPS},
    ),
    "two_way_bootstrap": (
        lambda **given: agreement.two_way_bootstrap(np.nanmean, **given),
        {"ratings": READS, "clusters": GROUPS},
    ),
    "paired_difference": (agreement.paired_difference, {"a": BINARY, "b": OTHER, "clusters": GROUPS}),
    "difference_of_parts": (
        agreement.difference_of_parts,
        {"values": BINARY, "first": [True, False] * 12, "clusters": GROUPS},
    ),
    "weighted_mean": (
        agreement.weighted_mean,
        {"values": BINARY, "probabilities": [0.5, 1.0] * 12, "clusters": GROUPS, "strata": ["x"] * 12 + ["y"] * 12},
    ),
    "prediction_powered_mean": (
        lambda resamples, seed, **given: agreement.prediction_powered_mean(**given),
        {"human": BINARY, "judge": OTHER, "unlabelled": THIRD},
    ),
    "prediction_powered_regression": (
        lambda resamples, seed, **given: agreement.prediction_powered_regression(
            unlabelled=SCORES, unlabelled_covariates=SURE, model="linear", **given
        ),
        {"human": SCORES, "judge": OTHERS, "covariates": SURE, "clusters": GROUPS},
    ),
    "judge_bias_by_factor": (
        lambda level, **given: agreement.judge_bias_by_factor(factors={"tier": level}, **given),
        {"human": BINARY, "judge": OTHER, "level": ["x", "y", "z"] * 8, "clusters": GROUPS},
    ),
    "brier_score": (agreement.brier_score, {"confidence": SURE, "correct": BINARY, "clusters": GROUPS}),
    "expected_calibration_error": (
        agreement.expected_calibration_error,
        {"confidence": SURE, "correct": BINARY, "clusters": GROUPS},
    ),
    "reliability_curve": (agreement.reliability_curve, {"confidence": SURE, "correct": BINARY, "clusters": GROUPS}),
    "classification_scores": (
        agreement.classification_scores,
        {"reference": BINARY, "predicted": OTHER, "clusters": GROUPS, "strata": None},
    ),
    "text_only_floor": (agreement.text_only_floor, {"correct": SURE, "clusters": GROUPS}),
    "paired_shortcut_score": (
        agreement.paired_shortcut_score,
        {"correct": BINARY, "floor_correct": OTHER, "clusters": GROUPS},
    ),
    "mirage_rate": (
        lambda **given: agreement.mirage_rate(positive=1, negative=0, **given),
        {"present": BINARY, "absent": OTHER, "reference": THIRD, "clusters": GROUPS},
    ),
    "bootstrap": (lambda **given: agreement.bootstrap(np.median, **given), {"data": SCORES, "clusters": GROUPS}),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_iterator_is_read_once(name: str) -> None:
    function, given = CALLS[name]
    once = {argument: None if values is None else iter(values) for argument, values in given.items()}

    assert repr(function(**once, **FEW)) == repr(function(**given, **FEW))


# clusters and sampling probabilities are never missing, and a bootstrap of any statistic takes no missing data
NEVER_MISSING = {"clusters", "probabilities", "strata", "domains", "first", "data"}


@pytest.mark.parametrize("name", CALLS)
def test_a_masked_entry_is_missing(name: str) -> None:
    function, given = CALLS[name]
    if name == "difference_of_parts" or name == "reader_averaged_difference":
        maskable = {"values", "second"}
    else:
        maskable = given.keys() - NEVER_MISSING
    masked, missing = dict(given), dict(given)
    for argument in maskable & given.keys():
        values = given[argument]
        absent = np.zeros(np.shape(values), dtype=bool)
        absent[3] = True
        masked[argument] = np.ma.array(values, mask=absent)
        missing[argument] = [
            ([None] * len(value) if isinstance(value, list) else None) if place == 3 else value
            for place, value in enumerate(values)
        ]
    if name == "macro_auc":
        missing["scores"] = [[np.nan] * 3 if row[0] is None else row for row in missing["scores"]]

    assert repr(function(**masked, **FEW)) == repr(function(**missing, **FEW))


@pytest.mark.parametrize("name", CALLS)
def test_half_precision_gives_no_warning_and_no_other_number(name: str) -> None:
    function, given = CALLS[name]
    half = {
        argument: np.array(values, dtype=np.float16)
        if values is not None and argument != "clusters" and np.asarray(values).dtype.kind in "if"
        else values
        for argument, values in given.items()
    }

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers = [
            word for word in repr(function(**half, **FEW)).split() if word.startswith(("value=", "low=", "high="))
        ]

    expected = repr(function(**given, **FEW)).split()
    assert numbers == [word for word in expected if word.startswith(("value=", "low=", "high="))]


def test_the_masked_constant_in_a_list_is_missing() -> None:
    for masked, missing in (([1, np.ma.masked, 0], [1, None, 0]), (["a", np.ma.masked, "b"], ["a", None, "b"])):
        assert agreement.cohen_kappa(masked, masked) == agreement.cohen_kappa(missing, missing)
        assert agreement.percent_agreement(masked, missing).n == 2
    assert agreement.pearson([1, 2, 3, np.ma.masked], [1, 2, 4, 3]).n == 3


def test_counts_may_be_given_with_a_point() -> None:
    assert agreement.wilson_interval(81.0, 263.0) == agreement.wilson_interval(81, 263)
    assert agreement.clopper_pearson_interval(np.float64(3), 9) == agreement.clopper_pearson_interval(3, 9)
    assert agreement.mcnemar(28.0, 22) == agreement.mcnemar(28, 22)
    assert agreement.paired_proportion_difference(20.0, 12, 2, 16) == agreement.paired_proportion_difference(
        20, 12, 2, 16
    )
    assert agreement.pass_at_k(5.0, 1.0, 2.0) == agreement.pass_at_k(5, 1, 2)
    cells = {"true_positive": 90.0, "false_negative": 10, "true_negative": 80, "false_positive": 20}
    assert agreement.rogan_gladen(410.0, 1000, **cells).value == agreement.rogan_gladen(410, 1000, **cells).value
    assert agreement.expected_calibration_error(SURE, BINARY, 5.0, **FEW).name == "expected calibration error, 5 bins"
    assert agreement.alt_test_power(40.0, 3.0, rater_closer=0.1, judge_closer=0.1).n == 40
    with pytest.raises(ValueError, match=r"x is 2\.5; expected a whole number"):
        agreement.wilson_interval(2.5, 9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: agreement.bootstrap(np.mean, [1.0, np.inf], seed=1),
            "data holds text, a missing or an infinite value",
        ),
        (
            lambda: agreement.bootstrap(np.mean, [1.0, np.nan], seed=1),
            "data holds text, a missing or an infinite value",
        ),
        (lambda: agreement.bootstrap(np.mean, [1.0, None], seed=1), "data holds text, a missing or an infinite value"),
        (lambda: agreement.bootstrap(np.median, ["a", "b"], seed=1), "data holds text, a missing or an infinite value"),
        (lambda: agreement.bootstrap(np.median, ["1", "2"], seed=1), "data holds text, a missing or an infinite value"),
        (lambda: agreement.bootstrap(np.sort, [1, 2, 3], seed=1), "statistic returns a [a-z]+; expected one number"),
        (lambda: agreement.bootstrap(str, [1, 2, 3], seed=1), "statistic returns a [a-z]+; expected one number"),
        (
            lambda: agreement.two_way_bootstrap(np.sort, READS, seed=1),
            "statistic returns a [a-z]+; expected one number",
        ),
        (lambda: agreement.expected_calibration_error(SURE, BINARY, True), "bins is True; expected a whole number"),
        (lambda: agreement.reliability_curve(SURE, BINARY, "5"), "bins is '5'; expected a whole number"),
        (
            lambda: agreement.cohen_kappa(SCORES, OTHERS, weights=np.eye(5)),
            "weights is a ndarray; expected None, 'linear'",
        ),
        (lambda: agreement.gwet_ac(READS, weights=np.eye(2)), "weights is a ndarray; expected None, 'linear'"),
        (lambda: agreement.cohen_kappa_of_table([[1, 2], [3, 4]], weights=np.eye(2)), "weights is a ndarray"),
        (lambda: agreement.alt_test(READS, BINARY, "0.2"), "epsilon is '0.2'; expected a number"),
    ],
)
def test_what_cannot_be_used_is_named(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("of", ["verdict {}", "{} is what was said of this one", "v{}"])
@pytest.mark.parametrize("width", ["U40", "U33", "S40", "S33"])
@pytest.mark.parametrize("kinds", [2, 40, 5000])
def test_texts_of_fixed_width_are_told_apart_however_many_there_are(kinds, width, of):
    # 5000 texts share 16 bits of a hash now and then, and are told apart in the longer way
    numbers = np.random.default_rng(1).integers(0, kinds, 20_000)
    texts = np.array([of.format(number) for number in range(kinds)])[numbers].astype(width)

    entries, which = distinct_texts(texts)

    assert sorted(entries) == sorted(set(texts.tolist()))
    assert (np.array(entries)[which] == texts).all()


@pytest.mark.parametrize("others", [["yes"], [], ["no", "perhaps"]])
@pytest.mark.parametrize("n", [3, 20_000])
def test_a_text_that_comes_once_beside_one_other_is_told_apart(others, n):
    texts = np.full(n, "no", dtype="U9")
    texts[1 : 1 + len(others)] = others

    entries, which = distinct_texts(texts)

    assert sorted(entries) == sorted({"no", *others})
    assert (np.array(entries)[which] == texts).all()


@pytest.mark.parametrize("hold", [pa.array, lambda texts: pa.chunked_array([texts[:3], texts[3:]])])
def test_an_arrow_array_is_taken_as_its_list(hold: Callable[[list[Any]], Any]) -> None:
    a, b = ["yes", None, "no", "no", "yes", "yes"], ["yes", "no", "no", "yes", None, "yes"]

    assert agreement.cohen_kappa(hold(a), hold(b)) == agreement.cohen_kappa(a, b)


def test_nan_in_an_arrow_array_is_missing() -> None:
    a, b = [1.0, float("nan"), 2.0, 2.0, 1.0], [1.0, 1.0, 2.0, 1.0, None]

    assert agreement.percent_agreement(pa.array(a), pa.array(b)) == agreement.percent_agreement(a, b)


def test_an_arrow_array_of_lists_is_refused() -> None:
    with pytest.raises(ValueError, match="a holds a value that cannot be compared"):
        agreement.cohen_kappa(pa.array([[1], [2]]), pa.array([1, 2]))


def test_a_single_number_in_place_of_a_row_is_refused_in_whatever_it_is_held() -> None:
    for number in (1.0, np.float64(1.0), np.array(1.0)):
        with pytest.raises(ValueError, match="scores has one dimension; expected"):
            agreement.rank_sets([number, [1.0, 0.0]], resamples=50, seed=1)


def test_decimals_are_compared_with_numpys_whole_numbers():
    decimals, numbers = [Decimal(1), Decimal(2), Decimal(2)], list(np.array([1, 2, 1]))

    assert agreement.percent_agreement(decimals, numbers).value == pytest.approx(2 / 3)
