"""The rules that a protocol sets for one phase: its form, its order, what it shows and what it reveals."""

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
    """The rules that a protocol sets for a phase.

    Attributes
    ----------
    instructions
        The text before the first item; empty for none.
    question
        The question about a unit that is not an item, such as a candidate.
    forms
        The fields of each form that items can name.
    fields
        The fields of every unit; None if each item names its form.
    hanging, context
        What is on the screen of the scans and the case.
    not_assessable, flags, comment
        Reasons why a unit cannot be assessed, what can be flagged, and whether raters can leave a note.
    revision
        How long a verdict may be revised.
    order_is_random, subject_distance, shuffle_options
        The order in which units, and the options of items, are presented.
    practice
        If the phase is practice, when it is passed, and its feedback on an answer.
    shows
        What is on the screen, in the words of the language.
    takes_options
        Keys of fields that offer the item's options, if it has any.
    as_item
        Keys of fields whose type of answer comes from the item's format.
    options_as_text
        Whether the item's options are printed beside its prompt because no field offers them.
    counts
        Whether its verdicts count as blind; if not, anything may have been shown before it.
    released
        The attributes among the things that it shows.
    tells_after
        What is shown after the rater's own answer, in the words of the language.
    own_primary, primaries
        Key of the field that is compared: among its own fields, and by the name of the form that an item names.
    tells
        What else it reveals, by each way that is not on the screen.
    opinions_of
        Key of the phase whose answers are shown anonymously; empty for none.
    rates_people
        Whether people's answers are among its units, so that it is not blind to what others answered.
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
        """Return the key of the field that is compared in items that name this form."""
        return self.primaries.get(form, self.own_primary)

    @property
    def needs_reference(self) -> bool:
        """Whether its units need a reference, to show it or to score practice by it."""
        is_passed = self.practice is not None and self.practice.pass_mark > 0
        shown = self.shows | self.tells_after
        return is_passed or "explanation" in shown or shows_the_reference(shown)

    def fields_of(self, form: str) -> tuple[PhaseField, ...]:
        """Return the fields that are filled in for an item that names this form."""
        return self.forms[form] if self.fields is None else self.fields

    @property
    def all_told(self) -> frozenset[str]:
        """Everything that it reveals in ways that are not on the screen."""
        return frozenset[str]().union(*self.tells.values())

    @property
    def told_in_part(self) -> frozenset[str]:
        """What it reveals in ways that are no news only to people who learn it in the same way."""
        return self._told_where_known("by the same way")

    @property
    def all_known(self) -> frozenset[str]:
        """What its people already know, however another phase reveals it."""
        return self._told_where_known("in such phases")

    def _told_where_known(self, known: Known) -> frozenset[str]:
        return frozenset[str]().union(*(things for way, things in self.tells.items() if way.known == known))

    @property
    def all_shown(self) -> frozenset[str]:
        """What is on the screen, including others' answers if those are rated."""
        return self.shows | {"opinions"} if self.rates_people else self.shows

    @property
    def shows_volumes(self) -> bool:
        """Whether scans are on the screen; without them, text takes up their space."""
        return "scans" in self.shows

    @property
    def shows_judged(self) -> bool:
        """Whether a candidate or a reference is on the screen."""
        return "candidate" in self.shows or shows_the_reference(self.shows)

    def primary_of(self, form: str) -> PhaseField:
        """Return the primary field of this form."""
        return next(field for field in self.forms[form] if field.key == PRIMARY)
