"""The versions of a study behind its figures: what is pooled, and what no figure includes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from exchange.refusal import counted
from protocol.language.wording import listed
from protocol.study_phases import StudyPhases
from services.report.rows.listed_rows import ListedRows
from services.studies.versions.stored import Version


def notices_of_versions(versions: Sequence[Version], rows: ListedRows, phases: StudyPhases) -> Iterator[str]:
    """Yield the notices for a study with several versions, a sentence each; nothing if there is only one."""
    if len(versions) == 1:
        return
    newest = versions[-1]
    yield (
        f"This study has {len(versions)} versions, and the figures describe version {newest.number}: they pool all "
        "units that have not changed since they were added, in whichever version; if units were added in several "
        "versions, each table about a phase has a line for each of these."
    )
    for version in versions[1:]:
        yield f"Version {version.number} was made on {version.made_at[:10]}: {version.reason}"
    for phase in phases.counted:
        lines = [line for line in rows.drawn if line.phase == phase.key]
        unit = "candidate" if any(line.candidate for line in lines) else "item"
        came = Counter(line.version for line in lines if line.replaced_in is None)
        counts = [f"{counted(came[version], unit)} came with version {version}" for version in sorted(came)]
        replaced = sum(line.replaced_in is not None for line in lines)
        verb = "is" if replaced == 1 else "are"
        left_out = f", and {counted(replaced, unit)} that a version corrected {verb} in no figure" if replaced else ""
        if len(counts) > 1 or replaced:
            yield f"{phase.heading}: {listed(counts)}{left_out}."
