"""Neural-MedBench: table 2 and appendix F, recomputed from the printed counts."""

import pytest

from agreement import cohen_kappa_of_table, wilson_interval
from tests.agreement.papers.printing import percent, printed

TASKS = (30, 30, 60, 60, 200, 200)  # direct diagnosis, complex diseases, dialogue: pass@1 and pass@5 of each

TABLE_2 = {
    "GPT-4o": ((6, 11, 5, 24, 17, 33), (20.0, 36.7, 8.3, 40.0, 8.5, 16.5)),
    "Gemini 2.5-Flash": ((8, 14, 8, 21, 21, 37), (26.7, 46.7, 13.3, 35.0, 10.5, 18.5)),
    "Gemini 2.0-Flash": ((6, 9, 7, 14, 18, 32), (20.0, 30.0, 11.7, 23.3, 9.0, 16.0)),
    "Claude 3.7": ((5, 8, 5, 19, 15, 24), (16.7, 26.7, 8.3, 31.7, 7.5, 12.0)),
    "Claude 3.5": ((2, 5, 5, 11, 14, 21), (6.7, 16.7, 8.3, 18.3, 7.0, 10.5)),
    "Qwen-VL-2.5": ((3, 9, 3, 13, 8, 20), (10.0, 30.0, 5.0, 21.7, 4.0, 10.0)),
    "Doubao-1.5": ((2, 12, 6, 8, 11, 23), (6.7, 40.0, 10.0, 13.3, 5.5, 11.5)),
    "LLaVA-Med": ((3, 5, 6, 17, 12, 26), (10.0, 16.7, 10.0, 28.3, 6.0, 13.0)),
    "MedGemma-27B": ((9, 11, 11, 23, 21, 31), (30.0, 36.7, 18.3, 38.3, 10.5, 15.5)),
    "RadFM": ((0, 6, 2, 8, 5, 12), (0.0, 20.0, 3.3, 13.3, 2.5, 6.0)),
    "Med-Flamingo": ((0, 5, 2, 6, 3, 20), (0.0, 16.7, 3.3, 10.0, 1.5, 10.0)),
    "HuatuoGPT": ((3, 6, 3, 8, 6, 14), (10.0, 20.0, 5.0, 13.3, 3.0, 7.0)),
}


@pytest.mark.parametrize("model", TABLE_2)
def test_table_2_pass_at_1_and_5(model):
    counts, shares = TABLE_2[model]

    assert tuple(percent(wilson_interval(x, n).value) for x, n in zip(counts, TASKS, strict=True)) == shares


@pytest.mark.parametrize(
    ("who", "x", "n", "share"),
    [
        ("Claude 4.0, direct pass@1", 5, 30, 16.7),
        ("Claude 4.0, direct pass@5", 13, 30, 43.3),
        ("Claude 4.0, complex pass@1", 8, 60, 13.3),
        ("Claude 4.0, dialogue pass@1", 13, 200, 6.5),
        ("Claude 4.0, dialogue pass@5", 36, 200, 18.0),
        ("medical student, direct", 1, 30, 3.3),
        ("medical student, complex", 2, 60, 3.3),
        ("medical student, dialogue", 12, 200, 6.0),
        ("senior physician, direct", 12, 30, 40.0),
        ("senior physician, dialogue", 30, 200, 15.0),
    ],
)
def test_table_2_other_cells(who, x, n, share):
    assert percent(wilson_interval(x, n).value) == share, who


@pytest.mark.parametrize(
    ("where", "x", "n", "digits", "from_counts", "on_paper"),
    [
        ("table 2: Claude 4.0, complex pass@5", 19, 60, 1, 31.7, 31.6),
        ("table 2: senior physician, complex", 21, 60, 1, 35.0, 35.5),
        ("table 3: GPT-4o, all tasks of table 2", 6 + 5 + 17, 30 + 60 + 200, 2, 9.66, 9.67),
    ],
)
def test_percentages_that_do_not_follow_from_the_counts_beside_them(where, x, n, digits, from_counts, on_paper):
    result = percent(wilson_interval(x, n).value, digits)

    assert result == from_counts, where
    assert result != on_paper, where


@pytest.mark.parametrize(
    ("agreed", "kappa", "table"),
    [
        (88, 0.81, [[45, 6, 0, 0], [6, 21, 0, 0], [0, 0, 13, 0], [0, 0, 0, 9]]),
        (89, 0.83, [[46, 4, 1, 0], [5, 22, 0, 0], [0, 1, 12, 0], [0, 0, 0, 9]]),
    ],
)
def test_appendix_f_kappa_of_82_is_not_reached_with_the_shares_after_consensus(agreed, kappa, table):
    # Constructed: 51, 27, 13 and 9 of 100 for both raters. Kappa then depends on the number of agreements alone, and no
    # whole number gives .82: the two raters' own shares, before the consensus, were others.
    assert sum(table[i][i] for i in range(4)) == agreed
    assert [sum(row) for row in table] == [sum(column) for column in zip(*table, strict=True)] == [51, 27, 13, 9]
    assert printed(cohen_kappa_of_table(table).value, 2) == kappa


@pytest.mark.parametrize(("failures", "share"), [(51, 51), (27, 27), (13, 13), (9, 9)])
def test_appendix_f_error_types_of_100_responses(failures, share):
    assert percent(wilson_interval(failures, 100).value, 0) == share
