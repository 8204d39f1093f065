"""How the tables of a version differ from the present ones: which rows are new, and which are corrected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db import now
from exchange.study_folder.folder_rows import CandidateRow, ReferenceRow, StudyFolder
from exchange.study_folder.item_table import ItemRow
from exchange.tables import LONGEST_KEY
from protocol.language.drawn_volumes import draws_volumes
from protocol.language.model_answers import is_stored_answer
from protocol.language.wording import listed
from services.studies.folders import pool_files, pool_rows, table_rows
from services.studies.versions.changes import ANEW, WITH_ANSWER, WITH_ITEM, Change, reworded
from services.studies.versions.current import Current
from services.studies.versions.pairs import NewPairs, corrected_pairs, new_pairs, reasons_against
from services.studies.volumes.preparing import Prepared

# The parts of an item that may be corrected; if anything else differs, it is a different item.
_OF_ITEMS = {
    "prompt": "prompt", "options": "options", "sequences": "sequences", "uses_prior": "prior", "overlays": "overlays",
    "start": "start",
}  # fmt: skip
_OF_REFERENCES = ("accepted", "low", "high", "text_only_answer", "provenance", "explanation", "fields")
_OF_CASES = ("subject", "vignette", "age", "history", "note")


@dataclass(frozen=True)
class NewRows:
    """What a version brings.

    Attributes
    ----------
    contents
        The tables as they apply from now on, with the keys under which everything is stored.
    added
        Only the new lines: what is added, and what is corrected under its own key.
    replaces
        The stored key of the item that a corrected item replaces, by its own stored key.
    replaces_candidates
        The same for candidates, including those of corrected items.
    pairs
        What becomes of pairs of answers.
    texts
        The old and new wording of corrected prompts and answers, a sentence each.
    """

    contents: StudyFolder
    added: StudyFolder
    replaces: Mapping[str, str]
    replaces_candidates: Mapping[str, str]
    changes: tuple[Change, ...]
    pairs: NewPairs
    texts: tuple[str, ...] = ()


def key_of_version(key: str, version: int) -> str:
    """Return the key under which a version stores something that it corrects."""
    return f"{key}.v{version}"


def new_rows(current: Current, contents: StudyFolder, version: int) -> tuple[NewRows, list[str]]:
    """Compare the tables of a study folder with the present ones; return what is new, and what prevents the version."""
    reasons = [*_of_what_stays(current, contents)]
    lost = list(_lost_references(current, contents))
    reasons += lost
    corrected = _corrected_items(current, contents, with_references=not lost)
    names = {key: row.key for key, row in current.items.items()}
    names |= {key: key_of_version(key, version) for key in corrected}
    reasons += _of_corrections(current, contents, corrected)
    answers = _corrected_candidates(current, contents, corrected)
    names_of_candidates = {key: row.key for key, row in current.candidates.items()}
    names_of_candidates |= {key: key_of_version(key, version) for key in answers}
    compared: dict[str, tuple[str, ...]] = dict.fromkeys(corrected_pairs(current.pairs, contents.pairs, answers), ())
    reasons += _of_keys(current, contents)
    reasons += reasons_against(current.pairs, contents.pairs, {key: row.key for key, row in current.candidates.items()})
    items = [replace(row, key=names.get(row.key, row.key)) for row in contents.items]
    references = [replace(row, item=names.get(row.item, row.item)) for row in contents.references]
    candidates = [
        replace(row, key=names_of_candidates.get(row.key, row.key), item=names.get(row.item, row.item))
        for row in contents.candidates
    ]
    pairs = new_pairs(
        current.pairs,
        contents.pairs,
        {line.key: row for line, row in zip(contents.candidates, candidates, strict=True)},
        {current.candidates[key].key: names_of_candidates[key] for key in answers},
        {key: key_of_version(key, version) for key in compared},
    )
    everything = replace(
        contents,
        items=tuple(items),
        references=tuple(references),
        candidates=tuple(candidates),
        pairs=pairs.rows,
    )
    stored_items = {row.key for row in current.items.values()}
    stored_candidates = {row.key for row in current.candidates.values()}
    added = replace(
        everything,
        cases=tuple(row for row in contents.cases if row.key not in current.cases),
        items=tuple(row for row in items if row.key not in stored_items),
        references=tuple(row for row in references if row.item not in stored_items),
        candidates=tuple(row for row in candidates if row.key not in stored_candidates),
    )
    units = {"item": corrected, "candidate": answers, "pair": compared}
    reasons += _of_stored_keys(current, contents, units, version)
    rows = NewRows(
        contents=everything,
        added=added,
        replaces={names[key]: current.items[key].key for key in corrected},
        replaces_candidates={names_of_candidates[key]: current.candidates[key].key for key in answers},
        changes=tuple(_changes(current, contents, units, version)),
        pairs=pairs,
        texts=tuple(_texts(current, contents)),
    )
    return rows, reasons


def _lost_references(current: Current, contents: StudyFolder) -> Iterator[str]:
    """Yield that the reference table was left out, which would count as a correction of every item."""
    if current.references and not any(row.item in current.references for row in contents.references):
        count = len(current.references)
        yield (
            f"references.csv has no line about any item of version {current.version}, which has references of "
            f"{count} item{'s' if count != 1 else ''}: a version takes nothing out; put the table back."
        )


def _corrected_items(current: Current, contents: StudyFolder, *, with_references: bool) -> dict[str, tuple[str, ...]]:
    """Return the corrected parts of each existing item, by folder key."""
    references = {row.item: row for row in contents.references}
    corrected = {}
    for row in contents.items:
        before = current.items.get(row.key)
        if before is None:
            continue
        said = table_rows.of_item(row)
        parts = [name for column, name in _OF_ITEMS.items() if said[column] != getattr(before, column)]
        if with_references:
            said_now = _reference_as_stored(row, references.get(row.key))
            parts += _parts_of_reference(_stored_reference(current.references.get(row.key)), said_now)
        if parts:
            corrected[row.key] = tuple(parts)
    return corrected


def _parts_of_reference(before: dict[str, Any] | None, now_said: dict[str, Any] | None) -> list[str]:
    """Return the corrected parts of a reference, which may also be added or removed."""
    if before == now_said:
        return []
    if before is None or now_said is None:
        return ["reference (none before)" if before is None else "reference (none any more)"]
    changed = [name for name in _OF_REFERENCES if before[name] != now_said[name]]
    return ["explanation"] if changed == ["explanation"] else ["reference"]


def _reference_as_stored(item: ItemRow, row: ReferenceRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    said = table_rows.of_reference(row, item.explanation, Prepared(), now())
    return {name: said[name] for name in _OF_REFERENCES}


def _stored_reference(row: Any) -> dict[str, Any] | None:
    """Return what a stored reference says, without what was read from its mask."""
    if row is None:
        return None
    content = {name: getattr(row, name) for name in _OF_REFERENCES}
    content["fields"] = [{name: value for name, value in line.items() if name != "region"} for line in row.fields]
    return content


def _corrected_candidates(
    current: Current, contents: StudyFolder, items: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the corrected parts of candidates, by key; those of a corrected item count as corrected with it."""
    corrected: dict[str, tuple[str, ...]] = {}
    for row in contents.candidates:
        before = current.candidates.get(row.key)
        if before is None:
            continue
        parts = ("answer",) if _answers_otherwise(row, before) else ()
        if parts or row.item in items:
            corrected[row.key] = parts
    return corrected


def _answers_otherwise(row: CandidateRow, before: Any) -> bool:
    """Return whether the answer of a line differs from the stored one, as one text or in the fields of a form."""
    said = table_rows.of_candidate(row)
    return row.answer != before.answer or any(map(is_stored_answer, _differing(said["attributes"], before.attributes)))


def _columns(said: Mapping[str, str], stored: Mapping[str, str]) -> list[str]:
    """Return the declared columns in which two lines differ, without a model's answers in fields."""
    return [name for name in _differing(said, stored) if not is_stored_answer(name)]


def _differing(said: Mapping[str, str], stored: Mapping[str, str]) -> list[str]:
    return [name for name in dict.fromkeys((*stored, *said)) if stored.get(name) != said.get(name)]


def _of_what_stays(current: Current, contents: StudyFolder) -> Iterator[str]:
    """Yield what is missing, and the cases, scans and masks whose lines have changed since they were read."""
    files: dict[str, set[str]] = {"volume": set(), "overlay": set()}
    for kind, key in current.files:
        files[kind].add(key)
    tables: tuple[tuple[str, str, Iterable[str], Sequence[Any]], ...] = (
        ("Case", "cases.csv", current.cases, contents.cases),
        ("Volume", "volumes.csv", files["volume"], contents.volumes),
        ("Overlay", "overlays.csv", files["overlay"], contents.overlays),
        ("Item", "items.csv", current.items, contents.items),
        ("Candidate", "candidates.csv", current.candidates, contents.candidates),
    )
    for what, file, there, rows in tables:
        missing = sorted(set(there) - {row.key for row in rows})
        if missing:
            yield (
                f"{what} {_some(missing)} of version {current.version} {'is' if len(missing) == 1 else 'are'} missing "
                f"in {file}: a version takes nothing out; put {'it' if len(missing) == 1 else 'them'} back."
            )
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for case in contents.cases:
        before = current.cases.get(case.key)
        said = table_rows.of_case(case)
        changed = [name for name in _OF_CASES if before is not None and getattr(before, name) != said[name]]
        changed += _columns(said["attributes"], before.attributes) if before is not None else []
        if changed:
            alike[tuple(changed)].append(case.key)
    for changed_alike, keys in alike.items():
        yield _said_of(
            keys,
            f"Case {_some(keys)} differs in {listed(changed_alike)} from the one that was read; put it back, or add "
            "a case of another key with items of its own.",
            f"{len(keys)} cases ({_some(keys)}) differ in {listed(changed_alike)} from those that were read; put them "
            "back, or add cases of other keys with items of their own.",
        )
    unread = set(_in_unread_cases(current, contents))
    lines = [(("volume", row.key), row.case, pool_rows.said_of_volume(row)) for row in contents.volumes]
    lines += [(("overlay", row.key), row.case, pool_rows.said_of_overlay(row)) for row in contents.overlays]
    for place, case_key, said_of_file in lines:
        if place in current.files and current.files[place] != (case_key, said_of_file):
            yield (
                f"The line of {place[0]} '{place[1]}' is not what it was when it was shown; put it back, or "
                f"add a {place[0]} of another key."
            )
        elif place not in current.files and case_key in current.cases and place not in unread:
            yield (
                f"Case '{case_key}' has a further {place[0]}, '{place[1]}', and was read without it; add a case of "
                "another key with items of its own."
            )


def _in_unread_cases(current: Current, contents: StudyFolder) -> Iterator[tuple[str, str]]:
    """Yield the scans and masks of added cases that no drawn item shows, by kind and key.

    A version reads only the scans that it needs, and those of a case that nothing shows are not among them.
    """
    # A version is made of studies that list their phases.
    study: Any = contents.protocol
    items = [item for drawn in current.added_cases.values() for item in drawn]
    shown = pool_files.needed_by(items, contents.volumes, contents.overlays, study)
    needed = {("volume", row.key) for row in shown.volumes} | {("overlay", row.key) for row in shown.overlays}
    all_read = set[str]() if draws_volumes(study) else {case for case, _ in current.files.values()}
    for kind, rows in (("volume", contents.volumes), ("overlay", contents.overlays)):
        for row in rows:
            if row.case in current.added_cases and row.case not in all_read and (kind, row.key) not in needed:
                yield kind, row.key


def _of_corrections(current: Current, contents: StudyFolder, corrected: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the items that became different ones, and those that cannot be corrected or added individually."""
    conversations = {row.conversation for row in current.items.values() if row.conversation}
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in contents.items:
        before = current.items.get(row.key)
        said = table_rows.of_item(row)
        if before is None:
            if row.practice:
                yield f"Item '{row.key}' is for practice, which was passed without it; take it out, {ANEW}."
            elif row.conversation in conversations:
                yield (
                    f"Item '{row.key}' is a further turn of the conversation '{row.conversation}', which was read "
                    "without it; add it to a conversation of its own."
                )
            continue
        other = [
            name for name in said
            if name not in (*_OF_ITEMS, "key", "attributes") and said[name] != getattr(before, name)
        ]  # fmt: skip
        other += _columns(said["attributes"], before.attributes)
        other += ["case"] if current.cases.get(row.case) is None or current.cases[row.case].id != before.case_id else []
        if other:
            alike[tuple(other)].append(row.key)
        if row.key in corrected and (row.practice or row.conversation):
            what = "is for practice" if row.practice else "is a turn of a conversation"
            yield f"Item '{row.key}' {what}, and cannot be corrected in a version; put it back, {ANEW}."
    for changed_alike, keys in alike.items():
        yield _said_of(
            keys,
            f"Item {_some(keys)} differs in {listed(changed_alike)}, which makes it another item; put it back, or give "
            "the new item another key.",
            f"{len(keys)} items ({_some(keys)}) differ in {listed(changed_alike)}, which makes them other items; put "
            "them back, or give the new items other keys.",
        )


def _of_stored_keys(
    current: Current,
    contents: StudyFolder,
    corrected: Mapping[str, Iterable[str]],
    version: int,
) -> Iterator[str]:
    """Yield the corrected rows whose new key is too long or already in use."""
    lines: tuple[Sequence[Any], ...] = (contents.items, contents.candidates, contents.pairs)
    used = current.taken.union(row.key for rows in lines for row in rows)
    for what, keys in corrected.items():
        for key in keys:
            stored = key_of_version(key, version)
            if len(stored) > LONGEST_KEY:
                yield f"The corrected '{stored}' would have a key of more than {LONGEST_KEY} characters; shorten it."
            elif stored in used:
                yield (
                    f"The corrected {what} '{key}' would be stored as '{stored}', which is the key of something else; "
                    "give what is added another key, or correct it in a later version."
                )


def _of_keys(current: Current, contents: StudyFolder) -> Iterator[str]:
    """Yield the keys that were used before, and the candidates that name another author than before."""
    new = [row.key for row in contents.items if row.key not in current.items]
    new += [row.key for row in contents.candidates if row.key not in current.candidates]
    new += [row.key for row in contents.pairs if row.key not in current.pairs or not current.pairs[row.key].listed]
    for key in new:
        if key in current.taken:
            yield f"The key '{key}' was used in an earlier version; a key is never used again: choose another."
    folder_items = {row.id: key for key, row in current.items.items()}
    practised = {row.key for row in contents.items if row.practice}
    for row in contents.candidates:
        before = current.candidates.get(row.key)
        if row.item in practised and (before is None or _answers_otherwise(row, before)):
            yield f"Candidate '{row.key}' is of a practice item, which was passed without it; put it back, {ANEW}."
    for row in contents.candidates:
        before = current.candidates.get(row.key)
        if before is None:
            continue
        said = table_rows.of_candidate(row)
        other = ["model"] if said["model"] != before.model else []
        other += _columns(said["attributes"], before.attributes)
        other += ["item"] if folder_items.get(before.item_id) != row.item else []
        if other:
            yield (
                f"Candidate '{row.key}' differs in {listed(other)}, which makes it another candidate; "
                "put it back, or give the new one another key."
            )


def _changes(
    current: Current,
    contents: StudyFolder,
    corrected: Mapping[str, Mapping[str, tuple[str, ...]]],
    version: int,
) -> Iterator[Change]:
    rows: Sequence[tuple[str, Sequence[Any], Mapping[str, Any], tuple[str, ...]]] = (
        ("case", contents.cases, current.cases, ()),
        ("item", contents.items, current.items, ()),
        ("candidate", contents.candidates, current.candidates, WITH_ITEM),
        ("pair", contents.pairs, current.pairs, WITH_ANSWER),
    )
    for what, lines, there, carried in rows:
        parts = corrected.get(what, {})
        for row in lines:
            if row.key not in there:
                yield Change(what, row.key, "added")
            elif row.key in parts:
                yield Change(what, row.key, "corrected", parts[row.key] or carried, key_of_version(row.key, version))


def _texts(current: Current, contents: StudyFolder) -> Iterator[str]:
    """Yield the old and the new wording of each corrected prompt and answer."""
    said = [("item", row.key, current.items.get(row.key), "prompt", row.prompt) for row in contents.items]
    said += [
        ("candidate", row.key, current.candidates.get(row.key), "answer", row.answer) for row in contents.candidates
    ]
    for what, key, before, name, text in said:
        if before is not None and getattr(before, name) != text:
            yield reworded(what, key, getattr(before, name), text)


def _said_of(keys: Sequence[str], of_a_row: str, of_rows: str) -> str:
    """Return the sentence for one row, or for all rows with the same difference: a table may have thousands."""
    return of_a_row if len(keys) == 1 else of_rows


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - 5} more" if len(keys) > 5 else ""
    return ", ".join(f"'{key}'" for key in keys[:5]) + more
