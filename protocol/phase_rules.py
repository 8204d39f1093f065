"""What a protocol says of one phase: its form, its order, what it shows and what it tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.context import Context
from protocol.forms import PRIMARY, Option, PhaseField
from protocol.hanging import Hanging
from protocol.language.telling import Known, Way
from protocol.language.things import shows_the_reference
from protocol.released import Released
from protocol.sections import Practice, RevisionRule


@dataclass(frozen=True)
class PhaseRules:
    """What a protocol says of a phase.

    Attributes
    ----------
    instructions
        What is read before the first item; empty for none.
    question
        What is asked of a unit that is no item, whose prompt then is the question.
    forms
        The fields by the name of the form that an item names.
    fields
        The fields of every unit; None where each item names its form.
    hanging, context
        What of scans and case is on the screen.
    not_assessable, flags, comment
        Why a unit cannot be assessed, what can be flagged, and whether a note can be left.
    revision
        How long a verdict may be replaced by another.
    order_is_random, subject_distance, shuffle_options
        In which order units and the options of items are dealt.
    practice
        Where the phase trains: when it is passed, and the feedback on an answer.
    shows
        What is on the screen, in the words of the language.
    takes_options
        Keys of fields that offer the options of the item, where it has any.
    as_item
        Keys of fields that ask what an item's format asks.
    options_as_text
        Whether the options of the item stand beside its prompt, since no field offers them.
    counts
        Whether its verdicts count as blind; what does not may come after anything was shown.
    released
        The attributes among what it shows.
    tells_after
        What is shown after the own answer, in the words of the language.
    own_primary, primaries
        Key of the field that is compared, of its own fields or by the name of the form that an item names.
    tells
        What it tells beside that, by each way that is not on the screen.
    opinions_of
        Key of the phase whose answers stand on the screen, as those of nobody in particular; empty for none.
    rates_people
        Whether people's answers are among what is rated: it is not blind to what others answered.
    preferences
        Keys of fields that say which of two answers is better.
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
    released: tuple[Released, ...] = ()
    tells_after: frozenset[str] = frozenset()
    own_primary: str = PRIMARY
    primaries: Mapping[str, str] = field(default_factory=dict)
    tells: Mapping[Way, frozenset[str]] = field(default_factory=dict)
    opinions_of: str = ""
    rates_people: bool = False
    preferences: frozenset[str] = frozenset()

    def compared_in(self, form: str) -> str:
        """Return the key of the field that is compared where an item names this form."""
        return self.primaries.get(form, self.own_primary)

    @property
    def needs_reference(self) -> bool:
        """Whether there is nothing to show, or to be right by, without a reference."""
        is_passed = self.practice is not None and self.practice.pass_mark > 0
        shown = self.shows | self.tells_after
        return is_passed or "explanation" in shown or shows_the_reference(shown)

    def fields_of(self, form: str) -> tuple[PhaseField, ...]:
        """Return the fields that are filled in for an item which names this form."""
        return self.forms[form] if self.fields is None else self.fields

    @property
    def all_told(self) -> frozenset[str]:
        """What it tells by ways that are not on the screen."""
        return frozenset[str]().union(*self.tells.values())

    @property
    def told_in_part(self) -> frozenset[str]:
        """What it tells something of, which is nothing new by the same way alone."""
        return self._told_where_known("by the same way")

    @property
    def all_known(self) -> frozenset[str]:
        """What is nothing new to its people, by whatever way another phase tells it."""
        return self._told_where_known("in such phases")

    def _told_where_known(self, known: Known) -> frozenset[str]:
        return frozenset[str]().union(*(things for way, things in self.tells.items() if way.known == known))

    @property
    def all_shown(self) -> frozenset[str]:
        """What is on the screen, with what others answered where that is rated."""
        return self.shows | {"opinions"} if self.rates_people else self.shows

    @property
    def shows_volumes(self) -> bool:
        """Whether scans are on the screen; without them, text takes their room."""
        return "scans" in self.shows

    @property
    def shows_judged(self) -> bool:
        """Whether a text that is judged, or compared with what is judged, is on the screen."""
        return "candidate" in self.shows or shows_the_reference(self.shows)

    def primary_of(self, form: str) -> PhaseField:
        """Return the field in which an item that names this form is answered."""
        return next(field for field in self.forms[form] if field.key == PRIMARY)
