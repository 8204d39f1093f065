"""Each field type: which answers are the same, which are right, and how they are said in words."""

from __future__ import annotations

import importlib
import re
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from protocol.fields import KINDS, ONE_OPTION, types_on
from protocol.fields.kind import ClosedEndedFormat, Reference, WrongAnswer
from protocol.fields.region import Region
from protocol.forms import FieldType, Form, FormField, Option

ROOT = Path(__file__).resolve().parents[2]
DRAWN = ROOT / "components/viewer/frontend/src/fields"
OPTIONS = [Option(id="a", text="Cyst"), Option(id="b", text="Tumour"), Option(id="c", text="Scar")]
IDS = ["a", "b", "c"]
# An answer of each type as a browser sends it.
GIVEN: dict[str, Any] = {
    "yes_no": "yes", "choice": "b", "several": ["b", "a"], "ordinal": "c", "number": 3.5, "text": " A cyst. ",
    "ranked": ["b", "a"], "point": [1.0, -2.5, 3.0, "Current"],
}  # fmt: skip


def field_of(kind: str, **more: Any) -> FormField:
    options = OPTIONS if KINDS[kind].needs_options or kind == "ranked" else []
    field = FormField(key="answer", type=kind, label="Finding", options=options, **more)
    return field.model_copy(update={"options": field.offered})


def same(kind: str, answer: Any, other: Any) -> bool:
    return KINDS[kind].canonical(answer) == KINDS[kind].canonical(other)


def test_the_protocol_takes_exactly_the_types_of_the_table() -> None:
    assert set(get_args(FieldType)) == set(KINDS) == set(GIVEN)


@pytest.mark.parametrize("kind", GIVEN)
def test_an_answer_that_fits_is_stored_as_its_schema_says(kind: str) -> None:
    stored = KINDS[kind].check(field_of(kind), GIVEN[kind], ["Current"])

    Draft202012Validator(dict(KINDS[kind].schema)).validate(stored)


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize(
    "nonsense", [{"x": 1}, True, ["z"], "z" * 5000, [1, 2], float("nan"), 10**400, [10**400, 0, 0]]
)
def test_an_answer_that_does_not_fit_is_refused_by_the_name_of_its_field(kind: str, nonsense: Any) -> None:
    with pytest.raises(WrongAnswer, match=r"^Finding: "):
        KINDS[kind].check(field_of(kind, maximum=9.0) if kind == "number" else field_of(kind), nonsense, [])


@pytest.mark.parametrize("limit", [{"minimum": 4.0}, {"maximum": 3.0}])
def test_a_number_beyond_the_limits_of_its_field_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(WrongAnswer, match="is expected"):
        KINDS["number"].check(field_of("number", **limit), 3.5, [])


@pytest.mark.parametrize("written", ["1e999999999999", "-1e400", "1e-999999999999"])
def test_a_number_that_no_rater_can_fill_in_is_refused_as_a_reference(written: str) -> None:
    number = KINDS["number"]

    assert f"'{written}'" in number.problem_of_reference(field_of("number"), Reference((written,)))
    assert number.reference_in_words(Reference((written,)), {}) == [written]


@pytest.mark.parametrize(
    ("kind", "answer", "other"),
    [
        ("choice", "a", "a"),
        ("several", ["a", "b"], ["b", "a"]),
        ("number", 3, 3.0), ("number", 3.5, "3.50"), ("number", 0.0, -0.0),
        ("text", "The Cyst.", "cyst"), ("text", "3.5 cm", "3,50 cm"), ("text", "−3", "-3"),
        ("text", "HER2+.", "her2+"), ("text", "ER−", "er-"), ("text", "T1- and T2-weighted", "T1 and T2weighted"),
        ("text", "ER (+), PR -", "ER+ PR-"), ("text", "Left - a cyst", "left cyst"), ("text", "CT + MRI", "CT, MRI"),
        ("text", "<= 5 mm", "≤5 mm"), ("text", "- 3 lesions", "3 lesions"), ("text", "...5", "5"),
        ("text", "I.V.", "iv"), ("text", "T2* GRE.", "t2* gre"), ("text", "*T2*", "T2"), ("text", "**T2**", "T2"),
        ("text", "**T2***", "T2*"), ("text", "* Cyst", "cyst"), ("text", "a cyst*", "cyst"), ("text", "5*", "5"),
        ("text", "Baker\u2019s cyst", "Baker's cyst"), ("text", "\u201cCyst\u201d\u2026", "cyst"),
        ("text", "\u20135", "-5"), ("text", "L1\u2013L2", "L1-L2"), ("text", "lipome\u0301", "lipom\u00e9"),
        ("text", "cyst\u2014left", "cyst left"), ("text", "HER2 +++", "HER2+++"), ("text", "HER2 (+/-)", "HER2\u00b1"),
        ("text", "3,50mm", "3.5 mm"), ("text", ".5cm", "0.5 cm"), ("text", "5 cm\u00b2", "5 cm2"),
        ("text", "5 \u00d7 3 mm", "5x3 mm"), ("text", "5mm x 3mm", "5 mm \u00d7 3 mm"), ("text", "3T", "3 T"),
        ("text", "12 - 15 mm", "12-15 mm"), ("text", "3 + 4", "3+4"), ("text", "5 \u00b5m", "5 \u03bcm"),
        ("text", "\u22665", "\u22645"), ("text", "\uff28\uff25\uff32\uff12\uff08\uff0b\uff09", "HER2 (+)"),
        ("text", "\u5de6\u3002", "\u5de6"), ("text", "R > L", "r>l"), ("text", "Left -> right", "left \u2192 right"),
        ("text", "see\n> quoted", "see quoted"), ("text", "a cyst of the scalp", "cyst of scalp"),
        ("ranked", ["A cyst", "b"], ["cyst.", "b"]),
        ("point", [1.0, 2.0, 3.0], [1.00001, 2.0, 3.0]), ("point", [0.0, 0.0, 0.0], [-0.0, 0.0, 0.0]),
    ],
)  # fmt: skip
def test_answers_that_are_the_same(kind: str, answer: Any, other: Any) -> None:
    assert same(kind, answer, other)


@pytest.mark.parametrize(
    ("kind", "answer", "other"),
    [
        ("choice", "a", "A"),
        ("several", ["a", "b"], ["b"]),
        ("number", 3.5, 35), ("number", -3, 3), ("number", 1234567.0, 1234568.0),
        ("text", "3.5 cm", "35 cm"), ("text", "-3", "3"), ("text", "10-12 mm", "1012 mm"), ("text", "1/2", "12"),
        ("text", "HER2+", "HER2-"), ("text", "ER+, PR-", "ER+, PR+"), ("text", "3+", "3"),
        ("text", "HER2 (+)", "HER2 (-)"), ("text", "HER2 +", "HER2 -"), ("text", "Positive (+)", "positive (-)"),
        ("text", "<5 mm", "5 mm"), ("text", "< 5 mm", "> 5 mm"), ("text", "<=5", ">=5"), ("text", "x<5", "x>5"),
        ("text", "HU:-30", "HU:30"), ("text", "[-3]", "[3]"), ("text", "~-3", "~3"), ("text", "x=-3", "x=3"),
        ("text", "< -3", "< 3"), ("text", ".5", "5"), ("text", "1,000", "1.000"), ("text", "T1", "T2"),
        ("text", "T2*", "T2"), ("text", "T2*-weighted", "T2-weighted"), ("text", "R2*", "R2"),
        ("text", "**T2***", "T2"), ("ranked", ["T2*"], ["T2"]),
        ("text", "ER+/PR-", "ER-/PR-"), ("text", "ER+PR-", "ER-PR-"), ("text", "HER2++", "HER2+++"),
        ("text", "CD20 ++", "CD20"), ("text", "T1+C", "T1"), ("text", "right > left", "right < left"),
        ("text", "R>L", "R<L"), ("text", "hepatitis A", "hepatitis"), ("text", "BI-RADS A", "BI-RADS"),
        ("text", "10\u00b2", "102"), ("text", "1,000mm", "1.000mm"), ("text", "T2 a", "T2"),
        ("text", "grade I-II", "grade III"), ("text", "WHO I/II", "WHO III"), ("text", "I,II", "III"),
        ("text", "ER + / PR -", "ER - / PR -"),
        ("text", "HER2+/-", "HER2+"), ("text", "APOE +/+", "APOE -/-"), ("text", "3.5 +/- 0.2", "3.5, 0.2"),
        ("ranked", ["ER+/PR-"], ["ER-/PR-"]),
        ("text", "+", "-"), ("text", "(+)", "(-)"), ("text", "A", "the"), ("text", "A", ""),
        ("ranked", ["a", "b"], ["b", "a"]), ("ranked", ["-3"], ["3"]), ("ranked", ["a b"], ["a", "b"]),
        ("ranked", ["+", "-"], ["-", "+"]),
        ("point", [1.0, 2.0, 3.0], [1.0, 2.0, -3.0]), ("point", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, "Prior"]),
    ],
)  # fmt: skip
def test_answers_that_differ(kind: str, answer: Any, other: Any) -> None:
    assert not same(kind, answer, other)


@pytest.mark.parametrize("written", ["* ", " ", "\n ", "+", "1x", "1 - ", "1 to ", "1, ", "i/", "'", ".", "<", "over "])
def test_long_answers_of_one_mark_are_compared_in_no_time(written: str) -> None:
    began = time.process_time()

    KINDS["text"].score("5" + written * 20_000 + "x", Reference(("cyst",), low=1.0), [])

    assert time.process_time() - began < 1


@pytest.mark.parametrize("kind", GIVEN)
def test_without_a_reference_nothing_is_right_or_wrong(kind: str) -> None:
    assert KINDS[kind].score(GIVEN[kind], Reference(), IDS).correct is None


@pytest.mark.parametrize(
    ("kind", "answer", "reference", "right"),
    [
        ("choice", "a", Reference(("a", "b")), True),
        ("choice", "c", Reference(("a", "b")), False),
        ("several", ["b", "a"], Reference(("a", "b")), True),
        ("several", ["a"], Reference(("a", "b")), False),
        ("several", ["a", "b", "c"], Reference(("a", "b")), False),
        ("number", 35.0, Reference(("3.5",)), False),
        ("number", 3.5, Reference(("3.50",)), True),
        ("number", 3.0, Reference(low=3.0, high=4.0), True),
        ("number", -3.0, Reference(low=3.0), False),
        ("text", "35 cm", Reference(("3.5 cm",)), False),
        ("text", "about 3.5 cm", Reference(low=3.0, high=4.0), True),
        ("text", "> 3.5 cm", Reference(low=3.0, high=4.0), False),
        ("text", "< 5 mm", Reference(("> 5 mm",)), False),
        ("text", "10\u00b3", Reference(low=5.0, high=20.0), False),
        ("text", "5\u00bd mm", Reference(low=4.0, high=5.2), False),
        ("text", "5cm\u00b2", Reference(low=4.0, high=6.0), True),
        ("text", "5cm2", Reference(low=4.0, high=6.0), True),
        ("text", "5 cm^2", Reference(low=4.0, high=6.0), True),
        ("text", "5 cm^3", Reference(("1 ml",), low=4.0, high=6.0), True),
        ("text", "5 ml", Reference(("1 cm^3",), low=4.0, high=6.0), True),
        ("text", "10^3", Reference(low=5.0, high=20.0), False),
        ("text", "5 mm+", Reference(low=4.0, high=6.0), False),
        ("text", "5 ER+ nodes", Reference(low=4.0, high=6.0), True),
        ("text", "5 mm + oedema", Reference(low=4.0, high=6.0), True),
        ("text", "\uff1c5", Reference(low=4.0, high=6.0), False),
        ("text", "", Reference(("the",)), False),
        ("text", "A", Reference(("A",)), True),
        ("text", "-", Reference(("+",)), False),
        ("text", "\N{MINUS SIGN}3.5 cm", Reference(low=3.0, high=4.0), False),
        ("text", "\N{EN DASH}3.5 cm", Reference(low=3.0, high=4.0), False),
        ("text", "\N{MINUS SIGN}3.5 cm", Reference(low=-4.0, high=-3.0), True),
        ("ranked", ["cyst", "scar"], Reference(("A cyst.",)), True),
        ("ranked", ["scar", "cyst"], Reference(("cyst",)), False),
        ("ranked", ["-", "+"], Reference(("+",)), False),
        ("point", [1.0, 2.0, 3.0], Reference(("1 2 8",), high=5.0), True),
        ("point", [1.0, 2.0, 2.9], Reference(("1 2 8",), high=5.0), False),
        ("point", [1.0, 2.0, 3.0], Reference(("9 9 9", "1 2 3"), high=0.5), True),
    ],
)
def test_what_is_right(kind: str, answer: Any, reference: Reference, right: bool) -> None:
    assert KINDS[kind].score(answer, reference, IDS).correct is right


def test_a_point_in_a_world_of_its_own_is_neither_right_nor_wrong() -> None:
    assert KINDS["point"].score([1.0, 2.0, 3.0, "Prior"], Reference(("1 2 3",), high=5.0), []).correct is None


def test_beside_right_or_wrong_stands_how_near_it_was() -> None:
    several = KINDS["several"].score(["a"], Reference(("a", "b")), IDS)
    ranked = KINDS["ranked"].score(["scar", "cyst"], Reference(("cyst",)), [])
    point = KINDS["point"].score([1.0, 2.0, 3.0], Reference(("4 6 3",), high=1.0), [])

    assert several.share == pytest.approx(2 / 3)
    assert (ranked.rank, KINDS["ranked"].score(["scar"], Reference(("cyst",)), []).rank) == (2, None)
    assert point.distance_mm == 5.0


@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        ("yes_no", Reference(low=1.0)),
        ("several", Reference(high=1.0)),
        ("number", Reference(("many",))),
        ("number", Reference(("101", "-1"))),
        ("number", Reference(low=101.0)),
        ("ranked", Reference(low=1.0)),
        ("point", Reference(("1 2",), high=1.0)),
        ("point", Reference(("1 2 3",))),
        ("point", Reference(high=1.0)),
    ],
)
def test_a_reference_that_no_answer_could_equal_is_named(kind: str, reference: Reference) -> None:
    limits = {"minimum": 0, "maximum": 100} if kind == "number" else {}

    assert KINDS[kind].problem_of_reference(field_of(kind, **limits), reference)


@pytest.mark.parametrize(
    ("kind", "answer", "words"),
    [
        ("choice", "a", "Cyst"),
        ("several", ["b", "a"], "Tumour, Cyst"),
        ("number", 3.0, "3"),
        ("text", "As it stands.", "As it stands."),
        ("ranked", ["a", "glioma"], "1. Cyst; 2. glioma"),
        ("point", [1.0, -2.5, 3.0, "Prior"], "R 1.0 P 2.5 S 3.0 mm (Prior)"),
    ],
)
def test_answers_are_said_in_the_words_of_the_screen(kind: str, answer: Any, words: str) -> None:
    assert KINDS[kind].in_words(answer, {option.id: option.text for option in OPTIONS}) == words


@pytest.mark.parametrize(
    ("kind", "reference", "words"),
    [
        ("choice", Reference(("a", "b")), ["Cyst", "Tumour"]),
        ("several", Reference(("a", "b")), ["Cyst and Tumour"]),
        ("number", Reference(("3",), 3.0, 3.0), ["3"]),
        ("text", Reference(("three",), 3.0, 5.0), ["three", "3 to 5"]),
        ("number", Reference(low=3.0), ["at least 3"]),
        ("number", Reference(high=3.0), ["at most 3"]),
        ("point", Reference(("1 -2 3",), high=5.0), ["within 5 mm of R 1.0 P 2.0 S 3.0 mm"]),
        ("point", Reference(("1 -2 3",)), ["R 1.0 P 2.0 S 3.0 mm"]),
        ("point", Reference(region=Region((1, 1, 1), (), ((0, 1),))), ["inside the region that counts as right"]),
    ],
)
def test_references_are_said_in_words(kind: str, reference: Reference, words: list[str]) -> None:
    assert KINDS[kind].reference_in_words(reference, {option.id: option.text for option in OPTIONS}) == words


def test_what_holds_of_all_types_on_a_scale_is_read_from_the_table() -> None:
    assert types_on("interval", "place") == {"number", "point"}
    assert ONE_OPTION == {"yes_no", "choice", "ordinal"}


def test_no_file_of_a_type_was_left_out_of_the_table() -> None:
    modules = [
        importlib.import_module(f"protocol.fields.{path.stem}") for path in (ROOT / "protocol/fields").glob("*.py")
    ]

    kinds = {module.__name__: module.KIND for module in modules if hasattr(module, "KIND")}
    assert [name for name, kind in kinds.items() if kind not in KINDS.values()] == []


def test_no_file_that_draws_a_type_was_left_out_of_the_registry() -> None:
    table = (DRAWN / "registry.js").read_text("utf-8")

    files = {path.name for path in DRAWN.glob("*.js")} - {"registry.js"}
    assert [name for name in sorted(files) if f'from "./{name}"' not in table] == []


@pytest.mark.parametrize("column", ["What is filled in", "The same"])
@pytest.mark.parametrize("kind", GIVEN)
def test_every_type_is_described_to_the_authors_of_protocols(kind: str, column: str) -> None:
    page = (ROOT / "docs/how-to/write-a-protocol.md").read_text("utf-8")

    rows = page.partition(f"| Type | {column}")[2].partition("\n\n")[0].splitlines()
    assert any(f"`{kind}`" in row.split("|")[1] for row in rows[2:])


@pytest.mark.parametrize("item_format", get_args(ClosedEndedFormat))
def test_the_formats_that_a_type_answers_are_described_to_the_authors_of_protocols(item_format: str) -> None:
    page = (ROOT / "docs/how-to/write-a-protocol.md").read_text("utf-8")

    (types,) = re.findall(rf"^\| `{item_format}` \| (`.*`.*) \|$", page.partition("| Format |")[2], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", types)) == {
        name for name, kind in KINDS.items() if item_format in kind.closed_ended_formats
    }


def test_a_field_offers_the_options_of_its_type_unless_it_names_others() -> None:
    named = FormField(key="answer", type="yes_no", label="Finding", options=OPTIONS)
    silent = FormField(key="answer", type="yes_no", label="Finding")

    assert named.offered == OPTIONS
    assert [(option.id, option.text) for option in silent.offered] == [("yes", "Yes"), ("no", "No")]


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.needs_options])
def test_a_field_beside_the_answer_names_the_options_that_its_type_needs(kind: str) -> None:
    answer = FormField(key="answer", type="text", label="Finding")

    with pytest.raises(ValidationError, match=rf"\b{kind}\b.*options"):
        Form(fields=[answer, FormField(key="beside", type=kind, label="Beside")])


def test_every_type_can_be_drawn_and_nothing_else_is() -> None:
    source = (DRAWN / "registry.js").read_text("utf-8")
    table = source.partition("FIELD_TYPES = {")[2].partition("}")[0]

    assert set(re.findall(r"(\w+):", table)) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "answers"),
    [("yes_no", 2), ("choice", 4), ("ordinal", 4), ("several", 15), ("text", None), ("number", None)],
)
def test_how_many_answers_a_guesser_chooses_from(kind: str, answers: int | None) -> None:
    """Of four options `several` is right as the exact set, of which there are fifteen that hold something."""
    guesses = KINDS[kind].guesses
    options = 2 if kind == "yes_no" else 4

    assert (guesses(options) if guesses is not None else None) == answers


# What is said of that one type: whatever it has in common with others is asked of the table.
OF_ONE_TYPE = {
    "protocol/language/first.py": "of yes and no the share of yes is counted",
    "protocol/language/results.py": "the options of a choice may name the lines of a list",
    "protocol/language/computed.py": "the same, for pass at k",
    "protocol/language/judged.py": "on a scale no stands before yes",
    "protocol/language/never_true.py": "what it names are types of attributes",
}


def test_code_asks_what_a_type_can_do_and_not_what_it_is_called() -> None:
    names = "|".join(KINDS)
    named = re.compile(
        rf"(?:field|asked)\.type (?:==|!=|in|not in) [^\n]*\"(?:{names})\""
        rf"|(?<![\w.])kind (?:==|!=|in|not in) [(\[{{]?\"(?:{names})\""
    )
    files = (path for room in ("exchange", "protocol/language", "services") for path in (ROOT / room).rglob("*.py"))

    by_name = {path.relative_to(ROOT).as_posix() for path in files if named.search(path.read_text("utf-8"))}

    assert by_name == set(OF_ONE_TYPE)
