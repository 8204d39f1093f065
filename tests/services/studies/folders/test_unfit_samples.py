"""What a folder is warned of before it is imported: samples that its tables cannot give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.studies.folders import checking
from tests.following_study import READ_THEN_RESOLVE
from tests.listed_study import write_listed
from tests.room_study import change_item
from tests.versioned_study import READS


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{sample: {size: 7}}", "sample.size: 7 units are wanted, but only 6 can be drawn; write 6 or fewer"),
        ("{sample: {size: 6, at_most: {subject: 1}}}", "sample.at_most: 6 units are wanted of the sample, but with at"),
        ("{where: {category: nothing}}", "from.where: no unit has category 'nothing', expected"),
        ("{sample: {size: 6}}", ""),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_said_with_the_folder(tmp_path: Path, source: str, says: str) -> None:
    drawn = READS.replace("rates: items", f"rates: items\n    from: {source}")

    warnings = checking.validated_folder(write_listed(tmp_path / "study", drawn)).warnings

    said = [warning for warning in warnings if "freeze would refuse" in warning]
    assert len(said) == bool(says)
    assert all(warning.startswith(f"The freeze would refuse phase 'read': {says}") for warning in said)


@pytest.mark.parametrize(
    ("source", "would", "which"),
    [
        ("{where: {category: [name, presence]}}", "would refuse", "drawn"),
        ("{sample: {size: 3}}", "would, if one of them is drawn, refuse", "possible"),
        ("{where: {category: side}}", "", ""),
    ],
)
def test_what_a_phase_shows_and_items_lack_is_said_with_the_folder(
    tmp_path: Path, source: str, would: str, which: str
) -> None:
    drawn = READS.replace("rates: items", f"rates: items\n    from: {source}")

    def without(folder: Path) -> None:
        change_item(folder, "i5", sequences="")

    warnings = checking.validated_folder(write_listed(tmp_path / "study", drawn, [without])).warnings

    said = [warning for warning in warnings if warning.startswith("The freeze would")]
    lacks = f"phase 'read': it shows the scans, which 1 {which} item ('i5') lacks; name sequences in items.csv, rate"
    assert len(said) == bool(would)
    assert all(warning.startswith(f"The freeze {would} {lacks}") for warning in said)


@pytest.mark.parametrize(
    ("let_in", "field", "says"),
    [
        ("let_in: flagged, controls: 100", "", "plans 100 controls, and 'secret_arm' has 6 units in all"),
        ("let_in: flagged, controls: 6", "", ""),
        (
            "let_in: {differs: [answer, findings]}",
            "required: no",
            "in what differs in 'findings', a text that may stay",
        ),
        ("let_in: {differs: [answer, findings]}", "required: yes", ""),
    ],
)
def test_what_would_let_in_nearly_everything_is_said_with_the_folder(
    tmp_path: Path, let_in: str, field: str, says: str
) -> None:
    protocol = READ_THEN_RESOLVE.replace("let_in: [flagged, not_assessable, {answered: findings}]", let_in)
    protocol = protocol.replace("required: no", field or "required: no")

    warnings = checking.validated_folder(write_listed(tmp_path / "study", protocol)).warnings

    said = [warning for warning in warnings if warning.startswith("Phase 'resolve'")]
    assert len(said) == bool(says)
    assert all(says in warning for warning in said)


AGAIN = "  - {key: again, rates: items, from: SOURCE, shows: [scans, prompt, options], form: {answer: as_item}}\n"


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        # All that the first rates is known.
        ("", "{phase: read, sample: {size: 7}}", "phase 'again': sample.size: 7 units are wanted, but only 6 can be"),
        ("", "{phase: read, where: {category: nothing}}", "phase 'again': from.where: no unit has category 'nothing'"),
        ("", "{sample: {size: 1, not_in: [read]}}", "phase 'again': sample.not_in: all 6 selected units are about"),
        # How many of it there are is known.
        ("{sample: {size: 3}}", "{phase: read, sample: {size: 4}}", "phase 'again' in 10 of 10 draws that were tried"),
        ("{sample: {size: 3}}", "{phase: read, sample: {size: 3}}", ""),
        ("{sample: {size: 1}}", "{sample: {size: 6, not_in: [read]}}", "phase 'again' in 10 of 10 draws that were"),
        ("{sample: {size: 1}}", "{sample: {size: 1, not_in: [read]}}", ""),
        # What cannot be drawn has its own sentence, and what rests on it none.
        ("{sample: {size: 7}}", "{phase: read, sample: {size: 7}}", "phase 'read': sample.size: 7 units are wanted"),
    ],
)
def test_what_draws_from_another_phase_is_tried_with_the_folder(
    tmp_path: Path, first: str, second: str, says: str
) -> None:
    drawn = READS.replace("rates: items", f"rates: items\n    from: {first}" if first else "rates: items")

    warnings = checking.validated_folder(
        write_listed(tmp_path / "study", drawn + AGAIN.replace("SOURCE", second))
    ).warnings

    said = [warning for warning in warnings if "would refuse" in warning]
    assert len(said) == bool(says)
    assert all(warning.startswith(f"The freeze would refuse {says}") for warning in said)


def test_what_another_draw_decides_is_said_with_how_often_it_would_be_refused(tmp_path: Path) -> None:
    drawn = READS.replace("rates: items", "rates: items\n    from: {sample: {size: 4}}")
    again = AGAIN.replace("SOURCE", "{phase: read, where: {category: side}, sample: {size: 2}}")

    warnings = checking.validated_folder(write_listed(tmp_path / "study", drawn + again)).warnings

    (said,) = [warning for warning in warnings if "would refuse" in warning]
    refused = re.match(r"The freeze would refuse phase 'again' in (\d+) of 10 draws that were tried", said)
    assert refused is not None
    assert 0 < int(refused.group(1)) < 10


def test_what_is_drawn_from_answers_is_left_open_with_the_folder(tmp_path: Path) -> None:
    again = "  - {key: again, rates: items, from: {where: {read.answer: yes}, sample: {size: 2}}, "
    again += "shows: [scans, prompt], opens: {after: read}, form: {note: {type: text, label: Note}}}\n"

    warnings = checking.validated_folder(write_listed(tmp_path / "study", READS + again)).warnings

    (said,) = [warning for warning in warnings if "checked then" in warning]
    assert said.startswith("Phase 'again' draws its sample once 'read' is closed: whether the answers leave enough")


def test_that_other_studies_decide_what_is_left_is_said_with_the_folder(tmp_path: Path) -> None:
    source = "{sample: {size: 2, not_in: [review-1, read]}}"
    drawn = READS + AGAIN.replace("SOURCE", source)

    warnings = checking.validated_folder(write_listed(tmp_path / "study", drawn)).warnings

    (said,) = [warning for warning in warnings if "frozen studies" in warning]
    assert said.startswith("Phase 'again' leaves out the subjects of frozen studies ('review-1'), which only the")


DEALT = (
    "  - {key: again, rates: items, shows: [scans, prompt, options], form: {answer: as_item}, "
    "by: {groups: [readers], per_unit: PER_UNIT, not_in: [read]}}\n"
)


@pytest.mark.parametrize(
    ("people", "first", "per_unit", "says"),
    [
        pytest.param("", "readers", 1, "in 'read', which is rated by everybody of 'Readers', so that", id="any number"),
        pytest.param(
            ", people: 3", "readers", 1, "in 'read', which is rated by everybody of 'Readers'", id="everybody"
        ),
        pytest.param(", people: 3", "{groups: [readers], per_unit: 2}", 2, "there are at most 1 who did", id="too few"),
        pytest.param(", people: 3", "{groups: [readers], per_unit: 2}", 1, "", id="enough"),
        pytest.param("", "{groups: [readers], per_unit: 2}", 2, "", id="as many as are invited"),
    ],
)
def test_people_who_are_too_few_for_what_is_dealt_are_said_with_the_folder(
    tmp_path: Path, people: str, first: str, per_unit: int, says: str
) -> None:
    groups = f"groups: {{readers: {{title: Readers{people}}}}}\nphases:"
    protocol = READS.replace("phases:", groups).replace("rates: items", f"rates: items\n    by: {first}")
    protocol = protocol.rstrip() + "\n" + DEALT.replace("PER_UNIT", str(per_unit))

    warnings = checking.validated_folder(write_listed(tmp_path / "study", protocol)).warnings

    said = [warning for warning in warnings if "would refuse to deal" in warning]
    assert len(said) == bool(says) and all(says in warning for warning in said)
