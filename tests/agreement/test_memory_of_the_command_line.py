"""python -m agreement of many items: what its statistics hold in memory, and what they share."""

import platform
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreement.category_counts import counts_of
from agreement.coefficients import conger_coefficient
from agreement.command_line import Request, command_line
from agreement.correlations import spearman
from agreement.functions_of_sums import columns_of
from agreement.rater_columns import RaterColumns
from agreement.ratings_file import RatingsFile, read
from agreement.resampling import bootstrap_of_sums, sums_by_cluster
from agreement.tables import Table

# Four threads at once, each with an array; the C library then says how many stores of memory it has.
STORES = """
import ctypes, sys, threading
from agreement.one_arena import use_one_arena

if "one" in sys.argv and not use_one_arena():
    sys.exit("no such function")
library, at_once = ctypes.CDLL(None), threading.Barrier(4)

def compute():
    at_once.wait()
    held = [bytearray(50_000) for _ in range(20)]
    at_once.wait()

threads = [threading.Thread(target=compute) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
library.fdopen.restype = ctypes.c_void_p
library.malloc_info(0, ctypes.c_void_p(library.fdopen(1, b"w")))
library.fflush(None)
"""


def a_file(folder: Path, raters: int, items: int) -> RatingsFile:
    rng = np.random.default_rng(1)
    path = folder / "ratings.parquet"
    pd.DataFrame(
        {
            "item": np.tile(np.arange(items), raters),
            "rater": np.repeat([f"r{rater}" for rater in range(raters)], items),
            "verdict": rng.integers(1, 6, items * raters),
            "cluster": np.tile(np.arange(items) // 2, raters),
        }
    ).to_parquet(path)
    return read(path, level="ordinal")


def test_the_statistics_of_all_pairs_hold_each_rater_once_before_they_are_computed(tmp_path):
    raters, items = 8, 20_000
    file = a_file(tmp_path, raters, items)
    tracemalloc.start()

    calculations = list(command_line(file, Request("ordinal")))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()

    assert len(calculations) > 28 * 6
    assert held < 2 * file.ratings.nbytes


def test_kappa_of_many_raters_linearised_needs_little_more_than_its_own_sums():
    codes = np.random.default_rng(1).integers(0, 5, (20_000, 10))
    coefficient = conger_coefficient(codes, counts_of(codes, 5), np.eye(5))
    tracemalloc.start()

    coefficient.linearise()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert most < coefficient.rows.nbytes / 4


def test_kappa_of_many_raters_is_linearised_as_by_its_derivative():
    codes, step = np.random.default_rng(2).integers(0, 3, (40, 4)), 1e-6
    coefficient = conger_coefficient(codes, counts_of(codes, 3), np.eye(3))
    whole = coefficient.rows.sum(axis=0)

    linearised = coefficient.linearise()

    of_rows = [
        (coefficient.of_sums(whole + step * row) - coefficient.of_sums(whole - step * row)) / (2 * step) * len(codes)
        for row in coefficient.rows
    ]
    assert linearised - linearised.mean() == pytest.approx(np.array(of_rows) - np.mean(of_rows), abs=1e-6)


def test_a_column_of_codes_takes_one_byte_each_and_with_a_missing_one_stays_as_it_is():
    columns = RaterColumns(np.array([[0.0, 1.0, 300.0], [4.0, np.nan, 2.0]]))

    assert (columns.codes(0).dtype, columns.codes(0).tolist()) == (np.uint8, [0, 4])
    assert (columns.codes(2).dtype, columns.codes(2).tolist()) == (np.uint16, [300, 2])
    assert np.isnan(columns.codes(1)[1])
    assert columns.codes(0) is columns.codes(0)


def test_ranks_of_a_rater_give_the_same_rank_correlation_as_the_numbers():
    numbers = np.random.default_rng(3).normal(size=(30, 2)).round(1)
    numbers[4, 1] = np.nan
    columns = RaterColumns(numbers)

    assert spearman(columns.ranks(0), columns.ranks(1)) == spearman(numbers[:, 0], numbers[:, 1])


@pytest.mark.parametrize("categories", [4, 2_000])
def test_each_item_is_in_the_cell_of_its_two_verdicts(categories):
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, categories, (2, 50))
    table = Table.of_codes(a, b, np.arange(float(categories)), None)

    cells = table.cells_of(a, b)

    assert (table.a[cells].tolist(), table.b[cells].tolist()) == (a.tolist(), b.tolist())


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_sums_by_cluster_and_limits_are_the_same_to_the_last_bit_however_the_columns_lie(interval):
    rng = np.random.default_rng(5)
    x, clusters = rng.normal(size=(3, 40_000)), np.arange(40_000) // 300
    one_after_the_other = columns_of(*x)
    row_by_row = np.ascontiguousarray(one_after_the_other)

    first, second = (sums_by_cluster(table, clusters) for table in (one_after_the_other, row_by_row))

    assert (np.asarray(first) == np.asarray(second)).all()
    spreads = [
        bootstrap_of_sums(lambda sums: sums[..., 0] / sums[..., 1] ** 2, sums, resamples=50, seed=1, interval=interval)
        for sums in (first, second)
    ]
    assert spreads[0] == spreads[1]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries divide memory in their own ways")
def test_threads_of_the_command_line_take_their_memory_from_one_store():
    def stores(*arguments: str) -> int:
        printed = subprocess.run([sys.executable, "-c", STORES, *arguments], capture_output=True, text=True, check=True)
        return printed.stdout.count("<heap nr=")

    assert stores() > 1
    assert stores("one") == 1
