"""Columns, with their cells, that are common to the data files of both kinds of studies."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from exchange.report.report_structure import Cell, Column
from services.report.rows.study_rows import Entry

ITEM = Column("item", "Item", "Key of the item")
CANDIDATE = Column("candidate", "Candidate", "Key of the candidate")
MODEL = Column("model", "Model", "Model that gave the candidate")

# What an item is, and what it asks.
QUESTION = (
    Column("category", "Category", "Category of the item"),
    Column("format", "Format", "yes_no, choice or open"),
    Column("grounding", "Grounding", "image_grounded or image_informed; empty for neither"),
    Column("prompt", "Prompt", "What was asked"),
    Column("options", "Options", "id=text of each option, parted by |; empty for open items"),
)
# What counts as right.
ACCEPTED = (
    Column("accepted", "Accepted", "Accepted option ids or texts, parted by |; empty for no reference"),
    Column("low", "Low", "Lower limit of the accepted range; empty for none"),
    Column("high", "High", "Upper limit of the accepted range; empty for none"),
)
EXPERIENCE = (
    Column("specialty", "Specialty", "Specialty at enrolment"),
    Column("years", "Years", "Years of experience at enrolment"),
)
STATUS = Column("status", "Status", "answered, not_assessable, technical_failure or missing")
# What stands beside whether an answer is right.
SHARE = Column("share", "Share", "Of several options, the share on which answer and reference agree")
RANK = Column("rank", "Rank", "Of a ranked list, the place of the first accepted line")
# What was said in addition to the answer, and how often it was revised.
REMARKS = (
    Column("comment", "Comment", "The rater's comment"),
    Column("flags", "Flags", "Kinds of flags raised, parted by |"),
    Column("flag_notes", "Flag notes", "Notes of the flags, parted by |"),
    Column("failure", "Failure", "What the browser said when the images could not be shown"),
    Column("revisions", "Revisions", "How often the verdict was revised"),
)
TIMES = (
    Column("shown_at", "Shown", "When it was last put on the screen before the verdict, UTC"),
    Column("submitted_at", "Submitted", "When the verdict was stored, UTC"),
    Column("active_ms", "Active ms", "Active time in milliseconds, over all showings, revisions included"),
    Column("idle_ms", "Idle ms", "Idle time in milliseconds, over all showings, revisions included"),
    Column("load_ms", "Load ms", "Time to load the images in milliseconds, revisions included"),
)
RECEIPT = Column("receipt", "Receipt", "Receipt of the verdict")


def options_cell(options: Iterable[tuple[str, str]]) -> str | None:
    """Return an item's options as one cell."""
    return "|".join(f"{option}={text}" for option, text in options) or None


def remarks(entry: Entry) -> tuple[Cell, ...]:
    """Return the cells of `REMARKS`."""
    return (
        entry.comment or None,
        "|".join(kind for kind, _ in entry.flags) or None,
        "|".join(note for _, note in entry.flags if note) or None,
        entry.failure or None,
        entry.revisions if entry.verdict_id else None,
    )


def times(entry: Entry) -> tuple[Cell, ...]:
    """Return the cells of `TIMES`."""
    return moment(entry.shown_at), moment(entry.submitted_at), entry.active_ms, entry.idle_ms, entry.load_ms


def moment(at: datetime | None) -> str | None:
    """Return a point in time in the format of the files."""
    return None if at is None else at.isoformat(timespec="seconds")
