"""A table of ratings in long format, one row for each verdict, read into items by raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from agreement.coding import Codes, Floats

Level = Literal["nominal", "ordinal", "interval"]


class RatingsFileError(ValueError):
    """What is wrong with the file, in one sentence."""


@dataclass(frozen=True)
class RatingsFile:
    """A file of ratings, as items by raters.

    Attributes
    ----------
    ratings : ndarray of float, shape (items, raters)
        Codes of the categories, or the numbers themselves; nan where missing.
    raters : list of str
        Names of the columns.
    categories : list
        The categories that the codes stand for; empty at the interval level.
    reference : ndarray of float, shape (items,), or None
        Coded like the ratings.
    clusters : ndarray of int, shape (items,), or None
        Cluster of each item.
    """

    ratings: Floats
    raters: list[str]
    categories: list[Any]
    reference: Floats | None
    clusters: Codes | None


@dataclass(frozen=True)
class Columns:
    """Which column holds what; None where a column of the usual name is taken if there is one.

    Attributes
    ----------
    item, rater, verdict : str
        Columns that a file must have.
    reference, cluster : str or None
        Columns that it may have; usually ``reference`` and ``cluster``.
    """

    item: str = "item"
    rater: str = "rater"
    verdict: str = "verdict"
    reference: str | None = None
    cluster: str | None = None


def read(
    path: Path, columns: Columns | None = None, level: Level = "nominal", categories: Sequence[str] | None = None
) -> RatingsFile:
    """Read a file and put it into items by raters.

    Parameters
    ----------
    path : Path
        CSV, or Parquet by its suffix ``.parquet`` or ``.pq``.
    columns : Columns, optional
        Which column holds what.
    level : {"nominal", "ordinal", "interval"}
        How verdicts are measured.
    categories : sequence of str, optional
        Declared categories in order; by default the observed ones, sorted, and at the ordinal level every whole
        number from the least to the greatest.

    Returns
    -------
    RatingsFile

    Raises
    ------
    RatingsFileError
        When a column is missing, a rater rated an item twice, or an item has two references or clusters.
    """
    columns = columns or Columns()
    frame = _load(path)
    for column in (columns.item, columns.rater, columns.verdict, columns.reference, columns.cluster):
        if column is not None and column not in frame.columns:
            raise RatingsFileError(f"no column {column!r}; it has {', '.join(map(str, frame.columns))}")
    of_reference = columns.reference or ("reference" if "reference" in frame.columns else None)
    of_cluster = columns.cluster or ("cluster" if "cluster" in frame.columns else None)
    for column in (columns.item, columns.rater):
        if frame[column].isna().any():
            line = int(np.flatnonzero(frame[column].isna())[0])
            raise RatingsFileError(f"row {line + 1} has no {column!r}")
    item, items = pd.factorize(frame[columns.item])
    rater, raters = pd.factorize(frame[columns.rater], sort=True)
    place = item.astype(np.int64) * len(raters) + rater
    _refuse_doubles(place, raters, items)
    reference = _one_for_each_item(frame[of_reference], item, items, "reference") if of_reference else None
    codes, reference_codes, levels = _code(frame[columns.verdict], reference, level, categories)
    ratings = np.full(len(items) * len(raters), np.nan)
    ratings[place] = codes
    clusters = None
    if of_cluster:
        found = _one_for_each_item(frame[of_cluster], item, items, "cluster")
        if found.isna().any():
            raise RatingsFileError(f"item {items[int(np.flatnonzero(found.isna())[0])]!r} has no cluster")
        clusters = pd.factorize(found)[0]
    return RatingsFile(
        ratings.reshape(len(items), len(raters)), [str(name) for name in raters], levels, reference_codes, clusters
    )


def _refuse_doubles(place: Any, raters: Any, items: Any) -> None:
    order = np.sort(place)
    again = order[:-1][order[1:] == order[:-1]]
    if again.size:
        who, what = raters[int(again[0]) % len(raters)], items[int(again[0]) // len(raters)]
        raise RatingsFileError(f"rater {who!r} rated item {what!r} twice; expected one verdict for each item and rater")


def _load(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise RatingsFileError("no such file")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path)
        # only an empty field is missing: "NA" and "None" may be answers
        return pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    except (ValueError, UnicodeDecodeError) as error:
        raise RatingsFileError(f"cannot be read: {error}") from None


def _one_for_each_item(values: pd.Series, item: Any, items: Any, what: str) -> pd.Series:
    codes, levels = pd.factorize(values)
    of_item = np.full(len(items), -1, dtype=np.int64)
    given = codes >= 0
    of_item[item[given]] = codes[given]
    unlike = given & (of_item[item] != codes)
    if unlike.any():
        name = items[item[int(np.flatnonzero(unlike)[0])]]
        raise RatingsFileError(f"item {name!r} has two values of {what!r}; expected one for each item")
    names = np.array([*levels, None], dtype=object)
    return pd.Series(names[of_item], dtype=object)


def _code(
    verdicts: pd.Series, reference: pd.Series | None, level: Level, declared: Sequence[str] | None
) -> tuple[Floats, Floats | None, list[Any]]:
    """Codes of verdicts and reference, and the categories; at the interval level the numbers themselves."""
    every = verdicts if reference is None else pd.concat([verdicts, reference], ignore_index=True)
    if level == "interval":
        numbers = _numbers(every)
        size = len(verdicts)
        return numbers[:size], numbers[size:] if reference is not None else None, []
    codes, levels = pd.factorize(every)
    observed = [str(verdict) for verdict in levels]
    if declared is not None:
        categories: list[Any] = list(declared)
        strange = [verdict for verdict in observed if verdict not in categories]
        if strange:
            raise RatingsFileError(f"holds the verdict {strange[0]!r}, which --categories does not name")
    elif level == "ordinal":
        scale = _numbers(pd.Series(observed, dtype=object))
        if not np.equal(np.mod(scale, 1), 0).all():
            raise RatingsFileError("ordinal verdicts without --categories must be whole numbers")
        categories = [str(step) for step in range(int(scale.min()), int(scale.max()) + 1)] if len(scale) else []
        observed = [str(int(step)) for step in scale]
    else:
        categories = sorted(observed)
    position = {category: code for code, category in enumerate(categories)}
    of_observed = np.array([*(position[verdict] for verdict in observed), np.nan], dtype=np.float64)
    found = of_observed[codes]
    size = len(verdicts)
    return found[:size], found[size:] if reference is not None else None, categories


def _numbers(values: pd.Series) -> Floats:
    try:
        return np.asarray(pd.to_numeric(values), dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise RatingsFileError(f"holds a verdict that is no number ({error})") from None
