"""Agreement of a table of ratings from the command line: ``python -m agreement ratings.csv``.

Long format, one row for each verdict, as CSV or Parquet. Prints every pairwise and multi-rater estimate that
applies, as a table or as JSON. No server, no study.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import agreement
from agreement.coding import Floats
from agreement.estimate import Estimate

MOST_PAIRS = 45
"""Above so many pairs of raters they are shown on request only (--pairs)."""

MANY_CLUSTERS = 5_000

KEYS = (
    *("name", "raters", "unit", "value", "low", "high"),
    *("confidence", "n", "n_clusters", "method", "undefined_because"),
)


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
    clusters: Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the file, print its estimates, return the exit code (2 for a file that cannot be used)."""
    options = _parser().parse_args(arguments)
    try:
        rows = list(estimates(read(options), options))
    except (RatingsFileError, OSError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(rows, indent=1, allow_nan=False))
    else:
        print(table(rows))
    return 0


def read(options: argparse.Namespace) -> RatingsFile:
    """Read the file and put it into items by raters.

    Parameters
    ----------
    options : argparse.Namespace
        As parsed from the command line.

    Returns
    -------
    RatingsFile

    Raises
    ------
    RatingsFileError
        When a column is missing, a rater rated an item twice, or an item has two references or clusters.
    """
    path = Path(options.file)
    wanted = [options.item, options.rater, options.verdict]
    optional = {"reference": options.reference, "cluster": options.cluster}
    frame = _load(path)
    for column in wanted:
        if column not in frame.columns:
            raise RatingsFileError(f"no column {column!r}; it has {', '.join(map(str, frame.columns))}")
    for default, column in optional.items():
        if column is not None and column not in frame.columns:
            raise RatingsFileError(f"no column {column!r}; it has {', '.join(map(str, frame.columns))}")
        if column is None and default in frame.columns:
            optional[default] = default
    frame = frame[wanted + [column for column in optional.values() if column is not None]]
    for column in wanted[:2]:
        if frame[column].isna().any():
            line = int(np.flatnonzero(frame[column].isna())[0])
            raise RatingsFileError(f"row {line + 1} has no {column!r}")
    item, items = pd.factorize(frame[options.item])
    rater, raters = pd.factorize(frame[options.rater], sort=True)
    place = item.astype(np.int64) * len(raters) + rater
    order = np.sort(place)
    if (order[1:] == order[:-1]).any():
        twice = int(order[:-1][order[1:] == order[:-1]][0])
        who, what = raters[twice % len(raters)], items[twice // len(raters)]
        raise RatingsFileError(f"rater {who!r} rated item {what!r} twice; expected one verdict for each item and rater")
    reference = None
    if optional["reference"] is not None:
        reference = _one_for_each_item(frame[optional["reference"]], item, items, "reference")
    codes, of_reference, categories = _code(frame[options.verdict], reference, options)
    ratings = np.full(len(items) * len(raters), np.nan)
    ratings[place] = codes
    clusters = None
    if optional["cluster"] is not None:
        found = _one_for_each_item(frame[optional["cluster"]], item, items, "cluster")
        if found.isna().any():
            raise RatingsFileError(f"item {items[int(np.flatnonzero(found.isna())[0])]!r} has no cluster")
        clusters = pd.factorize(found)[0]
    return RatingsFile(
        ratings.reshape(len(items), len(raters)), [str(name) for name in raters], categories, of_reference, clusters
    )


def estimates(file: RatingsFile, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every estimate that applies to the file, as rows for JSON.

    Parameters
    ----------
    file : RatingsFile
        The ratings.
    options : argparse.Namespace
        As parsed from the command line.

    Yields
    ------
    dict
        With the keys of `KEYS`.
    """
    resamples = options.resamples
    if resamples is None:
        many = file.clusters is not None and file.clusters.max(initial=0) >= MANY_CLUSTERS
        resamples = 2_000 if many else 10_000
    clustered: dict[str, Any] = {"clusters": file.clusters, "seed": options.seed, "resamples": resamples}
    level: dict[str, Any] = {"confidence": options.confidence}
    weights: Any = "quadratic" if options.level == "ordinal" else None
    declared: dict[str, Any] = {"categories": range(len(file.categories))} if len(file.categories) > 1 else {}
    pairs = list(combinations(range(len(file.raters)), 2))
    if len(pairs) > MOST_PAIRS and not options.pairs:
        pairs = []
    for first, second in pairs:
        a, b = file.ratings[:, first], file.ratings[:, second]
        names = [file.raters[first], file.raters[second]]
        if options.level == "interval":
            for of_two in (agreement.lin_ccc, agreement.pearson, agreement.spearman):
                yield _row(of_two(a, b, **level), names)
            limits = agreement.bland_altman(a, b, **level)
            for found in (limits.bias, limits.lower, limits.upper):
                yield _row(found, names)
            continue
        yield _row(agreement.percent_agreement(a, b, **clustered, **level), names)
        yield _row(agreement.cohen_kappa(a, b, **declared, **clustered, **level), names)
        if weights:
            yield _row(agreement.cohen_kappa(a, b, **declared, weights=weights, **clustered, **level), names)
        yield _row(agreement.pabak(a, b, **declared, **clustered, **level), names)
    if len(file.raters) > 1:
        yield from _of_all(file, options.level, weights, declared, clustered, level)
    if file.reference is not None and options.level != "interval":
        for column, name in enumerate(file.raters):
            verdicts = file.ratings[:, column]
            known = ~np.isnan(verdicts) & ~np.isnan(file.reference)
            correct = np.where(known, verdicts == file.reference, np.nan)
            against = agreement.accuracy_of_correctness(correct, **clustered, **level)
            yield _row(against.primary, [name])


def table(rows: list[dict[str, Any]]) -> str:
    """The estimates as text, one line for each.

    Parameters
    ----------
    rows : list of dict
        As `estimates` gives them.

    Returns
    -------
    str
    """
    lines = [f"{'estimate':<36} {'raters':<24} {'value':>8}  {'interval':<20} {'n':>8} {'clusters':>8}  note"]
    for row in rows:
        value = "undefined" if row["value"] is None else f"{row['value']:.4f}"
        limits = "" if row["low"] is None else f"[{row['low']:.4f}, {row['high']:.4f}]"
        who = row["raters"]
        names = ", ".join(who) if len(who) < 4 else f"all {len(who)}"
        clusters = "" if row["n_clusters"] is None else row["n_clusters"]
        note = row["undefined_because"] or row["method"]
        lines.append(f"{row['name']:<36} {names:<24} {value:>8}  {limits:<20} {row['n']:>8} {clusters:>8}  {note}")
    return "\n".join(lines)


def _of_all(
    file: RatingsFile,
    measured: Any,
    weights: Any,
    declared: dict[str, Any],
    clustered: dict[str, Any],
    level: dict[str, Any],
) -> Iterator[dict[str, Any]]:
    if measured == "interval":
        yield _row(agreement.krippendorff_alpha(file.ratings, "interval", **clustered, **level), file.raters)
        for model in (1, 2, 3):
            yield _row(agreement.icc(file.ratings, model, **level), file.raters)
            yield _row(agreement.icc(file.ratings, model, average=True, **level), file.raters)
        yield _row(agreement.kendall_w(file.ratings, **level), file.raters)
        return
    for of_all in (agreement.fleiss_kappa, agreement.conger_kappa, agreement.gwet_ac, agreement.brennan_prediger):
        yield _row(of_all(file.ratings, weights=weights, **declared, **clustered, **level), file.raters)
    yield _row(agreement.krippendorff_alpha(file.ratings, measured, **declared, **clustered, **level), file.raters)


def _row(found: Estimate, raters: list[str]) -> dict[str, Any]:
    whole = found.as_dict() | {"raters": raters}
    return {key: whole[key] for key in KEYS}


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
    verdicts: pd.Series, reference: pd.Series | None, options: argparse.Namespace
) -> tuple[Floats, Floats | None, list[Any]]:
    """Codes of verdicts and reference, and the categories; at the interval level the numbers themselves."""
    every = verdicts if reference is None else pd.concat([verdicts, reference], ignore_index=True)
    if options.level == "interval":
        numbers = _numbers(every)
        size = len(verdicts)
        return numbers[:size], numbers[size:] if reference is not None else None, []
    codes, levels = pd.factorize(every)
    observed = [str(level) for level in levels]
    if options.categories is not None:
        categories: list[Any] = options.categories.split(",")
        strange = [level for level in observed if level not in categories]
        if strange:
            raise RatingsFileError(f"holds the verdict {strange[0]!r}, which --categories does not name")
    elif options.level == "ordinal":
        scale = _numbers(pd.Series(observed, dtype=object))
        if not np.equal(np.mod(scale, 1), 0).all():
            raise RatingsFileError("ordinal verdicts without --categories must be whole numbers")
        categories = [str(level) for level in range(int(scale.min()), int(scale.max()) + 1)] if len(scale) else []
        observed = [str(int(level)) for level in scale]
    else:
        categories = sorted(observed)
    position = {level: code for code, level in enumerate(categories)}
    of_level = np.array([*(position[level] for level in observed), np.nan], dtype=np.float64)
    found = of_level[codes]
    size = len(verdicts)
    return found[:size], found[size:] if reference is not None else None, categories


def _numbers(values: pd.Series) -> Floats:
    try:
        return np.asarray(pd.to_numeric(values), dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise RatingsFileError(f"holds a verdict that is no number ({error})") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agreement", description="Agreement of a table of ratings.")
    parser.add_argument("file", help="CSV or Parquet in long format: one row for each verdict")
    parser.add_argument("--item", default="item", metavar="COL", help="column of the item (default: item)")
    parser.add_argument("--rater", default="rater", metavar="COL", help="column of the rater (default: rater)")
    parser.add_argument("--verdict", default="verdict", metavar="COL", help="column of the verdict (default: verdict)")
    parser.add_argument("--reference", metavar="COL", help="column of the reference (default: reference, if any)")
    parser.add_argument("--cluster", metavar="COL", help="column of the cluster (default: cluster, if any)")
    parser.add_argument("--level", default="nominal", choices=("nominal", "ordinal", "interval"))
    parser.add_argument("--categories", metavar="A,B,C", help="declared categories, in their order")
    parser.add_argument("--pairs", action="store_true", help=f"show the pairs of raters even above {MOST_PAIRS}")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument(
        "--resamples",
        type=int,
        help=f"default: 10000, or 2000 for more than {MANY_CLUSTERS} clusters",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
