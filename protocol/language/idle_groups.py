"""Declared groups of people without a phase."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.language.expansion import Expansion


def idle_groups(study: Expansion) -> Iterator[str]:
    """Yield a sentence for each group whose members would have nothing to do."""
    busy = {group for phase in study.phases for group in phase.by.groups}
    for group in study.groups:
        if group.key not in busy:
            yield (
                f"The group '{group.key}' works in no phase, so its members would have nothing to do; name it under by "
                "of a phase, or remove it, unless a version is to add its phase."
            )
