"""What readers report about files from outside: one error with everything that is wrong, and what was converted."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

# A page lists this many problems and says how many more there are; a command lists all that were noted.
LISTED = 100
MOST_NOTED = 1_000
# The number of times the nearest name is looked for, which takes a millisecond among a thousand names.
_NEAREST_SOUGHT = 50
# Sentences only quote the start of an overlong key.
_LONGEST_PLACE = 200
# The number of lines named when several are refused for the same reason.
_FIRST_LINES = 6


@dataclass(frozen=True)
class Problem:
    """One problem: its file, its line or key, what was found and expected, and what to do."""

    file: str
    place: str
    says: str

    def __str__(self) -> str:
        if not self.file:
            return self.says
        return f"{self.file}, {self.place}: {self.says}" if self.place else f"{self.file} {self.says}"


class InputRefused(ValueError):
    """A file from outside cannot be accepted as it is.

    Every problem is one sentence that names the file and the line or key, what was found, what was expected and what
    to do; the message is the first of them, and says how many follow. It is shown to admins unchanged. `unseen` is an
    additional sentence if something could not be checked because of the problems.
    """

    def __init__(self, problems: str | Sequence[Problem], count: int = 0, unseen: str = "") -> None:
        self.problems = (Problem("", "", problems),) if isinstance(problems, str) else tuple(problems)
        self.count = max(count, len(self.problems))
        self.unseen = unseen
        first = str(self.problems[0])
        more = self.count - 1
        super().__init__(f"{first.removesuffix('.')} ({more} more after it)." if more else first)


@dataclass
class Problems:
    """Collects problems, so that all of them can be reported at once.

    `count` is the number of problems, and `met` how often something was wrong: lines refused for the same reason are
    one problem.
    """

    noted: list[Problem] = field(default_factory=list)
    count: int = 0
    met: int = 0
    # What could not be checked because of the problems.
    unseen: list[str] = field(default_factory=list)
    # By file and sentence: its index in `noted`, the number of lines, and the first of them.
    _alike: dict[tuple[str, str], tuple[int, int, list[int]]] = field(default_factory=dict)

    def add(self, file: str, place: str, says: str) -> None:
        """Note one problem; if there are very many, only their number is kept."""
        self.count += 1
        self.met += 1
        if len(self.noted) < MOST_NOTED:
            self.noted.append(Problem(file, shown(place, _LONGEST_PLACE), says))

    def add_line(self, file: str, unit: str, number: int, says: str) -> None:
        """Note a problem with a line; if several lines have the same problem, keep their number and the first of them.

        Parameters
        ----------
        unit
            The unit in which lines are numbered: "line", or "entry" of an array.
        """
        place, lines, first = self._alike.get((file, says), (len(self.noted), 0, []))
        if not lines:
            self.add(file, f"{unit} {number}", says)
            if place == len(self.noted):
                return
        else:
            self.met += 1
        if len(first) < _FIRST_LINES:
            first.append(number)
        lines += 1
        self._alike[file, says] = (place, lines, first)
        if lines > 1:
            noun = f"{unit.removesuffix('y')}ies" if unit.endswith("y") else f"{unit}s"
            named = ", ".join(map(str, first)) + (f" and {lines - len(first):,} more" if lines > len(first) else "")
            self.noted[place] = Problem(file, f"{lines:,} {noun} ({named})", says)

    def take(self, refusal: InputRefused) -> None:
        """Add the problems of another reader's refusal."""
        self.noted.extend(refusal.problems[: max(0, MOST_NOTED - len(self.noted))])
        self.count += refusal.count
        self.met += refusal.count

    def nearest(self, value: str, known: Iterable[str]) -> str:
        """Return words for a sentence that suggest what was probably meant; empty if nothing is near."""
        if self.count >= _NEAREST_SOUGHT:
            return ""
        return nearest(value, known)

    def refuse(self) -> None:
        """Raise `InputRefused` with all problems, if there are any."""
        if self.noted:
            raise self.refusal()

    def refusal(self) -> InputRefused:
        """Return all problems as one error."""
        unseen = f"Not looked at because of this: {'; '.join(self.unseen)}." if self.unseen else ""
        return InputRefused(self.noted, self.count, unseen)


def nearest(value: str, known: Iterable[str]) -> str:
    """Return " (nearest: 'name')" for the known name most like `value`; empty if none is."""
    names = list(known)
    alike = [name for name in names if name.casefold() == value.casefold()]
    matches = alike or difflib.get_close_matches(value[:80], names, n=1, cutoff=0.6)
    return f" (nearest: '{matches[0]}')" if matches else ""


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence: the first six, and how many more there are."""
    every = list(names)
    return ", ".join(every[:6]) + (f" and {len(every) - 6} more" if len(every) > 6 else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun for a sentence: "1 case", "2 cases"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shown(value: str, longest: int = 60) -> str:
    """Return what was found for a sentence, never longer than a line and without control characters."""
    text = "".join(letter if letter.isprintable() else "?" for letter in value[: longest + 1])
    return text if len(value) <= longest else text[: longest - 3] + "..."


@dataclass(frozen=True)
class Conversion:
    """A cell that was understood although it is not written as documented."""

    file: str
    column: str
    written: str
    read_as: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        where = f"{self.file}, column {self.column}" if self.column else self.file
        if not self.lines:
            return f"{where}: {self.written} {self.read_as}."
        many = len(self.lines)
        lines = ", ".join(str(number) for number in self.lines[:6]) + (f" and {many - 6} more" if many > 6 else "")
        return f"{where}: '{self.written}' read as {self.read_as} (line{'s' if many > 1 else ''} {lines})."


@dataclass
class Conversions:
    """Collects conversions: each way of writing once, with its lines."""

    _lines: dict[tuple[str, str, str, str], list[int]] = field(default_factory=dict)

    def add(self, file: str, column: str, written: str, read_as: str, line: int | None = None) -> None:
        """Note the conversion of a cell or, without a line, of a whole file."""
        lines = self._lines.setdefault((file, column, written, read_as), [])
        if line is not None:
            lines.append(line)

    def all(self) -> tuple[Conversion, ...]:
        """Return all conversions in the order in which they were met."""
        return tuple(Conversion(*what, tuple(lines)) for what, lines in self._lines.items())
