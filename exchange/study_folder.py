"""A study folder: `protocol.yaml`, one CSV file per table, and the scans they name.

`read_study_folder` reads and cross-checks all of it without touching a scan: a folder is either right as a whole or
refused with all that is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.folder_checks import check_hanging, check_items, warnings_of
from exchange.item_table import ItemRow, OverlayRow, VolumeRow, item_row
from exchange.protocol_file import ReadProtocol, read_protocol_as_far_as_it_goes
from exchange.refusal import Conversion, Conversions, InputRefused, Problems, listed, shown
from exchange.tables import (
    CANDIDATES,
    CASE_HISTORY,
    CASES,
    ITEMS,
    OVERLAY_COLOUR,
    OVERLAY_OPACITY,
    OVERLAYS,
    REFERENCES,
    STYLES,
    VOLUMES,
)
from protocol.fields import KINDS
from protocol.fields.kind import Reference
from protocol.study import Protocol

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_LONGEST_PATH = 4_000


@dataclass(frozen=True)
class CaseRow:
    """One line of cases.csv."""

    key: str
    subject: str
    vignette: str
    age: int | None
    note: str
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReferenceRow:
    """One line of references.csv."""

    item: str
    accepted: tuple[str, ...]
    low: float | None
    high: float | None
    text_only_answer: str
    provenance: str


@dataclass(frozen=True)
class CandidateRow:
    """One line of candidates.csv."""

    key: str
    item: str
    model: str
    answer: str


@dataclass(frozen=True)
class StudyFolder:
    """Everything a study folder says.

    `conversions` lists what was understood although it is written otherwise than documented, `warnings` what is
    right and may be meant otherwise.
    """

    protocol: Protocol
    cases: tuple[CaseRow, ...]
    volumes: tuple[VolumeRow, ...]
    items: tuple[ItemRow, ...]
    references: tuple[ReferenceRow, ...]
    candidates: tuple[CandidateRow, ...]
    overlays: tuple[OverlayRow, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExaminedFolder:
    """A study folder as far as it could be read: whole, or with its problems and the scans that are there all the same.

    `contents` is None exactly where there are problems.
    """

    contents: StudyFolder | None
    problems: Problems
    volumes: tuple[VolumeRow, ...]
    overlays: tuple[OverlayRow, ...]


def read_study_folder(folder: Path) -> StudyFolder:
    """Read and cross-check a study folder.

    Raises
    ------
    InputRefused
        With everything that is wrong, each naming file and line or key.
    """
    outcome = look_through(folder)
    outcome.problems.refuse()
    assert outcome.contents is not None
    return outcome.contents


def look_through(folder: Path) -> ExaminedFolder:
    """Read and cross-check a study folder, and gather what is wrong instead of ending at the first thing.

    Raises
    ------
    InputRefused
        There is no such folder.
    """
    if len(str(folder)) > _LONGEST_PATH or not _is_folder(folder):
        raise InputRefused(
            f"{shown(folder.name)} is not a folder: expected one with protocol.yaml and CSV tables; name that."
        )
    problems = Problems()
    protocol = read_protocol_as_far_as_it_goes(folder / "protocol.yaml", problems)
    reader = Reader(problems, Conversions(), protocol.dates)
    cases = read_table(reader, folder, CASES, _case)
    histories = _histories(reader, folder, cases)
    volumes = read_table(reader, folder, VOLUMES, lambda line: _volume(line, folder, cases))
    if protocol.hanging is not None and volumes.keys is not None:
        check_hanging(problems, protocol.hanging, volumes)
    overlays = read_table(reader, folder, OVERLAYS, lambda line: _overlay(line, folder, cases))
    items = read_table(reader, folder, ITEMS, lambda line: item_row(line, protocol, cases.keys, volumes, overlays))
    subjects = None if cases.keys is None else {case.key: case.subject for case in cases.rows}
    check_items(problems, protocol, items, subjects)
    item_by_key = {item.key: item for item in reversed(items.rows)}
    references = read_table(reader, folder, REFERENCES, lambda line: _reference(line, items, item_by_key, protocol))
    candidates = read_table(reader, folder, CANDIDATES, lambda line: _candidate(line, items, item_by_key))
    _check_who_needs_a_reference(problems, protocol, items, references, candidates)
    _check_scoring(problems, protocol, candidates)
    sound = None
    if protocol.whole is not None and not problems.count:
        sound = StudyFolder(
            protocol=protocol.whole,
            cases=tuple(replace(case, history=histories.get(case.key, ())) for case in cases.rows),
            volumes=volumes.rows,
            items=items.rows,
            references=references.rows,
            candidates=candidates.rows,
            overlays=overlays.rows,
            conversions=reader.conversions.all(),
            warnings=tuple(
                warnings_of(
                    tuple(case.key for case in cases.rows),
                    volumes.rows,
                    overlays.rows,
                    items.rows,
                    frozenset(reference.item for reference in references.rows),
                )
            ),
        )
    return ExaminedFolder(sound, problems, volumes.rows, overlays.rows)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # A name longer than the disk takes.
        return False


def _case(line: Line) -> CaseRow:
    age = line.number_or_none("age")
    if age is not None and not (0 <= age <= 120 and age == int(age)):
        line.problem(
            f"age is '{shown(line.cells['age'])}', expected whole years from 0 to 120; correct the cell.", "age"
        )
        age = None
    return CaseRow(
        key=line.text("case"),
        subject=line.text("subject"),
        vignette=line.text("vignette"),
        age=None if age is None else int(age),
        note=line.text("note"),
    )


def _histories(reader: Reader, folder: Path, cases: Read[CaseRow]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Read the structured history, where there is one: several lines per case, in their order."""
    lines = read_table(
        reader,
        folder,
        CASE_HISTORY,
        lambda line: (line.known("case", cases.keys, "cases.csv"), (line.text("name"), line.text("value"))),
    )
    of_case: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for case, pair in lines.rows:
        of_case[case].append(pair)
    return {case: tuple(pairs) for case, pairs in of_case.items()}


def _volume(line: Line, folder: Path, cases: Read[CaseRow]) -> VolumeRow:
    return VolumeRow(
        path=line.file("file", folder),
        key=line.text("volume"),
        case=line.known("case", cases.keys, "cases.csv") if line.cells["case"].strip() else line.text("case"),
        role=line.word("role"),
        sequence=line.text("sequence"),
        acquired=line.date_or_none("acquired"),
        label=line.text("label"),
    )


def _overlay(line: Line, folder: Path, cases: Read[CaseRow]) -> OverlayRow:
    colour = line.text("colour") or OVERLAY_COLOUR
    if not _COLOUR.fullmatch(colour):
        line.problem(
            f"colour is '{shown(colour)}', expected six hexadecimal digits as #e8a33d; correct the cell.", "colour"
        )
    opacity = line.number_or_none("opacity")
    opacity = OVERLAY_OPACITY if opacity is None else opacity
    if not 0 < opacity <= 1:
        line.problem(f"opacity is {opacity:g}, expected a number above 0 and at most 1; correct the cell.", "opacity")
    return OverlayRow(
        key=line.text("overlay"),
        case=line.known("case", cases.keys, "cases.csv"),
        label=line.text("label"),
        path=line.file("file", folder),
        colour=colour.lower(),
        style=line.word("style") if line.text("style") else STYLES[0],
        opacity=opacity,
    )


def _reference(line: Line, items: Read[ItemRow], by_key: Mapping[str, ItemRow], protocol: ReadProtocol) -> ReferenceRow:
    key = line.known("item", items.keys, "items.csv")
    item = by_key.get(key) if key not in items.doubtful and line.sound("item") else None
    accepted = tuple(part.strip() for part in line.text("accepted").split("|") if part.strip())
    low, high = line.number_or_none("low"), line.number_or_none("high")
    text_only = line.text("text_only_answer")
    if not accepted and low is None and high is None and line.sound("item", "accepted", "low", "high"):
        line.problem(f"item '{shown(key)}' has neither accepted answers nor a range; give one of them.", "accepted")
    elif item is not None and line.sound("accepted", "low", "high"):
        form = (protocol.forms or {}).get(item.form)
        counts_as_right = Reference(accepted, low, high)
        asked = form.primary if form is not None else None
        problem = KINDS[asked.type].problem_of_reference(asked, counts_as_right) if asked is not None else ""
        if problem:
            line.problem(f"item '{item.key}' {problem}.", "accepted")
        elif asked is not None and asked.offered and not item.options:
            _check_among_options(line, item, [option.id for option in asked.offered], accepted, text_only)
    if low is not None and high is not None and low > high:
        line.problem(f"low {low:g} is above high {high:g}; correct the range.", "low")
    if item is not None and item.options:
        _check_among_options(line, item, [option for option, _ in item.options], accepted, text_only)
    return ReferenceRow(key, accepted, low, high, text_only, line.text("provenance"))


def _check_among_options(
    line: Line, item: ItemRow, options: Sequence[str], accepted: tuple[str, ...], text_only: str
) -> None:
    ids = sorted(set(options))
    for column, answers in (("accepted", accepted), ("text_only_answer", (text_only,) if text_only else ())):
        for answer in answers:
            if answer not in ids:
                near = line.reader.problems.nearest(answer, ids)
                line.problem(
                    f"{column} '{shown(answer)}' is none of the options of item '{item.key}' ({listed(ids)}){near}; "
                    f"use an option id{', and | between several' if {';', ','} & set(answer) else ''}.",
                    column,
                )


def _candidate(line: Line, items: Read[ItemRow], by_key: Mapping[str, ItemRow]) -> CandidateRow:
    key = line.known("item", items.keys, "items.csv")
    item = by_key.get(key)
    if item is not None and item.practice:
        line.problem(f"item '{key}' is for practice, and nobody scores answers to those; remove the line.", "item")
    return CandidateRow(key=line.text("candidate"), item=key, model=line.text("model"), answer=line.text("answer"))


def _check_who_needs_a_reference(
    problems: Problems,
    protocol: ReadProtocol,
    items: Read[ItemRow],
    references: Read[ReferenceRow],
    candidates: Read[CandidateRow],
) -> None:
    """Refuse items without a reference where something is compared with it: feedback, scoring, the primary estimate."""
    if items.keys is None or references.keys is None:
        return
    without = items.keys - references.keys
    practised = sorted({item.key for item in items.rows if item.practice} & without)
    if practised:
        problems.add("references.csv", "", f"lacks {listed(practised)}; a practice item needs a line there.")
    scored = sorted({candidate.item for candidate in candidates.rows} & without) if protocol.sample else []
    if scored:
        problems.add(
            "references.csv",
            "",
            f"lacks {listed(scored)}; answers to them are to be scored, so they need a line there, or their candidates "
            "go.",
        )
    real = {item.key for item in items.rows if not item.practice}
    planned = protocol.whole.analysis.primary if protocol.whole is not None else "agreement"
    if real and not real & references.keys and planned != "agreement":
        problems.add(
            "protocol.yaml",
            "key analysis.primary",
            f"{planned} is planned, but no item has a reference; add references.csv, or write agreement.",
        )


def _check_scoring(problems: Problems, protocol: ReadProtocol, candidates: Read[CandidateRow]) -> None:
    if candidates.keys is not None and protocol.sample > len(candidates.rows):
        problems.add(
            "protocol.yaml",
            "key scoring.sample",
            f"{protocol.sample} candidates are to be scored, candidates.csv holds {len(candidates.rows)}; lower the "
            "sample or add candidates.",
        )
