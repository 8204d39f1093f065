"""A study folder: `protocol.yaml`, one CSV file per table, and the scans they name.

`read_study_folder` reads and cross-checks all of it without touching a scan: a folder is either right as a whole or
refused with the first thing that is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from exchange.csv_table import Line, listed, read_table
from exchange.item_table import ITEM_COLUMNS, MORE_ITEM_COLUMNS, ItemRow, OverlayRow, VolumeRow, check_items, item_row
from exchange.protocol import Protocol, read_protocol
from exchange.refusal import InputRefused

ROLES = ("current", "prior")
STYLES = ("outline", "fill")
OVERLAY_COLOUR, OVERLAY_OPACITY = "#e8a33d", 0.5
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


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
    """Everything a study folder says."""

    protocol: Protocol
    cases: tuple[CaseRow, ...]
    volumes: tuple[VolumeRow, ...]
    items: tuple[ItemRow, ...]
    references: tuple[ReferenceRow, ...]
    candidates: tuple[CandidateRow, ...]
    overlays: tuple[OverlayRow, ...] = ()


def read_study_folder(folder: Path) -> StudyFolder:
    """Read and cross-check a study folder.

    Raises
    ------
    InputRefused
        For the first thing that is wrong, naming file and line or key.
    """
    if not folder.is_dir():
        raise InputRefused(f"{folder.name} is no folder: expected one with protocol.yaml and CSV tables; name that.")
    protocol = read_protocol(folder / "protocol.yaml")
    cases = read_table(folder, "cases.csv", ("case", "subject", "vignette", "age", "note"), _case, unique="case")
    case_keys = {case.key for case in cases}
    cases = _with_history(folder, cases)
    volumes = read_table(
        folder,
        "volumes.csv",
        ("volume", "case", "role", "sequence", "acquired", "file", "label"),
        lambda line: _volume(line, folder, case_keys),
        unique="volume",
    )
    _check_hanging(protocol, volumes)
    overlays: tuple[OverlayRow, ...] = ()
    if (folder / "overlays.csv").exists():
        overlays = read_table(
            folder,
            "overlays.csv",
            ("overlay", "case", "label", "file", "colour", "style", "opacity"),
            lambda line: _overlay(line, folder, case_keys),
            unique="overlay",
        )
    items = read_table(
        folder,
        "items.csv",
        ITEM_COLUMNS,
        lambda line: item_row(line, protocol, case_keys, volumes, overlays),
        unique="item",
        optional=MORE_ITEM_COLUMNS,
    )
    check_items(protocol, items, {case.key: case.subject for case in cases})
    item_by_key = {item.key: item for item in items}
    references = read_table(
        folder,
        "references.csv",
        ("item", "accepted", "low", "high", "text_only_answer", "provenance"),
        lambda line: _reference(line, item_by_key),
        unique="item",
    )
    candidates: tuple[CandidateRow, ...] = ()
    if (folder / "candidates.csv").exists():
        candidates = read_table(
            folder,
            "candidates.csv",
            ("candidate", "item", "model", "answer"),
            lambda line: _candidate(line, item_by_key),
            unique="candidate",
        )
    _check_references_cover(items, references)
    _check_scoring(protocol, candidates)
    return StudyFolder(protocol, cases, volumes, items, references, candidates, overlays)


def _case(line: Line) -> CaseRow:
    age = line.number_or_none("age")
    if age is not None and not (0 <= age <= 120 and age == int(age)):
        raise line.refuse(f"age is '{line.cells['age']}', expected whole years from 0 to 120; mend the cell.")
    return CaseRow(
        key=line.text("case", longest=80),
        subject=line.text("subject", longest=80),
        vignette=line.text("vignette", required=False),
        age=None if age is None else int(age),
        note=line.text("note", required=False),
    )


def _with_history(folder: Path, cases: tuple[CaseRow, ...]) -> tuple[CaseRow, ...]:
    """Read the structured history, where there is one: several lines per case, in their order."""
    if not (folder / "case_history.csv").exists():
        return cases
    known = {case.key for case in cases}
    lines = read_table(
        folder,
        "case_history.csv",
        ("case", "name", "value"),
        lambda line: (
            line.known("case", known, "cases.csv"),
            (line.text("name", longest=80), line.text("value", longest=2_000)),
        ),
    )
    of_case: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for case, pair in lines:
        of_case[case].append(pair)
    return tuple(replace(case, history=tuple(of_case[case.key])) for case in cases)


def _file(line: Line, folder: Path) -> Path:
    named = line.text("file", longest=400)
    path = (folder / named).resolve()
    if Path(named).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise line.refuse(f"file '{named}' lies outside the study folder; put the scan inside and name it from there.")
    if not path.is_file():
        raise line.refuse(f"file '{named}' is missing; add the scan or mend the name.")
    return path


def _volume(line: Line, folder: Path, case_keys: set[str]) -> VolumeRow:
    return VolumeRow(
        path=_file(line, folder),
        key=line.text("volume", longest=80),
        case=line.known("case", case_keys, "cases.csv"),
        role=line.one_of("role", ROLES),
        sequence=line.text("sequence", longest=40),
        acquired=line.date_or_none("acquired"),
        label=line.text("label", longest=80),
    )


def _overlay(line: Line, folder: Path, case_keys: set[str]) -> OverlayRow:
    colour = line.text("colour", required=False) or OVERLAY_COLOUR
    if not _COLOUR.fullmatch(colour):
        raise line.refuse(f"colour is '{colour[:40]}', expected six hexadecimal digits as #e8a33d; mend the cell.")
    opacity = line.number_or_none("opacity")
    opacity = OVERLAY_OPACITY if opacity is None else opacity
    if not 0 < opacity <= 1:
        raise line.refuse(f"opacity is {opacity:g}, expected a number above 0 and at most 1; mend the cell.")
    return OverlayRow(
        key=line.text("overlay", longest=80),
        case=line.known("case", case_keys, "cases.csv"),
        label=line.text("label", longest=80),
        path=_file(line, folder),
        colour=colour.lower(),
        style=line.one_of("style", STYLES) if line.cells["style"].strip() else STYLES[0],
        opacity=opacity,
    )


def _check_hanging(protocol: Protocol, volumes: tuple[VolumeRow, ...]) -> None:
    """Refuse a pane or a window for a sequence that no scan has: a misspelt rule would silently be none."""
    present = {volume.sequence for volume in volumes}
    named = [("windows", sequence) for sequence in protocol.hanging.windows]
    named += [("panes", sequence) for pane in protocol.hanging.panes or [] for sequence in pane.sequences]
    for key, sequence in named:
        if sequence not in present:
            raise InputRefused(
                f"protocol.yaml, key hanging.{key}: no volume has the sequence '{sequence}' (volumes.csv holds "
                f"{listed(sorted(present))}); mend the name."
            )


def _reference(line: Line, items: dict[str, ItemRow]) -> ReferenceRow:
    item = items[line.known("item", items, "items.csv")]
    accepted = tuple(part.strip() for part in line.text("accepted", required=False).split("|") if part.strip())
    low, high = line.number_or_none("low"), line.number_or_none("high")
    if not accepted and low is None and high is None:
        raise line.refuse(f"item '{item.key}' has neither accepted answers nor a range; give one of them.")
    if item.options and not accepted:
        raise line.refuse(f"item '{item.key}' is answered by an option, not by a number; name the accepted option ids.")
    if low is not None and high is not None and low > high:
        raise line.refuse(f"low {low:g} is above high {high:g}; mend the range.")
    text_only = line.text("text_only_answer", required=False)
    if item.options:
        ids = {option for option, _ in item.options}
        for column, answers in (("accepted", accepted), ("text_only_answer", (text_only,) if text_only else ())):
            for answer in answers:
                if answer not in ids:
                    raise line.refuse(
                        f"{column} '{answer}' is none of the options of item '{item.key}' ({', '.join(sorted(ids))}); "
                        "use an option id."
                    )
    return ReferenceRow(item.key, accepted, low, high, text_only, line.text("provenance", required=False))


def _candidate(line: Line, items: dict[str, ItemRow]) -> CandidateRow:
    item = line.known("item", items, "items.csv")
    if items[item].practice:
        raise line.refuse(f"item '{item}' is for practice, and nobody marks answers to those; remove the line.")
    return CandidateRow(
        key=line.text("candidate", longest=80),
        item=item,
        model=line.text("model", longest=120),
        answer=line.text("answer"),
    )


def _check_references_cover(items: tuple[ItemRow, ...], references: tuple[ReferenceRow, ...]) -> None:
    without = sorted({item.key for item in items} - {reference.item for reference in references})
    if without:
        raise InputRefused(f"references.csv lacks {listed(without)}; every item needs a line there.")


def _check_scoring(protocol: Protocol, candidates: tuple[CandidateRow, ...]) -> None:
    if protocol.scoring is not None and protocol.scoring.sample > len(candidates):
        raise InputRefused(
            f"protocol.yaml, key scoring.sample: {protocol.scoring.sample} candidates are to be scored, candidates.csv "
            f"holds {len(candidates)}; lower the sample or add candidates."
        )
