"""Whatever holds the verdicts, a list, an array or a column, the estimate is the same."""

import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agreement
from agreement.codebook import distinct_entries, distinct_numbers, distinct_texts, without_unused_width
from agreement.coding import encode, encode_pairs
from agreement.interval_kinds import Interval

TEXTS = (["yes", "no", "", "yes", "unclear", "no"], ["yes", "no", "no", "yes", "no", "no"])
NUMBERS = ([3, 1, 2, 3, 1, 1], [3, 2, 2, 3, 1, 2])
CONTAINERS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "tuple": tuple,
    "array of objects": lambda values: np.array(values, dtype=object),
    "array": np.array,
    "array that skips every second place": lambda values: np.repeat(np.array(values), 2)[::2],
    "array of the other byte order": lambda values: np.array(values).astype(np.array(values).dtype.newbyteorder()),
    "series": lambda values: pd.Series(values, index=range(9, 9 - len(values), -1)),
    "categorical series": lambda values: pd.Series(values, dtype="category"),
    "categorical": pd.Categorical,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("verdicts", [TEXTS, NUMBERS], ids=["texts", "numbers"])
def test_the_container_does_not_matter(container: str, verdicts: tuple[list[Any], list[Any]]) -> None:
    a, b = verdicts
    held = CONTAINERS[container]
    assert agreement.cohen_kappa(held(a), held(b)) == agreement.cohen_kappa(a, b)
    assert agreement.cohen_kappa(held(a), b) == agreement.cohen_kappa(a, b)


@pytest.mark.parametrize(
    "missing",
    [
        [1.0, None, 2.0],
        [1, math.nan, 2],
        np.array([1.0, np.nan, 2.0]),
        pd.Series([1, None, 2]),
        pd.Series([1, pd.NA, 2], dtype="Int64"),
        np.array([1, pd.NaT, 2], dtype=object),
    ],
    ids=["None", "NaN", "array", "series", "nullable series", "NaT"],
)
def test_a_missing_verdict_is_missing_in_every_container(missing: Any) -> None:
    codes, levels = encode(missing, None, "a")
    assert codes.tolist() == [0, -1, 1]
    assert levels == (1, 2)


def test_the_first_undeclared_verdict_is_named() -> None:
    with pytest.raises(ValueError, match=r"^b holds 'later'; expected one of the categories \('no', 'yes'\)$"):
        encode_pairs(["no", "no", "no"], ["no", "later", "never"], ["no", "yes"])


def test_more_categories_than_a_byte_holds_keep_apart() -> None:
    names = [f"finding {number}" for number in range(300)]
    codes, levels = encode([*names, None, names[-1]], names, "a")
    assert codes.tolist() == [*range(300), -1, 299]
    assert levels == tuple(names)


@given(st.lists(st.text(st.sampled_from("abé漢"), max_size=3), max_size=30))
def test_texts_of_fixed_width_are_told_apart_as_in_a_list(texts: list[str]) -> None:
    entries, which = distinct_texts(np.array(texts, dtype=np.str_))
    assert [entries[code] for code in which] == texts
    assert len(entries) == len(set(texts))


@given(st.lists(st.integers(-3, 70_000) | st.just(None) | st.floats(-2, 9), max_size=30))
def test_numbers_of_an_array_are_told_apart_as_in_a_list(numbers: list[float | None]) -> None:
    array = np.array([math.nan if number is None else number for number in numbers], dtype=np.float64)
    entries, which = distinct_numbers(array)
    assert [None if code < 0 else entries[code] for code in which] == numbers
    assert entries == sorted(set(entries))


@given(st.lists(st.sampled_from([None, math.nan, 1, "1", 2.5, False, ("a", 1)]), max_size=30))
def test_entries_of_a_list_are_told_apart_by_equality(entries: list[Any]) -> None:
    distinct, which = distinct_entries(entries, "a")
    shown = [None if code < 0 else distinct[code] for code in which]
    assert shown == [None if entry is None or entry != entry else entry for entry in entries]


AS_TEXT, AS_NUMBERS = ["1", "2", "1"], [1, 2, 1]


def sets(verdicts: Any) -> list[Any]:
    return [None if verdict != verdict else [verdict] for verdict in verdicts]


OF_TWO = [
    lambda a, b: agreement.percent_agreement(a, b),
    lambda a, b: agreement.cohen_kappa(a, b),
    lambda a, b: agreement.kappa_per_category(a, b),
    lambda a, b: agreement.pabak(a, b),
    lambda a, b: agreement.accuracy(a, b),
    lambda a, b: agreement.accuracy(a, b[0]),
    lambda a, b: agreement.accuracy(a, [[answer] for answer in b]),
    lambda a, b: agreement.diagnostic_accuracy(a, b, a[0]),
    lambda a, b: agreement.shared_errors(a, b, [0, 0, 0], [0, 0, 0]),
    lambda a, b: agreement.mirage_rate(a, a, b, positive=a[0], negative=b[0]),
    lambda a, b: agreement.alt_test(list(zip(a, a, a, strict=True)), b),
    lambda a, b: agreement.alt_test(list(zip(a, b, a, strict=True)), a),
    *(
        lambda a, b, coefficient=coefficient: coefficient(list(zip(a, b, a, strict=True)))
        for coefficient in (
            agreement.fleiss_kappa,
            agreement.conger_kappa,
            agreement.gwet_ac,
            agreement.brennan_prediger,
            agreement.krippendorff_alpha,
            agreement.percent_agreement_of_all,
            agreement.light_kappa,
            agreement.consensus,
            agreement.leave_one_out,
            partial(agreement.dawid_skene, seed=1),
        )
    ),
    lambda a, b: agreement.leave_one_out(list(zip(a, a, a, strict=True)), b),
    lambda a, b: agreement.coefficient_difference(a, a, "kappa", reference=b, seed=1),
    lambda a, b: agreement.coefficient_difference(a, b, "accuracy", reference=a, seed=1),
    lambda a, b: agreement.coefficient_difference(
        [*zip(a, a, strict=True)], [*zip(b, b, strict=True)], "alpha", seed=1
    ),
    lambda a, b: agreement.rater_group_difference([*zip(a, a, strict=True)], [*zip(a, b, strict=True)], seed=1),
    lambda a, b: agreement.rater_group_difference(
        [*zip(a, a, strict=True)], [*zip(a, a, strict=True)], "accuracy", reference=b, seed=1
    ),
    lambda a, b: agreement.set_agreement([*zip(sets(a), sets(b), strict=True)], resamples=10),
    lambda a, b: agreement.set_accuracy(sets(a), sets(b), resamples=10),
    lambda a, b: agreement.ranking_agreement([*zip(sets(a), sets(b), strict=True)], resamples=10),
    lambda a, b: agreement.ranking_accuracy(sets(a), b, resamples=10),
    lambda a, b: agreement.ranking_accuracy(sets(a), sets(b), resamples=10),
]


@pytest.mark.parametrize("statistic", OF_TWO)
def test_text_against_numbers_is_refused_instead_of_never_agreeing(statistic: Callable[[Any, Any], Any]) -> None:
    for a, b in ((AS_TEXT, AS_NUMBERS), (AS_NUMBERS, AS_TEXT), (AS_TEXT, np.array([1.0, 2.0, np.nan]))):
        with pytest.raises(ValueError, match=r"holds numbers and .* text; expected both to be written alike"):
            statistic(a, b)


@pytest.mark.parametrize("statistic", OF_TWO)
def test_one_verdict_written_as_text_and_as_number_is_refused(statistic: Callable[[Any, Any], Any]) -> None:
    for mixed, plain in ((["1", 1, 2, 2], [1, 1, 2, 2]), (["2 ", 2, 1, 1], [2.0, 2.0, 1, 1])):
        for a, b in ((mixed, plain), (plain, mixed)):
            with pytest.raises(ValueError, match=r"(holds the text '\d ?' and|text; expected) .*be written alike"):
                statistic(a, b)


def test_text_and_numbers_with_one_rater_or_declared_stay_as_they_are() -> None:
    assert agreement.percent_agreement(["?", 1, 2], [1, 1, 2]).n == 3
    assert agreement.cohen_kappa(["?", "?"], [1, 1], categories=["?", 1]).n == 2
    assert agreement.accuracy(["n/a", "n/a"], [1, 2], excluded="n/a").n_excluded == 2


def test_options_of_text_and_numbers_that_are_declared_stay_as_they_are() -> None:
    both = agreement.set_agreement([[{"?"}, {1}]] * 3, options=["?", 1], resamples=10)

    assert [option.option for option in both.options] == ["?", 1]


@pytest.mark.parametrize(
    "statistic",
    [
        lambda flags: agreement.cohen_kappa([1, 2], [1, 2], excluded=flags),
        lambda flags: agreement.percent_agreement([1, 2], [1, 2], excluded=flags),
        lambda flags: agreement.krippendorff_alpha([[1, 2], [1, 2]], excluded=flags),
        lambda flags: agreement.percent_agreement_of_all([[1, 2], [1, None]], excluded=flags),
    ],
)
def test_exclusions_in_rows_of_different_lengths_are_refused_by_name(statistic: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"excluded is \[\[True, False\], \[False\]\]; expected \(2,( 2)?\) of True"):
        statistic([[True, False], [False]])


def test_a_count_that_is_none_is_refused_by_its_own_name() -> None:
    with pytest.raises(ValueError, match=r"^true_negative is 2\.5; expected a whole number"):
        agreement.rogan_gladen(3, 9, true_positive=4, false_negative=1, true_negative=2.5, false_positive=0)


def test_a_positive_that_is_no_category_is_refused() -> None:
    with pytest.raises(ValueError, match=r"positive is '1'; expected one of the categories \(0, 1\)"):
        agreement.diagnostic_accuracy([1, 0, 1], [1, 0, 0], "1")
    with pytest.raises(ValueError, match=r"positive is 'yes'; expected one of the categories \('no',\)"):
        agreement.diagnostic_accuracy(["no", "no"], ["no", "no"], "yes")

    without = agreement.diagnostic_accuracy(["no", "no"], ["no", "no"], "yes", categories=["no", "yes"])

    assert (without.specificity.value, without.sensitivity.n) == (1.0, 0)


OF_ITEMS = {
    "share": lambda **options: agreement.percent_agreement([1, 0, 1, 1, 0], [1, 1, 1, 0, 0], **options),
    "accuracy": lambda **options: agreement.accuracy([1, 0, 1, 1, 0], [1, 1, 1, 0, 0], **options).primary,
    "direction": lambda **options: agreement.judge_direction([1, 0, 1, 1, 0], [1, 1, 1, 0, 0], **options).difference,
    "kappa": lambda **options: agreement.cohen_kappa([1, 0, 1, 1, 0], [1, 1, 1, 0, 0], **options),
    "several raters": lambda **options: agreement.gwet_ac(
        list(zip([1, 0, 1, 1], [1, 1, 1, 0], strict=True)), **options
    ),
    "mean": lambda **options: agreement.text_only_floor([1, 0, 1, 1, 0.5], **options),
    "weighted": lambda **options: agreement.weighted_mean([1, 0, 1, 1], [0.5] * 4, **options),
}
APPLIES = {
    "share": ["score", "percentile", "bca"],
    "accuracy": ["score", "percentile", "bca"],
    "direction": ["score", "percentile", "bca"],
    "kappa": ["scattered", "effective", "adjusted", "normal", "percentile", "bca"],
    "several raters": ["scattered", "effective", "adjusted", "t", "percentile", "bca"],
    "mean": ["percentile", "bca"],
    "weighted": ["score", "percentile", "bca", "linearised"],
}
WORDS = {"percentile": "bootstrap, percentile", "bca": "bootstrap, BCa"}


@pytest.mark.parametrize("kind", get_args(Interval))
@pytest.mark.parametrize("name", OF_ITEMS)
def test_the_kind_of_interval_has_one_name_and_is_refused_where_it_does_not_apply(name: str, kind: str) -> None:
    statistic = OF_ITEMS[name]

    if kind not in APPLIES[name]:
        with pytest.raises(ValueError, match=f"interval is '{kind}', which does not apply here; expected '"):
            statistic(interval=kind)
    else:
        assert WORDS.get(kind, "") in statistic(interval=kind).method


@pytest.mark.parametrize(
    ("name", "kind", "others"),
    [
        ("direction", "score", "'percentile' or 'bca'"),
        ("kappa", "normal", "'scattered', 'effective', 'adjusted', 'percentile' or 'bca'"),
        ("several raters", "t", "'scattered', 'effective', 'adjusted', 'percentile' or 'bca'"),
    ],
)
def test_an_interval_for_independent_items_is_refused_with_clusters(name: str, kind: str, others: str) -> None:
    items = 4 if name == "several raters" else 5

    with pytest.raises(ValueError, match=f"with clusters= given; expected {others} for clustered items"):
        OF_ITEMS[name](interval=kind, clusters=range(items))


def test_a_cluster_written_as_text_and_as_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="clusters holds the text '1' and clusters the number 1; expected both to be"):
        agreement.cohen_kappa([1, 0, 1, 0], [1, 0, 0, 0], clusters=[1, "1", 2, "b"])


def test_no_function_names_the_kind_of_interval_otherwise() -> None:
    other_meaning = {"mcnemar", "mcnemar_in_clusters", "adjust_p_values"}  # the kind of test, and of adjustment
    public = {name: getattr(agreement, name) for name in agreement.__all__}
    signatures = {name: inspect.signature(thing) for name, thing in public.items() if inspect.isfunction(thing)}

    assert {name for name, signature in signatures.items() if "method" in signature.parameters} == other_meaning
    kinds = {sign.parameters["interval"].annotation for sign in signatures.values() if "interval" in sign.parameters}
    assert kinds == {"Interval | None"}


@pytest.mark.parametrize("kind", ["U40", "U12", ">U20", "S40", "S3"])
def test_texts_in_more_room_than_they_need_are_told_apart_as_in_a_list(kind: str) -> None:
    texts = np.array(["yes", "no", "", "yes", "a b", "no"]).astype(kind)

    codes, levels = encode(texts, None, "a")

    plain, of_plain = encode(texts.tolist(), None, "a")
    assert [levels[code] for code in codes] == [of_plain[code] for code in plain] == texts.tolist()


def test_unused_room_goes_and_long_texts_stay() -> None:
    wide, long = np.array(["yes", "no"], dtype="U40"), np.array(["x" * 30, "no"], dtype="U40")

    assert without_unused_width(wide).dtype == np.dtype("U3")
    assert without_unused_width(long).tolist() == long.tolist()
    assert without_unused_width(np.zeros(2, dtype="U40")).tolist() == ["", ""]


def test_whole_numbers_beyond_any_float_are_refused() -> None:
    with pytest.raises(ValueError, match="holds something that is not a number"):
        agreement.icc([[10**400, 1], [2, 3], [4, 4]])
