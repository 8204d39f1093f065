"""Sets of options: each option, the exact set and Jaccard's index, between raters and against the reference."""

import json
import math
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

from agreement import cohen_kappa, jaccard, set_accuracy, set_agreement, wilson_interval
from agreement.pairwise import mean_over_pairs
from protocol.fields.kind import Reference
from protocol.fields.several import KIND

OPTIONS = ["edema", "haemorrhage", "infarct", "mass"]


def drawn(rng, items, raters):
    table = rng.random((items, raters, len(OPTIONS))) < 0.4
    return table, [[{o for o, held in zip(OPTIONS, cell, strict=True) if held} for cell in row] for row in table]


def test_jaccards_index_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    table, sets = drawn(rng, 60, 2)
    for row, (first, second) in zip(table, sets, strict=True):
        if first | second:
            assert jaccard(first, second) == pytest.approx(jaccard_score(row[0], row[1]))
    assert jaccard([], set()) == 1.0
    assert jaccard(["a", "a"], ("a",)) == 1.0


def test_agreement_of_three_raters_by_a_plain_loop():
    table, sets = drawn(np.random.default_rng(2), 40, 3)

    result = set_agreement(sets, OPTIONS, resamples=100)

    exact, common = [], []
    for row in sets:
        pairs = list(combinations(row, 2))
        exact.append(np.mean([x == y for x, y in pairs]))
        common.append(np.mean([len(x & y) / len(x | y) if x | y else 1 for x, y in pairs]))
    assert result.exact.value == pytest.approx(np.mean(exact))
    assert result.jaccard.value == pytest.approx(np.mean(common))
    for column, option in enumerate(result.options):
        held = table[:, :, column]
        assert option.option == OPTIONS[column]
        assert option.chosen == pytest.approx(held.mean())
        assert option.percent.value == pytest.approx(
            np.mean([held[:, j] == held[:, k] for j in range(3) for k in range(j)])
        )


def test_of_two_raters_the_kappa_of_an_option_is_cohens():
    table, sets = drawn(np.random.default_rng(3), 50, 2)

    result = set_agreement(sets, OPTIONS, resamples=50)

    for column, option in enumerate(result.options):
        assert option.kappa.value == pytest.approx(cohen_kappa(table[:, 0, column], table[:, 1, column]).value)


def test_missing_answers_are_left_out_and_empty_sets_are_answers():
    result = set_agreement([[{"a"}, None, {"a"}], [set(), set(), None], [{"b"}, None, None]], resamples=50)

    assert result.exact.value == 1.0
    assert result.exact.n == 2
    assert "1 without two raters left out" in result.exact.method
    assert [option.option for option in result.options] == ["a", "b"]


def test_an_option_that_nobody_chose_has_no_kappa_but_full_agreement():
    (option,) = set_agreement([[{"a"}, {"a"}], [{"a"}, {"a"}]], ["a"], resamples=20).options

    assert option.percent.value == 1.0
    assert math.isnan(option.kappa.value)


def test_without_a_rating_the_share_of_an_option_has_the_reason_in_place_of_a_value():
    (nobody,) = set_agreement([[None, None]], ["a"], resamples=20).options
    (somebody,) = set_agreement([[{"a"}, None]], ["a"], resamples=20).options

    assert math.isnan(nobody.chosen) and nobody.undefined_because == "no ratings"
    assert (somebody.chosen, somebody.undefined_because) == (1.0, None)


def test_accuracy_is_what_the_field_scores_item_by_item():
    rng = np.random.default_rng(4)
    _, sets = drawn(rng, 60, 2)
    answers, reference = [row[0] for row in sets], [row[1] or {"mass"} for row in sets]

    result = set_accuracy(answers, reference, OPTIONS, resamples=100)

    marks = [
        KIND.score(sorted(a), Reference(accepted=sorted(r)), OPTIONS) for a, r in zip(answers, reference, strict=True)
    ]
    assert result.exact.value == pytest.approx(np.mean([mark.correct for mark in marks]))
    assert result.share.value == pytest.approx(np.mean([mark.share for mark in marks]))
    exact = wilson_interval(sum(mark.correct for mark in marks), 60)
    assert (result.exact.low, result.exact.high) == (exact.low, exact.high)


def test_accuracy_option_by_option():
    result = set_accuracy([["a"], ["a", "b"], None], [["a"], ["b"], ["a"]], resamples=50)

    assert {option: right.value for option, right in result.options.items()} == {"a": 0.5, "b": 1.0}
    assert result.exact.n == 2
    assert "1 without an answer or a reference left out" in result.exact.method


def test_sets_read_from_json_are_taken_as_they_are():
    answers = [json.loads(text) for text in ('["a", "b"]', "[]")]

    assert set_accuracy(answers, [["b", "a"], ["a"]], resamples=50).exact.value == 0.5


def test_what_is_no_set_or_not_declared_is_refused():
    with pytest.raises(ValueError, match="ratings holds 'edema'; expected a set"):
        set_agreement([["edema", {"mass"}]])
    with pytest.raises(ValueError, match="ratings holds 'mass'; expected one of the options"):
        set_agreement([[{"edema"}, {"mass"}]], ["edema"])
    with pytest.raises(ValueError, match="expected the same items"):
        set_accuracy([{"a"}], [])


def test_clusters_resample_subjects():
    _, sets = drawn(np.random.default_rng(5), 12, 2)
    repeated = [row for row in sets for _ in range(6)]

    alone = set_agreement(repeated, resamples=500)
    clustered = set_agreement(repeated, clusters=[i // 6 for i in range(72)], resamples=500)

    assert clustered.jaccard.n_clusters == 12
    assert clustered.jaccard.se > 1.8 * alone.jaccard.se
    assert clustered.options[0].kappa.n_clusters == 12


def test_any_measure_of_two_answers_has_a_mean_over_pairs():
    result = mean_over_pairs([[1, 4], [2, 2], [None, 1]], lambda x, y: abs(x - y), resamples=200, unit="case")

    assert result.value == 1.5
    assert result.n == 2
    assert result.unit == "case"
