"""Whose scans a study needs: those of every item, or those of the items that it draws."""

from __future__ import annotations

from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by

# What cannot be on the screen unless the scans of the item were read.
OF_VOLUMES = frozenset({"scans", "prior", "overlays", "acquisition_dates", "months_since_prior"})


def needs_volumes(phase: Phase) -> bool:
    """Return whether a phase shows scans, or what follows from them, at once or after the own answer."""
    shown = {*phase.shows, *(phase.then.shows if phase.then is not None else ())}
    return bool(shown & OF_VOLUMES)


def draws_volumes(study: Expansion) -> bool:
    """Return whether only the scans of drawn items are needed: every phase that shows any rates a sample.

    Practice aside, which is never drawn from and read whole. Where one phase shows the scans of all that it selects,
    the whole folder is needed, as in a study without a sample.
    """
    showing = [phase for phase in study.phases if needs_volumes(phase) and phase.source.practice != "only"]
    return bool(showing) and all(_is_sampled(study, phase) for phase in showing)


def sources_of(study: Expansion, phase: Phase) -> tuple[str, ...]:
    """Return the keys of the phases whose units a phase can rate at most: that it draws from, or whose answers."""
    named = phase.source.phase
    return tuple(dict.fromkeys(((named,) if named else ()) + followed_by(study, phase)))


def _is_sampled(study: Expansion, phase: Phase) -> bool:
    # What is drawn from answers comes too late: by then everything that could be drawn has to be there.
    if phase.source.sample is not None and not followed_by(study, phase):
        return True
    above = {other.key: other for other in study.phases[: study.phases.index(phase)]}
    sources = [above[key] for key in sources_of(study, phase) if key in above]
    return bool(sources) and all(_is_sampled(study, source) for source in sources)
