"""Protocols that list their phases, as files: scalars are text, lists are shared, problems have file and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from exchange.refusal import InputRefused, Problems
from exchange.study_folder.protocol_file import read_protocol_as_far_as_it_goes
from exchange.study_folder.study_file import read_study
from protocol.language.expansion import Expansion

Read = Callable[[str], Expansion]
HEAD = "blindread: 2\nname: a-study\ntitle: A study\n"
SHARED = "- {id: yes, text: Plausible, example: A finding that the scan can have}\n- {id: no, text: Not plausible}\n"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A function that reads the text of a protocol, beside a folder with one shared list."""

    def study(text: str) -> Expansion:
        (tmp_path / "lists").mkdir(exist_ok=True)
        (tmp_path / "lists" / "plausibility.yaml").write_text(SHARED, encoding="utf-8")
        (tmp_path / "protocol.yaml").write_text(HEAD + text, encoding="utf-8")
        return read_study(tmp_path / "protocol.yaml", "0.0.0", (tmp_path / "lists",))

    return study


def refusal(read: Read, text: str) -> list[str]:
    with pytest.raises(InputRefused) as refused:
        read(text)
    return [str(problem) for problem in refused.value.problems]


def test_yes_no_and_numbers_are_text_where_a_text_is_due(read: Read) -> None:
    study = read(
        "phases: [{key: a, rates: candidates, from: {where: {model: 4.10}}, shows: [candidate],"
        " form: {v: {type: choice, options: {no: No, 1.0: One}}}, flags: [yes, off]}]"
    )

    assert study.phases[0].source.where[0].values == ["4.10"]
    assert [option.id for option in study.phases[0].fields[0].options] == ["no", "1.0"]
    assert [flag.text for flag in study.phases[0].flags] == ["yes", "off"]


def test_a_shared_list_is_read_with_its_examples(read: Read) -> None:
    study = read(
        "phases: [{key: a, rates: items, shows: [prompt], form: {v: {type: choice, options: lists/plausibility}}}]"
    )

    options = study.phases[0].fields[0].options
    assert [(option.id, option.text) for option in options] == [("yes", "Plausible"), ("no", "Not plausible")]
    assert options[0].example == "A finding that the scan can have"


PROBLEMS = {
    "phases are named by their key": (
        "phases: [{key: score, rates: candidates, shows: [candidat], form: {v: correctness}}]",
        "protocol.yaml, key phases.score.shows: there is no thing to show 'candidat' (nearest: 'candidate')",
    ),
    "a key that does not exist": (
        "phases: [{key: read, rates: items, showes: [], shows: [], form: {v: text}}]",
        "protocol.yaml, key phases.read.showes: there is no such key (nearest: 'shows')",
    ),
    "an empty key": (
        "attributes: {'': {site: text}}\nphases: [{key: read, rates: items, shows: [prompt], form: {v: text}}]",
        "protocol.yaml, key attributes.'': there is no such key, expected cases, items",
    ),
    "a key that is missing": (
        "phases: [{key: read, rates: items, form: {v: text}}]",
        "protocol.yaml, key phases.read.shows: it is missing; add it.",
    ),
    "short forms are named as they are written": (
        "phases: [{key: read, rates: items, shows: [], form: {v: txt}}]",
        "protocol.yaml, key phases.read.form.v.type: found 'txt', expected",
    ),
    "a reference that would be shown too early": (
        """phases:
        - {key: score, rates: candidates, shows: [reference], form: {v: correctness}}
        - {key: read, rates: items, shows: [scans], form: {v: text}}""",
        "protocol.yaml, key phases.score.shows: phase 'score' shows the reference to people who can still have to rate",
    ),
    "a word where keys are due": (
        "phases: [{key: read, rates: items, shows: [], form: {v: text}, opens: at_once}]",
        "protocol.yaml, key phases.read.opens: found 'at_once', expected keys below it (after, done_by, at_once",
    ),
    "keys where a list is due are named in words": (
        """phases: [{key: read, rates: items, shows: [], form: {v: yes_no}}]
analysis: {also: {estimate: accuracy, of: read.v, by: category, where: {format: open}, k: 2}}""",
        "protocol.yaml, key analysis.also: found keys and values (estimate, of, by, where, ...), expected a list, as",
    ),
    "a list of keys where text is due is counted": (
        """phases: [{key: read, rates: items, shows: [], form: {v: yes_no}}]
analysis: {also: [{estimate: [{a: 1}], of: read.v}]}""",
        "protocol.yaml, line 1 of analysis.also, key estimate: found a list of one entry with keys, expected",
    ),
    "texts of options that depend on another field": (
        """phases: [{key: a, rates: items, shows: [prompt], form: {above: {type: choice, options: {nodule: Nodule}},
        kind: {type: choice, options: {solid: Solid}, options_by: {above: {nodule: {solid: Solid}}}}}}]""",
        "protocol.yaml, key phases.a.form.kind.options_by.above.nodule: found keys and values (solid), expected a list",
    ),
    "a line of a list is counted from one": (
        (
            "phases: [{key: read, rates: items, shows: [], form: {v: text}}]\n"
            "analysis: {also: [{estimate: agreement, of: read.v}, {estimate: agreement, of: read.w}]}"
        ),
        "protocol.yaml, line 2 of analysis.also, key of: there is no field of a phase 'read.w'",
    ),
    "a line that says the same as another": (
        (
            "phases: [{key: read, rates: items, shows: [], form: {v: text}}]\n"
            "analysis: {also: [{estimate: agreement, of: read.v}, {estimate: agreement, of: read.v}]}"
        ),
        "protocol.yaml, line 2 of analysis.also: it says the same as line 1 of analysis.also; remove one of the two.",
    ),
    "a value that is wrong": (
        "phases: [{key: read, rates: items, shows: [], form: {v: text}, order: sorted}]",
        "protocol.yaml, key phases.read.order: found 'sorted', expected 'random' or 'as_listed'; correct the value.",
    ),
    "a criterion in the place of the primary estimate": (
        (
            "phases: [{key: read, rates: items, shows: [], form: {v: yes_no}}]\n"
            "analysis: {primary: {estimate: accuracy, of: read.v, above: 0.8}}"
        ),
        (
            "protocol.yaml, key analysis.primary.above: above is a key of a criterion; list the line under "
            "analysis.criteria, with a key of its own."
        ),
    ),
    "a criterion on a mean, whose bound would be out of range": (
        (
            "phases: [{key: read, rates: items, shows: [], form: {v: {type: number, unit: mm}}}]\n"
            "analysis: {criteria: [{key: it, estimate: mean, of: read.v, above: 3}]}"
        ),
        (
            "protocol.yaml, key analysis.criteria.it.estimate: mean cannot have a criterion; accuracy, agreement, "
            "direction, rate, pass_at, macro_f1, calibration, auc, difference, correlation can: declare the line under "
            "also."
        ),
    ),
    "a bound out of range of what a criterion can hold": (
        (
            "phases: [{key: read, rates: items, shows: [], form: {v: yes_no}}]\n"
            "analysis: {criteria: [{key: it, estimate: accuracy, of: read.v, above: 3}]}"
        ),
        "protocol.yaml, key analysis.criteria.it.above: found '3', expected at most 1; correct the value.",
    ),
    "keys of the other language": (
        "reading: {}\nphases: [{key: read, rates: items, shows: [], form: {v: text}}]",
        "protocol.yaml, key reading: there is no such key",
    ),
}


@pytest.mark.parametrize(("text", "says"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_names_file_and_key_as_they_are_written(read: Read, text: str, says: str) -> None:
    problems = refusal(read, text)

    assert any(problem.startswith(says) for problem in problems), problems


def test_all_problems_are_said_at_once(read: Read) -> None:
    problems = refusal(
        read,
        "phases: [{key: a, rates: items, shows: [nothing], form: {v: text}},"
        " {key: b, rates: itms, shows: [], form: {v: text}}]",
    )

    assert len(problems) == 2


def test_a_list_with_a_mistake_is_named_by_its_file(read: Read, tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "broken.yaml").write_text("- {id: a, txt: A}\n", encoding="utf-8")

    problems = refusal(
        read, "phases: [{key: a, rates: items, shows: [], form: {v: {type: choice, options: lists/broken}}}]"
    )

    assert any(problem.startswith("lists/broken.yaml, ") for problem in problems), problems


def test_a_list_below_a_key_of_its_own_is_refused_in_one_sentence(read: Read, tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "kinds.yaml").write_text("version: 1\noptions: {a: Alpha, b: Beta}\n", encoding="utf-8")

    (says,) = refusal(
        read, "phases: [{key: a, rates: items, shows: [], form: {v: {type: choice, options: lists/kinds}}}]"
    )

    assert says == (
        "lists/kinds.yaml, key options: options stand below a key, and a shared list is nothing but its options; "
        "remove version, options and write them from the beginning of the line, as a list or as ids with their texts."
    )


def test_the_protocol_of_such_a_study_alone_is_refused_in_one_sentence(read: Read, tmp_path: Path) -> None:
    read("phases: [{key: a, rates: items, shows: [], form: {v: text}}]")

    problems = Problems()
    read_protocol_as_far_as_it_goes(tmp_path / "protocol.yaml", problems)

    with pytest.raises(InputRefused, match="lists its phases is read with its folder"):
        problems.refuse()


@pytest.mark.parametrize("text", ["- a\n", "3\n", "", "{}\n", "phases: []\n", "phases: {a: b}\n", "phases: [a]\n"])
def test_nonsense_is_refused_in_sentences(read: Read, text: str) -> None:
    assert all(len(problem) < 400 and "\n" not in problem for problem in refusal(read, text))
