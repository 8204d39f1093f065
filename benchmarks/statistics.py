"""Speed of the statistics: ``python -m benchmarks.statistics``.

Processor seconds, and their ratio to the naive way in the same run, since seconds depend on the machine. Coverage of
the intervals: ``python -m benchmarks.coverage``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import median_abs_deviation
from sklearn.metrics import cohen_kappa_score

import agreement
from benchmarks.read_study import read_study, rows_of
from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.report.build import report_of

RESAMPLES = 10_000
NAIVE = 20  # resamples of the naive loop that are timed at least; its total is extrapolated
LONG_ENOUGH = 0.2  # seconds that the timed part takes at least

# In a process of its own: a program's peak counts that of the process which starts it, here with all its tables.
MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, code, used = os.wait4(process.pid, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code != 0)
"""

# Between this process and one that says its own peak.
BETWEEN = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
REPORTED = """
import json, sys
from pathlib import Path
from benchmarks.statistics import measured_report
print(*measured_report(Path(sys.argv[1]), json.loads(sys.argv[2])))
"""


def printed_by(code: str, *arguments: str) -> list[float]:
    """Numbers that a program prints whose peak is its own: it is started by a process that holds nothing."""
    command = [sys.executable, "-c", BETWEEN, sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"a measured program failed: {done.stderr}")
    return [float(number) for number in done.stdout.split()]


def seconds(run: Callable[[], object], times: int = 1) -> float:
    """Least processor time of a few runs, to which other programs do not add."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def two_raters(n: int, categories: list[str], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts of two raters who agree on most items."""
    a = rng.choice(np.array(categories), n)
    return a, np.where(rng.random(n) < 0.8, a, rng.choice(np.array(categories), n))


def naive(statistic: Callable[[np.ndarray], object], draw: Callable[[], np.ndarray]) -> float:
    """Seconds that a loop over resampled items would take for all resamples."""

    resamples = NAIVE

    def loop() -> None:
        for _ in range(resamples):
            statistic(draw())

    while (took := seconds(loop)) < LONG_ENOUGH:
        resamples *= 4
    return took * RESAMPLES / resamples


def line(case: str, ours: float, loop: float | None = None) -> None:
    """Print one comparison."""
    against = f"{loop:>12.2f} {loop / ours:>9.1f}" if loop is not None else f"{'-':>12} {'-':>9}"
    print(f"  {case:<52} {ours:>9.4f} {against}")


def kappa(rng: np.random.Generator) -> None:
    """Intervals of kappa from items."""
    print(f"{f'kappa, {RESAMPLES} resamples of items':<54} {'processor':>9} {'naive loop':>12} {'ratio':>9}")
    for n, categories in ((1_365, ["no", "yes"]), (100_000, ["a", "b", "c", "d"])):
        a, b = two_raters(n, categories, rng)
        loop = naive(lambda items: cohen_kappa_score(a[items], b[items]), lambda: rng.integers(0, n, n))  # noqa: B023
        as_lists = partial(agreement.cohen_kappa, a.tolist(), b.tolist(), interval="percentile")
        line(f"n = {n}, {len(categories)} categories, lists of text", seconds(as_lists, 3), loop)
    a, b = two_raters(1_600_000, ["no", "yes"], rng)
    held: dict[str, Callable[[np.ndarray], Any]] = {
        "lists": np.ndarray.tolist,
        "tuples": lambda texts: tuple(texts.tolist()),
        "arrays of fixed width": np.asarray,
        "arrays of greater width": lambda texts: texts.astype("U40"),
        "arrays of objects": lambda texts: texts.astype(object),
        "pandas, text in Arrow": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
        "pandas, text as objects": lambda texts: pd.Series(texts.astype(object), dtype=object),
        "pandas, categories": lambda texts: pd.Series(texts).astype("category"),
        "Arrow": lambda texts: pa.array(texts.tolist()),
    }
    for name, hold in held.items():
        line(f"n = {a.size}, {name}", seconds(partial(agreement.cohen_kappa, hold(a), hold(b)), 3))


def clusters(rng: np.random.Generator) -> None:
    """Intervals from 10,000 patients with ten items each."""
    n, patients = 100_000, 10_000
    of_patient = np.repeat(np.arange(patients), n // patients)
    a, b = two_raters(n, ["no", "yes"], rng)
    right, scores = (a == b).astype(float), rng.normal(size=n)

    members = [np.flatnonzero(of_patient == patient) for patient in range(patients)]

    def draw() -> np.ndarray:
        return np.concatenate([members[patient] for patient in rng.integers(0, patients, patients)])

    print(f"{f'{patients} patients, {n} items, {RESAMPLES} resamples':<54}")
    loop = naive(lambda items: cohen_kappa_score(a[items], b[items]), draw)
    line("kappa", seconds(partial(agreement.cohen_kappa, a, b, clusters=of_patient), 3), loop)
    mean = naive(lambda items: scores[items].mean(), draw)
    line("accuracy", seconds(partial(agreement.accuracy_of_correctness, right, clusters=of_patient), 3), mean)
    line(
        "mean of any numbers", seconds(partial(agreement.bootstrap, np.mean, scores, clusters=of_patient, seed=1)), mean
    )


def numbers(rng: np.random.Generator) -> None:
    """Intervals of continuous values from items, against a plain loop over resamples."""
    print(f"{f'{RESAMPLES} resamples of any numbers':<54} {'processor':>9} {'naive loop':>12} {'ratio':>9}")
    for n in (100, 1_000, 5_000, 10_000, 100_000):
        scores = rng.normal(size=n)
        loop = naive(lambda items: scores[items].mean(), lambda: rng.integers(0, n, n))  # noqa: B023
        line(f"mean, n = {n}", seconds(partial(agreement.bootstrap, np.mean, scores, seed=1), 3), loop)
    functions: dict[str, Callable[..., Any]] = {
        "standard deviation": partial(np.std, ddof=1),
        "median": np.median,
        "ninth decile": partial(np.quantile, q=0.9),
        "range": np.ptp,
        "deviation from the median, which no table has": median_abs_deviation,
    }
    for (name, function), n in product(functions.items(), (100, 1_000, 10_000, 100_000)):
        scores = rng.normal(size=n)
        loop = naive(lambda items: function(scores[items]), lambda: rng.integers(0, n, n))  # noqa: B023
        line(f"{name}, n = {n}", seconds(partial(agreement.bootstrap, function, scores, seed=1)), loop)
    stated = rng.random(100_000)
    right = rng.random(100_000) < stated
    for name, score in (("Brier", agreement.brier_score), ("calibration error", agreement.expected_calibration_error)):
        line(f"{name}, n = 100000", seconds(partial(score, stated, right, interval="percentile")))


def command_line(rng: np.random.Generator) -> None:
    """``python -m agreement`` on 1.6 million rows of Parquet."""
    print(f"{'python -m agreement, 1.6 million rows of Parquet':<54} {'processor':>9} {'MB at most':>12}")
    nominal = [(raters, subjects, "nominal") for raters, subjects in product((2, 4, 10, 20), (0, 16_000, 80_000))]
    ordered = [(raters, subjects, "ordinal") for raters, subjects in ((10, 16_000), (10, 80_000), (20, 80_000))]
    numeric = [(raters, subjects, "interval") for raters, subjects in product((2, 4, 10, 20), (16_000, 80_000))]
    for raters, subjects, level in (*nominal, *ordered, *numeric):
        items = 1_600_000 // raters
        truth = rng.integers(0, 4, items)
        item, rater = np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items)
        verdict = np.where(rng.random(item.size) < 0.8, truth[item], rng.integers(0, 4, item.size))
        table = {
            "item": np.char.add("item", item.astype(str)),
            "rater": np.char.add("rater", rater.astype(str)),
            "verdict": np.array(["1", "2", "3", "4"])[verdict],
            "reference": np.array(["1", "2", "3", "4"])[truth[item]],
        }
        if subjects:
            table["cluster"] = np.char.add("subject", (item * subjects // items).astype(str))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ratings.parquet"
            pd.DataFrame(table).to_parquet(path)
            command = [sys.executable, "-m", "agreement", str(path), "--json", "--level", level]
            measured = subprocess.run([sys.executable, "-c", MEASURED, *command], capture_output=True, text=True)
        if measured.returncode:
            raise SystemExit(f"python -m agreement failed: {measured.stderr}")
        took, most = map(float, measured.stdout.split())
        of = (f", {subjects} subjects" if subjects else "") + (f", {level}" if level != "nominal" else "")
        print(f"  {f'{raters} raters, {items} items{of}':<52} {took:>9.1f} {most:>12.0f}")


def report() -> None:
    """The report of a study that ten raters have read, and of one whose answers eight raters have scored."""
    plans: dict[str, dict[str, Any]] = {
        "interval by statistic, one draw": {"interval": "by_statistic", "draw": 2},
        "percentile bootstrap, one draw": {"interval": "percentile_bootstrap", "draw": 2},
        "percentile bootstrap, own draws": {"interval": "percentile_bootstrap", "draw": 1},
    }
    print(f"{'report':<54} {'processor':>9} {'MB at most':>12}")
    for raters, items, scored, names in ((10, 200, 0, list(plans)), (8, 10_000, 10_000, list(plans)[:1])):
        of = f", {raters * scored} scores" if scored else ""
        print(f"  {raters} raters, {items} items{of}")
        with tempfile.TemporaryDirectory() as folder:
            read_study(Path(folder) / "study", raters=raters, items=items, scored=scored).engine.dispose()
            for name in names:
                took, most = printed_by(REPORTED, str(Path(folder) / "study"), json.dumps(plans[name]))
                print(f"    {name:<50} {took:>9.1f} {most:>12.0f}")


def measured_report(folder: Path, plan: dict[str, Any]) -> tuple[float, float]:
    """Processor seconds of reading a study and computing its report in this process, and its MB at most."""
    start = time.process_time()
    rows = rows_of(Database(make_engine(f"sqlite:///{folder / DATABASE_FILE}"), folder))
    analysis = rows.protocol.analysis.model_copy(update=plan)
    report_of(replace(rows, protocol=rows.protocol.model_copy(update={"analysis": analysis})), "final")
    return time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print all of it, or the parts that are named."""
    parts = {
        "kappa": kappa, "clusters": clusters, "numbers": numbers, "command_line": command_line,
        "report": lambda rng: report(),
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}; all by default")
    wanted = parser.parse_args().parts
    if unknown := set(wanted) - set(parts):
        parser.error(f"no part {', '.join(sorted(unknown))}; expected some of {', '.join(parts)}")
    rng = np.random.default_rng(1)
    for name in wanted or parts:
        parts[name](rng)


if __name__ == "__main__":
    main()
