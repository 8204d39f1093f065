"""A judge's verdicts on candidates, from any format that gives item, candidate and verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from exchange import formats
from exchange.file_format import JudgeLine, format_of
from exchange.refusal import InputRefused, Problems, shown
from exchange.spreadsheet import NotRead, flag_of
from exchange.tables import JUDGE_VERDICTS, LONGEST_CELL, LONGEST_KEY
from protocol.scales import CORRECTNESS, JudgeScale

LARGEST_FILE = 256_000_000
MOST_ROWS = 2_000_000
# Rows with a wrong verdict whose keys are compared all the same; a file of nothing else need not fill the memory.
_MOST_WRONG_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One verdict (a code of its scale) or, where there is none, the error that stands in its place."""

    line: int
    item: str
    candidate: str
    verdict: str | None
    error: str | None
    explanation: str


def parse_judge_verdicts(content: bytes, name: str, scale: JudgeScale = CORRECTNESS) -> tuple[JudgeRow, ...]:
    """Read the bytes of a file, whose format its name tells.

    A row without a verdict is kept as an error: it is never a wrong answer. Unknown columns are ignored, as judges
    write many.

    Raises
    ------
    InputRefused
        With all that is wrong, each naming the file and line, what was found and what was expected.
    """
    rows, problems = read_judge_verdicts(content, name, scale)
    problems.refuse()
    return rows


def read_judge_verdicts(
    content: bytes, name: str, scale: JudgeScale = CORRECTNESS
) -> tuple[tuple[JudgeRow, ...], Problems]:
    """Read a file as `parse_judge_verdicts` does, and return the rows that name their keys beside what is wrong.

    So the keys of a row whose verdict is wrong can be compared too, and all be refused at once. The rows stand for what
    a judge said only where there is no problem.

    Raises
    ------
    InputRefused
        The file cannot be read as a table at all.
    """
    problems = Problems()
    rows: list[JudgeRow] = []
    for number, entry in _lines(content, name, problems):
        if len(rows) == MOST_ROWS:
            raise InputRefused(f"{shown(name, 80)} has more than {MOST_ROWS:,} lines; split it into several runs.")
        before = problems.count
        row = _row(number, entry, shown(name, 80), scale, problems)
        if row is not None and (problems.count == before or before < _MOST_WRONG_ROWS):
            rows.append(row)
    if not rows and not problems.count:
        raise InputRefused(f"{shown(name, 80)} holds no verdicts; expected one line per candidate.")
    return tuple(rows), problems


def _lines(content: bytes, name: str, problems: Problems) -> Iterator[JudgeLine]:
    """Read one line after the other: all of them at once, as dictionaries, would take eighty times the file."""
    name, file_format = shown(name, 80), format_of(formats.JUDGE_VERDICTS, name)
    if len(content) > LARGEST_FILE:
        raise InputRefused(f"{name} has more than {LARGEST_FILE // 10**6} MB; split it into several runs.")
    try:
        yield from file_format.read(content, name, problems)
    except NotRead as problem:
        raise InputRefused(f"{name} {problem}") from None


def _row(number: int, entry: dict[str, Any], name: str, scale: JudgeScale, problems: Problems) -> JudgeRow | None:
    """Return a row that names its item and candidate; what is wrong with it is noted."""
    place = f"line {number}"
    texts = {column: _text(entry.get(column)) for column in JUDGE_VERDICTS.names}
    for column, text in texts.items():
        most = LONGEST_KEY if column in ("item", "candidate") else LONGEST_CELL
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            problems.add(
                name, place, f"{column} holds an unpaired surrogate, which is not a character; correct the text."
            )
            return None
        if len(text) > most:
            says = f"{column} has {len(text):,} letters, at most {most:,} are taken; shorten it."
            problems.add(name, place, says)
            return None
    item, candidate = texts["item"], texts["candidate"]
    if not item or not candidate:
        problems.add(name, place, "item or candidate is empty; every verdict needs both.")
        return None
    said, error = texts["verdict"], texts["error"]
    quoted = shown(said, 40)
    verdict = _code_of(said, scale)
    if said and verdict is None:
        problems.add(
            name,
            place,
            f"verdict '{quoted}' {scale.refusal}; leave it empty where the judge gave none.",
        )
    if verdict is not None and error:
        problems.add(
            name,
            place,
            f"has both the verdict '{quoted}' and an error; a judge that failed gave none; empty one of the two.",
        )
    if verdict is None and not error:
        error = "no verdict"
    return JudgeRow(number, item, candidate, verdict, error or None, texts["explanation"])


def _code_of(said: str, scale: JudgeScale) -> str | None:
    """Return the code of a verdict; a yes or no may be in the words that spreadsheets write, as in a study's tables."""
    code = scale.code_of(said.lower())
    flag = flag_of(said)
    return scale.code_of(str(flag).lower()) if code is None and flag is not None else code


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("\x00", "").strip()
