"""What a layout of foreign files is: how it is recognised, and how its rows say what was judged and what was said."""

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

# What a row says of its candidate, by the names of our own columns.
RESULTS = tuple(name for name in JUDGE_VERDICTS.names if name not in ("item", "candidate"))
# What a judge's confidence can be of: how sure it is of the verdict that it gives, or that the positive one is right.
CONFIDENCES = {"verdict": "the verdict that is given", "positive": "the positive verdict, such as correct"}
# Under which people's labels say whose they are.
LABELLER = "labeller"
_ZIP = b"PK\x03\x04"
_BEGINNING = 100_000
# Number by which people find it, and its content.
RawRow = tuple[int, dict[str, Any]]


class NotInLayout(ValueError):
    """A row is not as its layout has it; the message completes a sentence that begins with its place."""


@dataclass(frozen=True)
class Source:
    """A file from outside: its bytes, and its name as it is shown."""

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
            The bytes are no Unicode text.
        """
        return decoded(self.content)[0]

    @cached_property
    def beginning(self) -> str:
        """The first letters of its text, as far as they are text: the whole of it may be large."""
        encoding = "utf-16" if self.content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
        return self.content[:_BEGINNING].decode(encoding, errors="ignore")

    @property
    def is_json(self) -> bool:
        """Whether it begins as JSON does."""
        return not self.is_archive and self.beginning[:1_000].lstrip()[:1] in ("{", "[")

    @property
    def is_object(self) -> bool:
        """Whether it begins as an object does: it is one, or has one in each line."""
        return self.is_json and not self.is_array

    @property
    def is_array(self) -> bool:
        """Whether it is an array, not an object in each line."""
        return self.is_json and self.beginning[:1_000].lstrip().startswith("[")

    @property
    def unit(self) -> str:
        """What its rows are numbered as."""
        return "entry" if self.is_array else "line"

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object of a JSON file, of a large one with its arrays emptied; empty where it has none."""
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
        """The object with which it begins, its arrays emptied: of a whole log nothing but its head.

        Raises
        ------
        NotRead, ValueError
            The bytes are no Unicode text, or no JSON.
        """
        return outline_of(self.content)


@dataclass(frozen=True)
class Asked:
    """What an admin says of a file beyond what it says itself.

    Attributes
    ----------
    layout
        Key of the layout; empty where the file itself shows which.
    columns
        Where something is in the file, by what it is: a column, or a path such as `output.text`. Empty where it is
        not to be looked at.
    says
        What a word of the file means on the scale, or which kind of missing verdict.
    of_model
        The model whose answers were judged, where the file does not name it as the study does.
    scorer
        Which of several scores of a row is meant.
    field
        Key of the field that is filled in.
    models
        The models of the study.
    labellers
        Of a table with a column for each person who labelled, these columns, which are called like the people.
    of_people
        Whether labels of people are wanted from a file that holds verdicts of a judge as well.
    confidence_of
        What its confidences are of, a key of `CONFIDENCES`; empty where nobody says it.
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
        """What is stored of it with a run: nothing of what was not said."""
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
    """What a row says: which candidate it is about, and what of it.

    Attributes
    ----------
    number
        By which people find it: of the line, or of the entry.
    clues
        What it says of its candidate; of several values of a clue each may be meant.
    said
        By the names in `RESULTS`.
    party
        Of labels that several people gave, whose it is.
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
        How it is asked for, and what people call it.
    clues
        By what its rows name their candidates, in words.
    recognises
        Takes a file; says whether it is laid out so.
    rows
        Reads the rows one after the other; notes those that cannot be read.
    lines
        Takes a row; returns what it says: a line, or one for each of several people. Raises `NotInLayout`.
    words
        What its words mean where the scale has no such words.
    identity
        Takes the first row; returns what the file says of the judge, by the names of a run's identity.
    unit
        What its rows are numbered as, where that is neither a line nor an entry of an array.
    stand_for
        What a clue is compared with where a study declares no attribute of that name; with nothing where it is empty.
    confidence_of
        What the confidences that it reads by itself are of, a key of `CONFIDENCES`; empty where it reads none.
    stores_ungraded
        Whether what could not be graded stands in it as a verdict, too, which a mapped column must not bring back.
    """

    key: str
    name: str
    clues: str
    recognises: Callable[[Source], bool]
    rows: Callable[[Source, Asked, Problems], Iterator[RawRow]]
    lines: Callable[[int, dict[str, Any], Asked], Iterable[ForeignLine]]
    words: Mapping[str, str] = field(default_factory=dict)
    identity: Callable[[dict[str, Any]], dict[str, str]] = lambda _row: {}
    unit: str = ""
    stand_for: Mapping[str, str] = field(default_factory=dict)
    confidence_of: str = ""
    stores_ungraded: bool = False
