"""A protocol is right as a whole, or refused in one sentence that names the file and the line or key."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from exchange.refusal import InputRefused, Problems
from exchange.study_folder.protocol_file import parse_protocol, read_protocol_as_far_as_it_goes
from protocol.study import Protocol
from tests.situations import PROTOCOL

DEMO = Path(__file__).resolve().parents[3] / "studies" / "demo" / "protocol.yaml"
Change = Callable[[dict[str, Any]], Any]


def field_of(protocol: dict[str, Any], form: str) -> dict[str, Any]:
    field: dict[str, Any] = protocol["forms"][form]["fields"][0]
    return field


def test_the_demo_and_the_tiny_protocol_are_accepted() -> None:
    assert parse_protocol(DEMO.read_text(encoding="utf-8")).name == "demo"
    assert parse_protocol(yaml.safe_dump(PROTOCOL)).name == "tiny"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda p: p.pop("name"), "key name: it is missing; add it"),
        (lambda p: p.update(name="Not A Key"), "key name"),
        (lambda p: p.update(title=""), "key title"),
        (
            lambda p: p.update(titel="misspelt"),
            "key titel: there is no such key (nearest: 'title'), expected name, title, instructions, consent, notice, ",
        ),
        (lambda p: p["reading"].update(shufle_options=True), "key reading.shufle_options"),
        (lambda p: p["reading"].update(subject_distance=-1), "key reading.subject_distance"),
        (lambda p: p["reading"].update(order="alphabetical"), "random_per_rater"),
        (lambda p: p.update(forms={}), "key forms"),
        (lambda p: p["forms"].update({"No key": {"fields": []}}), "key forms.No key"),
        (lambda p: p["forms"].update(empty={"fields": []}), "key forms.empty.fields"),
        (lambda p: field_of(p, "yes_no").update(type="tick"), "found 'tick'"),
        (lambda p: field_of(p, "yes_no").update(key="answr"), "needs one field with the key 'answer'"),
        (lambda p: p["forms"]["choice"]["fields"].append(field_of(p, "yes_no")), "names a field key twice"),
        (
            lambda p: field_of(p, "choice").update(options=[{"id": "a", "text": "A"}, {"id": "a", "text": "B"}]),
            "lists an option id twice",
        ),
        (lambda p: p["forms"]["choice"]["fields"][1].update(options=[]), "at least two options in rising order"),
        (
            lambda p: p["forms"]["choice"]["fields"][1].update(type="choice", options=[]),
            "choice field without options",
        ),
        (lambda p: field_of(p, "open").update(type="number", minimum=3, maximum=2), "minimum 3.0 above maximum 2.0"),
        (
            lambda p: p["forms"]["choice"]["fields"][1].update(depends_on={"field": "nowhere", "values": ["a"]}),
            "depends on 'nowhere'",
        ),
        (lambda p: field_of(p, "choice").update(shuffle=True), "set reading.shuffle_options"),
        (
            lambda p: field_of(p, "choice").update(depends_on={"field": "confidence", "values": ["1"]}),
            "not a field above it",
        ),
        (lambda p: p.update(hanging={"window_percentiles": [99, 1]}), "two rising numbers from 0 to 100"),
        (lambda p: p.update(hanging={"convention": "upside down"}), "radiological"),
        (
            lambda p: p.update(hanging={"presets": [{"label": f"P{n}", "window": [0, 1]} for n in range(10)]}),
            "10 presets, expected at most 9",
        ),
        (lambda p: p.update(context={"dates": "exact"}), "months_since_prior"),
        (lambda p: p["scoring"].update(sample=0), "key scoring.sample"),
        (
            lambda p: p["scoring"]["form"]["fields"][0].update(options=[{"id": "good", "text": "Good"}]),
            "ids correct and incorrect",
        ),
        (lambda p: p["adjudication"].update(controls=-1), "key adjudication.controls"),
        (lambda p: p["analysis"].update(resamples=10), "key analysis.resamples"),
        (lambda p: p["analysis"].update(confidence=95), "key analysis.confidence"),
        (lambda p: p["analysis"].update(cluster="scanner"), "'subject'"),
        (lambda p: p.update(seed="seven"), "found 'seven'"),
    ],
)
def test_a_broken_rule_is_refused_by_its_key(change: Change, expected: str) -> None:
    protocol = copy.deepcopy(PROTOCOL)
    change(protocol)

    with pytest.raises(InputRefused) as refusal:
        parse_protocol(yaml.dump(protocol))

    sentence = str(refusal.value)
    assert sentence.startswith("protocol.yaml, key ")
    assert expected in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: tiny\ntitle: [unclosed\n", "protocol.yaml, line 3: not valid YAML"),
        ("name: tiny\n\ttitle: tab\n", "protocol.yaml, line 2: not valid YAML"),
        ("name: tiny\nseed: 1\nseed: 2\n", "protocol.yaml, line 3: not valid YAML (the key 'seed' appears twice)"),
        ("name: tiny\ntitle: !!python/object/apply:os.getcwd []\n", "protocol.yaml, line 2: not valid YAML"),
        ("- a list\n", "found a list."),
        ("", "found nothing."),
        ("only words", "found text."),
        ("3", "found a number."),
        ("2024-01-31", "found a date."),
        ("true", "found true or false."),
        ("title: 2024-13-45\n", "not valid YAML (month must be in 1..12)"),
        ("title: \x07\n", "not valid YAML"),
        ("name: tiny\ntitle: {a: Sure? No}\nseed: {label: How sure: 1, b: ?}\n", "needs quotation marks"),
        ("name: " + "[" * 500, "nested too deeply"),
    ],
)
def test_broken_yaml_is_refused_by_its_line(text: str, expected: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        parse_protocol(text)

    assert expected in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_value_that_unfolds_to_gigabytes_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12)]

    with pytest.raises(InputRefused) as refusal:
        parse_protocol("\n".join(lines))

    assert len(str(refusal.value)) < 300


def test_the_first_problem_is_named_and_the_others_are_counted() -> None:
    with pytest.raises(InputRefused, match=r"key name: it is missing; add it \(\d more after it\)"):
        parse_protocol("title: only a title")


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: None, "protocol.yaml is missing"),
        (lambda path: path.write_bytes("title: Ä".encode("latin-1")), "not UTF-8 text (byte 7)"),
        (lambda path: path.mkdir(), "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, make: Callable[[Path], Any], expected: str) -> None:
    make(tmp_path / "protocol.yaml")

    problems = Problems()
    read_protocol_as_far_as_it_goes(tmp_path / "protocol.yaml", problems)

    with pytest.raises(InputRefused) as refusal:
        problems.refuse()

    assert expected in str(refusal.value)


def test_the_canonical_json_depends_on_what_is_said_and_not_on_how_it_is_written() -> None:
    written = parse_protocol(yaml.safe_dump(PROTOCOL))
    otherwise = parse_protocol(json.dumps(dict(reversed(PROTOCOL.items()))))

    assert written.canonical_json() == otherwise.canonical_json()
    assert parse_protocol(yaml.safe_dump({**PROTOCOL, "seed": 8})).canonical_json() != written.canonical_json()


def test_the_canonical_json_holds_every_rule_also_those_left_at_their_default() -> None:
    canonical = json.loads(parse_protocol(yaml.safe_dump(PROTOCOL)).canonical_json())

    assert canonical["reading"]["order"] == "random_per_rater"
    assert canonical["analysis"]["confidence"] == 0.95


def test_a_new_protocol_has_one_draw_for_all_estimates_and_may_ask_for_a_draw_of_each() -> None:
    canonical = json.loads(parse_protocol(yaml.safe_dump(PROTOCOL)).canonical_json())
    separate = {**PROTOCOL, "analysis": {**PROTOCOL["analysis"], "draw": 1}}

    assert canonical["analysis"]["draw"] == 2
    assert parse_protocol(yaml.safe_dump(separate)).analysis.draw == 1


def test_a_protocol_stored_before_draws_were_shared_keeps_a_draw_of_each_estimate() -> None:
    stored = json.loads(parse_protocol(yaml.safe_dump(PROTOCOL)).canonical_json())
    del stored["analysis"]["draw"]

    assert Protocol.of_canonical_json(json.dumps(stored)).analysis.draw == 1


def test_a_protocol_stored_before_kappa_had_an_interval_of_its_own_keeps_the_adjusted_one() -> None:
    stored = json.loads(parse_protocol(yaml.safe_dump(PROTOCOL)).canonical_json())
    assert stored["analysis"].pop("kappa_interval") == "scattered"

    assert Protocol.of_canonical_json(json.dumps(stored)).analysis.kappa_interval == "adjusted"


def test_a_protocol_read_back_from_its_canonical_json_is_the_same() -> None:
    protocol = parse_protocol(yaml.safe_dump(PROTOCOL))

    assert Protocol.of_canonical_json(protocol.canonical_json()) == protocol
    assert type(protocol).model_validate_json(protocol.canonical_json()) == protocol


@pytest.mark.parametrize(
    "value", ["!!timestamp 99", "!!bool maybe", "!!map [1]", '!!int ""', "!!python/name:os.system", "!own x"]
)
def test_a_tag_in_the_yaml_is_refused_with_its_line(value: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        parse_protocol(f"{yaml.safe_dump(PROTOCOL)}further: {value}\n")

    (problem,) = refusal.value.problems
    assert "says of which type a value is; leave it out" in str(problem)
    assert f"line {len(yaml.safe_dump(PROTOCOL).splitlines()) + 1}" in str(problem)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("title:", "key title: it is empty, expected text"),
        ("title: 2024-01-31", "key title: found 2024-01-31, expected text"),
        ("title: true", "key title: found true, which is how YAML reads"),
        ("title: Tiny\ninstructions: I\nconsent: C\nforms:", "key forms: found nothing, expected keys and values"),
    ],
)
def test_values_are_called_as_yaml_calls_them(line: str, says: str) -> None:
    with pytest.raises(InputRefused) as refusal:
        parse_protocol(f"name: tiny\n{line}\n")

    assert str(refusal.value).startswith(f"protocol.yaml, {says}")
