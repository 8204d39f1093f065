"""The law of blinding, applied to a protocol: nobody is told a thing and then asked as if they had not been told.

Phases are checked against each other here. Whether their subjects and people overlap is certain only at the freeze and
whenever somebody joins, so the answer may be that it depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.narrowing import sources_of, values_of
from protocol.language.phases import may_share_people
from protocol.language.pools import columns_of_models, kind_rated, tells_apart
from protocol.language.telling import Asked
from protocol.language.things import (
    TOLD,
    WHO_WROTE,
    Reach,
    field_of_reference,
    in_words,
    open_to,
    reach_of_attribute,
    shows_the_reference,
)

Answer = Literal["refused", "hangs on subjects"]
_ABOUT: dict[Reach, str] = {
    "subject": "subjects",
    "item": "items and conversations",
    "unit": "answers",
    "nothing": "material",
}


@dataclass(frozen=True)
class Breach:
    """A phase reveals something to which another phase, still to come for the same person, has to be blind.

    Attributes
    ----------
    telling, blind
        Keys of the phase that reveals it and of the phase that is blind to it.
    thing
        What is revealed.
    how
        The way in which it is revealed, as words after the name of the phase.
    answer
        "refused", or "hangs on subjects" if the two take different material that may concern the same subjects, items
        or conversations.
    reach
        How much of the material it can give away.
    unless
        When it reveals nothing after all, as a sentence; empty if it always does.
    may_be_shown
        Whether the blind phase could show it as well, without giving away the reference.
    by_admin
        Whether an admin opens the phase that reveals it, which then waits for no other phase.
    """

    telling: str
    blind: str
    thing: str
    how: str
    answer: Answer
    reach: Reach
    unless: str = ""
    may_be_shown: bool = False
    by_admin: bool = False
    may_not_count: bool = False

    def __str__(self) -> str:
        later = f"{later_in_words(self.telling, self.blind, by_admin=self.by_admin)}, "
        if self.thing == in_words(WHO_WROTE):
            # Reversing the order does not help, as a pool in turn reveals what others answered.
            later = ""
        apart = "give it to another group, or draw one of the two apart by subject (sample.not_in)"
        shown = f"show it in '{self.blind}', too, " if self.may_be_shown else ""
        uncounted = f" If '{self.blind}' need not enter an estimate, write counts: no there."
        if self.answer == "hangs on subjects":
            return (
                f"phase '{self.telling}' {self.how}, to which phase '{self.blind}' is blind: their "
                f"{_ABOUT[self.reach]} have to differ, which is checked when they are known."
            )
        return (
            f"phase '{self.telling}' {self.how} to people who can still have to rate the same material in "
            f"phase '{self.blind}', which does not show it: {shown}{later}{apart}."
            f"{f' {self.unless}' if self.unless else ''}"
            f"{uncounted if self.may_not_count else ''}"
        )


def later_in_words(telling: str, blind: str, *, by_admin: bool) -> str:
    """Return the advice to open a phase later; one that an admin opens cannot wait for a phase as well."""
    instead = f" (opens: {{after: {blind}}} in place of by_admin)" if by_admin else ""
    return f"let '{telling}' open after '{blind}'{instead}"


def breaches(study: Expansion) -> list[Breach]:
    """Return every breach of the law, certain or possible, in the order of the phases."""
    asked = Asked(study)
    return [breach for telling in study.phases for blind in study.phases for breach in _between(asked, telling, blind)]


def _between(asked: Asked, telling: Phase, blind: Phase) -> Iterator[Breach]:
    study = asked.study
    if telling.key == blind.key or not blind.counts:
        return
    if not may_share_people(telling.by.groups, blind.by.groups, study.groups):
        return
    for thing in sorted(asked.told_anew(telling, blind) - _open_to(asked, blind)):
        reach = reach_of(study, thing)
        if thing == WHO_WROTE:
            if not _has_texts_of(study, telling, blind):
                continue
        elif reach == "nothing" or (reach == "unit" and not (_rates_answers(telling) and _rates_answers(blind))):
            continue
        if _comes_after(study, telling, blind, reach) or _apart_by_subject(study, telling, blind):
            continue
        kept_apart = _kept_apart(study, telling, blind)
        if kept_apart is None:
            answer: Answer = "refused"
        elif _WIDTH[kept_apart] < _WIDTH[reach]:
            # Other material of the same subject, item or conversation may still be given away.
            answer = "hangs on subjects"
        else:
            continue
        way = asked.way_of(telling, thing)
        how = way.says.format(thing=in_words(thing))
        said = (in_words(thing), how, answer, reach, way.unless, way.on_the_screen and _says_what_it_is(study, thing))
        by_admin = telling.opens.kind == "by_admin"
        yield Breach(telling.key, blind.key, *said, by_admin=by_admin, may_not_count=_decides_over_answers(blind))


def _says_what_it_is(study: Expansion, thing: str) -> bool:
    """Return whether a thing is an attribute of a case or an item that does not give away the reference."""
    of_material = (each for each in study.attributes if each.table in ("cases", "items"))
    return any(each.key == thing and not each.tells_reference for each in of_material)


def _decides_over_answers(phase: Phase) -> bool:
    """Return whether a phase is shown the reference beside what others answered, as for a decision about an item."""
    return shows_the_reference(set(phase.shows)) and "opinions" in phase.shows


def _rates_answers(phase: Phase) -> bool:
    return bool(set(phase.rates) - {"items", "references"})


def _has_texts_of(study: Expansion, telling: Phase, pool: Phase) -> bool:
    """Return whether people of a phase read texts, as answers or opinions, that are also in a pool."""
    if set(pool.rates) != {"candidates", "answers"}:
        return False
    shown = (*telling.shows, *(telling.then.shows if telling.then else ()))
    opinions_of = telling.source.phase if "opinions" in shown else None
    if set(telling.rates) == set(pool.rates):
        of_same_people = telling.answers_of == pool.answers_of
        return opinions_of == pool.answers_of or (of_same_people and tells_apart(study, telling, pool))
    rates_models = bool(set(telling.rates) & {"candidates", "pairs"})
    return rates_models or pool.answers_of in {telling.answers_of, opinions_of}


def _open_to(asked: Asked, phase: Phase) -> Set[str]:
    """Return what a phase is not blind to, which is what it shows before the answer."""
    shown = set(phase.shows) | ({"candidate"} if set(phase.rates) & {"candidates", "pairs"} else set())
    if "references" in phase.rates:
        shown.add("reference")
    if "answers" in phase.rates:
        shown.add("opinions")
    shown |= asked.known_in(phase)
    telling = {attribute.key for attribute in asked.study.attributes if attribute.tells_reference}
    parts = {thing for other in asked.study.phases for thing in asked.told_by(other.key) if field_of_reference(thing)}
    return open_to(shown, telling | parts)


def reach_of(study: Expansion, thing: str) -> Reach:
    """Return how much of the material a thing can give away."""
    if thing in TOLD:
        return TOLD[thing].reach
    declared = next((attribute for attribute in study.attributes if attribute.key == thing), None)
    # Anything else is a part of the reference.
    if declared is None:
        return "subject"
    return reach_of_attribute(declared.table, tells_reference=declared.tells_reference)


def _comes_after(study: Expansion, telling: Phase, blind: Phase, reach: Reach) -> bool:
    """Return whether nobody begins the revealing phase before they have finished the blind one."""
    by_key: Mapping[str, Phase] = {phase.key: phase for phase in study.phases}
    both = set(telling.by.groups) & set(blind.by.groups) or set(telling.by.groups)
    waiting = [telling]
    while waiting:
        phase = waiting.pop()
        for before in (by_key[key] for key in phase.opens.after):
            if before.key == blind.key:
                # A queue that fills unit by unit waits for the item, not for the whole subject.
                return phase.opens.done_by != "each_unit" or (phase.key == telling.key and reach != "subject")
            if phase.opens.done_by == "each_unit":
                continue  # It begins before the earlier phase is finished.
            # Other people's progress does not tell when these people are done, unless the phase waits for everybody.
            others_wait = phase.opens.done_by != "self" and before.opens.done_by == "everyone"
            if both <= set(before.by.groups) or others_wait:
                waiting.append(before)
    return False


def _apart_by_subject(study: Expansion, telling: Phase, blind: Phase) -> bool:
    """Return whether one of the two is drawn apart, by subject, from the other, which is drawn before it."""

    def drawn_apart(phase: Phase, other: Phase) -> bool:
        sample = phase.source.sample
        is_above = study.phases.index(other) < study.phases.index(phase)
        return sample is not None and is_above and other.key in sample.not_in

    return drawn_apart(telling, blind) or drawn_apart(blind, telling)


# Reaches by the amount of material, from the least to the whole subject.
_WIDTH: dict[Reach, int] = {"nothing": 0, "unit": 1, "item": 2, "subject": 3}


def _kept_apart(study: Expansion, telling: Phase, blind: Phase) -> Reach | None:
    """Return which material nobody gets in both phases: units, items with their conversation, or subjects.

    "nothing" means that they are kept apart by values that are not known yet, and None that nothing keeps them apart.
    """
    apart: list[Reach] = []
    if blind.key in telling.by.not_in or telling.key in blind.by.not_in:
        alike = kind_rated(telling) == kind_rated(blind) and _rates_answers(blind)
        # Somebody may rate another answer to the same item.
        apart.append("unit" if alike else "item")
    selected = _selected(study, telling)
    # These select no person's answer, and two pools of the same people's answers share those answers.
    of_models = columns_of_models(study) if telling.answers_of and telling.answers_of == blind.answers_of else set()
    for name, values in _selected(study, blind).items():
        if name in selected and name not in of_models and not selected[name] & values:
            apart.append(_apart_by(study, name))
    return max(apart, key=_WIDTH.__getitem__, default=None)


def _apart_by(study: Expansion, name: str) -> Reach:
    """Return which material different values of an attribute, or of a result, keep apart."""
    if name == "subject":
        return "subject"
    if "." in name:
        return "nothing"
    of_cases = {attribute.key for attribute in study.attributes if attribute.table == "cases"}
    # The turns of a conversation share a case, but attributes of items may differ between them.
    return "item" if name in of_cases | {"practice", "conversation"} else "unit"


def _selected(study: Expansion, phase: Phase) -> dict[str, set[str]]:
    """Return the values by which a phase selects, with practice normalised to yes or no.

    Units that come from another phase are about items of that phase, so what it says of cases and items holds for them,
    too. What it says of answers need not: other answers to the same items may be rated.
    """
    conditions = {condition.name: values_of(condition.values) for condition in phase.source.where}
    for source in _phases_above(study, phase):
        for name, values in ((each.name, values_of(each.values)) for each in source.where):
            if "." not in name and name not in columns_of_models(study):
                conditions[name] = conditions.get(name, values) & values
    practice = set().union(*(said for source in sources_of(study, phase) for said in _of_practice(source)))
    conditions["practice"] = {"yes"} if "yes" in practice else {"no"}
    return conditions


def _phases_above(study: Expansion, phase: Phase) -> Iterator[Source]:
    """Yield the sources of the phases to whose items those of a phase belong, as drawn or as answered there."""
    name = phase.source.phase or phase.answers_of
    while name is not None:
        above = study.phase(name)
        yield above.source
        name = above.source.phase or above.answers_of


def _of_practice(source: Source) -> Iterator[set[str]]:
    return (values_of(condition.values) for condition in source.where if condition.name == "practice")
