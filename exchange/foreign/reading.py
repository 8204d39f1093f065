"""Read a foreign file by the layout that it is recognised as, with what an admin says of its columns and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from exchange import formats
from exchange.foreign import mapped_columns
from exchange.foreign.json_rows import clue, leads_somewhere, value_at
from exchange.foreign.layout import LABELLER, RESULTS, Asked, ForeignLine, Layout, NotInLayout, Source
from exchange.judge_verdicts import NO_VERDICT, UNREADABLE, in_place_of
from exchange.refusal import InputRefused, Problems, nearest, shown
from exchange.spreadsheet import NotRead
from exchange.tables import JUDGE_VERDICTS
from protocol.scales import JudgeScale

# What a row has only where there is something to say.
_SAID_IF_ANY = ("error", "failure")
# Endings of files in which other programs alone store verdicts.
OF_OTHERS = ("json", "eval")


@dataclass
class Gap:
    """A mapped column or path that some rows do not have at all: how many, and the numbers of the first and the last.

    That a row has it and says nothing under it is none.
    """

    path: str
    rows: int = 0
    first: int = 0
    last: int = 0

    def add(self, number: int) -> None:
        """Count a row, once where it has several lines."""
        if not self.rows:
            self.first = number
        self.rows += number != self.last
        self.last = number


@dataclass(frozen=True)
class ForeignFile:
    """A foreign file: its lines, which are read as they are asked for, and what it says of the judge.

    `unit` is what the lines are numbered as: "line", "entry" or "sample". `gaps` are known of the lines that were read,
    by what is mapped.
    """

    layout: Layout
    unit: str
    lines: Iterator[ForeignLine]
    identity: Mapping[str, str] = field(default_factory=dict)
    gaps: Mapping[str, Gap] = field(default_factory=dict)


def read_foreign(source: Source, layout: Layout, asked: Asked, scale: JudgeScale, problems: Problems) -> ForeignFile:
    """Return a file from another program as lines.

    Parameters
    ----------
    scale
        The scale of its verdicts.

    Raises
    ------
    InputRefused
        It cannot be read at all.
    """
    try:
        unit = layout.unit or source.unit
        rows = layout.rows(source, asked, problems)
        first = next(rows, None)
    except NotRead as problem:
        raise InputRefused(f"{source.name} {problem}") from None
    if first is None:
        return ForeignFile(layout, unit, iter(()))
    gaps = {name: Gap(path) for name, path in asked.columns.items() if path and name not in _SAID_IF_ANY}
    lines = _lines(source, layout, unit, chain([first], rows), asked, scale, problems, gaps)
    return ForeignFile(layout, unit, lines, layout.identity(first[1]), gaps)


def layout_of(source: Source, asked: Asked) -> Layout | None:
    """Return how a file is laid out; None where it is one of our own tables, or nothing that is known.

    Raises
    ------
    InputRefused
        There is no layout that is called as the one that is asked for.
    """
    layouts = {layout.key: layout for layout in formats.FOREIGN_VERDICTS}
    if asked.layout:
        if asked.layout not in layouts:
            raise InputRefused(
                f"There is no layout '{shown(asked.layout)}'{nearest(asked.layout, layouts)}, expected one of "
                f"{', '.join(layouts)}."
            )
        return layouts[asked.layout]
    try:
        own = set(JUDGE_VERDICTS.required)
        if not asked.columns and not source.is_array and own <= set(source.first) and LABELLER not in source.first:
            return None
        recognised = next((layout for layout in formats.FOREIGN_VERDICTS if layout.recognises(source)), None)
        is_strange = bool(source.first) and not own & set(source.first)
    except NotRead as problem:
        if asked.columns or _is_of_others(source.name):
            raise InputRefused(f"{source.name} {problem}") from None
        # The reader of our own tables reports what is wrong with it.
        return None
    # In a table without any of our columns, every line would be refused for the same reason.
    if recognised is None and not asked.columns and (_is_of_others(source.name) or is_strange):
        known = ", ".join(key for key in layouts if key != mapped_columns.LAYOUT.key)
        raise InputRefused(
            f"{source.name} matches none of the known formats ({known}): say what its columns are, such as "
            "verdict=score and question=prompt, or which format it is."
        )
    is_mapped = asked.columns or mapped_columns.names_candidates(source, asked)
    return recognised or (mapped_columns.LAYOUT if is_mapped else None)


def _is_of_others(name: str) -> bool:
    """Return whether a file is none of our own tables by the ending of its name."""
    return name.lower().rpartition(".")[2] in OF_OTHERS


def _lines(
    source: Source,
    layout: Layout,
    unit: str,
    rows: Iterator[tuple[int, dict[str, Any]]],
    asked: Asked,
    scale: JudgeScale,
    problems: Problems,
    gaps: Mapping[str, Gap],
) -> Iterator[ForeignLine]:
    unseen = {name: path for name, path in asked.columns.items() if path} | {name: name for name in asked.labellers}
    keys: dict[str, None] = {}
    try:
        for number, row in rows:
            if unseen:
                unseen = {name: path for name, path in unseen.items() if value_at(row, path) is None}
                keys |= dict.fromkeys(row)
            try:
                for read in layout.lines(number, row, asked):
                    for line in _by_labeller(_mapped(read, row, asked, layout), row, asked):
                        _translate(line.said, layout, asked.says, scale)
                        _note_gaps(gaps, line, row)
                        yield line
            except NotInLayout as problem:
                problems.add(source.name, f"{unit} {number}", str(problem))
    except NotRead as problem:
        raise InputRefused(f"{source.name} {problem}") from None
    for name, path in unseen.items():
        problems.add(source.name, "", f"has nothing under '{shown(path)}', mapped to {name}{nearest(path, keys)}.")


def _note_gaps(gaps: Mapping[str, Gap], line: ForeignLine, row: Mapping[str, Any]) -> None:
    """Count what a row lacks; of what was said only where the row does not say itself why nothing was."""
    for name, gap in gaps.items():
        if not leads_somewhere(row, gap.path) and not (name in RESULTS and _says_why(line.said)):
            gap.add(line.number)


def _says_why(said: Mapping[str, Any]) -> bool:
    """Return whether a line has a reason for having no verdict; that a layout found none is no reason."""
    return bool(said.get("error")) or said.get("failure") not in (None, "", NO_VERDICT)


def _mapped(line: ForeignLine, row: Mapping[str, Any], asked: Asked, layout: Layout) -> ForeignLine:
    """Return a line with what an admin says in place of what its layout reads."""
    for name, path in asked.columns.items():
        if name in RESULTS:
            value = value_at(row, path) if path else None
            if path and _is_to_be_taken(line, name, value, path, layout):
                line.said[name] = value
        elif name == LABELLER:
            line = _of(line, value_at(row, path) if path else None, path)
        elif values := clue(value_at(row, path)) if path else ():
            line.clues[name] = values
        else:
            line.clues.pop(name, None)
    if asked.of_model:
        line.clues["model"] = (asked.of_model,)
    return line


def _is_to_be_taken(line: ForeignLine, name: str, value: Any, path: str, layout: Layout) -> bool:
    """Return whether what a mapped column says is taken; a reason why there is no verdict holds where it says nothing.

    That a layout finds no verdict is no such reason: it is looked for in the mapped column.
    """
    failure = line.said.get("failure")
    if not failure:
        return True
    says_nothing = value is None or value != value or (isinstance(value, str) and not value.strip())
    if name != "verdict" or says_nothing or (failure == UNREADABLE and layout.stores_ungraded):
        return False
    if failure != NO_VERDICT:
        raise NotInLayout(
            f"has both a verdict, under '{shown(path)}', and a reason why there is none ({shown(failure)}); remove one "
            "of the two."
        )
    del line.said["failure"]
    return True


def _of(line: ForeignLine, labeller: Any, path: str) -> ForeignLine:
    named = next(iter(clue(labeller)), "").strip()
    if path and not named:
        raise NotInLayout(f"has nothing under '{shown(path)}', where it says who labelled; fill it in.")
    return line._replace(party=named)


def _by_labeller(line: ForeignLine, row: Mapping[str, Any], asked: Asked) -> Iterator[ForeignLine]:
    """Yield a line for each person whose column it fills in; the line itself where people have no columns."""
    if not asked.labellers:
        yield line
    for name in asked.labellers:
        yield line._replace(said={"verdict": value_at(row, name)}, party=name)


def _translate(said: dict[str, Any], layout: Layout, says: Mapping[str, str], scale: JudgeScale) -> None:
    """Put a verdict in the words of its scale: as an admin says, else unchanged, else as its layout means it."""
    verdict = said.get("verdict")
    written = verdict.strip() if isinstance(verdict, str) else next(iter(clue(verdict)), "")
    if isinstance(verdict, bool):
        written = "true" if verdict else "false"
    if meant := in_place_of(written, says):
        said.update(meant)
    elif scale.code_of(written.lower()) is None and scale.code_of(layout.words.get(written, "").lower()) is not None:
        said["verdict"] = layout.words[written]
