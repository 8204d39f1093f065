"""What candidates say of themselves is found by hashes as it is by texts."""

from __future__ import annotations

import tracemalloc

import pytest

from services.judging.clue_columns import ClueColumn, KeyTexts, hashes_of

SAID = [["yes"], [], ["no", "No finding"], ["yes", "no"], [], ["ü’s  answer"]]


def column_of(said: list[list[str]], *, may_be_silent: bool = False) -> ClueColumn:
    column = ClueColumn(may_be_silent=may_be_silent)
    for row, texts in enumerate(said):
        if texts:
            column.add(row, hashes_of(texts))
    column.end(len(said))
    return column


def test_rows_that_say_any_of_what_is_asked_for_are_found() -> None:
    column = column_of(SAID)

    assert column.rows(hashes_of(["yes"])) == [0, 3]
    assert column.rows(hashes_of(["no", "yes"])) == [0, 2, 3]
    assert column.rows(hashes_of(["maybe"])) == []


def test_a_row_fits_where_it_is_found() -> None:
    for may_be_silent in (False, True):
        column = column_of(SAID, may_be_silent=may_be_silent)
        for asked in map(hashes_of, (["yes"], ["no", "No finding"], ["maybe"])):
            fitting = column.fitting(range(len(SAID)), asked)
            assert column.rows(asked) == fitting and column.count(asked) >= len(fitting)


def test_silence_fits_everything_where_it_may() -> None:
    assert column_of(SAID, may_be_silent=True).rows(hashes_of(["yes"])) == [0, 1, 3, 4]


def test_spaces_and_another_spelling_of_the_same_letters_are_no_other_text() -> None:
    assert column_of(SAID).rows(hashes_of([" u\u0308’s answer\n"])) == [5]


def test_rows_that_all_say_nothing_are_no_rows_that_say_something() -> None:
    column = column_of([[], []])

    assert column.rows(hashes_of(["yes"])) == [] and column.said(1).tolist() == []


ONE_EACH = [["yes"], ["no"], ["yes"], ["maybe"]]


@pytest.mark.parametrize(
    "said",
    [
        ONE_EACH,
        [*ONE_EACH, ["no", "yes"], ["yes"]],
        [*ONE_EACH, [], ["yes"]],
        [[], *ONE_EACH],
        [*ONE_EACH, []],
        [],
    ],
)
def test_what_rows_say_is_found_where_each_says_one_thing_and_where_one_does_not(said: list[list[str]]) -> None:
    column = column_of(said)

    assert [frozenset(column.said(row)) for row in range(len(said))] == [hashes_of(texts) for texts in said]
    yes = [row for row, texts in enumerate(said) if "yes" in texts]
    assert column.rows(hashes_of(["yes"])) == column.fitting(range(len(said)), hashes_of(["yes"])) == yes
    assert column.count(hashes_of(["yes"])) == len(yes)


def test_a_column_in_which_each_row_says_one_thing_takes_eight_bytes_for_each() -> None:
    number = 8_000
    tracemalloc.start()
    try:
        column = ClueColumn()
        for row in range(number):
            column.add(row, (row,))
        column.end(number)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert column.rows(frozenset({7, number})) == [7]
    assert held / number < 10


def test_keys_are_what_they_were() -> None:
    keys = KeyTexts()
    for key in ("k1", "", "ü’🙂", "k1"):
        keys.add(key)

    assert [keys[number] for number in range(len(keys))] == ["k1", "", "ü’🙂", "k1"]
