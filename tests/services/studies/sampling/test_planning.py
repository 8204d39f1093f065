"""What a source selects, how many are planned of each stratum, and what is refused with which sentence."""

from __future__ import annotations

import pytest

from protocol.language.expansion import Source
from services.studies.sampling.planning import Plan, plan
from services.studies.sampling.remarks import CannotDraw
from services.studies.sampling.units import Unit
from tests.services.studies.sampling.designs import source, units

TIERS = units([{"tier": tier, "model": model} for tier in ("1", "1", "1", "2", "3") for model in ("A", "B")])


def planned(result: Plan) -> dict[str, tuple[int, int | None]]:
    return {stratum.name: (stratum.available, stratum.planned) for stratum in result.strata}


def keys(result: Plan) -> list[str]:
    return [cluster.key for cluster in result.frame]


def reasons(pool: list[Unit], asked: Source, elsewhere: frozenset[str] = frozenset()) -> tuple[str, ...]:
    with pytest.raises(CannotDraw) as refusal:
        plan(pool, asked, elsewhere)
    return refusal.value.reasons


def test_where_selects_units_with_any_of_the_values_in_every_condition() -> None:
    result = plan(TIERS, source(where={"tier": ["2", "3"], "model": ["B"]}))

    assert keys(result) == ["u07", "u09"]


def test_practice_and_units_without_a_response_are_never_drawn() -> None:
    pool = [
        Unit("a", "s", "a", {}),
        Unit("b", "s", "b", {}, practice=True),
        Unit("c", "s", "c", {}, responded=False),
    ]

    assert keys(plan(pool, source())) == ["a"]
    assert keys(plan(pool, source(where={"practice": ["yes"]}))) == ["b"]
    assert keys(plan(pool, source(phase="practice"))) == ["a", "b"]


def test_without_a_sample_everything_that_is_selected_is_drawn() -> None:
    result = plan(TIERS, Source(phase=None, where=[], let_in=[], controls=0, sample=None))

    assert result.pool.wanted == [10]


def test_subjects_that_were_used_elsewhere_are_left_out_and_units_about_nobody_are_not() -> None:
    pool = [Unit("a", "s1", "a", {}), Unit("b", "s2", "b", {}), Unit("c", None, "c", {})]

    assert keys(plan(pool, source(), frozenset({"s1", ""}))) == ["b", "c"]


def test_shares_are_of_what_was_selected() -> None:
    assert plan(TIERS, source("50%", where={"model": ["A"]})).pool.wanted == [3]  # of 5, half up


def test_strata_are_sorted_numbers_by_size_and_combined_by_a_slash() -> None:
    pool = units([{"tier": tier, "site": site} for tier in ("10", "9", "") for site in ("y", "x")])

    result = plan(pool, source(strata=["tier", "site"]))

    names = ["9 / x", "9 / y", "10 / x", "10 / y", "(none) / x", "(none) / y"]
    assert [stratum.name for stratum in result.strata] == names


def test_strata_of_several_attributes_are_told_apart_by_their_values_and_not_by_their_names() -> None:
    pool = units([{"dose": "1 / 2", "site": "3"}, {"dose": "1", "site": "2 / 3"}])

    assert plan(pool, source(strata=["dose", "site"])).pool.wanted == [1, 1]


def test_sizes_per_stratum_take_numbers_shares_and_all() -> None:
    result = plan(TIERS, source(strata=["tier"], sizes={"1": "2", "2": "50%", "3": "all"}))

    assert planned(result) == {"1": (6, 2), "2": (2, 1), "3": (2, 2)}


def test_all_candidates_of_an_item_are_one_thing_to_draw() -> None:
    pool = units([{"item": item, "level": item} for item in "abc" for _ in range(3)])

    result = plan(pool, source("2", by_item=True))

    assert keys(result) == ["a", "b", "c"]
    assert [len(cluster.members) for cluster in result.frame] == [3, 3, 3]
    assert result.pool.wanted == [2]


def test_all_under_limits_is_as_many_as_the_limits_allow() -> None:
    pool = units([{"template": template, "tier": tier} for template, tier in zip("aabbc", "12121", strict=True)])

    result = plan(pool, source(strata=["tier"], at_most={"template": 1}))

    assert result.pool.wanted == [3]
    assert planned(result) == {"1": (3, None), "2": (2, None)}


REFUSED = {
    "an unknown attribute": (
        source(where={"teir": ["1"]}),
        (
            "from.where: no unit has the attribute 'teir' (nearest: 'tier'), expected 'item', 'model', 'practice', "
            "'subject' and 'tier'; correct the name."
        ),
    ),
    "a condition that no unit meets": (
        source(where={"tier": ["4", "5"]}),
        (
            "from.where: no unit has tier '4' or '5', expected '1', '2' or '3'; "
            "correct the values or remove the condition."
        ),
    ),
    "conditions that no unit meets together": (
        source(where={"subject": ["own-0"], "model": ["B"]}),
        (
            "from.where: no unit meets all conditions at once (subject is 'own-0'; model is 'B'), though each is met "
            "by some; remove a condition or widen it."
        ),
    ),
    "a sample larger than what was selected": (
        source("11"),
        "sample.size: 11 units are wanted, but only 10 can be drawn; write 10 or fewer, or add units.",
    ),
    "a share that is less than a unit": (
        source("1%"),
        "sample.size: 1 % of 10 units is less than a unit, expected at least one; write a larger share or a number.",
    ),
    "a size that its stratum does not have": (
        source(strata=["tier"], sizes={"1": "7", "2": "all", "3": "all"}),
        "sample.sizes: 7 units are wanted of stratum '1', but it has 6; write 6 or fewer, or add units.",
    ),
    "an equal share that a stratum does not have": (
        source("6", where={"tier": ["1", "2"]}, strata=["tier"], allocation="equal"),
        "sample.allocation: 3 units are wanted of stratum '2', but it has 2; write 2 or fewer, or add units.",
    ),
    "a size for a stratum that there is not": (
        source(strata=["tier"], sizes={"1": "1", "2": "1", "3": "1", "4": "1"}),
        "sample.sizes: there is no stratum '4' of 'tier', expected '1', '2' and '3'; correct the name or remove it.",
    ),
    "a stratum without a size": (
        source(strata=["tier"], sizes={"1": "1", "2": "1"}),
        "sample.sizes: stratum '3' of 'tier' has 2 units and no size; give it a number, a share, all, or 0 %.",
    ),
    "sizes of which none draws anything": (
        source(strata=["tier"], sizes={"1": "0%", "2": "0 %", "3": "0%"}),
        "sample.sizes: nothing is drawn of any stratum, expected at least one unit; correct it.",
    ),
    "a limit that cannot be kept": (
        source("4", at_most={"tier": 1}),
        (
            "sample.at_most: 4 units are wanted of the sample, but with at most 1 per tier the largest number that "
            "exists is 3; write 3 or fewer, or allow more."
        ),
    ),
    "a limit that cannot be kept in a stratum": (
        source(strata=["tier"], sizes={"1": "3", "2": "2", "3": "1"}, at_most={"model": 2}),
        (
            "sample.at_most: 6 units are wanted of the strata '1', '2' and '3' together, but with at most 2 per model "
            "the largest number that exists is 4, although each stratum alone has enough; "
            "write smaller sizes or allow more."
        ),
    ),
    "candidates of an item in several strata": (
        source("1", strata=["model"], by_item=True),
        (
            "sample.unit: candidates of an item are drawn together, but 'model' differs among those of item 'i0' "
            "('A' and 'B'); use an attribute of items, or remove unit."
        ),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_drawn_is_refused_with_its_sentence(case: str) -> None:
    asked, sentence = REFUSED[case]
    pool = [
        Unit(unit.key, unit.subject, f"i{place // 2}", unit.attributes, unit.practice, unit.responded)
        for place, unit in enumerate(TIERS)
    ]

    assert reasons(pool, asked) == (sentence,)


def test_each_stratum_that_limits_leave_too_small_is_named_with_the_largest_number_that_exists() -> None:
    pool = units([{"tier": tier, "template": f"{tier}{place % 2}"} for tier in "123" for place in range(4)])

    asked = source(strata=["tier"], sizes={"1": "3", "2": "2", "3": "4"}, at_most={"template": 1, "subject": 1})

    assert reasons(pool, asked) == (
        (
            "sample.at_most: 3 units are wanted of stratum '1', but with at most 1 per template and 1 per subject the "
            "largest number that exists is 2; write 2 or fewer, or allow more."
        ),
        (
            "sample.at_most: 4 units are wanted of stratum '3', but with at most 1 per template and 1 per subject the "
            "largest number that exists is 2; write 2 or fewer, or allow more."
        ),
    )


def test_all_reasons_come_at_once() -> None:
    asked = source(where={"model": ["C"], "site": ["x"]}, strata=["level"], sizes={"1": "2"}, at_most={"templates": 1})

    said = reasons(TIERS, asked)

    assert [reason.split(":")[0] for reason in said] == ["from.where", "from.where", "sample.strata", "sample.at_most"]


def test_sizes_that_are_too_large_missing_and_unknown_are_said_together() -> None:
    asked = source(strata=["tier"], sizes={"1": "9", "2": "1", "5": "1"})

    assert len(reasons(TIERS, asked)) == 3


def test_nothing_is_left_where_all_subjects_were_used_elsewhere() -> None:
    pool = [Unit("a", "s1", "a", {}), Unit("b", "s2", "b", {})]

    assert reasons(pool, source("1"), frozenset({"s1", "s2"})) == (
        (
            "sample.not_in: all 2 selected units are about subjects that were used elsewhere; add units of other "
            "subjects, or remove a name from not_in."
        ),
    )


def test_no_units_at_all_are_refused() -> None:
    assert reasons([], source("1"))[0].startswith("from: none of 0 units can be drawn")


def test_two_units_of_one_key_are_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="1 units have the key of another"):
        plan([Unit("a", None, "a", {}), Unit("a", None, "a", {})], source())


def test_a_stratum_with_a_single_unit_one_without_a_place_and_a_value_that_nothing_has_are_noted() -> None:
    pool = units([{"tier": tier} for tier in "11111111112"])

    result = plan(pool, source("2", strata=["tier"], where={"tier": ["1", "2", "3"]}))

    assert result.notes == (
        "No unit has tier '3', which from.where names.",
        "Stratum '2' with a single unit: no variance can be estimated within it.",
        "Nothing is drawn of stratum '2': weighted estimates speak for the other strata only.",
    )


def test_units_without_a_value_are_under_no_limit_and_that_is_noted() -> None:
    pool = units([{"template": template} for template in ("a", "a", "", "")])

    result = plan(pool, source("3", at_most={"template": 1}))

    assert result.notes == ("2 units without a template: sample.at_most does not limit what has no template.",)
