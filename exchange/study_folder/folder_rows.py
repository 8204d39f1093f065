"""The rows of a study folder, and the readers of the tables that are the same for every study."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.refusal import Conversion, Problems, listed, shown
from exchange.study_folder.item_table import Attributes, ItemRow, OverlayRow, VolumeRow
from exchange.tables import CASE_HISTORY, OVERLAY_COLOUR, OVERLAY_OPACITY, STYLES
from protocol.fields import KINDS, SETS, several
from protocol.fields.kind import Reference
from protocol.forms import Form
from protocol.language.expansion import Expansion
from protocol.references import FieldReference
from protocol.study import Protocol

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
    attributes: Attributes = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ReferenceRow:
    """What references.csv says about one item: about its primary field, and about `fields` by name."""

    item: str
    accepted: tuple[str, ...]
    low: float | None
    high: float | None
    text_only_answer: str
    provenance: str
    fields: tuple[FieldReference, ...] = ()


@dataclass(frozen=True)
class CandidateRow:
    """One line of candidates.csv."""

    key: str
    item: str
    model: str
    answer: str
    attributes: Attributes = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class PairRow:
    """One line of pairs.csv, with the item that both candidates answer."""

    key: str
    item: str
    first: str
    second: str


@dataclass(frozen=True)
class StudyFolder:
    """Everything in a study folder.

    `conversions` lists what was understood although it is not written as documented; `warnings` lists what is valid
    but may not be what its author meant. `freeze_refuses` are those of its warnings that say what would, or could,
    keep the study from being frozen; empty if no draw was tried.
    """

    protocol: Protocol | Expansion
    cases: tuple[CaseRow, ...]
    volumes: tuple[VolumeRow, ...]
    items: tuple[ItemRow, ...]
    references: tuple[ReferenceRow, ...]
    candidates: tuple[CandidateRow, ...]
    overlays: tuple[OverlayRow, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    warnings: tuple[str, ...] = ()
    # The protocol as its author wrote it, if it lists its phases.
    source: str = ""
    pairs: tuple[PairRow, ...] = ()
    freeze_refuses: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExaminedFolder:
    """A study folder as far as it could be read: complete, or with its problems and whatever scans could be found.

    `contents` is None if and only if there are problems.
    """

    contents: StudyFolder | None
    problems: Problems
    volumes: tuple[VolumeRow, ...]
    overlays: tuple[OverlayRow, ...]


def case_row(line: Line) -> CaseRow:
    """Read one line of cases.csv."""
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
        line=line.number,
    )


def histories_of(reader: Reader, folder: Path, cases: Read[CaseRow]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Read the structured history, if there is one: several lines per case, in their order."""
    lines = read_table(
        reader,
        folder,
        CASE_HISTORY,
        lambda line: (line.known("case", cases, "cases.csv"), (line.text("name"), line.text("value"))),
    )
    of_case: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for case, pair in lines.rows:
        of_case[case].append(pair)
    return {case: tuple(pairs) for case, pairs in of_case.items()}


def volume_row(line: Line, folder: Path, cases: Read[CaseRow], *, may_be_missing: bool = False) -> VolumeRow:
    """Read one line of volumes.csv; its file may be missing if it is not known yet which files are needed."""
    return VolumeRow(
        path=line.file("file", folder, may_be_missing=may_be_missing),
        key=line.text("volume"),
        case=line.known("case", cases, "cases.csv") if line.cells["case"].strip() else line.text("case"),
        role=line.word("role"),
        sequence=line.text("sequence"),
        acquired=line.date_or_none("acquired"),
        label=line.text("label"),
    )


def overlay_row(line: Line, folder: Path, cases: Read[CaseRow], *, may_be_missing: bool = False) -> OverlayRow:
    """Read one line of overlays.csv; its file is treated as in `volume_row`."""
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
        case=line.known("case", cases, "cases.csv"),
        label=line.text("label"),
        path=line.file("file", folder, may_be_missing=may_be_missing),
        colour=colour.lower(),
        style=line.word("style") if line.text("style") else STYLES[0],
        opacity=opacity,
    )


def reference_row(
    line: Line, items: Read[ItemRow], by_key: Mapping[str, ItemRow], forms: Mapping[str, Form | None]
) -> ReferenceRow:
    """Read one line of references.csv; `forms` are those that items name, to check answers against what they ask."""
    key = line.known("item", items, "items.csv")
    item = by_key.get(key) if key not in items.doubtful and line.sound("item") else None
    form = forms.get(item.form) if item is not None else None
    asked = form.primary if form is not None else None
    accepted = tuple(part.strip() for part in line.text("accepted").split("|") if part.strip())
    low, high = line.number_or_none("low"), line.number_or_none("high")
    text_only = line.text("text_only_answer")
    if not accepted and low is None and high is None and line.sound("item", "accepted", "low", "high"):
        line.problem(f"item '{shown(key)}' has neither accepted answers nor a range; give one of them.", "accepted")
    elif item is not None and line.sound("accepted", "low", "high"):
        counts_as_right = Reference(accepted, low, high)
        problem = KINDS[asked.type].problem_of_reference(asked, counts_as_right) if asked is not None else ""
        if problem:
            line.problem(f"item '{item.key}' {problem}.", "accepted")
        elif asked is not None and asked.offered and not item.options:
            check_among_options(line, item, [option.id for option in asked.offered], accepted, text_only, asked.type)
    check_range(line, low, high)
    if item is not None and item.options:
        kind = "" if asked is None else asked.type
        check_among_options(line, item, [option for option, _ in item.options], accepted, text_only, kind)
    return ReferenceRow(key, accepted, low, high, text_only, line.text("provenance"))


def check_range(line: Line, low: float | None, high: float | None) -> None:
    """Note a lower limit above the upper one."""
    if low is not None and high is not None and low > high:
        line.problem(f"low {low:g} is above high {high:g}; correct the range.", "low")


def check_among_options(
    line: Line,
    item: ItemRow,
    options: Sequence[str],
    accepted: tuple[str, ...],
    text_only: str,
    kind: str,
    of: str = "",
) -> None:
    """Note answers that nobody can choose.

    Parameters
    ----------
    kind
        The type of the field, which says whether the text-only answer is one option or a set of them.
    of
        The owner of the options if it is not the item.
    """
    ids = sorted(set(options))
    chosen = several.in_cell(text_only) if kind in SETS else [text_only] if text_only else []
    for column, answers in (("accepted", accepted), ("text_only_answer", chosen)):
        for answer in answers:
            if answer not in ids:
                near = line.reader.problems.nearest(answer, ids)
                whose = of or f"item '{item.key}'"
                line.problem(
                    f"{column} '{shown(answer)}' is not one of the options of {whose} ({listed(ids)}){near}; "
                    f"use an option id{', and | between several' if {';', ','} & set(answer) else ''}.",
                    column,
                )


def candidate_row(
    line: Line, items: Read[ItemRow], by_key: Mapping[str, ItemRow], *, practised: bool = False
) -> CandidateRow:
    """Read one line of candidates.csv.

    Parameters
    ----------
    practised
        Whether answers to practice items are rated too.
    """
    key = line.known("item", items, "items.csv")
    item = by_key.get(key)
    if item is not None and item.practice and not practised:
        line.problem(f"item '{key}' is for practice, and nobody scores answers to those; remove the line.", "item")
    return CandidateRow(
        key=line.text("candidate"),
        item=key,
        model=line.text("model"),
        answer=line.text("answer"),
        line=line.number,
    )
