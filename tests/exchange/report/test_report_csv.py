"""Cells of CSV files: harmless in a spreadsheet, and exactly what was stored once the apostrophe is taken off."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.report.report_csv import number_below_zero, written

CALLED_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2", "@SUM(A1)", "\t=1", "'quoted", "\r=1", "＝1"])
def test_a_text_that_could_act_gets_one_apostrophe(text: str) -> None:
    assert written(text) == f"'{text}"


@pytest.mark.parametrize("text", ["left", "3 mm", "a=b", "", "1-2"])
def test_other_texts_are_written_as_they_are(text: str) -> None:
    assert written(text) == text


@given(st.text())
def test_no_text_acts_and_every_text_comes_back(text: str) -> None:
    cell = str(written(text))

    assert not cell.startswith(CALLED_FORMULAS)
    assert (cell[1:] if cell.startswith("'") else cell) == text


def test_numbers_stay_numbers_and_undefined_ones_are_empty() -> None:
    assert written(-0.25) == -0.25
    assert written(3) == 3
    assert written(True) == 1
    assert written(None) == ""
    assert written(math.nan) == ""


@pytest.mark.parametrize("text", ["-2", "-0.07", "-12.5", "-1.50", "-0", f"-{'9' * 5_000}", f"-0.{'3' * 5_000}"])
def test_a_number_below_0_that_is_stored_as_text_is_written_as_the_number(text: str) -> None:
    assert str(written(number_below_zero(text))) == text


@pytest.mark.parametrize(
    "text", [" -1.5", "-", "--1", "-1+1", "-1e5", "-007", "-0", "-1.50", "-1|2", "-A1", "-２", "-2\n", "2", ""]
)
def test_any_other_text_is_no_number_below_0(text: str) -> None:
    assert number_below_zero(text) == text
    assert number_below_zero(None) is None


@pytest.mark.parametrize("text", ["-1|2", "-A1", "-２", "-007", "-1+1"])
def test_what_only_begins_like_a_number_below_0_is_protected(text: str) -> None:
    assert written(number_below_zero(text)) == f"'{text}"
