"""What a phase that is written out tells whoever works in it, and whether it needs the answers of others for that."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.language import expansion as expanded
from protocol.language.narrowing import told_by_pairs, told_by_selection
from protocol.language.things import TOLD_BY_RATING


def told_by(study: expanded.Expansion, phase: expanded.Phase) -> set[str]:
    """Return all that a phase tells: on the screen, by what is rated and compared, or by what others answered."""
    return told_on_screen(phase) | passed_on(study, phase) | told_by_pairs(study, phase)


def told_on_screen(phase: expanded.Phase) -> set[str]:
    """Return what is on the screen of a phase, before or after the answer, or is what is rated there."""
    shown = set(phase.shows) | set(phase.then.shows if phase.then else [])
    return shown | {TOLD_BY_RATING[kind] for kind in phase.rates if kind in TOLD_BY_RATING}


def passed_on(study: expanded.Expansion, phase: expanded.Phase) -> set[str]:
    """Return what a phase tells without showing it itself: by others' answers, or by which units were selected."""
    by_key = {other.key: other for other in study.phases}
    source = by_key.get(phase.source.phase or "")
    # That a unit is there at all says something of what others answered, also behind a phase in between.
    passed = ({"opinions"} if needs_answers(phase.source) else set()) | told_by_selection(study, phase)
    passed |= _told_by_results(study, phase)
    if phase.answers_of is not None:
        # An answer that is rated may say what its author was shown.
        passed |= told_by(study, by_key[phase.answers_of])
    if source is None:
        return passed
    passed |= passed_on(study, source) & {"opinions"}
    # Somebody who was shown a thing may say it in an answer.
    shown = (*phase.shows, *(phase.then.shows if phase.then else ()))
    return passed | told_by(study, source) if "opinions" in shown else passed


def _told_by_results(study: expanded.Expansion, phase: expanded.Phase) -> set[str]:
    """Return what people were told by whose answers a phase, or what it takes its units from, selects them.

    Units of which they all said the same, said anything in a field, flagged or called not assessable, have in common
    what they knew when they did. That they differ says so much of no unit.
    """
    by_key = {other.key: other for other in study.phases}
    passed: set[str] = set()
    above: expanded.Phase | None = phase
    while above is not None:
        source = above.source
        answered = {source.phase for entry in source.let_in if entry.reason != "differs"}
        answered |= {condition.name.partition(".")[0] for condition in source.where if "." in condition.name}
        passed = passed.union(*(told_by(study, by_key[key]) for key in answered if key in by_key))
        above = by_key.get(source.phase or "")
    return passed


def needs_answers(source: expanded.Source, shows: Sequence[str] = ()) -> bool:
    """Return whether the units of a source cannot be known, or shown with these things, before others have answered."""
    by_result = any("." in condition.name for condition in source.where)
    return bool(source.let_in) or by_result or "opinions" in shows
