"""What the methods of a report mean is said once, behind the first section that uses them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import get_args

import pytest

from agreement import Estimate, accuracy, cohen_kappa, fleiss_kappa, icc, paired_difference
from agreement.words import Term
from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow, Party
from exchange.report.method_words import EXPLAINED, SOURCES, with_methods_explained
from exchange.report.report_structure import EstimateTable, Section

RATINGS = [[n % 3, (n + (n % 7 == 0)) % 3, (n + (n % 5 == 0)) % 3] for n in range(40)]
FIRST, SECOND, _ = zip(*RATINGS, strict=True)
SUBJECTS = [n // 2 for n in range(40)]


def sections_of(estimates: Sequence[Sequence[Estimate]]) -> list[Section]:
    """Return sections with a table of these estimates each."""
    numbers = count()
    return [
        Section(
            key=f"s{next(numbers)}",
            short_title="S",
            title="Section",
            explanation=(),
            tables=(
                EstimateTable(
                    key="t",
                    title="Table",
                    explanation="",
                    rows=tuple(
                        EstimateRow("accuracy", "reference", (Party("rater", "Rater 1"),), ALL_ITEMS, estimate)
                        for estimate in own
                    ),
                ),
            ),
            method=("As planned.",),
        )
        for own in estimates
    ]


def test_a_term_is_explained_where_it_is_first_and_not_again() -> None:
    share = accuracy([1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 1]).primary
    kappa = cohen_kappa(FIRST, SECOND, clusters=SUBJECTS)

    none, first, second = with_methods_explained(sections_of([[], [share], [share, kappa]]))

    assert none.method == ("As planned.",)
    assert first.method == ("As planned.", EXPLAINED["Wilson"], SOURCES)
    assert second.method[0] == "As planned." and EXPLAINED["effective number"] in second.method
    assert not {EXPLAINED["Wilson"], SOURCES} & {*second.method}


ESTIMATES: dict[Term, Estimate] = {
    "Wilson": accuracy(FIRST, SECOND).primary,
    "effective number": accuracy(FIRST, SECOND, clusters=SUBJECTS).primary,
    "bootstrap": paired_difference([1, 0, 1], [0, 1, 0], resamples=200, seed=1),
    "two items added": cohen_kappa(FIRST, SECOND),
    "degrees of freedom": cohen_kappa(FIRST, SECOND),
    "fixed": fleiss_kappa(RATINGS),
    "random": icc(RATINGS, model=2),
}


def test_every_term_that_a_method_can_speak_of_is_explained() -> None:
    assert set(EXPLAINED) == set(get_args(Term))


@pytest.mark.parametrize("term", ESTIMATES)
def test_what_is_explained_is_said_by_the_statistics(term: Term) -> None:
    saying = [part.text for part in ESTIMATES[term].made if term in part.terms]

    assert saying and all(term in text for text in saying)
