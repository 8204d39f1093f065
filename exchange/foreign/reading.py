"""Read a foreign file by its layout, with what an admin says about its columns and words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from exchange import formats
from exchange.foreign import mapped_columns
from exchange.foreign.json_rows import clue, leads_somewhere, value_at
from exchange.foreign.layout import LABELLER, RESULTS, Asked, ForeignLine, Layout, NotInLayout, Source
from exchange.judge_json_lines import are_ours
from exchange.judge_verdicts import NO_VERDICT, UNREADABLE, in_place_of
from exchange.refusal import InputRefused, Problems, nearest, shown
from exchange.spreadsheet import NotRead
from exchange.tables import JUDGE_VERDICTS
from protocol.scales import JudgeScale

# Cells that a row only has if there is something to say.
_SAID_IF_ANY = ("error", "failure")
# Endings of files in which only other programs store verdicts.
OF_OTHERS = ("json", "eval")


@dataclass
class Gap:
    """A mapped column or path that rows lack: how many rows, and the numbers of the first and last of them.

    A row that has it with an empty value is not counted.
    """

    path: str
    rows: int = 0
    first: int = 0
    last: int = 0

    def add(self, number: int) -> None:
        """Count a row, only once if it has several lines."""
        if not self.rows:
            self.first = number
        self.rows += number != self.last
        self.last = number


@dataclass(frozen=True)
class ForeignFile:
    """A foreign file: its lines, which are read on demand, and what it says about the judge.

    `stopped` is the status of a file whose evaluation did not run to its end, otherwise empty. `unit` is the unit in
    which lines are numbered: "line", "entry" or "sample". `gaps` covers the lines read so far, by what is mapped.
    """

    layout: Layout
    unit: str
    lines: Iterator[ForeignLine]
    identity: Mapping[str, str] = field(default_factory=dict)
    gaps: Mapping[str, Gap] = field(default_factory=dict)
    stopped: str = ""


def read_foreign(
    source: Source,
    layout: Layout,
    asked: Asked,
    scale: JudgeScale,
    problems: Problems,
    leave_out: Callable[[int, str], None] | None = None,
) -> ForeignFile:
    """Return a file from another program as lines.

    Parameters
    ----------
    scale
        The scale of its verdicts.
    leave_out
        Called with the number of a row that is not as its layout says, and why; None to note it as a problem.

    Raises
    ------
    InputRefused
        The file cannot be read at all.
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
    if leave_out is None:
        leave_out = partial(problems.add_line, source.name, unit)
    lines = _lines(source, layout, leave_out, chain([first], rows), asked, scale, problems, gaps)
    return ForeignFile(layout, unit, lines, layout.identity(first[1]), gaps, layout.stopped(first[1]))


def layout_of(source: Source, asked: Asked) -> Layout | None:
    """Return the layout of a file; None if it is one of our own tables, or unknown.

    Raises
    ------
    InputRefused
        There is no layout with the requested key.
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
        if not asked.columns and are_ours(source) and LABELLER not in source.first:
            return None
        recognised = next((layout for layout in formats.FOREIGN_VERDICTS if layout.recognises(source)), None)
        is_strange = bool(source.first) and not own & set(source.first)
    except NotRead as problem:
        if asked.columns or _is_of_others(source.name):
            raise InputRefused(f"{source.name} {problem}") from None
        # The reader of our own tables reports what is wrong with it.
        return None
    if recognised is None and not asked.columns and not source.first and _is_of_others(source.name):
        _require_whole(source)
    # In a table with none of our columns, every line would be refused for the same reason.
    if recognised is None and not asked.columns and (_is_of_others(source.name) or is_strange):
        known = ", ".join(key for key in layouts if key != mapped_columns.LAYOUT.key)
        raise InputRefused(
            f"{source.name} matches none of the known formats ({known}): say what its columns are, such as "
            "verdict=score and question=prompt, or which format it is."
        )
    is_mapped = asked.columns or mapped_columns.names_candidates(source, asked)
    return recognised or (mapped_columns.LAYOUT if is_mapped else None)


def _require_whole(source: Source) -> None:
    """Require that a file that begins like an object is JSON: a log that breaks off has no format either.

    Raises
    ------
    InputRefused
        It is not.
    """
    try:
        if source.is_object:
            _ = source.outline
    except ValueError as error:
        raise InputRefused(f"{source.name}: not valid JSON ({error}); export the file again.") from None


def _is_of_others(name: str) -> bool:
    """Return whether the ending of a file's name shows that it is not one of our own tables."""
    return name.lower().rpartition(".")[2] in OF_OTHERS


def _lines(
    source: Source,
    layout: Layout,
    leave_out: Callable[[int, str], None],
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
                # Of a row that is wrong for one person nothing is read.
                lines = [
                    line
                    for read in layout.lines(number, row, asked)
                    for line in _by_labeller(_mapped(read, row, asked, layout), row, asked)
                ]
            except NotInLayout as problem:
                leave_out(number, str(problem))
                continue
            for line in lines:
                _translate(line.said, layout, asked.says, scale)
                _note_gaps(gaps, line, row)
                yield line
    except NotRead as problem:
        raise InputRefused(f"{source.name} {problem}") from None
    for name, path in unseen.items():
        problems.add(source.name, "", f"has nothing under '{shown(path)}', mapped to {name}{nearest(path, keys)}.")


def _note_gaps(gaps: Mapping[str, Gap], line: ForeignLine, row: Mapping[str, Any]) -> None:
    """Count what a row lacks; a missing result only counts if the row does not say why it is missing."""
    for name, gap in gaps.items():
        if not leads_somewhere(row, gap.path) and not (name in RESULTS and _says_why(line.said)):
            gap.add(line.number)


def _says_why(said: Mapping[str, Any]) -> bool:
    """Return whether a line has a reason for having no verdict; that the layout found none is not a reason."""
    return bool(said.get("error")) or said.get("failure") not in (None, "", NO_VERDICT)


def _mapped(line: ForeignLine, row: Mapping[str, Any], asked: Asked, layout: Layout) -> ForeignLine:
    """Return a line in which an admin's mapping overrides what its layout reads."""
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
    """Return whether the value of a mapped column is used; if it is empty, a reason for a missing verdict stays.

    That the layout finds no verdict is not such a reason, because the mapped column may have it.
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
    """Yield a line for each person whose column is filled in, or the line itself if people have no columns."""
    if not asked.labellers:
        yield line
    for name in asked.labellers:
        yield line._replace(said={"verdict": value_at(row, name)}, party=name)


def _translate(said: dict[str, Any], layout: Layout, says: Mapping[str, str], scale: JudgeScale) -> None:
    """Translate a verdict to the words of its scale: as an admin says, otherwise unchanged, otherwise by its layout."""
    verdict = said.get("verdict")
    written = verdict.strip() if isinstance(verdict, str) else next(iter(clue(verdict)), "")
    if isinstance(verdict, bool):
        written = "true" if verdict else "false"
    if meant := in_place_of(written, says):
        said.update(meant)
    elif scale.code_of(written.lower()) is None and scale.code_of(layout.words.get(written, "").lower()) is not None:
        said["verdict"] = layout.words[written]
