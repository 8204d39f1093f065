"""Decide whether a hidden value in a text reveals anything to its reader: a leak, or a text that may be there."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Literal

from protocol.phase_rules import PhaseRules
from protocol.phases import Phase
from services.record.blinding_audit.hidden import STUDY, Subjects, Unit, Value
from services.record.blinding_audit.kinds import Kind
from services.record.blinding_audit.matching import normal
from services.record.blinding_audit.screens import Piece, lists_options

# Answers with fewer words may occur in a text that is older than they are.
FEW_WORDS = 4
# A single ordinary word reveals nothing if its frequency where it is not the value is at least this share of its
# frequency where it is the value.
AS_FREQUENT = 1 / 3

SHARED = "in a text that everybody gets"
OPTION = "the text of an option"
LISTED = "listed in the prompt beside other options"
WORD = "one word of a question or an answer"
TOPIC = "what is asked"
GIVEN_TWICE = "an answer under judgement, or given by a person"
SHORT_ANSWER = "an answer of a few words in a text that is older than it"
REPEATED = "what the screen says of the case, which an answer of a model repeats"
ORDINARY = "one word that is as frequent where it is not the value"
RELEASED = "an attribute that the phase names and that is the reference"
AIDED = "in an attribute that the phase shows after the own answer"
# A leak; to be weighed against the word's frequency elsewhere; or the rule that permits it.
Ruling = Literal["leak", "weigh"] | str


@dataclass(frozen=True)
class Reader:
    """Who gets a screen, and what it is about.

    Attributes
    ----------
    units
        The units about which a value reveals something to them.
    released
        The kinds of values that the phase shows of these units.
    given
        By kind, the ids under which they gave an answer or are shown one: for a pair two are shown.
    options
        The texts of the item's options.
    named
        The stored values of the unit's attributes that the phase names, and what counts as right in the fields that
        it names, if it shows the reference of these only.
    cells
        The attributes that the phase names, by what the screen says of the unit in each.
    aids
        Those of these attributes that are shown only after the own answer.
    others
        The other items of the subject.
    """

    units: frozenset[Unit]
    released: frozenset[str]
    given: Mapping[str, Set[int]]
    options: tuple[str, ...]
    named: frozenset[str] = frozenset()
    cells: Mapping[str, str] = field(default_factory=dict)
    aids: frozenset[str] = frozenset()
    others: frozenset[Unit] = frozenset()

    def owns(self, value: Value) -> bool:
        """Return whether it is a value of what they are shown."""
        # Loop over the few units of a screen: a common value has thousands.
        return any(unit in value.units for unit in self.units)

    def is_hidden(self, value: Value) -> bool:
        """Return whether they may not know that this is a value of what they are shown."""
        kind = value.kind
        if kind.key in self.released:
            return False
        if kind.key in ("attribute", "condition", "stratum", "reference") and value.text in self.named:
            return False
        if value.is_name:
            return STUDY in value.units or not value.units.keys() <= self._own_names()
        if not self.owns(value):
            return False
        if kind.sort != "answer":
            return True
        own = self.given.get(kind.key, frozenset())
        by: Set[int] = set().union(*(value.units[unit] for unit in self.units if unit in value.units))
        return not own & by

    def released_reference(self, value: Value, piece: Piece) -> tuple[str, str] | None:
        """Return the rule by which an attribute that the phase names may say the reference, and the attribute.

        The own item's reference can be all that the attribute is or, after the own answer, what it says in a sentence.
        That of another item of the subject cannot be in a sentence, as that item may still have to be read.
        """
        attribute = self.cells.get(piece.text, "") if piece.where == "context.facts" else ""
        is_own = any(unit[0] == "item" and unit in self.units for unit in value.units)
        if not attribute or not is_own or value.kind.sort != "reference" or value.kind.key in self.released:
            return None
        if self.is_hidden(value):
            return (AIDED, attribute) if attribute in self.aids and self.others.isdisjoint(value.units) else None
        is_all = normal(piece.text) in {literal.text for literal in value.literals}
        return (RELEASED, attribute) if is_all else None

    def _own_names(self) -> Set[Unit]:
        return {unit for unit in self.units if unit[0] in ("member", "group")}


def released_in(phase: Phase, rules: PhaseRules) -> frozenset[str]:
    """Return the kinds of values that a phase shows of its own item."""
    released: set[str] = set({"reference", "explanation"} & rules.shows)
    if phase.done_by == "decision" or "opinions" in rules.shows:
        released |= {"answer_of_others", "remark_of_others"}
    shown = {"vignette": rules.context.vignette, "history": rules.context.history, "age": rules.context.age}
    released |= {key for key, is_shown in shown.items() if is_shown}
    if rules.context.dates == "acquisition_date":
        released |= {"date"}
    return frozenset(released)


def rule_on(value: Value, piece: Piece, reader: Reader, *, everybody_gets_it: bool) -> Ruling:
    """Return the ruling on a hidden value in a text.

    Parameters
    ----------
    everybody_gets_it
        Whether the text says what everybody gets, such as an option; what tells about a case may still reveal it.
    """
    kind = value.kind
    literals = {literal.text for literal in value.literals}
    if value.is_name:
        return "leak"
    if everybody_gets_it and piece.sort != "tells":
        return SHARED
    if piece.is_option and normal(piece.text) in literals:
        return OPTION
    if piece.sort == "asks" and any(lists_options(piece.text, list(reader.options), text) for text in literals):
        return LISTED
    if kind.sort == "answer":
        return _rule_on_answer(value, piece)
    if kind.sort == "reference" and piece.sort == "answers":
        return GIVEN_TWICE
    if kind.topic and piece.sort == "asks":
        return TOPIC
    if is_weighed(value, piece, is_offered=everybody_gets_it):
        return "weigh"
    return WORD if value.is_plain and piece.sort != "program" else "leak"


def is_weighed(value: Value, piece: Piece, *, is_offered: bool) -> bool:
    """Return whether a word in this text, or an option that is all of it, is judged by its frequency elsewhere."""
    if not (value.is_plain or is_offered) or value.is_name or value.kind.sort == "answer":
        return False
    return piece.sort == "tells" or (piece.sort == "answers" and value.kind.of_the_answer)


def _rule_on_answer(value: Value, piece: Piece) -> Ruling:
    if piece.sort == "answers":
        return GIVEN_TWICE
    if piece.sort != "program" and value.word_count < FEW_WORDS:
        return SHORT_ANSWER
    # A scan's label also tells about the case, but no model was given it and could repeat it.
    if value.kind.of_a_model and piece.sort == "tells" and piece.where.startswith("context."):
        return REPEATED
    return "leak"


def is_elsewhere(value: Value, piece: Piece, units: Set[Unit], subjects: Subjects) -> bool:
    """Return whether a text is about something other than what the value belongs to: there the word reveals nothing.

    What is true of a case is true of its whole subject, and the value may belong to one of the subject's items.
    """
    if piece.sort == "answers":
        return not any(unit in value.units for unit in units)
    return subjects.of(units).isdisjoint(subjects.of_value(value))


def is_ordinary(kind: Kind, share: float, elsewhere: float | None) -> bool:
    """Return whether a word reveals nothing: it is about as frequent where it is not the value, or it is everyone's.

    A reference reveals something even if it is the same for all.

    Parameters
    ----------
    share, elsewhere
        The share of screens with the word among those about its value, and among those about something else; None if
        there are no others.
    """
    if elsewhere is None:
        return kind.sort != "reference"
    return elsewhere >= AS_FREQUENT * share
