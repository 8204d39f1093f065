"""Tables that give the right answer away by the id or the place of an option: each is warned of at the import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.listed_folder import Expanding
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: telling
title: Options that tell
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt, options]
    form: {answer: as_item}
"""
COMPARED = (
    PROTOCOL
    + """  - key: compare
    title: Comparison
    rates: pairs
    from: {where: {practice: no}}
    pairs: table
    shows: [prompt, candidate]
    form: {better: preference}
"""
)
# Options of an item, and which of them is right.
BY_ID = [(f"wrong=No {n}|correct=Yes {n}" if n % 2 else f"correct=Yes {n}|wrong=No {n}", "correct") for n in range(6)]
BY_PLACE = [(f"a{n}=Yes {n}|b{n}=No {n}", f"a{n}") for n in range(6)]
OF_ONE_SCALE = [
    ("present=Present|absent=Absent" if n % 2 else "absent=Absent|present=Present", "present") for n in range(6)
]
TOLD_BY_ID, TOLD_BY_PLACE = "ids reach the browser", "that is listed in place 1"


def warnings(folder: Path, items: Sequence[tuple[str, str]], protocol: str = PROTOCOL) -> list[str]:
    """Return what the import warns of where so many items have these options and right answers."""
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    lines = [(f"i{n}", "physics", "choice", "Which?", options) for n, (options, _) in enumerate(items)]
    write_table(folder / "items.csv", "item,category,format,prompt,options", lines)
    write_table(folder / "references.csv", "item,accepted", [(f"i{n}", right) for n, (_, right) in enumerate(items)])
    return list(read_study_folder(folder, Expanding("test", ())).warnings)


@pytest.mark.parametrize(
    ("items", "protocol", "warned"),
    [
        (BY_ID, PROTOCOL, [True, False]),
        (BY_ID[:4], PROTOCOL, [False, False]),
        (BY_PLACE, PROTOCOL, [False, True]),
        (BY_PLACE, f"{PROTOCOL}    shuffle_options: yes\n", [False, False]),
        (OF_ONE_SCALE, PROTOCOL, [False, False]),
    ],
    ids=["one id", "too few items", "one place", "one place, dealt anew", "one answer that is often right"],
)
def test_options_that_say_that_they_are_right_are_warned_of(
    tmp_path: Path, items: list[tuple[str, str]], protocol: str, warned: list[bool]
) -> None:
    said = warnings(tmp_path, items, protocol)

    assert [any(words in warning for warning in said) for words in (TOLD_BY_ID, TOLD_BY_PLACE)] == warned


def test_pairs_of_two_answers_that_say_the_same_are_warned_of(tmp_path: Path) -> None:
    answers = [
        ("k1", "i0", "A", "A  cyst."),
        ("k2", "i0", "B", "A cyst."),
        ("k3", "i1", "A", "No."),
        ("k4", "i1", "B", "Yes."),
    ]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer", answers)
    write_table(tmp_path / "pairs.csv", "pair,first,second", [("p1", "k1", "k2"), ("p2", "k3", "k4")])

    said = warnings(tmp_path, BY_PLACE, COMPARED)

    (warned,) = (warning for warning in said if "word for word" in warning)
    assert "'p1'" in warned and "'p2'" not in warned


RIGHT = COMPARED.replace("phases:", "attributes: {candidates: {right: {type: yes_no, tells: reference}}}\nphases:", 1)
ONE_IS_RIGHT = "is a right answer and a wrong one"


@pytest.mark.parametrize(
    ("seconds", "warned"), [("bbbbbb", True), ("bbbbbc", False)], ids=["each of both kinds", "one of two right ones"]
)
@pytest.mark.parametrize("by", ["right", "the reference"])
def test_a_table_of_right_and_wrong_pairs_alone_is_warned_of(
    tmp_path: Path, seconds: str, warned: bool, by: str
) -> None:
    answers = [
        (f"{n}{end}", f"i{n}", end, f"{word} {n}.", ("no" if word == "No" else "yes") if by == "right" else "")
        for n in range(6)
        for end, word in (("a", "Yes"), ("b", "No"), ("c", "yes"))
    ]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer,right", answers)
    pairs = [(f"p{n}", f"{n}a", f"{n}{end}") for n, end in enumerate(seconds)]
    write_table(tmp_path / "pairs.csv", "pair,first,second", pairs)

    said = [warning for warning in warnings(tmp_path, BY_PLACE, RIGHT) if ONE_IS_RIGHT in warning]

    assert [f"by {by}" in warning for warning in said] == [True] * warned


AS_LISTED = PROTOCOL.replace("form:", "order: as_listed\n    form:")
YES_THEN_NO = [("present=Present|absent=Absent", right) for right in ("present", "absent") for _ in range(3)]


@pytest.mark.parametrize(
    ("items", "protocol", "warned"),
    [
        (YES_THEN_NO, AS_LISTED, True),
        (YES_THEN_NO, PROTOCOL, False),
        (YES_THEN_NO[::2] + YES_THEN_NO[::2], AS_LISTED, False),
        (BY_PLACE, AS_LISTED, False),
    ],
    ids=["sorted", "shuffled", "mixed", "each has another"],
)
def test_an_order_as_listed_that_is_sorted_by_the_reference_is_warned_of(
    tmp_path: Path, items: list[tuple[str, str]], protocol: str, warned: bool
) -> None:
    said = warnings(tmp_path, items, protocol)

    assert any("sorted by the reference" in warning for warning in said) is warned


SHOWN = AS_LISTED.replace("phases:", "attributes: {items: {site: text}}\nphases:").replace("options]", "options, site]")


@pytest.mark.parametrize(
    ("sites", "warned"),
    [("BBBUUU", True), ("BBBBUU", False), ("BCDEFG", False), ("BBBBBB", False)],
    ids=["each of one answer", "one of both", "each item of its own", "all of one"],
)
def test_what_is_shown_and_goes_with_the_reference_is_warned_of(tmp_path: Path, sites: str, warned: bool) -> None:
    (tmp_path / "protocol.yaml").write_text(SHOWN, encoding="utf-8")
    lines = [(f"i{n}", "choice", "Which?", YES_THEN_NO[n][0], site) for n, site in enumerate(sites)]
    write_table(tmp_path / "items.csv", "item,format,prompt,options,site", lines)
    right = [(f"i{n}", answer) for n, (_, answer) in enumerate(YES_THEN_NO)]
    write_table(tmp_path / "references.csv", "item,accepted", right)

    said = read_study_folder(tmp_path, Expanding("test", ())).warnings

    assert any("each value of site" in warning for warning in said) is warned


OF_MODELS = SHOWN.replace("rates: items", "rates: candidates").replace("options, site]", "candidate, said]")
OF_MODELS = OF_MODELS.replace("items: {site: text}", "candidates: {said: text}").replace(
    "{answer: as_item}", "{right: yes_no}"
)


@pytest.mark.parametrize(
    ("models", "said", "warned"),
    [
        ("AAABBB", "xxxxxx", ["sorted by model"]),
        ("ABABAB", "xyxyxy", ["each value of said"]),
        ("ABABAB", "xxyyxx", []),
    ],
    ids=["as listed by model", "shown with one value of each model", "neither"],
)
def test_answers_that_are_known_to_be_of_one_model_are_warned_of(
    tmp_path: Path, models: str, said: str, warned: list[str]
) -> None:
    (tmp_path / "protocol.yaml").write_text(OF_MODELS, encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,format,prompt", [(f"i{n}", "open", "Which?") for n in range(6)])
    answers = [(f"k{n}", f"i{n}", model, f"Answer {n}", said[n]) for n, model in enumerate(models)]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer,said", answers)

    seen = read_study_folder(tmp_path, Expanding("test", ())).warnings

    assert [
        words for words in ("sorted by model", "each value of said") if any(words in each for each in seen)
    ] == warned


OF_BONN = SHOWN.replace("order: as_listed", "from: {where: {site: B}}").replace("options, site]", "options]")


@pytest.mark.parametrize(("sites", "warned"), [("BBBBBUUU", True), ("BBBBUUUU", False), ("BBBBBBUU", False)])
def test_a_selection_of_items_that_have_one_reference_is_warned_of(tmp_path: Path, sites: str, warned: bool) -> None:
    (tmp_path / "protocol.yaml").write_text(OF_BONN, encoding="utf-8")
    lines = [(f"i{n}", "choice", "Which?", YES_THEN_NO[0][0], site) for n, site in enumerate(sites)]
    write_table(tmp_path / "items.csv", "item,format,prompt,options,site", lines)
    right = [(f"i{n}", "present" if n < 5 else "absent") for n, _ in enumerate(sites)]
    write_table(tmp_path / "references.csv", "item,accepted", right)

    said = read_study_folder(tmp_path, Expanding("test", ())).warnings

    assert any("items with a reference that phase 'read' selects (site) have one" in each for each in said) is warned


def test_subjects_that_are_named_one_by_one_and_have_one_reference_are_warned_of(tmp_path: Path) -> None:
    named = "subject: [i0, i1, i2, i3, i4]"
    (tmp_path / "protocol.yaml").write_text(OF_BONN.replace("site: B", named), encoding="utf-8")
    lines = [(f"i{n}", "choice", "Which?", YES_THEN_NO[0][0], "B") for n in range(8)]
    write_table(tmp_path / "items.csv", "item,format,prompt,options,site", lines)
    right = [(f"i{n}", "present" if n < 5 else "absent") for n in range(8)]
    write_table(tmp_path / "references.csv", "item,accepted", right)

    said = read_study_folder(tmp_path, Expanding("test", ())).warnings

    assert any("all 5 items with a reference that phase 'read' selects (subject) have one" in each for each in said)
