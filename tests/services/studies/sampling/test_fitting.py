"""What is drawn of what was let in: as planned where there is enough, else as much as there is, with a note."""

from __future__ import annotations

import random

import pytest

from protocol.language.expansion import Limit, Sample, Source, StratumSize
from services.studies.sampling.fitting import draw_what_fits, with_controls
from services.studies.sampling.units import Unit

UNITS = [Unit(f"i{n}", f"s{n}", f"i{n}", {"site": "ab"[n % 3 == 0]}) for n in range(9)]  # six of a, three of b


def source(sample: Sample | None) -> Source:
    return Source(phase="read", where=[], let_in=[], controls=0, sample=sample)


def sample(
    size: str, *, strata: tuple[str, ...] = (), allocation: str = "proportional", most: int = 0, **sizes: str
) -> Sample:
    return Sample(
        size="by_stratum" if sizes else size,
        strata=list(strata),
        allocation="by_stratum" if sizes else allocation,
        sizes=[StratumSize(stratum=name, size=written) for name, written in sizes.items()],
        at_most=[Limit(attribute="site", most=most)] if most else [],
        not_in=[],
        keeps_items_together=False,
    )


@pytest.mark.parametrize(
    ("drawn_by", "sizes", "noted"),
    [
        (None, {"all": 9}, ""),
        (sample("4"), {"all": 4}, ""),
        (sample("5%"), {"all": 1}, ""),
        (sample("12"), {"all": 9}, "9 were let in, fewer than the 12 that were planned."),
        (sample("6", strata=("site",), allocation="equal"), {"a": 3, "b": 3}, ""),
        (sample("8", strata=("site",), allocation="equal"), {"a": 5, "b": 3}, ""),
        (
            sample("", strata=("site",), a="2", b="7"),
            {"a": 2, "b": 3},
            "Fewer were let in than planned",
        ),
        (sample("", strata=("site",), a="all", c="2"), {"a": 6}, "Fewer were let in than planned"),
        (sample("6", most=2), {"all": 4}, "Fewer were drawn than planned"),
    ],
)
def test_as_much_is_drawn_as_was_planned_or_as_there_is(
    drawn_by: Sample | None, sizes: dict[str, int], noted: str
) -> None:
    drawn = draw_what_fits(UNITS, source(drawn_by), random.Random(1))

    counts = {row.stratum: 0 for row in drawn.units}
    for row in drawn.units:
        counts[row.stratum] += 1
    assert counts == sizes
    assert any(note.startswith(noted) for note in drawn.notes) if noted else not drawn.notes


def test_chances_are_those_among_what_was_let_in() -> None:
    drawn = draw_what_fits(UNITS, source(sample("3")), random.Random(1))

    assert {row.inclusion.probability for row in drawn.units} == {3 / 9}


def test_of_nothing_nothing_is_drawn_and_no_control_beside_it() -> None:
    drawn = draw_what_fits([], source(sample("3")), random.Random(1))

    assert with_controls(drawn, UNITS, 3, random.Random(1)).units == ()
    assert drawn.notes == ("Nothing was let in.",)


def test_controls_are_drawn_from_the_others_with_their_own_chance() -> None:
    let_in = draw_what_fits(UNITS[:2], source(None), random.Random(1))

    drawn = with_controls(let_in, UNITS[2:], 3, random.Random(1))
    all_there_is = with_controls(let_in, UNITS[2:4], 3, random.Random(1))

    assert sorted((row.stratum, row.inclusion.probability) for row in drawn.units) == [
        ("all", 1.0), ("all", 1.0), ("controls", 3 / 7), ("controls", 3 / 7), ("controls", 3 / 7),
    ]  # fmt: skip
    assert all_there_is.notes == ("Only 2 were left as controls, of 3 planned.",)


def test_a_turn_of_a_conversation_is_no_control() -> None:
    let_in = draw_what_fits(UNITS[:2], source(None), random.Random(1))
    turn = Unit("t1", "s1", "t1", {"conversation": "talk"})

    assert len(with_controls(let_in, [turn], 3, random.Random(1)).units) == 2
