"""Phases whose units follow from answers: from which phases' answers, and what cannot be decided yet."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.language.expansion import Expansion, Phase
from protocol.language.telling import needs_answers

# A reference has the key of its item, so answers about the one are about the other; and people's answers, when rated,
# are candidates like any other.
_ALIKE = {"references": "items", "answers": "candidates"}


def answered_in(phase: Phase) -> tuple[str, ...]:
    """Return the keys of the phases whose answers select the units of a phase or are shown or rated in it."""
    named = [condition.name.partition(".")[0] for condition in phase.source.where if "." in condition.name]
    if phase.source.phase is not None and needs_answers(phase.source, _shown(phase)):
        named.insert(0, phase.source.phase)
    if phase.answers_of is not None:
        named.insert(0, phase.answers_of)
    return tuple(dict.fromkeys(named))


def followed_by(study: Expansion, phase: Phase) -> tuple[str, ...]:
    """Return the keys of the phases that have to be closed before the units of a phase can be drawn.

    Empty for a phase that is drawn at the freeze. A phase that draws from a later-drawn phase or apart from it, or that
    deals units by who rated there, waits for the same phases.
    """
    keys = list(answered_in(phase))
    sample = phase.source.sample
    rests_on = [phase.source.phase, *(sample.not_in if sample else ()), *phase.by.not_in]
    above = {other.key: other for other in study.phases[: study.phases.index(phase)]}
    for name in (*rests_on, *answered_in(phase)):
        keys += followed_by(study, above[name]) if name in above else ()
    return tuple(dict.fromkeys(keys))


def undecided(study: Expansion, phase: Phase) -> Iterator[tuple[str, str]]:
    """Yield what cannot be run in a phase whose units follow from answers: key, and a sentence."""
    source = phase.source
    if "opinions" in _shown(phase) and source.phase is None:
        yield "shows", "opinions are the answers of the phase that the units come from; name it as from."
    needed = answered_in(phase)
    for key in needed:
        rated, rates = _kind(study.phase(key)), _kind(phase)
        if rated != rates and (rated != "items" or rates != "candidates" or "opinions" in _shown(phase)):
            yield "from", f"'{key}' rates {rated} and this phase {rates}; select by answers about the same units."
    opens = phase.opens
    missing = [key for key in needed if opens.kind == "after" and key not in opens.after]
    if missing:
        yield "opens", f"the units follow from the answers of '{missing[0]}'; let it open after that, too."
    elif needed and opens.kind == "after" and opens.done_by != "everyone":
        # With a phase missing under after, the default of done_by is another, and nobody wrote what would be named.
        yield "opens", "units that follow from answers are drawn once everyone is done; remove done_by."
    if source.phase is not None and decides(phase) and source.phase not in phase.by.not_in and not phase.by.together:
        shared = [group for group in study.phase(source.phase).by.groups if group in phase.by.groups]
        if shared:
            ways = f"name another group, or not_in: [{source.phase}]"
            yield "by", f"people of '{shared[0]}' would decide about their own answers in '{source.phase}'; {ways}."


def decides(phase: Phase) -> bool:
    """Return whether a phase shows, settles or resolves the answers of the phase that its units come from."""
    resolves = any(asked.type == "resolution" for asked in phase.fields)
    return "opinions" in _shown(phase) or phase.settles is not None or resolves


def _shown(phase: Phase) -> list[str]:
    """Return what is shown, before or after the rater's own answer."""
    return [*phase.shows, *(phase.then.shows if phase.then else ())]


def _kind(phase: Phase) -> str:
    return _ALIKE.get(phase.rates[0], phase.rates[0])
