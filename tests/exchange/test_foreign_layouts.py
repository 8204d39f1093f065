"""Files of other programs: recognised by their content, read row by row, and nothing in them guessed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from exchange import formats
from exchange.foreign.json_rows import value_at
from exchange.foreign.layout import OF_ITSELF, Asked, ForeignLine, Layout, Source
from exchange.foreign.reading import layout_of, read_foreign
from exchange.refusal import InputRefused, Problems
from protocol.scales import CORRECTNESS, scale_of_options
from services.judging.sources import asked_of
from tests.exchange.foreign_sources import FILES, json_lines, read, source_of

ROOT = Path(__file__).resolve().parents[2]
LIKERT = scale_of_options([(level, level) for level in "123"])


# ---- the table of layouts --------------------------------------------------------------------------------------------


def test_no_file_of_a_layout_was_left_out_of_the_table() -> None:
    modules = [
        importlib.import_module(f"exchange.foreign.{path.stem}") for path in (ROOT / "exchange/foreign").glob("*.py")
    ]

    layouts = [module.LAYOUT for module in modules if hasattr(module, "LAYOUT")]
    assert sorted(layout.key for layout in layouts) == sorted(layout.key for layout in formats.FOREIGN_VERDICTS)


@pytest.mark.parametrize("layout", formats.FOREIGN_VERDICTS, ids=lambda layout: layout.key)
def test_each_layout_stands_in_the_docs_by_name_and_key(layout: Layout) -> None:
    text = (ROOT / "docs" / "how-to" / "import-verdicts.md").read_text("utf-8")

    assert layout.name in text and f"`{layout.key}`" in text


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("marcus_vqa.json", "marcus"),
        ("marcus_mcq.jsonl", "marcus"),
        ("neurovlm_bench.jsonl", "neurovlm-bench"),
        ("inspect_ai.json", "inspect-ai"),
        ("healthbench_meta.jsonl", "healthbench-meta"),
    ],
)
def test_a_file_is_recognised_by_what_stands_in_it(name: str, key: str) -> None:
    layout = layout_of(Source(source_of(name).content, "renamed"), OF_ITSELF)

    assert layout is not None and layout.key == key
    assert [other.key for other in formats.FOREIGN_VERDICTS if other.recognises(source_of(name))] == [key]


@pytest.mark.parametrize(
    "content",
    [
        b"item,candidate,verdict\ni1,k1,1\n",
        b'{"item": "i1", "candidate": "k1", "verdict": 1, "question": "?", "eval_label": "Correct"}',
        b"", b"[", b"[]", b"{}", b"[1]", b"\xff\xfe\x00", b"PK\x03\x04", b"question,eval_label\n",
    ],
)  # fmt: skip
def test_our_own_tables_and_what_nobody_knows_are_of_no_layout(content: bytes) -> None:
    assert layout_of(Source(content, "judge"), OF_ITSELF) is None


def test_a_file_of_marcus_with_a_score_alone_is_read_as_the_table_of_formats_says() -> None:
    file = json_lines({"question": "?", "gt": "r", "score": "Correct"})
    docs = (ROOT / "docs" / "how-to" / "import-verdicts.md").read_text("utf-8")

    with pytest.raises(InputRefused, match="matches none of the known formats"):
        layout_of(file, OF_ITSELF)
    lines, problems = read(file, asked_of("marcus", columns=["verdict=score"]))

    assert ([line.said["verdict"] for line in lines], problems) == (["Correct"], [])
    assert "only `score`, is not recognised: `--format marcus --map verdict=score`" in docs


def test_json_lines_without_any_column_of_ours_are_refused_once_and_not_line_by_line() -> None:
    rows = [{"meta": {"qid": "i1"}, "grader": {"label": "PASS"}}] * 3

    with pytest.raises(InputRefused, match=r"judged.jsonl matches none of the known formats .* say what its col"):
        layout_of(json_lines(*rows), OF_ITSELF)
    mapped = layout_of(json_lines(*rows), asked_of(columns=["item=meta.qid", "verdict=grader.label"]))
    assert mapped is not None and mapped.key == "mapped"


def test_a_layout_that_is_asked_for_has_to_exist() -> None:
    with pytest.raises(InputRefused, match=r"no layout 'marcos' \(nearest: 'marcus'\), expected one of array, marcus"):
        layout_of(source_of("marcus_vqa.json"), Asked("marcos"))


# ---- our own columns, as an array ------------------------------------------------------------------------------------


def test_an_array_of_our_own_columns_is_read_like_our_lines() -> None:
    row = {"item": "i1", "candidate": "k1", "verdict": None, "failure": "refusal", "model": "the judge's own"}

    lines, problems = read(Source(json.dumps([row]).encode(), "judge.json"))

    assert problems == []
    assert (lines[0].clues, lines[0].said) == (
        {"item": ("i1",), "candidate": ("k1",)},
        {"verdict": None, "failure": "refusal", "model": "the judge's own"},
    )


def test_two_arrays_in_one_file_are_refused_where_the_first_ends() -> None:
    """Files that were put behind each other: the verdicts of the second would not be read."""
    rows = source_of("marcus_vqa.json").content

    with pytest.raises(InputRefused, match=r"entry \d+: not valid JSON \(something follows the array"):
        read(Source(rows + b"\n" + rows, "marcus.json"))


# ---- MARCUS ----------------------------------------------------------------------------------------------------------


def test_rows_of_marcus_are_read_by_any_of_their_names() -> None:
    lines, problems = read(source_of("marcus_vqa.json"), Asked(models=frozenset({"model-a"})), LIKERT)

    assert problems == []
    assert [line.clues.get("reference") for line in lines[:3]] == [("yes",), ("yes",), ("left",)]
    assert [line.clues["answer"][0] for line in lines[:3]] == ["Yes, there is.", "No.", "On  the left."]
    assert [line.clues.get("model") for line in lines[:3]] == [None, None, ("model-a",)]
    assert [str(line.said["verdict"]) for line in lines] == ["3", "1", "2", "", ""]
    assert lines[2].said["explanation"] == "Right side, no more."


def test_an_error_of_the_judge_of_marcus_is_no_verdict_and_says_of_which_kind() -> None:
    lines, _ = read(source_of("marcus_vqa.json"), scale=LIKERT)

    assert [line.said.get("failure") for line in lines[3:]] == ["unreadable", "error"]


def test_labels_of_marcus_are_words_of_the_scale_and_blank_lines_count() -> None:
    lines, problems = read(source_of("marcus_mcq.jsonl"))

    assert problems == []
    assert [(line.number, line.said["verdict"]) for line in lines] == [
        (1, "Correct"),
        (2, "Incorrect"),
        (4, "Excluded"),
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"eval_label": "Correct", "likert_score": 3}, "line 1: has both likert_score and eval_label"),
        ({"eval_label": "Correct", "eval_error": "timeout"}, "line 1: has both a verdict and eval_error"),
        ({"eval_label": "```\n{broken\n```"}, "line 1: holds a reply that is not valid JSON"),
        ({"eval_label": "Correct", "m1": "a", "m2": "b"}, "line 1: has answers of several models (m1, m2)"),
    ],
)
def test_a_row_of_marcus_that_means_two_things_is_named(row: dict[str, Any], says: str) -> None:
    lines, problems = read(json_lines({"question": "?", **row}), Asked(models=frozenset({"m1", "m2"})))

    assert lines == [] and says in problems[0]


def test_a_row_of_marcus_whose_verdict_has_another_name_is_refused_and_not_counted_as_none() -> None:
    lines, problems = read(json_lines({"question": "?", "gt": "r", "score": "Correct"}), Asked("marcus"))

    assert lines == []
    assert "has none of likert_score, eval_label and eval_error, but question, gt" in problems[0]
    assert "as verdict=" in problems[0]


# ---- NeuroVLM-Bench --------------------------------------------------------------------------------------------------


def test_lines_of_neurovlm_bench_say_what_is_in_the_field_and_what_kind_of_nothing() -> None:
    lines, problems = read(source_of("neurovlm_bench.jsonl"), Asked(field="diagnosis_name"))

    assert problems == []
    assert [line.said["verdict"] for line in lines] == ["stroke", "", "", ""]
    assert [line.said.get("failure") for line in lines] == [None, None, "unreadable", "error"]
    assert lines[0].said["confidence"] == "0.92"
    assert lines[2].said["explanation"] == "I am unable to help."
    assert lines[0].clues == {"image_path": ("../../data/aisd/i1.png",), "model": ("model-a", "model-a-2025-08-01")}


def test_a_field_that_the_response_lacks_is_asked_for() -> None:
    _, problems = read(source_of("neurovlm_bench.jsonl"), Asked(field="verdict"))

    assert "has no field 'verdict' in its response, but modality, specialized_sequence" in problems[0]
    assert "verdict=output.parsed_response.modality" in problems[0]
    _, without_field = read(source_of("neurovlm_bench.jsonl"), Asked())
    assert "has a response of modality, specialized_sequence" in without_field[0]


def test_a_mapped_field_is_read_where_there_is_a_response() -> None:
    lines, problems = read(
        source_of("neurovlm_bench.jsonl"), asked_of(columns=["verdict=output.parsed_response.modality"])
    )

    assert problems == []
    assert [line.said.get("verdict") for line in lines] == ["CT", "CT", "", ""]


# ---- HealthBench -----------------------------------------------------------------------------------------------------


def test_labels_of_physicians_are_lines_of_each_of_them() -> None:
    lines, problems = read(source_of("healthbench_meta.jsonl"))

    assert problems == []
    assert [(line.number, line.party, line.said["verdict"]) for line in lines] == [
        (1, "p1", True), (1, "p2", True), (1, "p3", False), (2, "p2", True), (2, "p4", False),
    ]  # fmt: skip


def test_what_a_grader_added_is_a_verdict_and_the_labels_are_left_alone() -> None:
    row = {"completion_id": "k1", "rubric": "r", "binary_labels": [True], "anonymized_physician_ids": ["p1"]}

    lines, _ = read(json_lines({**row, "criteria_met": False, "explanation": "It does not."}))

    assert [(line.party, line.said["verdict"], line.said["explanation"]) for line in lines] == [
        ("", False, "It does not.")
    ]


@pytest.mark.parametrize("people", [["p1"], None, ["p1", "p1"]])
def test_labels_that_go_to_nobody_are_named_with_their_line(people: Any) -> None:
    row = {"completion_id": "k1", "rubric": "r", "binary_labels": [True, False], "anonymized_physician_ids": people}

    lines, problems = read(json_lines(row))

    assert lines == [] and problems[0].startswith("judged.jsonl, line 1: ")


# ---- mapped columns --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"Frage;Modell;Urteil\nWo?;m1;richtig\n",
        b'[{"Frage": "Wo?", "Modell": "m1", "Urteil": "richtig"}]',
        b'{"Frage": "Wo?", "Modell": "m1", "Urteil": "richtig"}\n',
    ],
)
def test_columns_are_mapped_in_tables_arrays_and_lines(content: bytes) -> None:
    asked = asked_of(columns=["question=Frage", "model=Modell", "verdict=Urteil"], says=["richtig=correct"])

    lines, problems = read(Source(content, "urteile.csv"), asked)

    assert problems == []
    assert [(line.clues, line.said) for line in lines] == [
        ({"question": ("Wo?",), "model": ("m1",)}, {"verdict": "correct"})
    ]


@pytest.mark.parametrize(
    ("verdict", "says", "meant"),
    [
        ("k.A.", "k.A.=refusal", {"verdict": "", "failure": "refusal"}),
        (True, "true=incorrect", {"verdict": "incorrect"}),
        (2.0, "2=correct", {"verdict": "correct"}),
    ],
)
def test_what_a_word_means_is_said_once_for_all_rows(verdict: Any, says: str, meant: dict[str, str]) -> None:
    lines, _ = read(json_lines({"said": verdict}), asked_of(columns=["verdict=said"], says=[says]))

    assert lines[0].said == meant


def test_a_path_that_leads_nowhere_in_any_row_is_refused_with_the_nearest() -> None:
    _, problems = read(json_lines({"grade": 1}, {"grade": 0}), asked_of(columns=["verdict=grad"]))

    assert problems == ["judged.jsonl has nothing under 'grad', mapped to verdict (nearest: 'grade')."]


def test_a_column_that_a_table_lacks_is_refused() -> None:
    with pytest.raises(InputRefused, match="line 1: the header lacks grade; expected grade"):
        read(Source(b"a,b\n1,2\n", "a.csv"), asked_of(columns=["verdict=grade"]))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'[{"a": 1}, {"a": 2}', "entry 3: not valid JSON (the array does not end"),
        (b'[{"a": 1}, {"a": 2, "a": 3}]', "entry 2: not valid JSON (the key 'a' appears twice"),
        (b'[{"a": ' + b"[" * 100_000 + b"]", "entry 1: not valid JSON (nested too deeply"),
    ],
)
def test_a_damaged_array_is_refused_from_its_entry_on(content: bytes, says: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        read(Source(content, "a.json"), asked_of(columns=["verdict=a"]))

    assert says in str(refusal.value)


@pytest.mark.parametrize("name", ["log.json", "log.eval"])
def test_a_log_that_breaks_off_is_damaged_and_not_of_an_unknown_format(name: str) -> None:
    with pytest.raises(InputRefused, match=rf"{name}: not valid JSON \(.*\); export the file again"):
        layout_of(Source(b'{\n"version": 2, "eval": {}, "samples": [{"id": 1}, {"i', name), asked_of())


@pytest.mark.parametrize("key", [layout.key for layout in formats.FOREIGN_VERDICTS])
@pytest.mark.parametrize(
    "content",
    [b"\x00\x01", b"{", b"[[]]", b'{"a": 1e999}\n5\n"x"', b"\xff\xfe", b'a,b\n"', b"PK\x03\x04", b'{"samples": 5}'],
)
def test_bytes_that_nobody_meant_are_refused_or_noted_and_break_nothing(key: str, content: bytes) -> None:
    try:
        lines, problems = read(Source(content, "a.json"), Asked(key, {"verdict": "a"}))
    except InputRefused as refusal:
        assert str(refusal)
    else:
        assert problems or not any(line.said.get("verdict") == "correct" for line in lines)


def with_each_value_replaced(value: Any, by: Any) -> list[Any]:
    """Return an object as often as it has values, each time with another of them replaced, however deep."""
    if isinstance(value, dict):
        return [by] + [
            {**value, key: other} for key, inner in value.items() for other in with_each_value_replaced(inner, by)
        ]
    if isinstance(value, list) and value:
        return [by] + [[other, *value[1:]] for other in with_each_value_replaced(value[0], by)]
    return [by]


@pytest.mark.parametrize("by", [None, 5, "x", [], {}, [{}], {"a": []}, True], ids=str)
@pytest.mark.parametrize("name", sorted(path.name for path in FILES.iterdir()))
def test_a_file_with_any_value_of_another_kind_is_read_or_refused_by_sentences(name: str, by: Any) -> None:
    text = source_of(name).text
    rows = json.loads(text) if name.endswith("json") else [json.loads(line) for line in text.splitlines() if line]

    for changed in with_each_value_replaced(rows, by):
        source = Source(json.dumps(changed).encode(), name)
        try:
            if (layout := layout_of(source, OF_ITSELF)) is not None:
                list(read_foreign(source, layout, OF_ITSELF, CORRECTNESS, Problems()).lines)
        except InputRefused as refusal:
            assert str(refusal)


def clues(lines: Sequence[ForeignLine]) -> list[dict[str, tuple[str, ...]]]:
    return [line.clues for line in lines]


def test_what_a_layout_reads_can_be_mapped_otherwise_or_left_out() -> None:
    asked = asked_of(columns=["reference=", "case=category"], of_model="model-b")

    lines, _ = read(source_of("marcus_mcq.jsonl"), asked)

    assert clues(lines)[1] == {
        "question": ("Prompt of i1?",), "answer": ("No.",), "case": ("presence",), "model": ("model-b",),
    }  # fmt: skip


# ---- no verdict is lost ----------------------------------------------------------------------------------------------


def _file(content: Any) -> Source:
    return Source(json.dumps(content).encode(), "own.json")


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("marcus", {"question": "q", "gt": "r", "eval_error": None, "rating": 2}),
        ("neurovlm-bench", {"input": {"image_path": "a"}, "output": {"status": "success"}, "rating": 2}),
        ("array", {"item": "i1", "candidate": "k1", "failure": "", "rating": 2}),
    ],
)
def test_a_mapped_verdict_is_taken_where_the_layout_itself_finds_none(key: str, row: dict[str, Any]) -> None:
    (line,), problems = read(_file([row]), Asked(key, columns={"verdict": "rating"}), LIKERT)

    assert problems == [] and line.said["verdict"] == 2 and not line.said.get("failure")


@pytest.mark.parametrize(
    ("key", "row", "says"),
    [
        ("marcus", {"question": "q", "gt": "r", "eval_error": "Timeout", "rating": 2}, "both a verdict and eval_error"),
        ("neurovlm-bench", {"input": {"image_path": "a"}, "output": {"status": "failed"}, "rating": 2}, "none (error)"),
        ("array", {"item": "i1", "candidate": "k1", "failure": "refusal", "rating": 2}, "none (refusal)"),
    ],
)
def test_a_mapped_verdict_beside_a_reason_for_none_is_refused_and_not_left_out(
    key: str, row: dict[str, Any], says: str
) -> None:
    lines, (problem,) = read(_file([row]), Asked(key, columns={"verdict": "rating"}), LIKERT)

    assert lines == [] and says in problem


def test_a_sample_of_inspect_ai_without_a_score_has_the_mapped_verdict() -> None:
    log = {"version": 2, "eval": {"model": "m"}, "samples": [{"id": "i1", "metadata": {"rating": 2}}]}

    (line,), problems = read(_file(log), Asked(columns={"verdict": "metadata.rating"}), LIKERT)

    assert problems == [] and line.said["verdict"] == 2 and not line.said.get("failure")


def test_a_score_of_inspect_ai_that_is_no_object_is_refused_and_not_taken_for_none() -> None:
    log = {"version": 2, "eval": {"model": "m"}, "samples": [{"id": "i1", "scores": {"grader": "C"}}]}

    lines, (problem,) = read(_file(log))

    assert lines == [] and "sample 1: has a score that is not an object" in problem


def test_samples_refused_for_the_same_are_said_once_with_their_number_and_the_first() -> None:
    samples = [{"id": f"i{number}", "scores": {"one": {"value": "C"}, "two": {"value": "I"}}} for number in range(8)]
    log = {"version": 2, "eval": {"model": "m"}, "samples": [3, "x", *samples]}

    lines, problems = read(_file(log))

    assert lines == [] and len(problems) == 2
    assert "2 samples (1, 2): expected an object" in problems[0]
    assert "8 samples (3, 4, 5, 6, 7, 8 and 2 more): has several scores, one, two; say which" in problems[1]


def test_a_whole_reply_in_a_score_of_marcus_that_names_it_otherwise_is_refused() -> None:
    row = {"question": "q", "gt": "r", "likert_score": '```json\n{"score": 3, "explanation": "e"}\n```'}

    lines, (problem,) = read(_file([row]), scale=LIKERT)

    assert lines == [] and "holds a reply without answer, but score, explanation" in problem


def test_the_confidence_in_a_severity_of_zero_is_read() -> None:
    response = {"severity_score": 0, "severity_confidence": 0.7}
    row = {"input": {"image_path": "a"}, "output": {"status": "success", "parsed_response": response}}

    (line,), _ = read(_file([row]), Asked(field="severity_score"), LIKERT)

    assert line.said == {"verdict": 0, "confidence": 0.7}


@pytest.mark.parametrize("labelled", [{}, {"labeller": "Dr A"}])
def test_an_entry_of_our_own_columns_without_a_verdict_is_refused_as_a_line_is(labelled: dict[str, str]) -> None:
    row = {"item": "i1", "candidate": "k1", **labelled}

    lines, (problem,) = read(_file([{**row, "verdict": "correct"}, {**row, "score": "correct"}]))

    assert len(lines) == 1 and "entry 2: has no verdict, but item, candidate" in problem


@pytest.mark.parametrize("part", ["²", "１", "9" * 5_000, "-1", "2"])
def test_a_path_that_names_no_line_of_a_list_leads_to_nothing(part: str) -> None:
    assert value_at({"choices": [{"text": "yes"}, {"text": "no"}]}, f"choices.{part}.text") is None
