"""Layouts of foreign files: how a layout is recognised, and how its rows say what was judged and what was said."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from exchange.json_parts import Outline, outline_of, values_of_array
from exchange.json_text import first_value
from exchange.refusal import Problems
from exchange.spreadsheet import NotRead, decoded
from exchange.tables import JUDGE_VERDICTS

# What a row says about its candidate, by the names of our own columns.
RESULTS = tuple(name for name in JUDGE_VERDICTS.names if name not in ("item", "candidate"))
# What a judge's confidence can refer to: the verdict that it gives, or the positive verdict.
CONFIDENCES = {"verdict": "the verdict that is given", "positive": "the positive verdict, such as correct"}
# The column that says whose label a row is.
LABELLER = "labeller"
_ZIP = b"PK\x03\x04"
_BEGINNING = 100_000
# The number by which people find a row, and its content.
RawRow = tuple[int, dict[str, Any]]


class NotInLayout(ValueError):
    """A row does not match its layout; the message completes a sentence that begins with the row's place."""


@dataclass(frozen=True)
class Source:
    """A file from outside: its bytes and its displayed name."""

    content: bytes
    name: str

    @property
    def is_archive(self) -> bool:
        """Whether it is a ZIP archive."""
        return self.content.startswith(_ZIP)

    @cached_property
    def text(self) -> str:
        """Its text.

        Raises
        ------
        NotRead
            The bytes are not Unicode text.
        """
        return decoded(self.content)[0]

    @cached_property
    def beginning(self) -> str:
        """The first characters of its text, as far as they are text, because the whole file may be large."""
        encoding = "utf-16" if self.content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
        return self.content[:_BEGINNING].decode(encoding, errors="ignore")

    @property
    def is_json(self) -> bool:
        """Whether it begins like JSON."""
        return not self.is_archive and self.beginning[:1_000].lstrip()[:1] in ("{", "[")

    @property
    def is_object(self) -> bool:
        """Whether it begins like an object: it is one, or has one per line."""
        return self.is_json and not self.is_array

    @property
    def is_array(self) -> bool:
        """Whether it is an array and not one object per line."""
        return self.is_json and self.beginning[:1_000].lstrip().startswith("[")

    @property
    def unit(self) -> str:
        """The unit in which its rows are numbered."""
        return "entry" if self.is_array else "line"

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object of a JSON file (with its arrays emptied if the file is large); empty if it has none."""
        value = first_value(self.beginning) if self.is_json else None
        if value is None and self.is_json:
            try:
                value = next(values_of_array(self.content), None) if self.is_array else self.outline.members
            except NotRead:
                raise
            except ValueError:
                return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def outline(self) -> Outline:
        """The object with which it begins, with its arrays emptied: only the head of a whole log.

        Raises
        ------
        NotRead, ValueError
            The bytes are not Unicode text, or not JSON.
        """
        return outline_of(self.content)


@dataclass(frozen=True)
class Asked:
    """What an admin says about a file in addition to what it says itself.

    Attributes
    ----------
    layout
        Key of the layout; empty if the file itself shows which.
    columns
        The column of each thing, or its path such as `output.text`, by the name of the thing. Empty if the thing is to
        be ignored.
    says
        The meaning of each word of the file: a code of the scale, or a kind of missing verdict.
    of_model
        The model whose answers were judged, if the file does not name it as the study does.
    scorer
        Which of several scores of a row is meant.
    field
        Key of the field that is filled in.
    models
        The models of the study.
    labellers
        In a table with one column per labeller, these columns, which are named after the people.
    of_people
        Whether people's labels are wanted from a file that also has verdicts of a judge.
    confidence_of
        What its confidences refer to, a key of `CONFIDENCES`; empty if not given.
    """

    layout: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    of_model: str = ""
    scorer: str = ""
    field: str = ""
    models: frozenset[str] = frozenset()
    labellers: tuple[str, ...] = ()
    of_people: bool = False
    confidence_of: str = ""

    @property
    def stored(self) -> dict[str, Any]:
        """What is stored of it with a run, without what was left empty."""
        said = {
            "columns": dict(self.columns),
            "says": dict(self.says),
            "of_model": self.of_model,
            "scorer": self.scorer,
            "labellers": list(self.labellers),
            "confidence_of": self.confidence_of,
        }
        return {key: value for key, value in said.items() if value}


OF_ITSELF = Asked()


class ForeignLine(NamedTuple):
    """What a row says: which candidate it is about, and what it says about it.

    Attributes
    ----------
    number
        The number by which people find it: of the line or of the entry.
    clues
        What identifies its candidate; if a clue has several values, any of them may be the right one.
    said
        What it says about the candidate, by the names in `RESULTS`.
    party
        For labels by several people, the person whose label it is.
    """

    number: int
    clues: dict[str, tuple[str, ...]]
    said: dict[str, Any]
    party: str = ""


@dataclass(frozen=True)
class Layout:
    """One layout.

    Attributes
    ----------
    key, name
        The key by which it is asked for, and what people call it.
    clues
        What its rows identify their candidates by, in words.
    recognises
        Takes a file; returns whether it has this layout.
    rows
        Reads the rows one by one; notes those that cannot be read.
    lines
        Takes a row; returns what it says: one line, or one for each of several people. Raises `NotInLayout`.
    words
        What its words mean if the scale has no such words.
    identity
        Takes the first row; returns what the file says about the judge, by the names of a run's identity.
    stopped
        Takes the first row; returns the status by which the file says that what wrote it did not run to its end; empty
        if it did, or if the file does not say.
    unit
        The unit in which its rows are numbered, if that is neither a line nor an entry of an array.
    stand_for
        What a clue is compared with if a study declares no attribute of that name; empty for nothing.
    confidence_of
        What the confidences that it reads on its own refer to, a key of `CONFIDENCES`; empty if it reads none.
    stores_ungraded
        Whether it also stores what could not be graded as a verdict, which a mapped column must not bring back.
    """

    key: str
    name: str
    clues: str
    recognises: Callable[[Source], bool]
    rows: Callable[[Source, Asked, Problems], Iterator[RawRow]]
    lines: Callable[[int, dict[str, Any], Asked], Iterable[ForeignLine]]
    words: Mapping[str, str] = field(default_factory=dict)
    identity: Callable[[dict[str, Any]], dict[str, str]] = lambda _row: {}
    stopped: Callable[[dict[str, Any]], str] = lambda _row: ""
    unit: str = ""
    stand_for: Mapping[str, str] = field(default_factory=dict)
    confidence_of: str = ""
    stores_ungraded: bool = False
