"""Bang's and James' blinding indices: published counts, fractions by hand, and what must not change them."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from agreement import bang_blinding_index, james_blinding_index

SOURCES = ("drug", "placebo")
# The trial of Bang, Ni and Davis (2004): guessed drug, placebo, cannot tell, of the treated and of the others.
TRIAL = {"drug": (82, 25, 170), "placebo": (27, 29, 83)}
OPTIONS = {"sources": SOURCES, "resamples": 500}


def of_counts(counts: dict[str, tuple[int, int, int]]) -> tuple[list[str], list[str]]:
    source = [arm for arm, own in counts.items() for _ in range(sum(own))]
    said = [guess for own in counts.values() for guess, n in zip((*SOURCES, "?"), own, strict=True) for _ in range(n)]
    return source, said


def test_the_indices_of_a_published_trial() -> None:
    source, guess = of_counts(TRIAL)

    assert bang_blinding_index(source, guess, "drug", **OPTIONS).value == pytest.approx(57 / 277)
    assert bang_blinding_index(source, guess, "placebo", **OPTIONS).value == pytest.approx(2 / 139)
    # As the package BI of R prints it.
    assert james_blinding_index(source, guess, **OPTIONS).value == pytest.approx(0.7479, abs=5e-5)


def test_james_index_by_hand() -> None:
    source, guess = of_counts({"drug": (3, 1, 2), "placebo": (2, 2, 0)})
    # Of 8 who guess 3 are wrong; expected 4/8 x 3/8 + 4/8 x 5/8; 2 of 10 cannot tell.
    beyond = (Fraction(3, 8) - Fraction(1, 2)) / Fraction(1, 2)
    by_hand = (1 + Fraction(1, 5) + Fraction(4, 5) * beyond) / 2

    assert james_blinding_index(source, guess, **OPTIONS).value == pytest.approx(float(by_hand))


@pytest.mark.parametrize(
    ("guess", "james", "bang"),
    [(["drug", "placebo"] * 6, 0.0, 1.0), (["placebo", "drug"] * 6, 1.0, -1.0), (["?", "?"] * 6, 1.0, 0.0)],
)
def test_the_ends_of_both_scales(guess: list[str], james: float, bang: float) -> None:
    source = ["drug", "placebo"] * 6

    assert james_blinding_index(source, guess, **OPTIONS).value == james
    assert bang_blinding_index(source, guess, "drug", **OPTIONS).value == bang


def test_all_units_of_one_source_say_nothing_of_chance() -> None:
    estimate = james_blinding_index(["drug"] * 4, ["drug", "placebo", "?", "drug"], **OPTIONS)

    assert estimate.value != estimate.value and "one source" in str(estimate.undefined_because)


def test_what_was_not_guessed_is_in_no_n_and_clusters_are_resampled_whole() -> None:
    source, guess = ["drug", "drug", "placebo", "placebo", "drug"], ["drug", None, "drug", "placebo", "placebo"]
    estimate = bang_blinding_index(source, guess, "drug", clusters=["a", "a", "b", "b", "c"], **OPTIONS)

    assert (estimate.n, estimate.n_clusters, estimate.value) == (2, 2, 0.0)


def test_a_source_that_is_missing_in_a_column_of_pandas_is_left_out() -> None:
    source, guess = of_counts(TRIAL)
    held = bang_blinding_index(pd.Series([*source, None], dtype="string"), [*guess, "drug"], "drug", **OPTIONS)

    assert held == bang_blinding_index(source, guess, "drug", **OPTIONS)


def test_a_source_that_is_none_of_the_two_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of"):
        james_blinding_index(["drug", "other"], ["drug", "drug"], **OPTIONS)
    with pytest.raises(ValueError, match="expected two"):
        james_blinding_index(["drug"], ["drug"], sources=("drug",))
