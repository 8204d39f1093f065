"""Checks between the tables of a study folder, and warnings about parts that nobody will ever see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import date

from exchange.csv_table import Read
from exchange.refusal import Problems, listed, shown
from exchange.study_folder.folder_rows import CaseRow
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow
from exchange.study_folder.protocol_file import ReadProtocol
from protocol.hanging import Hanging
from protocol.seen import DIFFER_ONLY, as_seen


def check_hanging(problems: Problems, hanging: Hanging, volumes: Read[VolumeRow]) -> None:
    """Refuse a pane or a window for a sequence that no scan has: a misspelt rule would silently have no effect."""
    present = {volume.sequence for volume in volumes.rows}
    named = [("windows", sequence) for sequence in hanging.windows]
    named += [("panes", sequence) for pane in hanging.panes or [] for sequence in pane.sequences]
    for key, sequence in dict.fromkeys(named):
        if sequence not in present:
            problems.add(
                "protocol.yaml",
                f"key hanging.{key}",
                f"no volume has the sequence '{shown(sequence)}' (volumes.csv holds {listed(sorted(present))})"
                f"{problems.nearest(sequence, present)}; correct the name.",
            )


def check_dates(problems: Problems, volumes: Read[VolumeRow]) -> None:
    """Refuse a prior that is later than the current scan: readers would be shown a negative interval in months."""
    acquired: dict[tuple[str, str], list[date]] = defaultdict(list)
    for volume in volumes.rows:
        if volume.acquired is not None:
            acquired[volume.case, volume.role].append(volume.acquired)
    for (case, role), days in acquired.items():
        current = acquired.get((case, "current"), [])
        if role == "prior" and current and max(days) > min(current):
            problems.add(
                "volumes.csv",
                "column acquired",
                f"the prior of case '{shown(case)}' is of {max(days)}, later than the current scan of {min(current)}; "
                "swap the roles or correct the dates.",
            )


def check_subjects(
    problems: Problems, cases: Read[CaseRow], items: Read[ItemRow], stored: Collection[str] = frozenset()
) -> None:
    """Refuse two subjects that read alike: blinding is by subject, and would take one patient for two.

    Without a table of cases, the case that a line of items.csv names is the subject. An item that names no case is its
    own subject, under a key that nobody wrote as a subject.

    Parameters
    ----------
    stored
        The subjects of the study that this is to be a version of. Alike subjects among them are accepted.
    """
    if cases.rows or cases.keys is None:
        file, named = "cases.csv", [(case.subject, case.line) for case in cases.rows]
    else:
        file, named = "items.csv", [(item.case, item.line) for item in items.rows if item.case != item.key]
    first: dict[str, tuple[str, int]] = {}
    said: set[str] = set()
    for subject, line in named:
        if not subject:
            # The check of the cell already reports that it is empty.
            continue
        before, its_line = first.setdefault(as_seen(subject), (subject, line))
        if before == subject or subject in said or (before in stored and subject in stored):
            continue
        said.add(subject)
        problems.add(
            file,
            f"line {line}",
            f"subject '{shown(subject)}' and '{shown(before)}' in line {its_line} {DIFFER_ONLY}; write one subject in "
            "one way, and two in ways that can be told apart.",
        )


def check_items(
    problems: Problems, protocol: ReadProtocol, items: Read[ItemRow], subjects: Mapping[str, str] | None
) -> None:
    """Check items against each other: the turns of conversations, and that practice is separate from the real items."""
    _check_conversations(problems, items)
    _check_practice(problems, protocol, items, subjects)


def _check_conversations(problems: Problems, items: Read[ItemRow]) -> None:
    conversations: dict[str, list[ItemRow]] = defaultdict(list)
    for item in items.rows:
        if item.conversation is not None:
            conversations[item.conversation].append(item)
    for name, turns in conversations.items():
        if any(item.key in items.doubtful for item in turns):
            continue
        place = f"line {turns[0].line}"
        numbers = sorted(item.turn or 0 for item in turns)
        if numbers != list(range(1, len(turns) + 1)):
            problems.add(
                "items.csv",
                place,
                f"conversation '{shown(name)}' has the turns {listed(str(turn) for turn in numbers)}, expected "
                f"1 to {len(turns)}, each once; correct the column turn.",
            )
        if len({item.case for item in turns}) > 1:
            problems.add(
                "items.csv",
                place,
                f"conversation '{shown(name)}' is about several cases ({listed(sorted({i.case for i in turns}))}); "
                "a conversation is about one.",
            )
        if len({item.practice for item in turns}) > 1:
            problems.add(
                "items.csv",
                place,
                f"conversation '{shown(name)}' is practice in part; make all its turns practice or none.",
            )


def _check_practice(
    problems: Problems, protocol: ReadProtocol, items: Read[ItemRow], subjects: Mapping[str, str] | None
) -> None:
    practice = [item for item in items.rows if item.practice]
    if practice and protocol.practice is False:
        problems.add(
            "items.csv",
            f"line {practice[0].line}",
            f"item '{practice[0].key}' is for practice, but protocol.yaml has no reading.practice; add it "
            "with a pass_mark.",
        )
    if protocol.practice and not practice:
        problems.add(
            "protocol.yaml",
            "key reading.practice",
            "items.csv has no item with practice true; add some or remove the key.",
        )
    if practice and len(practice) == len(items.rows):
        problems.add("items.csv", "column practice", "every item is for practice; a study needs real ones too.")
    if subjects is None:
        return
    real = {subjects.get(item.case) for item in items.rows if not item.practice and item.case in subjects}
    for item in practice:
        # Feedback on a practice item would reveal something about the real ones.
        # If the subject itself is missing, the check of cases.csv reports it.
        if subjects.get(item.case) and subjects[item.case] in real:
            problems.add(
                "items.csv",
                f"line {item.line}",
                f"practice item '{item.key}' is about subject '{subjects[item.case]}', about whom there are "
                "real items too; practise on other subjects.",
            )


def warnings_of(
    cases: tuple[str, ...],
    volumes: tuple[VolumeRow, ...],
    overlays: tuple[OverlayRow, ...],
    items: tuple[ItemRow, ...],
    with_reference: frozenset[str],
    to_be_hit: frozenset[str] = frozenset(),
) -> Iterator[str]:
    """Yield warnings: what nobody will see, missing references, gaps in a case's scans, options whose text varies.

    Parameters
    ----------
    to_be_hit
        Keys of overlays that serve as references and need not be seen.
    """
    about = {item.case for item in items}
    unused = [case for case in cases if case not in about]
    if unused:
        yield f"cases.csv: {_counted(unused, 'case')} in no item; {_remedy(unused)} is imported and never shown."
    shown_volumes_of: set[tuple[str, str, str]] = set()
    for item in items:
        for role in ("current", "prior") if item.uses_prior else ("current",):
            shown_volumes_of.update((item.case, role, sequence) for sequence in item.sequences)
    dark = [row.key for row in volumes if (row.case, row.role, row.sequence) not in shown_volumes_of]
    if dark:
        yield (
            f"volumes.csv: {_counted(dark, 'volume')} in no item; {_remedy(dark)} is imported and never shown; "
            "name its sequence in an item or remove it."
        )
    laid = {key for item in items for key in item.overlays}
    bare = [row.key for row in overlays if row.key not in laid | to_be_hit]
    if bare:
        yield f"overlays.csv: {_counted(bare, 'overlay')} in no item; {_remedy(bare)} is imported and never shown."
    yield from _gaps(volumes, items)
    yield from _unlike_options(items)
    without = [item.key for item in items if item.key not in with_reference]
    if len(without) == len(items):
        yield "No item has a reference: nothing that needs one, as accuracy, is computed."
    elif without:
        yield (
            f"references.csv: {listed(without)} {'has' if len(without) == 1 else 'have'} no reference; what needs one, "
            "as accuracy, is computed from the others."
        )


def _gaps(volumes: tuple[VolumeRow, ...], items: tuple[ItemRow, ...]) -> Iterator[str]:
    present = {(row.case, row.role, row.sequence) for row in volumes}
    lacking: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for item in items:
        for role in ("current", "prior") if item.uses_prior else ("current",):
            for sequence in item.sequences:
                if (item.case, role, sequence) not in present:
                    lacking[(item.case, role, sequence)].append(item.key)
    for (case, role, sequence), keys in lacking.items():
        yield (
            f"items.csv: case '{case}' has no {role} {sequence}, which item{'s' if len(keys) > 1 else ''} "
            f"{listed(keys)} would show; readers are told that it is missing."
        )


def _unlike_options(items: tuple[ItemRow, ...]) -> Iterator[str]:
    """Yield, for each form, the option ids that mean one thing in some items and another in others."""
    saying: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for item in items:
        for option, text in item.options:
            saying[item.form][option][text].append(item.key)
    for form, options in saying.items():
        unlike = {option: texts for option, texts in options.items() if len(texts) > 1}
        if not unlike:
            continue
        option, texts = next(iter(unlike.items()))
        said = " and ".join(f"'{shown(text)}' ({listed(keys)})" for text, keys in list(texts.items())[:2])
        more = f", and {len(texts) - 2} more" if len(texts) > 2 else ""
        others = [f"'{shown(other)}'" for other in unlike if other != option]
        too = f" So {'does' if len(others) == 1 else 'do'} {listed(others)}." if others else ""
        of_form = f" of form '{shown(form)}'" if form else ""
        yield (
            f"items.csv: option '{shown(option)}'{of_form} says {said}{more}.{too} Tables of answers "
            "count an id as one answer and label it by the first item's words; give unlike answers unlike ids."
        )


def _counted(keys: list[str], what: str) -> str:
    return f"{len(keys)} {what} is" if len(keys) == 1 else f"{len(keys)} {what}s are"


def _remedy(keys: list[str]) -> str:
    return f"'{keys[0]}'" if len(keys) == 1 else f"each of {listed(keys)}"
