"""An estimate never holds an undefined number without its reason, nor an interval without width."""

import json
import math

import numpy as np
import pytest

from agreement import Estimate, percent_agreement
from agreement.codebook import in_order, is_missing
from agreement.coding import encode, encode_clusters, encode_pairs


def test_an_undefined_number_needs_a_reason():
    with pytest.raises(ValueError, match="gives no reason"):
        Estimate("kappa", math.nan, math.nan, math.nan, 0, "item", "normal")


def test_an_interval_needs_a_width():
    with pytest.raises(ValueError, match="has no width"):
        Estimate("kappa", 1.0, 1.0, 1.0, 5, "item", "normal")


def test_an_estimate_is_frozen_and_a_number():
    estimate = Estimate("accuracy", 0.5, 0.2, 0.8, 8, "item", "Wilson")

    assert float(estimate) == 0.5
    with pytest.raises(AttributeError):
        estimate.value = 1.0


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, ".79 [.69, .90], n = 136 items, kappa"),
        ({"n": 1}, ".79 [.69, .90], n = 1 item, kappa"),
        ({"p": 0.0001, "n_clusters": 40}, ".79 [.69, .90], n = 136 items, 40 clusters, P < .001, kappa"),
        ({"p": 0.0312, "confidence": 0.9}, ".79 [.69, .90] at 90 %, n = 136 items, P = .03, kappa"),
        ({"p": 0.00312}, ".79 [.69, .90], n = 136 items, P = .0031, kappa"),
        ({"value": -0.004, "low": -12.5, "high": 1.0}, "-.0040 [-12.50, 1.00], n = 136 items, kappa"),
        ({"warning": "few raters"}, ".79 [.69, .90], n = 136 items, kappa; few raters"),
        (
            {"low": math.nan, "high": math.nan, "undefined_because": "one item"},
            ".79, no interval (one item), n = 136 items, kappa",
        ),
        (
            {"value": math.nan, "low": math.nan, "high": math.nan, "undefined_because": "no items", "n": 0},
            "undefined (no items), n = 0 items, kappa",
        ),
    ],
)
def test_it_prints_as_the_line_for_a_paper(fields, line):
    usual = {"name": "kappa", "value": 0.79, "low": 0.69, "high": 0.9, "n": 136, "unit": "item", "method": "normal"}

    assert str(Estimate(**(usual | fields))) == line


def test_json_has_null_where_python_has_nan():
    estimate = Estimate("kappa", 1.0, math.nan, math.nan, 5, "item", "normal", "perfect agreement", n_clusters=3)

    row = json.loads(json.dumps(estimate.as_dict(), allow_nan=False))

    assert row["value"] == 1.0
    assert row["low"] is None
    assert row["undefined_because"] == "perfect agreement"
    assert row["warning"] is None
    assert set(row) == {
        "name", "value", "low", "high", "n", "unit", "method", "undefined_because", "se", "p", "confidence",
        "n_clusters", "warning",
    }  # fmt: skip


def test_missing_is_none_nan_nat_and_na():
    pandas = pytest.importorskip("pandas")

    for value in (None, math.nan, np.float64("nan"), np.datetime64("NaT"), pandas.NA, pandas.NaT):
        assert is_missing(value)
    for value in (0, "", False, "nan"):
        assert not is_missing(value)


def test_lists_arrays_and_series_are_coded_alike():
    pandas = pytest.importorskip("pandas")
    plain = ["b", None, "a"]

    for values in (plain, tuple(plain), np.array(plain, dtype=object), pandas.Series(plain),
                   pandas.Series(plain).astype("category")):  # fmt: skip
        codes, categories = encode(values, None, "a")

        assert codes.tolist() == [1, -1, 0]
        assert categories == ("a", "b")


def test_true_and_1_are_the_same_verdict():
    assert encode_pairs([True, 0.0], [1, False]).categories in {(False, True), (0, 1), (0.0, 1.0)}


def test_categories_that_cannot_be_compared_still_have_an_order():
    assert in_order({"b", 2, "a", 1}) == (1, 2, "a", "b")


def test_what_is_no_sequence_of_verdicts_is_refused():
    with pytest.raises(ValueError, match="a is a str; expected a sequence"):
        encode("abc", None, "a")
    with pytest.raises(ValueError, match="a is a set"):
        encode({"a", "b"}, None, "a")
    with pytest.raises(ValueError, match="cannot be compared"):
        encode([["a"], ["b"]], None, "a")
    with pytest.raises(ValueError, match="expected each of them once"):
        encode(["a"], ["a", "a"], "a")
    with pytest.raises(ValueError, match="expected two or more"):
        encode(["a"], ["a"], "a")
    with pytest.raises(ValueError, match=r"clusters has shape \(1,\); expected \(2,\)"):
        encode_clusters(["s"], 2)


def test_the_noise_of_rounding_prints_as_nothing_and_what_is_huge_by_its_power_of_ten():
    noise = Estimate("ICC(2,1)", -5.6e-17, -0.47, 0.74, 4, "item", "by hand")
    huge = Estimate("mean", 1e20, -3e300, 3e300, 10, "item", "normal")

    assert str(noise) == ".00 [-.47, .74], n = 4 items, ICC(2,1)"
    assert str(huge) == "1.00e+20 [-3.00e+300, 3.00e+300], n = 10 items, mean"


@pytest.mark.parametrize("field", ["name", "unit", "warning", "value", "low", "high"])
@pytest.mark.parametrize("odd", [["few"], 1j, {"few": "raters"}])
def test_a_field_of_another_kind_is_refused_by_its_name(field, odd):
    usual = {"name": "kappa", "value": 0.79, "low": 0.69, "high": 0.9, "n": 136, "unit": "item", "method": "normal"}

    with pytest.raises(ValueError, match=rf"^{field} is "):
        Estimate(**(usual | {field: odd}))


def test_a_warning_that_is_no_text_is_not_added():
    with pytest.raises(ValueError, match=r"^warning is 5; expected what to print beside the estimate, or None"):
        Estimate("kappa", 0.79, 0.69, 0.9, 136, "item", "normal").warned(5)


@pytest.mark.parametrize("unit", ["", " "])
def test_what_is_counted_has_a_name(unit: str) -> None:
    with pytest.raises(ValueError, match=r"^unit is '"):
        percent_agreement([1, 0], [1, 1], unit=unit)
