"""The files of one run: its pieces are read, checked and stored together, and each line is reported with its file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db import Database
from exchange.foreign.layout import Asked
from exchange.judge_pairs import PairTable
from exchange.judge_verdicts import LARGEST_FILE, MOST_ROWS, JudgeRow
from exchange.refusal import InputRefused, Problems, listed, shown
from protocol.scales import JudgeScale
from services.errors import Conflict
from services.judging.foreign_rows import Unplaced
from services.judging.sources import LISTED, PairsAsked, RunFile, Verdicts, of_a_judge, read_files
from services.people.identity import Actor

# What the files of one run must agree on, and what differing values would mean there are several of.
_ONE_OF_EACH = {"model": "judges", "prompt": "prompts"}
LONGEST_FILE_NAME = 80


@dataclass(frozen=True)
class ReadRun:
    """The content of a run's files.

    Attributes
    ----------
    name
        Name of the file, or of all files, for use in sentences.
    rows
        In the order of the files; can be iterated several times.
    problems
        What is wrong with any of the files.
    identity
        What the files say about the judge.
    unplaced, left_out
        The first lines left out because an admin allowed it, and how many there are in all.
    stored
        What is stored about the files with the run.
    tables
        The files, if they are about pairs.
    """

    name: str
    rows: Iterable[JudgeRow]
    problems: Problems
    identity: Mapping[str, str] = field(default_factory=dict)
    unplaced: Sequence[Unplaced] = ()
    left_out: int = 0
    stored: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[PairTable] = ()

    @property
    def of_other_order(self) -> int:
        """How many lines on pairs the last iteration left out, because they have the other order."""
        return sum(table.of_other_order for table in self.tables)


def sha256_of(files: Sequence[RunFile]) -> str:
    """Return the SHA-256 of a file; for several files, that of their own hashes in ascending order, one per line.

    It does not depend on the order in which the files were chosen: `sha256sum FILES | cut -c-64 | sort | sha256sum`.
    """
    own = [hashlib.sha256(file.content).hexdigest() for file in files]
    return (
        own[0] if len(own) == 1 else hashlib.sha256("".join(f"{each}\n" for each in sorted(own)).encode()).hexdigest()
    )


def read_run(
    database: Database,
    actor: Actor,
    study_key: str,
    files: Sequence[RunFile],
    scale: JudgeScale,
    asked: Asked,
    *,
    skip_unplaced: bool,
    pairs: PairsAsked | None = None,
) -> ReadRun:
    """Read the files of a judge's run.

    Parameters
    ----------
    pairs
        The pairs of the study, if the judge says which of two answers is better.

    Raises
    ------
    InputRefused
        One of them cannot be read at all, or holds people's labels; or together they are too large.
    Conflict
        They are not pieces of one run: two have the same name or content, or they differ in judge, prompt or format.
    """
    pieces = read_pieces(database, actor, study_key, files, scale, asked, skip_unplaced=skip_unplaced, pairs=pairs)
    names, first = list(pieces), next(iter(pieces.values()))
    tables = [rows for each in pieces.values() for rows in each.rows.values() if isinstance(rows, PairTable)]
    if len(files) == 1:
        return ReadRun(
            names[0], of_a_judge(first), first.problems, first.identity, first.unplaced, first.left_out,
            {"file": names[0]} | first.stored, tables,
        )  # fmt: skip
    _require_one_judge(pieces)
    own = [hashlib.sha256(file.content).hexdigest() for file in files]
    return ReadRun(
        listed(names),
        _JoinedRows({name: of_a_judge(each) for name, each in pieces.items()}),
        first.problems,
        {key: value for each in reversed(pieces.values()) for key, value in each.identity.items()},
        unplaced_in(pieces)[:LISTED],
        sum(each.left_out for each in pieces.values()),
        {
            "file": listed(names),
            "files": [{"name": name, "sha256": sha256} for name, sha256 in zip(names, own, strict=True)],
            **stored_of(pieces),
        },
        tables,
    )


def read_pieces(
    database: Database,
    actor: Actor,
    study_key: str,
    files: Sequence[RunFile],
    scale: JudgeScale,
    asked: Asked,
    *,
    skip_unplaced: bool,
    pairs: PairsAsked | None = None,
) -> dict[str, Verdicts]:
    """Read files that are stored together, of a judge or of people; return what each says, by its name.

    What is wrong with any of them is noted in the problems that all have in common.

    Raises
    ------
    InputRefused
        One of them cannot be read at all; together they are too large.
    Conflict
        Two are called alike, are the same, or are of two formats.
    """
    _require_pieces(files)
    problems = Problems()
    read = read_files(
        database, actor, study_key, files, scale, asked, problems, skip_unplaced=skip_unplaced, pairs=pairs
    )
    pieces = dict(zip((shown(file.name, LONGEST_FILE_NAME) for file in files), read, strict=True))
    _require_one_format(pieces)
    return pieces


def unplaced_in(pieces: Mapping[str, Verdicts]) -> list[Unplaced]:
    """Return the lines that were left out of files; of several each says of which file it is."""
    if len(pieces) == 1:
        return list(next(iter(pieces.values())).unplaced)
    return [Unplaced(f"{name}, {line.place}", line.because) for name, each in pieces.items() for line in each.unplaced]


def stored_of(pieces: Mapping[str, Verdicts]) -> dict[str, Any]:
    """Return what is stored of files that are read together: the format, columns that rows lack, files that stopped."""
    first = next(iter(pieces.values()))
    if len(pieces) == 1:
        return first.stored
    stopped = [said for read in pieces.values() for said in read.stopped]
    return {**first.stored, **_lacking(pieces), **({"stopped": stopped} if stopped else {})}


class _JoinedRows:
    """The rows of several files in sequence, each with the name of its file."""

    def __init__(self, by_file: Mapping[str, Iterable[JudgeRow]]) -> None:
        self._by_file = by_file

    def __iter__(self) -> Iterator[JudgeRow]:
        count = 0
        for name, rows in self._by_file.items():
            for row in rows:
                count += 1
                if count > MOST_ROWS:
                    raise InputRefused(
                        f"{listed(self._by_file)} have more than {MOST_ROWS:,} lines together; split them into several "
                        "runs."
                    )
                yield row._replace(file=name)


def _require_pieces(files: Sequence[RunFile]) -> None:
    seen: dict[str, RunFile] = {}
    for file in files:
        name = shown(file.name, LONGEST_FILE_NAME)
        if name in seen:
            raise Conflict(
                f"Two of the files are called '{name}', so that no line could be named; take out the one that was "
                "corrected since, or rename one of them."
            )
        same = next((other for other, earlier in seen.items() if earlier.content == file.content), None)
        if same is not None:
            raise Conflict(f"'{name}' is the same as '{same}'; leave one of the two out.")
        seen[name] = file
    if len(files) > 1 and sum(len(file.content) for file in files) > LARGEST_FILE:
        raise InputRefused(
            f"{listed(seen)} have more than {LARGEST_FILE // 10**6} MB together; split them into several runs."
        )


def _require_one_format(pieces: Mapping[str, Verdicts]) -> None:
    (first_name, first), *others = pieces.items()
    for name, read in others:
        if read.layout != first.layout:
            raise Conflict(
                f"'{first_name}' and '{name}' are of two formats ({first.layout or 'our own table'} and "
                f"{read.layout or 'our own table'}), and files that are imported together are of one; import "
                "them apart."
            )


def _require_one_judge(pieces: Mapping[str, Verdicts]) -> None:
    """Refuse files that say themselves that they are of several judges or prompts."""
    for key, noun in _ONE_OF_EACH.items():
        said = [(name, read.identity[key]) for name, read in pieces.items() if read.identity.get(key)]
        other = next(((name, value) for name, value in said if value != said[0][1]), None)
        if other is not None:
            raise Conflict(
                f"The files are of two {noun}: '{said[0][0]}' says '{shown(said[0][1])}', and '{other[0]}' says "
                f"'{shown(other[1])}'; import them as two runs."
            )


def _lacking(pieces: Mapping[str, Verdicts]) -> dict[str, Any]:
    """Return what is stored about mapped columns that rows lack: how many rows, and the first of them."""
    lacking: dict[str, dict[str, Any]] = {}
    for name, read in pieces.items():
        for column, gap in read.stored.get("lacking", {}).items():
            own = lacking.setdefault(column, {"rows": 0, "first": f"{gap['first']} of {name}"})
            own["rows"] += gap["rows"]
    return {"lacking": lacking} if lacking else {}
