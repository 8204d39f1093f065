"""Models, and values by which a study selects, draws or compares, that look alike in two lines and count as two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from exchange.refusal import shown
from exchange.study_folder.folder_rows import CandidateRow, CaseRow, StudyFolder
from exchange.study_folder.item_table import ItemRow
from protocol.language.expansion import Expansion
from protocol.seen import DIFFER_ONLY, as_seen

# A column with more is named often enough.
_MOST_SAID = 5


def counted_as_two(study: Expansion, folder: StudyFolder) -> Iterator[str]:
    """Yield a sentence for each spelling that looks like one in an earlier line, the first few of each column."""
    models = ((row.model, row.line) for row in folder.candidates)
    yield from _alike("candidates.csv", "model", models, "models")
    used = set(_words(study.analysis.model_dump()))
    for phase in study.phases:
        used |= set(_words(phase.source.model_dump())) | set(_words(phase.pairs.model_dump() if phase.pairs else None))
    tables: dict[str, Sequence[CaseRow | ItemRow | CandidateRow]] = {
        "cases": folder.cases,
        "items": folder.items,
        "candidates": folder.candidates,
    }
    for attribute in study.attributes:
        if attribute.type == "text" and attribute.key in used and attribute.table in tables:
            rows = ((dict(row.attributes).get(attribute.key, ""), row.line) for row in tables[attribute.table])
            yield from _alike(f"{attribute.table}.csv", attribute.key, rows, "values")


def _alike(file: str, column: str, cells: Iterable[tuple[str, int]], things: str) -> Iterator[str]:
    lines: dict[str, int] = {}
    for written, line in cells:
        lines.setdefault(written, line)
    first: dict[str, str] = {}
    said = 0
    for written, line in lines.items():
        before = first.setdefault(as_seen(written), written)
        if before != written and said < _MOST_SAID:
            said += 1
            yield (
                f"{file}, column {column}: '{shown(before)}' (line {lines[before]}) and '{shown(written)}' (line "
                f"{line}) {DIFFER_ONLY}, and count as two {things}; write them alike if they are one."
            )


def _words(said: Any) -> Iterator[str]:
    """Yield every key and text of a part of a protocol."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        yield from (word for pair in said.items() for part in pair for word in _words(part))
    elif isinstance(said, (list, tuple)):
        yield from (word for part in said for word in _words(part))
