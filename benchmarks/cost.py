"""What one item and one rerun of the room's page cost the server, in this code and in that of an earlier revision.

``python -m benchmarks.cost v0.1.0`` (or any revision with the same reading room) takes about five minutes. Both servers
run at once on copies of one study, and are asked in turns, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from benchmarks import heads
from benchmarks.raters import Rater, Seen
from benchmarks.serving import STUDY, console, end_when_told, progress_bar
from tests.harness.server import ROOT, RunningServer, clean_environment, run_manage

CASES = 6  # two volumes each: more than a rater keeps, so that each item's are fetched again
ITEMS_AT_ONCE = 5
RERUNS_AT_ONCE = 40
LOGIN = "rater-1"
MAKE = Path(__file__).parent / "earlier_study.py"
# What a server needs of the program.
PROGRAM = ("app.py", "manage.py", ".streamlit", "agreement", "commands", "components", "db", "exchange", "imaging",
           "pages", "protocol", "server", "services", "studies")  # fmt: skip


@dataclass
class Measured:
    """One server, its rater, and the processor time that it spent on each turn, in milliseconds per item or rerun."""

    server: RunningServer
    rater: Rater
    seen: Seen
    items: list[float] = field(default_factory=list)
    reruns: list[float] = field(default_factory=list)

    def spent(self, work: Callable[[], object], times: int) -> float:
        """Do something so many times and return what each took of the server's processor time."""
        before = _processor_ms(self.server.pid)
        for _ in range(times):
            work()
        return (_processor_ms(self.server.pid) - before) / times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("before", metavar="REVISION", help="what to compare with: a tag or a commit of this repository")
    parser.add_argument("--turns", type=int, default=12, help=f"of {ITEMS_AT_ONCE} items each")
    options = parser.parse_args()
    end_when_told()
    folder = Path(tempfile.mkdtemp(prefix="blindread-cost-"))
    try:
        with _servers(folder, options.before, options.turns) as (before, now, empty):
            _measure_items(before, now, options.turns)
            _measure_reruns((before, now, empty), max(2, options.turns // 3))
            _print(before, now, empty, options.before)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _servers(folder: Path, revision: str, turns: int) -> Iterator[tuple[Measured, Measured, Measured]]:
    """Start a server of the earlier code, one of this code, and one of this code whose room's page is empty."""
    earlier = _code_of(revision, folder / "earlier")
    hollow = _hollow_copy(folder / "hollow")
    rounds = -(-ITEMS_AT_ONCE * (turns + 2) // CASES)
    with progress_bar() as bar:
        task = bar.add_task("heads")
        source = heads.write_study(
            folder / "study",
            CASES,
            rounds,
            feed=lambda done, total, text: bar.update(task, completed=done, total=total, description=text),
        )
        bar.update(task, description="the earlier code imports them")
        link = _made_by(earlier, source, folder / "data-earlier")
    for name in ("data-now", "data-hollow"):
        shutil.copytree(folder / "data-earlier", folder / name)
        run_manage(clean_environment(folder / name, {}), "init")
    places = (("data-earlier", earlier), ("data-now", ROOT), ("data-hollow", hollow))
    # All three are started alike: an earlier revision may know no other way.
    servers = [
        RunningServer(folder / data, folder / f"{data}.log", {}, root=root, by_streamlit=True) for data, root in places
    ]
    measured = []
    try:
        for server in servers:
            server.start()
            seen = Seen()
            measured.append(Measured(server, Rater(server, link, seen, seed=1), seen))
        yield measured[0], measured[1], measured[2]
    finally:
        for version in measured:
            version.rater.leave()
        for server in servers:
            server.stop()


def _code_of(revision: str, target: Path) -> Path:
    """Write the program as it was at a revision."""
    packed = target.with_suffix(".tar")
    done = subprocess.run(
        ["git", "archive", "--output", str(packed), revision], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"'{revision}' is no revision of this repository; name a tag or a commit ({done.stderr}).")
    with tarfile.open(packed) as archive:
        archive.extractall(target, filter="data")
    return target


def _hollow_copy(target: Path) -> Path:
    """Copy this program with nothing on the page of the reading room: what is left is the frame round every page."""
    target.mkdir()
    for name in PROGRAM:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(source, target / name)
    (target / "pages" / "rater" / "room.py").write_text('"""An empty page."""\n', encoding="utf-8")
    return target


def _made_by(root: Path, source: Path, data: Path) -> str:
    """Let another release make a database of the study; return a rater's sign-in link."""
    environment = clean_environment(data, {"PYTHONPATH": str(root)})
    command = [sys.executable, "-c", MAKE.read_text(encoding="utf-8"), str(source), STUDY, LOGIN]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"The earlier code could not make the study:\n{done.stderr[-4000:]}")
    return str(json.loads(done.stdout.splitlines()[-1])[LOGIN])


def _measure_items(before: Measured, now: Measured, turns: int) -> None:
    payloads = {id(version): version.rater.enter() for version in (before, now)}

    def read_item(code: Measured) -> None:
        payloads[id(code)] = code.rater.read_next(payloads[id(code)])

    with progress_bar() as bar:
        task = bar.add_task("items", total=turns)
        for turn in range(turns + 1):
            for version in (before, now):
                spent = version.spent(lambda version=version: read_item(version), ITEMS_AT_ONCE)  # type: ignore[misc]
                if turn:  # the first items warm both up
                    version.items.append(spent)
            bar.update(task, completed=turn)


def _measure_reruns(servers: tuple[Measured, ...], turns: int) -> None:
    servers[2].rater.enter_page()
    with progress_bar() as bar:
        task = bar.add_task("reruns of the room's page", total=turns)
        for turn in range(turns + 1):
            for server in servers:
                spent = server.spent(server.rater.rerun_page, RERUNS_AT_ONCE)
                if turn:
                    server.reruns.append(spent)
            bar.update(task, completed=turn)


def _processor_ms(pid: int) -> float:
    spent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _print(before: Measured, now: Measured, empty: Measured, revision: str) -> None:
    table = Table(title="The server's processor time, ms: mean, lowest and highest turn")
    for column in ("", revision, "this code", "ratio", "target"):
        table.add_column(column, justify="right" if column else "left")
    rows = (
        ("one item (2 volumes, display, 4 drafts, verdict)", before.items, now.items, "0.50"),
        ("one rerun of the room's page", before.reruns, now.reruns, ""),
        ("one rerun of an empty page with the same frame, against the room's", empty.reruns, now.reruns, "2.00"),
    )
    for name, first, second, target in rows:
        written = [f"{_mean(spent):.1f} ({min(spent):.1f} to {max(spent):.1f})" for spent in (first, second)]
        table.add_row(name, *written, f"{_mean(second) / _mean(first):.2f}", target)
    console.print(table)
    for name, version in ((revision, before), ("this code", now)):
        milliseconds = {kind: 1000 * _mean(seconds) for kind, seconds in version.seen.seconds.items() if seconds}
        console.print(f"  {name}, ms until answered: " + ", ".join(f"{k} {v:.1f}" for k, v in milliseconds.items()))
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    console.print(f"{os.cpu_count()} cores; load over 1, 5 and 15 minutes: {load}.")


if __name__ == "__main__":
    main()
