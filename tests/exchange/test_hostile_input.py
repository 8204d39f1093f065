"""Small files that unfold to gigabytes, numbers that nothing can store, and what is no text: one sentence each."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.protocol_file import parse_protocol
from exchange.study_zip import unpack_study_zip
from protocol.study import Protocol
from tests.judge_tables import rows_of_judge
from tests.situations import PROTOCOL


def protocol_with(**changes: Any) -> str:
    return yaml.safe_dump({**PROTOCOL, **changes})


def refusal_of_protocol(text: str) -> str:
    with pytest.raises(InputRefused) as refusal:
        parse_protocol(text)
    sentence = str(refusal.value)
    assert "\n" not in sentence and len(sentence) < 400
    return sentence


def merge_keys(levels: int) -> str:
    """Each level merges the one before it ten times: 10 to the power of its number of pairs."""
    lines = ["a0: &a0 {k: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, levels)]
    return "\n".join(lines)


def shared_aliases(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        merge_keys(9),
        shared_aliases(12),
        "a: &a [*a]",
        "a: &a {<<: *a}",
        "[" + "x, " * 30_000 + "]",
        "forms: {" + ", ".join(f"f{number}: 1" for number in range(15_000)) + "}",
    ],
)
def test_what_unfolds_to_more_than_a_protocol_can_mean_is_refused(text: str) -> None:
    assert "more than 20,000 values" in refusal_of_protocol(text)


def test_a_protocol_of_more_than_a_megabyte_is_refused_unread() -> None:
    assert "has more than 1,000,000 letters" in refusal_of_protocol("# " + "x" * 1_000_001)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 2**63}, "key seed: found 9223372036854775808, expected a whole number of at most 64 bits"),
        ({"seed": -(2**63) - 1}, "key seed"),
        ({"seed": -1}, "key seed: found -1, expected a whole number from 0"),
        ({"analysis": {"seed": 2**64}}, "key analysis.seed"),
        ({"hanging": {"window_percentiles": [float("nan"), 99]}}, "line 1 of hanging.window_percentiles: found nan"),
        ({"title": "a\x00b"}, "key title: holds a NUL character"),
        ({"title": "a\ud800b"}, "key title: holds an unpaired surrogate"),
        ({"instructions": "x" * 20_001}, "key instructions: has 20001 characters"),
        ({"forms": {f"f{n}": PROTOCOL["forms"]["open"] for n in range(51)}}, "key forms: 51 entries, at most 50"),
    ],
)
def test_what_no_database_can_store_is_refused_at_import(changes: dict[str, Any], said: str) -> None:
    # JSON is YAML, and can write what PyYAML would refuse to.
    text = json.dumps({**PROTOCOL, **changes}).replace("NaN", ".nan")

    assert said in refusal_of_protocol(text)


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf"])
@pytest.mark.parametrize("key", ["minimum", "maximum"])
def test_a_bound_that_is_no_number_is_refused_at_import(key: str, number: str) -> None:
    field = {"key": "answer", "type": "number", "label": "Answer", key: "HERE"}
    text = protocol_with(forms={"open": {"fields": [field]}}).replace("HERE", number)

    assert f"key forms.open.fields.answer.{key}: found" in refusal_of_protocol(text)


@pytest.mark.parametrize(("key", "entries", "most"), [("fields", 101, 100), ("options", 101, 100)])
def test_lists_of_a_form_are_bounded(key: str, entries: int, most: int) -> None:
    options = [{"id": str(number), "text": "x"} for number in range(entries)]
    fields = [{"key": "answer", "type": "choice", "label": "Answer", "options": options}]
    if key == "fields":
        fields = [{"key": f"f{number}", "type": "text", "label": "x"} for number in range(entries)]

    said = refusal_of_protocol(protocol_with(forms={"open": {"fields": fields}}))

    assert f"{key}: {entries} entries, at most {most} are taken" in said


def test_a_number_with_a_zero_before_it_is_decimal() -> None:
    """YAML 1.1 would read 020 as 16."""
    assert parse_protocol(protocol_with(seed="HERE").replace("HERE", "020")).seed == 20


@pytest.mark.parametrize("number", ["33:20", "0x10", "0b11", "1:30.5"])
def test_what_only_yaml_takes_for_a_number_is_refused(number: str) -> None:
    assert f"key seed: found '{number}'" in refusal_of_protocol(protocol_with(seed="HERE").replace("HERE", number))


@pytest.mark.parametrize("number", ["9" * 5_000, "1" * 5_000 + ".5"])
def test_a_number_of_thousands_of_digits_is_named_by_its_line(number: str) -> None:
    assert "line 2: a number of" in refusal_of_protocol(f"name: tiny\nseed: {number}\n")


def test_a_word_that_yaml_reads_as_true_is_explained() -> None:
    field = {"key": "why", "type": "text", "label": "Why", "depends_on": {"field": "answer", "values": [True]}}
    forms = {"yes_no": {"fields": [PROTOCOL["forms"]["yes_no"]["fields"][0], field]}}

    assert "how YAML reads yes, no, on and off; put it in quotes" in refusal_of_protocol(protocol_with(forms=forms))


@pytest.mark.parametrize("start", ["corner", [1, 2], [1, 2, "x"]])
def test_a_value_that_fits_none_of_several_kinds_is_one_problem(start: object) -> None:
    said = refusal_of_protocol(protocol_with(hanging={"start": start}))

    assert "key hanging.start: found" in said
    assert "expected middle, or a point in mm" in said
    assert "more after it" not in said


def test_a_protocol_that_was_stored_before_is_read_as_ever() -> None:
    """What is refused at import may stand in a frozen study, whose verdicts go on."""
    field = {"key": "answer", "type": "number", "label": "Answer", "minimum": float("nan")}
    stored = json.dumps({**PROTOCOL, "seed": -1, "forms": {"open": {"fields": [field]}}})

    assert Protocol.model_validate_json(stored).seed == -1


def refusal_of_judge(content: bytes, name: str = "judge.jsonl") -> str:
    with pytest.raises(InputRefused) as refusal:
        rows_of_judge(content, name)
    sentence = str(refusal.value)
    assert "\n" not in sentence and len(sentence) < 300
    return sentence


def judge_line(**values: object) -> bytes:
    return json.dumps({"item": "i1", "candidate": "k1", "verdict": 1, **values}).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"item": "i1", "candidate": "k1", "verdict": ' + b"9" * 5_000 + b"}", "line 1: not valid JSON (a number of"),
        (b'{"item": "i1", "candidate": "k1", "verdict": 0.' + b"9" * 5_000 + b"}", "line 1: not valid JSON (a number"),
        (b"\n" + judge_line(explanation="\ud800"), "line 2: explanation holds an unpaired surrogate"),
        (b"\n" + judge_line(candidate="k\0" + "1"), "line 2: candidate holds a NUL character; remove it."),
        (b"\n" + judge_line(verdict="cor\0rect"), "line 2: verdict holds a NUL character; remove it."),
        (b'{"item": "i1", "item": "i2", "candidate": "k1", "verdict": 1}', "line 1: not valid JSON (the key 'item'"),
        (judge_line(explanation="x" * 60_000_000), "line 1: 60,000,0"),
        (judge_line(explanation="x" * 30_000), "line 1: explanation has 30,000 letters, at most 20,000 are taken"),
        (judge_line(item="i" * 390), "line 1: item has 390 letters, at most 80 are taken"),
    ],
)
def test_a_judges_line_that_is_too_much_is_one_sentence(content: bytes, said: str) -> None:
    assert said in refusal_of_judge(content)


def test_a_judges_table_with_an_endless_cell_is_one_sentence() -> None:
    content = b"item,candidate,verdict,explanation\ni1,k1,1," + b"x" * 60_000_000

    assert "line 2: a cell has more than 20000 characters" in refusal_of_judge(content, "judge.csv")


@pytest.mark.parametrize("column", ["i1,k\0001,correct,", "i1,k1,cor\0rect,", "i1,k1,correct,\0"])
def test_a_nul_in_a_judges_table_is_refused_with_its_line(column: str) -> None:
    content = f"item,candidate,verdict,explanation\ni1,k2,correct,\n{column}\n".encode()

    assert "line 3: " in (said := refusal_of_judge(content, "judge.csv"))
    assert "holds a NUL character; remove it." in said


@pytest.mark.parametrize("cut", ['i1,k2,correct,"cut off', 'i1,k2,correct,"cut\n\noff\n'])
def test_a_judges_table_that_is_cut_off_within_quotation_marks_says_where_they_begin(cut: str) -> None:
    content = f'item,candidate,verdict,explanation\ni1,k1,correct,"two\nlines"\n{cut}'.encode()

    assert refusal_of_judge(content, "judge.csv") == (
        "judge.csv, line 4: the file ends inside quotation marks that begin in this row: it is incomplete (export it "
        "again), or they are not closed (correct the row)."
    )


def test_a_judges_table_with_semicolons_is_understood() -> None:
    rows = rows_of_judge(b"item;candidate;verdict\ni1;k1;correct\n", "judge.csv")

    assert [(row.item, row.verdict) for row in rows] == [("i1", "correct")]


def test_a_judges_file_with_a_name_of_390_letters_is_named_in_short() -> None:
    assert refusal_of_judge(b"x", "j" * 390 + ".csv").startswith("j" * 77 + "...")


@pytest.mark.parametrize("name", ["n" * 390, "a/" * 600 + "b", "ü" * 150])
def test_a_zip_with_names_that_no_disk_takes_says_so_and_names_no_path_of_the_server(tmp_path: Path, name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("protocol.yaml", "name: x")
        archive.writestr(name, "x")

    with pytest.raises(InputRefused, match="holds the name") as refusal:
        unpack_study_zip(packed, "s" * 390 + ".zip", tmp_path)

    assert str(tmp_path) not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_a_zip_that_cannot_be_written_names_no_path_of_the_server(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("protocol.yaml", "name: x")
        archive.writestr("protocol.yaml/inside", "x")

    with pytest.raises(InputRefused) as refusal:
        unpack_study_zip(packed, "study.zip", tmp_path)

    assert str(tmp_path) not in str(refusal.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_that_holds_a_name_twice_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("protocol.yaml", "name: x")
        archive.writestr("protocol.yaml", "name: y")

    with pytest.raises(InputRefused, match=r"holds 'protocol\.yaml' twice"):
        unpack_study_zip(packed, "study.zip", tmp_path)
