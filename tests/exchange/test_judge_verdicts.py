"""Verdicts of a judge: what counts as correct, what stays unresolved, and what is refused by its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange import formats
from exchange.judge_verdicts import JudgeTable
from exchange.refusal import InputRefused, Problems
from protocol.scales import CORRECTNESS, JudgeScale, number_scale, scale_of_options
from tests.judge_tables import rows_of_judge

Row = tuple[str, str, str | None, str | None]
# A file name of each format, by its first ending.
NAMES = [f"judge.{file_format.endings[0]}" for file_format in formats.JUDGE_VERDICTS]


def csv_of(*lines: str, header: str = "item,candidate,verdict,error,explanation") -> bytes:
    return "\n".join([header, *lines]).encode()


def read_csv(*lines: str, header: str = "item,candidate,verdict,error,explanation") -> list[Row]:
    rows = rows_of_judge(csv_of(*lines, header=header), "judge.csv")
    return [(row.item, row.candidate, row.verdict, row.error) for row in rows]


def read_json_lines(*rows: object) -> list[Row]:
    content = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    return [(row.item, row.candidate, row.verdict, row.error) for row in rows_of_judge(content, "judge.jsonl")]


def refusal_of(content: bytes, name: str) -> str:
    with pytest.raises(InputRefused) as refusal:
        rows_of_judge(content, name)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("correct", "correct"), ("Correct", "correct"), (" CORRECT ", "correct"), ("1", "correct"), ("true", "correct"),
        ("WAHR", "correct"), ("Oui", "correct"), ("FALSCH", "incorrect"), ("Non", "incorrect"),
        ("incorrect", "incorrect"), ("0", "incorrect"), ("False", "incorrect"), ("no", "incorrect"),
    ],
)  # fmt: skip
def test_the_usual_ways_of_saying_correct_and_incorrect_are_understood(said: str, meant: str) -> None:
    assert read_csv(f"i1,k1,{said},,") == [("i1", "k1", meant, None)]


@pytest.mark.parametrize(("said", "meant"), [(True, "correct"), (0, "incorrect"), (1.0, "correct"), ("yes", "correct")])
def test_json_values_are_understood_by_their_type(said: object, meant: str) -> None:
    assert read_json_lines({"item": "i1", "candidate": 7, "verdict": said}) == [("i1", "7", meant, None)]


@pytest.mark.parametrize(
    ("row", "error"), [({"failure": "refusal"}, "the judge refused"), ({"error": "timeout"}, "timeout")]
)
def test_in_json_a_reason_stands_for_a_verdict(row: dict[str, str], error: str) -> None:
    assert read_json_lines({"item": "i1", "candidate": "k1", **row}) == [("i1", "k1", None, error)]


@pytest.mark.parametrize("name", ["judge.json", "JUDGE.JSON"])
@pytest.mark.parametrize("said", [{"verdict": "correct"}, {"failure": "refusal"}])
def test_json_lines_with_our_columns_are_read_under_the_name_of_any_json_too(name: str, said: dict[str, str]) -> None:
    rows = [{"item": "i1", "candidate": "k1", **said}, {"item": "i2", "candidate": "k2", "verdict": "incorrect"}]
    content = "\n".join(map(json.dumps, rows)).encode()

    assert rows_of_judge(content, name) == rows_of_judge(content, "judge.jsonl")


def test_a_wrong_line_of_json_lines_under_the_name_of_any_json_is_refused_by_its_number() -> None:
    content = b'{"item": "i1", "candidate": "k1", "verdict": "correct"}\n{"item": "i2"}'

    assert "judge.json, line 2: expected an object with item, candidate, verdict" in refusal_of(content, "judge.json")


@pytest.mark.parametrize("row", [{}, {"failure": ""}, {"error": None}, {"verdikt": "correct"}])
def test_in_json_a_row_with_neither_a_verdict_nor_a_reason_is_refused(row: dict[str, object]) -> None:
    content = json.dumps({"item": "i1", "candidate": "k1", **row}).encode()

    assert "line 1: expected an object with item, candidate, verdict" in refusal_of(content, "judge.jsonl")


def test_a_row_without_a_verdict_is_an_error_and_never_incorrect() -> None:
    assert read_csv("i1,k1,,timeout,", "i1,k2,,,") == [
        ("i1", "k1", None, "timeout"),
        ("i1", "k2", None, "no verdict"),
    ]
    assert read_json_lines({"item": "i1", "candidate": "k1", "verdict": None}) == [("i1", "k1", None, "no verdict")]


def test_columns_that_judges_add_are_left_alone() -> None:
    assert read_csv("9.5,correct,k1,i1", header="score,verdict,candidate,item") == [("i1", "k1", "correct", None)]


def test_a_byte_order_mark_and_carriage_returns_do_not_matter() -> None:
    content = b"\xef\xbb\xbf" + csv_of("i1,k1,correct,,").replace(b"\n", b"\r\n")

    assert [row.verdict for row in rows_of_judge(content, "JUDGE.CSV")] == ["correct"]


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (csv_of("i1,k1,perhaps,,"), "judge.csv", "judge.csv, line 2: verdict 'perhaps' is neither correct nor"),
        (csv_of("i1,k1,VIELLEICHT,,"), "judge.csv", "verdict 'VIELLEICHT' is neither correct nor incorrect"),
        (csv_of("i1,k1,nan,,"), "judge.csv", "verdict 'nan' is neither correct nor incorrect"),
        (csv_of("i1,k1,correct,,", ",k2,correct,,"), "judge.csv", "judge.csv, line 3: item or candidate is empty"),
        (csv_of("i1,k1,incorrect,timeout,"), "judge.csv", "line 2: has both the verdict 'incorrect' and an error"),
        (csv_of("i1,k1"), "judge.csv", "judge.csv, line 2: not as many cells as the header has (5)"),
        (csv_of("i1,k1,correct,,well, yes"), "judge.csv", "judge.csv, line 2: not as many cells"),
        (
            csv_of("i1,k1", header="item,candidate"),
            "judge.csv",
            "it has item, candidate. Rename the column that has it, or say which it is (verdict=COLUMN, by File of",
        ),
        (csv_of("i,k,0,1", header="item,candidate,verdict,verdict"), "judge.csv", "names a column twice"),
        (csv_of('i1,k1,"correct,,'), "judge.csv", "judge.csv, line 2: the file ends inside quotation marks"),
        (csv_of(header='item,"candidate'), "judge.csv", "the file ends inside quotation marks"),
        (csv_of(), "judge.csv", "judge.csv holds no verdicts"),
        (
            csv_of("Was?,A,richtig", header="Frage,System,Urteil"),
            "judge.csv",
            "it has Frage, System, Urteil. If it is another program's, say what its columns are (File of another progr",
        ),
        (b"", "judge.csv", "judge.csv, line 1: the header lacks item, candidate, verdict"),
        (b"", "judge.jsonl", "judge.jsonl holds no verdicts"),
        (b"item\xff", "judge.csv", "judge.csv is not UTF-8 text (byte 4)"),
        (b"{}", "judge.json", "expected a file ending in .csv or .jsonl"),
        (b'{"item": "i1"', "judge.jsonl", "judge.jsonl, line 1: not valid JSON"),
        (b'\n{"item": "i1"}', "judge.jsonl", "judge.jsonl, line 2: expected an object with item, candidate, verdict"),
        (
            b'{"item": "i1"}\n' * 3,
            "judge.jsonl",
            "judge.jsonl, 3 lines (1, 2, 3): expected an object with item, candidate",
        ),
        (b"[1, 2, 3]", "judge.jsonl", "judge.jsonl, line 1: expected an object"),
        (b"[" * 100_000, "judge.jsonl", "judge.jsonl, line 1: not valid JSON"),
        (b'{"item": "i1", "candidate": "k1", "verdict": NaN}', "judge.jsonl", "verdict 'nan' is neither"),
        (b'{"item": "i1", "candidate": "k1", "verdict": {"a": 1}}', "judge.jsonl", "is neither correct nor incorrect"),
        (b'{"item": null, "candidate": "k1", "verdict": 1}', "judge.jsonl", "item or candidate is empty"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused_by_its_line(content: bytes, name: str, expected: str) -> None:
    assert expected in refusal_of(content, name)


@given(text=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=40))
def test_any_explanation_comes_through_json_lines(text: str) -> None:
    content = json.dumps({"item": "i", "candidate": "k", "verdict": 1, "explanation": text}, ensure_ascii=False)

    rows = rows_of_judge(content.encode(), "judge.jsonl")

    assert [row.explanation for row in rows] == [text.strip()]


@given(content=st.binary(max_size=200), name=st.sampled_from(NAMES))
def test_no_file_ends_in_anything_but_rows_or_a_refusal(content: bytes, name: str) -> None:
    try:
        rows = rows_of_judge(content, name)
    except InputRefused:
        return

    assert all((row.verdict is None) != (row.error is None) for row in rows)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (csv_of("a,m,maybe,,", "b,m,1,,", ",m,1,,", "c,m,1"), "judge.csv"),
        (
            (
                b'{"item": "a"}\n{"item": "b", "candidate": "m", "verdict": 1}\nno\n'
                b'{"item": 1, "candidate": "", "verdict": 1}'
            ),
            "judge.jsonl",
        ),
    ],
    ids=["csv", "jsonl"],
)
def test_everything_that_is_wrong_is_said_at_once(content: bytes, name: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        rows_of_judge(content, name)

    assert refusal.value.count == len(refusal.value.problems) == 3


def test_lines_refused_for_the_same_are_said_once_with_their_number_the_first_and_what_to_do() -> None:
    lines = [f"i{number},k1,k.A.,," for number in range(1, 9)]

    with pytest.raises(InputRefused) as refused:
        rows_of_judge(csv_of("i0,k1,perhaps,,", *lines), "judge.csv")

    remedy = (
        "is neither correct nor incorrect (1 or 0); leave it empty where none was given, or say what the word means, "
        "such as {}=refusal (Words on the page, --says of the command)."
    )
    assert [str(problem) for problem in refused.value.problems] == [
        f"judge.csv, line 2: verdict 'perhaps' {remedy.format('perhaps')}",
        f"judge.csv, 8 lines (3, 4, 5, 6, 7, 8 and 2 more): verdict 'k.A.' {remedy.format('k.A.')}",
    ]
    assert refused.value.count == 2


GRADES = scale_of_options([(f"g{grade}", f"Grade {grade}") for grade in range(1, 6)])
PREFERENCE = scale_of_options(
    [("a", "A is better"), ("b", "B is better"), ("tie", "Equally good"), ("neither", "Neither")]
)


@pytest.mark.parametrize(
    ("scale", "word", "remedy"),
    [
        (GRADES, "1", "such as 1=g1 ("),
        (GRADES, "G 4", "such as G 4=g4 ("),
        (GRADES, "grade 2!", "such as grade 2!=g2 ("),
        (GRADES, "9", "such as 9=CODE with one of g1, g2, g3, g4, g5 ("),
        (GRADES, "k.A.", "such as k.A.=refusal ("),
        (CORRECTNESS, "corect", "such as corect=correct ("),
        (CORRECTNESS, "2", "such as 2=CODE with one of incorrect, correct ("),
        (number_scale(1, 5), "7", "leave it empty where none was given, or correct the number."),
        (number_scale(1, 5), "none", "such as none=refusal ("),
        (PREFERENCE, "left better", "such as left better=CODE with one of a, b, tie, neither, refusal ("),
    ],
)
def test_what_is_suggested_for_a_word_fits_the_scale(scale: JudgeScale, word: str, remedy: str) -> None:
    with pytest.raises(InputRefused) as refused:
        rows_of_judge(csv_of(f"i1,k1,{word},,"), "judge.csv", scale)

    assert remedy in str(refused.value)


def test_the_words_of_our_own_table_mean_what_an_admin_says() -> None:
    problems = Problems()
    content = csv_of("i1,k1,k.A.,,", "i1,k2,richtig,,")

    rows = list(JudgeTable(content, "judge.csv", CORRECTNESS, problems, {"k.A.": "refusal", "richtig": "correct"}))

    assert not problems.count
    assert [(row.verdict, row.failure) for row in rows] == [(None, "refusal"), ("correct", None)]


@pytest.mark.parametrize("written", ["0.5_0", "０.５", "nan", "inf", "1e400", "9" * 5_000, "²"])
def test_a_confidence_that_is_no_plain_number_from_0_to_1_is_refused_by_its_line(written: str) -> None:
    with pytest.raises(InputRefused, match=r"line 2.*confidence"):
        rows_of_judge(csv_of(f"i1,k1,1,{written}", header="item,candidate,verdict,confidence"), "judge.csv")


@pytest.mark.parametrize("written", ["9" * 5_000, "1e400", "nan", "1_000", "²"])
def test_a_number_without_end_or_of_other_signs_is_no_verdict(written: str) -> None:
    assert number_scale(0.0, 1e9).code_of(written) is None
