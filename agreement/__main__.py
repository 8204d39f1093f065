"""Agreement of a table of ratings from the command line: ``python -m agreement ratings.csv``.

Long format, one row for each verdict, as CSV or Parquet. Prints every pairwise and multi-rater estimate that
applies, as a table or as JSON. No server, no study.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import agreement
from agreement.estimate import Estimate
from agreement.ratings import Weights
from agreement.ratings_file import Columns, RatingsFile, read

MOST_PAIRS = 45
"""Above so many pairs of raters they are shown on request only (--pairs)."""

MANY_CLUSTERS = 5_000
"""From so many clusters on, a percentile rests on 1,000 resamples instead of 10,000 unless asked otherwise."""

KEYS = (
    *("name", "raters", "unit", "value", "low", "high"),
    *("confidence", "n", "n_clusters", "method", "undefined_because"),
)

Statistic = Callable[[], Estimate | Sequence[Estimate]]


class Calculation(NamedTuple):
    """A statistic to be computed, and whose it is."""

    statistic: Statistic
    raters: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the file, print its estimates, return the exit code (2 for a file or an option that cannot be used)."""
    options = _parser().parse_args(arguments)
    columns = Columns(options.item, options.rater, options.verdict, options.reference, options.cluster)
    categories = options.categories.split(",") if options.categories is not None else None
    try:
        rows = estimates(read(Path(options.file), columns, options.level, categories), options)
    except (ValueError, OSError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(rows, indent=1, allow_nan=False))
    else:
        print(table(rows))
    return 0


def estimates(file: RatingsFile, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every estimate that applies to the file, as rows for JSON.

    Parameters
    ----------
    file : RatingsFile
        The ratings.
    options : argparse.Namespace
        As parsed from the command line.

    Returns
    -------
    list of dict
        With the keys of `KEYS`.

    Raises
    ------
    ValueError
        When an option is outside its range, or `--positive` is no category of the file.
    """
    calculations = list(_calculations(file, options))
    # drawing resamples frees the interpreter, so that threads do it side by side
    with ThreadPoolExecutor(os.cpu_count()) as side_by_side:
        found = list(side_by_side.map(lambda calculation: calculation.statistic(), calculations))
    rows = []
    for calculation, of_these in zip(calculations, found, strict=True):
        for estimate in (of_these,) if isinstance(of_these, Estimate) else of_these:
            whole = estimate.as_dict() | {"raters": calculation.raters}
            rows.append({key: whole[key] for key in KEYS})
    return rows


def _calculations(file: RatingsFile, options: argparse.Namespace) -> Iterator[Calculation]:
    resamples = options.resamples
    if resamples is None:
        many = file.clusters is not None and file.clusters.max(initial=0) >= MANY_CLUSTERS
        resamples = 1_000 if many else 10_000
    plain = {"confidence": options.confidence}
    clustered = plain | {"clusters": file.clusters, "seed": options.seed, "resamples": resamples}
    pairs = list(combinations(range(len(file.raters)), 2))
    if len(pairs) > MOST_PAIRS and not options.pairs:
        pairs = []
    if options.level == "interval":
        yield from _of_measurements(file, pairs, plain, clustered)
        return
    declared = {"categories": range(len(file.categories))} if len(file.categories) > 1 else {}
    ordered = options.level == "ordinal" and len(file.categories) > 1
    for first, second in pairs:
        a, b = file.ratings[:, first], file.ratings[:, second]
        names = [file.raters[first], file.raters[second]]
        for statistic in _of_two(a, b, ordered, declared, clustered):
            yield Calculation(statistic, names)
        if len(file.raters) > 2:  # of two raters it is among the estimates of all
            table_of_two = np.column_stack((a, b))
            yield Calculation(partial(agreement.gwet_ac, table_of_two, **declared, **clustered), names)
        yield Calculation(partial(_marginal, a, b, len(file.categories), plain), names)
    if len(file.raters) > 1:
        yield from _of_all(file, ordered, declared, clustered)
    if options.positive is not None and (file.reference is None or options.positive not in file.categories):
        known = (
            f"one of {', '.join(map(str, file.categories))}"
            if file.reference is not None
            else "a file with a reference"
        )
        raise ValueError(f"--positive is {options.positive!r}; expected {known}")
    if file.reference is not None:
        yield from _against_reference(file, ordered, options.positive, declared, clustered)


def _of_two(a: Any, b: Any, ordered: bool, declared: Any, clustered: Any) -> Iterator[Statistic]:
    yield partial(agreement.percent_agreement, a, b, **clustered)
    kappa = partial(agreement.cohen_kappa, a, b, **declared, **clustered)
    yield kappa
    if ordered:
        yield partial(kappa, weights="linear")
        yield partial(kappa, weights="quadratic")
    yield partial(agreement.pabak, a, b, **declared, **clustered)


def _marginal(a: Any, b: Any, categories: int, plain: Any) -> Estimate | Sequence[Estimate]:
    both = ~np.isnan(a) & ~np.isnan(b)
    if categories < 2:
        return ()
    cells = (a[both] * categories + b[both]).astype(np.intp)
    counts = np.bincount(cells, minlength=categories**2).reshape(categories, categories)
    return agreement.marginal_homogeneity(counts, **plain)


def _of_all(file: RatingsFile, ordered: bool, declared: Any, clustered: Any) -> Iterator[Calculation]:
    weightings: tuple[Weights | None, ...] = (None, "linear", "quadratic") if ordered else (None,)
    for of_all in (agreement.fleiss_kappa, agreement.conger_kappa, agreement.gwet_ac, agreement.brennan_prediger):
        for weights in weightings:
            yield Calculation(partial(of_all, file.ratings, weights=weights, **declared, **clustered), file.raters)
    for level in ("nominal", "ordinal") if ordered else ("nominal",):
        alpha = partial(agreement.krippendorff_alpha, file.ratings, level, **declared, **clustered)
        yield Calculation(alpha, file.raters)


def _against_reference(
    file: RatingsFile, ordered: bool, positive: str | None, declared: Any, clustered: Any
) -> Iterator[Calculation]:
    reference: Any = file.reference
    for column, name in enumerate(file.raters):
        verdicts = file.ratings[:, column]
        known = ~np.isnan(verdicts) & ~np.isnan(reference)
        correct = np.where(known, verdicts == reference, np.nan)
        yield Calculation(partial(_accuracy, correct, clustered), [name])
        kappa = partial(agreement.cohen_kappa, verdicts, reference, **declared, **clustered)
        yield Calculation(kappa, [name, "reference"])
        if ordered:
            yield Calculation(partial(kappa, weights="quadratic"), [name, "reference"])
        if positive is not None:
            code = float(file.categories.index(positive))
            yield Calculation(partial(_diagnostic, verdicts, reference, code, clustered), [name, "reference"])


def _accuracy(correct: Any, clustered: Any) -> Estimate:
    return agreement.accuracy_of_correctness(correct, **clustered).primary


def _diagnostic(verdicts: Any, reference: Any, positive: float, clustered: Any) -> Sequence[Estimate]:
    found = agreement.diagnostic_accuracy(verdicts, reference, positive, **clustered)
    return (found.sensitivity, found.specificity, found.ppv, found.npv)


def _of_measurements(
    file: RatingsFile, pairs: list[tuple[int, int]], plain: Any, clustered: Any
) -> Iterator[Calculation]:
    for first, second in pairs:
        a, b = file.ratings[:, first], file.ratings[:, second]
        names = [file.raters[first], file.raters[second]]
        for of_two in (agreement.lin_ccc, agreement.pearson, agreement.spearman):
            yield Calculation(partial(of_two, a, b, **plain), names)
        yield Calculation(partial(_limits, a, b, plain), names)
    if len(file.raters) > 1:
        yield Calculation(partial(agreement.krippendorff_alpha, file.ratings, "interval", **clustered), file.raters)
        for model in (1, 2, 3):
            for average in (False, True):
                yield Calculation(partial(agreement.icc, file.ratings, model, average=average, **plain), file.raters)
        yield Calculation(partial(agreement.kendall_w, file.ratings, **plain), file.raters)


def _limits(a: Any, b: Any, plain: Any) -> Sequence[Estimate]:
    found = agreement.bland_altman(a, b, **plain)
    return (found.bias, found.lower, found.upper)


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
        value = "undefined" if row["value"] is None else f"{row['value']:z.4f}"
        limits = "" if row["low"] is None else f"[{row['low']:z.4f}, {row['high']:z.4f}]"
        who = row["raters"]
        names = ", ".join(who) if len(who) < 4 else f"all {len(who)}"
        clusters = "" if row["n_clusters"] is None else row["n_clusters"]
        note = row["undefined_because"] or row["method"]
        lines.append(f"{row['name']:<36} {names:<24} {value:>8}  {limits:<20} {row['n']:>8} {clusters:>8}  {note}")
    return "\n".join(lines)


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
    parser.add_argument("--positive", metavar="VERDICT", help="adds sensitivity, specificity and predictive values")
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
    sys.exit(main())
