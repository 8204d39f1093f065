"""Repeatability: whether runs, samples or prompt versions of a judge shift in a direction, and how much they vary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from agreement.clustered_tests import mcnemar_in_clusters
from agreement.coding import Codes
from agreement.comparisons import mcnemar
from agreement.estimate import Estimate, undefined
from agreement.judge.coefficients import coefficients, headline
from agreement.judge.factors import Chosen, in_random_groups
from agreement.judge.material import Made, Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.rows import COUNTED, Panel, Row
from agreement.judge.scale import State
from agreement.judge.wording import counted, in_brief, in_percent, p_in_words
from agreement.lone_items import shared_clusters
from agreement.measurements import bland_altman
from agreement.percent import share

KEY = "repeatability"
SHIFT, SCATTER, MISSING, NEW = "shift", "changed", "missing", "new"
WITH_THE_ORDER, ORDER_UNKNOWN = "changed with the order", "changed, order not known"
"""Names of the share of changed verdicts on pairs that two runs did not see in one order: no change from run to run."""
CHANGED_WITH = {
    (True, False): "changed with the prompt",
    (False, True): "changed with the model",
    (True, True): "changed with prompt and model",
}
"""Names of the share of changed verdicts, by whether the prompt and whether the model differs."""
CHANGES = (SCATTER, WITH_THE_ORDER, ORDER_UNKNOWN, *CHANGED_WITH.values())
"""Names of all shares of changed verdicts."""
MOST_RUNS = 10
"""With more runs than this, each is compared with the first only."""
_SAID = 3
ONE_RUN = "One run only: name the column that tells runs, samples or prompt versions apart with --run."
ONE_SOURCE = (
    "{first} and {second} of {judge} were read from the same file: they are one run stored twice and no repeats, and "
    "are not compared."
)
_SEEN = {
    SCATTER: "pairs shown in the same order",
    WITH_THE_ORDER: "pairs shown in the other order",
    ORDER_UNKNOWN: "pairs whose order is not known",
}
_NO_REPEAT = {
    WITH_THE_ORDER: ", which is its preference for a place as well",
    ORDER_UNKNOWN: ", which may be its preference for a place",
}


@dataclass(frozen=True)
class _Version:
    """Runs of a judge that were made in the same way."""

    judge: str
    made: Made
    runs: dict[str, Verdicts]

    @property
    def first(self) -> Verdicts:
        return next(iter(self.runs.values()))


def panel(material: Material, plan: Plan) -> Panel:
    """Every two runs of each judge, and every two of its versions: shift, scatter, and verdicts that only one has.

    Versions are compared by their first runs, alongside the share that changed between repeated runs of one version. If
    pairs are judged, versions are compared by the first two runs in which the same answers were shown first, and what
    changed with the order in which two runs saw a pair is no change from run to run: it has a row of its own. Runs read
    from one source are not compared.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    Panel
    """
    rows, of_runs, of_versions = _compared(material, plan)
    refused = tuple(_of_one_source(material))
    if not rows:
        unknown = "How far the judge would repeat its verdicts is not known."
        return Panel(KEY, (unknown,), refused=refused or (ONE_RUN,))
    said = [*of_runs[:_SAID], *of_versions[:_SAID]]
    more = len(of_runs) + len(of_versions) - len(said)
    return Panel(KEY, (*said, *([f"{more} more comparisons are below."] if more else [])), tuple(rows), refused)


def between_versions(material: Material, plan: Plan) -> tuple[str, ...]:
    """The sentences on every two versions of each judge, alongside what changed from run to run.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    tuple of str
    """
    _, _, of_versions = _compared(material, plan)
    return tuple(of_versions)


def _compared(material: Material, plan: Plan) -> tuple[list[Row], list[str], list[str]]:
    """All rows, and the sentences on runs and on versions."""
    rows: list[Row] = []
    of_runs: list[str] = []
    of_versions: list[str] = []
    for family, versions in _versions(material).items():
        repeated: dict[Made, str] = {}
        for version in versions:
            own = [run for run, earlier in _read_before(material, version).items() if earlier is None]
            for a, b in _pairs(len(own)):
                for statistic, of_pair in _of_two_runs(material, version, (own[a], own[b]), plan).items():
                    rows += of_pair
                    of_runs.append(_sentence(version.judge, (own[a], own[b]), of_pair, material))
                    if statistic == SCATTER:
                        said = f"{_share(of_pair)} from run to run ({own[a]} to {own[b]})"
                        repeated.setdefault(version.made, said)
        for a, b in _pairs(len(versions)):
            first, second = versions[a], versions[b]
            beside = (
                repeated.get(first.made) or repeated.get(second.made) or "from run to run not known: no repeated run"
            )
            statistic = CHANGED_WITH[first.made.prompt != second.made.prompt, first.made.model != second.made.model]
            names = _names(first.made, second.made)
            runs, in_other_order = _in_one_order(material, first, second)
            beside += in_other_order
            of_pair = list(_of_pair(material, family, names, runs, plan, statistic, beside))
            rows += of_pair
            of_versions.append(_sentence(family, names, of_pair, material, beside))
    return rows, of_runs, of_versions


def _read_before(material: Material, version: _Version) -> dict[str, str | None]:
    """The earlier run of the version that was read from the same source, by run; None for the first from each."""
    first: dict[str, str] = {}
    before: dict[str, str | None] = {}
    for run in version.runs:
        source = material.sources.get((version.judge, run), "")
        earlier = first.setdefault(source, run) if source else run
        before[run] = None if earlier == run else earlier
    return before


def _of_one_source(material: Material) -> Iterator[str]:
    for versions in _versions(material).values():
        for version in versions:
            for run, earlier in _read_before(material, version).items():
                if earlier is not None:
                    yield ONE_SOURCE.format(first=earlier, second=run, judge=version.judge)


def _of_two_runs(material: Material, version: _Version, names: tuple[str, str], plan: Plan) -> dict[str, list[Row]]:
    """The rows on two runs of a version, by what the changes are: from run to run, or also of the order of pairs.

    Verdicts that only one of them has are counted once.
    """
    first, second = (version.runs[name] for name in names)
    parts = _by_order(material, version, names)
    of_parts: dict[str, list[Row]] = {}
    for statistic, among in parts.items():
        seen = Verdicts(np.where(among, first.codes, np.nan), first.states)
        rows = list(_of_pair(material, version.judge, names, (seen, second), plan, statistic))
        if of_parts:
            rows = [row for row in rows if row.statistic not in (MISSING, NEW)]
        if material.compared is not None:
            seen_so = f"{version.judge}, {_SEEN[statistic]}"
            rows = [row if row.statistic in (MISSING, NEW) else replace(row, stratum=seen_so) for row in rows]
        of_parts[statistic] = rows
    return of_parts


def _by_order(material: Material, version: _Version, names: tuple[str, str]) -> dict[str, Chosen]:
    """The candidates on which changes are from run to run, and the pairs that were seen otherwise, if there are any."""
    everything = np.ones(material.n, dtype=np.bool_)
    if material.compared is None:
        return {SCATTER: everything}
    orders = material.compared.orders.get(version.judge, {})
    seen, seen_later = (orders.get(name, np.zeros(material.n, dtype=np.int8)) for name in names)
    both = ~np.isnan(version.runs[names[0]].codes) & ~np.isnan(version.runs[names[1]].codes)
    known = (seen != 0) & (seen_later != 0)
    parts = {SCATTER: known & (seen == seen_later), WITH_THE_ORDER: known & (seen != seen_later), ORDER_UNKNOWN: ~known}
    return {name: among for name, among in parts.items() if (among & both).any()} or {SCATTER: everything}


def _in_one_order(material: Material, first: _Version, second: _Version) -> tuple[tuple[Verdicts, Verdicts], str]:
    """The runs by which two versions are compared, and how many pairs these were not shown in one order, in words.

    A judge that prefers what it is shown first would otherwise seem to change with the prompt.
    """
    if material.compared is None:
        return (first.first, second.first), ""
    orders = material.compared.orders

    def judged_alike(a: str, b: str) -> tuple[int, int]:
        both = ~np.isnan(first.runs[a].codes) & ~np.isnan(second.runs[b].codes)
        seen, seen_by_other = (orders.get(of.judge, {}).get(run) for of, run in ((first, a), (second, b)))
        if seen is None or seen_by_other is None:
            return 0, int(both.sum())
        return int((both & (seen == seen_by_other) & (seen != 0)).sum()), int(both.sum())

    a, b = max(((a, b) for a in first.runs for b in second.runs), key=lambda runs: judged_alike(*runs)[0])
    alike, n = judged_alike(a, b)
    said = "" if alike == n else f", {n - alike} of {counted(n, 'pair')} in another order or in one that is not known"
    return (first.runs[a], second.runs[b]), said


def _versions(material: Material) -> dict[str, list[_Version]]:
    """The versions of each judge, in the order of their first runs."""
    families: dict[str, dict[Made, _Version]] = {}
    for judge, runs in material.runs.items():
        for run, verdicts in runs.items():
            made = material.made.get((judge, run), Made(judge))
            version = families.setdefault(made.judge, {}).setdefault(made, _Version(judge, made, {}))
            version.runs[run] = verdicts
    return {judge: list(versions.values()) for judge, versions in families.items()}


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2)) if n <= MOST_RUNS else [(0, other) for other in range(1, n)]


def _names(first: Made, second: Made) -> tuple[str, str]:
    """The names of two versions: the parts in which they differ."""
    parts = [part for part in ("prompt", "model") if getattr(first, part) != getattr(second, part)]

    def name(made: Made) -> str:
        return ", ".join(getattr(made, part) or f"{part} not said" for part in parts)

    return name(first), name(second)


def _of_pair(
    material: Material,
    judge: str,
    names: tuple[str, str],
    runs: tuple[Verdicts, Verdicts],
    plan: Plan,
    statistic: str = SCATTER,
    beside: str = "",
) -> Iterator[Row]:
    (first, second), unit = runs, material.unit
    both = ~np.isnan(first.codes) & ~np.isnan(second.codes)
    lost = list(_of_one_only(judge, names, runs, unit))
    if not both.any():
        # Logs of one model each, for example: nothing was judged twice, which shows neither a shift nor its absence.
        changed = undefined("share of changed verdicts", 0, unit, "counted", f"no {unit} has both verdicts")
        yield Row(statistic, names, changed, judge, sentence=_nothing_twice(material))
        yield from lost
        return
    a, b = first.codes[both], second.codes[both]
    own = shared_clusters(material.clusters, both)
    clusters = None if own is None else in_random_groups(own)
    shift = [Row(SHIFT, names, *_shift(material, a, b, clusters, plan))] if material.scale.scored else []
    changed = share(a != b, clusters, name="share of changed verdicts", unit=unit, confidence=plan.confidence)
    whole = [_shift_in_words(row, material) for row in shift]
    whole += [f"{row.estimate.value:.0f} {row.statistic}" for row in lost] + ([beside] if beside else [])
    yield from shift
    yield Row(statistic, names, changed, judge, sentence="; ".join(whole))
    key = headline(material.scale)
    options = {**plan.bootstrap, "clusters": clusters, "unit": unit}
    yield Row(key, names, coefficients(material.scale, plan)[key](a, b, **options), judge)
    yield from lost


def _of_one_only(judge: str, names: tuple[str, str], runs: tuple[Verdicts, Verdicts], unit: str) -> Iterator[Row]:
    """How many verdicts only one of two runs has, among all that it has."""
    first, second = runs
    for statistic, without, given in ((MISSING, second, first), (NEW, first, second)):
        are_given = given.states == State.VERDICT
        among = are_given & (without.states != State.VERDICT)
        why = ", ".join(f"{n} {words}" for words, n in without.part(among).counts().items())
        only = undefined(
            f"verdicts that only {names[0] if statistic == MISSING else names[1]} has",
            int(are_given.sum()), unit, "counted among what it has", COUNTED, value=float(among.sum()),
        )  # fmt: skip
        yield Row(statistic, names, only, judge, sentence=why)


def _shift(
    material: Material, a: np.ndarray, b: np.ndarray, clusters: Codes | None, plan: Plan
) -> tuple[Estimate, str, str, str]:
    """Mean score of the second run minus the first; for shares, with McNemar's test, exact or for clusters."""
    x, y = material.scale.scores(a), material.scale.scores(b)
    if not material.scale.shares:
        bias = bland_altman(y, x, clusters=clusters, unit=material.unit, **plan.bootstrap).bias
        decided = bias.low > 0.0 or bias.high < 0.0
        return bias, "all", "", "higher" if decided and bias.value > 0 else "lower" if decided else "no shift"
    up, down = int((y > x).sum()), int((y < x).sum())
    estimate = mcnemar(up, down, "exact", confidence=plan.confidence, unit=f"changed {material.unit}")
    p = estimate.p
    if clusters is not None and up + down:
        estimate = mcnemar_in_clusters(
            y, x, clusters=clusters, method="obuchowski", unit=f"changed {material.unit}", **plan.bootstrap
        )
        p = estimate.p
    decided = p is not None and p <= 1.0 - plan.confidence and up != down
    direction = ("more lenient" if up > down else "stricter") if decided else "no shift"
    return estimate, "all", "", f"{direction}: {up} became correct, {down} incorrect"


def _shift_in_words(row: Row, material: Material) -> str:
    """The direction, with P for shares and with the interval for other scores."""
    return f"{row.sentence} ({p_in_words(row.estimate.p) if material.scale.shares else in_brief(row.estimate)})"


def _nothing_twice(material: Material) -> str:
    return f"no {material.unit} with both verdicts"


def _share(rows: list[Row]) -> str:
    changed = next(row for row in rows if row.statistic in CHANGES)
    return in_percent(changed.estimate)


def _sentence(judge: str, names: tuple[str, str], rows: list[Row], material: Material, beside: str = "") -> str:
    of = {row.statistic: row for row in rows}
    change = next(row for row in rows if row.statistic in CHANGES)
    changed = change.estimate
    if changed.n == 0:
        return f"{names[0]} and {names[1]} of {judge} have {_nothing_twice(material)}: they do not repeat each other."
    text = f"From {names[0]} to {names[1]}, {judge} changed {_share(rows)} of {counted(changed.n, 'verdict')}"
    text += f" on {_SEEN[change.statistic]}" if material.compared is not None and change.statistic in _SEEN else ""
    text += _NO_REPEAT.get(change.statistic, "")
    text += f", {beside}" if beside else ""
    text += f", {_shift_in_words(of[SHIFT], material)}" if SHIFT in of else ""
    if MISSING not in of:
        return f"{text}."
    return f"{text}; {of[MISSING].estimate.value:.0f} are missing in {names[1]}, {of[NEW].estimate.value:.0f} are new."
