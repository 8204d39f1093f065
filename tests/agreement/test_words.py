"""A method is a text whose parts are known; added to others it keeps them, and nobody has to read them out of it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import pytest

from agreement import Estimate, cohen_kappa, percent_agreement
from agreement.methods import bootstrap_of, leaving_out, of_effective_number, of_lambda, t_with, wilson_on_effective
from agreement.words import Part, Words

MADE = bootstrap_of(True) + ", 200 resamples" + leaving_out(3, "without both verdicts")


def test_a_text_is_what_its_parts_say_one_after_the_other() -> None:
    assert MADE == "cluster bootstrap, 200 resamples; 3 without both verdicts left out"
    assert MADE == "".join(part.text for part in MADE.parts)


def test_the_first_part_of_a_method_is_the_kind_of_interval() -> None:
    assert [part.text for part in MADE.parts][:2] == ["cluster bootstrap", ", 200 resamples"]


@pytest.mark.parametrize("joined", [MADE + "; rough", MADE + Words("; ", "rough"), Words(MADE, "; rough")])
def test_what_is_added_behind_keeps_the_parts(joined: Words) -> None:
    assert joined == f"{MADE}; rough" and joined.parts[: len(MADE.parts)] == MADE.parts


def test_what_is_added_before_a_text_keeps_its_parts() -> None:
    joined = "McNemar; " + MADE

    assert joined == f"McNemar; {MADE}" and joined.parts == (Part("McNemar; "), *MADE.parts)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda words: pickle.loads(pickle.dumps(words))])
def test_a_copy_has_the_same_parts(again: Any) -> None:
    assert again(MADE) == MADE and again(MADE).parts == MADE.parts


def test_an_estimate_with_a_plain_method_is_made_of_that() -> None:
    assert Estimate("share", 0.5, 0.2, 0.8, 8, "item", "my interval").made == (Part("my interval"),)
    assert Estimate("share", 0.5, 0.2, 0.8, 8, "item", "").made == (Part(""),)


def test_a_note_added_to_the_method_of_an_estimate_leaves_its_parts() -> None:
    kappa = cohen_kappa([0, 1, 0, 1, 1], [0, 1, 1, 1, None])
    noted = replace(kappa, method=kappa.method + "; of some")

    assert noted.made == (*kappa.made, Part("; of some"))


def test_what_is_ready_for_json_is_a_plain_text() -> None:
    method = percent_agreement([1, 0, 1], [1, 1, 1]).as_dict()["method"]

    assert type(method) is str and method == "Wilson score interval, assumes independent items"


def in_a_note(words: Words) -> str:
    return "".join(
        "N" if part.is_number else part.text if part.together is None else part.together for part in words.parts
    )


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (leaving_out(3, "without both verdicts"), "; those without both verdicts left out"),
        (
            wilson_on_effective("units") + ", " + t_with(7),
            f"{wilson_on_effective('units')}, t with N degrees of freedom",
        ),
        (of_effective_number(12.3, 40, 7, "by clusters"), ", by clusters, by the t distribution"),
        (of_lambda("; lambda 0.853"), ""),
    ],
)
def test_a_note_of_several_estimates_has_no_number_of_a_single_one(words: Words, note: str) -> None:
    assert in_a_note(words) == note
