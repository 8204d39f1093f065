"""Until when answers can be revised: a phase that reveals what they were blind to makes them final once it is begun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from protocol.language.expansion import Expansion, Phase
from protocol.language.listed import phases_of_listed
from protocol.language.not_run_yet import not_run_yet
from protocol.language.wording import listed


@dataclass(frozen=True)
class Ends:
    """The phases that, once begun, make the answers of another final.

    Attributes
    ----------
    before
        Those that everybody has begun before the other opens, so that its answers are never revised.
    later
        All others; who begins one of these first cannot revise either.
    """

    before: tuple[Phase, ...]
    later: tuple[Phase, ...]


def ends_of_revising(study: Expansion, phase: Phase) -> Ends:
    """Return which phases make answers of this one final; none if it allows no revision, or cannot be run yet."""
    if phase.revise == "never" or any(not_run_yet(study)):
        return Ends((), ())
    everybody = phases_of_listed(study)
    always: set[str] | None = None
    ending: set[str] = set()
    for own in everybody.by_group:
        revised = [each for each in own.revisable if each.listed_as == phase.key]
        if not revised:
            continue
        queues = [queue for queue in own.queues if any(each in own.settled_by(queue) for each in revised)]
        final = {each.listed_as for queue in queues for each in own.in_queue(queue)}
        first = own.all_before(revised[0].queue, everybody)
        before = final & {own.named(key).listed_as for key in first if key in {each.key for each in own.phases}}
        always = before if always is None else always & before
        ending |= final
    return Ends(
        tuple(each for each in study.phases if each.key in (always or ())),
        tuple(each for each in study.phases if each.key in ending - (always or set())),
    )


def never_revised(study: Expansion) -> Iterator[str]:
    """Yield a sentence for each phase whose answers are final at once although it lets them be revised."""
    for phase in study.phases:
        before = [f"'{each.key}'" for each in ends_of_revising(study, phase).before]
        if before:
            yield (
                f"protocol.yaml: key phases.{phase.key}.revise: answers in '{phase.key}' are final at once, since it "
                f"opens after {listed(before)}, which can show what they have to be blind to, if only of other items; "
                f"remove revise, or let '{phase.key}' open first."
            )
