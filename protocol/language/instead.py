"""Sentences about keys that are checked and explained but cannot be run, each with what to write instead."""

from __future__ import annotations

ONE_GROUP = "everybody is in one group; remove may_also_be, and name under by of a phase all groups that rate in it."
TOGETHER = (
    "several people cannot give one answer together yet; remove together, let one of them enter it (a group with "
    "people: 1), and ask in a text field who was there."
)
CROSSOVER = (
    "crossover designs are not supported; remove design, and ask the same people again once they are shown more "
    "(then: {shows: [candidate], again: yes}), or two groups in a phase each."
)
UNIT_BY_UNIT = (
    "a phase opens at once, by an admin, or when the same person or everyone is done with others, and not unit by "
    "unit; write done_by: everyone, and close the phase above (manage.py close-phase) where some are not waited for."
)
REVISED = "only blind verdicts on items can be revised; remove revise."
TWO_SOURCES = (
    "answers of one phase can be rated in a phase, not of two; make two phases, of other items if both rate candidates."
)
PEOPLE_IN_PAIRS = (
    "pairs are of models' answers; people's answers are rated one by one, among those of models or alone: write "
    "[candidates, answers of PHASE] with a form for each answer, or pairs alone."
)


def two_steps(phase: str) -> str:
    """Return why units cannot follow from a phase in which people answer twice."""
    return (
        f"'{phase}' has a second step, and what follows takes a single answer; let units follow from a phase above it."
    )


def practised_twice(phase: str) -> str:
    """Return why the same people cannot have a second phase of practice."""
    return (
        f"the same people practise in '{phase}'; put all that they practise on into that phase, or name another group."
    )
