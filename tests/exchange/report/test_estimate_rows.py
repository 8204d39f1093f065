"""The tables about the report's statistics name the same ones, so that none is left without a scale or a name."""

from __future__ import annotations

from typing import get_args

from exchange.report.statistic_names import SCALES, Compared, Statistic
from exchange.report.statistic_words import WORDS


def test_every_statistic_has_a_scale() -> None:
    assert set(SCALES) == set(get_args(Statistic))


def test_every_statistic_is_worded() -> None:
    assert {statistic for statistic, _ in WORDS} == set(get_args(Statistic))


def test_everything_that_is_compared_is_worded() -> None:
    assert {compared for _, compared in WORDS} == set(get_args(Compared))
