"""What the selection of a phase gives away of its units, without anything of it standing on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from protocol.language.expansion import Condition, Expansion, Phase, Source

# Scalars of a protocol are text: both words of each pair say the same.
_YES_NO = {"true": "yes", "false": "no"}


def values_of(values: list[str]) -> set[str]:
    """Return the values of a condition, of which yes and true, no and false are the same."""
    return {_YES_NO.get(value, value) for value in values}


def told_by_selection(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that tell the reference, and of which all units of a phase have one and the same value.

    Who notices what the units have in common, or is told what they are there for, knows the reference of each. Of
    several values each unit may have any, so that its reference stays open; a sample that is only shared out over the
    values is none of either.
    """
    return frozenset(key for key, values in narrowed(study, phase).items() if len(values) < 2)


def narrowed(study: Expansion, phase: Phase) -> Mapping[str, Set[str]]:
    """Return the values that a selection leaves, by attribute: of those that tell the reference and are selected by.

    What a phase takes its units from selects for it, too.
    """
    telling = _telling(study)
    left: dict[str, set[str]] = {}
    for source in _sources(study, phase):
        for key, values in (*_by_conditions(source), *_by_sizes(source)):
            if key in telling:
                left[key] = left.get(key, values) & values
    return left


def told_by_pairs(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attribute that tells the reference where the two answers of each pair differ in it.

    Who notices it, or is told, knows of every item that one of two answers is right, and one is not.
    """
    return _telling(study) & ({phase.pairs.of} if phase.pairs is not None else set())


def decided_by_the_draw(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that tell the reference and of which it takes the draw to know how many values are left.

    A phase may select several of them, of which one is drawn, or be drawn apart from a phase that selects some: what
    is left beside those can be of one value. What another study selected is not known here.
    """
    apart_from = {
        name for source in _sources(study, phase) if source.sample is not None for name in source.sample.not_in
    }
    by_key = {other.key: other for other in study.phases}
    decided = set(narrowed(study, phase))
    for name in apart_from:
        if name not in by_key:
            return _telling(study) - told_by_selection(study, phase)
        decided |= {*narrowed(study, by_key[name]), *decided_by_the_draw(study, by_key[name])}
    return frozenset(decided) - told_by_selection(study, phase)


def selecting_as_drawn(study: Expansion, drawn: Mapping[str, Mapping[str, str]]) -> Expansion:
    """Return a study in which phases select the one value that their draw left, so that the law asks it of them.

    Parameters
    ----------
    drawn
        The value by attribute, by the key of the phase.
    """

    def as_drawn(phase: Phase) -> Phase:
        left = [Condition(name=name, values=[value]) for name, value in drawn.get(phase.key, {}).items()]
        source = phase.source.model_copy(update={"where": [*phase.source.where, *left]})
        return phase.model_copy(update={"source": source})

    return study.model_copy(update={"phases": [as_drawn(phase) for phase in study.phases]})


def _telling(study: Expansion) -> frozenset[str]:
    return frozenset(attribute.key for attribute in study.attributes if attribute.tells_reference)


def _sources(study: Expansion, phase: Phase) -> Iterator[Source]:
    above: Phase | None = phase
    while above is not None:
        yield above.source
        name = above.source.phase
        above = None if name is None else study.phase(name)


def _by_conditions(source: Source) -> Iterator[tuple[str, set[str]]]:
    for condition in source.where:
        yield condition.name, values_of(condition.values)


def _by_sizes(source: Source) -> Iterator[tuple[str, set[str]]]:
    """Yield the values of which a sample draws anything: a size of nothing leaves a stratum out."""
    if source.sample is None or not source.sample.sizes:
        return
    drawn = [part.stratum.split(" / ") for part in source.sample.sizes if part.size.rstrip("%").strip("0.") != ""]
    for place, key in enumerate(source.sample.strata):
        yield key, values_of([values[place] for values in drawn if place < len(values)])
