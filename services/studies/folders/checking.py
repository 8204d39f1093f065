"""Check a study folder before any of it is stored, and report everything that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from exchange.refusal import InputRefused, Problems
from exchange.study_folder.folder import look_through
from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.item_table import OverlayRow, VolumeRow
from imaging import ImagingError, check_volume
from protocol.first_phases import phases_of_first_language
from protocol.language.expansion import Expansion
from protocol.language.listed import phases_of_listed
from protocol.language.pools import lays_places_out_in_mm
from protocol.language.wording import place_in_words
from protocol.study import Protocol
from protocol.study_phases import StudyPhases
from services.errors import counted
from services.studies.drawing import one_sided_pools
from services.studies.folders import places_apart, practised_in_vain
from services.studies.folders.explaining import EXPANDING
from services.studies.folders.pool_files import pool_of_folder
from services.studies.folders.unfit_samples import cannot_be_drawn, left_open, let_in_by_remarks, too_many_controls
from services.studies.many_objects import no_search_for_garbage
from services.studies.plan.plan_checks import PlanChecks
from services.studies.volumes.alignment import problem_of_volume


def checked_folder(
    folder: Path,
    frozen: FrozenStudy | None = None,
) -> StudyFolder:
    """Read and check a study folder; if it is refused, its scans are checked too.

    Parameters
    ----------
    frozen
        The study of which the folder is to become a version, which keeps what a new study could not have, and adds
        nothing of the kind. All its places may be in mm, even those in images without a scale.

    Raises
    ------
    InputRefused
        With everything that is wrong with protocol, tables and scans.
    """
    with no_search_for_garbage():
        places_in_mm = frozen is not None and lays_places_out_in_mm(frozen.study)
        expanding = replace(EXPANDING, measure=None if places_in_mm else EXPANDING.measure, frozen=frozen)
        inspection = look_through(folder, expanding)
        if inspection.contents is not None:
            phases = _phases_of(inspection.contents.protocol)
            contents = _with_practice_checked(inspection.contents, phases, inspection.problems, frozen)
            return _with_plan_checked(contents, phases, inspection.problems, frozen)
    # Report problems of the scans together with those of the tables, not at the next attempt.
    _check_volumes(inspection.volumes, inspection.overlays, inspection.problems)
    raise inspection.problems.refusal()


def _phases_of(protocol: Protocol | Expansion) -> StudyPhases:
    return phases_of_listed(protocol) if isinstance(protocol, Expansion) else phases_of_first_language(protocol)


def _with_practice_checked(
    contents: StudyFolder, phases: StudyPhases, problems: Problems, frozen: FrozenStudy | None
) -> StudyFolder:
    """Return a folder with warnings about its pass marks added; note a problem for each mark that tests nothing.

    The practice of a frozen study was passed as it is.
    """
    is_listed = isinstance(contents.protocol, Expansion)
    practised = (phases, contents.items, contents.volumes, contents.references)
    passed = {phase.key for phase in frozen.study.phases} if frozen is not None else set()
    for key, says in practised_in_vain.never_judged(*practised):
        if key in passed:
            continue
        section = f"phases.{key}" if is_listed else "reading.practice"
        problems.add("protocol.yaml", f"key {section}.pass_mark", says)
    if problems.count and not is_listed:
        _check_volumes(contents.volumes, contents.overlays, problems)
        problems.refuse()
    return replace(contents, warnings=(*contents.warnings, *practised_in_vain.judged_in_part(*practised)))


def _with_plan_checked(
    contents: StudyFolder, phases: StudyPhases, problems: Problems, frozen: FrozenStudy | None
) -> StudyFolder:
    """Return a folder with warnings about its plan and references added; refuse what its tables cannot provide."""
    if not isinstance(contents.protocol, Expansion):
        return contents
    checks = PlanChecks(contents.protocol, contents, frozen=None if frozen is None else frozen.study)
    for key, says in checks.refused():
        problems.add("protocol.yaml", place_in_words(key), f"{says[0].upper()}{says[1:]}")
    if problems.count:
        _check_volumes(contents.volumes, contents.overlays, problems)
    problems.refuse()
    apart = places_apart.never_compared(phases, checks.rated_items, contents.volumes, contents.references)
    one_sided = (
        one_sided_pools.answered_by_people_alone(contents.protocol, pool_of_folder(contents))
        if one_sided_pools.holds_both(contents.protocol)
        else ()
    )
    return replace(contents, warnings=(*contents.warnings, *checks.remarks(), *apart, *one_sided))


def validated_folder(folder: Path) -> StudyFolder:
    """Read a study folder and check each of its scans, without storing anything.

    Its warnings also name the samples that could not be drawn from its tables as they are.

    Raises
    ------
    InputRefused
        With everything that is wrong with protocol, tables and scans.
    """
    contents = checked_folder(folder)
    problems = Problems()
    _check_volumes(contents.volumes, contents.overlays, problems)
    problems.refuse()
    return with_draws_tried(contents)


def with_draws_tried(contents: StudyFolder) -> StudyFolder:
    """Return a folder whose warnings say, too, which samples could not be drawn from its tables as they are."""
    if not isinstance(contents.protocol, Expansion):
        return contents
    with no_search_for_garbage():
        refused = tuple(cannot_be_drawn(contents.protocol, contents))
        controls = tuple(too_many_controls(contents.protocol, contents))
    warnings = (
        *contents.warnings,
        *left_open(contents.protocol),
        *let_in_by_remarks(contents.protocol),
        *controls,
        *refused,
    )
    return replace(contents, warnings=warnings, freeze_refuses=refused)


def refusal_of(folder: Path) -> InputRefused | None:
    """Return the refusal that `validated_folder` raises for a study folder; None if it can be imported."""
    try:
        validated_folder(folder)
    except InputRefused as refusal:
        return refusal
    return None


def items_in_words(items: int, practice: int) -> str:
    """Return the number of items and of practice items, in words.

    Parameters
    ----------
    items
        All items, practice included.
    """
    return counted(items - practice, "item") + (f" and {practice} for practice" if practice else "")


def held_in_words(contents: StudyFolder) -> str:
    """Return the number of cases, scans, items and answers in a study folder, in words."""
    practice = sum(row.practice for row in contents.items)
    return ", ".join(
        (
            counted(len(contents.cases), "case"),
            counted(len(contents.volumes), "volume"),
            items_in_words(len(contents.items), practice),
            counted(len(contents.candidates), "candidate"),
        )
    )


def _check_volumes(volumes: Iterable[VolumeRow], overlays: Iterable[OverlayRow], problems: Problems) -> None:
    seen: set[Path] = set()
    rows: list[VolumeRow | OverlayRow] = [*volumes, *overlays]
    for row in rows:
        if row.path in seen or not row.path.is_file():
            continue
        seen.add(row.path)
        try:
            check_volume(row.path)
        except ImagingError as error:
            problem = problem_of_volume(row, error)
            problems.add(problem.file, problem.place, problem.says)
