"""A sentence that refuses names the argument that is wrong, not another that is read together with it."""

import pytest

from agreement import alt_test, classification_scores, macro_auc, prediction_powered_mean, prediction_powered_regression

HUMAN, REST = [1, 0, 1, 1], [1, 0, 0, 1, 1]
SCORES = [[1, 2], [2, 1], [1, 3]]
READS = [[1, 2, 1], [2, 2, 1], [1, 1, 1]]


def powered(**given):
    return prediction_powered_mean(HUMAN, HUMAN, REST, **given)


def regression(**given):
    return prediction_powered_regression(HUMAN, HUMAN, range(4), REST, range(5), model="linear", **given)


@pytest.mark.parametrize("of", ["clusters", "strata"])
@pytest.mark.parametrize(
    ("unlabelled", "sentence"),
    [
        (["a", None, "b", "b", "a"], "unlabelled_{} has no value at position 1; expected every item to belong to one"),
        (["a", ["b"], "b", "b", "a"], "unlabelled_{} holds a value that cannot be compared"),
        ([1, "a", "b", "1", "a"], "unlabelled_{} holds the text '1' and unlabelled_{} the number 1"),
    ],
)
def test_groups_of_the_unlabelled_are_refused_by_their_own_name(of, unlabelled, sentence):
    with pytest.raises(ValueError) as refused:
        powered(**{of: ["a", "a", "b", "b"], f"unlabelled_{of}": unlabelled})

    assert str(refused.value).startswith(sentence.format(of, of))


def test_a_group_written_as_text_among_the_labelled_and_as_a_number_among_the_others_is_refused_with_both_names():
    with pytest.raises(ValueError, match=r"^unlabelled_strata holds numbers and strata text; expected both"):
        powered(strata=["1", "1", "2", "2"], unlabelled_strata=[1, 2, 2, 1, 1])


def test_groups_of_the_labelled_keep_their_name():
    with pytest.raises(ValueError, match=r"^clusters has no value at position 3"):
        regression(clusters=["a", "a", "b", None], unlabelled_clusters=["a", "a", "b", "b", "b"])


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        (["a", "a"], "classes is .*; expected each of them once"),
        (["a", None], "classes is .*; expected none of them missing"),
        (["a"], "classes is .*; expected two or more"),
        ("ab", "classes is 'ab'; expected a sequence of classes"),
    ],
)
def test_classes_are_refused_as_classes(classes, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        macro_auc(SCORES, ["a", "b", "a"], classes=classes)
    with pytest.raises(ValueError, match=f"^{sentence}"):
        classification_scores(["a", "b", "a"], ["a", "b", "b"], classes=classes)


def test_a_reference_outside_the_classes_is_told_the_classes():
    with pytest.raises(ValueError, match=r"^reference holds 'c'; expected one of the classes \('a', 'b'\)"):
        macro_auc(SCORES, ["a", "b", "c"], classes=["a", "b"])


@pytest.mark.parametrize(
    ("judge", "categories", "sentence"),
    [
        ([[1], [2], [1]], None, "judge holds a value that cannot be compared"),
        ([1, 2, 9], [1, 2], "judge holds 9; expected one of the categories"),
    ],
)
def test_a_judge_is_refused_by_its_own_name(judge, categories, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        alt_test(READS, judge, categories=categories)


def test_humans_keep_their_name():
    with pytest.raises(ValueError, match=r"^humans holds 3; expected one of the categories"):
        alt_test([*READS, [3, 1, 1]], [1, 2, 1, 1], categories=[1, 2])
