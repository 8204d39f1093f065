"""Whether the clusters that an analysis plan names can carry its intervals."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.language.wording import spoken
from services.studies.plan.plan_reach import Path
from services.studies.plan.plan_units import PlannedUnit

# The keys that lead to a part of the protocol, and a sentence about it.
Said = tuple[Path, str]


def without_clusters(name: str, units: dict[str, list[PlannedUnit]]) -> Iterator[Said]:
    """Yield the phases whose units lack a cluster, or are each in one of their own."""
    for key, own in units.items():
        values = [unit.value_of(name) for unit in own]
        lacking = values.count("")
        if lacking:
            yield (
                ("analysis", "cluster"),
                (
                    f"{lacking} of the {len(own)} units of '{key}' have no {name}, by which intervals are "
                    "clustered; fill the column."
                ),
            )
        elif len(own) > 1 and len(set(values)) == len(own):
            yield (
                ("analysis", "cluster"),
                (
                    f"every unit of '{key}' has its own value of {name}, so that nothing is clustered; remove it, or "
                    "name what units share."
                ),
            )


def one_cluster(name: str, units: dict[str, list[PlannedUnit]]) -> Iterator[Said]:
    """Yield the phases whose units are all in the same cluster."""
    for key, own in units.items():
        values = {unit.value_of(name) for unit in own}
        if len(own) > 1 and len(values) == 1 and "" not in values:
            yield (
                ("analysis", "cluster"),
                (
                    f"every unit of '{key}' has the value '{values.pop()}' of {name}, and a single cluster gives no "
                    "interval; remove it, or name what parts the units."
                ),
            )


def split_subjects(name: str, units: dict[str, list[PlannedUnit]]) -> Iterator[str]:
    """Yield the phases in which a subject is in several clusters, so that its related units count as independent."""
    for key, own in units.items():
        of_subject: dict[str, set[str]] = {}
        for unit in own:
            of_subject.setdefault(unit.subject, set()).add(unit.value_of(name))
        split = sum(len(clusters) > 1 for clusters in of_subject.values())
        if split:
            which = f"{split} of the {len(of_subject)} subjects" if len(of_subject) > 1 else "the only subject"
            yield (
                f"Clusters by {spoken(name)}: in phase '{key}' {which} {'are' if split > 1 else 'is'} in several, "
                "which count as independent although they are of one patient, so intervals are likely to be too "
                "narrow; remove cluster (they are then by subject), or name one that holds whole subjects."
            )
