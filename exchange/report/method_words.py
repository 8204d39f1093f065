"""Explanations of a report's methods for readers who know medicine but not statistics, each at its first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from exchange.report.report_structure import EstimateTable, Section

# Terms in the method of an estimate, as `agreement.words` names them, and what they mean.
EXPLAINED = {
    "Wilson": (
        "Wilson’s score interval of a share is right with few items, too, and stays within 0 and 100 %: near these it "
        "reaches farther to the one side than to the other."
    ),
    "effective number": (
        "The effective number of independent items: items of one cluster (such as a subject) tend to be alike, so that "
        "they tell less than as many items of different ones; the interval is as wide as if so many independent items "
        "had been rated."
    ),
    "bootstrap": (
        "Bootstrap: of the clusters (such as subjects) of the study as many are drawn again as there are, some of them "
        "several times, and the value is computed anew; after so many of these resamples the interval holds all but "
        "the lowest and the highest of the values (percentile)."
    ),
    "two items added": (
        "With two items added: the interval is computed as if two more items had been rated, on one of which raters "
        "agree, since without them it is too narrow where nearly all agree; the value itself has none added."
    ),
    "degrees of freedom": "Degrees of freedom: the fewer, the wider the interval, as its width itself is less certain.",
    "fixed": (
        "“These raters (fixed), items sampled”: the interval says what other items might have given with the same "
        "raters, and nothing of other raters."
    ),
    "random": "“Sampled (random)” of raters or readers: the interval allows for other raters than these, too.",
}
SOURCES = "A method that bears a name is a published formula; docs/statistics.md says which, and where it comes from."


def with_methods_explained(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections, each with explanations of the methods that no earlier section has used."""
    said: set[str] = set()
    explained = []
    for section in sections:
        rows = [row for table in section.tables if isinstance(table, EstimateTable) for row in table.rows]
        spoken_of = {term for row in rows for part in row.estimate.made for term in part.terms}
        new = [term for term in EXPLAINED if term in spoken_of - said]
        sources = [SOURCES] if new and not said else []
        said |= {*new}
        explained.append(replace(section, method=(*section.method, *(EXPLAINED[term] for term in new), *sources)))
    return tuple(explained)
