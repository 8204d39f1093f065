"""What the report must say of viewing, computed from the stored traces and the demo's own cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from studies.demo.cases import CASES
from tests.main_job.contents import ITEMS
from tests.main_job.facts import Facts
from tests.main_job.independent import clustered, gap_of_ratios, share
from tests.main_job.sheet import Sheet

Traces = Mapping[str, Mapping[str, dict[str, Any]]]
"""By rater and item: the trace as it is stored; an item without one is not there."""
Scan = tuple[int, str, str]
"""Number of the pane, its title, and the sequence."""
Read = tuple[str, str]
"""Rater and item of a verdict."""
EVERYBODY = "all_raters"
PLANES = ("axial", "coronal", "sagittal")


def offered(key: str) -> list[Scan]:
    """Return what an item offers: the current scans, and the earlier ones where it uses them."""
    item = ITEMS[key]
    case = next(case for case in CASES if case.key == item.case)
    visits = [(0, "Current", case.current)] + ([(1, "Prior", case.prior)] if item.uses_prior else [])
    return [
        (pane, title, sequence)
        for pane, title, volume in visits
        for sequence in item.sequences
        if volume is not None and sequence in volume.sequences
    ]


def entry_of(trace: dict[str, Any] | None, volume: Scan) -> dict[str, Any] | None:
    """Return what a trace holds of a scan."""
    pane, title, sequence = volume
    for entry in (trace or {}).get("volumes", []):
        there = entry["title"] == title if "title" in entry else entry["pane"] == pane
        if there and entry["label"] == f"{sequence} (simulated)":
            return dict(entry)
    return None


def was_opened(trace: dict[str, Any] | None, volume: Scan) -> bool | None:
    """Return whether a scan was on the screen; None without a trace."""
    if not (trace or {}).get("volumes"):
        return None
    entry = entry_of(trace, volume)
    return False if entry is None else bool(entry.get("opened", True))


def prior_opened(trace: dict[str, Any] | None, key: str) -> bool | None:
    opened = [was_opened(trace, volume) for volume in offered(key) if volume[1] == "Prior"]
    return None if None in opened else any(opened)


def reads_of(facts: Facts) -> dict[str, list[Read]]:
    """Return the reads with a verdict, of each rater and of all together."""
    by_rater = {
        rater: [(rater, key) for key in ITEMS if not facts.reads[rater][key].failure]
        for rater in facts.raters
    }  # fmt: skip
    return by_rater | {EVERYBODY: [read for reads in by_rater.values() for read in reads]}


def add_viewing(sheet: Sheet, facts: Facts, traces: Traces) -> None:
    """Put every expected estimate about viewing into the sheet."""

    def trace(read: Read) -> dict[str, Any] | None:
        return traces[read[0]].get(read[1])

    def add(
        table: str,
        compared: str,
        stratum: str,
        was_done: Callable[[Read], bool | None],
        of: Callable[[Read], bool],
        tool: str = "",
    ) -> None:
        for who, reads in reads_of(facts).items():
            asked = [read for read in reads if of(read)]
            # Where one rater alone was asked, because the other could not be shown the item, there are no "all".
            if who == EVERYBODY and len({rater for rater, _ in asked}) < 2:
                continue
            known = [(ITEMS[read[1]].subject, bool(was_done(read))) for read in asked if was_done(read) is not None]
            if known:
                lacking = len(asked) - len(known)
                note = f"{sum(done for _, done in known)} of {len(known)}"
                note += f"; {lacking} not recorded" if lacking else ""
                estimate = share(known, unit="verdict" if who == EVERYBODY else "item", note=note)
                sheet.add(
                    table, "share", compared, who, stratum, estimate[0] if who == EVERYBODY else estimate, tool=tool
                )

    add(
        "prior_not_opened", "prior_never_opened", "prior offered",
        lambda read: {True: False, False: True, None: None}[prior_opened(trace(read), read[1])],
        lambda read: ITEMS[read[1]].uses_prior,
    )  # fmt: skip
    _accuracy_by_prior(sheet, facts, traces)
    for volume in sorted({volume for key in ITEMS for volume in offered(key)}):
        add(
            "sequence_not_opened", "sequence_never_opened", f"offered {volume[1]}, {volume[2]}",
            lambda read, volume=volume: {True: False, False: True, None: None}[was_opened(trace(read), volume)],
            lambda read, volume=volume: volume in offered(read[1]),
        )  # fmt: skip
    add(
        "viewer_use", "window_changed", "all",
        lambda read: bool(trace(read)["windows"]) if trace(read) else None, lambda read: True,
    )  # fmt: skip
    add(
        "viewer_use", "overlay_shown", "overlays offered",
        lambda read: trace(read)["overlays"]["shown_ms"] > 0,
        lambda read: bool((trace(read) or {}).get("overlays", {}).get("offered")),
    )  # fmt: skip
    used = {tool for of in traces.values() for stored in of.values() for tool in stored.get("tools", {})}
    for tool in used:
        add(
            "viewer_use", "tool_used", "all",
            lambda read, tool=tool: tool in trace(read)["tools"] if "tools" in (trace(read) or {}) else None,
            lambda read: True,
            tool=tool,
        )  # fmt: skip


def _knows_of_prior(facts: Facts, traces: Traces, rater: str, key: str) -> bool:
    """Return whether it is known of a read if the prior was opened, and if it is right."""
    opened = ITEMS[key].uses_prior and prior_opened(traces[rater].get(key), key) is not None
    return opened and facts.correct(rater, key) is not None


def _accuracy_by_prior(sheet: Sheet, facts: Facts, traces: Traces) -> None:
    table = "accuracy_by_prior"
    for who, reads in reads_of(facts).items():
        unit = "verdict" if who == EVERYBODY else "item"
        kinds: dict[str, set[bool | None]] = {}
        for rater, key in reads:
            if _knows_of_prior(facts, traces, rater, key):
                kinds.setdefault(rater, set()).add(prior_opened(traces[rater].get(key), key))
        with_both = {rater for rater, own in kinds.items() if own == {True, False}}
        known = [
            (ITEMS[key].subject, bool(prior_opened(traces[rater].get(key), key)), facts.correct(rater, key))
            for rater, key in reads
            if rater in with_both and _knows_of_prior(facts, traces, rater, key)
        ]
        # Of one rater alone there are no figures of all together.
        if len(with_both) < (2 if who == EVERYBODY else 1):
            continue
        for which, stratum in ((True, "prior opened"), (False, "prior not opened")):
            here = [(subject, right) for subject, opened, right in known if opened is which]
            note = f"{sum(right for _, right in here)} of {len(here)}"
            accuracy = share(here, unit=unit, note=note)
            sheet.add(table, "accuracy", "prior", who, stratum, accuracy[0] if who == EVERYBODY else accuracy)
        units = [
            (subject, (right, 1.0, 0.0, 0.0) if opened else (0.0, 0.0, right, 1.0)) for subject, opened, right in known
        ]
        gap = clustered(units, gap_of_ratios, unit=unit)
        sheet.add(table, "accuracy_difference", "prior", who, "prior offered", gap)


def expected_viewing_counts(facts: Facts, traces: Traces) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the tables of counts and quartiles, by the table's key."""
    counted, seen = [], []
    for who, reads in reads_of(facts).items():
        stored = [traces[rater].get(key) for rater, key in reads]
        counted.append(
            {
                "rater": _printed(who),
                "verdicts": len(reads),
                "with_trace": sum(bool(stored_trace and "volumes" in stored_trace) for stored_trace in stored),
                "too_large": sum(bool(stored_trace and "volumes" not in stored_trace) for stored_trace in stored),
                "no_pictures": 0,
                "none": stored.count(None),
                "offered_prior": sum(ITEMS[key].uses_prior for _, key in reads),
            }
        )
    for volume in sorted({volume for key in ITEMS for volume in offered(key)}):
        for plane in PLANES:
            for who, reads in reads_of(facts).items():
                recorded = [
                    traces[rater].get(key) for rater, key in reads
                    if volume in offered(key) and was_opened(traces[rater].get(key), volume)
                ]  # fmt: skip
                entries = [entry_of(trace, volume) or {} for trace in recorded]
                shares = [100 * entry["seen"][plane] for entry in entries if plane in entry["seen"]]
                if shares:
                    low, middle, high = (round(float(quartile)) for quartile in np.quantile(shares, [0.25, 0.5, 0.75]))
                    seen.append(
                        {
                            "scan": f"{volume[1]}, {volume[2]}: {plane}", "rater": _printed(who), "n": len(shares),
                            "q1": low, "median": middle, "q3": high,
                        }
                    )  # fmt: skip
    return {"viewing_traces": counted, "slices_seen": seen}


def _printed(who: str) -> str:
    return "All raters" if who == EVERYBODY else who


def expected_sentence(facts: Facts, traces: Traces) -> str:
    """Return what the section says first."""
    opened = [
        prior_opened(traces[rater].get(key), key) for rater, key in reads_of(facts)[EVERYBODY] if ITEMS[key].uses_prior
    ]
    known = [state for state in opened if state is not None]
    more = f"; for {opened.count(None)} more it was not recorded" if None in opened else ""
    left = f"{known.count(False)} of {len(known)} verdicts"
    return f"{left} on items that offer a prior were given without opening it{more}."


def traces_in(rows: list[tuple[object, ...]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return traces by rater and item from rows of the database: rater, item, JSON."""
    traces: dict[str, dict[str, dict[str, Any]]] = {}
    for rater, item, text in rows:
        of_rater = traces.setdefault(str(rater), {})
        if text is not None:
            of_rater[str(item)] = json.loads(str(text))
    return traces
