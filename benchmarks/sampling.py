"""Time and memory of drawing a sample: ``python -m benchmarks.sampling``.

Pools of 50,000 and 200,000 candidates (four models' answers to items from 178 templates in 11 categories, about four
items for each subject), each draw in a process of its own. Printed are the seconds until the sample is planned, drawn
and has its inclusion probabilities, and the peak of the process above what the pool itself takes.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

from rich.table import Table

from benchmarks.memory import memory_now
from benchmarks.serving import console
from protocol.language.expansion import Condition, Limit, Sample, Source, StratumSize
from services.studies.sampling.inclusion import REPEATS
from services.studies.sampling.planning import plan
from services.studies.sampling.sample import draw
from services.studies.sampling.units import Unit

SIZES = (50_000, 200_000)
MODELS = ("model A", "model B", "model C", "model D")
TEMPLATES, CATEGORIES, ITEMS_PER_SUBJECT = 178, 11, 4


def _source(sample: Sample, model: str | None = None) -> Source:
    where = [Condition(name="model", values=[model])] if model else []
    return Source(phase=None, where=where, let_in=[], controls=0, sample=sample)


def _sample(size: str, strata: list[str], limits: dict[str, int], sizes: dict[str, str] | None = None) -> Sample:
    return Sample(
        size="by_stratum" if sizes else size,
        strata=strata,
        allocation="by_stratum" if sizes else "proportional",
        sizes=[StratumSize(stratum=stratum, size=written) for stratum, written in (sizes or {}).items()],
        at_most=[Limit(attribute=name, most=most) for name, most in limits.items()],
        not_in=[],
        keeps_items_together=False,
    )


ONCE = {"template": 1, "subject": 1}
DESIGNS = {
    "300 over models, no limit": _source(_sample("300", ["model"], {})),
    "all of tiers 2 and 3 of one model": _source(
        _sample("", ["tier"], {}, {"1": "18", "2": "all", "3": "all"}), MODELS[0]
    ),
    "100 over categories, template and subject once": _source(_sample("100", ["category"], ONCE)),
    "170 of 178 templates, template and subject once": _source(_sample("170", [], ONCE)),
    "100 over models, template and subject once": _source(_sample("100", ["model"], ONCE)),
}


def pool(candidates: int) -> list[Unit]:
    """Return so many candidates of four models, the same on every run."""
    rng = random.Random(1)
    units = []
    for number in range(candidates // len(MODELS)):
        template = int(TEMPLATES * rng.random() ** 1.3)
        attributes = {
            "template": f"template {template}",
            "category": f"category {template % CATEGORIES}",
            "tier": "1" if number % 100 < 83 else "2" if number % 100 < 99 else "3",
        }
        subject = f"subject {rng.randrange(candidates // len(MODELS) // ITEMS_PER_SUBJECT)}"
        for model in MODELS:
            units.append(Unit(f"{number}-{model}", subject, f"{number}", {**attributes, "model": model}))
    return units


def measured(candidates: int, design: str, repeats: int) -> dict[str, float]:
    """Draw in this process; return seconds, the peak above the pool in bytes, and how many units were drawn."""
    units = pool(candidates)
    # Forget the peak that starting up has reached: the kernel's own count starts over.
    Path("/proc/self/clear_refs").write_text("5")
    before, start = memory_now("VmRSS"), time.perf_counter()
    plan(units, DESIGNS[design])
    planned = time.perf_counter() - start
    sample = draw(units, DESIGNS[design], random.Random(1), repeats=repeats)
    seconds = time.perf_counter() - start - planned
    known = sum(row.inclusion.probability is not None for row in sample.units)
    peak = memory_now("VmHWM") - before
    return {"plan": planned, "draw": seconds, "peak": peak, "drawn": len(sample.units), "known": known}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--candidates", type=int, nargs="+", default=SIZES)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--measure", choices=sorted(DESIGNS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.candidates[0], options.measure, options.repeats)))
        return
    for candidates in options.candidates:
        _print(candidates, options.repeats)


def _print(candidates: int, repeats: int) -> None:
    table = Table(title=f"Drawing from {candidates:,} candidates, {repeats:,} repeats where there are limits")
    for column in ("", "drawn", "probability known", "plan, s", "draw and probabilities, s", "peak above the pool, MB"):
        table.add_column(column, justify="right" if column else "left")
    for design in DESIGNS:
        command = [sys.executable, "-m", "benchmarks.sampling", "--measure", design]
        command += ["--candidates", str(candidates), "--repeats", str(repeats)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"'{design}' could not be measured:\n{done.stderr[-4000:]}")
        row = json.loads(done.stdout.splitlines()[-1])
        table.add_row(
            design, f"{row['drawn']:,}", f"{row['known']:,}", f"{row['plan']:.1f}", f"{row['draw']:.1f}",
            f"{row['peak'] / 1e6:.0f}",
        )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
