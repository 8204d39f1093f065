"""The documentation that is installed with the program, by document and heading: the same for every study."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from services.errors import NotAllowed, NotFound
from services.installation.environment import Database
from services.installation.whereabouts import PROGRAM
from services.people.identity import Actor
from services.people.permission import administers

_FENCE = re.compile(r" *```")
_HEADING = re.compile(r"(#+) (.+)")


@dataclass(frozen=True)
class DocumentSection:
    """A section of a document, or, without a heading, the headings of a whole one.

    Attributes
    ----------
    file
        Path of the document below the program's folder.
    text
        Markdown below the heading, up to the next heading of the same level or above.
    sections
        Titles of the headings below this one, by anchor.
    """

    document: str
    file: str
    title: str
    text: str
    sections: Mapping[str, str]


@cache
def documents() -> dict[str, Path]:
    """Return the files of the documentation by name, without its decisions; empty if none are installed."""
    folder = PROGRAM / "docs"
    return {path.stem: path for place in (folder, folder / "how-to") for path in sorted(place.glob("*.md"))}


def anchor_of(title: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def section_to_read(database: Database, actor: Actor, document: str, anchor: str) -> DocumentSection:
    """Return a section of a document for people who administer a study, or import them.

    Raises
    ------
    NotAllowed
        For everybody else.
    NotFound
        The documentation has no such document, or the document no such heading.
    """
    if not administers(database, actor):
        raise NotAllowed("Only owners and admins of a study can read the documentation here.")
    if document not in documents():
        raise NotFound(
            f"The documentation has no document '{document}'; go back to the page that led here, and use its link."
        )
    file = documents()[document]
    section = _section_in(document, file, anchor)
    if section is None:
        raise NotFound(
            f"{file.relative_to(PROGRAM).as_posix()} has no heading '{anchor}'; remove it from the address to see all "
            "headings."
        )
    return section


def _section_in(document: str, file: Path, anchor: str) -> DocumentSection | None:
    path = file.relative_to(PROGRAM).as_posix()
    lines = file.read_text(encoding="utf-8").splitlines()
    headings = list(_headings(lines))
    if not anchor:
        (_, _, title), *others = headings
        return DocumentSection(document, path, title, "", {anchor_of(each): each for _, _, each in others})
    for place, (line, level, title) in enumerate(headings):
        if anchor_of(title) == anchor:
            end = next((other for other in headings[place + 1 :] if other[1] <= level), (len(lines), 0, ""))[0]
            below = {anchor_of(each): each for at, _, each in headings if line < at < end}
            return DocumentSection(document, path, title, "\n".join(lines[line + 1 : end]).strip(), below)
    return None


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line, level and title of each heading outside of fenced blocks."""
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= _FENCE.match(line) is not None
        if not fenced and (heading := _HEADING.fullmatch(line)):
            yield number, len(heading[1]), heading[2]
