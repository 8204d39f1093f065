"""Options, labels and subjects that nobody can tell from each other are refused wherever a study names them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.protocol_file import parse_protocol
from exchange.study_folder.study_file import read_study
from protocol.seen import NOT_IN_KEYS, as_seen, problem_of_signs
from services.studies.folders.explaining import EXPANDING
from tests.listed_study import write_listed
from tests.room_study import change_item, rows_of
from tests.sealed_study import with_many_items
from tests.situations import PROTOCOL, write_study_folder
from tests.versioned_study import READS, changed_cell

# Options as id and text, and the sentence on them.
ALIKE = {
    "the same words": ([("left", "Left"), ("b", "Left")], "the options 'left' and 'b' both read 'Left'"),
    "case": ([("left", "Left"), ("b", "LEFT")], "the options 'left' and 'b' both read 'LEFT'"),
    "an unseen sign": ([("left", "Left"), ("b", "\u200bLeft")], "the options 'left' and 'b' both read '?Left'"),
    "a direction": ([("left", "Left"), ("b", "\u202eLeft")], "the options 'left' and 'b' both read '?Left'"),
    "another blank": ([("left", "Left lobe"), ("b", "Left\u00a0 lobe")], "the options 'left' and 'b' both read"),
    "a wide form": ([("left", "Left"), ("b", "Ｌeft")], "the options 'left' and 'b' both read"),
    "no words": ([("left", "Left"), ("b", "\u200b")], "option 'b' has a text that shows nothing"),
    "a soft hyphen": ([("left", "Left"), ("b", "\u00ad")], "option 'b' has a text that shows nothing"),
    "an invisible sign": ([("left", "Left"), ("b", "\u2063")], "option 'b' has a text that shows nothing"),
    "ids but for case": ([("left", "Left"), ("Left", "Right")], "the option ids 'left' and 'Left' differ only in case"),
    "an unseen id": ([("left", "Left"), ("\u200b", "Right")], "an option has an id of characters that are not drawn"),
}  # fmt: skip
ID_AND_BLANK = [("1", "One"), ("1 ", "Two")]
CASES = pytest.mark.parametrize(("options", "says"), ALIKE.values(), ids=ALIKE)


def first_language(options: list[tuple[str, str]], label: str = "Side", key: str = "side", **more: object) -> str:
    listed = [{"id": option, "text": text} for option, text in options]
    fields = [
        {"key": "answer", "type": "yes_no", "label": "Answer"},
        {"key": key, "type": "choice", "label": label, "options": listed},
    ]
    return yaml.safe_dump({**PROTOCOL, "forms": {**PROTOCOL["forms"], "yes_no": {"fields": fields}}, **more})


def phases(options: list[tuple[str, str]], label: str = "Side") -> str:
    listed = [{"id": option, "text": text} for option, text in options]
    form = {"answer": {"type": "yes_no"}, "side": {"type": "choice", "label": label, "options": listed}}
    phase = {"key": "read", "rates": "items", "shows": ["prompt"], "form": form}
    return yaml.safe_dump({"blindread": 2, "name": "a-study", "title": "A study", "phases": [phase]})


def refused_first(text: str) -> list[str]:
    with pytest.raises(InputRefused) as refusal:
        parse_protocol(text)
    return [str(problem) for problem in refusal.value.problems]


def refused_phases(folder: Path, text: str) -> list[str]:
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputRefused) as refusal:
        read_study(folder / "protocol.yaml", "0.0.0", ())
    return [str(problem) for problem in refusal.value.problems]


@CASES
def test_options_of_an_item_are_refused_with_their_line(
    tmp_path: Path, options: list[tuple[str, str]], says: str
) -> None:
    folder = write_study_folder(tmp_path / "study")
    rows = rows_of(folder / "items.csv")
    place, item = next((place, row["item"]) for place, row in enumerate(rows, start=2) if row["options"])
    change_item(folder, item, options="|".join(f"{option}={text}" for option, text in options))

    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder)

    assert any(str(problem).startswith(f"items.csv, line {place}: {says}") for problem in refusal.value.problems)


@CASES
def test_options_of_a_form_are_refused_with_their_key(options: list[tuple[str, str]], says: str) -> None:
    (problem,) = refused_first(first_language(options))

    assert problem.startswith(f"protocol.yaml, key forms.yes_no.fields.side.options: {says}")


@CASES
def test_options_of_a_phase_are_refused_with_their_key(
    tmp_path: Path, options: list[tuple[str, str]], says: str
) -> None:
    (problem,) = refused_phases(tmp_path, phases(options))

    assert problem.startswith(f"protocol.yaml, key phases.read.form.side.options: {says}")


def test_ids_that_differ_in_a_blank_are_refused_in_both_languages(tmp_path: Path) -> None:
    problems = [*refused_first(first_language(ID_AND_BLANK)), *refused_phases(tmp_path, phases(ID_AND_BLANK))]

    assert len(problems) == 2
    assert all("the option ids '1' and '1 ' differ only in case, blanks or" in problem for problem in problems)


def test_ids_of_a_ranked_list_that_are_compared_as_the_same_words_are_refused_in_both_languages(tmp_path: Path) -> None:
    options = [("a-cyst", "Cyst"), ("acyst", "Other cyst")]

    def ranked(text: str) -> str:
        return text.replace("type: choice", "type: ranked")

    problems = [*refused_first(ranked(first_language(options))), *refused_phases(tmp_path, ranked(phases(options)))]

    assert len(problems) == 2
    says = "the option ids 'a-cyst' and 'acyst' are the same where ranked lists are compared"
    assert all(f"side.options: {says}" in problem for problem in problems)


def test_reasons_and_flags_are_refused_as_options_are() -> None:
    alike = [{"id": "a", "text": "Quality"}, {"id": "b", "text": "quality"}]

    (problem,) = refused_first(first_language([("l", "Left"), ("r", "Right")], reading={"flags": alike}))

    assert problem.startswith("protocol.yaml, key reading.flags: the options 'a' and 'b' both read 'quality'")


LABELS = {
    "Answer": "the label 'Answer' is also that of field 'answer'",
    "answer\u200b": "the label 'answer?' is also that of field 'answer'",
    "Comment": "the label 'Comment' is the reading room's own for another line of an answer",
    "not  assessable": "the label 'not  assessable' is the reading room's own for another line of an answer",
    "\u00ad": "the label shows nothing, expected what is asked",
}


@pytest.mark.parametrize(("label", "says"), LABELS.items(), ids=[ascii(label) for label in LABELS])
def test_label_that_shows_nothing_or_means_another_line_is_refused(tmp_path: Path, label: str, says: str) -> None:
    sides = [("l", "Left"), ("r", "Right")]

    (first,) = refused_first(first_language(sides, label))
    (second,) = refused_phases(tmp_path, phases(sides, label))

    assert first.startswith(f"protocol.yaml, key forms.yes_no.fields.side.label: {says}")
    assert second.startswith(f"protocol.yaml, key phases.read.form.side.label: {says}")


def test_texts_that_can_be_told_apart_are_taken() -> None:
    texts = ["< 5 mm", "> 5 mm", "5 mm", "-5 mm", "+5 mm", "5.0 mm", "Ja", "Já", "שמאל", "ימין", "L\u0435ft", "Left"]

    protocol = parse_protocol(first_language([(f"o{number}", text) for number, text in enumerate(texts)]))

    assert [option.text for option in protocol.forms["yes_no"].fields[1].options] == texts


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("  A\tb\u3000C ", "a b c"),
        ("ﬁne", "fine"),
        ("\u200b\u2063\u00ad\ufe0f\u3164", ""),
        ("a\u206a\u180b\U000e0100\U000e0041\ufff9\U0001d173b", "ab"),
    ],
)
def test_words_are_compared_as_they_are_seen(written: str, seen: str) -> None:
    assert as_seen(written) == seen


@pytest.mark.parametrize(
    "sign", [*"\u206a\u180b\ufff9\u2065\ufe0f", "\U000e0100", "\U000e0041", "\U0001d173"], ids=ascii
)
def test_a_key_has_no_character_that_is_not_drawn(sign: str) -> None:
    assert problem_of_signs(f"case{sign}1", NOT_IN_KEYS).startswith(f"contains the character U+{ord(sign):04X} (")


def refused_folder(folder: Path) -> list[str]:
    with pytest.raises(InputRefused) as refusal:
        read_study_folder(folder, EXPANDING)
    return [str(problem) for problem in refusal.value.problems]


@pytest.mark.parametrize("write", [write_study_folder, lambda folder: write_listed(folder, READS)], ids=["1", "2"])
@pytest.mark.parametrize("written", ["Subject-1", "subject\u200b-1", "ｓubject-1"], ids=["case", "unseen", "wide"])
def test_subjects_that_read_alike_are_refused_with_both_lines(
    tmp_path: Path, written: str, write: Callable[[Path], Path]
) -> None:
    folder = write(tmp_path / "study")
    for case in ("c2", "c3"):
        changed_cell("cases.csv", case, "subject", written)(folder)

    (problem,) = refused_folder(folder)
    assert problem == (
        f"cases.csv, line 3: subject '{written.replace(chr(0x200B), '?')}' and 'subject-1' in line 2 differ only in "
        "case, blanks, forms of a character or characters that are not drawn; write one subject in one way, and two in "
        "ways that can be told apart."
    )


def test_subjects_that_only_items_name_are_refused_with_their_lines(tmp_path: Path) -> None:
    folder = with_many_items(tmp_path / "study", items=2)
    lines = ["item,case,category,format,prompt", "i0,Head 1,a,open,?", "i1,head  1,b,open,?"]
    (folder / "items.csv").write_text("\n".join(lines), "utf-8")

    (problem,) = refused_folder(folder)

    assert problem.startswith("items.csv, line 3: subject 'head  1' and 'Head 1' in line 2 differ only in")


def test_items_that_are_subjects_of_their_own_may_have_keys_that_differ_in_case(tmp_path: Path) -> None:
    folder = with_many_items(tmp_path / "study", items=2)
    for table in ("items.csv", "references.csv", "candidates.csv"):
        text = (folder / table).read_text("utf-8")
        (folder / table).write_text(text.replace("i1,", "I0,"), "utf-8")

    assert [case.subject for case in read_study_folder(folder, EXPANDING).cases] == ["i0", "I0"]
