"""The phases of one study as the program uses them: in order, each with the rules that the protocol sets for it.

A study in the first language has the phases of the table in `protocol.phases`; a study that lists its phases has its
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property

from protocol.context import TextSettings
from protocol.language.telling import Way
from protocol.language.things import THINGS, field_of_reference, open_to
from protocol.language.things import Reach as ReachOrNone
from protocol.phase_rules import PhaseRules
from protocol.phases import Phase, Queue, Reach
from protocol.released import Released
from protocol.sections import RevisionRule


@dataclass(frozen=True)
class Adjudication:
    """A queue in which a reviewer decides between others' answers.

    Attributes
    ----------
    settled
        The phase whose answers are settled.
    own_read, decision
        The two steps of the work on an item: the reviewer's own blind read, and the choice between the opinions.
    controls
        How many items on which the answers agree are added as controls.
    """

    settled: Phase
    own_read: Phase
    decision: Phase
    controls: int


@dataclass(frozen=True)
class Group:
    """People who do the same work; `people` is the planned number, or None if the protocol gives none."""

    key: str
    title: str
    people: int | None


@dataclass(frozen=True)
class Telling:
    """What a phase reveals, about how much of the material, and which phases are blind to it.

    Attributes
    ----------
    things
        What it reveals, in the words of the language.
    reach
        How much of the material the things can give away.
    blind
        The phases of the same people that are blind to each of the things.
    """

    things: tuple[str, ...]
    reach: Reach
    blind: tuple[Phase, ...]


@dataclass(frozen=True)
class StudyPhases:
    """The phases of a study in order, with practice before the phases that it opens.

    Derived values are cached, since every request of a reader needs them.
    """

    phases: tuple[Phase, ...]
    rules: Mapping[str, PhaseRules]
    seed: int
    consent: str
    notice: str
    text: TextSettings
    adjudication: Adjudication | None
    # Whether the protocol lists them; otherwise they are those of the table in `protocol.phases`.
    listed: bool = False
    groups: tuple[Group, ...] = ()
    # All declared attributes of cases, items and candidates, shown or not.
    attributes: tuple[Released, ...] = ()

    def of_group(self, key: str) -> StudyPhases:
        """Return the study as one group sees it: only its own phases, numbered as if there were no others.

        Its members learn of no other group, neither from an address nor from what a phase waits for.
        """
        if len(self.groups) < 2:
            return self
        own = [phase for phase in self.phases if key in phase.groups]
        keys = {phase.key for phase in own}
        queues = list(dict.fromkeys(phase.queue for phase in own))
        return replace(
            self,
            phases=tuple(
                replace(
                    phase,
                    queue=replace(phase.queue, key=part_key(queues.index(phase.queue) + 1)),
                    after=tuple(before for before in phase.after if before in keys),
                    groups=(key,),
                )
                for phase in own
            ),
            groups=tuple(group for group in self.groups if group.key == key),
        )

    @cached_property
    def by_group(self) -> tuple[StudyPhases, ...]:
        """The study as each group sees it; just the study itself if it has no groups."""
        return tuple(self.of_group(group.key) for group in self.groups) or (self,)

    @property
    def has_reviewers(self) -> bool:
        """Whether any phase is for reviewers; in studies that list their phases, people who review are raters."""
        return any(phase.role == "reviewer" for phase in self.phases)

    def named(self, key: str) -> Phase:
        """Return the phase with this key, which must exist, as it does for every assignment."""
        return self._by_key[key]

    @cached_property
    def _by_key(self) -> Mapping[str, Phase]:
        return {phase.key: phase for phase in self.phases}

    def rules_of(self, phase: Phase) -> PhaseRules:
        """Return the rules that the protocol sets for a phase."""
        return self.rules[phase.key]

    @cached_property
    def queues(self) -> tuple[Queue, ...]:
        """The queues that the members of the study work through, in order."""
        return tuple(dict.fromkeys(phase.queue for phase in self.phases))

    def queue_named(self, key: str) -> Queue | None:
        """Return the queue with this key, which may come from an address; None if there is no such queue."""
        return next((queue for queue in self.queues if queue.key == key), None)

    def with_volumes(self, role: str) -> tuple[Queue, ...]:
        """Return the queues of a role in which scans are shown."""
        shows = {phase.queue for phase in self.phases if self.rules_of(phase).shows_volumes}
        return tuple(queue for queue in self.queues if queue.role == role and queue in shows)

    def in_queue(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases of a queue by step, without practice unless that is a listed part of its own."""
        return self._by_queue.get(queue, ())

    @cached_property
    def _by_queue(self) -> Mapping[Queue, tuple[Phase, ...]]:
        phases: dict[Queue, tuple[Phase, ...]] = {}
        for phase in sorted(self.phases, key=lambda phase: phase.step):
            if phase.listed or not phase.trains:
                phases[phase.queue] = (*phases.get(phase.queue, ()), phase)
        return phases

    def training_for(self, queue: Queue) -> Phase | None:
        """Return the practice that opens a queue, or None."""
        return next((phase for phase in self.phases if phase.queue == queue and phase.trains), None)

    @property
    def training(self) -> Phase | None:
        """The first practice phase of the study, or None; a group has at most one."""
        return next(iter(self.trainings), None)

    @cached_property
    def trainings(self) -> tuple[Phase, ...]:
        """The practice of each group that has one."""
        return tuple(phase for phase in self.phases if phase.trains)

    def before(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases that a member must have finished before a queue opens."""
        keys = dict.fromkeys(key for phase in self.in_queue(queue) for key in phase.after)
        return tuple(self.named(key) for key in self.with_what_continues(keys))

    @cached_property
    def following(self) -> tuple[Phase, ...]:
        """The phases whose units follow from answers, in order of the study."""
        return tuple(phase for phase in self.phases if phase.follows)

    @cached_property
    def chosen_by_answers(self) -> tuple[Phase, ...]:
        """The phases of which it depends on answers what they rate: drawn from these, or sent to reviewers, in order.

        Whatever else shows such a unit (`then`) is among them.
        """
        chosen = {phase.key for phase in self.phases if phase.follows or phase.role == "reviewer"}
        return tuple(phase for phase in self.phases if phase.key in chosen or phase.listed_as in chosen)

    def is_chosen_by_answers(self, queue: Queue) -> bool:
        """Return whether it depends on answers what a queue holds."""
        return any(phase in self.chosen_by_answers for phase in self.in_queue(queue))

    def waits_for_everyone(self, queue: Queue) -> tuple[str, ...]:
        """Return the keys of the phases that everybody in them must have finished before a queue opens."""
        return self.with_what_continues(
            dict.fromkeys(key for phase in self.in_queue(queue) for key in phase.after_everyone)
        )

    def all_before(self, queue: Queue, everybody: StudyPhases) -> frozenset[str]:
        """Return the keys of the phases that are finished when a queue opens: those it waits for, and all before these.

        Each phase counts even if its member has nothing in the one after it that would wait for it.

        Parameters
        ----------
        everybody
            The study with the phases of all groups, since a queue that waits for everyone waits for those too.
        """
        own = {phase.key for phase in self.phases}
        waiting, met = list(self.in_queue(queue)), set[str]()
        while waiting:
            phase = waiting.pop()
            before = (own.intersection(phase.after) | set(phase.after_everyone)) - met
            met |= before
            waiting += [everybody.named(key) for key in before]
        return frozenset(self.with_what_continues(met))

    def with_what_continues(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return keys of phases, each followed by that of its second step if the study has one for it."""
        after = {phase.continues: phase.key for phase in self.phases if phase.continues}
        return tuple(name for key in keys for name in (key, after.get(key)) if name is not None)

    def continuation_of(self, phase: Phase) -> Phase | None:
        """Return the phase that shows more once an answer in this one is locked, or None."""
        return next((other for other in self.phases if other.continues == phase.key), None)

    def waits_for_subject(self, continuation: Phase) -> bool:
        """Return whether more is shown only once all units of the subject, not just of the item, are answered."""
        more = self.rules_of(continuation).shows - self.rules[continuation.continues].shows
        if any(self._reach_of(thing) == "subject" for thing in more):
            return True
        # Opinions reveal what their authors were shown, and the desk checks for that as well.
        return any(
            known.reach == "subject" and phase.key == continuation.continues
            for known in self.blind_to(continuation)
            for phase in known.blind
        )

    def closed_without(self, training: Phase, dealt: Set[str], everybody: StudyPhases) -> tuple[Queue, ...]:
        """Return the queues that stay closed to a member who fails a practice, in order.

        Parameters
        ----------
        dealt
            The keys of the phases in which the member has work; other queues are not among those returned.
        everybody
            See `all_before`.
        """
        behind = {training.key, *(phase.key for phase in self.in_queue(training.queue))}
        return tuple(
            queue
            for queue in self.queues
            if (queue == training.queue or behind & self.all_before(queue, everybody))
            and dealt & {phase.key for phase in self.in_queue(queue) if not phase.trains}
        )

    def after(self, queue: Queue) -> tuple[Queue, ...]:
        """Return the queues that open once a member has finished this one, in order."""
        own = set(self.in_queue(queue))
        return tuple(other for other in self.queues if own & set(self.before(other)))

    def settled_by(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases whose verdicts are final once a queue is begun: those before it, and those blind to it.

        What a phase is blind to may be shown several phases later, after phases of other people or without units.
        Practice makes nothing final by what it reveals, as nothing else is rated about its subjects.
        """
        telling = [known for own in self.in_queue(queue) if not own.trains for known in self.blind_to(own)]
        blind = [phase for known in telling for phase in known.blind]
        return tuple(dict.fromkeys((*self.before(queue), *(blind if self.listed else ()))))

    def by_admin(self, queue: Queue) -> frozenset[str]:
        """Return the listed keys of a queue's phases that wait until an admin opens them."""
        return frozenset(phase.listed_as for phase in self.in_queue(queue) if phase.by_admin)

    def opens_later(self, queue: Queue) -> str:
        """Return what a member is told while a queue is not open to them yet."""
        if self.by_admin(queue):
            return f"“{queue.title}” is opened by the study's admin."
        if self.waits_for_everyone(queue) or self.follows_from_answers(queue):
            # Nobody may learn who the others are, or whether there are any.
            return f"“{queue.title}” opens once everything that comes before it is done."
        if self.listed:
            return f"“{queue.title}” opens once you are done with what comes before it."
        return "Scoring opens once you have read all your items."

    def follows_from_answers(self, queue: Queue) -> bool:
        """Return whether the units of a queue follow from answers in other phases."""
        return any(phase.follows for phase in self.in_queue(queue))

    def is_revisable(self, queue: Queue) -> bool:
        """Return whether a protocol may allow verdicts of this queue to be revised."""
        return any(phase.revisable for phase in self.in_queue(queue))

    def revision_in(self, queue: Queue) -> RevisionRule:
        """Return how long the verdicts of a queue may be revised."""
        said = [self.rules_of(phase).revision for phase in self.in_queue(queue) if phase.revisable]
        return said[0] if said else "never"

    @property
    def previewed(self) -> Phase:
        """The phase in which an admin previews an item: the first that rates items, or else the first of all."""
        return next((phase for phase in self.counted if phase.kind == "items"), self.counted[0])

    def blind_to(self, showing: Phase) -> tuple[Telling, ...]:
        """Return what a phase shows or otherwise reveals and other phases are blind to, each with those phases.

        The reference, anything that gives it away, overlays and an attribute of a case concern the whole subject. A
        candidate, others' answers and an attribute of an item concern that item, or its conversation. An attribute of
        a candidate concerns only that candidate. A phase that does not count is blind to nothing.
        """
        tellings = self._tellings.get(showing)
        if tellings is None:
            tellings = self._tellings[showing] = tuple(self._told_by(showing))
        return tellings

    @cached_property
    def _tellings(self) -> dict[Phase, tuple[Telling, ...]]:
        return {}

    def _told_by(self, showing: Phase) -> Iterator[Telling]:
        rules = self.rules_of(showing)
        # In practice, feedback is shown within the phase.
        shown = rules.shows | (rules.tells_after if showing.trains else frozenset())
        things_by: dict[tuple[Reach, tuple[Phase, ...]], list[str]] = {}
        for thing in sorted(shown | rules.all_told):
            reach = self._reach_of(thing)
            if reach != "nothing":
                blind = (phase for phase in self._blind(showing, {thing}) if reach != "unit" or phase.rates_answers)
                if thing not in shown:
                    ways = [way for way, things in rules.tells.items() if thing in things]
                    blind = (phase for phase in blind if not self._tells_alike(phase, thing, ways))
                things_by.setdefault((reach, tuple(blind)), []).append(thing)
        for (reach, phases), things in things_by.items():
            if phases:
                yield Telling(tuple(things), reach, phases)

    def _tells_alike(self, phase: Phase, thing: str, ways: Iterable[Way]) -> bool:
        """Return whether a phase reveals a thing itself in all these ways, and so learns nothing new by them."""
        tells = self.rules_of(phase).tells
        return all(way.known == "by the same way" and thing in tells.get(way, ()) for way in ways)

    def _reach_of(self, thing: str) -> ReachOrNone:
        if thing in THINGS:
            return THINGS[thing].reach
        declared = next((each for each in self.attributes if each.key == thing), None)
        # Anything else is a part of the reference.
        return "subject" if declared is None else declared.reach

    @cached_property
    def _telling(self) -> Set[str]:
        """The attributes that give away the reference, and the parts of the reference that any phase reveals."""
        shown = (thing for rules in self.rules.values() for thing in rules.shows | rules.tells_after | rules.all_told)
        return {attribute.key for attribute in self.attributes if attribute.tells_reference} | {
            thing for thing in shown if field_of_reference(thing)
        }

    def _blind(self, showing: Phase, disclosed: Set[str]) -> tuple[Phase, ...]:
        others = (
            phase
            for phase in self.counted
            if phase != showing and phase.role == showing.role and _share_people(phase, showing)
        )
        return tuple(phase for phase in others if self._is_blind(phase, showing, disclosed))

    def _is_blind(self, phase: Phase, showing: Phase, disclosed: Set[str]) -> bool:
        rules = self.rules_of(phase)
        # Both steps of a phase have the same units, so their selection reveals nothing new in the second.
        in_both = rules.all_told - rules.told_in_part if phase.queue == showing.queue else frozenset()
        return rules.counts and bool(disclosed - self._open_to(rules) - in_both)

    def _open_to(self, rules: PhaseRules) -> Set[str]:
        return open_to(rules.all_shown | rules.all_known, self._telling)

    @cached_property
    def revisable(self) -> tuple[Phase, ...]:
        """The phases in which the protocol allows verdicts to be revised."""
        return tuple(phase for phase in self.phases if phase.revisable and self.rules_of(phase).revision != "never")

    @cached_property
    def counted(self) -> tuple[Phase, ...]:
        """The phases that enter statistics, which is all but practice."""
        return tuple(phase for phase in self.phases if not phase.trains)


def part_key(place: int) -> str:
    """Return the name of a listed phase in addresses, without its key, which may contain what raters must not know."""
    return f"part-{place}"


def _share_people(some: Phase, other: Phase) -> bool:
    return not some.groups or bool(set(some.groups) & set(other.groups))
