"""What was drawn can have in common what nobody selected by name: whether that tells the reference too early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, write_listed
from tests.pair_study import with_models
from tests.room_study import change_item, rewrite, rows_of
from tests.services.studies.test_told_too_early import (
    BLIND,
    CHOSEN,
    FORM,
    GROUPS,
    of_phases,
    with_finding,
    with_finding_of_subject,
)
from tests.situations import write_table

RIGHT = "attributes: {candidates: {right: {type: yes_no, tells: reference}}}\n"
COMPARE = "{key: compare, rates: pairs, pairs: table, shows: [prompt, candidate], form: {better: preference}}"
BY_RULE = COMPARE.replace("pairs: table", "pairs: {RULE}")
WITH_CONDITION = RIGHT.replace("right: {", "condition: text, right: {")
SCORE = f"{{key: score, rates: candidates, shows: [prompt, candidate], {FORM}}}"
SITED = CHOSEN.replace("{items: {", "{items: {site: text, ")
OF_BONN = f"{{key: look, rates: items, from: {{where: {{site: Bonn}}}}, shows: [prompt], {FORM}}}"


def with_right_ones(folder: Path) -> None:
    """Give each item answers of three models, of which those of the first two are right."""
    with_models(folder)
    rows = [row | {"right": "no" if row["model"] == "model-c" else "yes"} for row in rows_of(folder / "candidates.csv")]
    rewrite(folder / "candidates.csv", rows)


def with_alike_ones(folder: Path) -> None:
    """Give each item answers of three models: two are right or wrong together, and the third is what they are not."""
    with_models(folder)
    rows = [
        row | {"right": "yes" if (row["item"] in ("i1", "i2")) != (row["model"] == "model-c") else "no"}
        for row in rows_of(folder / "candidates.csv")
    ]
    rewrite(folder / "candidates.csv", rows)


def with_conditions(folder: Path) -> None:
    """Say of each answer under which condition it was given: the third model's differs."""
    rows = rows_of(folder / "candidates.csv")
    said = [row | {"condition": "without" if row["model"] == "model-c" else "with"} for row in rows]
    rewrite(folder / "candidates.csv", said)


def pairs_of(*ends: str) -> Callable[[Path], None]:
    """Name a pair of each item, in turn of these answers."""

    def named(folder: Path) -> None:
        lines = [(f"p{n}", *(f"k{n}{end}" for end in ends[n % len(ends)])) for n in range(1, 7)]
        write_table(folder / "pairs.csv", "pair,first,second", lines)

    return named


def with_sites(of_lesions: str, of_others: str) -> Callable[[Path], None]:
    """Say of each item where it comes from, beside its finding."""

    def sited(folder: Path) -> None:
        with_finding(folder)
        rows = rows_of(folder / "items.csv")
        sites = {"lesion": of_lesions, "none": of_others}
        rewrite(folder / "items.csv", [row | {"site": sites[row["finding"]]} for row in rows])

    return sited


def with_empty_cells_for_none(folder: Path) -> None:
    rows = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [row | {"finding": row["finding"].replace("none", "")} for row in rows])


def with_sites_of_subjects(folder: Path) -> None:
    """Say of each item where it comes from: all lesions are of one subject, who is not of Bonn."""
    with_finding_of_subject(folder)
    rows = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [row | {"site": "Ulm" if row["case"] == "c1" else "Bonn"} for row in rows])


def with_talks(folder: Path) -> None:
    """Make a conversation of the first item of each subject without a lesion."""
    change_item(folder, "i3", conversation="a", turn="1")
    change_item(folder, "i5", conversation="b", turn="1")


def all_of_one_finding(folder: Path) -> None:
    rewrite(folder / "items.csv", [row | {"finding": "none"} for row in rows_of(folder / "items.csv")])


# Who is apart from all of Bonn is of one finding, too, though nothing of these phases names it.
SOME = OF_BONN.replace("key: look", "key: some").replace("shows:", "by: others, shows:")
APART = f"{{key: look, rates: items, from: {{sample: {{not_in: some}}}}, shows: [prompt], {FORM}, by: readers}}"
TELLS = {
    "a table of pairs that are each of a right and a wrong answer": (
        of_phases(COMPARE, SCORE, before=RIGHT),
        [with_right_ones, pairs_of("ac", "cb")],
        ("compare", "score", "The answers of each pair differ in right."),
    ),
    "a table of pairs that are both right": (
        of_phases(COMPARE, SCORE, before=RIGHT),
        [with_right_ones, pairs_of("ab")],
        ("compare", "score", "one value of right (yes)"),
    ),
    "a table of pairs that are both right, or both wrong": (
        of_phases(COMPARE, SCORE, before=RIGHT),
        [with_alike_ones, pairs_of("ab")],
        ("compare", "score", "The answers of each pair are alike in right."),
    ),
    "pairs by a column in which a right answer always differs from a wrong one": (
        of_phases(BY_RULE.replace("RULE", "of: condition, same: []"), SCORE, before=WITH_CONDITION),
        [with_right_ones, with_conditions],
        ("compare", "score", "The answers of each pair differ in right."),
    ),
    "pairs of answers under one condition, which are right or wrong together": (
        of_phases(BY_RULE.replace("RULE", "of: model, same: condition"), SCORE, before=WITH_CONDITION),
        [with_alike_ones, with_conditions],
        ("compare", "score", "The answers of each pair are alike in right."),
    ),
    "what is apart from what another attribute selects": (
        of_phases(SOME, APART, BLIND.replace("shows", "by: readers, shows"), before=GROUPS + SITED),
        [with_sites_of_subjects],
        ("look", "read", "one value of finding (lesion)"),
    ),
    "another attribute that selects one value": (
        of_phases(OF_BONN, BLIND, before=SITED),
        [with_sites("Bonn", "Ulm")],
        ("look", "read", "one value of finding (lesion)"),
    ),
    "another attribute that selects empty cells": (
        of_phases(OF_BONN, BLIND, before=SITED),
        [with_sites("Ulm", "Bonn"), with_empty_cells_for_none],
        ("look", "read", "one value of finding (empty)"),
    ),
    "subjects that are named one by one, and have one value": (
        of_phases(OF_BONN.replace("site: Bonn", "subject: [subject-2, subject-3]"), BLIND, before=CHOSEN),
        [with_finding_of_subject],
        ("look", "read", "one value of finding (none)"),
    ),
    "conversations that are named one by one, and have one value": (
        of_phases(OF_BONN.replace("site: Bonn", "conversation: [a, b]"), BLIND, before=CHOSEN),
        [with_finding_of_subject, with_talks],
        ("look", "read", "one value of finding (none)"),
    ),
}
TELLS_NOTHING = {
    "a table of pairs of all kinds": (
        of_phases(COMPARE, SCORE, before=RIGHT),
        [with_right_ones, pairs_of("ac", "ab")],
    ),
    "pairs by a rule, of all kinds": (
        of_phases(BY_RULE.replace("RULE", "of: model"), SCORE, before=WITH_CONDITION),
        [with_right_ones, with_conditions],
    ),
    "another attribute that selects several values": (
        of_phases(OF_BONN, BLIND, before=SITED),
        [with_sites("Bonn", "Bonn")],
    ),
    "another attribute by which both phases select": (
        of_phases(OF_BONN, OF_BONN.replace("look", "read"), before=SITED),
        [with_sites("Bonn", "Ulm")],
    ),
    "subjects that are named one by one, of several values": (
        of_phases(OF_BONN.replace("site: Bonn", "subject: [subject-1, subject-3]"), BLIND, before=CHOSEN),
        [with_finding_of_subject],
    ),
    "one subject, whose own value is all that there can be": (
        of_phases(OF_BONN.replace("site: Bonn", "subject: subject-2"), BLIND, before=CHOSEN),
        [with_finding_of_subject],
    ),
    "a value that all material has": (
        of_phases(
            f"{{key: look, rates: items, from: {{where: {{finding: [lesion, none]}}}}, shows: [prompt], {FORM}}}",
            BLIND,
            before=CHOSEN,
        ),
        [all_of_one_finding],
    ),
}


def with_three_findings(folder: Path) -> None:
    """Say of each item one of three findings: in turn."""
    rows = rows_of(folder / "items.csv")
    named = ("lesion", "nowhere", "none")
    rewrite(folder / "items.csv", [row | {"finding": named[n % 3]} for n, row in enumerate(rows)])


OF_TWO = "from: {where: {finding: [lesion, nowhere]}}"
LOOK = f"{{key: look, rates: items, {OF_TWO}, shows: [prompt], {FORM}}}"
TO_SIZE = OF_TWO.replace("where: {finding: [lesion, nowhere]}", "sample: {strata: finding, sizes: {SIZES}}")


@pytest.mark.parametrize(
    ("phases", "what"),
    [
        ([LOOK, BLIND], "is new"),
        ([LOOK.replace(OF_TWO, TO_SIZE.replace("SIZES", "lesion: all, nowhere: all, none: 0 %")), BLIND], "is new"),
        ([LOOK, BLIND.replace("shows", f"{OF_TWO.replace('lesion', 'none')}, shows")], "comes again"),
    ],
    ids=["selected", "drawn in full", "in common with another selection"],
)
def test_what_comes_again_or_is_new_in_a_blind_phase_is_not_of_one_value(
    sqlite_database: Database, tmp_path: Path, phases: list[str], what: str
) -> None:
    folder = write_listed(tmp_path / "study", of_phases(*phases, before=CHOSEN), [with_three_findings])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match=f"Phase 'look' tells the reference .* all that {what} there has one value"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


def with_a_single_lesion(folder: Path) -> None:
    rows = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [row | {"finding": "lesion" if row["item"] == "i1" else "none"} for row in rows])


@pytest.mark.parametrize(
    "sample",
    ["size: 2, strata: finding, allocation: equal", "at_most: {finding: 1}"],
    ids=["in equal parts", "within a limit"],
)
def test_a_sample_that_takes_all_there_is_of_one_value_leaves_no_blind_phase_the_other_alone(
    sqlite_database: Database, tmp_path: Path, sample: str
) -> None:
    look = LOOK.replace(OF_TWO, f"from: {{sample: {{{sample}}}}}")
    folder = write_listed(tmp_path / "study", of_phases(look, BLIND, before=CHOSEN), [with_a_single_lesion])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match=r"Phase 'look' tells the reference .* all that is new there has one value"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


@pytest.mark.parametrize(
    "phases",
    [
        [BLIND, LOOK],
        [LOOK, LOOK.replace("look", "read")],
        [LOOK, BLIND.replace("rates: items,", "rates: items, from: look,")],
        [LOOK.replace(OF_TWO, OF_TWO.replace("}}", "}, sample: {size: 3}}")), BLIND],
    ],
    ids=["afterwards", "the same", "those that are drawn", "some of them"],
)
def test_several_values_that_leave_nothing_to_know_are_frozen(
    sqlite_database: Database, tmp_path: Path, phases: list[str]
) -> None:
    folder = write_listed(tmp_path / "study", of_phases(*phases, before=CHOSEN), [with_three_findings])
    situation = imported_listed(sqlite_database, folder)

    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


@pytest.mark.parametrize(("protocol", "changes", "says"), TELLS.values(), ids=TELLS)
def test_what_was_drawn_with_that_in_common_is_not_frozen(
    sqlite_database: Database,
    tmp_path: Path,
    protocol: str,
    changes: list[Callable[[Path], object]],
    says: tuple[str, str, str],
) -> None:
    folder = write_listed(tmp_path / "study", protocol, changes)
    situation = imported_listed(sqlite_database, folder, groups=("readers", "others") if GROUPS in protocol else ())

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    telling, blind, why = says
    assert f"Phase '{telling}' tells the reference (" in str(refusal.value)
    assert f"can still have to rate in phase '{blind}'" in str(refusal.value)
    assert why in str(refusal.value)


@pytest.mark.parametrize(("protocol", "changes"), TELLS_NOTHING.values(), ids=TELLS_NOTHING)
def test_what_tells_no_more_than_all_material_does_is_frozen(
    sqlite_database: Database, tmp_path: Path, protocol: str, changes: list[Callable[[Path], object]]
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, changes))

    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is not None
