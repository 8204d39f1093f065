"""What the selection of a phase gives away of its units, without anything of it standing on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from protocol.language.expansion import Condition, Expansion, Pairs, Phase, Source

# How a stratum names the units without a value; of a column of models, people's answers are among them.
NO_VALUE = "(none)"
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
    """Return the values that a selection leaves, by attribute: of those that tell the reference and are selected by."""
    telling = telling_attributes(study)
    return {key: values for key, values in selected_by(study, phase).items() if key in telling}


def selected_by(study: Expansion, phase: Phase) -> Mapping[str, Set[str]]:
    """Return the values that a selection leaves, by what it selects by: attributes, or results as "phase.field".

    What a phase takes its units from selects for it, too.
    """
    left: dict[str, set[str]] = {}
    for source in sources_of(study, phase):
        for key, values in (*_by_conditions(source), *values_drawn(source)):
            left[key] = left.get(key, values) & values
    return left


def sources_of(study: Expansion, phase: Phase) -> Iterator[Source]:
    """Yield from what a phase takes its units, and from what that takes them."""
    above: Phase | None = phase
    while above is not None:
        yield above.source
        name = above.source.phase
        above = None if name is None else study.phase(name)


def told_by_unlike_pairs(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attribute that tells the reference where the two answers of each pair differ in it.

    Who notices it, or is told, knows of every item that one of two answers is right, and one is not.
    """
    return telling_attributes(study) & ({phase.pairs.of} if phase.pairs is not None else set())


def told_by_like_pairs(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that tell the reference where the two answers of each pair are alike in them.

    Who notices it, or is told, knows of each answer what the reference says of the other.
    """
    return telling_attributes(study) & (set(phase.pairs.same) if phase.pairs is not None else set())


def telling_attributes(study: Expansion) -> frozenset[str]:
    """Return the keys of the attributes that tell the reference."""
    return frozenset(attribute.key for attribute in study.attributes if attribute.tells_reference)


def telling_drawn_by(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that tell the reference and by which a phase selects, or shares out or limits its draw."""
    samples = [source.sample for source in sources_of(study, phase) if source.sample is not None]
    names = {name for sample in samples for name in (*sample.strata, *(limit.attribute for limit in sample.at_most))}
    return telling_attributes(study) & {*selected_by(study, phase), *names}


def decided_by_the_draw(study: Expansion, phase: Phase) -> frozenset[str]:
    """Return the attributes that tell the reference and of which it takes the draw to know how many values are left.

    A phase may select several of them, of which one is drawn, or be drawn apart from a phase that selects some: what
    is left beside those can be of one value. What another study selected is not known here.
    """
    by_key = {other.key: other for other in study.phases}
    decided = set(narrowed(study, phase))
    for name in apart_from(study, phase):
        if name not in by_key:
            return telling_attributes(study) - told_by_selection(study, phase)
        decided |= {*narrowed(study, by_key[name]), *decided_by_the_draw(study, by_key[name])}
    return frozenset(decided) - told_by_selection(study, phase)


def apart_from(study: Expansion, phase: Phase) -> set[str]:
    """Return the names of the phases and studies whose subjects are left out where the units of a phase are drawn."""
    samples = (source.sample for source in sources_of(study, phase))
    return {name for sample in samples if sample is not None for name in sample.not_in}


@dataclass(frozen=True)
class Left:
    """What of a phase can be known of what tells the reference once it is drawn.

    Attributes
    ----------
    values
        The one value that all its units have, by attribute.
    unlike, alike
        Attributes in which the two answers of each of its pairs differ, or are alike.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    unlike: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


def selecting_as_drawn(study: Expansion, drawn: Mapping[str, Left]) -> Expansion:
    """Return a study in which phases select and compare what their draw left, so that the law asks it of them.

    Parameters
    ----------
    drawn
        What is left, by the key of the phase.
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
    """Yield the values of which a sample draws anything, by stratum: a size of nothing leaves a stratum out."""
    if source.sample is None or not source.sample.sizes:
        return
    drawn = [part.stratum.split(" / ") for part in source.sample.sizes if part.size.rstrip("%").strip("0.") != ""]
    for place, key in enumerate(source.sample.strata):
        yield key, values_of([values[place] for values in drawn if place < len(values)])
