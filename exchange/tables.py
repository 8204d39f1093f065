"""Every table and column that comes from outside, for the parsers and for the documentation.

`python -m exchange.tables` prints docs/tables.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["key", "text", "word", "flag", "whole", "number", "date", "names", "options", "file", "colour", "place"]
# Longer text comes from an unclosed quotation mark, and is not an answer.
LONGEST_CELL = 20_000
LONGEST_KEY = 80
FORMATS = ("yes_no", "choice", "open")
GROUNDINGS = ("image_grounded", "image_informed")
ROLES = ("current", "prior")
STYLES = ("outline", "fill")
OVERLAY_COLOUR, OVERLAY_OPACITY = "#e8a33d", 0.5


@dataclass(frozen=True)
class Column:
    """One column: its meaning, what its cells may contain, and what an empty cell means.

    Attributes
    ----------
    default
        What an empty cell means, in words; None if the cell must be filled in.
    allowed
        The allowed words, if they are restricted.
    optional
        Whether the column may be missing from the header.
    """

    name: str
    says: str
    kind: Kind
    example: str
    default: str | None = None
    allowed: tuple[str, ...] = ()
    longest: int = LONGEST_CELL
    optional: bool = False

    @property
    def values(self) -> str:
        """Return what a cell may contain, in words."""
        return {
            "key": f"a name of its own, at most {self.longest} characters",
            "text": f"text, at most {self.longest:,} characters",
            "word": " or ".join(f"`{word}`" for word in self.allowed) or "a name from another table",
            "flag": "`true` or `false`",
            "whole": "a whole number",
            "number": "a number",
            "date": "a date as YYYY-MM-DD",
            "names": "names, separated by `|`",
            "options": "`id=Text`, separated by `|`",
            "file": "a file inside the study folder",
            "colour": "six hexadecimal digits, as #rrggbb",
            "place": "`middle`, or a point in mm as `x|y|z`, in an image of a listed study `column 33 row 17`",
        }[self.kind]


@dataclass(frozen=True)
class Table:
    """One file of lines: what each line is, its columns, and the column that is unique to each line."""

    file: str
    says: str
    columns: tuple[Column, ...]
    unique: str | None = None
    optional: bool = False
    # The studies that have this table, if a table of the same name has other columns in other studies.
    of: str = ""
    # Whether its header may have further columns, which are not read.
    takes_others: bool = False
    # Names of further columns that it may have and that are not read.
    may_have: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the columns that every header must have."""
        return tuple(column.name for column in self.columns if not column.optional)

    def column(self, name: str) -> Column:
        """Return the column of this name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        # Cached, because every cell of a table looks up its column.
        return {column.name: column for column in self.columns}


def _case(example: str) -> Column:
    return Column("case", "The case, from `cases.csv`.", "word", example, longest=LONGEST_KEY)


def _item(example: str) -> Column:
    return Column("item", "The item, from `items.csv`.", "word", example, longest=LONGEST_KEY)


CASES = Table(
    "cases.csv",
    "A case: what is looked at together, from one person at one time.",
    (
        Column("case", "Names the case; never shown to raters.", "key", "c1", longest=LONGEST_KEY),
        Column(
            "subject",
            "The pseudonym of the person: the cluster of every interval. Cases of one person have the same pseudonym.",
            "text",
            "subject-1",
            longest=LONGEST_KEY,
        ),
        Column("vignette", "A short text beside the images, if the protocol releases it.", "text", "Headache.", ""),
        Column("age", "Whole years from 0 to 120, if the protocol releases it.", "whole", "54", "no age is shown"),
        Column("note", "For the study's authors; never shown to raters.", "text", "Scanner B.", ""),
    ),
    unique="case",
)
CASE_HISTORY = Table(
    "case_history.csv",
    "One entry of a case's structured history; as many lines per case as there are entries, in their order.",
    (
        _case("c1"),
        Column("name", "What the entry is.", "text", "Surgery", longest=80),
        Column("value", "What it says.", "text", "None", longest=2_000),
    ),
    optional=True,
)
VOLUMES = Table(
    "volumes.csv",
    "A scan or image of a case.",
    (
        Column("volume", "Names the scan; never shown to raters.", "key", "c1-t1", longest=LONGEST_KEY),
        _case("c1"),
        Column("role", "Whether it is the current scan or an earlier one.", "word", "current", allowed=ROLES),
        Column("sequence", "The name of this kind of scan in `items.csv` and the protocol.", "text", "T1", longest=40),
        Column("acquired", "The day of the scan, from which the months since the prior follow.", "date",
               "2024-06-01", "no date or interval is shown"),
        Column("file", "NIfTI, PNG or JPEG.", "file", "volumes/c1-t1.nii.gz", longest=400),
        Column("label", "What readers see above the scan.", "text", "T1", longest=80),
    ),
    unique="volume",
)  # fmt: skip
OVERLAYS = Table(
    "overlays.csv",
    "A mask that raters can switch on over a case's scans: every non-zero voxel is inside.",
    (
        Column("overlay", "Names the mask.", "key", "lesion-1", longest=LONGEST_KEY),
        _case("c1"),
        Column("label", "What readers see in the legend.", "text", "Lesion", longest=80),
        Column("file", "NIfTI or PNG.", "file", "volumes/lesion.nii.gz", longest=400),
        Column("colour", "Its colour on the screen.", "colour", "#e8a33d", f"`{OVERLAY_COLOUR}`"),
        Column("style", "How it is drawn.", "word", "outline", f"`{STYLES[0]}`", allowed=STYLES),
        Column("opacity", "Above 0, at most 1.", "number", "0.5", f"`{OVERLAY_OPACITY:g}`"),
    ),
    unique="overlay",
    optional=True,
)
ITEMS = Table(
    "items.csv",
    "An item: one prompt about one case.",
    (
        Column("item", "Names the item; never shown to raters.", "key", "i1", longest=LONGEST_KEY),
        _case("c1"),
        Column("category", "The stratum to which it belongs in the report.", "text", "presence", longest=80),
        Column("format", "How it is answered: yes or no, one of its options, or in words or numbers.", "word",
               "choice", allowed=FORMATS),
        Column("grounding", "Whether it is to be answered from the images alone, or with the vignette: a stratum of "
               "the report. It hides nothing; the vignette is shown wherever the protocol releases it.", "word",
               "image_grounded", allowed=GROUNDINGS),
        Column("form", "The form to fill in: a key under `forms` in `protocol.yaml`.", "word", "choice"),
        Column("prompt", "The question, as raters see it.", "text", "On which side is the lesion?"),
        Column("options", "The options to choose from, for the format `choice` only. The id identifies the answer.",
               "options", "left=Left|right=Right", "none; needed for `choice`"),
        Column("sequences", "The sequences that its panes show, if the case has them.", "names", "T1|T2"),
        Column("uses_prior", "Whether the earlier scans are shown as well.", "flag", "false"),
        Column("needs", "The scans that are required: `T1` for a current one, `prior:T1` for an earlier one. "
               "If any other scan is missing, its pane says so.", "names", "T1|prior:T1",
               "one current scan, and one prior if `uses_prior` is true", optional=True),
        Column("start", "Where the crosshair starts.", "place", "12|-30|8", "as `hanging.start` says", optional=True),
        Column("overlays", "The masks that raters can switch on over its scans, from `overlays.csv`.", "names",
               "lesion-1|lesion-2", "none", optional=True),
        Column("conversation", "Items of one conversation are read together.", "text", "talk-1",
               "it stands alone", longest=80, optional=True),
        Column("turn", "Its place in the conversation, from 1.", "whole", "2", "it stands alone", optional=True),
        Column("practice", "Whether it is read before the real items, with feedback. Scoring its answers, and "
               "comparing pairs of them, can also be practised.", "flag", "false", "`false`",
               optional=True),
        Column("explanation", "Why the reference is right; for practice items, and for phases that show it.", "text",
               "The ventricle is normal.", "", optional=True),
    ),
    unique="item",
)  # fmt: skip
REFERENCES = Table(
    "references.csv",
    "What counts as right for an item. The answers to an item without a line are only compared between raters.",
    (
        _item("i1"),
        Column("accepted", "Every answer that counts as right: option ids, texts, numbers, or points in mm.", "names",
               "left", "none; a range is then needed"),
        Column("low", "The smallest number that counts as right, for `open` items.", "number", "2.5",
               "no lower limit"),
        Column("high", "The largest number that counts as right.", "number", "3.5", "no upper limit"),
        Column("text_only_answer", "The answer of a model that was not given the images: the text-only floor. A set "
               "of options is written as in `accepted`.", "text", "right", "none"),
        Column("provenance", "Where the reference comes from; printed in the report.", "text", "Two readers", ""),
    ),
    unique="item",
    optional=True,
)  # fmt: skip
FIELD_REFERENCES = Table(
    "references.csv",
    "What counts as right for an item, one line per field. A field without a line has no reference, and nothing that "
    "needs one is computed for it. Without the column `field`, a line is about the primary field.",
    (
        _item("i1"),
        Column("field", "A field of the item's form, or a key that a phase shows as `reference.KEY`.",
               "word", "diagnosis", "the primary field; if phases have several, a `radius`, an `overlay` and "
               "`people` need its name", longest=40, optional=True),
        Column("accepted", "Every answer that counts as right: option ids, texts, numbers, or points in mm.", "names",
               "glioma|12.5 -30 8", "none; a range or an overlay is then needed", optional=True),
        Column("low", "The smallest number that counts as right.", "number", "2.5", "no lower limit", optional=True),
        Column("high", "The largest number that counts as right.", "number", "3.5", "no upper limit", optional=True),
        Column("radius", "The distance from an accepted point, in mm (in an image without scale, in pixels), within "
               "which an answer is right.", "number", "10", "none; needed if points are accepted", optional=True),
        Column("overlay", "The mask that a point has to be inside, from `overlays.csv`; it need not be shown.", "word",
               "lesion-1", "none", longest=LONGEST_KEY, optional=True),
        Column("compare", "Who decides whether an answer is right. If people compare, the whole cell `accepted` is one "
               "text, which a phase may show, and the program scores nothing.", "word", "people",
               "`program`", allowed=("program", "people"), optional=True),
        Column("text_only_answer", "The answer of a model that was not given the images: the text-only floor. A set "
               "of options is written as in `accepted`.", "text", "right", "none", optional=True),
        Column("provenance", "Where the reference comes from; printed in the report.", "text", "Two readers", "",
               optional=True),
    ),
    optional=True,
    of="in a study that lists its phases",
)  # fmt: skip
CANDIDATES = Table(
    "candidates.csv",
    "A model's answer, which raters score against the reference. In a pool with people's answers, the table has a "
    "column for each field under `takes`, and may have one for each field that models answered as well "
    "([how-to/list-the-phases.md](how-to/list-the-phases.md)).",
    (
        Column("candidate", "Names the answer.", "key", "k1", longest=LONGEST_KEY),
        _item("i1"),
        Column("model", "The model that gave it; never shown to raters.", "text", "model-a", longest=120),
        Column("answer", "The answer in its own words.", "text", "There is a lesion on the left."),
    ),
    unique="candidate",
    optional=True,
)
PAIRS = Table(
    "pairs.csv",
    "Two answers to one item that are compared, if a phase says `pairs: table`.",
    (
        Column("pair", "Names the pair.", "key", "p1", longest=LONGEST_KEY),
        Column("first", "One answer, from `candidates.csv`. The side on which it is shown is drawn for each person.",
               "word", "k1", longest=LONGEST_KEY),
        Column("second", "The other answer, to the same item.", "word", "k2", longest=LONGEST_KEY),
    ),
    unique="pair",
    optional=True,
    of="in a study that lists its phases",
)  # fmt: skip
JUDGE_VERDICTS = Table(
    "A judge's verdicts",
    "What an LLM judge says about one candidate; `.csv` or `.jsonl`, imported after the freeze. Further columns are "
    "ignored, except `model`: if it names any model of the study, each line has to name the model that answered.",
    (
        _item("i1"),
        Column("candidate", "The candidate, from `candidates.csv`.", "word", "k1", longest=LONGEST_KEY),
        Column("verdict", "`correct`, `incorrect`, or `1`, `0`, `true`, `false`, `yes`, `no`, also as a spreadsheet "
               "writes them (`WAHR`, `FALSCH`). For a run on a field of the study: id or text of an option, or a "
               "number. JSON may lack it beside `error` or `failure`.", "text", "correct",
               "no verdict: an error, never a wrong answer"),
        Column("error", "What went wrong, if there is no verdict.", "text", "timeout", "", optional=True),
        Column("explanation", "The judge's reason.", "text", "Same side.", "", optional=True),
        Column("failure", "Why there is no verdict: `error`, `refusal`, `unreadable` (the reply could not be read) or "
               "`no_verdict`.", "word", "refusal", "`error` if the column `error` is filled in, else `no_verdict`",
               optional=True),
        Column("confidence", "How sure the judge is of its verdict, from 0 to 1.", "number", "0.8", "", optional=True),
    ),
)  # fmt: skip

STUDY_TABLES = (CASES, VOLUMES, ITEMS, REFERENCES, FIELD_REFERENCES, CANDIDATES, PAIRS, OVERLAYS, CASE_HISTORY)

# What a study that lists its phases may leave out (a cell or the whole column), and what that means.
LISTED_MAY_LEAVE_OUT = {
    "vignette": "",
    "age": "no age is shown",
    "note": "",
    "case": "the item is a case and a subject of its own; only if `cases.csv` is missing as well",
    "category": "it has no category",
    "grounding": "none",
    "form": "none; needed if a phase says `form: as_item`",
    "options": "none; needed for `choice`",
    "sequences": "it has no scans",
    "uses_prior": "`false`",
}
# The tables of such a study with these columns; a table whose lines are cases themselves cannot leave out the case.
LISTED_TABLES = (CASES, ITEMS, CANDIDATES)
_LISTED_HEAD = """## What a study that lists its phases may leave out

A protocol with `blindread: 2` says what each phase shows, so [its tables](how-to/list-the-phases.md#the-tables) can
contain less. `cases.csv` and `volumes.csv` may be missing. The following columns may be missing or have empty cells,
even if an empty cell is *not allowed* below.
"""

_HEAD = """# Every column of every table

This page lists every table of a study folder, and what each column may contain. It is generated from
`exchange/tables.py`, which the import also uses: `python -m exchange.tables > docs/tables.md`.

Tables are CSV files in UTF-8 of at most 64 MB. The first line names the columns, in any order. The formats of
spreadsheet programs are accepted if they are unambiguous, and the import lists what it converted: semicolons instead of
commas, `TRUE`, `Yes` and the equivalent words of other languages, UTF-16, dates such as 31.12.2020 and, in tables with
semicolons, decimal commas. A date such as 01/04/2020 is ambiguous and is refused unless `protocol.yaml` says
`dates: day_first` or `dates: month_first`.

Each table in the folder needs every column below that is not marked *(may be missing)*. *If empty* says what an empty
cell of a column means.
"""


def as_markdown() -> str:
    """Return the documentation of all tables."""
    return "\n".join(
        [_HEAD, *_left_out(), *(line for table in (*STUDY_TABLES, JUDGE_VERDICTS) for line in _section(table))]
    )


def may_leave_out(table: Table, column: Column) -> bool:
    """Return whether a study that lists its phases may do without a column, and without cells of it."""
    return column.name in LISTED_MAY_LEAVE_OUT and column.name != table.unique


def _left_out() -> Iterator[str]:
    yield _LISTED_HEAD
    yield "| Table | Column | If missing or empty |\n|---|---|---|"
    for table in LISTED_TABLES:
        for column in (column for column in table.columns if may_leave_out(table, column)):
            yield f"| `{table.file}` | `{column.name}` | {LISTED_MAY_LEAVE_OUT[column.name] or 'nothing'} |"
    yield (
        f"| `{CANDIDATES.file}` | `answer`: the cell, and the column if answers have columns of their own | *no "
        "response*, unless such a column has an answer: exported, and never drawn |"
    )
    yield ""


def rows_of(table: Table) -> list[tuple[str, str, str, str, str]]:
    """Return (column, meaning, values, if empty, example) for every column, in Markdown."""
    return [
        (
            f"`{column.name}`" + (" (may be missing)" if column.optional else ""),
            column.says,
            column.values,
            "not allowed" if column.default is None else column.default or "nothing",
            f"`{column.example}`",
        )
        for column in table.columns
    ]


def table_in_markdown(table: Table) -> str:
    """Return one table's columns as a Markdown table."""
    lines = ["| Column | What it says | Values | If empty | Example |", "|---|---|---|---|---|"]
    # Escaped, because a vertical bar would end the cell.
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows_of(table)]
    return "\n".join(lines)


def title_of(table: Table) -> str:
    """Return the name of a table for a heading."""
    name = f"`{table.file}`" if table.file.endswith(".csv") else table.file
    name += f" {table.of}" if table.of else ""
    return f"{name} (may be missing)" if table.optional else name


def _section(table: Table) -> Iterator[str]:
    yield f"## {title_of(table)}\n"
    own = f" Every line has its own `{table.unique}`." if table.unique else ""
    yield f"{table.says}{own}\n"
    yield table_in_markdown(table)
    yield ""


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
