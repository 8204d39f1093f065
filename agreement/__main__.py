"""Agreement of a table of ratings from the command line: ``python -m agreement ratings.csv``.

Long format, one row for each verdict, as CSV or Parquet. Prints every pairwise and multi-rater estimate that
applies, as a table or as JSON. No server, no study.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from agreement.command_line import MANY_CLUSTERS, MOST_PAIRS, Calculation, Request, command_line
from agreement.estimate import Estimate
from agreement.one_arena import use_one_arena
from agreement.output import print_result
from agreement.ratings_file import Columns, RatingsFile, read
from agreement.spellings import as_seen

KEYS = (
    *("name", "raters", "unit", "value", "low", "high"),
    *("confidence", "n", "n_clusters", "method", "undefined_because", "warning"),
)

FEWEST_SIDE_BY_SIDE = 4
"""The fewest statistics computed in parallel when they share a draw: a single product with its weights serves all that
wait for it."""

SIDE_BY_SIDE, ITEMS_AT_ONCE = 8, 1_600_000
"""The most of them, and the items that they hold together."""

SIDE_BY_SIDE_OF_NUMBERS, ITEMS_AT_ONCE_OF_NUMBERS = 20, 3_200_000
"""The same at the interval level, where nearly every statistic waits for a product and holds little else meanwhile."""

OF_ALL_SIDE_BY_SIDE = 2
"""The same for statistics of more than two raters, each of which holds several tables of the whole file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the file, print its estimates, return the exit code (2 for a file or an option that cannot be used)."""
    options = _parser().parse_args(arguments)
    columns = Columns(
        tuple(as_seen(name) for name in options.item.split(",")),
        as_seen(options.rater),
        as_seen(options.verdict),
        _as_seen(options.reference),
        _as_seen(options.cluster),
        tuple(_parts(options.by)),
    )
    request = Request(
        options.level,
        _as_seen(options.positive),
        _as_seen(options.judge),
        options.pairs,
        options.confidence,
        options.resamples,
        options.seed,
        options.epsilon,
        options.scoring,
    )
    categories = _parts(options.categories) or None
    try:
        file = read(Path(options.file), columns, options.level, categories, _parts(options.excluded))
        rows = estimates(file, request)
    except (ValueError, OSError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    if options.json:
        print_result(json.dumps(rows, indent=1, allow_nan=False))
    else:
        print_result(table(rows))
    return 0


def estimates(file: RatingsFile, request: Request) -> list[dict[str, Any]]:
    """Every estimate that applies to the file, as rows for JSON.

    Parameters
    ----------
    file : RatingsFile
        The ratings.
    request : Request
        The options of the analysis.

    Returns
    -------
    list of dict
        With the keys of `KEYS`; a P value is part of the method.

    Raises
    ------
    ValueError
        As `applicable`, or when an option is outside its range.
    """
    calculations = list(command_line(file, request))
    of_all = [len(calculation.raters) > 2 for calculation in calculations]
    of_few = iter(
        _computed(
            [each for each, is_of_all in zip(calculations, of_all, strict=True) if not is_of_all],
            _side_by_side(file) if file.clusters is not None else os.cpu_count(),
        )
    )
    of_many = iter(
        _computed(
            [each for each, is_of_all in zip(calculations, of_all, strict=True) if is_of_all], OF_ALL_SIDE_BY_SIDE
        )
    )
    rows = []
    for calculation, is_of_all in zip(calculations, of_all, strict=True):
        of_these = next(of_many if is_of_all else of_few)
        for estimate in (of_these,) if isinstance(of_these, Estimate) else of_these:
            whole = estimate.as_dict() | {"raters": calculation.raters}
            whole["name"] += calculation.part
            if estimate.p is not None:
                whole["method"] += f"; P = {estimate.p:.3g}"
            rows.append({key: whole[key] for key in KEYS})
    return rows


def _side_by_side(file: RatingsFile) -> int:
    """More for few items, whose statistics hold little memory while they wait for the product."""
    most, at_once = SIDE_BY_SIDE, ITEMS_AT_ONCE
    if not file.categories:
        most, at_once = SIDE_BY_SIDE_OF_NUMBERS, ITEMS_AT_ONCE_OF_NUMBERS
    return min(most, max(FEWEST_SIDE_BY_SIDE, at_once // max(1, len(file.ratings))))


def _computed(calculations: list[Calculation], at_once: int | None) -> list[Estimate | Sequence[Estimate]]:
    """Compute the estimates in parallel and return them in the order of the calculations.

    Drawing resamples releases the interpreter lock, so threads can do it in parallel. Statistics that wait for the same
    draw of clusters have it multiplied once for all of them. numpy's own threads would only compete with these,
    spinning while they wait.
    """
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(at_once) as side_by_side:
        return list(side_by_side.map(lambda calculation: calculation.statistic(), calculations))


def _as_seen(name: str | None) -> str | None:
    return None if name is None else as_seen(name)


def _parts(listed: str | None) -> list[str]:
    return [as_seen(part) for part in listed.split(",")] if listed else []


def table(rows: list[dict[str, Any]]) -> str:
    """The estimates as text, one line each.

    Parameters
    ----------
    rows : list of dict
        As `estimates` returns them.

    Returns
    -------
    str
    """
    lines = [f"{'estimate':<40} {'raters':<24} {'value':>8}  {'interval':<20} {'n':>8} {'clusters':>8}  note"]
    for row in rows:
        value = "undefined" if row["value"] is None else f"{row['value']:z.4f}"
        limits = "" if row["low"] is None else f"[{row['low']:z.4f}, {row['high']:z.4f}]"
        who = row["raters"]
        names = ", ".join(who) if len(who) < 4 else f"all {len(who)}"
        clusters = "" if row["n_clusters"] is None else row["n_clusters"]
        note = "; ".join(part for part in (row["undefined_because"], row["warning"], row["method"]) if part)
        lines.append(f"{row['name']:<40} {names:<24} {value:>8}  {limits:<20} {row['n']:>8} {clusters:>8}  {note}")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agreement", description="Agreement of a table of ratings.")
    parser.add_argument(
        "file", help="CSV (separated by commas, semicolons or tabs) or Parquet in long format: one row for each verdict"
    )
    parser.add_argument("--item", default="item", metavar="COL", help="column of the item, or several (default: item)")
    parser.add_argument("--rater", default="rater", metavar="COL", help="column of the rater (default: rater)")
    parser.add_argument("--verdict", default="verdict", metavar="COL", help="column of the verdict (default: verdict)")
    parser.add_argument("--reference", metavar="COL", help="column of the reference (default: reference, if any)")
    parser.add_argument("--cluster", metavar="COL", help="column of the cluster (default: cluster, if any)")
    parser.add_argument("--level", default="nominal", choices=("nominal", "ordinal", "interval"))
    parser.add_argument("--categories", metavar="A,B,C", help="declared categories, in their order")
    parser.add_argument("--positive", metavar="VERDICT", help="adds sensitivity, specificity and predictive values")
    parser.add_argument("--excluded", metavar="A,B", help="verdicts such as 'not assessable': apart in the accuracy")
    parser.add_argument("--judge", metavar="NAME", help="the rater who is the judge: compared with each of the others")
    parser.add_argument("--epsilon", type=float, help="of the alternative annotator test, fixed before (default: 0.2)")
    parser.add_argument(
        "--scoring",
        choices=("exact", "rmse"),
        help="of the alternative annotator test (default: exact for nominal verdicts, else rmse)",
    )
    parser.add_argument("--by", metavar="COL,COL", help="columns whose groups of items are analysed separately, too")
    parser.add_argument("--pairs", action="store_true", help=f"show the pairs of raters even above {MOST_PAIRS}")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument(
        "--resamples",
        type=int,
        help=f"default: 10000, or 1000 from {MANY_CLUSTERS} clusters on",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    use_one_arena()
    sys.exit(main())
