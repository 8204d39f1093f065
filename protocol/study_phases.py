"""The phases of one study as the program goes by them: in their order, each with what the protocol says of it.

A study of the first language has the phases of the table in `protocol.phases`; one that lists its phases has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from protocol.context import Context, TextSettings
from protocol.forms import PRIMARY, FormField, Option, PhaseField
from protocol.hanging import Hanging
from protocol.language.things import TELL_THE_REFERENCE, open_to
from protocol.phases import OPINIONS, PHASES, PRACTICE, READING, REVIEW, SCORING, Phase, Queue
from protocol.sections import Practice, RevisionRule
from protocol.study import Protocol

_REASON = PhaseField(key="reason", type="text", label="Reason for the decision")


@dataclass(frozen=True)
class PhaseRules:
    """What a protocol says of a phase.

    Attributes
    ----------
    instructions
        What is read before the first item; empty for none.
    question
        What is asked of a unit that is no item, whose prompt then stands as the question.
    forms
        The fields by the name of the form that an item names.
    fields
        The fields of every unit; None where each item names its form.
    hanging, context
        What of scans and case stands on the screen.
    not_assessable, flags, comment
        Why a unit cannot be assessed, what can be flagged, and whether a note can be left.
    revision
        How long a verdict may be replaced by another.
    order_is_random, subject_distance, shuffle_options
        In which order units and the options of items are dealt.
    practice
        Where the phase trains: when it is passed, and what is said to an answer.
    shows
        What stands on the screen, in the words of the language.
    takes_options
        Keys of fields that offer the options of the item, where it has any.
    as_item
        Keys of fields that ask what an item's format asks.
    options_as_text
        Whether the options of the item stand beside its prompt, since no field offers them.
    counts
        Whether its verdicts count as blind; what does not may come after anything was shown.
    tells
        What it tells beside that, by what is rated in it or by why a unit is there.
    opinions_of
        Key of the phase whose answers stand on the screen, as those of nobody in particular; empty for none.
    """

    instructions: str
    question: str
    forms: Mapping[str, tuple[PhaseField, ...]]
    fields: tuple[PhaseField, ...] | None
    hanging: Hanging
    context: Context
    not_assessable: tuple[Option, ...]
    flags: tuple[Option, ...]
    comment: bool
    revision: RevisionRule
    order_is_random: bool
    subject_distance: int
    shuffle_options: bool
    practice: Practice | None
    shows: frozenset[str]
    takes_options: frozenset[str] = frozenset()
    as_item: frozenset[str] = frozenset()
    options_as_text: bool = False
    counts: bool = True
    tells: frozenset[str] = frozenset()
    opinions_of: str = ""

    def fields_of(self, form: str) -> tuple[PhaseField, ...]:
        """Return the fields that are filled in for an item which names this form."""
        return self.forms[form] if self.fields is None else self.fields

    @property
    def shows_volumes(self) -> bool:
        """Whether scans stand on the screen; without them words take their room."""
        return "scans" in self.shows

    @property
    def shows_judged(self) -> bool:
        """Whether a text that is judged, or held against what is judged, stands on the screen."""
        return bool(self.shows & {"reference", "candidate"})

    def primary_of(self, form: str) -> PhaseField:
        """Return the field in which an item that names this form is answered."""
        return next(field for field in self.forms[form] if field.key == PRIMARY)


@dataclass(frozen=True)
class Adjudication:
    """A queue in which somebody decides about what others answered.

    Attributes
    ----------
    settled
        The phase whose answers are decided about.
    own_read, decision
        The two steps of the work on an item: the own blind read, and the choice between the opinions.
    controls
        How many items on which the answers agree go along.
    """

    settled: Phase
    own_read: Phase
    decision: Phase
    controls: int


@dataclass(frozen=True)
class Group:
    """People who do the same work; `people` says how many are planned, None where the protocol does not."""

    key: str
    title: str
    people: int | None


@dataclass(frozen=True)
class StudyPhases:
    """The phases of a study in their order, those that train before what they open."""

    phases: tuple[Phase, ...]
    rules: Mapping[str, PhaseRules]
    seed: int
    consent: str
    notice: str
    text: TextSettings
    adjudication: Adjudication | None
    # Whether its protocol lists them; else they are those of the table in `protocol.phases`.
    listed: bool = False
    groups: tuple[Group, ...] = ()

    def of_group(self, key: str) -> StudyPhases:
        """Return the study as one group of its people has it: their phases alone, numbered as if there were no others.

        Whoever has them learns of no other group: neither by an address nor by what a phase waits for.
        """
        if len(self.groups) < 2:
            return self
        own = [phase for phase in self.phases if key in phase.groups]
        keys = {phase.key for phase in own}
        return replace(
            self,
            phases=tuple(
                replace(
                    phase,
                    queue=replace(phase.queue, key=part_key(place)),
                    after=tuple(before for before in phase.after if before in keys),
                    groups=(key,),
                )
                for place, phase in enumerate(own, start=1)
            ),
            groups=tuple(group for group in self.groups if group.key == key),
        )

    @property
    def by_group(self) -> tuple[StudyPhases, ...]:
        """The study as each group of its people has it; the study alone where it has no groups."""
        return tuple(self.of_group(group.key) for group in self.groups) or (self,)

    def named(self, key: str) -> Phase:
        """Return the phase with this key, which is the study's: assignments name no others."""
        return next(phase for phase in self.phases if phase.key == key)

    def rules_of(self, phase: Phase) -> PhaseRules:
        """Return what the protocol says of a phase."""
        return self.rules[phase.key]

    @property
    def queues(self) -> tuple[Queue, ...]:
        """What the members of the study work through, in order."""
        return tuple(dict.fromkeys(phase.queue for phase in self.phases))

    def queue_named(self, key: str) -> Queue | None:
        """Return the queue with this key, which may come from an address; None where the study has no such."""
        return next((queue for queue in self.queues if queue.key == key), None)

    def with_volumes(self, role: str) -> tuple[Queue, ...]:
        """Return the queues of a role in which scans are shown."""
        shows = {phase.queue for phase in self.phases if self.rules_of(phase).shows_volumes}
        return tuple(queue for queue in self.queues if queue.role == role and queue in shows)

    def in_queue(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases that are counted in a queue, by step; what trains stands at its door."""
        counted = (phase for phase in self.phases if phase.queue == queue and not phase.trains)
        return tuple(sorted(counted, key=lambda phase: phase.step))

    def training_for(self, queue: Queue) -> Phase | None:
        """Return the practice that opens a queue; None where there is none."""
        return next((phase for phase in self.phases if phase.queue == queue and phase.trains), None)

    @property
    def training(self) -> Phase | None:
        """The practice of the study, of which there is at most one; None where there is none."""
        return next((phase for phase in self.phases if phase.trains), None)

    def before(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases of which a member must have done everything before a queue opens."""
        keys = dict.fromkeys(key for phase in self.in_queue(queue) for key in phase.after)
        return tuple(self.named(key) for key in keys)

    @property
    def following(self) -> tuple[Phase, ...]:
        """The phases whose units follow from answers, in order."""
        return tuple(phase for phase in self.phases if phase.follows)

    def waits_for_everyone(self, queue: Queue) -> tuple[str, ...]:
        """Return the keys of the phases of which everybody must have done everything before a queue opens."""
        return tuple(dict.fromkeys(key for phase in self.in_queue(queue) for key in phase.after_everyone))

    def after(self, queue: Queue) -> tuple[Queue, ...]:
        """Return the queues that open when a member is done with this one, in order."""
        own = set(self.in_queue(queue))
        return tuple(other for other in self.queues if own & set(self.before(other)))

    def settled_by(self, queue: Queue) -> tuple[Phase, ...]:
        """Return the phases whose verdicts stand once a queue is begun: those before it, and those it tells something.

        What a phase is blind to may be shown further on, with phases of others, or phases without units, between.
        """
        blind = [phase for own in self.in_queue(queue) for _, phases in self.blind_to(own) for phase in phases]
        return tuple(dict.fromkeys((*self.before(queue), *(blind if self.listed else ()))))

    def opens_later(self, queue: Queue) -> str:
        """Return what is said to a member for whom a queue is not open yet."""
        if self.waits_for_everyone(queue):
            # Who the others are, and whether there are any, is said to nobody.
            return f"“{queue.title}” opens once everything that comes before it is done."
        if self.listed:
            return f"“{queue.title}” opens once you are done with what comes before it."
        return "Scoring opens once you have read all your items."

    def is_revisable(self, queue: Queue) -> bool:
        """Return whether a queue is of a kind whose verdicts a protocol may let be revised."""
        return any(phase.revisable for phase in self.in_queue(queue))

    def revision_in(self, queue: Queue) -> RevisionRule:
        """Return how long the verdicts of a queue may be revised."""
        said = [self.rules_of(phase).revision for phase in self.in_queue(queue) if phase.revisable]
        return said[0] if said else "never"

    @property
    def previewed(self) -> Phase:
        """The phase as which an admin looks at an item: the first that rates items, or else the first."""
        return next((phase for phase in self.counted if phase.kind == "items"), self.counted[0])

    def blind_to(self, showing: Phase) -> Iterator[tuple[Literal["subject", "item"], tuple[Phase, ...]]]:
        """Yield which phases are blind to what a phase shows, with how far what it shows tells something.

        The reference and overlays tell something of all that is about the subject, a candidate and others' answers of
        their item. A phase that does not count is blind to nothing.
        """
        shown = self.rules_of(showing).shows | self.rules_of(showing).tells
        if disclosed := shown & TELL_THE_REFERENCE:
            yield "subject", self._blind(showing, disclosed)
        for thing in sorted(shown & {"candidate", "opinions"}):
            yield "item", self._blind(showing, {thing})

    def _blind(self, showing: Phase, disclosed: Set[str]) -> tuple[Phase, ...]:
        others = (
            phase
            for phase in self.counted
            if phase != showing and phase.role == showing.role and _share_people(phase, showing)
        )
        asked = ((phase, self.rules_of(phase)) for phase in others)
        return tuple(phase for phase, rules in asked if rules.counts and disclosed - open_to(rules.shows))

    @property
    def revisable(self) -> tuple[Phase, ...]:
        """The phases whose verdicts the protocol lets be revised."""
        return tuple(phase for phase in self.phases if phase.revisable and self.rules_of(phase).revision != "never")

    @property
    def counted(self) -> tuple[Phase, ...]:
        """The phases that statistics know of: what is practised is in none."""
        return tuple(phase for phase in self.phases if not phase.trains)


def part_key(place: int) -> str:
    """Return how addresses call a listed phase; the author's key stands in none: it may say what nobody is to know."""
    return f"part-{place}"


def _share_people(some: Phase, other: Phase) -> bool:
    return not some.groups or bool(set(some.groups) & set(other.groups))


def phases_of_first_language(protocol: Protocol) -> StudyPhases:
    """Return the phases of a study whose protocol has sections for reading, scoring and adjudication."""
    reading = _reading(protocol)
    rules = {
        PRACTICE.key: replace(reading, revision="never", practice=protocol.reading.practice),
        READING.key: reading,
        SCORING.key: _scoring(protocol, reading),
        REVIEW.key: replace(_review(protocol, reading), flags=()),
        OPINIONS.key: replace(
            _review(protocol, reading),
            forms={key: _decided(fields) for key, fields in reading.forms.items()},
            flags=(),
            comment=False,
        ),
    }
    adjudication = protocol.adjudication
    left_out = {
        key
        for key, part in ((PRACTICE.key, protocol.reading.practice), (SCORING.key, protocol.scoring))
        if part is None
    }
    return StudyPhases(
        phases=tuple(phase for key, phase in PHASES.items() if key not in left_out),
        rules=rules,
        seed=protocol.seed,
        consent=protocol.consent,
        notice=protocol.notice or "",
        text=protocol.text,
        adjudication=Adjudication(READING, REVIEW, OPINIONS, adjudication.controls) if adjudication else None,
    )


def _reading(protocol: Protocol) -> PhaseRules:
    reading = protocol.reading
    return PhaseRules(
        instructions=protocol.instructions,
        question="",
        forms={key: _asked(form.fields) for key, form in protocol.forms.items()},
        fields=None,
        hanging=protocol.hanging,
        context=protocol.context,
        not_assessable=tuple(reading.not_assessable),
        flags=tuple(reading.flags),
        comment=reading.comment,
        revision=reading.revision,
        shows=frozenset({"scans", "prompt", "options"}),
        takes_options=frozenset({PRIMARY}),
        order_is_random=reading.order == "random_per_rater",
        subject_distance=reading.subject_distance,
        shuffle_options=reading.shuffle_options,
        practice=None,
    )


def _asked(fields: Sequence[FormField]) -> tuple[PhaseField, ...]:
    return tuple(PhaseField.of(field) for field in fields)


def _scoring(protocol: Protocol, reading: PhaseRules) -> PhaseRules:
    scoring = protocol.scoring
    return replace(
        reading,
        instructions=scoring.instructions if scoring is not None else "",
        question=scoring.prompt if scoring is not None else "",
        fields=_asked(scoring.form.fields) if scoring is not None else (),
        shows=frozenset({"prompt", "reference", "candidate"}),
        context=Context(vignette=False, history=False, age=False, dates="hidden"),
        not_assessable=(),
        flags=(),
        comment=scoring is not None and scoring.comment,
        revision="never",
        order_is_random=True,
        subject_distance=0,
        shuffle_options=False,
    )


def _review(protocol: Protocol, reading: PhaseRules) -> PhaseRules:
    instructions = protocol.adjudication.instructions if protocol.adjudication is not None else ""
    return replace(reading, instructions=instructions, revision="never")


def _decided(fields: tuple[PhaseField, ...]) -> tuple[PhaseField, ...]:
    """Return what is filled in to decide: the answer alone, and the reason for it."""
    return (*(field for field in fields if field.key == PRIMARY), _REASON)
