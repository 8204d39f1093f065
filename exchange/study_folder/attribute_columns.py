"""The columns that a protocol declares in addition to those of every study: read as text, checked by type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from exchange.csv_table import Line
from exchange.refusal import listed, nearest, shown
from exchange.spreadsheet import NotRead, date_of, flag_of, number_of
from exchange.study_folder.item_table import Attributes
from exchange.study_folder.model_answers import columns_of_models
from exchange.study_folder.pooled_candidates import ANSWER, columns_of_pool
from exchange.tables import LISTED_TABLES, Column, Table, may_leave_out
from protocol.language.expansion import Attribute, Expansion
from protocol.study import DateOrder

_TABLES = {table.file.removesuffix(".csv"): table for table in LISTED_TABLES}
_LONGEST = 2_000
_LIST = re.compile(r"\s*\|\s*")


def table_of(study: Expansion, name: str) -> Table:
    """Return a table of a study folder with the columns that the study declares for it, all of them required."""
    table = _TABLES[name]
    own = tuple(
        replace(column, default=column.default or "", optional=True) if may_leave_out(table, column) else column
        for column in table.columns
    )
    if name == "candidates":
        # A model without an answer is no response: counted, but shown to nobody.
        answered = columns_of_pool(study)
        answered += columns_of_models(study, [column.name for column in answered])
        own = tuple(
            replace(column, default="", optional=bool(answered)) if column.name == ANSWER else column for column in own
        )
        own += answered
    return replace(
        table, columns=own + tuple(_column(declared) for declared in declared_of(study, name)), optional=True
    )


def declared_of(study: Expansion, name: str) -> list[Attribute]:
    """Return the attributes that a study declares for a table."""
    return [attribute for attribute in study.attributes if attribute.table == name]


def _column(declared: Attribute) -> Column:
    return Column(declared.key, "Declared by the protocol.", "text", "", "", longest=_LONGEST)


def attributes_of(line: Line, declared: Sequence[Attribute]) -> Attributes:
    """Return the declared cells of a line as canonical text, without empty ones; note values that do not fit."""
    read = ((attribute.key, _read(line, attribute)) for attribute in declared)
    return tuple((key, value) for key, value in read if value)


def _read(line: Line, declared: Attribute) -> str:
    dates = line.reader.dates
    try:
        return value_of(
            declared,
            line.text(declared.key),
            dates="day_first" if dates == "unknown" else dates,
            decimal_comma=line.decimal_comma,
            near=line.reader.problems.nearest,
        )
    except DoesNotFit as problem:
        line.problem(f"{problem}; correct the cell.", declared.key)
        return ""


class DoesNotFit(ValueError):
    """A value that an attribute's type does not take; the message says what was found and expected."""


def value_of(
    declared: Attribute,
    written: str,
    *,
    dates: DateOrder | None = None,
    decimal_comma: bool = False,
    near: Callable[[str, Iterable[str]], str] = nearest,
) -> str:
    """Return the canonical text of an attribute's value; empty for empty text.

    Parameters
    ----------
    dates
        The order of day and month in a date that leaves it open; without it, such a date is refused.
    decimal_comma
        Whether numbers have a decimal comma.
    near
        Returns words that suggest what was probably meant.

    Raises
    ------
    DoesNotFit
        The type of the attribute does not take the value.
    """
    if not written:
        return ""
    if declared.type == "yes_no":
        said = flag_of(written)
        if said is None:
            raise DoesNotFit(f"{declared.key} is '{shown(written)}', expected yes or no")
        return "yes" if said else "no"
    if declared.type in ("choice", "ordinal"):
        return _option(declared, written, near)
    try:
        if declared.type == "number":
            return f"{_number(declared, number_of(written, decimal_comma=decimal_comma)):.15g}"
        if declared.type == "date":
            return date_of(written, dates).isoformat()
    except NotRead as problem:
        raise DoesNotFit(f"{declared.key} is '{shown(written)}', {problem}") from None
    if declared.type == "list":
        return "|".join(part for part in _LIST.split(written) if part)
    if len(written) > _LONGEST:
        raise DoesNotFit(f"{declared.key} has {len(written)} characters, at most {_LONGEST} are allowed")
    return written


def _number(declared: Attribute, number: float) -> float:
    low, high = declared.minimum, declared.maximum
    if low is not None and high is not None and low > high:
        # The range itself is refused, and no cell could be in it.
        return number
    if (low is not None and number < low) or (high is not None and number > high):
        raise DoesNotFit(f"{declared.key} is {number:g}, expected {low:g} to {high:g}")
    return number


def _option(declared: Attribute, written: str, near: Callable[[str, Iterable[str]], str]) -> str:
    """Return the id of an option, which may also be given by its text."""
    ids = [option.id for option in declared.options]
    if written in ids:
        return written
    by_text = {option.text.casefold(): option.id for option in declared.options}
    named = by_text.get(written.casefold())
    if named is None:
        raise DoesNotFit(f"{declared.key} is '{shown(written)}', expected {listed(ids)}{near(written, ids)}")
    return named
