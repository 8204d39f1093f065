"""What was viewed before a verdict: the prior, the sequences, the slices, the tools. Descriptive throughout."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from agreement.contrast import difference_of_parts
from exchange.report.estimate_rows import ALL_ITEMS, ALL_RATERS, Counted, EstimateRow, Party, Stratum
from exchange.report.report_structure import Cell, Column, EstimateTable, PlainTable, QuartileRow, QuartileTable
from exchange.report.report_words import party_in_words
from exchange.report.statistic_names import Compared, Statistic
from exchange.viewing_trace import PLANES
from services.report.interval_settings import IntervalSettings
from services.report.rows.viewings import Viewing

MOST_TOOLS = 24
OFFERED = Stratum("prior", "offered")
# Returns whether something was done during a read; None is "not recorded".
WasDone = Callable[[Viewing], bool | None]


@dataclass(frozen=True)
class Group:
    """The reads of one rater, or of all raters together."""

    party: Party
    viewings: tuple[Viewing, ...]
    unit: str


def groups_of(viewings: Sequence[Viewing]) -> list[Group]:
    """Return the reads of each rater, and those of all together if there are several raters."""
    of_raters: defaultdict[str, list[Viewing]] = defaultdict(list)
    for viewing in viewings:
        of_raters[viewing.rater].append(viewing)
    groups = [Group(Party("rater", rater), tuple(own), "item") for rater, own in of_raters.items()]
    return [*groups, Group(ALL_RATERS, tuple(viewings), "verdict")] if len(of_raters) > 1 else groups


def traces_table(viewings: Sequence[Viewing]) -> PlainTable:
    """Count the verdicts with a trace, and those without one by reason."""
    rows: list[tuple[Cell, ...]] = []
    for group in groups_of(viewings):
        counts = Counter(viewing.trace_state for viewing in group.viewings)
        rows.append(
            (
                party_in_words(group.party),
                len(group.viewings),
                counts["kept"],
                counts["too_large"],
                counts["no_pictures"],
                counts["none"],
                sum(viewing.offers_prior for viewing in group.viewings),
            )
        )
    return PlainTable(
        key="viewing_traces",
        title="Viewing traces",
        explanation=(
            "Counts of current verdicts of the reading phase. All figures on images, windows and tools are based "
            "on verdicts with a trace; verdicts without one count as not recorded, never as not done. For a "
            "revised verdict, what was viewed for the revision counts."
        ),
        columns=(
            Column("rater", "Rater", "Pseudonym"),
            Column("verdicts", "Verdicts", "Standing verdicts"),
            Column("with_trace", "With a trace", "Verdicts with a viewing trace"),
            Column("too_large", "Too large", "Verdicts whose trace was too large to be kept"),
            Column("no_pictures", "No images", "Verdicts on items that offer no images"),
            Column("none", "None sent", "Verdicts whose browser sent no trace that could be kept"),
            Column("offered_prior", "Prior offered", "Verdicts on items that offer an earlier scan"),
        ),
        rows=tuple(rows),
    )


def prior_table(viewings: Sequence[Viewing], intervals: IntervalSettings) -> EstimateTable:
    """Estimate how often an item was answered without opening the prior that it offers."""
    offered = [viewing for viewing in viewings if viewing.offers_prior]
    return EstimateTable(
        key="prior_not_opened",
        title="Answered without opening the prior",
        explanation=(
            "Share of verdicts, including “not assessable”, for which no prior image was ever on the screen, "
            "among items that offer one. If prior and current are shown side by side from the start, the prior "
            "counts as opened as soon as it is drawn; how much of it was viewed is shown under “Slices seen”."
        ),
        rows=tuple(_share_rows("prior_never_opened", OFFERED, offered, _prior_never_opened, intervals)),
        lines="statistic",
    )


def prior_sentence(viewings: Sequence[Viewing]) -> str:
    """Return a sentence on how often the prior was left unopened; empty if no item offers one."""
    opened = [viewing.prior_opened for viewing in viewings if viewing.offers_prior]
    if not opened:
        return ""
    known, unknown = len(opened) - opened.count(None), opened.count(None)
    if not known:
        return (
            f"Whether the prior was opened was not recorded for any of the {unknown} verdicts on items that offer one."
        )
    return f"{opened.count(False)} of {known} verdicts on items that offer a prior were given without opening it" + (
        f"; for {unknown} more it was not recorded." if unknown else "."
    )


def accuracy_by_prior_table(viewings: Sequence[Viewing], intervals: IntervalSettings) -> EstimateTable:
    """Compare the accuracy of reads with and without the prior opened, if there are both."""
    rows: list[EstimateRow] = []
    known = [
        viewing
        for viewing in viewings
        if viewing.offers_prior and viewing.prior_opened is not None and viewing.correct is not None
    ]
    opened_by: dict[str, set[bool | None]] = defaultdict(set)
    for viewing in known:
        opened_by[viewing.rater].add(viewing.prior_opened)
    # For all raters together too, use only raters who did both.
    groups = groups_of([viewing for viewing in known if len(opened_by[viewing.rater]) == 2])
    for stratum, opened in ((Stratum("prior", "opened"), True), (Stratum("prior", "not opened"), False)):
        for group in groups:
            here = [viewing for viewing in group.viewings if viewing.prior_opened is opened]
            right = [(bool(viewing.correct), viewing.item.subject) for viewing in here]
            rows.append(_share_row("accuracy", "prior", stratum, group, right, intervals))
    for group in groups:
        difference = difference_of_parts(
            [float(bool(viewing.correct)) for viewing in group.viewings],
            [bool(viewing.prior_opened) for viewing in group.viewings],
            name="difference of accuracies",
            unit=group.unit,
            **intervals.by([viewing.item.subject for viewing in group.viewings]),
        )
        rows.append(EstimateRow("accuracy_difference", "prior", (group.party,), OFFERED, difference))
    return EstimateTable(
        key="accuracy_by_prior",
        title="Accuracy with and without the prior opened",
        explanation=(
            "Descriptive and not randomised: readers chose whether and on which items to open the prior, so a "
            "difference is not the effect of opening it. Only readers with right or wrong verdicts of both "
            "kinds are included."
        ),
        rows=tuple(rows),
        lines="statistic",
    )


def sequences_table(viewings: Sequence[Viewing], intervals: IntervalSettings) -> EstimateTable:
    """Estimate how often a sequence was offered and never opened, for each pane and sequence."""
    rows: list[EstimateRow] = []
    for place in _places(viewings):
        offered = [viewing for viewing in viewings if viewing.at(place)]
        never_opened = partial(_never_opened, place=place)
        rows += _share_rows("sequence_never_opened", Stratum("scan", place), offered, never_opened, intervals)
    return EstimateTable(
        key="sequence_not_opened",
        title="Sequences offered and never opened",
        explanation="Share of verdicts for which an offered sequence was never on the screen.",
        rows=tuple(rows),
    )


def use_table(viewings: Sequence[Viewing], intervals: IntervalSettings) -> EstimateTable:
    """Estimate how often the window was changed, an overlay shown, and each tool used."""
    rows = list(_share_rows("window_changed", ALL_ITEMS, viewings, _window_changed, intervals))
    overlaid = [viewing for viewing in viewings if viewing.trace is not None and viewing.trace.overlays_offered]
    rows += _share_rows("overlay_shown", Stratum("overlays"), overlaid, _overlay_shown, intervals)
    uses = Counter(
        tool
        for viewing in viewings
        if viewing.trace is not None and viewing.trace.tools is not None
        for tool, times in viewing.trace.tools.items()
        if times
    )
    # Sorted by name, so that the order does not depend on how often raters used each tool.
    for tool in sorted(name for name, _ in sorted(uses.items(), key=lambda use: (-use[1], use[0]))[:MOST_TOOLS]):
        rows += _share_rows("tool_used", ALL_ITEMS, viewings, partial(_used, tool=tool), intervals, tool=tool)
    return EstimateTable(
        key="viewer_use",
        title="Window, overlays and tools",
        explanation=(
            "Share of verdicts before which this was done at least once. Tools that nobody used are not listed"
            + (f", nor those beyond the {MOST_TOOLS} used most." if len(uses) > MOST_TOOLS else ".")
        ),
        rows=tuple(rows),
        lines="statistic",
    )


def slices_table(viewings: Sequence[Viewing]) -> QuartileTable:
    """Return quartiles of the share of slices seen, for each pane, sequence and plane."""
    rows: list[QuartileRow] = []
    groups = groups_of(viewings)
    for place in _places(viewings):
        seen = [
            [
                volume.recorded.seen
                for viewing in group.viewings
                for volume in viewing.at(place)
                if volume.opened and volume.recorded is not None
            ]
            for group in groups
        ]
        for plane in PLANES:
            for group, of_group in zip(groups, seen, strict=True):
                shares = [100.0 * share[plane] for share in of_group if plane in share]
                if shares:
                    low, median, high = (round(float(q)) for q in np.quantile(shares, [0.25, 0.5, 0.75]))
                    rows.append(QuartileRow(place, plane, group.party, len(shares), low, median, high))
    return QuartileTable(
        key="slices_seen",
        title="Slices seen",
        explanation=(
            "Share of a plane’s slices that were on the screen, in percent, among verdicts for which the sequence "
            "was opened. Quartiles in whole percent; descriptive, without intervals."
        ),
        rows=tuple(rows),
    )


def _share_rows(
    compared: Compared,
    stratum: Stratum,
    viewings: Sequence[Viewing],
    was_done: WasDone,
    intervals: IntervalSettings,
    *,
    tool: str = "",
) -> Iterable[EstimateRow]:
    """Return the share for each rater and for all, over the reads for which it is known."""
    for group in groups_of(viewings):
        answers = [(was_done(viewing), viewing.item.subject) for viewing in group.viewings]
        known = [(done, subject) for done, subject in answers if done is not None]
        if known:
            not_recorded = len(answers) - len(known)
            row = _share_row("share", compared, stratum, group, known, intervals, not_recorded=not_recorded)
            yield replace(row, tool=tool)


def _share_row(
    statistic: Statistic,
    compared: Compared,
    stratum: Stratum,
    group: Group,
    known: Sequence[tuple[bool, str]],
    intervals: IntervalSettings,
    *,
    not_recorded: int = 0,
) -> EstimateRow:
    counted, subjects = [done for done, _ in known], [subject for _, subject in known]
    share, wilson = intervals.share(counted, subjects, unit=group.unit)
    # Verdicts of several raters on one item are never independent: Wilson's interval would mislead.
    beside = wilson if group.party != ALL_RATERS else None
    remark = Counted(sum(counted), len(counted), not_recorded)
    return EstimateRow(statistic, compared, (group.party,), stratum, share, beside, remark=remark)


def _places(viewings: Iterable[Viewing]) -> list[str]:
    """Return pane and sequence of everything offered, in the order of the panes, then of first appearance."""
    offered = dict.fromkeys(volume.offered for viewing in viewings for volume in viewing.volumes)
    return list(dict.fromkeys(volume.place for volume in sorted(offered, key=lambda volume: volume.pane)))


def _never_opened(viewing: Viewing, place: str) -> bool | None:
    opened = [volume.opened for volume in viewing.at(place)]
    return False if True in opened else None if None in opened else True


def _window_changed(viewing: Viewing) -> bool | None:
    return viewing.trace.window_changed if viewing.trace is not None else None


def _overlay_shown(viewing: Viewing) -> bool | None:
    shown = viewing.trace.overlays_ms if viewing.trace is not None else None
    return shown > 0 if shown is not None else None


def _used(viewing: Viewing, tool: str) -> bool | None:
    tools = viewing.trace.tools if viewing.trace is not None else None
    return tools.get(tool, 0) > 0 if tools is not None else None


def _prior_never_opened(viewing: Viewing) -> bool | None:
    return None if viewing.prior_opened is None else not viewing.prior_opened
