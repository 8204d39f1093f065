"""A table of ratings in long format, with one row per verdict, reshaped to items by raters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from agreement.coding import Codes, Floats
from agreement.ratings import MOST_LEVELS
from agreement.separated import (
    headings_of,
    lines_before_headings,
    no_column,
    separator_of,
    what_is_no_text,
    what_is_torn,
    with_point,
)
from agreement.spellings import as_seen, listed_levels, stripped, with_decimal_points, written_alike
from agreement.unlike_raters import unlike_raters

Level = Literal["nominal", "ordinal", "interval"]


class RatingsFileError(ValueError):
    """A problem with the file, described in one sentence."""


@dataclass(frozen=True)
class RatingsFile:
    """A file of ratings as a table of items by raters.

    Attributes
    ----------
    ratings : ndarray of float, shape (items, raters)
        Codes of the categories, or the numbers themselves; nan if missing.
    raters : list of str
        Names of the columns.
    categories : list
        The categories that the codes stand for; empty at the interval level.
    reference : ndarray of float, shape (items,), or None
        Coded like the ratings.
    clusters : ndarray of int, shape (items,), or None
        Cluster of each item.
    excluded : ndarray of bool, shape (items, raters)
        Verdicts that stand for the absence of one, such as "not assessable"; they are nan in the ratings.
    groups : dict of str to ndarray of str, shape (items,)
        For each requested column, the group of each item; empty if it has none.
    """

    ratings: Floats
    raters: list[str]
    categories: list[Any]
    reference: Floats | None
    clusters: Codes | None
    excluded: npt.NDArray[np.bool_]
    groups: dict[str, npt.NDArray[Any]]

    def part(self, of_items: npt.NDArray[np.bool_]) -> RatingsFile:
        """The file with some of its items.

        Parameters
        ----------
        of_items : ndarray of bool, shape (items,)
            The items to keep.

        Returns
        -------
        RatingsFile
        """
        return replace(
            self,
            ratings=self.ratings[of_items],
            reference=None if self.reference is None else self.reference[of_items],
            clusters=None if self.clusters is None else self.clusters[of_items],
            excluded=self.excluded[of_items],
            groups={name: group[of_items] for name, group in self.groups.items()},
        )


@dataclass(frozen=True)
class Columns:
    """The roles of the columns; with None, a column of the default name is used if it exists.

    Attributes
    ----------
    item : tuple of str
        Columns that together name the item; with several, the first is the cluster unless another is given.
    rater, verdict : str
        Required columns.
    reference, cluster : str or None
        Optional columns; by default ``reference`` and ``cluster``.
    by : tuple of str
        Columns whose groups of items are also analysed separately.
    """

    item: tuple[str, ...] = ("item",)
    rater: str = "rater"
    verdict: str = "verdict"
    reference: str | None = None
    cluster: str | None = None
    by: tuple[str, ...] = ()


def read(
    path: Path,
    columns: Columns | None = None,
    level: Level = "nominal",
    categories: Sequence[str] | None = None,
    excluded: Collection[str] = (),
) -> RatingsFile:
    """Read a file into a table of items by raters.

    Parameters
    ----------
    path : Path
        CSV separated by commas, semicolons or tabs, or Parquet if the suffix is ``.parquet`` or ``.pq``. With
        semicolons, numbers may have a decimal comma, except at the nominal level, where ``1,5`` may be two options.
    columns : Columns, optional
        The roles of the columns.
    level : {"nominal", "ordinal", "interval"}
        Level of measurement of the verdicts.
    categories : sequence of str, optional
        Declared categories in order; by default the observed ones, sorted, and at the ordinal level every whole
        number from the smallest to the largest.
    excluded : collection of str
        Verdicts that stand for the absence of one: not a category, and reported separately in the accuracy.

    Returns
    -------
    RatingsFile

    Raises
    ------
    RatingsFileError
        When a column is missing or occurs twice, there are no rows, a rater rated an item twice, an item has two
        references or clusters, or verdicts and references have no value in common.
    """
    try:
        return _read(path, columns or Columns(), level, categories, excluded)
    finally:
        # release the text's memory, which Arrow would otherwise keep while the statistics are computed from the codes
        pa.default_memory_pool().release_unused()


def _read(
    path: Path, columns: Columns, level: Level, categories: Sequence[str] | None, excluded: Collection[str]
) -> RatingsFile:
    frame, separator = _checked(path, columns)
    of_reference = columns.reference or ("reference" if "reference" in frame.columns else None)
    of_cluster = columns.cluster or ("cluster" if "cluster" in frame.columns else None)
    if of_cluster is None and len(columns.item) > 1:
        of_cluster = columns.item[0]
    if separator == ";" and level != "nominal":
        for column in [columns.verdict, *([of_reference] if of_reference else [])]:
            frame[column] = with_decimal_points(frame[column])
    item, items = _items(frame, columns.item)
    rater, raters = pd.factorize(frame[columns.rater], sort=True)
    place = item.astype(np.int64) * len(raters) + rater
    _refuse_doubles(place, raters, items)
    verdicts = written_alike(frame[columns.verdict]) if level != "interval" else frame[columns.verdict]
    apart = np.zeros(len(items) * len(raters), dtype=np.bool_)
    if excluded:
        says_none = verdicts.astype(str).isin(list(excluded)).to_numpy()
        apart[place] = says_none
        verdicts = verdicts.mask(says_none)
    reference = _one_for_each_item(frame[of_reference], item, items, "reference") if of_reference else None
    codes, reference_codes, levels = _code(verdicts, reference, level, categories)
    unlike = unlike_raters(codes, rater, levels, raters) if level == "nominal" and categories is None else None
    if unlike is not None:
        raise RatingsFileError(f"{unlike}; expected them to be written alike, or --categories with all of them")
    ratings = np.full(len(items) * len(raters), np.nan)
    ratings[place] = codes
    shape = (len(items), len(raters))
    return RatingsFile(
        np.asfortranarray(ratings.reshape(shape)),  # statistics of pairs read whole columns
        [str(name) for name in raters],
        levels,
        reference_codes,
        _clusters(stripped(frame[of_cluster]), item, items) if of_cluster else None,
        apart.reshape(shape),
        {
            name: _one_for_each_item(frame[name], item, items, name).fillna("").astype(str).to_numpy()
            for name in columns.by
        },
    )


def _checked(path: Path, columns: Columns) -> tuple[pd.DataFrame, str]:
    """Return a file's rows and its separator; every row has an item and a rater, and every named column is there."""
    optional = [column for column in (columns.reference, columns.cluster) if column is not None]
    needed = (*columns.item, columns.rater, columns.verdict, *optional, *columns.by)
    frame, separator = _load(path, needed)
    if frame[frame.columns[0]].isna().any():
        frame = frame.dropna(how="all")  # a spreadsheet writes empty rows as nothing but separators
    for column in needed:
        if column not in frame.columns:
            raise RatingsFileError(no_column(column, [str(name) for name in frame.columns]))
    for column in {*columns.item, columns.rater, *columns.by}:
        frame[column] = stripped(frame[column])
    if frame.empty:
        raise RatingsFileError("has headings and no verdicts; expected one row for each verdict")
    for column in (*columns.item, columns.rater):
        if frame[column].isna().any():
            row = frame.index[int(np.flatnonzero(frame[column].isna())[0])]
            raise RatingsFileError(f"row {row + 1} has no {column!r}")
    return frame, separator


def _clusters(column: pd.Series[str], item: Any, items: Any) -> Any:
    """Return the number of each item's cluster, which every item has."""
    result = _one_for_each_item(column, item, items, "cluster")
    if result.isna().any():
        raise RatingsFileError(f"item {items[int(np.flatnonzero(result.isna())[0])]!r} has no cluster")
    return pd.factorize(result)[0]


def _items(frame: pd.DataFrame, columns: tuple[str, ...]) -> tuple[Any, Any]:
    item, items = pd.factorize(frame[columns[0]])
    for column in columns[1:]:  # by code: the names joined could be those of another item
        among, others = pd.factorize(frame[column])
        item, _ = pd.factorize(item * np.int64(len(others)) + among)
    if len(columns) > 1:
        first = ~pd.Series(item).duplicated().to_numpy()
        items = frame.loc[first, list(columns)].astype(str).agg(" / ".join, axis=1).to_numpy()
    return item, items


def _refuse_doubles(place: Any, raters: Any, items: Any) -> None:
    order = np.sort(place)
    again = order[:-1][order[1:] == order[:-1]]
    if again.size:
        who, what = raters[int(again[0]) % len(raters)], items[int(again[0]) // len(raters)]
        raise RatingsFileError(f"rater {who!r} rated item {what!r} twice; expected one verdict for each item and rater")


def _load(path: Path, needed: Collection[str]) -> tuple[pd.DataFrame, str]:
    """The table and its separator, which is empty for Parquet."""
    if not path.is_file():
        raise RatingsFileError("is a folder; expected a file" if path.is_dir() else "no such file")
    if path.suffix.lower() in (".parquet", ".pq"):
        return _parquet(path, needed), ""
    wrong = what_is_no_text(path)
    if wrong is not None:
        raise RatingsFileError(wrong)
    try:
        separator, names = separator_of(path), headings_of(path)
        # only an empty field is missing: "NA" and "None" may be answers
        frame = pd.read_csv(
            path, sep=separator, skiprows=lines_before_headings(path), dtype=str, keep_default_na=False,
            na_values=[""], compression=None,
        )  # fmt: skip
    except (ValueError, UnicodeDecodeError):
        raise RatingsFileError(what_is_torn(path)) from None
    if not isinstance(frame.index, pd.RangeIndex):  # rows longer than the headings: pandas took cells for row names
        raise RatingsFileError(what_is_torn(path))
    frame.columns = _each_once([as_seen(name) for name in names])
    return frame, separator


def _parquet(path: Path, needed: Collection[str]) -> pd.DataFrame:
    try:
        fields = pq.read_schema(path)
        nested = next((field for field in fields if field.name in needed and pa.types.is_nested(field.type)), None)
        if nested is not None:
            raise RatingsFileError(f"holds {nested.type} in {nested.name!r}; expected one value in each row")
        frame = pd.read_parquet(path, columns=[field.name for field in fields if not pa.types.is_nested(field.type)])
    except pa.ArrowInvalid as error:
        raise RatingsFileError(f"cannot be read: {str(error).splitlines()[0]}") from None
    frame.columns = _each_once([as_seen(str(name)) for name in frame.columns])
    return frame


def _each_once(names: Sequence[str]) -> list[str]:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise RatingsFileError(f"has two columns {twice[0]!r}; expected one of each name")
    return list(names)


def _one_for_each_item(values: pd.Series, item: Any, items: Any, what: str) -> pd.Series:
    codes, levels = pd.factorize(values)
    of_item = np.full(len(items), -1, dtype=np.int64)
    given = codes >= 0
    of_item[item[given]] = codes[given]
    unlike = given & (of_item[item] != codes)
    if unlike.any():
        name = items[item[int(np.flatnonzero(unlike)[0])]]
        raise RatingsFileError(f"item {name!r} has two values of {what!r}; expected one for each item")
    names = np.array([*listed_levels(levels), None], dtype=object)
    return pd.Series(names[of_item], dtype=object)


def _code(
    verdicts: pd.Series, reference: pd.Series | None, level: Level, declared: Sequence[str] | None
) -> tuple[Floats, Floats | None, list[Any]]:
    """Codes of verdicts and reference, and the categories; at the interval level, the numbers themselves."""
    if reference is not None and level != "interval":
        reference = written_alike(reference)
        _refuse_strangers(verdicts, reference)
    every = verdicts if reference is None else pd.concat([verdicts, reference], ignore_index=True)
    if level == "interval":
        numbers = _numbers(every)
        size = len(verdicts)
        return numbers[:size], numbers[size:] if reference is not None else None, []
    codes, levels = pd.factorize(every)
    observed = [str(verdict) for verdict in levels]
    if declared is not None:
        categories: list[Any] = [as_seen(category) for category in declared]
        again = [category for category in categories if categories.count(category) > 1]
        if again:
            raise RatingsFileError(f"--categories names {again[0]!r} twice; expected each category once")
        strange = [verdict for verdict in observed if verdict not in categories]
        if strange:
            raise RatingsFileError(f"holds the verdict {strange[0]!r}, which --categories does not name")
    elif level == "ordinal":
        scale = _numbers(pd.Series(observed, dtype=object))
        broken = np.flatnonzero(np.mod(scale, 1))
        if broken.size:
            raise RatingsFileError(
                f"holds the ordinal verdict {observed[broken[0]]!r}; expected whole numbers, --categories with the "
                "scale in its order, or --level interval"
            )
        if len(scale) and np.ptp(scale) >= MOST_LEVELS:
            raise RatingsFileError(
                f"holds ordinal verdicts from {scale.min():.0f} to {scale.max():.0f}; expected at most {MOST_LEVELS} "
                "steps, --categories with the scale in its order, or --level interval"
            )
        categories = [str(step) for step in range(int(scale.min()), int(scale.max()) + 1)] if len(scale) else []
        observed = [str(int(step)) for step in scale]
    else:
        categories = sorted(observed)
    position = {category: code for code, category in enumerate(categories)}
    of_observed = np.array([*(position[verdict] for verdict in observed), np.nan], dtype=np.float64)
    estimates = of_observed[codes]
    size = len(verdicts)
    return estimates[:size], estimates[size:] if reference is not None else None, categories


def _refuse_strangers(verdicts: pd.Series, reference: pd.Series) -> None:
    said, right = set(verdicts.dropna().unique()), set(reference.dropna().unique())
    if said and right and not said & right:
        few = ", ".join(sorted(said)[:4]), ", ".join(sorted(right)[:4])
        raise RatingsFileError(
            f"no verdict ({few[0]}) is among the references ({few[1]}); expected both to be written alike"
        )


def _numbers(values: pd.Series) -> Floats:
    try:
        if pd.api.types.is_numeric_dtype(values):
            numbers = np.asarray(pd.to_numeric(values), dtype=np.float64)
        else:  # texts, of which few are different: reading each as a number takes longer than finding these
            codes, levels = pd.factorize(values)
            numbers = np.append(np.asarray(pd.to_numeric(pd.Series(levels)), dtype=np.float64), np.nan)[codes]
    except (ValueError, TypeError):
        coerced = pd.to_numeric(values.astype(str), errors="coerce")
        strange = values[coerced.isna() & values.notna()]
        shown = repr(str(strange.iloc[0])) if len(strange) else "of another type"
        comma = len(strange) and with_point(str(strange.iloc[0])) != str(strange.iloc[0])
        hint = "; a decimal comma is understood if semicolons separate the columns" if comma else ""
        raise RatingsFileError(
            f"holds a verdict that is no number ({shown}); expected numbers, or --level ordinal with --categories in "
            f"their order; leave the field of a missing verdict empty{hint}"
        ) from None
    if np.isinf(numbers).any():
        raise RatingsFileError(f"holds the verdict {str(values[np.isinf(numbers)].iloc[0])!r}; expected finite numbers")
    return numbers
