"""Study folders whose protocol lists its phases: the same tables, with declared columns, as far as phases need them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from exchange.csv_table import Line, Read, Reader, read_table
from exchange.refusal import Conversions, Problems, listed
from exchange.study_folder.acknowledged_text import leave_images_out_of_phases
from exchange.study_folder.attribute_columns import attributes_of, declared_of, table_of
from exchange.study_folder.compared_pairs import doubtful_pairs, lacking_pairs, read_pairs
from exchange.study_folder.field_references import read_references
from exchange.study_folder.folder_checks import check_dates, check_hanging, check_items, check_subjects, warnings_of
from exchange.study_folder.folder_rows import (
    CandidateRow,
    CaseRow,
    ExaminedFolder,
    StudyFolder,
    candidate_row,
    case_row,
    histories_of,
    overlay_row,
    volume_row,
)
from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.item_starts import with_starts
from exchange.study_folder.item_table import ItemRow, OverlayRow, VolumeRow, item_row
from exchange.study_folder.missed_references import that_answer_nothing, without_some_fields
from exchange.study_folder.model_answers import (
    answers_in_fields,
    exchanged_columns,
    exchanged_keys,
    unanswered_by_models,
)
from exchange.study_folder.pooled_candidates import (
    answer_in_pool,
    lacking_in_pool,
    lacks_what_people_write,
    places_of_two_kinds,
    unlike_people_in_pool,
    warnings_of_pools,
)
from exchange.study_folder.protocol_file import ReadProtocol
from exchange.study_folder.shown_places import Measure, ShownPlaces
from exchange.study_folder.study_language import study_of
from exchange.study_folder.tables_alone import look_through_tables
from exchange.study_folder.telling_tables import (
    alike_pairs,
    right_and_wrong_pairs,
    telling_candidates,
    telling_columns,
    telling_options,
    telling_order,
    telling_parts,
)
from exchange.study_folder.telling_words import telling_names, telling_selections, telling_words
from exchange.study_folder.unseen_signs import without_unseen_signs
from exchange.study_folder.written_alike import counted_as_two
from exchange.tables import OVERLAYS, VOLUMES
from protocol.language.computed import lines_not_computed
from protocol.language.drawn_volumes import draws_volumes
from protocol.language.expansion import Expansion
from protocol.language.idle_groups import idle_groups
from protocol.language.not_run_yet import not_run_yet
from protocol.language.pools import with_places_as_shown
from protocol.language.refused_since import refused_since
from protocol.language.revising import never_revised

_FILE = "protocol.yaml"
_UNKNOWN: Read[VolumeRow] = Read((), None, frozenset())


@dataclass(frozen=True)
class Expanding:
    """What expanding a protocol that lists its phases needs.

    Attributes
    ----------
    version
        The program's version.
    list_folders
        The folders of shared lists.
    measure
        Returns the extent of a scan or image. Without it, pools give places in mm even in images without a scale, and
        there is no warning about places outside a scan.
    frozen
        The frozen study of which the folder is to become a version; None for a new study.
    """

    version: str
    list_folders: Sequence[Path]
    measure: Measure | None = None
    frozen: FrozenStudy | None = None


def look_through_listed(
    folder: Path,
    text: str,
    document: Mapping[str, Any],
    expanding: Expanding,
) -> ExaminedFolder:
    """Read and cross-check a study folder whose protocol lists its phases.

    Parameters
    ----------
    text, document
        The protocol as its author wrote it, and as parsed YAML.
    """
    problems = Problems()
    read = study_of(document, _FILE, expanding.version, (folder / "lists", *expanding.list_folders), problems)
    if read.judged:
        _note_what_cannot_run(problems, read.judged, expanding.frozen.study if expanding.frozen is not None else None)
    if read.of_tables is None:
        problems.unseen.append("what the phases need of the tables")
        return ExaminedFolder(None, problems, *look_through_tables(folder, document, problems))
    study = leave_images_out_of_phases(read.of_tables, _FILE, problems)
    if expanding.measure is not None:
        study = with_places_as_shown(study)
    reader = Reader(problems, Conversions(), study.dates)
    frozen = expanding.frozen
    seen = partial(without_unseen_signs, study=study, frozen=frozen)
    cases = read_table(reader, folder, table_of(study, "cases"), seen("cases", read=lambda line: _case(line, study)))
    histories = histories_of(reader, folder, cases)
    drawn = draws_volumes(study)
    volumes = read_table(
        reader,
        folder,
        replace(VOLUMES, optional=True),
        seen("volumes", read=lambda row: volume_row(row, folder, cases, may_be_missing=drawn)),
    )
    if volumes.keys is not None and not volumes.refused:
        check_hanging(problems, study.hanging, volumes)
        check_dates(problems, volumes)
    overlays = read_table(
        reader,
        folder,
        OVERLAYS,
        seen("overlays", read=lambda line: overlay_row(line, folder, cases, may_be_missing=drawn)),
    )
    table = replace(table_of(study, "items"), optional=False)
    items = read_table(
        reader, folder, table, seen("items", read=lambda line: _item(line, study, cases, volumes, overlays))
    )
    check_subjects(problems, cases, items, frozen.subjects if frozen else ())
    whole = _with_cases_of_their_own(cases, items)
    check_items(problems, ReadProtocol(), items, {case.key: case.subject for case in whole})
    shown_places = ShownPlaces(study.hanging, volumes.rows, expanding.measure, expanding.frozen)
    items = replace(items, rows=with_starts(problems, items.rows, shown_places))
    by_key = {item.key: item for item in reversed(items.rows)}
    of_case = {case.key: case for case in whole}
    references = read_references(reader, folder, study, items, overlays, shown_places)
    candidates = read_table(
        reader,
        folder,
        table_of(study, "candidates"),
        seen("candidates", read=lambda line: _candidate(line, study, items, by_key, of_case, shown_places)),
    )
    pairs = read_pairs(reader, folder, candidates)
    for file, place, says in (*_lacking(study, items, candidates), *lacking_pairs(study, candidates, pairs)):
        problems.add(file, place, says)
    reader.note_excused()
    contents = None
    if not problems.count:
        contents = StudyFolder(
            protocol=study,
            cases=tuple(replace(case, history=histories.get(case.key, ())) for case in whole),
            volumes=volumes.rows,
            items=items.rows,
            references=references,
            candidates=candidates.rows,
            overlays=overlays.rows,
            conversions=reader.conversions.all(),
            source=text,
            pairs=pairs.rows,
        )
        contents = replace(contents, warnings=tuple(_warnings(study, contents, shown_places)))
    return ExaminedFolder(contents, problems, volumes.rows, overlays.rows)


def _note_what_cannot_run(problems: Problems, judged: Expansion, before: Expansion | None) -> None:
    """Note what no study can be run with yet, and what only one that was frozen before the refusal may have."""
    for key, says in not_run_yet(judged):
        problems.add(_FILE, f"key {key}", f"{says[0].upper()}{says[1:]} The study can be checked and explained.")
    for place, says in refused_since(judged, before):
        problems.add(_FILE, place, f"{says[0].upper()}{says[1:]}")


def _warnings(study: Expansion, folder: StudyFolder, shown_places: ShownPlaces) -> Iterator[str]:
    """Yield what the import says of a sound folder: parts that nobody will see, and what its writing tells."""
    cases, items, references, candidates = folder.cases, folder.items, folder.references, folder.candidates
    yield from telling_words(study)
    yield from telling_names(study, {candidate.model for candidate in candidates})
    yield from telling_selections(study)
    yield from idle_groups(study)
    yield from never_revised(study)
    yield from warnings_of_pools(study, candidates)
    yield from places_of_two_kinds(study, items, shown_places)
    yield from shown_places.warnings
    yield from unlike_people_in_pool(shown_places)
    yield from lacks_what_people_write(shown_places)
    yield from warnings_of(
        tuple(case.key for case in cases),
        folder.volumes,
        folder.overlays,
        items,
        frozenset(reference.item for reference in references),
        frozenset(line.overlay for reference in references for line in reference.fields),
    )
    shuffled = all(phase.shuffle_options for phase in study.phases if phase.rates == ["items"])
    yield from telling_options(items, references, shuffled=shuffled)
    yield from telling_order(study, cases, items, references)
    yield from telling_columns(study, cases, items, references)
    yield from telling_parts(study, cases, items, references)
    yield from telling_candidates(study, candidates)
    yield from alike_pairs(folder.pairs, candidates)
    tell = [each.key for each in study.attributes if each.tells_reference and each.table == "candidates"]
    yield from right_and_wrong_pairs(tell, folder.pairs, candidates, items, references)
    yield from without_some_fields(study, references, cases, items)
    yield from that_answer_nothing(study, references, cases, items)
    yield from unanswered_by_models(study, candidates)
    yield from counted_as_two(study, folder)
    yield from exchanged_columns(candidates)
    yield from exchanged_keys(candidates)
    yield from doubtful_pairs(study, candidates)
    yield from (f"{said} In protocol.yaml: {place}." for place, said in lines_not_computed(study))


def _case(line: Line, study: Expansion) -> CaseRow:
    return replace(case_row(line), attributes=attributes_of(line, declared_of(study, "cases")))


def _item(
    line: Line, study: Expansion, cases: Read[CaseRow], volumes: Read[VolumeRow], overlays: Read[OverlayRow]
) -> ItemRow:
    """Read one line of items.csv; an item that names no sequences has no scans."""
    stands_alone = not cases.rows and cases.keys is not None
    has_volumes = bool(line.cells["sequences"].strip())
    about = ReadProtocol(hanging=study.hanging) if has_volumes else ReadProtocol()
    explains = any(
        "explanation" in (*phase.shows, *(phase.then.shows if phase.then else ()))
        for phase in study.phases
        if phase.source.practice == "never"
    )
    named = volumes if has_volumes else _UNKNOWN
    of_cases = None if stands_alone else cases
    item = item_row(line, about, of_cases, named, overlays, explains=explains, starts_in_images=True)
    if any(phase.form == "as_item" for phase in study.phases):
        line.word("form", [form.key for form in study.forms])
    if item.practice and all(phase.source.practice == "never" for phase in study.phases):
        line.problem(
            "the item is for practice, and no phase selects that (from: {where: {practice: yes}}); add one, or empty "
            "the cell.",
            "practice",
        )
    return replace(
        item,
        case=item.key if stands_alone and not item.case else item.case,
        attributes=attributes_of(line, declared_of(study, "items")),
    )


def _candidate(
    line: Line,
    study: Expansion,
    items: Read[ItemRow],
    by_key: Mapping[str, ItemRow],
    of_case: Mapping[str, CaseRow],
    shown_places: ShownPlaces,
) -> CandidateRow:
    practised = any(
        phase.source.practice == "only" and phase.rates in (["candidates"], ["pairs"]) for phase in study.phases
    )
    row = candidate_row(line, items, by_key, practised=practised)
    item = by_key.get(row.item)
    in_pool = answer_in_pool(line, study, item, of_case.get(item.case) if item else None, shown_places)
    return replace(
        row,
        answer=row.answer if in_pool is None else in_pool,
        attributes=(*attributes_of(line, declared_of(study, "candidates")), *answers_in_fields(line, study)),
    )


def _with_cases_of_their_own(cases: Read[CaseRow], items: Read[ItemRow]) -> tuple[CaseRow, ...]:
    """Return the cases; without a table of cases, each item is its own case and subject."""
    if cases.rows or cases.keys is None:
        return cases.rows
    return tuple(
        CaseRow(key=key, subject=key, vignette="", age=None, note="")
        for key in dict.fromkeys(item.case for item in items.rows)
    )


def _lacking(study: Expansion, items: Read[ItemRow], candidates: Read[CandidateRow]) -> Iterator[tuple[str, str, str]]:
    """Yield the table in which a phase lacks something, the column if it is about one, and what is lacking."""
    practising = [phase.key for phase in study.phases if phase.source.practice == "only"]
    if practising and items.keys is not None and not any(item.practice for item in items.rows):
        yield (
            "items.csv",
            "column practice",
            f"phase '{practising[0]}' is practice, and no item is for it; mark some in its column practice.",
        )
    for key, name, forms in _in_forms_of_no_item(study, items) if items.keys is not None else ():
        yield (
            "items.csv",
            "column form",
            f"phase '{key}' selects by '{name}', a field of {listed(forms)} alone, which no item names as its form.",
        )
    rating = [phase.key for phase in study.phases if {"candidates", "pairs"} & set(phase.rates)]
    if rating and candidates.keys is not None and not candidates.rows:
        yield "candidates.csv", "", f"is missing: phase '{rating[0]}' rates candidates; add the table."
    yield from (("candidates.csv", "", says) for says in lacking_in_pool(study, candidates.rows))


def _in_forms_of_no_item(study: Expansion, items: Read[ItemRow]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the phases that depend on a field which nobody is asked, with the field and the forms that have it."""
    named = {item.form for item in items.rows if not item.practice}
    for phase in study.phases:
        names = [condition.name for condition in phase.source.where if "." in condition.name]
        for entry in phase.source.let_in:
            fields = [*(part.field for part in entry.differences), *([entry.field] if entry.field else [])]
            names += [f"{phase.source.phase}.{field}" for field in fields]
        for name in dict.fromkeys(names):
            key, _, field = name.partition(".")
            forms = [form.key for form in study.forms if any(asked.key == field for asked in form.fields)]
            if study.phase(key).form == "as_item" and not named & set(forms):
                yield phase.key, name, forms
