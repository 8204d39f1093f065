"""`items.csv`: what is asked about which scans, checked against everything that an item names."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from exchange.csv_table import Line, Read
from exchange.refusal import listed, shown
from exchange.spreadsheet import number_of
from exchange.study_folder.protocol_file import ReadProtocol
from exchange.tables import LONGEST_KEY
from protocol.fields import KINDS
from protocol.fields.pixels import exact_column_and_row
from protocol.fields.yes_no import YES_NO
from protocol.forms import Form
from protocol.hanging import Hanging
from protocol.seen import problems_of_options

# Declared columns and their values as canonical text; empty cells are left out.
Attributes = tuple[tuple[str, str], ...]
_LAST_TURN = 1_000
_MOST_OPTIONS, _LONGEST_OPTION = 50, 200


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
class OverlayRow:
    """One line of overlays.csv; `path` is absolute and inside the study folder."""

    key: str
    case: str
    label: str
    path: Path
    colour: str
    style: str
    opacity: float


@dataclass(frozen=True)
class ItemRow:
    """One line of items.csv; `start_in_image` is a start that is written by column and row."""

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
    start: tuple[float, float, float] | Literal["middle"] | None = None
    overlays: tuple[str, ...] = ()
    conversation: str | None = None
    turn: int | None = None
    practice: bool = False
    explanation: str = ""
    attributes: Attributes = ()
    start_in_image: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


def item_row(
    line: Line,
    protocol: ReadProtocol,
    cases: Read[Any] | None,
    volumes: Read[VolumeRow],
    overlays: Read[OverlayRow],
    *,
    explains: bool = False,
    starts_in_images: bool = False,
) -> ItemRow:
    """Read one line of items.csv, and check that everything it names is there.

    Parameters
    ----------
    starts_in_images
        Whether a start may be written as a column and row.
    explains
        Whether the study shows explanations of items other than practice items.
    """
    item_format = line.word("format")
    form = line.text("form")
    if protocol.forms is not None:
        line.word("form", protocol.forms)
        _check_form_fits(line, protocol.forms.get(form), item_format)
    practice = line.flag("practice")
    if line.text("explanation") and not practice and not explains and line.sound("practice", "explanation"):
        line.problem("explanation is given, but the item is not a practice item; empty the cell.", "explanation")
    conversation, turn = _turn(line)
    in_image = line.text("start") if starts_in_images and exact_column_and_row(line.text("start")) else ""
    item = ItemRow(
        key=line.text("item"),
        case=line.known("case", cases, "cases.csv"),
        category=line.text("category"),
        format=item_format,
        grounding=line.word("grounding"),
        form=form,
        prompt=line.text("prompt"),
        options=_options(line, item_format, (protocol.forms or {}).get(form)),
        sequences=line.names("sequences"),
        uses_prior=line.flag("uses_prior"),
        start=None if in_image else _start(line, starts_in_images),
        start_in_image=in_image,
        overlays=_overlays(line, overlays),
        conversation=conversation,
        turn=turn,
        practice=practice,
        explanation=line.text("explanation"),
        line=line.number,
    )
    _check_volumes(line, item, volumes)
    if protocol.hanging is not None:
        _check_panes(line, item, protocol.hanging, volumes)
    return item


def _start(line: Line, starts_in_images: bool) -> tuple[float, float, float] | Literal["middle"] | None:
    """Return the item's own start position of the crosshair; None leaves it to the study."""
    written = line.text("start")
    if written in ("", "middle"):
        return "middle" if written else None
    try:
        x, y, z = (number_of(part.strip(), decimal_comma=line.decimal_comma) for part in written.split("|"))
    except ValueError:
        places = "middle or a point in mm as x|y|z"
        if starts_in_images:
            places = "middle, a point in mm as x|y|z or, in an image without scale, column 33 row 17"
        line.problem(f"start is '{shown(written)}', expected {places}; correct the cell.", "start")
        return None
    return x, y, z


def _overlays(line: Line, overlays: Read[OverlayRow]) -> tuple[str, ...]:
    named = line.names("overlays")
    case = line.cells["case"].strip()
    of_case = {overlay.key for overlay in overlays.by("case").get(case, ())}
    if overlays.keys is None or not line.sound("case", "overlays"):
        return named
    for key in named:
        if key not in of_case and key not in overlays.doubtful | overlays.refused:
            near = line.reader.problems.nearest(key, of_case)
            line.problem(
                f"case '{shown(case)}' has no overlay '{shown(key)}' in overlays.csv{near}; add it there "
                "or correct the cell.",
                "overlays",
            )
    return named


def _turn(line: Line) -> tuple[str | None, int | None]:
    """Return conversation and turn: both or neither."""
    conversation, turn = line.text("conversation"), line.number_or_none("turn")
    if not line.sound("conversation", "turn"):
        return None, None
    if bool(conversation) != (turn is not None):
        line.problem("conversation and turn belong together; fill in both or neither.", "turn")
        return None, None
    if turn is None:
        return None, None
    if not (1 <= turn <= _LAST_TURN and turn == int(turn)):
        line.problem(
            f"turn is '{shown(line.cells['turn'])}', expected a whole number from 1; correct the cell.", "turn"
        )
        return None, None
    return conversation, int(turn)


def _check_volumes(line: Line, item: ItemRow, volumes: Read[VolumeRow]) -> None:
    """Refuse an item of which nothing can be shown, or whose case lacks scans that it declares as needed."""
    # Lines that could not be read may be about the scans that seem to be missing.
    if volumes.keys is None or volumes.refused or not line.sound("case", "sequences", "uses_prior"):
        return
    in_study = volumes.by("sequence")
    for sequence in item.sequences:
        # A sequence that one case lacks is a gap; one that no case has is a misspelt name.
        if sequence not in in_study:
            near = line.reader.problems.nearest(sequence, in_study)
            line.problem(
                f"sequences names '{shown(sequence)}', but no volume in volumes.csv has that sequence{near}; correct "
                "the cell or add the volume.",
                "sequences",
            )
    needed = _needed(line, item)
    # Problems with the scans of a case may disappear once the lines that describe them are corrected.
    of_case, of_no_case = (volumes.by("case").get(case, ()) for case in (item.case, ""))
    if not line.sound() or any(volume.key in volumes.doubtful for volume in (*of_case, *of_no_case)):
        return
    present = {(volume.role, volume.sequence) for volume in of_case}
    for role in ("current", "prior") if item.uses_prior else ("current",):
        if not any((role, sequence) in present for sequence in item.sequences):
            needed.setdefault((role, " or ".join(item.sequences)))
    for role, sequence in needed:
        if (role, sequence) not in present:
            line.problem(
                f"item '{item.key}' needs a {role} volume {sequence} of case '{item.case}', which volumes.csv lacks; "
                "add the volume or correct the item.",
                "needs",
            )


def _needed(line: Line, item: ItemRow) -> dict[tuple[str, str], None]:
    """Return the (role, sequence) of every scan that the item declares as needed."""
    needed: dict[tuple[str, str], None] = {}
    for name in line.names("needs"):
        role, colon, sequence = (part.strip() for part in name.rpartition(":"))
        role = role if colon else "current"
        usable = ("current", "prior") if item.uses_prior else ("current",)
        if role not in usable or sequence not in item.sequences:
            known = listed(item.sequences)
            example = f", or with 'prior:' before it, as 'prior:{item.sequences[0]}'" if item.uses_prior else ""
            line.problem(
                f"needs names '{shown(name)}', expected one of the item's sequences ({known}){example}; "
                "correct the cell.",
                "needs",
            )
        else:
            needed[(role, sequence)] = None
    return needed


def _check_panes(line: Line, item: ItemRow, hanging: Hanging, volumes: Read[VolumeRow]) -> None:
    """Refuse an item that offers a scan which no pane shows."""
    if not line.sound("sequences", "uses_prior", "case") or volumes.keys is None or volumes.refused:
        return
    panes = hanging.panes_of(item.sequences, item.uses_prior)
    without = [
        sequence
        for sequence in item.sequences
        if not any(p.role == "current" and sequence in p.sequences for p in panes)
    ]
    if without:
        line.problem(
            f"no pane of the protocol shows the sequence {listed(without)} of item '{item.key}'; add it to a "
            "pane or take it from the item.",
            "sequences",
        )
    prior = {volume.sequence for volume in volumes.by("case").get(item.case, ()) if volume.role == "prior"}
    shows_prior = any(prior & set(pane.sequences) for pane in panes if pane.role == "prior")
    if item.uses_prior and hanging.prior_beside_current and not shows_prior and line.sound("needs"):
        line.problem(
            f"item '{item.key}' uses the prior, but no pane of the protocol shows it; add a pane with role "
            "prior or set uses_prior to false.",
            "uses_prior",
        )


def _check_form_fits(line: Line, form: Form | None, item_format: str) -> None:
    """Refuse a form whose answer could never equal a reference of this format."""
    if form is None or not line.sound("form", "format"):
        return
    answer, kind = form.primary, KINDS[form.primary.type]
    if item_format == "open":
        fits = not kind.needs_options or bool(answer.options)
    else:
        fits = item_format in kind.closed_ended_formats
    if not fits:
        line.problem(
            f"the answer of form '{line.cells['form'].strip()}' is of type {answer.type}, which does not fit the "
            f"format {item_format}; choose another form or format.",
            "form",
        )


def _options(line: Line, item_format: str, form: Form | None) -> tuple[tuple[str, str], ...]:
    """Return the (id, text) pairs to choose from: fixed for yes/no, none for open items, else from the line or form."""
    written = line.text("options")
    if not line.sound("format", "options"):
        return ()
    if item_format != "choice":
        if written:
            line.problem(
                f"options are given, but items of the format {item_format} take none; empty the cell, or make the "
                "format choice.",
                "options",
            )
        return YES_NO if item_format == "yes_no" else ()
    of_the_form = tuple((choice.id, choice.text) for choice in form.primary.offered) if form is not None else ()
    if not written:
        if not of_the_form:
            line.problem("options is empty, and the form lists none either; fill it in.", "options")
        return of_the_form
    options = []
    for part in written.split("|"):
        option, equals, text = (piece.strip() for piece in part.partition("="))
        if not (equals and option and text):
            line.problem(f"option '{shown(part)}' is not written as id=Text; correct the cell.", "options")
        elif len(option) > LONGEST_KEY or len(text) > _LONGEST_OPTION:
            line.problem(
                f"option '{shown(part)}' is longer than its id ({LONGEST_KEY}) and its text ({_LONGEST_OPTION}) may "
                "be; shorten it.",
                "options",
            )
        options.append((option, text))
    if of_the_form and line.sound("options") and options != list(of_the_form):
        line.problem(
            f"options are given here, and others by the form '{line.cells['form'].strip()}'; give them in one of the "
            "two places.",
            "options",
        )
    if line.sound("options") and (len(options) < 2 or len({option for option, _ in options}) < len(options)):
        written = shown(line.cells["options"].strip())
        line.problem(f"options are '{written}', expected at least two with different ids; correct the cell.", "options")
    for says in problems_of_options(options) if line.sound("options") else ():
        line.problem(says, "options")
    if len(options) > _MOST_OPTIONS:
        line.problem(f"{len(options)} options, at most {_MOST_OPTIONS} are taken; shorten the list.", "options")
    return tuple(options)
