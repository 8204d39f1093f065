"""Which scans a study needs: those of every item, or only those of drawn items."""

from __future__ import annotations

from protocol.language.expansion import Expansion, Phase
from protocol.language.following import followed_by

# Things that cannot be shown unless the item's scans have been read.
OF_VOLUMES = frozenset({"scans", "prior", "overlays", "acquisition_dates", "months_since_prior"})


def needs_volumes(phase: Phase) -> bool:
    """Return whether a phase shows scans, or something derived from them, before or after the own answer."""
    shown = {*phase.shows, *(phase.then.shows if phase.then is not None else ())}
    return bool(shown & OF_VOLUMES)


def draws_volumes(study: Expansion) -> bool:
    """Return whether only the scans of drawn items are needed: whether every phase that shows scans rates a sample.

    Practice is left aside, as it is never sampled. If one phase shows the scans of everything that it selects, the
    whole folder is needed, as in a study without a sample.
    """
    showing = [phase for phase in study.phases if needs_volumes(phase) and phase.source.practice != "only"]
    return bool(showing) and all(_is_sampled(study, phase) for phase in showing)


def sources_of(study: Expansion, phase: Phase) -> tuple[str, ...]:
    """Return the keys of the phases to whose units a phase is limited: those that it draws from or follows."""
    named = phase.source.phase
    return tuple(dict.fromkeys(((named,) if named else ()) + followed_by(study, phase)))


def _is_sampled(study: Expansion, phase: Phase) -> bool:
    # A sample from answers comes too late, as all scans that it could draw must be there by then.
    if phase.source.sample is not None and not followed_by(study, phase):
        return True
    above = {other.key: other for other in study.phases[: study.phases.index(phase)]}
    sources = [above[key] for key in sources_of(study, phase) if key in above]
    return bool(sources) and all(_is_sampled(study, source) for source in sources)
