"""An external file format: its name, the file endings that identify it, and its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from exchange.refusal import InputRefused, Problems, shown

# The number of the line in the file, and its cells by column name.
JudgeLine = tuple[int, dict[str, Any]]
# Takes the content, the displayed file name, and where to note what is wrong with a line.
ReadJudgeLines = Callable[[bytes, str, Problems], Iterator[JudgeLine]]
# The same for pairs of answers, with the columns that are called otherwise, by our names.
ReadPairLines = Callable[[bytes, str, Mapping[str, str], Problems], Iterator[JudgeLine]]
# Takes the open file, its name and an empty folder; returns the folder that holds `protocol.yaml`.
UnpackStudy = Callable[[IO[bytes], str, Path], Path]

Read = TypeVar("Read", ReadJudgeLines, ReadPairLines, UnpackStudy)


@dataclass(frozen=True)
class FileFormat(Generic[Read]):
    """One format.

    Attributes
    ----------
    name
        What people call it: "CSV".
    endings
        Endings of file names, in lower-case letters and without the dot; messages name the first.
    read
        Reads a file; raises `InputRefused` or `NotRead` with one sentence if it has another format after all.
    """

    name: str
    endings: tuple[str, ...]
    read: Read


def format_of(formats: Sequence[FileFormat[Read]], file_name: str) -> FileFormat[Read]:
    """Return the format of a file by the ending of its name.

    Raises
    ------
    InputRefused
        None of the formats has that ending.
    """
    ending = file_name.lower().rpartition(".")[2]
    for file_format in formats:
        if ending in file_format.endings:
            return file_format
    raise InputRefused(
        f"{shown(file_name, 80)}: expected a file ending in {endings_in_words(formats)}; rename or convert it."
    )


def endings_in_words(formats: Sequence[FileFormat[Read]]) -> str:
    """Return the first ending of each format, as ".csv or .jsonl"."""
    return " or ".join(f".{file_format.endings[0]}" for file_format in formats)
