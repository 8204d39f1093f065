"""Convert another program's file to a table for `python -m agreement.judge`: a line per verdict, without a study."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping

from exchange.foreign.layout import Asked, ForeignLine, Source
from exchange.foreign.reading import layout_of, read_foreign
from exchange.judge_verdicts import NO_VERDICT, require_readable, what_cannot_be_written
from exchange.refusal import InputRefused, Problems, shown
from exchange.report.report_csv import csv_lines
from protocol.scales import CORRECTNESS
from services.judging.sources import lacking_in_words, stopped_in_words, stored_gaps, stored_stopped

# Names the answer, not what it answers.
_OF_ANSWER = ("model", "answer")
_DIGITS = 16


def converted(content: bytes, file_name: str, asked: Asked, judge: str) -> tuple[Iterator[str], int, str]:
    """Return a file as lines of a CSV table, its number of verdicts, and sentences on what it lacks.

    The file is read twice, because its lines would fill the memory: once to find everything that is wrong with it, and
    again while the table is written.

    The columns are `unit`, `model`, `rater`, `verdict` (or what takes its place), `explanation`, and what `unit` was
    made from. `unit` stands for everything that a row says about what was answered (question, reference, case ...), and
    never for the row's place in the file.

    Parameters
    ----------
    judge
        The name for the judge of the verdicts; people's labels go by their own names.

    Raises
    ------
    InputRefused
        The file has no known format, or something is wrong with it: all problems are reported at once.
    """
    require_readable(content, file_name)
    source, problems = Source(content, shown(file_name, 80)), Problems()
    layout = layout_of(source, asked)
    if layout is None:
        raise InputRefused(
            f"{source.name} is in no format that is recognised; name the format with --format, or map its columns."
        )
    count, names = 0, dict[str, None]()
    foreign = read_foreign(source, layout, asked, CORRECTNESS, problems)
    for line in foreign.lines:
        count += 1
        _require_writable(line, source.name, foreign.unit, problems)
        names |= dict.fromkeys(name for name in line.clues if name not in _OF_ANSWER)
    problems.refuse()
    if not count:
        raise InputRefused(f"{source.name} holds no verdicts.")
    rows = (
        (
            _unit(line.clues),
            _first(line, "model"),
            line.party or judge,
            _verdict(line.said),
            str(line.said.get("explanation") or ""),
            *(_first(line, name) for name in names),
        )
        for line in read_foreign(source, layout, asked, CORRECTNESS, Problems()).lines
    )
    lacking = stored_gaps(foreign.gaps, foreign.unit)
    words = "".join(lacking_in_words(name, asked.columns[name], gap) for name, gap in lacking.items())
    words += stopped_in_words(stored_stopped(source.name, foreign.stopped, count, foreign.unit))
    return csv_lines(("unit", "model", "rater", "verdict", "explanation", *names), rows), count, words


def _require_writable(line: ForeignLine, name: str, unit: str, problems: Problems) -> None:
    texts = {what: "".join(values) for what, values in line.clues.items()}
    texts |= {what: said for what, said in line.said.items() if isinstance(said, str)}
    for what, text in {**texts, "labeller": line.party}.items():
        if unwritable := what_cannot_be_written(text):
            problems.add_line(name, unit, line.number, f"{what} {unwritable}")


def _unit(clues: Mapping[str, tuple[str, ...]]) -> str:
    of_item = {name: values[0] for name, values in sorted(clues.items()) if name not in _OF_ANSWER}
    return hashlib.sha256(json.dumps(of_item, ensure_ascii=False).encode()).hexdigest()[:_DIGITS]


def _first(line: ForeignLine, name: str) -> str:
    return line.clues.get(name, ("",))[0]


def _verdict(said: Mapping[str, object]) -> str:
    """Return a verdict, or the word that calibration from files uses for its absence."""
    verdict = said.get("verdict")
    if verdict in (None, ""):
        failure = str(said.get("failure") or ("error" if said.get("error") else NO_VERDICT))
        return failure.replace("_", " ")
    return str(verdict).lower() if isinstance(verdict, bool) else str(verdict)
