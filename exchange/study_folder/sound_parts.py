"""The parts of a `protocol.yaml` that can be read although others cannot, and the names of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from exchange.study_folder.protocol_problems import places_of
from protocol.language.authored import AuthoredStudy
from protocol.language.authored_fields import AuthoredAttributes
from protocol.language.authored_phases import AuthoredPhase
from protocol.language.unread import Kind, Origins, Unread

_KINDS: Mapping[str, Kind] = {"phases": "phase", "forms": "form", "groups": "group", "attributes": "attribute"}
_TABLES = tuple(AuthoredAttributes.model_fields)
# Stand-ins for the keys that every study must have.
_SAID = {"blindread": "2", "name": "a", "title": "A"}
_PHASE = {"key": "a", "rates": "items", "shows": [], "form": {"answer": "text"}}
# The number of passes: an error in a part may hide another one, which only the next pass finds.
_LOOKS = 4


@dataclass(frozen=True)
class Parts:
    """A study of the valid parts, where they were in the file, and the names of the other parts."""

    study: AuthoredStudy
    origins: Origins
    unread: Unread


def all_parts(study: AuthoredStudy) -> Parts:
    """Return a study in which nothing is wrong."""
    origins = Origins(tuple(range(len(study.phases))), tuple(range(len(study.analysis.also))))
    return Parts(study, origins, Unread(known=names_of(study)))


def sound_parts(document: Mapping[str, Any], places: Iterable[tuple[str, ...]]) -> Parts | None:
    """Return what can be read of a study; None if that cannot be determined.

    Parameters
    ----------
    places
        The keys under which something is wrong.
    """
    wrong = set(places)
    for _ in range(_LOOKS):
        if () in wrong:
            break
        reduced, origins, unread = _without(document, wrong)
        phases = reduced.get("phases") or [_PHASE]
        try:
            study = AuthoredStudy.model_validate({**_SAID, **reduced, "phases": phases})
        except ValidationError as error:
            wrong |= {_original(place, origins) for place in places_of(error)}
            continue
        if not reduced.get("phases"):
            study = study.model_copy(update={"phases": []})
        unread.known |= names_of(study)
        return Parts(study, origins, unread)
    return None


def with_faulty_phases(
    parts: Parts, document: Mapping[str, Any], places: Iterable[tuple[str, ...]]
) -> tuple[Parts, dict[int, set[str]]]:
    """Return a study that also holds what can be read of faulty phases, and the keys of each that cannot.

    Only the names to which these phases refer can be checked: anything else may depend on what is left out.
    """
    written = document.get("phases")
    wrong: dict[int, list[tuple[str, ...]]] = {}
    for place in places:
        if place[0] == "phases" and len(place) > len(("phases", "0")) and place[1].isdecimal():
            wrong.setdefault(int(place[1]), []).append(place[2:])
    if not isinstance(written, list):
        return parts, {}
    phases = dict(zip(parts.origins.phases, parts.study.phases, strict=True))
    left_out: dict[int, set[str]] = {}
    for origin, inside in wrong.items():
        read = _phase_in_part(written[origin], inside)
        if read is not None:
            phases[origin], left_out[origin] = read
    origins = tuple(sorted(phases))
    study = parts.study.model_copy(update={"phases": [phases[origin] for origin in origins]})
    return Parts(study, Origins(origins, parts.origins.also), parts.unread), left_out


def _phase_in_part(written: Any, wrong: Iterable[tuple[str, ...]]) -> tuple[AuthoredPhase, set[str]] | None:
    """Return a phase without its faulty keys, and these keys; None if its name or too much of it is faulty."""
    if not isinstance(written, Mapping):
        return None
    whole: set[str] = set()
    reduced = dict(written)
    for place in wrong:
        whole |= _leave_out(reduced, place)
    for _ in range(_LOOKS):
        if "key" in whole:
            return None
        stand_ins = {key: said for key, said in _PHASE.items() if key not in reduced}
        try:
            return AuthoredPhase.model_validate({**reduced, **stand_ins}), whole | stand_ins.keys()
        except ValidationError as error:
            for place in places_of(error):
                whole |= {place[0]} if place else {"key"}
            reduced = {key: said for key, said in reduced.items() if key not in whole}
    return None


def _leave_out(reduced: dict[str, Any], place: tuple[str, ...]) -> set[str]:
    """Leave out what is faulty in a phase, of its selection the key alone; return the key if all of it is left out."""
    key, *inside = place
    if key == "from" and inside and isinstance(reduced.get(key), Mapping):
        source = dict(reduced[key])
        name, *deeper = inside
        if name == "sample" and deeper and isinstance(source.get(name), Mapping):
            source[name] = {each: said for each, said in source[name].items() if each != deeper[0]}
        else:
            source.pop(name, None)
        reduced[key] = source
        return set()
    reduced.pop(key, None)
    return {key}


def names_of(study: AuthoredStudy) -> set[tuple[Kind, str]]:
    """Return the names that a study defines, with their kinds."""
    known: set[tuple[Kind, str]] = {("phase", phase.key) for phase in study.phases}
    known |= {("form", key) for key in study.forms} | {("group", key) for key in study.groups}
    return known | {("attribute", key) for table in _TABLES for key in getattr(study.attributes, table)}


def note_unread(unread: Unread, document: Mapping[str, Any], places: Iterable[tuple[str, ...]]) -> None:
    """Note the names of the invalid parts at these places of the protocol."""
    for place in places:
        _note(unread, document, place)


def _without(document: Mapping[str, Any], places: set[tuple[str, ...]]) -> tuple[dict[str, Any], Origins, Unread]:
    unread = Unread()
    note_unread(unread, document, places)
    reduced = dict(document)
    for section in {place[0] for place in places if len(place) == 1}:
        reduced.pop(section, None)
    gone = {place[1] for place in places if place[0] == "phases" and place[1:]}
    phases, origins = _entries(reduced.get("phases"), gone)
    if "phases" in reduced:
        reduced["phases"] = phases
    for section in ("forms", "groups"):
        gone = {place[1] for place in places if place[0] == section and len(place) > 1}
        if gone:
            reduced[section] = {key: said for key, said in reduced[section].items() if str(key) not in gone}
    _leave_out_attributes(reduced, {place[1:] for place in places if place[0] == "attributes" and len(place) > 1})
    also = _leave_out_lines(reduced, {place[1:] for place in places if place[0] == "analysis" and len(place) > 1})
    for section in {place[0] for place in places if place[0] not in (*_KINDS, "analysis")}:
        reduced.pop(section, None)
    return reduced, Origins(origins, also), unread


def _entries(written: Any, gone: set[str]) -> tuple[list[Any], tuple[int, ...]]:
    """Return the remaining entries of a list, and their indices."""
    if not isinstance(written, list):
        return [], ()
    origins = tuple(place for place in range(len(written)) if str(place) not in gone)
    return [written[place] for place in origins], origins


def _leave_out_attributes(reduced: dict[str, Any], gone: set[tuple[str, ...]]) -> None:
    if not gone:
        return
    tables = dict(reduced["attributes"])
    for table in {place[0] for place in gone}:
        keys = {place[1] for place in gone if place[0] == table and len(place) > 1}
        if (table,) in gone or not isinstance(tables[table], Mapping):
            del tables[table]
        else:
            tables[table] = {key: said for key, said in tables[table].items() if str(key) not in keys}
    reduced["attributes"] = tables


def _leave_out_lines(reduced: dict[str, Any], gone: set[tuple[str, ...]]) -> tuple[int, ...]:
    plan = reduced.get("analysis")
    if not isinstance(plan, Mapping):
        return ()
    plan = dict(plan)
    for key in {place[0] for place in gone if place[0] not in ("also", "criteria") or len(place) == 1}:
        plan.pop(key, None)
    also: tuple[int, ...] = ()
    for key in ("also", "criteria"):
        lines, origins = _entries(plan.get(key), {place[1] for place in gone if place[0] == key and len(place) > 1})
        also = origins if key == "also" else also
        if key in plan:
            plan[key] = lines
    reduced["analysis"] = plan
    return also


def _note(unread: Unread, document: Mapping[str, Any], place: tuple[str, ...]) -> None:
    section = place[0] if place else ""
    if section not in AuthoredStudy.model_fields:
        # The author may have meant any of the sections that are missing.
        unread.open |= {kind for other, kind in _KINDS.items() if other not in document}
        return
    kind = _KINDS.get(section)
    if kind is None:
        return
    if len(place) == 1:
        unread.open.add(kind)
    elif kind == "phase":
        _note_phase(unread, document["phases"], place[1])
    elif kind != "attribute":
        unread.names.add((kind, place[1]))
    elif len(place) > 2:
        unread.names.add((kind, place[2]))
    elif isinstance(declared := document["attributes"].get(place[1]), Mapping):
        unread.names |= {(kind, str(key)) for key in declared}
    else:
        unread.open.add(kind)


def _note_phase(unread: Unread, phases: Any, place: str) -> None:
    if not isinstance(phases, list) or not place.isdecimal():
        unread.open.add("phase")
        return
    written = phases[int(place)]
    key = written.get("key") if isinstance(written, Mapping) else None
    if isinstance(key, str) and key:
        unread.names.add(("phase", key))
    else:
        unread.open.add("phase")


def _original(place: tuple[str, ...], origins: Origins) -> tuple[str, ...]:
    """Return the place in the author's file of something found in the reduced document."""
    of_section = {("phases",): origins.phases, ("analysis", "also"): origins.also}
    for section, left in of_section.items():
        at = len(section)
        if place[:at] == section and len(place) > at and place[at].isdecimal() and int(place[at]) < len(left):
            return (*section, str(left[int(place[at])]), *place[at + 1 :])
    return place
