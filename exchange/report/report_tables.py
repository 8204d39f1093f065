"""Tables as they are printed: the same text on the page, in the HTML file and, for counts, in the CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from exchange.report.estimate_rows import Estimated, Made
from exchange.report.report_structure import Cell, Column, EstimateTable, Matrix, PlainTable, QuartileTable, Table
from exchange.report.report_words import (
    EstimateLine,
    few_clusters_note,
    few_clusters_of,
    further_warnings,
    lines_of,
    party_in_words,
    tests_note,
)
from exchange.report.shown_numbers import has_interval, shown_cell, shown_count, shown_estimate, shown_p

_MANY_COLUMNS = 8
_OWN = "…"  # in a kind of text, where a number is each line's own
_FEW = "†"  # beside the number of clusters, and before the sentence on them below the table
_FURTHER = "‡§¶"  # beside an estimate that carries another warning: a sign for each kind, then doubled, tripled
# If there are more than the first number of differences of one kind, only the second number of them is shown at once.
_MANY_DIFFERENCES, _FEW_DIFFERENCES = 6, 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# In characters: what is set on one line, and what needs a minimum column width. The shortest stay whole on paper too.
_TINY, _SHORT_WORDS, _SHORT_FIGURE, _LONG_WORDS = 14, 26, 40, 45


@dataclass(frozen=True)
class PrintedCell:
    """A cell of text, and the CSS classes it is set with."""

    text: str
    classes: str


@dataclass(frozen=True)
class PrintedRow:
    """A row of text; `opens_group` if another part of the items begins."""

    cells: tuple[str, ...]
    opens_group: bool


@dataclass(frozen=True)
class PrintedTable:
    """A table of text, with the notes that its letters point to.

    Attributes
    ----------
    is_number
        Which columns are set as figures.
    folded
        Rows that are only shown on demand, with `summary` as the words that open them.
    """

    title: str
    explanation: str
    headings: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[PrintedRow, ...]
    notes: tuple[str, ...]
    folded: tuple[PrintedRow, ...] = ()
    summary: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether it has so many columns that they are set closer together, so that none runs over the edge."""
        return len(self.headings) >= _MANY_COLUMNS

    def cells_of(self, row: PrintedRow) -> list[PrintedCell]:
        """Return the cells of a row as they are set; cells that repeat the line above are present but invisible."""
        return [
            PrintedCell(text, _classes(text, is_number, repeats=not place and not row.opens_group))
            for place, (text, is_number) in enumerate(zip(row.cells, self.is_number, strict=True))
        ]


def _classes(text: str, is_number: bool, *, repeats: bool) -> str:
    length = len(text)
    wanted = (
        ("figure", is_number),
        ("words", not is_number),
        ("short", length <= (_SHORT_FIGURE if is_number else _SHORT_WORDS)),
        ("long", length > (_SHORT_FIGURE if is_number else _LONG_WORDS)),
        ("tiny", length <= _TINY),
        ("same", repeats),
    )
    return " ".join(name for name, holds in wanted if holds)


def printed(table: Table) -> PrintedTable:
    """Return a table as it is printed."""
    if isinstance(table, EstimateTable):
        return _estimates(_without_what_stands_elsewhere(table))
    return _matrix(table) if isinstance(table, Matrix) else _plain(plain(table))


def plain(table: PlainTable | QuartileTable) -> PlainTable:
    """Return a table of counts and words unchanged; a table of quartiles is converted to one."""
    if isinstance(table, PlainTable):
        return table
    return PlainTable(
        table.key,
        table.title,
        table.explanation,
        columns=(
            Column("scan", "Scan and plane", "Pane, sequence and plane"),
            Column("rater", "Rater", "Pseudonym"),
            Column("n", "Verdicts", "Verdicts for which the sequence was opened and the slices were recorded"),
            Column("q1", "First quartile", "Percent of the slices"),
            Column("median", "Median", "Percent of the slices"),
            Column("q3", "Third quartile", "Percent of the slices"),
        ),
        rows=tuple(
            (f"{row.volume}: {row.plane}", party_in_words(row.party), row.n, row.low, row.median, row.high)
            for row in table.rows
        ),
        grouped=True,
    )


def matrix_cells(table: Matrix) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """Return the column titles and rows of a matrix, as in a tidy file."""
    rows, columns = (party_in_words(party) for party in table.parties)
    return [rows, *(f"{columns}: {label}" for label in table.column_labels)], [
        (label, *counts) for label, counts in zip(table.row_labels, table.counts, strict=True)
    ]


def _without_what_stands_elsewhere(table: EstimateTable) -> EstimateTable:
    """Return a table with only the rows that are printed in it, and a sentence saying where the others are."""
    titles = [title for title in dict.fromkeys(table.elsewhere) if title]
    if not titles:
        return table
    of = " and ".join(f"“{title}”" for title in titles)
    here = table.printed_here
    if not here:
        return replace(table, explanation=f"In the section of the plan: {of}.", rows=(), elsewhere=())
    count = len(table.rows) - len(here)
    lines = "1 line of this table stands" if count == 1 else f"{count} lines of this table stand"
    said = " ".join(filter(None, (table.explanation, f"{lines} in the section of the plan: {of}.")))
    return replace(table, explanation=said, rows=here, elsewhere=())


def _estimates(table: EstimateTable) -> PrintedTable:
    lines = lines_of(table)
    letters, signs = _letters_of_methods(table), _signs_of_warnings(table)
    methods = [row.estimate.made for row in table.rows if _goes_by_its_method(row.estimate)]
    percent = f"{100 * table.rows[0].estimate.confidence:g} %" if table.rows else "95 %"
    beside = any(_says_more(line) for line in lines)
    tested = any(row.estimate.p is not None for row in table.rows)
    noted = any(line.note for line in lines)
    headings = ["What", "Who", f"Estimate [{percent} interval]"]
    is_number = [False] * (len(headings) - 1) + [True]
    for wanted, heading, number in (
        (beside, "Wilson, assumes independent items", True),
        (True, "n", True),
        (True, f"{table.cluster.capitalize()}s", True),
        (tested, "P", True),
        (noted, "Note", False),
    ):
        if wanted:
            headings.append(heading)
            is_number.append(number)
    rows = []
    earlier = None
    for line in lines:
        estimate = line.estimate
        cells = [line.label, line.who, _with_letter(line, letters, signs)]
        cells += [shown_estimate(line.beside, line.scale) if line.beside is not None else ""] if beside else []
        cells += [shown_count(estimate.n, estimate.unit), _clusters(line)]
        cells += [shown_p(estimate.p)] if tested else []
        cells += [line.note] if noted else []
        rows.append(PrintedRow(tuple(cells), line.label != earlier))
        earlier = line.label
    folded = _folded(table)
    return PrintedTable(
        table.title,
        table.explanation,
        tuple(headings),
        tuple(is_number),
        tuple(row for place, row in enumerate(rows) if place not in folded),
        tuple(f"{letter}: {_together(methods, kind)}" for kind, letter in letters.items())
        + tuple(filter(None, (tests_note(table.rows),)))
        + _warnings(table, signs),
        tuple(
            replace(rows[place], opens_group=not number or lines[place].label != lines[folded[number - 1]].label)
            for number, place in enumerate(folded)
        ),
        f"{len(folded)} smaller differences of two levels" if folded else "",
    )


def _folded(table: EstimateTable) -> tuple[int, ...]:
    """Return the indices of the rows shown on demand: differences between two levels, except the largest of each kind.

    Nine levels have 36 differences for each judge, the largest first.
    """
    of_kind: dict[object, list[int]] = {}
    for place, row in enumerate(table.rows):
        if row.compared == "between_levels":
            of_kind.setdefault((row.category, row.parties[-1], row.stratum), []).append(place)
    return tuple(
        place for places in of_kind.values() if len(places) > _MANY_DIFFERENCES for place in places[_FEW_DIFFERENCES:]
    )


def _says_more(line: EstimateLine) -> bool:
    """Return whether Wilson's interval is shown beside the estimate's own: not if it would only repeat it."""
    return line.beside is not None and shown_estimate(line.beside, line.scale) != shown_estimate(
        line.estimate, line.scale
    )


def _letters_of_methods(table: EstimateTable) -> dict[str, str]:
    kinds = list(dict.fromkeys(_kind(row.estimate.made) for row in table.rows if _goes_by_its_method(row.estimate)))
    return {kind: _LETTERS[i] if i < len(_LETTERS) else str(i + 1) for i, kind in enumerate(kinds)}


def _kind(said: Sequence[Made]) -> str:
    """Return a text without its line's own numbers: texts that only differ in those become one note."""
    return "".join(_OWN if part.is_number else _in_note(part) for part in said)


def _together(texts: Iterable[Sequence[Made]], kind: str) -> str:
    """Merge the texts of a kind into one, with the smallest and largest of their numbers."""
    own = [said for said in texts if _kind(said) == kind]
    numbers = zip(*([part.text for part in said if part.is_number] for said in own), strict=True)
    return "".join(_span(next(numbers)) if part.is_number else _in_note(part) for part in own[0])


def _in_note(part: Made) -> str:
    return part.text if part.together is None else part.together


def _span(numbers: Iterable[str]) -> str:
    least, *more = sorted(set(numbers), key=float)
    return f"{least} to {more[-1]}" if more else least


def _goes_by_its_method(estimate: Estimated) -> bool:
    """Return whether an estimate shows a result of its method: an interval or a P value."""
    return has_interval(estimate) or bool(shown_p(estimate.p))


def _signs_of_warnings(table: EstimateTable) -> dict[str, str]:
    """Return a sign for each kind of warning in a table, other than that about few clusters."""
    kinds = dict.fromkeys(_kind(each.made) for row in table.rows for each in further_warnings(row.estimate))
    return {kind: _FURTHER[number % len(_FURTHER)] * (1 + number // len(_FURTHER)) for number, kind in enumerate(kinds)}


def _with_letter(line: EstimateLine, letters: dict[str, str], signs: dict[str, str]) -> str:
    estimate = line.estimate
    letter = f" ({letters[_kind(estimate.made)]})" if _goes_by_its_method(estimate) else ""
    kinds = dict.fromkeys(_kind(each.made) for each in further_warnings(estimate))
    of_warnings = "".join(f" {signs[kind]}" for kind in kinds)
    return f"{shown_estimate(estimate, line.scale)}{letter}{of_warnings}"


def _clusters(line: EstimateLine) -> str:
    clusters = line.estimate.n_clusters
    if clusters is None:
        return "–"
    return f"{clusters}{f' {_FEW}' if few_clusters_of(line.estimate) is not None else ''}"


def _warnings(table: EstimateTable, signs: dict[str, str]) -> tuple[str, ...]:
    few = next((caution for row in table.rows if (caution := few_clusters_of(row.estimate)) is not None), None)
    said = (f"{_FEW} {few_clusters_note(table.cluster, few.fewest)}",) if few is not None else ()
    texts = [each.made for row in table.rows for each in further_warnings(row.estimate)]
    return (*said, *(f"{sign} {_together(texts, kind)}" for kind, sign in signs.items()))


def _plain(table: PlainTable) -> PrintedTable:
    is_number = tuple(
        all(isinstance(row[i], int | float) and not isinstance(row[i], bool) for row in table.rows)
        for i in range(len(table.columns))
    )
    return PrintedTable(
        table.title,
        table.explanation,
        tuple(column.title for column in table.columns),
        is_number,
        tuple(
            PrintedRow(
                tuple(shown_cell(cell) for cell in row),
                opens_group=not (table.grouped and i and table.rows[i - 1][0] == row[0]),
            )
            for i, row in enumerate(table.rows)
        ),
        (),
    )


def _matrix(table: Matrix) -> PrintedTable:
    return PrintedTable(
        table.title,
        table.explanation,
        (f"{party_in_words(table.parties[0])} ↓  {party_in_words(table.parties[1])} →", *table.column_labels),
        (False, *(True for _ in table.column_labels)),
        tuple(
            PrintedRow((label, *(str(count) for count in counts)), True)
            for label, counts in zip(table.row_labels, table.counts, strict=True)
        ),
        (),
    )
