"""A study folder: `protocol.yaml`, one CSV file per table, and the scans they name.

`read_study_folder` reads and cross-checks all of it without touching a scan: a folder is either right as a whole or
refused with the first thing that is wrong.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from exchange.protocol import Form, Protocol, read_protocol
from exchange.refusal import InputRefused

FORMATS = ("yes_no", "choice", "open")
GROUNDINGS = ("image_grounded", "image_informed")
ROLES = ("current", "prior")
ANSWERED_BY_OPTIONS = {"yes_no": ("yes_no", "choice"), "choice": ("choice", "several", "ordinal")}
YES_NO = (("yes", "Yes"), ("no", "No"))
Row = TypeVar("Row")
# An answer may not be longer than this: longer text is a broken quotation mark, not an answer.
LONGEST_CELL = 20_000


@dataclass(frozen=True)
class CaseRow:
    """One line of cases.csv."""

    key: str
    subject: str
    vignette: str
    age: int | None
    note: str


@dataclass(frozen=True)
class VolumeRow:
    """One line of volumes.csv; `path` is absolute and inside the study folder."""

    key: str
    case: str
    role: str
    sequence: str
    acquired: datetime.date | None
    label: str
    path: Path


@dataclass(frozen=True)
class ItemRow:
    """One line of items.csv."""

    key: str
    case: str
    category: str
    format: str
    grounding: str
    form: str
    prompt: str
    options: tuple[tuple[str, str], ...]
    sequences: tuple[str, ...]
    uses_prior: bool


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


@dataclass(frozen=True)
class _Line:
    """One line of a CSV file, which knows where it stands."""

    file: str
    number: int
    cells: dict[str, str]

    def refuse(self, problem: str) -> InputRefused:
        return InputRefused(f"{self.file}, line {self.number}: {problem}")

    def text(self, column: str, *, required: bool = True, longest: int = LONGEST_CELL) -> str:
        value = self.cells[column].strip()
        if required and not value:
            raise self.refuse(f"{column} is empty; fill it in.")
        if "\x00" in value:
            raise self.refuse(f"{column} holds a NUL character; remove it.")
        if len(value) > longest:
            raise self.refuse(f"{column} has {len(value)} characters, at most {longest} are taken; shorten it.")
        return value

    def one_of(self, column: str, allowed: Iterable[str]) -> str:
        value = self.text(column)
        listed = list(allowed)
        if value not in listed:
            raise self.refuse(f"{column} is '{value}', expected {_listed(listed)}; mend the cell.")
        return value

    def number_or_none(self, column: str) -> float | None:
        value = self.text(column, required=False)
        if not value:
            return None
        try:
            number = float(value)
        except ValueError:
            raise self.refuse(f"{column} is '{value}', expected a number or nothing; mend the cell.") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise self.refuse(f"{column} is '{value}', expected a finite number; mend the cell.")
        return number

    def date_or_none(self, column: str) -> datetime.date | None:
        value = self.text(column, required=False)
        if not value:
            return None
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            raise self.refuse(f"{column} is '{value}', expected a date as YYYY-MM-DD; mend the cell.") from None


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
    cases = _read(folder, "cases.csv", ("case", "subject", "vignette", "age", "note"), _case, unique="case")
    case_keys = {case.key for case in cases}
    volumes = _read(
        folder,
        "volumes.csv",
        ("volume", "case", "role", "sequence", "acquired", "file", "label"),
        lambda line: _volume(line, folder, case_keys),
        unique="volume",
    )
    items = _read(
        folder,
        "items.csv",
        ("item", "case", "category", "format", "grounding", "form", "prompt", "options", "sequences", "uses_prior"),
        lambda line: _item(line, protocol, case_keys, volumes),
        unique="item",
    )
    item_by_key = {item.key: item for item in items}
    references = _read(
        folder,
        "references.csv",
        ("item", "accepted", "low", "high", "text_only_answer", "provenance"),
        lambda line: _reference(line, item_by_key),
        unique="item",
    )
    candidates: tuple[CandidateRow, ...] = ()
    if (folder / "candidates.csv").exists():
        candidates = _read(
            folder,
            "candidates.csv",
            ("candidate", "item", "model", "answer"),
            lambda line: _candidate(line, item_by_key),
            unique="candidate",
        )
    _check_references_cover(items, references)
    _check_scoring(protocol, candidates)
    return StudyFolder(protocol, cases, volumes, items, references, candidates)


def _read(
    folder: Path, name: str, columns: tuple[str, ...], make: Callable[[_Line], Row], *, unique: str
) -> tuple[Row, ...]:
    """Read one table; every line becomes a row, and no two lines may share the `unique` column."""
    first_seen: dict[str, int] = {}
    rows = []
    for line in _lines(folder / name, columns):
        key = line.text(unique, longest=80)
        if key in first_seen:
            raise line.refuse(f"{unique} '{key}' stands already in line {first_seen[key]}; give every line its own.")
        first_seen[key] = line.number
        rows.append(make(line))
    if not rows:
        raise InputRefused(f"{name} holds no lines below its header; a study needs at least one.")
    return tuple(rows)


def _lines(path: Path, columns: tuple[str, ...]) -> Iterator[_Line]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputRefused(f"{path.name} is missing: expected a CSV file with {_listed(columns)}; add it.") from None
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path.name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    except OSError as error:
        raise InputRefused(f"{path.name} cannot be read ({error.strerror}); expected a CSV file.") from None
    # Not splitlines(): it also parts a text at characters that end no line in CSV.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    last = 0
    try:
        header = [name.strip() for name in next(reader)]
        last = reader.line_num
        missing = [name for name in columns if name not in header]
        unknown = [name for name in header if name not in columns]
        if missing or unknown or len(header) != len(set(header)):
            problem = f"lacks {_listed(missing)}" if missing else f"has unknown or doubled {_listed(unknown or header)}"
            raise InputRefused(f"{path.name}, line 1: the header {problem}; expected {', '.join(columns)}.")
        for cells in reader:
            last = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise InputRefused(
                    f"{path.name}, line {reader.line_num}: {len(cells)} cells, expected {len(header)}; "
                    "look for a missing comma or quotation mark."
                )
            yield _Line(path.name, reader.line_num, dict(zip(header, cells, strict=True)))
    except StopIteration:
        raise InputRefused(f"{path.name} is empty: expected the header {', '.join(columns)}; add it.") from None
    except csv.Error as error:
        # An open quotation mark is noticed at the end of the file; it stands in the line after the last whole one.
        raise InputRefused(f"{path.name}, line {last + 1}: not valid CSV ({error}); mend the line.") from None


def _case(line: _Line) -> CaseRow:
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


def _volume(line: _Line, folder: Path, case_keys: set[str]) -> VolumeRow:
    named = line.text("file", longest=400)
    path = (folder / named).resolve()
    if Path(named).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise line.refuse(f"file '{named}' lies outside the study folder; put the scan inside and name it from there.")
    if not path.is_file():
        raise line.refuse(f"file '{named}' is missing; add the scan or mend the name.")
    return VolumeRow(
        key=line.text("volume", longest=80),
        case=_known(line, "case", case_keys, "cases.csv"),
        role=line.one_of("role", ROLES),
        sequence=line.text("sequence", longest=40),
        acquired=line.date_or_none("acquired"),
        label=line.text("label", longest=80),
        path=path,
    )


def _item(line: _Line, protocol: Protocol, case_keys: set[str], volumes: tuple[VolumeRow, ...]) -> ItemRow:
    case = _known(line, "case", case_keys, "cases.csv")
    item_format = line.one_of("format", FORMATS)
    form = line.one_of("form", protocol.forms)
    _check_form_fits(line, protocol.forms[form], item_format)
    options = _options(line, item_format)
    sequences = tuple(part.strip() for part in line.text("sequences").split("|") if part.strip())
    if not sequences or len(sequences) != len(set(sequences)):
        raise line.refuse(f"sequences is '{line.cells['sequences']}', expected different names such as T1|T2; mend it.")
    uses_prior = line.one_of("uses_prior", ("true", "false")) == "true"
    for role in ("current", "prior") if uses_prior else ("current",):
        present = {volume.sequence for volume in volumes if volume.case == case and volume.role == role}
        wanted = sequences if role == "current" else sequences[:1]
        for sequence in wanted:
            if sequence not in present:
                raise line.refuse(
                    f"item '{line.cells['item']}' needs a {role} volume {sequence} of case '{case}', which volumes.csv "
                    "lacks; add the volume or mend the item."
                )
    return ItemRow(
        key=line.text("item", longest=80),
        case=case,
        category=line.text("category", longest=80),
        format=item_format,
        grounding=line.one_of("grounding", GROUNDINGS),
        form=form,
        prompt=line.text("prompt"),
        options=options,
        sequences=sequences,
        uses_prior=uses_prior,
    )


def _check_form_fits(line: _Line, form: Form, item_format: str) -> None:
    """Refuse a form whose answer could never equal a reference of this format."""
    answer = next(field for field in form.fields if field.key == "answer")
    if item_format == "open":
        fits = answer.type not in ("choice", "several") or bool(answer.options)
    else:
        fits = answer.type in ANSWERED_BY_OPTIONS[item_format]
    if not fits:
        raise line.refuse(
            f"the answer of form '{line.cells['form']}' is of type {answer.type}, which does not fit the format "
            f"{item_format}; choose another form or format."
        )


def _options(line: _Line, item_format: str) -> tuple[tuple[str, str], ...]:
    """Return the (id, text) pairs that can be chosen: given for choice, fixed for yes/no, none for open items."""
    written = line.text("options", required=item_format == "choice")
    if item_format != "choice":
        if written:
            raise line.refuse(f"options are given for the {item_format} format, which has its own; empty the cell.")
        return YES_NO if item_format == "yes_no" else ()
    options = []
    for part in written.split("|"):
        option, equals, shown = part.partition("=")
        if not (equals and option.strip() and shown.strip()):
            raise line.refuse(f"option '{part}' is not written as id=Text; mend the cell.")
        options.append((option.strip(), shown.strip()))
    if len(options) < 2 or len({option for option, _ in options}) < len(options):
        raise line.refuse("options need at least two different ids; mend the cell.")
    return tuple(options)


def _reference(line: _Line, items: dict[str, ItemRow]) -> ReferenceRow:
    item = items[_known(line, "item", items, "items.csv")]
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


def _candidate(line: _Line, items: dict[str, ItemRow]) -> CandidateRow:
    return CandidateRow(
        key=line.text("candidate", longest=80),
        item=_known(line, "item", items, "items.csv"),
        model=line.text("model", longest=120),
        answer=line.text("answer"),
    )


def _known(line: _Line, column: str, known: Iterable[str], file: str) -> str:
    value = line.text(column, longest=80)
    if value not in known:
        raise line.refuse(f"{column} '{value}' is not in {file}; add it there or mend the cell.")
    return value


def _check_references_cover(items: tuple[ItemRow, ...], references: tuple[ReferenceRow, ...]) -> None:
    without = sorted({item.key for item in items} - {reference.item for reference in references})
    if without:
        raise InputRefused(f"references.csv lacks {_listed(without)}; every item needs a line there.")


def _check_scoring(protocol: Protocol, candidates: tuple[CandidateRow, ...]) -> None:
    if protocol.scoring is not None and protocol.scoring.sample > len(candidates):
        raise InputRefused(
            f"protocol.yaml, key scoring.sample: {protocol.scoring.sample} candidates are to be scored, candidates.csv "
            f"holds {len(candidates)}; lower the sample or add candidates."
        )


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
