"""The law of blinding, over a protocol: nobody is told a thing and afterwards asked as if they had not been.

Checked here are phases against each other. Whether subjects and people overlap is known for sure only at the freeze and
at each joining, so an answer may be that it hangs on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from protocol.language.expansion import Expansion, Phase
from protocol.language.phases import may_share_people, told_by
from protocol.language.things import THINGS, Reach, open_to

Answer = Literal["refused", "hangs on subjects"]


@dataclass(frozen=True)
class Breach:
    """A phase tells what another, still to come for the same person, would ask as if nothing had been told.

    Attributes
    ----------
    telling, blind
        Keys of the phase that tells and of the one that is blind to it.
    thing
        What is told.
    answer
        "refused", or "hangs on subjects" where the two take other material, which may be about the same subjects.
    """

    telling: str
    blind: str
    thing: str
    answer: Answer

    def __str__(self) -> str:
        ways = (
            f"let '{self.telling}' open after '{self.blind}', give it to another group, or draw one of the two apart "
            "by subject (sample.not_in)"
        )
        if self.answer == "hangs on subjects":
            return (
                f"phase '{self.telling}' shows {self.thing}, to which phase '{self.blind}' is blind: their subjects "
                "have to differ, which is checked when they are known."
            )
        return (
            f"phase '{self.telling}' shows {self.thing} to people who can still have to rate the same material in "
            f"phase '{self.blind}', which does not show it: {ways}."
        )


def breaches(study: Expansion) -> list[Breach]:
    """Return everything by which a study would break the law, or might, in the order of its phases."""
    return [breach for telling in study.phases for blind in study.phases for breach in _between(study, telling, blind)]


def _between(study: Expansion, telling: Phase, blind: Phase) -> Iterator[Breach]:
    if telling.key == blind.key or not blind.counts:
        return
    if not may_share_people(telling.by.groups, blind.by.groups, study.groups):
        return
    for thing in sorted(told_by(study, telling) - _open_to(study, blind)):
        reach = _reach(study, thing)
        if reach == "nothing" or (reach == "unit" and telling.rates != blind.rates):
            continue
        if _comes_after(study, telling, blind, reach):
            continue
        if _apart_by_subject(telling, blind):
            continue
        answer: Answer = "refused"
        if _other_material(telling, blind) or _never_both(telling, blind):
            # Other items of the same subject may still be told about.
            if reach != "subject":
                continue
            answer = "hangs on subjects"
        yield Breach(telling.key, blind.key, THINGS[thing].words if thing in THINGS else f"'{thing}'", answer)


def _open_to(study: Expansion, phase: Phase) -> Set[str]:
    """Return what a phase is not blind to: what it shows itself, before the answer."""
    shown = set(phase.shows) | ({"candidate"} if set(phase.rates) & {"candidates", "pairs"} else set())
    if "references" in phase.rates:
        shown.add("reference")
    if any(thing.startswith("reference.") for thing in shown):
        shown |= {thing for thing in shown if thing.startswith("reference.")}
    return open_to(shown, {attribute.key for attribute in study.attributes if attribute.tells_reference})


def _reach(study: Expansion, thing: str) -> Reach:
    if thing in THINGS:
        return THINGS[thing].reach
    tells = {attribute.key for attribute in study.attributes if attribute.tells_reference}
    return "subject" if thing.startswith("reference.") or thing in tells else "unit"


def _comes_after(study: Expansion, telling: Phase, blind: Phase, reach: Reach) -> bool:
    """Return whether a person begins with what tells only when they are done with what is blind."""
    by_key: Mapping[str, Phase] = {phase.key: phase for phase in study.phases}
    both = set(telling.by.groups) & set(blind.by.groups) or set(telling.by.groups)
    waiting = [telling]
    while waiting:
        phase = waiting.pop()
        for before in (by_key[key] for key in phase.opens.after):
            if before.key == blind.key:
                # A queue that fills as it goes waits for the item, not for all of a subject.
                return telling.opens.done_by != "each_unit" or reach != "subject"
            # What others do says nothing of when these people are done, but where it waits for everybody.
            others_wait = phase.opens.done_by != "self" and before.opens.done_by == "everyone"
            if both <= set(before.by.groups) or others_wait:
                waiting.append(before)
    return False


def _never_both(telling: Phase, blind: Phase) -> bool:
    """Return whether nobody rates the same unit in both, because one of them says so."""
    return blind.key in telling.by.not_in or telling.key in blind.by.not_in


def _apart_by_subject(telling: Phase, blind: Phase) -> bool:
    """Return whether one of the two is drawn apart from the other, by subject."""

    def drawn_apart(phase: Phase, other: Phase) -> bool:
        sample = phase.source.sample
        return sample is not None and other.key in sample.not_in

    return drawn_apart(telling, blind) or drawn_apart(blind, telling)


def _other_material(telling: Phase, blind: Phase) -> bool:
    """Return whether the two select by the same attribute and share no value of it; practice is never counted."""
    selected = _selected(telling)
    return any(name in selected and not selected[name] & values for name, values in _selected(blind).items())


def _selected(phase: Phase) -> dict[str, set[str]]:
    conditions = {condition.name: set(condition.values) for condition in phase.source.where}
    practice = conditions.get("practice")
    if practice is not None:
        conditions["practice"] = {"yes"} if practice & {"yes", "true"} else {"no"}
    elif phase.source.phase is None:
        conditions["practice"] = {"no"}
    return conditions
