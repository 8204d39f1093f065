"""Ways to tell somebody what they have still to rate blind: each is refused, with both phases and the ways out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db import Database
from exchange.refusal import InputRefused
from services.errors import Conflict
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, write_listed
from tests.room_study import change_item, rewrite, rows_of, with_overlays

HEAD = "blindread: 2\nname: listed\ntitle: Told too early\n"
FORM = "form: {v: text}"
BLIND = f"{{key: read, rates: items, shows: [prompt], {FORM}}}"
AT_ONCE = "opens: {at_once: yes}"


def of_phases(*phases: str, before: str = "") -> str:
    return HEAD + before + "phases:\n" + "".join(f"  - {phase}\n" for phase in phases)


def with_finding(folder: Path) -> None:
    """Say of each item what its reference is, in a column of its own."""
    rows = [
        row | {"finding": "lesion" if row["item"] in ("i1", "i5") else "none"} for row in rows_of(folder / "items.csv")
    ]
    rewrite(folder / "items.csv", rows)


def with_finding_of_subject(folder: Path) -> None:
    """Say of each item what its reference is: a lesion of one subject, nothing of the others."""
    rows = [row | {"finding": "lesion" if row["case"] == "c1" else "none"} for row in rows_of(folder / "items.csv")]
    rewrite(folder / "items.csv", rows)


def with_site(folder: Path) -> None:
    rewrite(folder / "cases.csv", [row | {"site": "Bonn"} for row in rows_of(folder / "cases.csv")])


def with_turns(folder: Path) -> None:
    change_item(folder, "i1", conversation="talk", turn="1")
    change_item(folder, "i2", conversation="talk", turn="2")


FINDING = "attributes: {items: {finding: {type: text, tells: reference}}}\n"
SITE = "attributes: {cases: {site: text}}\n"
GROUPS = "groups: {readers: Readers, others: Others}\n"

# The protocol, what is changed in the tables, and the phases that tell and are blind.
AT_THE_IMPORT: dict[str, tuple[str, list[Callable[[Path], object]], tuple[str, str]]] = {
    "references are rated first": (
        of_phases(f"{{key: curate, rates: references, shows: [prompt, reference], {FORM}}}", BLIND),
        [],
        ("curate", "read"),
    ),
    "a pilot that does not count shows the reference after the answer": (
        of_phases(
            f"{{key: pilot, rates: items, shows: [prompt], {FORM}, then: {{shows: reference}}, counts: no}}", BLIND
        ),
        [],
        ("pilot", "read"),
    ),
    "an explanation stands alone": (
        of_phases(f"{{key: why, rates: items, shows: [prompt, explanation], {FORM}}}", BLIND),
        [],
        ("why", "read"),
    ),
    "a small sample of the same material": (
        of_phases(
            BLIND,
            f"{{key: score, rates: candidates, from: {{sample: {{size: 1}}}}, shows: [reference, candidate], {FORM}, "
            f"{AT_ONCE}}}",
        ),
        [],
        ("score", "read"),
    ),
    "whenever an admin likes": (
        of_phases(BLIND, f"{{key: check, rates: items, shows: [reference], {FORM}, opens: {{by_admin: yes}}}}"),
        [],
        ("check", "read"),
    ),
    "two groups, of which one works in both phases": (
        of_phases(
            f"{{key: score, rates: candidates, shows: [reference, candidate], {FORM}, by: [readers, others]}}",
            BLIND.replace("shows", "by: readers, shows"),
            before=GROUPS,
        ),
        [],
        ("score", "read"),
    ),
    "opinions of people who were shown the reference": (
        of_phases(
            f"{{key: check, rates: items, shows: [prompt, reference], {FORM}, by: readers}}",
            f"{{key: see, rates: items, from: check, shows: [prompt, opinions], {FORM}, by: others}}",
            BLIND.replace("shows", "by: others, shows"),
            before=GROUPS,
        ),
        [],
        ("see", "read"),
    ),
    "all units have one value of what tells the reference": (
        of_phases(
            f"{{key: look, rates: items, from: {{where: {{finding: lesion}}}}, shows: [prompt], {FORM}}}",
            BLIND,
            before=FINDING,
        ),
        [with_finding],
        ("look", "read"),
    ),
    "an attribute of a case, before answers about it": (
        of_phases(
            f"{{key: sort, rates: items, shows: [prompt, site], {FORM}}}",
            f"{{key: score, rates: candidates, shows: [prompt, candidate], {FORM}}}",
            before=SITE,
        ),
        [with_site],
        ("sort", "score"),
    ),
}
AT_THE_FREEZE: dict[str, tuple[str, list[Callable[[Path], object]], tuple[str, str]]] = {
    "a reference after the answer, while another item of the subject is open": (
        of_phases(
            f"{{key: told, rates: items, from: {{where: {{format: yes_no}}}}, shows: [prompt], {FORM}, "
            f"then: {{shows: reference}}, {AT_ONCE}}}",
            f"{{key: read, rates: items, from: {{where: {{format: open}}}}, shows: [prompt], {FORM}, {AT_ONCE}}}",
        ),
        [],
        ("told", "read"),
    ),
    "the same, where the phase draws from one that selects those items": (
        of_phases(
            f"{{key: sort, rates: items, from: {{where: {{format: yes_no}}}}, shows: [prompt], {FORM}, {AT_ONCE}}}",
            f"{{key: told, rates: items, from: sort, shows: [prompt], {FORM}, then: {{shows: reference}}, "
            "opens: {after: sort}}",
            f"{{key: read, rates: items, from: {{where: {{format: open}}}}, shows: [prompt], {FORM}, {AT_ONCE}}}",
        ),
        [],
        ("told", "read"),
    ),
    "an overlay over another item of the subject": (
        of_phases(
            f"{{key: aided, rates: items, from: {{where: {{format: choice}}}}, shows: [scans, overlays], {FORM}, "
            f"{AT_ONCE}}}",
            f"{{key: read, rates: items, from: {{where: {{format: yes_no}}}}, shows: [scans], {FORM}, {AT_ONCE}}}",
        ),
        [with_overlays],
        ("aided", "read"),
    ),
    "an answer to another turn of the conversation": (
        of_phases(
            f"{{key: score, rates: candidates, from: {{where: {{format: choice}}}}, shows: [prompt, candidate], "
            f"{FORM}, {AT_ONCE}}}",
            f"{{key: read, rates: items, from: {{where: {{format: yes_no}}}}, shows: [prompt], {FORM}, {AT_ONCE}}}",
        ),
        [with_turns],
        ("score", "read"),
    ),
    "who scored no answer to an item, but one about its subject": (
        of_phases(
            f"{{key: score, rates: candidates, from: {{where: {{model: model-a}}}}, shows: [reference, candidate], "
            f"{FORM}, by: {{per_unit: 1}}}}",
            f"{{key: read, rates: items, shows: [prompt], {FORM}, by: {{not_in: score}}, {AT_ONCE}}}",
        ),
        [],
        ("score", "read"),
    ),
    "another model's answers to the same items": (
        of_phases(
            f"{{key: rate, rates: candidates, from: {{where: {{model: model-a}}}}, shows: [candidate, site], {FORM}}}",
            f"{{key: score, rates: candidates, from: {{where: {{model: model-b}}}}, shows: [candidate], {FORM}}}",
            before=SITE,
        ),
        [with_site],
        ("rate", "score"),
    ),
}


@pytest.mark.parametrize(("protocol", "changes", "phases"), AT_THE_IMPORT.values(), ids=AT_THE_IMPORT)
def test_what_any_tables_would_tell_too_early_is_not_imported(
    sqlite_database: Database,
    tmp_path: Path,
    protocol: str,
    changes: list[Callable[[Path], object]],
    phases: tuple[str, str],
) -> None:
    with pytest.raises(InputRefused) as refusal:
        imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, changes))

    telling, blind = phases
    said = str(refusal.value)
    assert f"phase '{telling}'" in said and f"can still have to rate the same material in phase '{blind}'" in said
    for way in (f"let '{telling}' open after '{blind}'", "another group", "sample.not_in"):
        assert way in said


@pytest.mark.parametrize(("protocol", "changes", "phases"), AT_THE_FREEZE.values(), ids=AT_THE_FREEZE)
def test_what_was_drawn_so_that_it_tells_too_early_is_not_frozen(
    sqlite_database: Database,
    tmp_path: Path,
    protocol: str,
    changes: list[Callable[[Path], object]],
    phases: tuple[str, str],
) -> None:
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, changes))

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    telling, blind = phases
    said = str(refusal.value)
    assert f"Phase '{telling}' shows " in said and f"can still have to rate in phase '{blind}'" in said
    assert f"let '{telling}' open after '{blind}', or draw one of the two apart (sample.not_in)" in said
    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is None


# What selects several values, of which the draw leaves one: of items i1 and i5 alone the finding is a lesion.
LEAVES_ONE_VALUE = {
    "a value that no item has": "{where: {finding: [lesion, nowhere]}}",
    "a size that draws none of the other value": "{sample: {strata: finding, sizes: {lesion: 2, none: 1 %}}}",
}
CHOSEN = FINDING.replace("type: text", "type: choice, options: [lesion, none, nowhere]")


@pytest.mark.parametrize("source", LEAVES_ONE_VALUE.values(), ids=LEAVES_ONE_VALUE)
def test_one_value_that_the_draw_leaves_of_several_tells_the_reference_as_if_it_were_selected(
    sqlite_database: Database, tmp_path: Path, source: str
) -> None:
    protocol = of_phases(f"{{key: look, rates: items, from: {source}, shows: [prompt], {FORM}}}", BLIND, before=CHOSEN)
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, [with_finding]))

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    said = str(refusal.value)
    assert "Phase 'look' tells the reference ('finding') of " in said and "in phase 'read'" in said
    assert (
        "All that was drawn for 'look' has one value of finding (lesion), of those that its selection leaves." in said
    )


def with_size(folder: Path) -> None:
    """Give each item a number: 1, 2 and 3, which are below 5, and 7, 8 and 9."""
    sizes = dict(zip(("i1", "i2", "i3", "i4", "i5", "i6"), (1, 7, 2, 8, 3, 9), strict=True))
    rewrite(folder / "items.csv", [row | {"size": str(sizes[row["item"]])} for row in rows_of(folder / "items.csv")])


@pytest.mark.parametrize(
    ("source", "level"),
    [
        ("{where: {size: ['1', '2', '3']}}", "below 5"),
        ("{where: {size: ['7', '8', '9']}}", "5 or more"),
        ("{sample: {strata: size, sizes: {'1': 1, '2': 1, '3': 1, '7': 0 %, '8': 0 %, '9': 0 %}}}", "below 5"),
        ("{where: {size: ['1', '2', '7']}}", ""),
    ],
)
def test_numbers_of_one_level_tell_the_reference_as_one_value_does(
    sqlite_database: Database, tmp_path: Path, source: str, level: str
) -> None:
    size = "attributes: {items: {size: {type: number, bins: [5], tells: reference}}}\n"
    protocol = of_phases(f"{{key: look, rates: items, from: {source}, shows: [prompt], {FORM}}}", BLIND, before=size)
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, [with_size]))

    said = ""
    try:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    except Conflict as refusal:
        said = str(refusal)

    assert bool(said) == bool(level)
    assert f"has one value of size ({level})" in said or not level


def test_one_value_that_is_also_one_level_is_refused_once(sqlite_database: Database, tmp_path: Path) -> None:
    def with_sevens(folder: Path) -> None:
        sizes = {"i1": 1, "i5": 9, "i6": 9}
        rows = [row | {"size": str(sizes.get(row["item"], 7))} for row in rows_of(folder / "items.csv")]
        rewrite(folder / "items.csv", rows)

    size = "attributes: {items: {size: {type: number, bins: [5], tells: reference}}}\n"
    look = f"{{key: look, rates: items, from: {{where: {{size: ['1', '9']}}}}, shows: [prompt], {FORM}}}"
    folder = write_listed(tmp_path / "study", of_phases(look, BLIND, before=size), [with_sevens])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    (said,) = str(refusal.value).splitlines()
    assert "all that is new there has one value of size (7)." in said


def test_one_value_that_is_left_beside_what_another_phase_selects_tells_the_reference(
    sqlite_database: Database, tmp_path: Path
) -> None:
    sick = f"{{key: sick, rates: items, from: {{where: {{finding: lesion}}}}, shows: [prompt], {FORM}, by: others}}"
    apart = f"{{key: look, rates: items, from: {{sample: {{not_in: sick}}}}, shows: [prompt], {FORM}, by: readers}}"
    protocol = of_phases(sick, apart, BLIND.replace("shows", "by: readers, shows"), before=GROUPS + CHOSEN)
    folder = write_listed(tmp_path / "study", protocol, [with_finding_of_subject])
    situation = imported_listed(sqlite_database, folder, groups=("readers", "others"))

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    said = str(refusal.value)
    assert "Phase 'look' tells the reference ('finding') of " in said and "in phase 'read'" in said
    assert "has one value of finding (none), of those that its selection leaves." in said


def frozen_before(database: Database, folder: Path, finding: str) -> None:
    """Freeze another study of the same tables, of items that have one value of what tells the reference."""
    text = of_phases(f"{{key: read, rates: items, from: {{where: {{finding: {finding}}}}}, {FORM}, shows: [prompt]}}")
    text = text.replace("phases:", f"{CHOSEN}phases:")
    earlier = imported_listed(database, write_listed(folder, text, [with_finding_of_subject]), raters=0, key="earlier")
    freezing.freeze_study(database, earlier.admin, earlier.study_key)


def test_one_value_that_is_left_beside_another_study_tells_the_reference(
    sqlite_database: Database, tmp_path: Path
) -> None:
    frozen_before(sqlite_database, tmp_path / "earlier", "lesion")
    apart = f"{{key: look, rates: items, from: {{sample: {{not_in: earlier}}}}, shows: [prompt], {FORM}}}"
    folder = write_listed(tmp_path / "study", of_phases(apart, BLIND, before=CHOSEN), [with_finding_of_subject])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    said = str(refusal.value)
    assert "Phase 'look' tells the reference ('finding') of " in said and "in phase 'read'" in said
    assert "has one value of finding (none), of those that its selection leaves." in said


def test_what_answers_let_in_of_some_values_can_be_of_one_and_tells_the_reference(
    sqlite_database: Database, tmp_path: Path
) -> None:
    first = (
        f"{{key: first, rates: items, from: {{where: {{format: yes_no}}}}, shows: [prompt], {FORM}, "
        "flags: {odd: Odd}, by: others}"
    )
    look = (
        "{key: look, rates: items, from: {phase: first, let_in: flagged, "
        "where: {format: yes_no, finding: [lesion, none]}}, "
        f"shows: [prompt], {FORM}, by: readers}}"
    )
    read = f"{{key: read, rates: items, from: {{where: {{format: open}}}}, shows: [prompt], {FORM}, by: readers}}"
    protocol = of_phases(first, look, read, before=GROUPS + CHOSEN)
    folder = write_listed(tmp_path / "study", protocol, [with_finding])
    situation = imported_listed(sqlite_database, folder, groups=("readers", "others"))

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert (
        "Answers decide what 'look' gets of those that its selection leaves: all of it can have one value of finding."
    ) in str(refusal.value)


OF_ONE = f"{{key: look, rates: items, from: {LEAVES_ONE_VALUE['a value that no item has']}, shows: [prompt], {FORM}}}"
OF_TWO = f"{{key: look, rates: items, from: {{where: {{finding: [lesion, none]}}}}, shows: [prompt], {FORM}}}"


@pytest.mark.parametrize(
    "phases", [(BLIND, OF_ONE), (OF_TWO, BLIND)], ids=["after the blind phase", "two values were drawn"]
)
def test_what_the_draw_leaves_is_frozen_where_it_tells_nobody_too_early(
    sqlite_database: Database, tmp_path: Path, phases: tuple[str, ...]
) -> None:
    protocol = of_phases(*phases, before=CHOSEN)
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, [with_finding]))

    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert freezing.freeze_of(sqlite_database, situation.admin, situation.study_key) is not None
