"""What the selection of a phase gives away about its units, although nothing of it is on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from protocol.language.expansion import Condition, Expansion, Pairs, Phase, Source

# The stratum of units without a value, which for a column of candidates includes people's answers.
NO_VALUE = "(none)"
# Scalars of a protocol are text, so both words of each pair mean the same.
_YES_NO = {"true": "yes", "false": "no"}


def values_of(values: list[str]) -> set[str]:
    """Return the values of a condition, with true and false written as yes and no."""
    return {_YES_NO.get(value, value) for value in values}


def told_by_selection(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that give away the reference and have a single value in all units of a phase.

    Somebody who notices what the units have in common, or is told their purpose, knows the reference of each. With
    several values, a unit may have any of them, so its reference stays open. Allocating a sample over the values does
    not select by them.
    """
    return frozenset(key for key, values in narrowed(study, phase).items() if len(values) < 2)


def narrowed(study: Expansion, phase: Phase) -> Mapping[str, Set[str]]:
    """Return the values that a selection leaves, by attribute, for attributes that give away the reference."""
    telling = telling_attributes(study)
    return {key: values for key, values in selected_by(study, phase).items() if key in telling}


def selected_by(study: Expansion, phase: Phase) -> Mapping[str, Set[str]]:
    """Return the values that a selection leaves, by attribute or by result as "phase.field".

    The selections of the phases that the units come from are included.
    """
    left: dict[str, set[str]] = {}
    for source in sources_of(study, phase):
        for key, values in (*_by_conditions(source), *values_drawn(source)):
            left[key] = left.get(key, values) & values
    return left


def sources_of(study: Expansion, phase: Phase) -> Iterator[Source]:
    """Yield the source of a phase, and those of the chain of phases that its units come from."""
    above: Phase | None = phase
    while above is not None:
        yield above.source
        name = above.source.phase
        above = None if name is None else study.phase(name)


def told_by_unlike_pairs(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attribute that gives away the reference and in which the two answers of each pair differ.

    Somebody who notices it, or is told, knows that one of the two answers to every item is right and one is wrong.
    """
    return telling_attributes(study) & ({phase.pairs.of} if phase.pairs is not None else set())


def told_by_like_pairs(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that give away the reference and in which the two answers of each pair are alike.

    Somebody who notices it, or is told, knows that what the reference says of one answer it also says of the other.
    """
    return telling_attributes(study) & (set(phase.pairs.same) if phase.pairs is not None else set())


def telling_attributes(study: Expansion) -> frozenset[str]:
    """Return the keys of the attributes that give away the reference."""
    return frozenset(attribute.key for attribute in study.attributes if attribute.tells_reference)


def decided_by_the_draw(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that give away the reference and whose remaining values are known only after the draw.

    A phase may select several values of which only one is drawn, or be drawn apart from a phase that selects some, so
    that the rest has one value. What another study selected is not known here.
    """
    by_key = {other.key: other for other in study.phases}
    decided = set(narrowed(study, phase))
    for name in apart_from(study, phase):
        if name not in by_key:
            return telling_attributes(study) - told_by_selection(study, phase)
        decided |= {*narrowed(study, by_key[name]), *decided_by_the_draw(study, by_key[name])}
    return frozenset(decided) - told_by_selection(study, phase)


def apart_from(study: Expansion, phase: Phase) -> set[str]:
    """Return the names of the phases and studies whose subjects are excluded when the units of a phase are drawn."""
    samples = (source.sample for source in sources_of(study, phase))
    return {name for sample in samples if sample is not None for name in sample.not_in}


@dataclass(frozen=True)
class Left:
    """What the units drawn for a phase have in common in attributes that give away the reference.

    Attributes
    ----------
    values
        The single value that all units have, by attribute.
    unlike, alike
        Attributes in which the two answers of every pair differ, or are alike.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    unlike: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


def selecting_as_drawn(study: Expansion, drawn: Mapping[str, Left]) -> Expansion:
    """Return a study whose phases select and compare what their draw left, so that the law can be applied to it.

    Parameters
    ----------
    drawn
        What the drawn units have in common, by the key of the phase.
    """

    def as_drawn(phase: Phase) -> Phase:
        left = drawn.get(phase.key, Left())
        conditions = [Condition(name=name, values=[value]) for name, value in left.values.items()]
        source = phase.source.model_copy(update={"where": [*phase.source.where, *conditions]})
        pairs = phase.pairs
        if pairs is not None and (left.unlike or left.alike):
            pairs = Pairs(of=next(iter(left.unlike), pairs.of), same=[*pairs.same, *left.alike])
        return phase.model_copy(update={"source": source, "pairs": pairs})

    return study.model_copy(update={"phases": [as_drawn(phase) for phase in study.phases]})


def _by_conditions(source: Source) -> Iterator[tuple[str, set[str]]]:
    for condition in source.where:
        yield condition.name, values_of(condition.values)


def values_drawn(source: Source) -> Iterator[tuple[str, set[str]]]:
    """Yield each stratum attribute with the values that a sample draws from; a size of zero excludes a stratum."""
    if source.sample is None or not source.sample.sizes:
        return
    drawn = [part.stratum.split(" / ") for part in source.sample.sizes if part.size.rstrip("%").strip("0.") != ""]
    for place, key in enumerate(source.sample.strata):
        yield key, values_of([values[place] for values in drawn if place < len(values)])
