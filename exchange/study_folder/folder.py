"""A study folder: `protocol.yaml`, one CSV file per table, and the scans they name.

`read_study_folder` reads and cross-checks all of it without reading a scan: a folder is either valid as a whole or
refused with everything that is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from exchange.csv_table import Read, Reader, read_table
from exchange.refusal import Conversions, InputRefused, Problems, listed, shown
from exchange.study_folder.folder_checks import check_dates, check_hanging, check_items, check_subjects, warnings_of
from exchange.study_folder.folder_rows import (
    CandidateRow,
    ExaminedFolder,
    ReferenceRow,
    StudyFolder,
    candidate_row,
    case_row,
    histories_of,
    overlay_row,
    reference_row,
    volume_row,
)
from exchange.study_folder.item_table import ItemRow, item_row
from exchange.study_folder.listed_folder import Expanding, look_through_listed
from exchange.study_folder.protocol_file import ReadProtocol, document_of, read_protocol_as_far_as_it_goes
from exchange.study_folder.study_language import lists_phases, would_list_phases
from exchange.study_folder.telling_tables import telling_options
from exchange.tables import (
    CANDIDATES,
    CASES,
    ITEMS,
    OVERLAYS,
    REFERENCES,
    VOLUMES,
)

_LONGEST_PATH = 4_000


def read_study_folder(folder: Path, expanding: Expanding | None = None) -> StudyFolder:
    """Read and cross-check a study folder.

    Parameters
    ----------
    expanding
        Needed to expand a protocol that lists its phases; without it, such a study is refused.

    Raises
    ------
    InputRefused
        With everything that is wrong, each problem naming its file and line or key.
    """
    outcome = look_through(folder, expanding)
    outcome.problems.refuse()
    assert outcome.contents is not None
    return outcome.contents


def look_through(folder: Path, expanding: Expanding | None = None) -> ExaminedFolder:
    """Read and cross-check a study folder, and collect all problems instead of stopping at the first one.

    Parameters
    ----------
    expanding
        See `read_study_folder`.

    Raises
    ------
    InputRefused
        There is no such folder.
    """
    if len(str(folder)) > _LONGEST_PATH or not _is_folder(folder):
        raise InputRefused(
            f"{shown(folder.name)} is not a folder: expected one with protocol.yaml and CSV tables; name that."
        )
    if expanding is not None:
        unread = Problems()
        text, document = document_of(folder / "protocol.yaml", unread)
        if lists_phases(document):
            return look_through_listed(folder, text, document, expanding)
        if unread.count and (not text or would_list_phases(text)):
            # Until the protocol can be read, the tables and columns that the study needs are not known.
            unread.unseen.append("the tables, whose columns the protocol declares")
            return ExaminedFolder(None, unread, (), ())
    problems = Problems()
    protocol = read_protocol_as_far_as_it_goes(folder / "protocol.yaml", problems)
    reader = Reader(problems, Conversions(), protocol.dates)
    cases = read_table(reader, folder, CASES, case_row)
    histories = histories_of(reader, folder, cases)
    volumes = read_table(reader, folder, VOLUMES, lambda line: volume_row(line, folder, cases))
    if protocol.hanging is not None and volumes.keys is not None and not volumes.refused:
        check_hanging(problems, protocol.hanging, volumes)
        check_dates(problems, volumes)
    overlays = read_table(reader, folder, OVERLAYS, lambda line: overlay_row(line, folder, cases))
    items = read_table(reader, folder, ITEMS, lambda line: item_row(line, protocol, cases, volumes, overlays))
    check_subjects(problems, cases, items)
    subjects = None if cases.keys is None else {case.key: case.subject for case in cases.rows}
    check_items(problems, protocol, items, subjects)
    item_by_key = {item.key: item for item in reversed(items.rows)}
    references = read_table(
        reader, folder, REFERENCES, lambda line: reference_row(line, items, item_by_key, protocol.forms or {})
    )
    candidates = read_table(reader, folder, CANDIDATES, lambda line: candidate_row(line, items, item_by_key))
    _check_who_needs_a_reference(problems, protocol, items, references, candidates)
    _check_scoring(problems, protocol, candidates)
    reader.note_excused()
    sound = None
    if protocol.whole is not None and not problems.count:
        sound = StudyFolder(
            protocol=protocol.whole,
            cases=tuple(replace(case, history=histories.get(case.key, ())) for case in cases.rows),
            volumes=volumes.rows,
            items=items.rows,
            references=references.rows,
            candidates=candidates.rows,
            overlays=overlays.rows,
            conversions=reader.conversions.all(),
            warnings=(
                *warnings_of(
                    tuple(case.key for case in cases.rows),
                    volumes.rows,
                    overlays.rows,
                    items.rows,
                    frozenset(reference.item for reference in references.rows),
                ),
                *telling_options(items.rows, references.rows, shuffled=protocol.whole.reading.shuffle_options),
            ),
        )
    return ExaminedFolder(sound, problems, volumes.rows, overlays.rows)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # The name is longer than the file system allows.
        return False


def _check_who_needs_a_reference(
    problems: Problems,
    protocol: ReadProtocol,
    items: Read[ItemRow],
    references: Read[ReferenceRow],
    candidates: Read[CandidateRow],
) -> None:
    """Refuse items without a reference if something is compared with it: feedback, scoring, the primary estimate."""
    # A reference that names no item, or cannot be read, may be the one that seems to be missing.
    if items.keys is None or references.keys is None or references.refused or references.keys - items.keys:
        return
    without = items.keys - references.keys
    practised = sorted({item.key for item in items.rows if item.practice} & without)
    if practised:
        problems.add("references.csv", "", f"lacks {listed(practised)}; a practice item needs a line there.")
    scored = sorted({candidate.item for candidate in candidates.rows} & without) if protocol.sample else []
    if scored:
        problems.add(
            "references.csv",
            "",
            f"lacks {listed(scored)}; answers to them are to be scored, so they need a line there, or their candidates "
            "go.",
        )
    real = {item.key for item in items.rows if not item.practice}
    planned = protocol.whole.analysis.primary if protocol.whole is not None else "agreement"
    if real and not real & references.keys and planned != "agreement":
        problems.add(
            "protocol.yaml",
            "key analysis.primary",
            f"{planned} is planned, but no item has a reference; add references.csv, or write agreement.",
        )


def _check_scoring(problems: Problems, protocol: ReadProtocol, candidates: Read[CandidateRow]) -> None:
    if candidates.keys is not None and protocol.sample > len(candidates.rows):
        problems.add(
            "protocol.yaml",
            "key scoring.sample",
            f"{protocol.sample} candidates are to be scored, candidates.csv holds {len(candidates.rows)}; lower the "
            "sample or add candidates.",
        )
