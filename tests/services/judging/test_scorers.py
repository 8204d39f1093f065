"""Rules that score answers: what they read in an answer, and the traps in which they must not be caught."""

from __future__ import annotations

import pytest

from protocol.fields.kind import Reference
from services.errors import Conflict
from services.judging.named_options import options_named
from services.judging.scorers import SCORERS, Answer, Outcome

YES_NO = (("yes", "Yes"), ("no", "No"))
SIDES = (("left", "Left"), ("right", "Right"), ("both", "Both sides"), ("none", "Neither side"))
LOBES = (("left_frontal", "Left frontal"), ("left", "Left"), ("t", "Temporal"))
LETTERS = (("A", "Glioma"), ("B", "Abscess"), ("C", "A cyst"), ("D", "No lesion"))
COUNTS = (("1", "One"), ("2", "Two"), ("3", "Three or more"))


def outcome(scorer: str, text: str, reference: Reference, options: object = (), **given: str) -> Outcome | None:
    rule = SCORERS[scorer]
    settings = {**rule.parameters, **given}
    rule.check(settings)
    return rule.rule(Answer(text, tuple(options), reference), settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("No.", ["no"]),
        ("Yes", ["yes"]),
        ("**Yes**, there is.", ["yes"]),
        ("No lesion is seen.", ["no"]),
        ("Yes. There is no midline shift.", ["yes"]),
        ("The answer is no.", ["no"]),
        ("Reasoning ...\nFinal answer: Yes", ["yes"]),
        ("Normal.", []),  # "no" is the beginning of another word
        ("Normal study, nothing unusual.", []),
        ("Not a lesion.", []),
        ("There is no lesion.", []),  # denies a lesion; what was asked is not known
        ("No doubt about it.", []),
        ("No idea.", []),
        ("No, on second thoughts yes.", ["yes", "no"]),
        ("Yes. The answer is no.", ["yes", "no"]),
        ("The answer is not yes.", []),
        ("Unknown", []),
        ("", []),
    ],
)
def test_a_yes_or_no_is_what_an_answer_begins_with_or_calls_its_answer(text: str, named: list[str]) -> None:
    assert options_named(text, YES_NO) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("left", ["left"]),
        ("On the left.", ["left"]),
        ("LEFT side, not right.", ["left"]),
        ("It is not on the left but right", ["right"]),
        ("It isn't left.", []),
        ("Left or right", ["left", "right"]),
        ("Leftover bright copyright", []),
        ("Both sides", ["both"]),
        ("Neither side", ["none"]),
        ("B", ["right"]),
        ("(b)", ["right"]),
        ("B) Right", ["right"]),
        ("B. Right", ["right"]),
        ("B) Left", ["left", "right"]),  # letter and words mean different options
        ("The answer is B.", ["right"]),
        ("The correct answer is B because of the midline", ["right"]),
        ("Answer: (C)", ["both"]),
        ("I pick option A.", ["left"]),
        ("A lesion is there.", []),  # an article
        ("I see a lesion.", []),
        ("The answer is a lesion.", []),
        ("The option a radiologist would take", []),
        ("Not option B, option A.", ["left"]),
        ("E", []),  # there is no fifth option
    ],
)
def test_an_option_is_named_by_its_words_or_by_a_letter_that_means_one(text: str, named: list[str]) -> None:
    assert options_named(text, SIDES) == named


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        ("left frontal lobe", LOBES, ["left_frontal"]),  # not "left" as well
        ("left", LOBES, ["left"]),
        ("T1-weighted", LOBES, []),  # an id of one letter is no word
        ("C", LETTERS, ["C"]),
        ("An abscess", LETTERS, ["B"]),
        ("A glioma.", LETTERS, ["A"]),
        ("A cyst", LETTERS, ["C"]),
        ("2", COUNTS, ["2"]),
        ("A 2 cm lesion", COUNTS, []),  # an id of digits is no word
        ("Two lesions", COUNTS, ["2"]),
    ],
)
def test_ids_that_are_letters_or_digits_are_no_words(
    text: str, options: tuple[tuple[str, str], ...], named: list[str]
) -> None:
    assert options_named(text, options) == named


def test_an_answer_that_names_no_option_is_unreadable_or_by_the_parameter_incorrect() -> None:
    reference = Reference(("left",))

    unclear = outcome("option_extraction", "Hard to say.", reference, SIDES)
    as_wrong = outcome("option_extraction", "Hard to say.", reference, SIDES, unclear="incorrect")

    assert (unclear and unclear.verdict, unclear and unclear.failure) == ("", "unreadable")
    assert as_wrong is not None and as_wrong.verdict == "incorrect"


@pytest.mark.parametrize(("text", "verdict"), [("On the left.", "correct"), ("Right", "incorrect")])
def test_the_option_that_is_named_is_held_against_the_accepted(text: str, verdict: str) -> None:
    said = outcome("option_extraction", text, Reference(("left", "both")), SIDES)

    assert said is not None and said.verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The cyst.", "correct"),
        ("cysts", "incorrect"),
        ("abnormal", "incorrect"),
        ("left", "correct"),
        ("LEFT!", "correct"),
    ],
)
def test_exact_match_takes_ids_and_texts_of_accepted_options(text: str, verdict: str) -> None:
    said = outcome("exact_match", text, Reference(("cyst", "l")), (("l", "Left"),))

    assert said is not None and said.verdict == verdict


@pytest.mark.parametrize(
    ("threshold", "verdict"), [("0.5", "correct"), ("0.8", "correct"), ("0.81", "incorrect"), ("none", "0.8")]
)
def test_token_f1_counts_from_its_threshold_on_or_stands_itself(threshold: str, verdict: str) -> None:
    said = outcome("token_f1", "frontal lobe", Reference(("left frontal lobe",)), threshold=threshold)

    assert said is not None and said.verdict == verdict


MM = Reference(low=5.0, high=6.0)


@pytest.mark.parametrize(
    ("text", "given", "verdict"),
    [
        ("5.5", {}, "correct"),
        ("About 5,5 mm.", {}, "correct"),
        ("0.55 cm", {"unit": "mm"}, "correct"),
        ("5.5 mm (0.55 cm)", {"unit": "mm"}, "correct"),
        ("5.5 cm", {"unit": "mm"}, "incorrect"),
        ("5.5mm", {"unit": "mm"}, "correct"),
        ("-5.5", {}, "incorrect"),
        ("5.5 on the T1 at L5-S1", {}, "correct"),
        (".55 centimetres", {"unit": "mm"}, "correct"),
        ("5.5 centimeters", {"unit": "mm"}, "incorrect"),
        ("5.5 %", {"unit": "mm"}, ""),  # measures another thing
        ("5.5 mm\u00b2", {"unit": "mm"}, ""),
        ("5.5 mm/year", {"unit": "mm"}, ""),
        ("5.5 HU", {"unit": "mm"}, ""),
        ("5.5 HU", {}, "correct"),
        ("5\u00bd mm", {"unit": "mm"}, "correct"),
        ("5 1/2 mm", {"unit": "mm"}, "correct"),
        (".55 (cm)", {"unit": "mm"}, "correct"),
        ("5 (cm)", {"unit": "mm"}, "incorrect"),
        ("5.5\u00b3", {}, ""),
        ("4-6 mm", {"unit": "mm"}, ""),  # two numbers
        ("between 5 and 6", {}, ""),
        ("5,500", {}, ""),  # five thousand, or five and a half
        ("11/2", {}, ""),
        ("> 5.5", {}, ""),  # a bound
        ("5.5 mm or more", {"unit": "mm"}, ""),
        ("five", {}, ""),
        ("On T2 only", {}, ""),
        ("1st", {}, ""),
        ("", {}, ""),
    ],
)
def test_a_number_is_read_with_its_unit_and_only_where_there_is_one(
    text: str, given: dict[str, str], verdict: str
) -> None:
    said = outcome("numeric_range", text, MM, **given)

    assert said is not None and (said.verdict, said.failure) == (verdict, "" if verdict else "unreadable")


@pytest.mark.parametrize(
    ("text", "given", "verdict"),
    [
        ("55%", {"unit": "%"}, "correct"),
        ("55 percent", {"unit": "%"}, "correct"),
        ("0.55", {"unit": "%"}, "incorrect"),  # a share is not a percentage
        ("57", {"tolerance": "2"}, "correct"),
        ("57.1", {"tolerance": "2"}, "incorrect"),
    ],
)
def test_an_accepted_number_may_have_a_tolerance(text: str, given: dict[str, str], verdict: str) -> None:
    said = outcome("numeric_range", text, Reference(("55",)), **given)

    assert said is not None and said.verdict == verdict


@pytest.mark.parametrize("scorer", ["exact_match", "token_f1", "option_extraction", "numeric_range"])
def test_a_rule_says_nothing_of_an_item_without_what_it_needs(scorer: str) -> None:
    assert outcome(scorer, "Left", Reference(), SIDES) is None


@pytest.mark.parametrize(
    ("scorer", "given", "says"),
    [
        ("token_f1", {"threshold": "2"}, "expected a number above 0 and up to 1, or none"),
        ("option_extraction", {"unclear": "wrong"}, "expected unreadable or incorrect"),
        ("numeric_range", {"unit": "parsec"}, "expected one of mm, cm"),
        ("numeric_range", {"tolerance": "-1"}, "expected a number of 0 or more"),
        ("own_column", {}, "column=NAME"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(scorer: str, given: dict[str, str], says: str) -> None:
    with pytest.raises(Conflict, match=says):
        SCORERS[scorer].check({**SCORERS[scorer].parameters, **given})
