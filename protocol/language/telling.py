"""The ways in which a phase can reveal information to the people working in it.

The law, the freeze and the gates are all derived from this one table. What is revealed is a thing that can be shown, an
attribute, or a part of the reference. A new way is one more row here, with its attacks under the same key in
`tests/protocol/language/told_too_early.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.narrowing import apart_from, told_by_like_pairs, told_by_selection, told_by_unlike_pairs
from protocol.language.things import TOLD_BY_RATING, WHO_WROTE

# To whom a way can be no news: to nobody; to people of a phase that itself reveals the thing in this way, however they
# learn it again; or to these people only if they learn it again in this way.
Known = Literal["to nobody", "in such phases", "by the same way"]
_BY_ANSWERS = "tells {thing}, by the answers that it shows or selects by,"


@dataclass(frozen=True)
class Way:
    """A way in which a phase reveals something.

    Attributes
    ----------
    key
        The name of the way.
    says
        How a sentence continues after the name of the phase; {thing} is what is revealed.
    things
        Returns what a phase of a study reveals in this way.
    known
        To whom this can be no news.
    unless
        When it reveals nothing after all, and what to do then, as a sentence; set if only the author can know.
    on_the_screen
        Whether it is on the screen because the phase names it; a gate then depends on the step that shows it.
    of_protocols
        Whether it is checked only in protocols, which determine it fully; studies frozen earlier stay open.
    """

    key: str
    says: str
    things: Callable[[Asked, Phase], Set[str]]
    known: Known = "to nobody"
    unless: str = ""
    on_the_screen: bool = False
    of_protocols: bool = False


class Asked:
    """A study and what its phases reveal, each worked out once for all the phases that depend on it."""

    def __init__(self, study: Expansion) -> None:
        self.study = study
        self._told: dict[str, Set[str]] = {}

    def told_by(self, key: str) -> Set[str]:
        """Return everything that a phase reveals, in any way."""
        if key not in self._told:
            phase = self.study.phase(key)
            self._told[key] = {thing for way in WAYS for thing in way.things(self, phase)}
        return self._told[key]

    def told_anew(self, telling: Phase, blind: Phase) -> set[str]:
        """Return what a phase reveals to people of another, except what that one reveals in the same way."""
        anew: set[str] = set()
        for way in WAYS:
            anew |= way.things(self, telling) - (way.things(self, blind) if way.known == "by the same way" else set())
        return anew

    def known_in(self, phase: Phase) -> set[str]:
        """Return what people of a phase already know from what its own units have in common."""
        return {thing for way in WAYS if way.known == "in such phases" for thing in way.things(self, phase)}

    def way_of(self, phase: Phase, thing: str) -> Way:
        """Return the way in which a phase reveals a thing; the first of the table if there are several."""
        return next(way for way in WAYS if thing in way.things(self, phase))

    def known_to_people_of(self, key: str) -> Set[str]:
        """Return what people of a phase can pass on in their answers, which excludes texts that they recognise."""
        return self.told_by(key) - {WHO_WROTE}


def needs_answers(source: Source, shows: Sequence[str] = ()) -> bool:
    """Return whether units of a source cannot be selected, or shown with these things, before others have answered."""
    by_result = any("." in condition.name for condition in source.where)
    return bool(source.let_in) or by_result or "opinions" in shows


def _before_the_answer(_: Asked, phase: Phase) -> Set[str]:
    return set(phase.shows)


def _after_the_answer(_: Asked, phase: Phase) -> Set[str]:
    return set(phase.then.shows if phase.then else ())


def _by_rating(_: Asked, phase: Phase) -> Set[str]:
    return {TOLD_BY_RATING[kind] for kind in phase.rates if kind in TOLD_BY_RATING}


def _by_selection(asked: Asked, phase: Phase) -> Set[str]:
    return told_by_selection(asked.study, phase)


def _by_unlike_pairs(asked: Asked, phase: Phase) -> Set[str]:
    return told_by_unlike_pairs(asked.study, phase)


def _by_like_pairs(asked: Asked, phase: Phase) -> Set[str]:
    return told_by_like_pairs(asked.study, phase)


def _by_one_kind_of_author(_: Asked, phase: Phase) -> Set[str]:
    """People who rated answers of models only, or of people only, recognise them in a pool of both."""
    return {WHO_WROTE} if phase.rates in (["candidates"], ["answers"], ["pairs"]) else set()


def _by_a_pool(_: Asked, phase: Phase) -> Set[str]:
    """People who rated a pool recognise its texts in another pool of the same authors, and so know which are new."""
    return {WHO_WROTE} if set(phase.rates) == {"candidates", "answers"} else set()


def _by_opinions_as_such(asked: Asked, phase: Phase) -> Set[str]:
    """People who were shown others' opinions recognise them in a pool."""
    return {WHO_WROTE} if "opinions" in _before_the_answer(asked, phase) | _after_the_answer(asked, phase) else set()


def _by_being_there(asked: Asked, phase: Phase) -> Set[str]:
    """The presence of a unit says something about others' answers, even through an intermediate phase."""
    if needs_answers(phase.source):
        return {"opinions"}
    if phase.source.phase is None:
        return set()
    above = asked.study.phase(phase.source.phase)
    ways = (_by_being_there, _by_results, _by_authors, _by_opinions)
    return {thing for by_way in ways for thing in by_way(asked, above) if thing == "opinions"}


def _by_results(asked: Asked, phase: Phase) -> Set[str]:
    """Return what the people had been told whose answers select the units of a phase, or of its sources.

    Units selected because people agreed, filled in a field, flagged them or called them not assessable have in common
    what these people knew at the time. That people differ says no such thing about a unit.
    """
    answered: set[str] = set()
    for each in _from_above(asked.study, phase):
        source = each.source
        answered |= {source.phase or "" for entry in source.let_in if entry.reason != "differs"}
        answered |= {condition.name.partition(".")[0] for condition in source.where if "." in condition.name}
    return {
        thing for each in asked.study.phases if each.key in answered for thing in asked.known_to_people_of(each.key)
    }


def _by_being_apart(asked: Asked, phase: Phase) -> Set[str]:
    """Units drawn apart from those that answers selected have in common that the answers did not select them."""
    names = {*phase.by.not_in, *apart_from(asked.study, phase)}
    by_each = (
        _by_being_there(asked, each) | _by_results(asked, each) for each in asked.study.phases if each.key in names
    )
    return set[str]().union(*by_each)


def _by_authors(asked: Asked, phase: Phase) -> Set[str]:
    """An answer that is rated may contain what its author was shown."""
    return asked.known_to_people_of(phase.answers_of) if phase.answers_of is not None else set()


def _by_opinions(asked: Asked, phase: Phase) -> Set[str]:
    """Somebody who was shown a thing may mention it in an answer that others are shown."""
    source = phase.source.phase
    shown = _before_the_answer(asked, phase) | _after_the_answer(asked, phase)
    return asked.known_to_people_of(source) if source is not None and "opinions" in shown else set()


def _from_above(study: Expansion, phase: Phase) -> Iterator[Phase]:
    """Yield a phase and the chain of phases that its units come from."""
    above: Phase | None = phase
    while above is not None:
        yield above
        name = above.source.phase
        above = None if name is None else study.phase(name)


WAYS: tuple[Way, ...] = (
    Way("shown", "shows {thing}", _before_the_answer, on_the_screen=True),
    Way("shown after the answer", "shows {thing}", _after_the_answer, on_the_screen=True),
    Way("rated", "shows {thing}", _by_rating),
    Way(
        "one value in common",
        "tells the reference, since all that it selects has one value of {thing},",
        _by_selection,
        known="in such phases",
        unless="Where all material has that value, leave the condition out.",
    ),
    Way(
        "answers of a pair that differ",
        "tells of the reference, since the answers of each pair differ in {thing},",
        _by_unlike_pairs,
        known="by the same way",
    ),
    Way(
        "answers of a pair that are alike",
        "tells of the reference, since the answers of each pair are alike in {thing},",
        _by_like_pairs,
        known="by the same way",
    ),
    Way(
        "answers of one kind of author",
        "rates answers of models, or of people, by themselves, and so tells {thing}",
        _by_one_kind_of_author,
        known="in such phases",
        of_protocols=True,
    ),
    Way(
        "a pool with other answers",
        "rates a pool of other models, of people or models alone, or of all answers of one and some of the other (a "
        "number of them may be all), and so tells, by what comes again or is new, {thing}",
        _by_a_pool,
        unless="Let both take the same models' answers, or draw in percent or in proportion, if that will do.",
        of_protocols=True,
    ),
    Way(
        "opinions as such",
        "shows what people answered, as theirs, and so tells {thing}",
        _by_opinions_as_such,
        of_protocols=True,
    ),
    Way("being there by answers", _BY_ANSWERS, _by_being_there),
    Way("what was known to who answered so", _BY_ANSWERS, _by_results),
    Way("being apart from what answers selected", _BY_ANSWERS, _by_being_apart),
    Way("what was known to the authors", _BY_ANSWERS, _by_authors),
    Way("what was known to whose opinions are shown", _BY_ANSWERS, _by_opinions),
)
# Ways that do not depend on the screen, and so apply in every step of a phase.
UNSEEN = tuple(way for way in WAYS if not way.on_the_screen and not way.of_protocols)
