"""Whether drawn units can be rated as they are: they have what their phase shows, and reveal nothing too early."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from protocol.fields import KINDS
from protocol.fields.kind import Reference
from protocol.forms import PhaseField
from protocol.language import wording
from protocol.language.expansion import Expansion
from protocol.language.law import later_in_words
from protocol.language.narrowing import Left
from protocol.language.things import TELL_THE_REFERENCE, fields_of_reference, in_words
from protocol.study_phases import StudyPhases
from services.errors import Conflict, counted
from services.studies.drawing.drawn_in_common import asked_of, left_by_draws, shares_of_draws
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.groups import group_of_slot
from services.studies.sampling.remarks import listed
from services.studies.sampling.units import Unit


class Breach(NamedTuple):
    """A phase, another that is blind to what the first reveals, the thing, and its reach or how the units show it."""

    telling: str
    blind: str
    thing: str
    by: str


# A cell without a value, where a value is named.
_EMPTY = "empty"
# The noun with which a sentence counts what something is revealed about.
_ABOUT = {"subject": "subject", "item": "item", "unit": "answer"}


def require_sound(
    study: Expansion,
    phases: StudyPhases,
    drawn: Sequence[DrawnPhase],
    pool: Pool,
    to_come: Set[str],
    stays: Set[Breach] = frozenset(),
) -> None:
    """Refuse drawn units that lack what their phase shows, or reveal something that somebody has yet to rate.

    Parameters
    ----------
    to_come
        Keys of the phases for which `drawn` holds everything that answers could let in.
    stays
        What a frozen study reveals already, for which its version does not have to answer.

    Raises
    ------
    Conflict
        With a sentence for each reason.
    """
    reasons = [
        *_lacking(phases, drawn, pool),
        *_lacking_fields(phases, drawn, pool),
        *_never_right(phases, drawn, pool),
        *_torn(study, drawn, pool),
        *(says for breaches, says in _revealed(study, phases, drawn, pool, to_come) if not breaches <= stays),
        *_overlays(study, drawn, pool),
    ]
    if reasons:
        raise Conflict("\n".join(dict.fromkeys(reasons)))


def revealed(
    study: Expansion, phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]
) -> frozenset[Breach]:
    """Return what drawn units reveal that somebody has yet to rate; parameters as for `require_sound`."""
    return frozenset().union(*(breaches for breaches, _ in _revealed(study, phases, drawn, pool, to_come)))


def _revealed(
    study: Expansion, phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]
) -> Iterator[tuple[frozenset[Breach], str]]:
    """Yield what each sentence says is revealed, and the sentence."""
    yield from _told_too_early(study, phases, drawn, pool, to_come)
    yield from _told_by_what_comes_again(study, phases, drawn, pool, to_come)


def _lacking(phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    for part in drawn:
        items = {row.unit.item for row in part.sample.units}
        yield from (f"Phase '{part.key}' {says}" for says in lacking(phases, part.key, items, pool, "drawn"))


def lacking(phases: StudyPhases, phase: str, items: Set[str], pool: Pool, drawn: str) -> Iterator[str]:
    """Yield what a phase shows or needs but some items lack, as words to follow its name.

    Parameters
    ----------
    drawn
        The adjective that a sentence uses for the items.
    """
    rules = phases.rules_of(phases.named(phase))
    needs = rules.shows | rules.tells_after | ({"reference"} if rules.needs_reference else set())
    for thing, without_it, file in (
        ("scans", pool.without_volumes, "name sequences in items.csv, rate these in a phase that shows none"),
        ("reference", pool.without_reference, "add lines to references.csv"),
    ):
        without = sorted(items & without_it)
        if thing in needs and without:
            verb = "shows" if thing in rules.shows else "needs"
            yield (
                f"{verb} the {thing}, which {len(without)} {drawn} {'item' if len(without) == 1 else 'items'} "
                f"({listed(without)}) {'lacks' if len(without) == 1 else 'lack'}; {file}, or select other items."
            )


def _lacking_fields(phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """Yield the phases that show the reference of a field which some drawn items lack."""
    # A reference that names no field is about the field that is compared.
    reading = [phases.rules_of(phase) for phase in phases.phases if phase.kind == "items"]
    compared = {key for rules in reading for key in (rules.own_primary, *rules.primaries.values())}
    for part in drawn:
        rules = phases.rules_of(phases.named(part.key))
        for field in sorted(fields_of_reference(rules.shows | rules.tells_after)):
            items = {row.unit.item for row in part.sample.units} - pool.without_reference
            named = {field, ""} if field in compared else {field}
            without = sorted(item for item in items if not pool.fields_of_reference[item] & named)
            if without:
                yield (
                    f"Phase '{part.key}' shows the reference of '{field}', which {len(without)} drawn "
                    f"{'item' if len(without) == 1 else 'items'} ({listed(without)}) "
                    f"{'lacks' if len(without) == 1 else 'lack'}; add lines to references.csv, or select other items."
                )


def _never_right(phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """Yield the practices that nobody can pass because no answer on offer can be right."""
    for part in drawn:
        items = [row.unit.item for row in part.sample.units]
        yield from (f"Practice '{part.key}' {says}" for says in never_right(phases, part.key, items, pool))


def never_right(phases: StudyPhases, phase: str, items: Iterable[str], pool: Pool) -> Iterator[str]:
    """Yield the items of a practice with a pass mark on which no answer can be right, as words to follow its name."""
    rules = phases.rules_of(phases.named(phase))
    if rules.practice is None or rules.practice.pass_mark == 0:
        return
    for item in items:
        practised = pool.practised.get(item)
        form = practised.form if practised else ""
        key = rules.compared_in(form)
        field = next((each for each in rules.fields_of(form) if each.key == key), None)
        # Fields that take their options from the item were checked against its reference when the tables were read.
        if practised is None or field is None or key in rules.takes_options:
            continue
        reference = practised.references.of(key, compared=True)
        if reference is None:
            yield (
                f"is passed by '{key}', and item '{item}' has no reference for it; add a line to references.csv, or "
                "select other items."
            )
            continue
        # The inside of a mask is only known once scans are read, and an empty mask is refused then.
        compares = reference.compared_by == "program" and not reference.overlay
        says = _problem_of(field, reference.counts_as_right) if compares else ""
        if says:
            yield f"can never be answered right on item '{item}': '{key}' {says}."


def _problem_of(field: PhaseField, reference: Reference) -> str:
    ids = _ever_offered(field)
    together, most = len(set(reference.accepted)), field.at_most
    if KINDS[field.type].scale == "set" and most is not None and together > most:
        return f"takes at most {most} of its options, and {together} together are the reference; change one of the two"
    if ids and reference.accepted and not set(ids) & set(reference.accepted):
        return (
            f"offers {listed(ids)}, and the reference is {listed(list(reference.accepted))}; write the id of an option"
        )
    return KINDS[field.type].problem_of_reference(field, reference)


def _ever_offered(field: PhaseField) -> list[str]:
    """Return the ids of the options that a field can offer, over all values of the field that they depend on."""
    ids = [option.id for option in field.offered]
    if field.options_by is None:
        return ids
    fitting = {option for options in field.options_by.offered.values() for option in options}
    return [option for option in ids if option in fitting]


def _torn(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """Yield the phases with incomplete conversations: alone, a later turn makes no sense and reveals the others."""
    for part in drawn:
        if study.phase(part.key).rates != ["items"]:
            continue
        keys = {row.unit.key for row in part.sample.units}
        last: dict[str, int] = {}
        for key in keys & set(pool.turns):
            conversation, turn = pool.turns[key]
            last[conversation] = max(turn, last.get(conversation, 0))
        torn = sorted(
            {
                conversation
                for key, (conversation, turn) in pool.turns.items()
                if turn < last.get(conversation, 0) and key not in keys
            }
        )
        if torn:
            yield (
                f"Phase '{part.key}' has a later turn without an earlier one of {len(torn)} conversation(s) "
                f"({listed(torn)}); select conversations as a whole, as by an attribute that all their turns share."
            )


def _told_too_early(
    study: Expansion, phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]
) -> Iterator[tuple[frozenset[Breach], str]]:
    """Yield what phases reveal too early, for each slot, or each group that rates the same; once per pair of phases."""
    left = left_by_draws(study, drawn, pool, to_come)
    shared_by: dict[_Told, set[tuple[str, str]]] = {}
    for own in (own for each in asked_of(study, phases, left) for own in each.by_group):
        for units in _shares(own, drawn):
            for breach, shared in _told_to(phases, own, units):
                shared_by.setdefault(breach, set()).update(shared)
    for breach, shared in shared_by.items():
        about, things = _ABOUT[breach.reach], _in_words(phases, breach.things)
        telling = phases.named(breach.telling)
        shows = phases.rules_of(telling).shows | phases.rules_of(telling).tells_after
        verb = "shows" if set(breach.things) <= shows else "tells"
        because = "".join(_because(breach, left.get(breach.telling, Left()), to_come))
        names = frozenset(Breach(breach.telling, breach.blind, thing, breach.reach) for thing in breach.things)
        if telling.trains:
            says = (
                f"Practice '{breach.telling}' tells {things} of {counted(len(shared), about)} that the same people "
                f"rate in phase '{breach.blind}', which does not show it; practise with other {about}s.{because}"
            )
            yield names, says
            continue
        later = later_in_words(breach.telling, breach.blind, by_admin=telling.by_admin)
        says = (
            f"Phase '{breach.telling}' {verb} {things} of {counted(len(shared), about)} that the same people can still "
            f"have to rate in phase '{breach.blind}', which does not show it; {later}, "
            f"or draw one of the two apart (sample.not_in).{because}"
        )
        yield names, says


def _told_by_what_comes_again(
    study: Expansion, phases: StudyPhases, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]
) -> Iterator[tuple[frozenset[Breach], str]]:
    """Yield what a phase reveals through units that recur, or are new, in another one."""
    for share in shares_of_draws(study, drawn, pool, to_come):
        *_, as_left = asked_of(study, phases, {share.telling: Left({share.key: share.value})})
        subjects = {
            about
            for own in as_left.by_group
            for units in _shares(own, drawn)
            if share.telling in units
            for breach, shared in _told_to(phases, own, {**units, share.telling: share.units})
            if (breach.telling, breach.blind) == (share.telling, share.blind) and share.key in breach.things
            for about in shared
        }
        if subjects:
            by_admin = phases.named(share.telling).by_admin
            later = later_in_words(share.telling, share.blind, by_admin=by_admin)
            says = (
                f"Phase '{share.telling}' tells the reference ('{share.key}') of {counted(len(subjects), 'subject')} "
                f"that the same people can still have to rate in phase '{share.blind}', which does not show it: all "
                f"that {share.comes} there has one value of {share.key} ({share.value or _EMPTY}). "
                f"{later[0].upper()}{later[1:]}, "
                "or let that have several values."
            )
            yield frozenset({Breach(share.telling, share.blind, share.key, share.comes)}), says


def _because(breach: _Told, left: Left, to_come: Set[str]) -> Iterator[str]:
    """Yield why a phase reveals an attribute that it does not select by: its draw, or answers, left a single value."""
    for key, value in left.values.items():
        if key not in breach.things:
            continue
        if breach.telling in to_come:
            yield (
                f" Answers decide what '{breach.telling}' gets of those that its selection leaves: all of it can have "
                f"one value of {key}."
            )
        else:
            yield (
                f" All that was drawn for '{breach.telling}' has one value of {key} ({value or _EMPTY}), of those that "
                "its selection leaves."
            )
    for keys, are in ((left.unlike, "differ"), (left.alike, "are alike")):
        yield from (f" The answers of each pair {are} in {key}." for key in keys if key in breach.things)


def _in_words(phases: StudyPhases, things: Sequence[str]) -> str:
    """Return what is revealed, in words; if that is the reference itself, without other things that tell it."""
    telling = {attribute.key for attribute in phases.attributes if attribute.tells_reference}
    said = [
        f"the reference ({in_words(thing)})" if thing in telling else in_words(thing)
        for thing in things
        if "reference" not in things or thing not in telling | (TELL_THE_REFERENCE - {"reference"})
    ]
    return wording.listed(said)


@dataclass(frozen=True)
class _Told:
    """A phase that reveals something, the phase that is blind to it (both by listed key), what it is, and its reach."""

    telling: str
    blind: str
    things: tuple[str, ...]
    reach: str


def _shares(phases: StudyPhases, drawn: Sequence[DrawnPhase]) -> list[dict[str, list[Unit]]]:
    """Return the units of each phase that one person in a group may get, for each slot with anything dealt to it."""
    parts = [part for part in drawn if any(phase.key == part.key for phase in phases.phases)]
    own = {group.key for group in phases.groups}
    dealt = {name for part in parts for slots in part.slots.values() for name in slots}
    names = [name for name in dealt if group_of_slot(name) in own]
    return [
        {
            part.key: [row.unit for row in part.sample.units if not part.slots or name in part.slots[row.unit.key]]
            for part in parts
        }
        for name in sorted(names) or [""]
    ]


def _told_to(
    study: StudyPhases, phases: StudyPhases, units: Mapping[str, Sequence[Unit]]
) -> Iterator[tuple[_Told, set[tuple[str, str]]]]:
    """Yield what is revealed too early to a person with these units, and the subjects, items or units it is about."""
    for telling in phases.phases:
        done_before = _all_before(study, {phase.key for phase in phases.phases}, telling.listed_as)
        for breach in phases.blind_to(telling):
            for phase in (phase for phase in breach.blind if phase.queue != telling.queue):
                if phase.listed_as in done_before:
                    continue
                parts = (telling.listed_as, phase.listed_as)
                of_telling, of_blind = (
                    {about for unit in units[key] for about in abouts_of(unit, breach.reach)} for key in parts
                )
                shared = of_telling & of_blind
                if shared:
                    yield _Told(*parts, breach.things, breach.reach), shared


def abouts_of(unit: Unit, reach: str) -> list[tuple[str, str]]:
    """Return what a unit is about: itself, its subject, or its item (for a turn, the conversation).

    A pair is about both of its answers.
    """
    if reach == "unit":
        return [("unit", key) for key in unit.pair or (unit.key,)]
    if reach == "subject":
        return [("subject", unit.subject)] if unit.subject else []
    conversation = unit.attributes.get("conversation")
    return [("conversation", conversation) if conversation else ("item", unit.item)]


def _all_before(study: StudyPhases, own: Set[str], key: str) -> set[str]:
    """Return the keys of the phases that a person has finished when this one opens.

    Parameters
    ----------
    own
        Keys of the phases that they work in. Other phases only count if the phase waits for everybody.
    """
    before: set[str] = set()
    waits = [study.named(key)]
    while waits:
        phase = waits.pop()
        for earlier in (study.named(name) for name in phase.after):
            goes_on = earlier.key in own or (phase.after_everyone and earlier.after_everyone)
            if goes_on and earlier.key not in before:
                before.add(earlier.key)
                waits.append(earlier)
    return before


def _overlays(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool) -> Iterator[str]:
    """Yield the phases in which an item with a mask would show where to look in its subject's items without one."""
    for part in drawn:
        if "overlays" not in study.phase(part.key).shows:
            continue
        subjects: dict[bool, set[str | None]] = {True: set(), False: set()}
        for row in part.sample.units:
            subjects[row.unit.item in pool.with_overlays].add(row.unit.subject)
        both = sorted(str(subject) for subject in subjects[True] & subjects[False])
        if both:
            yield (
                f"Phase '{part.key}' shows overlays, and of subject {listed(both)} it has items with one and without; "
                "draw at most one item of a subject, or rate those with overlays in a phase of their own."
            )
