"""Fifty raters at once: ``python -m benchmarks.load``; ``--quick`` for a look, ``--postgresql`` for the other database.

Real HTTP to a real server on 127.0.0.1: sign-in by link, the page's websocket, volumes of a 1 mm head, drafts, displays
and verdicts. The raters share the machine with the server, so what is measured is worse than with a network between.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.raters import Rater, Seen
from benchmarks.serving import Served, console, end_when_told, memory_mb, progress_bar, served

TARGET = 0.300  # seconds, 95th percentile of submitting
CASES = 16
NAMES = {
    "shown": "display acknowledged",
    "draft": "draft",
    "verdict": "submit, with the next item",
    "null": "null request",
}


@dataclass
class Watched:
    """The server process over time."""

    seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--think", type=float, default=10.0, help="seconds per item, on average")
    parser.add_argument("--seconds", type=float, default=150.0, help="how long they read, at most 600")
    parser.add_argument("--postgresql", action="store_true", help="on a throw-away PostgreSQL instead of SQLite")
    parser.add_argument("--quick", action="store_true", help="10 raters for 20 seconds")
    options = parser.parse_args()
    end_when_told()
    raters, seconds = (10, 20.0) if options.quick else (options.raters, min(options.seconds, 600.0))
    rounds = int(3 * seconds / options.think / CASES) + 2
    order = "random_per_rater"
    with served(raters=raters, cases=CASES, rounds=rounds, order=order, on_postgresql=options.postgresql) as study:
        for login in study.raters:
            study.begin(login)
        seen, watched, crowd = _read(study, options.think, seconds)
    database = "PostgreSQL" if options.postgresql else "SQLite"
    _print(seen, watched, f"{raters} raters, {options.think:g} s per item, {seconds:g} s, {database}", crowd)


def _read(study: Served, think: float, seconds: float) -> tuple[Seen, Watched, list[Rater]]:
    seen, watched = Seen(), Watched()
    crowd = [
        Rater(study.server, study.link(login), seen, seed) for seed, login in enumerate(study.raters)
    ]  # the links are made before the clock runs
    begin = time.monotonic()
    end = begin + seconds
    threads = [threading.Thread(target=rater.read, args=(think, begin, end), daemon=True) for rater in crowd]
    for thread in threads:
        thread.start()
    with progress_bar() as bar:
        task = bar.add_task("reading", total=seconds)
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end + 90:
            _watch(study.server.pid, watched, time.monotonic() - begin)
            submitted = len(seen.seconds["verdict"])
            text = f"{submitted} submitted, {len(seen.errors)} errors"
            bar.update(task, completed=min(seconds, time.monotonic() - begin), description=text)
            time.sleep(1)
    for thread in threads:
        thread.join(timeout=1)
    if any(thread.is_alive() for thread in threads):
        seen.errors.append("Some raters still waited for an answer 90 s after the end.")
    return seen, watched, crowd


def _watch(pid: int, watched: Watched, moment: float) -> None:
    spent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    watched.seconds.append(moment)
    watched.memory.append(memory_mb(pid))
    watched.processor.append((int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK"))


def _print(seen: Seen, watched: Watched, title: str, crowd: list[Rater]) -> None:
    table = Table(title=title)
    for column in ("", "times", "p50, ms", "p95, ms", "p99, ms", "longest, ms"):
        table.add_column(column, justify="right" if column else "left")
    for kind, seconds in seen.seconds.items():
        if seconds:
            values = [*np.percentile(seconds, [50, 95, 99]), max(seconds)]
            table.add_row(NAMES.get(kind, kind), str(len(seconds)), *(f"{1000 * value:.0f}" for value in values))
    console.print(table)
    reached = float(np.percentile(seen.seconds["verdict"], 95)) if seen.seconds["verdict"] else float("nan")
    word = "held" if reached < TARGET else "missed"
    console.print(f"Submit p95 {1000 * reached:.0f} ms; target {1000 * TARGET:.0f} ms: {word}.")
    nothing = float(np.percentile(seen.seconds["null"], 95)) if seen.seconds["null"] else float("nan")
    console.print(
        f"A null request in the same run: p95 {1000 * nothing:.0f} ms; submit takes {reached / nothing:.1f} times that."
    )
    lasted = watched.seconds[-1] - watched.seconds[0]
    share = (watched.processor[-1] - watched.processor[0]) / lasted
    received = sum(seen.volume_bytes) / 2**20
    console.print(
        f"Volumes: {len(seen.volume_bytes)} of {received / max(1, len(seen.volume_bytes)):.1f} MB, "
        f"{received / lasted:.0f} MB/s. Server: {share:.0%} of one core. "
        f"Items per rater: {min(rater.items for rater in crowd)} to {max(rater.items for rater in crowd)}."
    )
    places = np.linspace(0, len(watched.memory) - 1, 7).astype(int)
    line = ", ".join(f"{watched.memory[place]:.0f} MB at {watched.seconds[place]:.0f} s" for place in places)
    console.print(f"Server's memory: {line}; highest {max(watched.memory):.0f} MB.")
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    console.print(f"{os.cpu_count()} cores; load over 1, 5 and 15 minutes: {load}.")
    console.print(
        f"Errors: {len(seen.errors)}. Sent again on a connection that was closed meanwhile: {seen.sent_again}."
    )
    for error in sorted(set(seen.errors))[:10]:
        console.print(f"  {seen.errors.count(error)} times {error}", markup=False)


if __name__ == "__main__":
    main()
