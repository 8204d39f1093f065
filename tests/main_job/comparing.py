"""Holding an estimate of the report against the test's own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scipy.stats import binom

from tests.main_job.independent import RESAMPLES, SIGMAS, TAIL, TINY, TOO_MANY_LOST, Distribution, Expected
from tests.main_job.sheet import Place, Sheet

# Values are computed by other formulas in another order, so that the last digits may differ.
ROUNDING = 1e-9
_LOST = re.compile(rf"(\d+) of {RESAMPLES} resamples had no value")


def problems_of(report: Mapping[str, Any], sheet: Sheet) -> list[str]:
    """Return what is wrong with the estimates of a report (read from its JSON), as one line each."""
    problems: list[str] = []
    seen: set[Place] = set()
    for section in report["sections"]:
        for table in section["tables"]:
            rows = table["rows"] if table["kind"] == "estimates" else []
            said = Counter((row["label"], row["raters"], row["stratum"]) for row in rows)
            problems += [f"{table['key']}: {words} is said twice" for words, times in said.items() if times > 1]
            for row in rows:
                place = place_of(table, row)
                if row["exploratory"]:
                    problems += [f"{place}: {problem}" for problem in problems_of_exploratory(row, place, sheet)]
                    continue
                if place in seen:
                    problems.append(f"{place}: appears twice")
                seen.add(place)
                problems += [f"{place}: {problem}" for problem in problems_of_row(row, place, sheet)]
    problems += [f"{place}: is missing in the report" for place in sheet.rows if place not in seen]
    return problems


def place_of(table: Mapping[str, Any], row: Mapping[str, Any]) -> Place:
    """Return the place of a line of a table."""
    parties = tuple(party["name"] if party["kind"] in ("rater", "judge") else party["kind"] for party in row["parties"])
    typed = (row[part] for part in ("stratum", "stage", "bound", "tool", "option"))
    return Place(table["key"], row["statistic"], row["compared"], parties, *typed)


def problems_of_row(row: Mapping[str, Any], place: Place, sheet: Sheet) -> list[str]:
    """Return what is wrong with one line of a table of estimates."""
    if place not in sheet.rows:
        return ["has no independent counterpart"]
    expected = sheet.rows[place]
    problems = _problems(row["estimate"], expected)
    contradicts = contradiction_of(row["estimate"], expected, half=place.statistic == "discordant_share")
    clauses = [clause for clause in row["note"].split("; ") if clause and clause != contradicts]
    if (
        row["note"].count("they come from different methods") != bool(contradicts)
        or "; ".join(clauses) != expected.note
    ):
        problems.append(f"note '{row['note']}', expected '{expected.note}', with it '{contradicts}'")
    beside = sheet.beside.get(place)
    if (row["beside"] is None) != (beside is None):
        problems.append(f"interval beside it: {row['beside']}, expected {beside}")
    elif beside is not None:
        problems += [f"beside: {problem}" for problem in _problems(row["beside"], beside)]
    return problems


def contradiction_of(estimate: Mapping[str, Any], expected: Expected, *, half: bool) -> str:
    """Return what a note must say where the own P and the printed interval disagree on 0 (or a half); else nothing.

    The printed limits and P are used, which are held against the own ones apart: near 0 two right limits may differ in
    sign, and near the level two right values of P from resamples may lie on either side.
    """
    if expected.p is None or estimate["p"] is None or estimate["low"] is None:
        return ""
    tested, words = (0.5, "50.0 %") if half else (0.0, "0")
    holds, level = estimate["low"] <= tested <= estimate["high"], 2.0 * TAIL
    if holds != (estimate["p"] < level):
        return ""
    below, but = ("below", "holds") if holds else ("not below", "does not hold")
    return f"P is {below} {level:.3g} although the interval {but} {words}: they come from different methods"


def problems_of_exploratory(row: Mapping[str, Any], place: Place, sheet: Sheet) -> list[str]:
    """Return what is wrong with a line that repeats another with an interval which the plan does not name."""
    if place not in sheet.rows:
        return ["has no independent counterpart"]
    estimate, expected = row["estimate"], sheet.rows[place]
    problems = [] if row["note"].startswith("exploratory: ") else [f"note '{row['note']}' does not say what it is"]
    if estimate["n"] != expected.n or not _is_close(estimate["value"], expected.value):
        problems.append(f"{estimate['value']} of {estimate['n']}, expected {expected.value} of {expected.n}")
    if estimate["low"] is not None and not estimate["low"] <= estimate["value"] <= estimate["high"]:
        problems.append(f"value outside of {estimate['low']} to {estimate['high']}")
    return problems


def _problems(estimate: Mapping[str, Any], expected: Expected) -> list[str]:
    problems = [
        f"{name} is {estimate[name]}, expected {wanted}"
        for name, wanted in (("n", expected.n), ("n_clusters", expected.n_clusters), ("unit", expected.unit))
        if estimate[name] != wanted
    ]
    problems += [
        f"{name} is {estimate[name]}, expected {wanted}"
        for name, wanted in (("value", expected.value), ("p", expected.p), ("confidence", 1.0 - 2.0 * TAIL))
        if not _is_close(estimate[name], wanted)
    ]
    if (estimate["low"] is None or estimate["value"] is None) and not estimate["undefined_because"]:
        problems.append("something is undefined without a reason")
    if expected.limits is not None:
        pairs = zip(("low", "high"), expected.limits, strict=True)
        return problems + [
            f"{name} is {estimate[name]}, expected {wanted}"
            for name, wanted in pairs
            if not _is_close(estimate[name], wanted)
        ]
    if expected.value is None or expected.never_limits or expected.spread is None:
        interval = (estimate["low"], estimate["high"])
        return problems + ([f"has the interval {interval}, expected none"] if interval != (None, None) else [])
    return problems + _problems_of_interval(estimate, expected.spread)


def _problems_of_interval(estimate: Mapping[str, Any], spread: Distribution) -> list[str]:
    problems = []
    lost = _LOST.search(estimate["method"])
    # As rare as so many standard errors; counted out, since of very few lost ones the normal curve says nothing.
    chance = math.erfc(SIGMAS / math.sqrt(2.0))
    unsure = SIGMAS * math.sqrt(spread.lost * (1.0 - spread.lost) / spread.draws) - math.log(chance) / spread.draws
    least = binom.ppf(chance, RESAMPLES, max(spread.lost - unsure, 0.0))
    most = binom.isf(chance, RESAMPLES, min(spread.lost + unsure, 1.0))
    if not least <= (int(lost.group(1)) if lost else 0) <= most:
        problems.append(f"'{estimate['method']}', expected a share of {spread.lost:.5f} without a value")
    deviation, tolerance = spread.deviation()
    if estimate["se"] is None or abs(estimate["se"] - deviation) > tolerance:
        may_lack = most / RESAMPLES > TOO_MANY_LOST
        if not (estimate["se"] is None and may_lack):
            problems.append(f"se is {estimate['se']}, expected {deviation} ± {tolerance}")
    if (estimate["low"] is None) != (estimate["high"] is None):
        return [*problems, f"has one limit only, {estimate['low']} or {estimate['high']}"]
    lowest, highest = spread.around(TAIL), spread.around(1.0 - TAIL)
    if estimate["low"] is None:
        too_many = most / RESAMPLES > TOO_MANY_LOST
        no_width = lowest[1] >= highest[0] - TINY
        if not (too_many or no_width):
            problems.append(f"no interval ({estimate['undefined_because']}), expected about {lowest} to {highest}")
        return problems
    if least / RESAMPLES > TOO_MANY_LOST:
        problems.append(f"has an interval although {spread.lost:.3f} of the resamples have no value")
    for name, (least, most) in (("low", lowest), ("high", highest)):
        if not least - ROUNDING <= estimate[name] <= most + ROUNDING:
            problems.append(f"{name} is {estimate[name]}, expected from {least} to {most}")
    return problems


def _is_close(value: float | None, wanted: float | None) -> bool:
    if value is None or wanted is None:
        return value is wanted
    return math.isclose(value, wanted, rel_tol=ROUNDING, abs_tol=ROUNDING)
