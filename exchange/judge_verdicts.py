"""A judge's verdicts on candidates, from any format that gives item, candidate and verdict."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import Any, NamedTuple

from exchange import formats, judge_json_lines
from exchange.file_format import JudgeLine, format_of
from exchange.foreign.layout import Source
from exchange.refusal import InputRefused, Problems, shown
from exchange.spreadsheet import NotRead, flag_of
from exchange.tables import JUDGE_VERDICTS, LONGEST_CELL, LONGEST_KEY
from protocol.fields.preference import SIDES
from protocol.scales import JudgeScale

# Why there is no verdict: the call failed, the judge refused, its reply could not be read, or it gave none.
NO_VERDICT = "no_verdict"
UNREADABLE = "unreadable"
IN_WORDS = {
    "error": "error",
    "refusal": "the judge refused",
    UNREADABLE: "the reply could not be read",
    NO_VERDICT: "no verdict",
}
FAILURES = tuple(IN_WORDS)
LARGEST_FILE = 500_000_000
MOST_ROWS = 2_000_000
# The number of rows with a wrong verdict whose keys are still compared; more of them would only fill the memory.
_MOST_WRONG_ROWS = 1_000
_NUMBER = re.compile(r"\d+")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# How much a text must look like a code to be taken for a misspelling of it.
_ALIKE = 0.8
_SURROGATE = re.compile("[\ud800-\udfff]")


class JudgeRow(NamedTuple):
    """One verdict (a code of its scale, or a number) or, if there is none, what was given in its place.

    `failure` says what kind of missing verdict that is; `confidence` is the judge's own, from 0 to 1. `model` is the
    content of the column with that name, whichever model it means; `file` is set if several files are read as one, and
    `unit` is the noun with which its rows are numbered. If pairs of answers are judged, `candidate` is the key of the
    pair, and `shown_first` which of the two the judge was shown first ("first" or "second" of the pair; empty if the
    file does not say it).
    """

    line: int
    item: str
    candidate: str
    verdict: str | None
    error: str | None
    explanation: str
    failure: str | None = None
    confidence: float | None = None
    model: str = ""
    file: str = ""
    shown_first: str = ""
    unit: str = "line"

    @property
    def place(self) -> str:
        """Its place, worded for a sentence."""
        own = f"{self.unit} {self.line}"
        return f"{self.file}, {own}" if self.file else own


class JudgeTable:
    """The rows of one of our own tables, read again at each iteration, because as objects they would fill the memory.

    A row without a verdict is an error and never a wrong answer. Unknown columns are ignored, because judges write
    many. Rows with a wrong verdict are included, so that their keys can be compared too and everything is refused at
    once: the rows only count as the judge's verdicts if there are no problems.

    Parameters
    ----------
    problems
        Where to note what is wrong, during the first iteration.
    says
        The meaning of each word of the file: a code of the scale, or a kind of missing verdict.
    """

    def __init__(
        self, content: bytes, name: str, scale: JudgeScale, problems: Problems, says: Mapping[str, str] | None = None
    ) -> None:
        self._content, self._name, self._scale = content, name, scale
        self._problems, self._says = problems, says or {}

    def __iter__(self) -> Iterator[JudgeRow]:
        """Read the rows.

        Raises
        ------
        InputRefused
            The file cannot be read as a table at all.
        """
        problems, self._problems = self._problems, Problems()
        lines = (
            (number, _as_meant(entry, self._says)) for number, entry in _lines(self._content, self._name, problems)
        )
        return judge_rows(lines, self._name, self._scale, problems)


def judge_rows(
    lines: Iterable[JudgeLine], name: str, scale: JudgeScale, problems: Problems, unit: str = "line"
) -> Iterator[JudgeRow]:
    """Yield the rows in lines of any format, and note what is wrong with them.

    Parameters
    ----------
    unit
        The unit in which lines are numbered: "line", or "entry" of an array.

    Raises
    ------
    InputRefused
        There are too many lines, or none.
    """
    count, file_name = 0, shown(name, 80)
    for number, entry in lines:
        if count == MOST_ROWS:
            raise InputRefused(f"{file_name} has more than {MOST_ROWS:,} lines; split it into several runs.")
        before = problems.met
        row = _row(unit, number, entry, file_name, scale, problems)
        if row is not None and (problems.met == before or before < _MOST_WRONG_ROWS):
            count += 1
            yield row
    if not count and not problems.count:
        raise InputRefused(f"{file_name} holds no verdicts; expected one line per candidate.")


def in_place_of(word: str, says: Mapping[str, str]) -> dict[str, str]:
    """Return the meaning that an admin gave to a word in place of a verdict; empty if nobody did."""
    meant = says.get(word)
    if meant is None:
        return {}
    return {"verdict": "", "failure": meant} if meant in FAILURES else {"verdict": meant}


def _as_meant(entry: dict[str, Any], says: Mapping[str, str]) -> dict[str, Any]:
    return entry | in_place_of(_text(entry.get("verdict")), says) if says else entry


def require_readable(content: bytes, name: str) -> None:
    """Refuse a file that is too large to be read at once.

    Raises
    ------
    InputRefused
        The file is too large.
    """
    if len(content) > LARGEST_FILE:
        raise InputRefused(f"{shown(name, 80)} has more than {LARGEST_FILE // 10**6} MB; split it into several runs.")


def what_cannot_be_written(text: str) -> str | None:
    """Return what a text holds that no table and no database can hold, and what to do about it; None if nothing."""
    if not text.isascii() and _SURROGATE.search(text):
        return "holds an unpaired surrogate, which is not a character; correct the text."
    # Dropping the NUL would change a key or verdict, and PostgreSQL cannot store it.
    if "\x00" in text:
        return "holds a NUL character; remove it."
    return None


def _lines(content: bytes, name: str, problems: Problems) -> Iterator[JudgeLine]:
    """Read line by line, because all lines as dictionaries would take eighty times the size of the file."""
    name, ending = shown(name, 80), name.lower().rpartition(".")[2]
    require_readable(content, name)
    try:
        # many programs call any JSON x.json
        is_json_lines = ending == "json" and judge_json_lines.are_ours(Source(content, name))
        file_format = judge_json_lines.FORMAT if is_json_lines else format_of(formats.JUDGE_VERDICTS, name)
        yield from file_format.read(content, name, problems)
    except NotRead as problem:
        raise InputRefused(f"{name} {problem}") from None


def _row(
    unit: str, number: int, entry: dict[str, Any], name: str, scale: JudgeScale, problems: Problems
) -> JudgeRow | None:
    """Return a row if it names its item and candidate, and note what is wrong with it."""
    refuse = partial(problems.add_line, name, unit, number)
    texts = {column: _text(entry.get(column)) for column in JUDGE_VERDICTS.names}
    for column, text in texts.items():
        if not text:
            continue
        most = LONGEST_KEY if column in ("item", "candidate") else LONGEST_CELL
        if unwritable := what_cannot_be_written(text):
            refuse(f"{column} {unwritable}")
            return None
        if len(text) > most:
            refuse(f"{column} has {len(text):,} letters, at most {most:,} are taken; shorten it.")
            return None
    item, candidate = texts["item"], texts["candidate"]
    if not item or not candidate:
        refuse("item or candidate is empty; every verdict needs both.")
        return None
    said, error = texts["verdict"], texts["error"]
    verdict = _code_of(said, scale)
    if said and verdict is None:
        remedy = f"leave it empty where none was given, or {_remedy(said, scale)}"
        refuse(f"verdict '{shown(said, 40)}' {scale.refusal}; {remedy}.")
    if verdict is not None and error:
        refuse(
            f"has both the verdict '{shown(said, 40)}' and an error, and a call that failed gave none; empty one of "
            "the two.",
        )
    failure = _failure_of(texts["failure"], verdict, error)
    if failure is None and verdict is None:
        refuse(
            f"failure is '{shown(texts['failure'], 40)}', expected one of {', '.join(FAILURES)}; correct it, or leave "
            "it empty.",
        )
    if verdict is not None and texts["failure"]:
        refuse(f"has both the verdict '{shown(said, 40)}' and a failure; empty one of the two.")
    confidence = _confidence(texts["confidence"])
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        refuse(
            f"confidence is '{shown(texts['confidence'], 40)}', expected a number from 0 to 1; correct it, "
            "or call the column otherwise.",
        )
    if verdict is None and not error:
        error = IN_WORDS[failure or NO_VERDICT]
    return JudgeRow(
        number, item, candidate, verdict, error or None, texts["explanation"],
        failure if verdict is None else None, confidence, _text(entry.get("model")), unit=unit,
    )  # fmt: skip


@lru_cache(maxsize=1_000)
def _remedy(said: str, scale: JudgeScale) -> str:
    """Return what can be done about a text that is no verdict of its scale, with a suggestion that fits both."""
    is_number = not math.isnan(_confidence(said) or 0.0)
    if is_number and scale.limits is not None:
        return "correct the number"
    word = said if said == shown(said, 40) else "WORD"
    meant = _nearest_code(said, scale)
    if meant is None:
        # A number is a grade of some scale, and no refusal.
        codes = scale.names if is_number else (*scale.names, "refusal") if set(SIDES) <= set(scale.names) else ()
        meant = f"CODE with one of {', '.join(codes)}" if codes else "refusal"
    return f"say what the word means, such as {word}={meant} (Words on the page, --says of the command)"


def _nearest_code(said: str, scale: JudgeScale) -> str | None:
    """Return the code that a text probably means: the only one with its number, or else one that is written alike."""
    numbers = _NUMBER.findall(said)
    numbered = [code.name for code in scale.codes if numbers and _NUMBER.findall(code.name) == numbers]
    if len(numbered) == 1:
        return numbered[0]
    written = {text: code.name for code in scale.codes for text in code.written}
    near = get_close_matches(said.lower(), written, n=1, cutoff=_ALIKE)
    return written[near[0]] if near and not numbers else None


def _failure_of(said: str, verdict: str | None, error: str) -> str | None:
    """Return the kind of a missing verdict; None for a word that names no kind, or if there is a verdict."""
    if verdict is not None:
        return None
    if not said:
        return "error" if error else NO_VERDICT
    word = said.lower().replace(" ", "_")
    return word if word in FAILURES else None


def _confidence(said: str) -> float | None:
    """Return a confidence; NaN, which is not between 0 and 1, for a text that is not a number."""
    if not said:
        return None
    # What Python's own reader takes besides, such as 0.5_0, may be a mistyped number.
    return float(said) if _DECIMAL.fullmatch(said) else math.nan


def _code_of(said: str, scale: JudgeScale) -> str | None:
    """Return the code of a verdict; yes and no may be in any words that spreadsheets write, as in a study's tables."""
    code = scale.code_of(said.lower())
    if code is not None or scale.limits is not None:
        return code
    flag = flag_of(said)
    if flag is None:
        return None
    return scale.code_of(str(flag).lower()) or scale.code_of("yes" if flag else "no")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
