"""A `protocol.yaml` that lists its phases: read as text, checked, and expanded with the shared lists it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from exchange.refusal import InputRefused, Problems, listed, shown
from exchange.spreadsheet import NotRead, decoded
from exchange.study_folder.protocol_problems import add_problems, places_of
from exchange.study_folder.protocol_yaml import LANGUAGE_KEY, check_values, load
from exchange.study_folder.sound_parts import Parts, all_parts, note_unread, sound_parts, with_faulty_phases
from exchange.study_folder.written_places import as_written, place_of
from protocol.language.authored import AuthoredStudy
from protocol.language.authored_fields import AuthoredOption, Options
from protocol.language.expanding import expand_as_far_as_it_goes
from protocol.language.expansion import Expansion
from protocol.language.law import breaches
from protocol.language.misfits import PHASE_ABOVE, Misfits
from protocol.language.never_true import never_true
from protocol.language.phases import check_key
from protocol.language.unread import Kind, Unread, Unseen, judged_as_a_whole, judged_in_part, opens_unsurely
from protocol.language.wording import path_in_words
from protocol.parts import Part

LISTS = "lists"
_PLAN = ("analysis",)
_LIST_NAME = re.compile(r"^[a-z][a-z0-9_]{0,59}$")


class _SharedList(Part):
    options: Options


def lists_phases(document: Any) -> bool:
    """Return whether a protocol is written in the language whose studies list their phases."""
    return isinstance(document, Mapping) and LANGUAGE_KEY in document


def would_list_phases(text: str) -> bool:
    """Return whether a text that is not valid YAML yet is meant to be such a protocol."""
    return re.search(rf"^{LANGUAGE_KEY}\s*:", text, re.MULTILINE) is not None


@dataclass(frozen=True)
class ReadStudy:
    """A study as far as it could be written out.

    Attributes
    ----------
    whole
        The whole study, if its keys are valid and consistent; it may still be refused for what it would reveal.
    judged
        The phases that do not depend on anything invalid, without the plan; the whole study, if there is one.
    of_tables
        What the tables can be held against: the whole study, or all but its plan if only that is wrong.
    """

    whole: Expansion | None = None
    judged: Expansion | None = None
    of_tables: Expansion | None = None


def study_of(
    document: Mapping[str, Any], name: str, version: str, folders: Sequence[Path], problems: Problems
) -> ReadStudy:
    """Return a study expanded as far as possible; note what is wrong, and what could not be judged because of it.

    A part is judged even if others are invalid: its own keys, whether it fits what it names, and whether its phases
    preserve blinding. Anything that depends on an invalid part is left out, so that no problem is reported that would
    disappear with the correction.

    Parameters
    ----------
    document
        The YAML of a protocol whose scalars are text.
    name
        The name of the file in errors.
    version
        The version of the program.
    folders
        The folders of shared lists; the first that has a list wins.
    """
    wrong = check_values(problems, document, name)
    authored = None
    try:
        authored = AuthoredStudy.model_validate(document)
    except ValidationError as error:
        add_problems(problems, error, AuthoredStudy, name, wrong, document)
        wrong |= places_of(error)
    lists = _shared_lists(document, folders, problems)
    parts = sound_parts(document, wrong) if wrong or authored is None else all_parts(authored)
    if parts is None:
        problems.unseen.append("how the parts of the protocol fit together")
        return ReadStudy()
    parts.unread.names |= {("list", key) for key, options in lists.items() if options is None}
    readable = {key: options for key, options in lists.items() if options is not None}
    reading = _Reading(document, name, version, readable, problems)
    study, unsure = _judged(parts, reading, wrong)
    for place, says in _names_in_faulty_phases(parts, wrong, reading):
        problems.add(name, place_of(place, document), says)
    for key, says in never_true(study.judged) if study.judged else ():
        problems.add(name, f"key {key}", f"{says[0].upper()}{says[1:]}")
    for breach in breaches(study.judged) if study.judged else ():
        if breach.answer == "refused" and breach.telling not in unsure:
            problems.add(name, f"key phases.{breach.telling}.shows", str(breach))
    return study


@dataclass(frozen=True)
class _Reading:
    """What is needed to read a protocol, and where its problems are noted."""

    document: Mapping[str, Any]
    name: str
    version: str
    lists: Mapping[str, list[AuthoredOption]]
    problems: Problems

    def phase_keys(self) -> tuple[str, ...]:
        """Return the keys of all phases in order, including phases of which nothing else can be read."""
        written = self.document.get("phases")
        phases = written if isinstance(written, list) else []
        return tuple(str(phase.get("key", "")) if isinstance(phase, Mapping) else "" for phase in phases)


def _judged(parts: Parts, reading: _Reading, wrong: set[tuple[str, ...]]) -> tuple[ReadStudy, set[str]]:
    """Expand what can be read, note what does not fit, and return it with the phases whose safety cannot be judged."""
    misfits, written, unseen = _fitted(parts, parts.unread, reading)
    if nameless := _of_unknown_answers(misfits, reading.phase_keys()):
        # Parts that name fields of these phases only seem to be wrong because of them.
        unread = parts.unread.copy()
        unread.names |= nameless
        misfits, written, unseen = _fitted(parts, unread, reading)
    for place, says in misfits.noted:
        reading.problems.add(reading.name, place_of(place, reading.document), says)
    of_plan_alone = not parts.unread.names and all(
        place[:1] == _PLAN for place in (*wrong, *(place for place, _ in misfits.noted))
    )
    if of_plan_alone and not wrong and not misfits.noted:
        return ReadStudy(written, written, written), set()
    note_unread(parts.unread, reading.document, (place for place, _ in misfits.noted))
    sound, unsure = _phases_that_hang_on_nothing(parts, reading)
    judged = {phase.key for phase in sound.phases} - unsure if sound else set()
    _note_unseen(unseen, [key for key in dict.fromkeys(reading.phase_keys()) if key not in judged], reading)
    return ReadStudy(None, sound, sound if of_plan_alone else None), unsure


def _fitted(parts: Parts, unread: Unread, reading: _Reading) -> tuple[Misfits, Expansion, list[Unseen]]:
    """Expand what does not depend on anything unread; return what does not fit, the study, and what was not judged."""
    in_part, origins, unseen = judged_in_part(parts.study, parts.origins, unread)
    misfits = Misfits(reading.phase_keys(), _beside(unread))
    for place in sorted(set(range(len(misfits.phases))) - set(origins.phases)):
        check_key(misfits, place)
    written = expand_as_far_as_it_goes(in_part, reading.version, reading.lists, misfits, origins)
    return misfits, written, unseen


def _names_in_faulty_phases(
    parts: Parts, wrong: set[tuple[str, ...]], reading: _Reading
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the names in phases with faulty keys that nothing has, with their places; the other keys are not judged."""
    beside, left_out = with_faulty_phases(parts, reading.document, wrong)
    if not left_out:
        return
    misfits, _, _ = _fitted(beside, parts.unread, reading)
    for place, says in misfits.of_names:
        gone = left_out.get(int(place[1])) if place[0] == "phases" else None
        depends = {"undetermined", "takes", "pairs"} if gone and gone & {"form", "rates"} else set()
        if gone is not None and place[2] not in gone | depends:
            yield place, says


def _of_unknown_answers(misfits: Misfits, keys: Sequence[str]) -> set[tuple[Kind, str]]:
    """Return the phases whose answers are unknown because their form, or what they rate, is invalid."""
    return {
        ("phase", keys[int(place[1])])
        for place, _ in misfits.noted
        if place[0] == "phases" and place[2:] in (("form",), ("rates",))
    }


def _phases_that_hang_on_nothing(parts: Parts, reading: _Reading) -> tuple[Expansion | None, set[str]]:
    """Return the study of the phases that depend on nothing invalid, and the keys of those with unsure predecessors."""
    while True:
        study, origins = judged_as_a_whole(parts.study, parts.origins, parts.unread)
        misfits = Misfits(reading.phase_keys())
        written = expand_as_far_as_it_goes(study, reading.version, reading.lists, misfits, origins)
        if not misfits.noted:
            return written, opens_unsurely(study, origins)
        known = len(parts.unread.names)
        note_unread(parts.unread, reading.document, (place for place, _ in misfits.noted))
        if len(parts.unread.names) == known:
            return None, set()


def _beside(unread: Unread) -> dict[str, tuple[str, ...]]:
    """Return the unread names that sentences list in addition to the known ones, by the word used in misfits."""
    attributes = unread.of("attribute")
    return {
        PHASE_ABOVE: unread.of("phase"),
        "form": unread.of("form"),
        "group": unread.of("group"),
        "other group": unread.of("group"),
        "attribute": attributes,
        "thing to show": attributes,
        "column of candidates.csv": attributes,
    }


def _note_unseen(unseen: Sequence[Unseen], phases: Sequence[str], reading: _Reading) -> None:
    """Note the keys that were not checked and why, and the phases that were not judged by the safety rules."""
    hanging: dict[str, list[str]] = {}
    for part in unseen:
        keys = hanging.setdefault(f"{part.kind} '{shown(part.name)}'", [])
        keys.append(path_in_words(as_written(part.place, reading.document)))
    for cause, keys in hanging.items():
        reading.problems.unseen.append(f"what depends on {cause} ({listed(dict.fromkeys(keys))})")
    named = [shown(key) for key in phases if key]
    if named:
        verb = "keep" if len(named) > 1 else "keeps"
        reading.problems.unseen.append(f"whether {listed(named)} {verb} to blinding and can be run")


def _shared_lists(
    document: Mapping[str, Any], folders: Sequence[Path], problems: Problems
) -> dict[str, list[AuthoredOption] | None]:
    """Return the shared lists that a study names, as far as they exist; None for an invalid list."""
    lists: dict[str, list[AuthoredOption] | None] = {}
    for name in sorted(_named(document)):
        file = next((folder / f"{name}.yaml" for folder in folders if (folder / f"{name}.yaml").is_file()), None)
        if file is None:
            if any((folder / f"{name}.yaml").exists() for folder in folders):
                lists[name] = None
                problems.add(f"{LISTS}/{name}.yaml", "", "cannot be read (it is not a file); expected a YAML file.")
            continue
        place = f"{LISTS}/{file.name}"
        lists[name] = None
        try:
            text, _ = decoded(file.read_bytes())
            document_of_list = load(text, place, as_text=True)
            if (above := _keys_above(document_of_list)) is not None:
                problems.add(place, "key options", above)
                continue
            lists[name] = list(_SharedList.model_validate({"options": document_of_list}).options.listed)
        except InputRefused as refusal:
            problems.take(refusal)
        except NotRead as error:
            problems.add(place, "", str(error))
        except OSError as error:
            problems.add(place, "", f"cannot be read ({error.strerror}); expected a YAML file.")
        except ValidationError as error:
            add_problems(problems, error, _SharedList, place, set(), {"options": document_of_list})
    return lists


def _keys_above(document: Any) -> str | None:
    """Return what to do about a list that is written below a key of its own; None where it is not."""
    options = document.get("options") if isinstance(document, Mapping) else None
    if not isinstance(options, list | Mapping) or "text" in options:
        return None
    return (
        f"options stand below a key, and a shared list is nothing but its options; remove {listed(map(str, document))} "
        "and write them from the beginning of the line, as a list or as ids with their texts."
    )


def _named(value: Any) -> set[str]:
    """Return every `lists/NAME` below a value."""
    if isinstance(value, Mapping):
        return set().union(*(_named(below) for below in value.values()))
    if isinstance(value, list):
        return set().union(*(_named(below) for below in value))
    name = value.removeprefix(f"{LISTS}/") if isinstance(value, str) and value.startswith(f"{LISTS}/") else ""
    return {name} if _LIST_NAME.match(name) else set()
