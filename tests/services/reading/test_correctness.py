"""What counts as right, format by format."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from db import Item, Reference, Verdict
from protocol.fields import KINDS
from protocol.fields.abstention import UNDETERMINED
from protocol.fields.kind import WrongAnswer
from protocol.forms import FormField
from protocol.language.expansion import Expansion
from protocol.language.listed import phases_of_listed
from protocol.references import FieldReference, ItemReferences
from protocol.study_phases import StudyPhases
from services.adjudication.review_queue import differs
from services.reading import practised
from services.reading.answer_key import answer_key
from services.reading.correctness import (
    AnswerKey,
    in_words,
    reference_in_words,
    right_guesses,
    said,
    score,
    score_written,
    written_in_words,
)
from services.reading.field_keys import StudyKeys, results_of
from services.report.files.listed_files import listed_files
from services.report.rows.listed_rows import DrawnLine, ItemLine, ListedRows
from services.report.rows.ratings_of_phases import ratings_of
from services.report.rows.reads import column_of
from services.report.rows.study_rows import Entry, Member, ReadItem
from tests.protocol.language.study_text import expanded


@pytest.mark.parametrize(
    ("changed", "right"),
    [
        ({"type": "choice", "accepted": ("a", "c")}, 2),
        ({"type": "choice", "accepted": ("b",)}, 1),
        ({"type": "several", "accepted": ("a", "c")}, 1),
    ],
)
def test_a_guesser_is_right_by_every_accepted_option_and_by_one_set_of_several(
    changed: dict[str, Any], right: int
) -> None:
    options = (("a", "A"), ("b", "B"), ("c", "C"))

    assert right_guesses(item("choice", options=options, **changed), ["a", "b", "c"]) == right
    assert right_guesses(item("choice", options=options, **changed), []) == (changed["type"] == "several")


def item(item_format: str = "open", **changed: Any) -> AnswerKey:
    options = {"yes_no": (("yes", "Yes"), ("no", "No")), "choice": (("l", "Left"), ("r", "Right")), "open": ()}
    given: dict[str, Any] = {
        "format": item_format, "type": "text" if item_format == "open" else item_format,
        "options": options[item_format], "accepted": (), "low": None, "high": None,
    }  # fmt: skip
    return AnswerKey(**(given | changed))


@pytest.mark.parametrize(("answer", "right"), [("l", True), ("r", False)])
def test_a_choice_is_right_by_its_identity(answer: str, right: bool) -> None:
    assert score(item("choice", accepted=("l",)), answer).correct is right


def test_several_accepted_options_are_all_right() -> None:
    both = item("choice", accepted=("l", "r"))

    assert score(both, "l").correct
    assert score(both, "r").correct


def test_a_text_only_set_of_options_is_scored_and_printed_as_a_set() -> None:
    sides = item("choice", type="several", accepted=("l", "r"))

    assert [score_written(sides, written).correct for written in ("r | l", "l|r|", "l")] == [True, True, False]
    assert written_in_words(sides, "r|l") == "Right, Left"


@pytest.mark.parametrize(
    ("answer", "right"),
    [("The frontal lobe.", True), ("FRONTAL  LOBE", True), ("frontal", False), ("left frontal lobe", False)],
)
def test_open_text_is_right_after_normalisation_only(answer: str, right: bool) -> None:
    assert score(item(accepted=("frontal lobe",)), answer).correct is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("10", True), ("12.5 mm", True), ("about 12,5 mm", True), ("15", True), ("9.99", False), ("15.1", False),
        ("10 to 12", False), ("T1", False), ("many", False), (12.0, True), (9, False), ("1,000", False), ("-12", False),
    ],
)  # fmt: skip
def test_one_number_within_the_range_is_right(answer: Any, right: bool) -> None:
    assert score(item(low=10.0, high=15.0), answer).correct is right


BOUNDS = (
    "> {}", "<{} mm", "≥ {}", "at least {}", "At most {} mm", "more than {}", "less than or equal to {}", "up to {}",
    "over {}", "below {}", "within {} mm", "exceeds {}", "{} or more", "{} mm or less", "{} mm² and above", "{}+",
    "{}+ lesions", "{} +", "\N{GREATER-THAN OR SLANTED EQUAL TO} {}", "< about {}", "{}>", "at least approx. {}",
    "{} mm at most", "{} mm or longer", "{} mm+", "{}cm\u00b3+", "{} %+ stenosis",
)  # fmt: skip


@given(bound=st.sampled_from(BOUNDS), n=st.integers(0, 500) | st.decimals(0, 500, places=1))
def test_a_bound_is_no_number_and_lies_in_no_range(bound: str, n: int | Decimal) -> None:
    assert not score(item(low=0.0, high=500.0), bound.format(n)).correct
    assert score(item(low=0.0, high=500.0, accepted=(bound.format(n),)), bound.format(n)).correct


@given(words=st.sampled_from(["about {}", "{} mm", "~{}", "{} lesions", "some {} or so"]), n=st.integers(0, 500))
def test_a_number_that_is_about_right_is_one(words: str, n: int) -> None:
    assert score(item(low=0.0, high=500.0), words.format(n)).correct


@given(
    low=st.integers(0, 500),
    high=st.integers(0, 500),
    words=st.sampled_from(["{}-{}", "{} \N{EN DASH} {} mm", "{} to {}"]),
)
def test_a_range_is_no_number(low: int, high: int, words: str) -> None:
    assert not score(item(low=0.0, high=500.0), words.format(low, high)).correct


# Numbers in many spellings: some are the same answer, none lies both in a range and outside of it.
SPELLED = st.sampled_from(
    [
        "5", "5.0", "5,0", "+5", "5.", "...5", "\u20265", "5;", "-5", "\u20135", "\u22125", ".5", "0.5", "0,50", "-.5",
        "-0.5", "<5", "5+", "5.50", "5,5", "T2", "T2*", "1,000", "no 5", "No. 5", "5th", "V/5", "v / 5", "max: 5",
        "max. 5", "5 to 6", "5-6",
    ]
)  # fmt: skip
RANGES = st.sampled_from([(0.0, 1.0), (5.0, 5.0), (-9.0, -0.1), (5.5, None), (None, 0.5)])
UNITS = st.sampled_from(["{}", "{} mm", "{} cm", "about {}"])


@given(first=SPELLED, second=SPELLED, limits=RANGES, unit=st.sampled_from(["{}", "{} mm", "about {}"]))
def test_answers_in_words_that_are_the_same_lie_in_the_same_range(
    first: str, second: str, limits: tuple[float | None, float | None], unit: str
) -> None:
    here, there = unit.format(first), unit.format(second)
    key = item(low=limits[0], high=limits[1])

    alike = said("text", here, not_assessable=False) == said("text", there, not_assessable=False)
    assert not alike or score(key, here).correct == score(key, there).correct


@pytest.mark.parametrize("written", [".5", ".5 mm", "-.5", "\u2026.5"])
def test_a_number_may_begin_with_its_point(written: str) -> None:
    assert score(item(low=-0.5, high=0.5), written).correct
    assert not score(item(low=1.0), written).correct


@given(first=SPELLED, second=SPELLED, limits=RANGES, here=UNITS, there=UNITS)
def test_beside_an_accepted_text_with_a_unit_sizes_that_are_the_same_lie_in_the_same_range(
    first: str, second: str, limits: tuple[float | None, float | None], here: str, there: str
) -> None:
    answer, again = here.format(first), there.format(second)
    key = item(accepted=("1000 mm",), low=limits[0], high=limits[1])

    alike = said("text", answer, not_assessable=False) == said("text", again, not_assessable=False)
    assert not alike or score(key, answer).correct == score(key, again).correct


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("50 mm", True),
        ("5 cm", True),
        ("about 50", True),
        ("50", True),
        ("5 mm", False),
        ("50 ml", False),
        ("?", False),
    ],
)
@pytest.mark.parametrize("reference", [{"accepted": ("50 mm",)}, {"accepted": ("50",)}, {"low": 49.0, "high": 51.0}])
def test_what_a_program_writes_in_place_of_a_number_is_read_in_the_unit_of_the_field(
    written: str, right: bool, reference: dict[str, Any]
) -> None:
    assert score_written(item(type="number", unit="mm", **reference), written).correct is right


@pytest.mark.parametrize("written", ["5 cm", "50 mm", "50"])
def test_a_reference_is_read_in_the_unit_of_the_field_that_it_answers(written: str) -> None:
    asked = FormField(key="answer", type="number", label="Size", unit="mm")
    form = "{answer: {type: number, unit: mm}}"
    listed = phases_of_listed(expanded(f"phases: [{{key: read, rates: items, shows: [prompt], form: {form}}}]"))
    references = ItemReferences((FieldReference(accepted=(written,)),))
    item_asked = Item(format="open", form="", options=[])
    (of_listed,) = StudyKeys(listed, {1: item_asked}, {1: references}).of("read", 1)

    key = answer_key(item_asked, asked, Reference(accepted=[written], low=None, high=None))

    assert [score(each, 50.0).correct for each in (key, of_listed.key)] == [True, True]
    assert [score(each, 5.0).correct for each in (key, of_listed.key)] == [False, False]


def test_a_range_may_be_open_on_one_side() -> None:
    assert score(item(low=10.0), "1000000").correct
    assert not score(item(high=10.0), "11").correct


def test_accepted_texts_and_a_range_both_count() -> None:
    three = item(accepted=("three",), low=3.0, high=3.0)

    assert score(three, "three").correct
    assert score(three, "3 lesions").correct
    assert not score(three, "four").correct


def test_without_a_reference_there_is_neither_right_nor_wrong() -> None:
    assert score(item(), "anything").correct is None
    assert score(item(), "anything").token_f1 is None


def test_token_f1_needs_an_accepted_text() -> None:
    assert score(item(accepted=("left frontal lobe",)), "frontal lobe").token_f1 == pytest.approx(0.8)
    assert score(item(low=1.0), "2").token_f1 is None
    assert score(item("choice", accepted=("l",)), "l").token_f1 is None


def test_answers_and_references_are_shown_in_words() -> None:
    assert in_words(item("choice"), "l") == "Left"
    assert in_words(item(type="number"), 3.0) == "3"
    assert reference_in_words(item("choice", accepted=("l",))) == "Left"
    assert reference_in_words(item(accepted=("three",), low=3.0, high=3.0)) == "three or 3"
    assert reference_in_words(item("choice", type="several", accepted=("l", "r"))) == "Left and Right"
    assert reference_in_words(item()) == "no reference"


def test_limits_of_a_volume_are_shown_with_all_their_digits() -> None:
    assert reference_in_words(item(type="number", low=1234567.0, high=2500000.5)) == "1234567 to 2500000.5"
    asked = FormField(key="answer", type="number", label="Volume", unit="mm3", maximum=1234567.0)
    with pytest.raises(WrongAnswer, match="at most 1234567 is expected"):
        KINDS["number"].check(asked, 1234568, [])


def test_not_assessable_is_no_answer_that_somebody_could_write() -> None:
    assert said("text", "Not assessable.", not_assessable=False) != said("text", None, not_assessable=True)
    assert said("text", None, not_assessable=False) is None


ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "yes_no": st.sampled_from(["yes", "no"]),
    "choice": st.sampled_from(["l", "r", "b"]),
    "ordinal": st.sampled_from(["1", "2", "10"]),
    "several": st.lists(st.sampled_from(["l", "r", "b"]), unique=True, min_size=1),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([3.5, 35.0, -3.0, 3.0]),
    "text": st.text(min_size=1)
    | st.sampled_from(["3.5 cm", "35 cm", "-3", "3", "not assessable", "Not assessable."])
    | st.sampled_from(["T2*", "T2", "*T2*", "5", "5+", "> 5", "5 or more"])
    | st.sampled_from(["ER+/PR-", "ER-/PR-", "R > L", "R < L", "5mm", "5 mm", "5cm\u00b2", "5 cm2", "10\u00b3"])
    | st.sampled_from(["1 000 mm", "1000 mm", "1 0 mm", "1/2 cm", "5 (cm)", "50 mm", "2 of 3", "2/3"])
    | st.sampled_from([".5 cm", "5 mm", "5 to 10 mm", "5-10 mm", "left-sided", "left sided", "D12", "T12", "no 5"]),
    "ranked": st.lists(st.sampled_from(["a", "b", "-3", "3", "T2*", "T2"]), unique=True, min_size=1),
    "point": st.lists(st.floats(-200, 200), min_size=3, max_size=3),
}


def test_every_type_of_field_has_answers_to_try() -> None:
    assert sorted(KINDS.keys() - ANSWERS) == []


@st.composite
def two_verdicts(draw: st.DrawFn) -> tuple[str, list[tuple[Any, str | None]]]:
    kind = draw(st.sampled_from(sorted(ANSWERS)))
    given = ANSWERS[kind].map(lambda answer: (answer, None)) | st.just((None, "quality"))
    return kind, [draw(given), draw(given)]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(two_verdicts())
def test_what_goes_to_the_reviewers_as_a_disagreement_is_one_in_the_report(
    case: tuple[str, list[tuple[Any, str | None]]],
) -> None:
    kind, verdicts = case
    rows = [Verdict(fields={} if reason else {"answer": answer}, not_assessable=reason) for answer, reason in verdicts]
    key = asdict(item("choice", type=kind))
    read = ReadItem(
        **key, id=1, key="i1", subject="s", category="", grounding="", prompt="", reference_version=0,
        text_only_answer="",
    )  # fmt: skip
    columns = [
        column_of(
            Member(number, str(number), "", None),
            {0: Entry(number, number, 1, None, "reading", 1, 1, "not_assessable" if reason else "answered",
                      answer=answer, not_assessable=reason)},
            (read,),
            {},
        )
        for number, (answer, reason) in enumerate(verdicts)
    ]  # fmt: skip

    assert differs(kind, rows) == (len({column.said[0] for column in columns}) > 1)


@cache
def study_of(kind: str) -> tuple[Expansion, StudyPhases]:
    """Return a study of one phase that asks one field of this type."""
    options = "[l, r, b]" if kind != "ordinal" else "['1', '2', '10']"
    form = f"{{type: {kind}{f', options: {options}' if KINDS[kind].needs_options else ''}}}"
    phase = f"{{key: read, title: R, rates: items, shows: [prompt], undetermined: yes, form: {{answer: {form}}}}}"
    study = expanded(f"phases: [{phase}]")
    return study, phases_of_listed(study)


def reference_of(kind: str, answer: Any) -> FieldReference:
    """Return the reference to which exactly this answer is right, as references.csv would say it."""
    parts = answer if isinstance(answer, list) else [answer]
    if KINDS[kind].scale == "place":
        return FieldReference(accepted=(" ".join(str(part) for part in parts[:3]),), radius=0.01)
    accepted = parts[:1] if KINDS[kind].scale == "ranking" else parts
    return FieldReference(accepted=tuple(str(part) for part in accepted))


# Words that are not accepted are wrong, unless a person says otherwise: an abstention has none.
IN_PRACTICE = {"right": True, "wrong": False, "in_words": False, "not_scored": None}
# Of each type in each test: all reports and files are made for each.
MOST = 12


@dataclass(frozen=True)
class Judged:
    """What each place says of two answers to one item: which are the same, and which are right."""

    alike_in_queue: bool
    alike_in_report: bool
    right_in_practice: list[bool | None]
    right_in_report: list[bool | None]
    right_in_files: list[bool | None]


def judged(kind: str, answers: list[Any], reference: FieldReference) -> Judged:
    """Let queue, practice, report and data files of a study that lists its phases judge the answers of two people."""
    (study, phases), references = study_of(kind), ItemReferences((reference,))
    asked = Item(format="open", form="", options=[])
    line = ItemLine(1, "i1", "c1", "s1", "", "open", "", "", (), (), None, None, references, {})
    rows = ListedRows(
        items=[line],
        candidates=[],
        drawn=[DrawnLine("read", "i1", None, "", 1.0, None)],
        members=[("rater", Member(number, f"R{number}", "", None)) for number in (1, 2)],
        entries=[
            Entry(number, number, 1, None, "read", 1, 1, "answered", verdict_id=number, fields=(("answer", answer),))
            for number, answer in enumerate(answers, start=1)
        ],
        attributes_of_items=[],
        attributes_of_candidates=[],
        attributes_of_raters=[],
        keys=StudyKeys(phases, {1: asked}, {1: references}),
    )  # fmt: skip
    ((ratings,),) = (part.fields for part in ratings_of(rows, study, ()))
    table = next(file for file in listed_files(rows) if file.name == "fields.csv")
    place = [column.key for column in table.columns].index("correct")
    of_rater = [next(results_of(rows.keys.of("read", 1), {"answer": answer})) for answer in answers]
    (first,), (second,) = ratings.answers
    return Judged(
        alike_in_queue=not differs(kind, [Verdict(fields={"answer": answer}) for answer in answers]),
        alike_in_report=first == second,
        right_in_practice=[IN_PRACTICE[practised.of_field(result)] for result in of_rater],
        right_in_report=[correct for (correct,) in ratings.correct],
        right_in_files=[{"yes": True, "no": False, None: None}[row[place]] for row in table.rows],  # type: ignore[index]
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=MOST, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_practice_report_and_files_call_the_same_answers_right(kind: str, data: st.DataObject) -> None:
    right, other = data.draw(ANSWERS[kind]), data.draw(ANSWERS[kind])

    says = judged(kind, [right, other], reference_of(kind, right))

    assert says.right_in_practice == says.right_in_report == says.right_in_files


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=MOST, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_answers_that_are_the_same_are_right_or_wrong_together(kind: str, data: st.DataObject) -> None:
    answer, other, reference = (data.draw(ANSWERS[kind]) for _ in range(3))

    says = judged(kind, [answer, other], reference_of(kind, reference))

    assert says.alike_in_queue == says.alike_in_report
    assert not says.alike_in_queue or len(set(says.right_in_report)) == 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_abstention_is_wrong_everywhere(kind: str) -> None:
    given = find(ANSWERS[kind], lambda _: True)

    says = judged(kind, [UNDETERMINED, UNDETERMINED], reference_of(kind, given))

    assert says.right_in_practice == says.right_in_report == says.right_in_files == [False, False]


def test_an_abstention_has_no_words_that_a_person_could_call_right() -> None:
    key = item("open", accepted=("left",))

    assert practised.as_practised(key, correct=False, is_given=False) == "wrong"
    assert practised.as_practised(key, correct=False, is_given=True) == "in_words"


@pytest.mark.parametrize(
    ("answers", "mark", "enough"),
    [
        (["right", "wrong"], 0.5, True),
        (["right", "wrong", "wrong"], 0.5, False),
        (["right", "in_words", "not_scored"], 1.0, True),
        (["in_words", "in_words"], 0.5, False),
        (["in_words", "not_scored"], 0.5, False),
        (["in_words", "in_words"], 0.0, True),
        (["not_scored", "not_scored"], 0.5, True),
    ],
)
def test_words_of_which_none_is_accepted_reach_no_pass_mark(
    answers: list[practised.Practised], mark: float, enough: bool
) -> None:
    assert practised.is_enough(answers, mark) is enough
