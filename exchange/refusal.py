"""What readers report about files from outside: one error with everything that is wrong, and what was converted."""

from __future__ import annotations

import difflib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# A page lists this many problems and says how many more there are; a command lists all that were noted.
LISTED = 100
MOST_NOTED = 1_000
# The first problems of each file are listed whatever another file has, so that one bad table hides no other.
FIRST_OF_EACH_FILE = 10
# In all, with the first problems of very many files.
_MOST_WITH_FIRST = 2 * MOST_NOTED
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
    additional sentence if something could not be checked because of the problems. `of_files` is the number of problems
    of each file, including those that were not noted.
    """

    def __init__(
        self,
        problems: str | Sequence[Problem],
        count: int = 0,
        unseen: str = "",
        of_files: Mapping[str, int] | None = None,
    ) -> None:
        self.problems = (Problem("", "", problems),) if isinstance(problems, str) else tuple(problems)
        self.count = max(count, len(self.problems))
        self.unseen = unseen
        self.of_files = Counter(problem.file for problem in self.problems) | Counter(of_files or {})
        first = str(self.problems[0])
        more = self.count - 1
        super().__init__(f"{first.removesuffix('.')} ({more} more after it)." if more else first)

    def first(self, most: int) -> tuple[Problem, ...]:
        """Return at most so many problems, in order: the first of each file before more of any of them."""
        early: list[int] = []
        late: list[int] = []
        of_files = Counter[str]()
        for place, problem in enumerate(self.problems):
            of_files[problem.file] += 1
            (early if of_files[problem.file] <= FIRST_OF_EACH_FILE else late).append(place)
        return tuple(self.problems[place] for place in sorted((early + late)[:most]))

    def not_among(self, problems: Sequence[Problem]) -> str:
        """Return how many more each file has than these problems, for a sentence; empty if these are all."""
        more = self.of_files - Counter(problem.file for problem in problems)
        said = [f"{number:,} of {file}" if file else f"{number:,}" for file, number in more.items()]
        return ", ".join(said)


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
    # The number of problems of each file.
    _of_files: Counter[str] = field(default_factory=Counter)
    # By file and sentence: its index in `noted`, the number of lines, and the first of them.
    _alike: dict[tuple[str, str], tuple[int, int, list[int]]] = field(default_factory=dict)

    def add(self, file: str, place: str, says: str) -> None:
        """Note one problem; if there are very many, only their number is kept, and the first of each file."""
        self.count += 1
        self.met += 1
        if self._is_noted(file):
            self.noted.append(Problem(file, shown(place, _LONGEST_PLACE), says))
        self._of_files[file] += 1

    def _is_noted(self, file: str) -> bool:
        most = _MOST_WITH_FIRST if self._of_files[file] < FIRST_OF_EACH_FILE else MOST_NOTED
        return len(self.noted) < most

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
        for problem in refusal.problems:
            if self._is_noted(problem.file):
                self.noted.append(problem)
            self._of_files[problem.file] += 1
        self._of_files += refusal.of_files - Counter(problem.file for problem in refusal.problems)
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
        return InputRefused(self.noted, self.count, unseen, self._of_files)


def nearest(value: str, known: Iterable[str]) -> str:
    """Return " (nearest: 'name')" for the known name most like `value`; empty if none is."""
    names = list(known)
    alike = [name for name in names if name.casefold() == value.casefold()]
    matches = alike or difflib.get_close_matches(value[:80], names, n=1, cutoff=0.6)
    return f" (nearest: '{_with_unseen_named(matches[0])}')" if matches else ""


def _with_unseen_named(name: str) -> str:
    """Return a name with its characters that are not drawn, such as a zero-width space, in words."""
    return "".join(
        letter if letter.isprintable() else f"[{unicodedata.name(letter, f'U+{ord(letter):04X}').lower()}]"
        for letter in name
    )


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
