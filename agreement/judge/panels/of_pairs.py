"""What the panels of direction and of scores say if pairs of answers are judged: position preference, and win rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from agreement.coding import Codes, Floats
from agreement.estimate import Estimate
from agreement.judge.bases import Basis, main_basis
from agreement.judge.compared import FIRST, SECOND, Compared, Orders, in_both_orders, prefers_shown_first, wins
from agreement.judge.keys import numbered
from agreement.judge.material import Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.rows import EVERYTHING, Panel, Row
from agreement.judge.withheld import too_few
from agreement.judge.wording import counted, in_percent, listed, said_of_judges
from agreement.paired_outcomes import Preferred
from agreement.percent import bounded_mean, share
from agreement.preferences import bradley_terry
from agreement.words import Words

POSITION = "preferred the one shown first"
WIN_RATE, STRENGTH = "win rate", "strength"
COMPARISON = "comparison"
_NO_DIRECTION = (
    "Which of two answers is better has no direction: nobody is stricter. Instead, a judge can prefer a place."
)
_NOT_CORRECTED = (
    "Win rates are not corrected by what people say: that is computed for scores of single answers only. Hold the "
    "judge against people on the pairs that both compared."
)
_OF_ONE_ORDER = (
    "No pair was judged in both orders, and win rates are of the first run: if that showed some models first more "
    "often than others, a preference for a place (panel 2) is part of them."
)
_OF_UNKNOWN_ORDER = (
    "It is not known which answer was shown first, and win rates are of the first run: a preference for a place may be "
    "part of them."
)
_OF_FIRST_RUN = "; of the first run"
_OF_BOTH_ORDERS = "; mean of a pair's two orders, where it was judged in both"
_BY_MOST = "; a pair's two orders together, a tie if they prefer different answers"
_SEALED = "Win rates by people are not said of sealed subjects: on few pairs they would be single answers."
_IF_DRAWN = ", if orders were drawn: {}"
_NO_ORDER = (
    "{} says of no verdict which answer was shown first (shown_first), so its preference for a place is not known."
)


def position(key: str, material: Material, compared: Compared, plan: Plan) -> Panel:
    """How often each judge and human prefers the answer that was shown first, among preferences for one of the two.

    Parameters
    ----------
    key : str
        Of the panel.
    material : Material
    compared : Compared
    plan : Plan

    Returns
    -------
    Panel
        Runs of a judge with one prompt and model count together: the two orders of a pair cancel who is better.
    """
    rows, sentences, refused = [], [], [_NO_DIRECTION]
    for name, runs in _everybody(material).items():
        estimate = _of_position(material, runs, compared.orders.get(name, {}), plan)
        if estimate.n:
            words = _leans(estimate)
            if name in material.judges:
                words += _rests_on(runs, compared.orders.get(name, {}))
            rows.append(Row(POSITION, (name,), estimate, sentence=words))
            sentences.append(f"{name}: {in_percent(estimate)} of {counted(estimate.n, 'preference')}; {words}.")
        elif name in material.judges:
            refused.append(_NO_ORDER.format(name))
    sentences = [f"How often what was shown first is preferred. {sentences[0]}", *sentences[1:]] if sentences else []
    return Panel(key, tuple(sentences) or ("A preference for a place is not known.",), tuple(rows), tuple(refused))


def _everybody(material: Material) -> Mapping[str, Mapping[str, Verdicts]]:
    judges = {name: _made_alike(material, name) for name in material.judges}
    return judges | {name: {"": own} for name, own in material.humans.items()}


def _of_position(
    material: Material, runs: Mapping[str, Verdicts], orders: Mapping[str, Orders], plan: Plan
) -> Estimate:
    of_runs: list[Floats] = []
    clusters: list[Codes] = []
    own = np.arange(material.n) if material.clusters is None else material.clusters
    for verdicts, shown in _shown(runs, orders):
        said = prefers_shown_first(verdicts.codes, shown, material.scale)
        of_runs.append(said[~np.isnan(said)])
        clusters.append(own[~np.isnan(said)])
    chosen = np.concatenate(of_runs) if of_runs else np.zeros(0)
    groups = np.concatenate(clusters) if clusters else np.zeros(0, dtype=np.intp)
    # Verdicts on one pair in both orders vary together.
    return share(
        chosen == 1.0,
        groups if np.unique(groups).size < groups.size else None,
        name="share of preferences for the answer shown first",
        unit="preference",
        confidence=plan.confidence,
    )


def _shown(runs: Mapping[str, Verdicts], orders: Mapping[str, Orders]) -> Iterator[tuple[Verdicts, Orders]]:
    """Yield the verdicts of each run with what was shown first, where anything is known of that."""
    for run, verdicts in runs.items():
        # Without its runs a judge is its first one.
        shown = orders.get(run, next(iter(orders.values()), None))
        if shown is not None:
            yield verdicts, shown


def _rests_on(runs: Mapping[str, Verdicts], orders: Mapping[str, Orders]) -> str:
    """Return what half as the expected share rests on: nothing if each pair was judged as often in each order."""
    every = np.array([np.where(np.isnan(verdicts.codes), 0, shown) for verdicts, shown in _shown(runs, orders)])
    judged, uneven = (int(own.sum()) for own in ((every != 0).any(axis=0), every.sum(axis=0) != 0))
    if not ((every > 0).any(axis=0) & (every < 0).any(axis=0)).any():
        return _IF_DRAWN.format("no pair was shown in both")
    if uneven:
        return _IF_DRAWN.format(f"{uneven:,} of {counted(judged, 'pair')} were shown more often in one of the two")
    return ""


def _leans(estimate: Estimate) -> str:
    if np.isnan(estimate.low):
        return "undecided"
    if estimate.low > 0.5:
        return "prefers what is shown first"
    return "prefers what is shown second" if estimate.high < 0.5 else "undecided at this n"


def win_rates(key: str, material: Material, compared: Compared, plan: Plan) -> Panel:
    """How often each competitor is preferred by each judge and by people, and with three or more its strength.

    Parameters
    ----------
    key : str
        Of the panel.
    material : Material
    compared : Compared
    plan : Plan
        With figures on few sealed candidates withheld, people's win rates are left out.

    Returns
    -------
    Panel
        Of a judge on all pairs and on those that people's win rates are of.
    """
    basis = main_basis(material, plan)
    labelled = material.labelled
    on_labelled = labelled.compared
    rows, sentences, refused = [], [], [_NOT_CORRECTED]
    if on_labelled is not None and plan.fewest_shown <= 1:
        codes = basis.codes[None, :]
        by_people = list(_rates(labelled, on_labelled, codes, (basis.name,), plan, basis=basis.in_words))
        rows += by_people
        sentences += _sentence(basis.name, by_people)
    else:
        refused.append(_SEALED)
    among, said = _beside_people(material, basis, plan)
    shows_labelled = among.size < material.n and not _few_of_two_competitors(material, compared, plan)
    of_one_order: list[str] = []
    of_no_order: list[str] = []
    for judge in material.judges:
        codes = _of_orders(material, compared, judge)
        if len(codes) == 1:
            (of_one_order if _has_orders(material, compared, judge) else of_no_order).append(judge)
        note = _OF_FIRST_RUN if len(codes) == 1 else _OF_BOTH_ORDERS
        own = list(_rates(material, compared, codes, (judge,), plan, note))
        rows += own
        sentences += _sentence(judge, own)
        if shows_labelled:
            part = material.part(among)
            assert part.compared is not None
            rows += _rates(part, part.compared, codes[:, among], (judge,), plan, note, stratum=said)
    refused += said_of_judges(
        {why: names for why, names in ((_OF_ONE_ORDER, of_one_order), (_OF_UNKNOWN_ORDER, of_no_order)) if names}
    )
    return Panel(key, tuple(sentences), tuple(rows), tuple(refused))


def _of_orders(material: Material, compared: Compared, judge: str) -> Floats:
    """Return a judge's codes by the order that it was shown each pair in, shape (orders, n)."""
    runs = _made_alike(material, judge)
    shown = [(own.codes, orders) for own, orders in _shown(runs, compared.orders.get(judge, {}))]
    return in_both_orders(shown) if shown else material.judges[judge].codes[None, :]


def _has_orders(material: Material, compared: Compared, judge: str) -> bool:
    return any(orders.any() for _, orders in _shown(_made_alike(material, judge), compared.orders.get(judge, {})))


def _made_alike(material: Material, judge: str) -> Mapping[str, Verdicts]:
    """Return a judge's runs that were made as its first one was: not by another model, which is another judge."""
    runs = material.runs.get(judge) or {"": material.judges[judge]}
    made = {run: material.made.get((judge, run)) for run in runs}
    return {run: own for run, own in runs.items() if made[run] == made[next(iter(runs))]}


def _beside_people(material: Material, basis: Basis, plan: Plan) -> tuple[Codes, str]:
    """Return the places of the pairs that people's win rates are of, and what to call them.

    Of sealed subjects these are all that people compared: those with a verdict by a majority tell where people agree.
    """
    if not basis.left_out or plan.fewest_shown > 1:
        return material.labelled_places, "pairs that people compared"
    return material.labelled_places[basis.given], f"pairs with a verdict by {basis.name}"


def _few_of_two_competitors(material: Material, compared: Compared, plan: Plan) -> bool:
    """Whether numbers of compared pairs would tell on which of a few sealed pairs of the same two nobody decided."""
    if plan.fewest_shown <= 1:
        return False
    names = compared.names()
    of_names = {name: code for code, name in enumerate(names)}
    sides = [
        np.array([*(of_names.get(name, 0) for name in side.names), len(names)])[side.codes]
        for side in (compared.first, compared.second)
    ]
    two, n = numbered([np.minimum(*sides), np.maximum(*sides)])
    everything, labelled = np.bincount(two, minlength=n), np.bincount(two[material.labelled_places], minlength=n)
    counts = {str(place): (int(everything[place]), int(labelled[place])) for place in range(n)}
    return bool(too_few(counts, plan.fewest_shown))


def _sentence(name: str, rows: list[Row]) -> list[str]:
    said = [f"{row.parties[0]} {in_percent(row.estimate)}" for row in rows if row.statistic == WIN_RATE]
    return [f"By {name}, preferred in: {listed(said)} of its comparisons."] if said else []


def _rates(
    material: Material,
    compared: Compared,
    codes: Floats,
    by: tuple[str],
    plan: Plan,
    note: str = "",
    *,
    stratum: str = EVERYTHING,
    basis: str = "",
) -> Iterator[Row]:
    names = compared.names()
    for name in names:
        in_orders = [wins(own, compared, material.scale, name) for own in codes]
        among = in_orders[0][0]
        own = None if material.clusters is None else material.clusters[among]
        won = np.mean([own_won for _, own_won in in_orders], axis=0)
        yield Row(WIN_RATE, (name, *by), _rate(won, own, note, plan), stratum, basis)
    if len(names) < 3:
        # With two, strengths repeat what the win rates say.
        return
    former, other = compared.first.values(), compared.second.values()
    used = np.flatnonzero(~np.isnan(codes[0]) & (former != other))
    if not used.size:
        return
    first, second = ((codes[:, used] == material.scale.levels.index(level)).sum(axis=0) for level in (FIRST, SECOND))
    preferred: list[Preferred] = [
        "first" if net > 0 else "second" if net < 0 else "tie" for net in (first - second).tolist()
    ]
    strengths = bradley_terry(
        former[used].tolist(),
        other[used].tolist(),
        preferred,
        clusters=None if material.clusters is None else material.clusters[used].tolist(),
        confidence=plan.confidence,
        unit=COMPARISON,
    )
    for competitor, estimate in strengths.of.items():
        method = Words(estimate.method, _BY_MOST if len(codes) > 1 else note)
        yield Row(STRENGTH, (str(competitor), *by), replace(estimate, method=method), stratum, basis)


def _rate(won: Floats, clusters: Codes | None, note: str, plan: Plan) -> Estimate:
    """Return the mean of what was won on each pair: all, nothing, or half of it if its two orders disagree."""
    if np.isin(won, (0.0, 1.0)).all():
        return share(won == 1.0, clusters, name=WIN_RATE, unit=COMPARISON, note=note, confidence=plan.confidence)
    return bounded_mean(won, clusters, name=WIN_RATE, unit=COMPARISON, note=note, confidence=plan.confidence)
