"""Comparisons between groups of raters of whom too few are planned for an interval, said before the freeze."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from agreement.cautions import FEW_RATERS
from protocol.language.authored_plan import AuthoredEstimate
from protocol.language.expansion import Expansion, Phase
from protocol.language.wording import listed
from services.studies.plan.lines_without_numbers import people_of

# Estimates whose difference between groups is for other raters too. Means and distances are compared for these alone.
_FOR_OTHER_RATERS = frozenset({"accuracy", "pass_at", "agreement"})


def without_limits(
    study: Expansion, phase: Phase, line: AuthoredEstimate, there: Mapping[str, int] | None = None
) -> Iterator[str]:
    """Yield that a difference between groups will have no interval, because too few raters are in one of them.

    A group with a single rater is compared by unit, for these raters alone, which has an interval.

    Parameters
    ----------
    there
        The number of people in each group, by group; None if nobody is invited yet.
    """
    if line.compare != "group" or line.estimate not in _FOR_OTHER_RATERS or phase.answers_of is not None:
        return
    counts = {
        key: people_of(study, phase, line.model_copy(update={"where": {"group": [key]}}), there or {})
        for key in phase.by.groups
        if key in line.where.get("group", phase.by.groups)
    }
    few: dict[str, int] = {}
    for pair in combinations(counts, 2):
        known = {key: people for key in pair if (people := counts[key]) is not None}
        if len(known) == len(pair) and 1 < min(known.values()) < FEW_RATERS:
            few |= {key: people for key, people in known.items() if people < FEW_RATERS}
    if few:
        said = listed([f"{people} of {key}" for key, people in few.items()])
        is_or_are = "is" if sum(few.values()) == 1 else "are"
        yield (
            f"groups of raters are compared for other raters too, which needs {FEW_RATERS} in each, and in "
            f"'{phase.key}' {said} {is_or_are} {'planned' if there is None else 'there or planned'}: such a difference "
            "has no interval; plan more people, or read it as a description."
        )
