"""Speed and memory of the reading room, against stock niivue-streamlit in the same run.

``python -m benchmarks.reading_room`` takes about ten minutes, ``--quick`` about two; docs/how-to/measure-speed.md says
how to read what it prints. Everything runs on 127.0.0.1 and is ended and removed at the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser
from rich.table import Table

from benchmarks import heads
from benchmarks.browsing import Room, Stock, chromium, median
from benchmarks.serving import Served, console, end_when_told, memory_mb, progress_bar, served, stock_served

THINKING = 1.5  # seconds between two clicks of the timed items; a reader takes longer
CASES = 16  # more volumes than the room keeps in memory, so that each item's are fetched again
CHECK_EVERY = 5  # items between two looks at the memory
STEPS = {"canvas": 60, "niivue": 6}  # of the window, in each turn
RENDERERS = {"canvas": "compatibility", "niivue": "software WebGL"}


@dataclass(frozen=True)
class Plan:
    """How much is measured: turns of so many items of ours and so many of the stock viewer, then items in a row.

    After `half` (of `time.monotonic`) no other turn begins, and after `end` no other item of a row: a machine that is
    busy with something else measures less instead of longer.
    """

    turns: int
    items: int
    stock: int
    soak: int
    half: float
    end: float
    view: str


@dataclass
class Timed:
    """What was measured of one viewer; seconds and bytes."""

    pixels: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    sequence: list[float] = field(default_factory=list)
    look: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    window: list[float] = field(default_factory=list)
    key: list[float] = field(default_factory=list)
    socket: list[float] = field(default_factory=list)
    posted: list[float] = field(default_factory=list)
    images: list[float] = field(default_factory=list)
    first_run: int = 0


@dataclass(frozen=True)
class Checked:
    """Memory after some items, in MB, and WebGL contexts."""

    items: int
    heap: float
    renderer: float
    server: float
    contexts: int
    alive: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few items of each, to see that it works")
    parser.add_argument("--soak", type=int, default=100, help="items in a row for the memory")
    parser.add_argument("--minutes", type=float, default=20.0, help="after which no more is begun")
    parser.add_argument("--stock-view", default="multiplanar", choices=("multiplanar", "axial"))
    options = parser.parse_args()
    end_when_told()
    half, end = (time.monotonic() + share * 60 * options.minutes for share in (0.5, 1.0))
    turns, items, stock, soak = (1, 4, 2, 12) if options.quick else (3, 5, 3, options.soak)
    plan = Plan(turns, items, stock, soak, half, end, options.stock_view)
    cases = 6 if options.quick else CASES
    rounds = -(-(max(plan.soak, plan.turns * plan.items) + 2) // cases)
    console.print(_machine())
    with ExitStack() as stack:
        study = stack.enter_context(served(raters=len(RENDERERS), cases=cases, rounds=rounds))
        browser = stack.enter_context(chromium())
        timed, rooms = _timed(browser, study, cases, plan)
        _print_times(timed)
        soaked = {name: _soak(room, study, plan) for name, room in rooms.items()}
        _print_memory(soaked)
    console.print(_machine())


# ---- speed


def _timed(browser: Browser, study: Served, cases: int, plan: Plan) -> tuple[dict[str, Timed], dict[str, Room]]:
    """Time the three viewers in turns, so that what else the machine does meets all of them."""
    rooms = {
        name: Room(browser, study, login, name, cases) for name, login in zip(RENDERERS, study.raters, strict=True)
    }
    timed = {name: Timed(first_run=room.of_first_run.socket) for name, room in rooms.items()} | {"stock": Timed()}
    with _stock_volumes(study) as folder, stock_served(folder, plan.view) as running, progress_bar() as bar:
        stock = Stock(browser, running, cases)
        task = bar.add_task("timing", total=plan.turns * (2 * plan.items + plan.stock))
        for turn in range(plan.turns):
            if turn and time.monotonic() > plan.half:
                break
            for name, room in rooms.items():
                for number in range(plan.items):
                    _time_room(room, timed[name], switches=number % 2 == 0)
                    bar.advance(task)
                drawing, key = room.window_steps(STEPS[name])
                timed[name].window += drawing
                timed[name].key += key
            for number in range(plan.stock):
                _time_stock(stock, timed["stock"], switches=number % 2 == 0)
                bar.advance(task)
        for name, room in rooms.items():
            bar.update(task, description=f"{RENDERERS[name]}: {room.line()}")
            room.expect_image(room.code(room.item, room.shown().split()[0]))
        stock.expect_image(stock.code(stock.item, stock.sequence))
        stock.close()
    return timed, rooms


def _time_room(room: Room, timed: Timed, *, switches: bool) -> None:
    room.page.wait_for_timeout(THINKING * 500)
    if switches:
        timed.sequence.append(room.other_sequence().pixels)
    room.fill_in()
    room.page.wait_for_timeout(THINKING * 500)
    room.settle()
    before = room.processor_seconds()
    measured = room.next_item()
    timed.processor.append(room.processor_seconds() - before)
    room.settle()
    traffic = room.new_traffic()
    timed.pixels.append(measured.pixels)
    timed.opened.append(measured.open or float("nan"))
    timed.look.append(measured.look)
    timed.socket.append(traffic.socket)
    timed.posted.append(traffic.posted())
    timed.images.append(traffic.images())


def _time_stock(stock: Stock, timed: Timed, *, switches: bool) -> None:
    stock.page.wait_for_timeout(THINKING * 500)
    if switches:
        timed.sequence.append(stock.other_sequence().pixels)
        stock.page.wait_for_timeout(THINKING * 500)
    stock.new_traffic()
    before = stock.processor_seconds()
    measured = stock.next_item()
    timed.processor.append(stock.processor_seconds() - before)
    timed.pixels.append(measured.pixels)
    timed.look.append(measured.look)
    timed.socket.append(stock.new_traffic().socket)


@contextmanager
def _stock_volumes(study: Served) -> Iterator[Path]:
    """Give the stock viewer what our server sends: cropped, int16, packed; the header says the window besides."""
    folder = Path(tempfile.mkdtemp(prefix="blindread-stock-volumes-"))
    try:
        for key, file in study.prepared().items():
            (folder / f"{key}.nii.gz").write_bytes(heads.with_window(file.read_bytes()))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- memory


def _soak(room: Room, study: Served, plan: Plan) -> list[Checked]:
    """Read on until so many items are read, and look at the memory on the way."""
    checks = [_check(room, study)]
    with progress_bar() as bar:
        task = bar.add_task("", total=plan.soak, completed=room.item)
        while room.item < plan.soak and time.monotonic() < plan.end:
            room.page.wait_for_timeout(350)
            room.settle()
            room.fill_in()
            room.settle()
            room.next_item()
            bar.update(task, completed=room.item, description=f"{plan.soak} items in a row, {room.line()}"[:46])
            if room.item % CHECK_EVERY == 0:
                room.settle()
                checks.append(_check(room, study))
    room.expect_image(room.code(room.item))
    return checks


def _check(room: Room, study: Served) -> Checked:
    heap = room.heap_mb()
    contexts = room.contexts()
    server = memory_mb(study.server.pid)
    return Checked(room.item, heap, room.renderer_mb(), server, contexts["made"], contexts["alive"])


def _growth(values: list[float]) -> float:
    """Return by how much the last third lies above the first one, as a share: of a third, the median."""
    third = max(1, len(values) // 3)
    return median(values[-third:]) / median(values[:third]) - 1


# ---- what is printed


def _machine() -> str:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "unknown processor",
    )
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    return f"{os.cpu_count()} cores, {model}; load over 1, 5 and 15 minutes: {load}"


def _print_times(timed: dict[str, Timed]) -> None:
    stock = timed["stock"]
    counts = f"{len(timed['canvas'].pixels)}, {len(timed['niivue'].pixels)} and {len(stock.pixels)}"
    table = Table(title=f"Medians of {counts} items; stock is niivue-streamlit with the same files")
    for column in ("", "compatibility", "software WebGL", "stock", "ratios", "targets"):
        table.add_column(column, justify="left" if column in ("", "targets") else "right")
    ours = [timed[name] for name in RENDERERS]

    def row(name: str, kind: str, target: str, unit: float = 1.0, digits: str = ".3f", *, ratio: bool = True) -> None:
        values = [median(getattr(times, kind)) for times in (*ours, stock)]
        written = [f"{value / unit:{digits}}" if value == value else "-" for value in values]
        ratios = " and ".join(f"{values[2] / value:.0f}x" for value in values[:2]) if ratio else ""
        table.add_row(name, *written, ratios, target)

    row("click to the next item's pixels, s", "pixels", "0.30 and 0.65; 20x and 9x")
    row("click to the form open, s", "opened", "", ratio=False)
    row("the browser's processor time for it, s", "processor", "")
    row("T1/T2 switch, s", "sequence", "0.10 and 0.50")
    row("window/level step: drawing, ms", "window", "16 (compatibility)", 0.001, ".1f", ratio=False)
    row("window/level step: key to pixels, ms", "key", "", 0.001, ".1f", ratio=False)
    runs = [f"{times.first_run / 1024:.1f}" for times in ours]
    table.add_row("websocket per rerun that shows an item, KB", *runs, "", "", "5")
    row("websocket per item, KB", "socket", "", 1024, ".1f", ratio=False)
    row("requests per item, drafts included, KB", "posted", "20 with the websocket", 1024, ".1f", ratio=False)
    row("images fetched per item, MB", "images", "", 2**20, ".1f", ratio=False)
    row("one look at the canvas (part of the times), ms", "look", "", 0.001, ".1f", ratio=False)
    console.print(table)
    for name, label in RENDERERS.items():
        console.print(f"  {label}, click to pixels, s: " + " ".join(f"{seconds:.2f}" for seconds in timed[name].pixels))
    console.print("  stock, click to pixels, s: " + " ".join(f"{seconds:.2f}" for seconds in stock.pixels))


def _print_memory(soaked: dict[str, list[Checked]]) -> None:
    for name, checks in soaked.items():
        table = Table(title=f"{checks[-1].items} items in a row, {RENDERERS[name]} renderer")
        for column in ("items", "JS heap, MB", "renderer process, MB", "server, MB", "WebGL contexts made", "alive"):
            table.add_column(column, justify="right")
        for check in checks[:: max(1, len(checks) // 10)]:
            numbers = [f"{number:.1f}" for number in (check.heap, check.renderer, check.server)]
            table.add_row(str(check.items), *numbers, str(check.contexts), str(check.alive))
        growth = [_growth([getattr(moment, kind) for moment in checks]) for kind in ("heap", "renderer", "server")]
        table.add_section()
        more = checks[-1].contexts - checks[0].contexts
        table.add_row("growth", *(f"{share:+.0%}" for share in growth), f"{more:+d}", "")
        table.add_row("target", "20%", "20%", "flat", "+0", "")
        console.print(table)


if __name__ == "__main__":
    main()
