"""All that is wrong with a protocol is said at once: keys, their fit, the law, tables; nothing that only follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.listed_folder import Expanding, look_through_listed
from exchange.study_folder.protocol_yaml import load
from exchange.study_folder.study_language import lists_phases
from tests.situations import write_table

STUDIES = Path(__file__).resolve().parents[2] / "studies"
EXPANDING = Expanding("test", (STUDIES / "lists",))
SHAPES = [
    file.parent
    for file in sorted(STUDIES.glob("*/protocol.yaml"))
    if lists_phases(load(file.read_text(encoding="utf-8"), "protocol.yaml"))
]
ONE_OF_EACH = """
blindread: 2
name: four
title: One of each
groups: {readers: Readers, scorers: Scorers}
phases:
  - {key: flag, rates: items, shows: [prompt], form: {v: text}, by: scorers, order: radnom}
  - {key: early, rates: items, shows: [prompt, reference], form: {v: text}, by: readers}
  - {key: read, rates: items, shows: [prompt], form: {v: text}, by: readers}
  - {key: score, rates: items, shows: [promt], form: {v: text}, by: scorers, from: {phase: flag, let_in: [flagged]}}
"""


def folder_of(tmp_path: Path, protocol: str, item_format: str = "open") -> Path:
    (tmp_path / "protocol.yaml").write_text(protocol, encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,format,prompt", [("i1", item_format, "Why?")])
    return tmp_path


def refusal_of(folder: Path) -> InputRefused:
    with pytest.raises(InputRefused) as refused:
        read_study_folder(folder, EXPANDING)
    return refused.value


def test_one_error_of_each_kind_is_said_in_one_go(tmp_path: Path) -> None:
    refusal = refusal_of(folder_of(tmp_path, ONE_OF_EACH, item_format="opn"))

    beginnings = [
        "protocol.yaml, key phases.flag.order: found 'radnom', expected",
        "protocol.yaml, key phases.score.shows: there is no thing to show 'promt' (nearest: 'prompt')",
        "protocol.yaml, key phases.early.shows: phase 'early' shows the reference to people who can still have to rate",
        "items.csv, line 2: format is 'opn'",
    ]
    assert len(refusal.problems) == 4
    for problem, beginning in zip(refusal.problems, beginnings, strict=True):
        assert str(problem).startswith(beginning)
    assert refusal.unseen == (
        "Not looked at because of this: what depends on phase 'flag' (phases.score.from); whether flag, score keep to "
        "blinding and can be run; what the phases need of the tables."
    )


@pytest.mark.parametrize("twice", ["flag", "read"], ids=["beside one that is wrong", "both are right"])
def test_a_phase_key_that_stands_twice_is_said_beside_what_is_wrong_in_a_phase(tmp_path: Path, twice: str) -> None:
    again = f"  - {{key: {twice}, rates: items, shows: [prompt], form: {{v: text}}, by: readers}}\n"

    problems = refusal_of(folder_of(tmp_path, ONE_OF_EACH + again)).problems

    places = {problem.place for problem in problems}
    assert "key phases.flag.order" in places
    assert [problem.says for problem in problems if "two phases" in problem.says] == [
        f"two phases are called '{twice}'; every phase needs a key of its own."
    ]


def test_of_two_phases_of_one_key_the_second_may_be_the_one_that_is_wrong(tmp_path: Path) -> None:
    again = "  - {key: read, rates: items, shows: [prompt], form: {v: text}, by: readers, order: radnom}\n"

    says = [problem.says for problem in refusal_of(folder_of(tmp_path, ONE_OF_EACH + again)).problems]

    assert "two phases are called 'read'; every phase needs a key of its own." in says


@pytest.mark.parametrize(
    ("head", "is_said"),
    [("", True), ("attributes: {items: {tier: text}}\n", True), ("atributes: {items: {tigre: text}}\n", False)],
    ids=["nothing is declared", "another one is declared", "the declaration may be mistyped"],
)
def test_an_unknown_column_is_said_beside_what_is_wrong_in_a_phase(tmp_path: Path, head: str, is_said: bool) -> None:
    folder = folder_of(tmp_path, ONE_OF_EACH.replace("groups:", f"{head}groups:"))
    column = [("i1", "open", "Why?", "x", "1")] if "tier" in head else [("i1", "open", "Why?", "x")]
    write_table(folder / "items.csv", f"item,format,prompt,tigre{',tier' * ('tier' in head)}", column)

    problems = refusal_of(folder).problems

    assert any("flag.order" in problem.place for problem in problems)
    assert any(problem.file == "items.csv" and "tigre" in problem.says for problem in problems) is is_said


ONE_THAT_IS_READ = """
blindread: 2
name: plain
title: Plain
attributes: {items: {tier: {type: choice, options: [easy, hard]}}}
phases: [{key: read, rates: items, shows: [prompt], form: {size: {type: number, unit: mm}}}]
"""


@pytest.mark.parametrize(
    "plan",
    ["{primary: {estimate: kappa, of: read.sise}}", "{primary: {estimate: kapa, of: read.size}}", "{clster: subject}"],
    ids=["no such field", "no such statistic", "no such key"],
)
def test_references_and_attributes_that_do_not_fit_are_said_beside_what_is_wrong_in_the_plan(
    tmp_path: Path, plan: str
) -> None:
    folder = folder_of(tmp_path, f"{ONE_THAT_IS_READ}analysis: {plan}\n")
    lines = [("i1", "open", "How large?", "easy"), ("i2", "open", "How large?", "eassy")]
    write_table(folder / "items.csv", "item,format,prompt,tier", lines)
    write_table(folder / "references.csv", "item,field,accepted", [("i1", "size", "large"), ("i1", "sise", "4")])

    refusal = refusal_of(folder)

    assert [(problem.file, problem.place.split(".")[0]) for problem in refusal.problems] == [
        ("protocol.yaml", "key analysis"),
        ("items.csv", "line 3"),
        ("references.csv", "line 2"),
        ("references.csv", "line 3"),
    ]
    assert refusal.unseen == ""


@pytest.mark.parametrize(
    ("wrong", "is_said"),
    [("raters: {years: txt}", True), ("cases: {site: txt}", True), ("items: {tier: txt}", False)],
    ids=["of raters", "of cases", "of items"],
)
def test_a_wrong_attribute_hides_unknown_columns_of_no_table_but_its_own_and_says_so(
    tmp_path: Path, wrong: str, is_said: bool
) -> None:
    declared = ONE_OF_EACH.replace("groups:", f"attributes: {{{wrong}}}\ngroups:")
    folder = folder_of(tmp_path, declared)
    write_table(folder / "items.csv", "item,format,prompt,tigre", [("i1", "open", "Why?", "x")])

    refusal = refusal_of(folder)

    assert any(problem.file == "items.csv" and "tigre" in problem.says for problem in refusal.problems) is is_said
    assert ("unknown columns of items.csv" in refusal.unseen) is not is_said


def test_a_list_in_place_of_a_text_is_not_to_be_put_in_quotes(tmp_path: Path) -> None:
    listed = ONE_OF_EACH.replace("{v: text}", "{v: {type: text, label: [a, b], synonyms: {gbm: [glioma]}}}")

    says = [problem.says for problem in refusal_of(folder_of(tmp_path, listed)).problems]

    assert "found ['a', 'b'], expected text; correct it." in says
    assert (
        "found ['glioma'], expected text, or keys below it, as {text: Stroke, synonyms: [infarct, ischaemia]}; correct "
        "it."
    ) in says


@pytest.mark.parametrize(
    ("table", "columns", "unknown"),
    [
        ("candidates.csv", "candidate,item,model,answer,v", ""),
        ("candidates.csv", "candidate,item,model,answer,tigre", "tigre"),
        ("references.csv", "item,accepted,field,provenance,acepted", "acepted"),
    ],
    ids=["a field", "an unknown column", "a mistyped column"],
)
def test_unknown_columns_of_answers_and_references_are_said_beside_what_is_wrong_in_a_phase(
    tmp_path: Path, table: str, columns: str, unknown: str
) -> None:
    folder = folder_of(tmp_path, ONE_OF_EACH)
    lines = {"candidates.csv": ("k1", "i1", "A", "x", "y"), "references.csv": ("i1", "x", "", "", "")}
    write_table(folder / table, columns, [lines[table]])

    said = [problem.says for problem in refusal_of(folder).problems if problem.file == table]

    assert [f"unknown or doubled {unknown}" in says for says in said] == [True] * bool(unknown)


def test_where_nothing_hangs_on_an_error_all_is_looked_at(tmp_path: Path) -> None:
    """The law is asked last: whatever it refuses, the tables are held against the phases."""
    protocol = ONE_OF_EACH.replace(", order: radnom", ", flags: [x]").replace("promt", "prompt")

    refusal = refusal_of(folder_of(tmp_path, protocol, item_format="opn"))

    assert [problem.place for problem in refusal.problems] == ["key phases.early.shows", "line 2"]
    assert refusal.unseen == ""


def test_a_name_that_is_mistyped_is_not_called_unknown_where_what_it_means_is_wrong(tmp_path: Path) -> None:
    protocol = ONE_OF_EACH.replace("phase: flag", "phase: falg").replace("promt", "prompt")

    says = next(
        problem.says for problem in refusal_of(folder_of(tmp_path, protocol)).problems if "falg" in str(problem)
    )

    assert "(nearest: 'flag'), expected early, read, flag" in says


def test_no_order_of_phases_is_guessed_where_one_between_them_is_wrong(tmp_path: Path) -> None:
    """`score` waits for `mark`, which by default waits for `both`, which waits for `read`: only that keeps the law."""
    protocol = """
blindread: 2
name: order
title: Order
groups: {a: A, b: B}
phases:
  - {key: read, rates: items, shows: [prompt], form: {v: text}, by: a}
  - {key: both, rates: items, shows: [prompt], form: {v: text}, by: [a, b]}
  - {key: mark, rates: items, shows: [prompt], form: {v: text}, by: b, opens: {done_by: everyone}}
  - {key: score, rates: items, shows: [reference], form: {v: text}, by: a, opens: {after: mark, done_by: everyone}}
"""
    without = protocol.replace("shows: [prompt], form: {v: text}, by: [a, b]", "shows: [prompt], frm: x, by: [a, b]")

    read_study_folder(folder_of(tmp_path, protocol), EXPANDING)
    problems = refusal_of(folder_of(tmp_path, without)).problems

    assert {problem.place for problem in problems} == {"key phases.both.form", "key phases.both.frm"}


def test_a_thousand_errors_are_said_in_seconds(tmp_path: Path) -> None:
    document = yaml.safe_load(ONE_OF_EACH)
    document["phases"] = [
        {**document["phases"][2], "key": f"p{number}", "shows": [f"promt{word}" for word in range(25)]}
        for number in range(40)
    ]
    folder = folder_of(tmp_path, yaml.safe_dump(document))
    began = monotonic()

    refusal = refusal_of(folder)

    assert monotonic() - began < 5
    assert refusal.count >= 1_000


Broken = Iterator[tuple[str, dict[str, Any]]]


def broken_once(document: dict[str, Any]) -> Broken:
    """Yield a protocol with one thing wrong, in every way and at every place that is tried."""
    for place, phase in enumerate(document["phases"]):
        for name, change in _CHANGES.items():
            other = deepcopy(document)
            change(other["phases"][place])
            yield f"{name} in {phase['key']}", other
    for key in document.get("forms", {}):
        other = deepcopy(document)
        other["forms"][key]["more"] = "txt"
        yield f"type of a field of {key}", other
        other = deepcopy(document)
        other["forms"][key]["more"] = "choice"
        yield f"no options in {key}", other
    for key in document.get("groups", {}):
        other = deepcopy(document)
        other["groups"][key] = {"title": "People", "peopel": "3"}
        yield f"key of {key}", other
    for table, columns in document.get("attributes", {}).items():
        for key in columns:
            other = deepcopy(document)
            other["attributes"][table][key] = {"type": "choice"}
            yield f"no options of {key}", other
            other["attributes"][table][key] = "chioce"
            yield f"type of {key}", other
    for section in ("forms", "groups", "attributes", "analysis"):
        if section in document:
            other = deepcopy(document)
            other[f"{section}s"] = other.pop(section)
            yield f"{section} misspelt", other


def _shows(thing: str) -> Callable[[dict[str, Any]], None]:
    def change(phase: dict[str, Any]) -> None:
        phase["shows"] = [*(phase["shows"] if isinstance(phase["shows"], list) else [phase["shows"]]), thing]

    return change


_CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a word that is none": lambda phase: phase.update(order="radnom"),
    "a key that is none": lambda phase: phase.update(blind="yes"),
    "no shows": lambda phase: phase.pop("shows"),
    "no key": lambda phase: phase.pop("key"),
    "no form": lambda phase: phase.pop("form"),
    "kind": lambda phase: phase.update(rates="itms"),
    "thing": _shows("scnas"),
    "form": lambda phase: phase.update(form="nowhere"),
    "group": lambda phase: phase.update(by="nobody"),
    "phase above": lambda phase: phase.update({"from": "nowhere"}),
    "attribute": lambda phase: phase.update({"from": {"where": {"nothing": "1"}}}),
    "what it opens after": lambda phase: phase.update(opens={"after": "nowhere"}),
    "what it settles": lambda phase: phase.update(settles="nowhere"),
}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_one_error_is_one_sentence_wherever_it_is(shape: Path, tmp_path: Path) -> None:
    document = load((shape / "protocol.yaml").read_text(encoding="utf-8"), "protocol.yaml")
    write_table(tmp_path / "items.csv", "item,format,prompt", [])

    said = {}
    for name, broken in broken_once(document):
        problems = look_through_listed(tmp_path, "", broken, EXPANDING).problems
        said[name] = [str(problem) for problem in problems.noted if problem.file == "protocol.yaml"]

    assert len(SHAPES) >= 15
    assert len(said) >= 13
    assert {name: problems for name, problems in said.items() if len(problems) != 1} == {}


# Where a number stands in a protocol, and what is said of its place.
BOUNDS = {
    "of a number": ("form: {v: {type: number, range: [HERE, 1]}}", "line 1 of phases.read.form.v.range"),
    "of a confidence": (
        "form: {v: text, c: {type: confidence, range: [0, HERE]}}",
        "line 2 of phases.read.form.c.range",
    ),
    "of an attribute": (
        "form: {v: text}\nattributes: {items: {age: {type: number, range: [0, HERE]}}}",
        "line 2 of attributes.items.age.range",
    ),
    "between levels": (
        "form: {v: text}\nattributes: {items: {age: {type: number, bins: [HERE]}}}",
        "line 1 of attributes.items.age.bins",
    ),
}
COUNTS = {
    "the seed of the draws": ("form: {v: text}\nseed: HERE", "key seed"),
    "the seed of the resamples": ("form: {v: text}\nanalysis: {seed: HERE}", "key analysis.seed"),
    "a limit": (
        "form: {v: text}\n    from: {sample: {size: 1, at_most: {subject: HERE}}}",
        "key phases.read.from.sample.at_most.subject",
    ),
    "people for a unit": ("form: {v: text}\n    by: {per_unit: HERE}", "key phases.read.by.per_unit"),
    "attempts": ("form: {v: text}\n    attempts: HERE", "key phases.read.attempts"),
}


def with_number(form: str, number: str) -> str:
    phase = "  - key: read\n    rates: items\n    shows: [prompt]\n"
    return f"blindread: 2\nname: one\ntitle: One\nphases:\n{phase}    {form.replace('HERE', number)}\n"


@pytest.mark.parametrize("number", ["nan", ".inf", "-Infinity", "1e999"])
@pytest.mark.parametrize(("form", "place"), BOUNDS.values(), ids=BOUNDS)
def test_a_bound_that_is_no_finite_number_is_refused(tmp_path: Path, form: str, place: str, number: str) -> None:
    """A browser could not read the form, and nobody could answer it."""
    said = str(refusal_of(folder_of(tmp_path, with_number(form, number))))

    assert said.startswith(f"protocol.yaml, {place}: found '{number}', expected a ")


@pytest.mark.parametrize(("form", "place"), COUNTS.values(), ids=COUNTS)
def test_a_whole_number_that_no_database_holds_is_refused(tmp_path: Path, form: str, place: str) -> None:
    said = str(refusal_of(folder_of(tmp_path, with_number(form, str(2**63)))))

    expected = "found 9223372036854775808, expected a whole number of at most 64 bits; correct the value."
    assert said.startswith(f"protocol.yaml, {place}: {expected}")


@pytest.mark.parametrize("size", ["12345678", "1.5", "-3", "150 %", "some"])
def test_a_size_that_is_none_is_refused_in_words_about_sizes(tmp_path: Path, size: str) -> None:
    form = f"form: {{v: text}}\n    from: {{sample: {{size: {size}}}}}"

    said = str(refusal_of(folder_of(tmp_path, with_number(form, ""))))

    assert said == (
        f"protocol.yaml, key phases.read.from.sample.size: found '{size}', expected a number of units from 1 to "
        "9,999,999, a share as 20 % (0 % for none), or all; correct the value."
    )


FAULTY = """
blindread: 2
name: faulty
title: Faulty keys beside unknown names
groups: {readers: Readers}
attributes: {items: {level: text}}
phases:
  - key: first
    rates: items
    from: {sample: {size: ten, strata: [levl]}}
    shows: [promt]
    form: {v: {type: txt}}
    by: reader
    order: radnom
  - {key: second, rates: candidates, from: frist, shows: [candidate], form: [v], undetermined: [v], takes: w}
"""


def test_a_faulty_key_of_a_phase_hides_no_unknown_name_beside_it_and_invents_none(tmp_path: Path) -> None:
    said = " ".join(map(str, refusal_of(folder_of(tmp_path, FAULTY)).problems))

    names = ["attribute 'levl' (nearest: 'level')", "thing to show 'promt'", "group 'reader'", "phase above 'frist'"]
    assert [said.count(f"there is no {name}") for name in names] == [1, 1, 1, 1]
    assert said.count("there is no") == len(names)


def test_a_mistyped_column_is_named_even_if_a_faulty_protocol_names_it_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ONE_OF_EACH.replace("radnom", "modl"))
    write_table(folder / "candidates.csv", "candidate,item,modl,answr", [("k1", "i1", "A", "Yes")])

    said = " ".join(map(str, refusal_of(folder).problems))

    assert "candidates.csv, line 1: the header lacks model (nearest: 'modl')" in said
    assert "unknown or doubled answr (nearest: 'answer')" in said


def test_a_range_that_no_number_meets_is_named_beside_what_is_wrong_in_a_phase(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ONE_OF_EACH)
    write_table(folder / "references.csv", "item,field,low,high,radius", [("i1", "v", "20", "10", "wide")])

    said = [problem.says for problem in refusal_of(folder).problems if problem.file == "references.csv"]

    assert said == [
        "radius is 'wide', expected a number or nothing; correct the cell.",
        "low 20 is above high 10; correct the range.",
    ]


def test_an_unknown_column_is_nearest_to_the_one_that_is_lacking(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, ONE_OF_EACH.replace("radnom", "random").replace("promt", "prompt"))
    write_table(folder / "items.csv", "item,fromat,prompt", [("i1", "open", "Why?")])

    said = " ".join(problem.says for problem in refusal_of(folder).problems if problem.file == "items.csv")

    assert "the header lacks format (nearest: 'fromat')" in said
    assert "the header has unknown or doubled fromat (nearest: 'format')" in said
