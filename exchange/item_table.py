"""`items.csv`: what is asked about which scans, checked against everything that an item names."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from exchange.csv_table import Line, listed
from exchange.protocol import Form, Hanging, Protocol
from exchange.refusal import InputRefused

FORMATS = ("yes_no", "choice", "open")
GROUNDINGS = ("image_grounded", "image_informed")
ANSWERED_BY_OPTIONS = {"yes_no": ("yes_no", "choice"), "choice": ("choice", "several", "ordinal")}
YES_NO = (("yes", "Yes"), ("no", "No"))
ITEM_COLUMNS = (
    "item", "case", "category", "format", "grounding", "form", "prompt", "options", "sequences", "uses_prior",
)  # fmt: skip
# May be missing: a table without them has none of it.
MORE_ITEM_COLUMNS = ("start", "overlays", "conversation", "turn", "practice", "explanation")


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
    start: tuple[float, float, float] | Literal["middle"] | None = None
    overlays: tuple[str, ...] = ()
    conversation: str | None = None
    turn: int | None = None
    practice: bool = False
    explanation: str = ""


def item_row(
    line: Line,
    protocol: Protocol,
    case_keys: set[str],
    volumes: tuple[VolumeRow, ...],
    overlays: tuple[OverlayRow, ...],
) -> ItemRow:
    """Read one line of items.csv, and check that everything it names is there."""
    case = line.known("case", case_keys, "cases.csv")
    item_format = line.one_of("format", FORMATS)
    form = line.one_of("form", protocol.forms)
    _check_form_fits(line, protocol.forms[form], item_format)
    options = _options(line, item_format)
    sequences = tuple(part.strip() for part in line.text("sequences").split("|") if part.strip())
    if not sequences or len(sequences) != len(set(sequences)):
        raise line.refuse(f"sequences is '{line.cells['sequences']}', expected different names such as T1|T2; mend it.")
    uses_prior = line.flag("uses_prior")
    for role in ("current", "prior") if uses_prior else ("current",):
        present = {volume.sequence for volume in volumes if volume.case == case and volume.role == role}
        wanted = sequences if role == "current" else sequences[:1]
        for sequence in wanted:
            if sequence not in present:
                raise line.refuse(
                    f"item '{line.cells['item']}' needs a {role} volume {sequence} of case '{case}', which volumes.csv "
                    "lacks; add the volume or mend the item."
                )
    _check_panes(line, protocol.hanging, case, sequences, uses_prior, volumes)
    conversation, turn = _turn(line)
    practice = line.flag("practice", otherwise=False)
    explanation = line.text("explanation", required=False)
    if explanation and not practice:
        raise line.refuse("explanation is given, but the item is no practice item; empty the cell.")
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
        start=_start(line),
        overlays=_overlays(line, case, overlays),
        conversation=conversation,
        turn=turn,
        practice=practice,
        explanation=explanation,
    )


def _start(line: Line) -> tuple[float, float, float] | Literal["middle"] | None:
    """Return the item's own beginning of the crosshair; None leaves it to the study."""
    written = line.text("start", required=False)
    if written in ("", "middle"):
        return "middle" if written else None
    try:
        x, y, z = (float(part) for part in written.split("|"))
    except ValueError:
        x = y = z = math.nan
    if not all(math.isfinite(number) for number in (x, y, z)):
        raise line.refuse(f"start is '{written[:60]}', expected middle or a point in mm as x|y|z; mend the cell.")
    return x, y, z


def _overlays(line: Line, case: str, overlays: tuple[OverlayRow, ...]) -> tuple[str, ...]:
    of_case = {overlay.key for overlay in overlays if overlay.case == case}
    named = line.names("overlays")
    for key in named:
        if key not in of_case:
            raise line.refuse(
                f"overlay '{key}' is none of case '{case}' in overlays.csv; add it there or mend the cell."
            )
    return named


def _turn(line: Line) -> tuple[str | None, int | None]:
    """Return conversation and turn: both or neither."""
    conversation, turn = line.text("conversation", required=False, longest=80), line.number_or_none("turn")
    if bool(conversation) != (turn is not None):
        raise line.refuse("conversation and turn belong together; fill in both or neither.")
    if turn is not None and (turn < 1 or turn != int(turn)):
        raise line.refuse(f"turn is '{line.cells['turn']}', expected a whole number from 1; mend the cell.")
    return conversation or None, None if turn is None else int(turn)


def _check_panes(
    line: Line,
    hanging: Hanging,
    case: str,
    sequences: tuple[str, ...],
    uses_prior: bool,
    volumes: tuple[VolumeRow, ...],
) -> None:
    """Refuse an item that offers a scan which no pane shows."""
    panes = hanging.panes_of(sequences, uses_prior)
    without = [one for one in sequences if not any(pane.role == "current" and one in pane.sequences for pane in panes)]
    if without:
        raise line.refuse(
            f"no pane of the protocol shows the sequence {listed(without)} of item '{line.cells['item']}'; add it to a "
            "pane or take it from the item."
        )
    prior = {volume.sequence for volume in volumes if volume.case == case and volume.role == "prior"}
    shows_prior = any(prior & set(pane.sequences) for pane in panes if pane.role == "prior")
    if uses_prior and hanging.prior_beside_current and not shows_prior:
        raise line.refuse(
            f"item '{line.cells['item']}' uses the prior, but no pane of the protocol shows it; add a pane with role "
            "prior or set uses_prior to false."
        )


def check_items(protocol: Protocol, items: tuple[ItemRow, ...], subjects: dict[str, str]) -> None:
    """Check what holds between items: the turns of conversations, and practice apart from the real items."""
    _check_conversations(items)
    _check_practice(protocol, items, subjects)


def _check_conversations(items: tuple[ItemRow, ...]) -> None:
    conversations: dict[str, list[ItemRow]] = defaultdict(list)
    for item in items:
        if item.conversation is not None:
            conversations[item.conversation].append(item)
    for name, turns in conversations.items():
        found = sorted(item.turn or 0 for item in turns)
        if found != list(range(1, len(turns) + 1)):
            raise InputRefused(
                f"items.csv: conversation '{name}' has the turns {listed(str(turn) for turn in found)}, expected "
                f"1 to {len(turns)}, each once; mend the column turn."
            )
        if len({item.case for item in turns}) > 1:
            raise InputRefused(
                f"items.csv: conversation '{name}' is about several cases ({listed(sorted({i.case for i in turns}))}); "
                "a conversation is about one."
            )
        if len({item.practice for item in turns}) > 1:
            raise InputRefused(
                f"items.csv: conversation '{name}' is practice in part; make all its turns practice or none."
            )


def _check_practice(protocol: Protocol, items: tuple[ItemRow, ...], subjects: dict[str, str]) -> None:
    practice = [item for item in items if item.practice]
    if practice and protocol.reading.practice is None:
        raise InputRefused(
            f"items.csv: item '{practice[0].key}' is for practice, but protocol.yaml has no reading.practice; add it "
            "with a pass_mark."
        )
    if protocol.reading.practice is not None and not practice:
        raise InputRefused(
            "protocol.yaml, key reading.practice: items.csv has no item with practice true; add some or remove the key."
        )
    if len(practice) == len(items):
        raise InputRefused("items.csv: every item is for practice; a study needs real ones too.")
    real = {subjects[item.case] for item in items if not item.practice}
    for item in practice:
        # Feedback on a practice item would tell something about the real ones.
        if subjects[item.case] in real:
            raise InputRefused(
                f"items.csv: practice item '{item.key}' is about subject '{subjects[item.case]}', about whom there are "
                "real items too; practise on other subjects."
            )


def _check_form_fits(line: Line, form: Form, item_format: str) -> None:
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


def _options(line: Line, item_format: str) -> tuple[tuple[str, str], ...]:
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
