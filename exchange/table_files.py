"""What lies in a folder under another name than a table, or a cell, says."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from exchange.refusal import shown

# A letter too many, too few or exchanged; "references_old" is further away, and may be somebody's notes.
_SAME_WORD = 0.88
# What browsers and systems add to the name of a second file.
_OF_A_COPY = re.compile(r" ?\(\d+\)$|[ _-]+(copy|kopie|copie)( \d+)?$")
# Words of their own, a letter away from the name of a table: people's preferences may lie beside compared answers.
_OTHER_WORDS = ("preference", "preferences")


def names_in(folder: Path) -> Iterator[str]:
    """Yield the names in a folder, which is only read when they are requested."""
    if folder.is_dir():
        yield from sorted(other.name for other in folder.iterdir())


def as_on_disk(folder: Path, named: str) -> Path:
    """Return the path of a file that a cell names, whether or not its letters are composed with their accents on disk.

    Archives made on a Mac hold "e" and its accent as two characters, where a spreadsheet writes one.
    """
    path = folder / named
    if named.isascii() or path.exists() or Path(named).is_absolute() or ".." in Path(named).parts:
        return path
    here = folder
    for part in Path(named).parts:
        alike = (name for name in names_in(here) if _composed(name) == _composed(part))
        here = here / (part if (here / part).exists() else next(alike, part))
    return here if here.exists() else path


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def instead_of(path: Path) -> str:
    """Return what is there instead of a missing table, as words after "is missing"; empty if nothing is."""
    if path.is_symlink():
        return ", as its link leads nowhere; put the table itself there."
    said = [(name, _says(path, name.lower())) for name in names_in(path.parent)]
    return next((f", and {shown(name)} {says}." for name, says in said if says), "")


def _says(path: Path, name: str) -> str:
    """Return what is to be done with a file, named in lower case, if it is probably the table; empty if not."""
    if name in (f"{path.stem}.xlsx", f"{path.stem}.xls"):
        return "is an Excel workbook; save it as CSV UTF-8"
    if name == path.name:
        return "is there; write it in lower case"
    stem, _, endings = name.partition(".")
    if endings in ("csv.txt", "csv.csv", "txt") and stem == path.stem:
        return f"is there; rename it {path.name}"
    return f"is there; rename it {path.name}" if endings == "csv" and _is_alike(stem, path.stem) else ""


def _is_alike(stem: str, wanted: str) -> bool:
    stem = _OF_A_COPY.sub("", stem)
    return stem not in _OTHER_WORDS and bool(difflib.get_close_matches(wanted, [stem], cutoff=_SAME_WORD))
