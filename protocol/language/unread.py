"""The parts of a faulty study that can still be checked, leaving out everything that depends on a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from protocol.language.authored import AuthoredStudy
from protocol.language.authored_fields import AuthoredAttributes, AuthoredField, AuthoredOptions
from protocol.language.authored_phases import (
    AuthoredForm,
    AuthoredOpening,
    AuthoredPeople,
    AuthoredPhase,
    AuthoredSource,
)
from protocol.language.authored_plan import RATER, AuthoredAnalysis, AuthoredEstimate
from protocol.language.phases import KNOWN_ATTRIBUTES
from protocol.language.things import THINGS

Kind = Literal["phase", "form", "group", "attribute", "list"]
# Names that are valid in place of attributes but cannot be declared.
_NO_ATTRIBUTES = KNOWN_ATTRIBUTES | frozenset(THINGS) | {"group", "case", "item", RATER}
_TABLES = tuple(AuthoredAttributes.model_fields)
_ANY_FORM = AuthoredForm.model_validate({"fields": {"answer": "text"}})


@dataclass
class Unread:
    """The parts that are themselves faulty, by kind and name.

    Attributes
    ----------
    names
        The faulty parts.
    open
        Kinds that include a part without a readable name, which any unknown name may mean.
    known
        The parts that can be read.
    """

    names: set[tuple[Kind, str]] = field(default_factory=set)
    open: set[Kind] = field(default_factory=set)
    known: set[tuple[Kind, str]] = field(default_factory=set)

    def holds(self, kind: Kind, name: str) -> bool:
        """Return whether a name refers, or may refer, to a part that cannot be read."""
        if (kind, name) in self.names:
            return True
        if kind == "attribute" and name in _NO_ATTRIBUTES:
            return False
        return kind in self.open and (kind, name) not in self.known

    def copy(self) -> Unread:
        """Return a copy, to which more can be added."""
        return Unread(set(self.names), set(self.open), set(self.known))

    def of(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of the faulty parts of a kind."""
        return tuple(sorted(name for other, name in self.names if other == kind))


@dataclass(frozen=True)
class Origins:
    """The positions in the author's file of the remaining phases and estimates."""

    phases: tuple[int, ...]
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unseen:
    """A key that is not checked, and the faulty part that it depends on."""

    place: tuple[str, ...]
    kind: Kind
    name: str


def judged_in_part(
    study: AuthoredStudy, origins: Origins, unread: Unread
) -> tuple[AuthoredStudy, Origins, list[Unseen]]:
    """Return a study without the keys that refer to unreadable parts, and these keys.

    A phase whose form or units cannot be known counts as unread for everything that depends on its answers.
    """
    unread = unread.copy()
    unseen: list[Unseen] = []
    study = _without_lists(study, unread, unseen)
    phases, left = [], []
    for origin, phase in zip(origins.phases, study.phases, strict=True):
        hangs = [(key, kind, name) for key, kind, name in named_by(phase, unread) if unread.holds(kind, name)]
        unseen += [Unseen(("phases", str(origin), key), kind, name) for key, kind, name in hangs]
        keys = {key for key, _, _ in hangs}
        if keys & {"form", "rates"}:
            unread.names.add(("phase", phase.key))
        if "rates" not in keys:
            phases.append(phase.model_copy(update=_instead(phase, keys, unread)))
            left.append(origin)
    analysis, also = _analysis_in_part(study.analysis, origins.also, unread, unseen)
    return study.model_copy(update={"phases": phases, "analysis": analysis}), Origins(tuple(left), also), unseen


def judged_as_a_whole(study: AuthoredStudy, origins: Origins, unread: Unread) -> tuple[AuthoredStudy, Origins]:
    """Return a study of the phases that do not depend, even through other phases, on a fault; without its plan."""
    unread = unread.copy()
    study = _without_lists(_without_names(study, unread), unread, [])
    phases, left = [], []
    for origin, phase in zip(origins.phases, study.phases, strict=True):
        hangs = any(unread.holds(kind, name) for _, kind, name in named_by(phase, unread))
        if hangs or ("phase", phase.key) in unread.names:
            unread.names.add(("phase", phase.key))
        else:
            phases.append(phase)
            left.append(origin)
    return study.model_copy(update={"phases": phases, "analysis": AuthoredAnalysis()}), Origins(tuple(left))


def opens_unsurely(study: AuthoredStudy, origins: Origins) -> set[str]:
    """Return the phases whose predecessors are uncertain because some phases above them are left out.

    Without `after`, a phase opens after the phases above in which the same people work. A phase that waits for such a
    phase may therefore also wait, through one that is left out, for a third.
    """
    unsure: set[str] = set()
    by_default: set[str] = set()
    for place, (origin, phase) in enumerate(zip(origins.phases, study.phases, strict=True)):
        if not phase.opens.after and origin > place:
            by_default.add(phase.key)
        if set(phase.opens.after) & (by_default | unsure):
            unsure.add(phase.key)
    return unsure


def named_by(phase: AuthoredPhase, unread: Unread) -> Iterator[tuple[str, Kind, str]]:
    """Yield everything that a phase refers to: its key, the kind, and the name."""
    for written in phase.rates:
        kind, of, name = written.partition(" of ")
        if of and kind.strip() == "answers":
            yield "rates", "phase", name.strip()
    if phase.form.name == "as_item":
        yield from (("form", "form", name) for name in unread.of("form"))
        if "form" in unread.open:
            yield "form", "form", "forms"
    elif phase.form.name is not None:
        yield "form", "form", phase.form.name
    for name in _lists_in(phase.form.fields or {}):
        yield "form", "list", name
    for key, options in (("not_assessable", phase.not_assessable), ("flags", phase.flags)):
        if options is not None and options.shared is not None:
            yield key, "list", options.shared
    yield from (("from", kind, name) for kind, name in _named_by_source(phase.source))
    yield from (("by", "group", name) for name in phase.by.groups)
    yield from (("by", "phase", name) for name in phase.by.not_in)
    yield from (("opens", "phase", name) for name in phase.opens.after)
    if phase.settles is not None:
        yield "settles", "phase", phase.settles
    for key, shown in (("shows", phase.shows), ("then", phase.then.shows if phase.then else ())):
        yield from ((key, "attribute", thing) for thing in shown if not thing.startswith("reference."))
    if phase.pairs is not None:
        yield from (("pairs", "attribute", name) for name in (phase.pairs.of, *(phase.pairs.same or ())))


def _named_by_source(source: AuthoredSource) -> Iterator[tuple[Kind, str]]:
    if source.phase is not None:
        yield "phase", source.phase
    for name in source.where:
        key, is_result, _ = name.partition(".")
        yield ("phase", key) if is_result else ("attribute", name)
    if source.sample is not None:
        yield from (("attribute", name) for name in (*source.sample.strata, *source.sample.at_most))
        yield from (("phase", name) for name in source.sample.not_in)


def _lists_in(fields: Mapping[str, AuthoredField]) -> Iterator[str]:
    for asked in fields.values():
        yield from _lists_of(asked.options, asked.synonyms)


def _lists_of(*written: AuthoredOptions | None) -> Iterator[str]:
    yield from (options.shared for options in written if options is not None and options.shared is not None)


def _instead(phase: AuthoredPhase, keys: set[str], unread: Unread) -> dict[str, object]:
    """Return replacements for the keys of a phase that are not checked."""

    def read(shown: Sequence[str]) -> list[str]:
        return [thing for thing in shown if not unread.holds("attribute", thing)]

    changes: dict[str, object] = {}
    if "form" in keys:
        changes |= {"form": _ANY_FORM, "undetermined": []}
    if "from" in keys:
        # A phase can settle only the one that its units come from.
        changes |= {"source": AuthoredSource(), "settles": None}
    if "by" in keys:
        changes |= {"by": AuthoredPeople()}
    if keys & {"by", "opens"}:
        changes |= {"opens": AuthoredOpening()}
    if "shows" in keys:
        changes["shows"] = read(phase.shows)
    if "then" in keys and phase.then is not None:
        changes["then"] = phase.then.model_copy(update={"shows": read(phase.then.shows)})
    return changes | dict.fromkeys(keys & {"settles", "pairs", "not_assessable", "flags"})


def _without_names(study: AuthoredStudy, unread: Unread) -> AuthoredStudy:
    """Return a study without forms, groups and attributes whose names are among the faulty ones."""
    tables = {
        table: {
            key: said
            for key, said in getattr(study.attributes, table).items()
            if ("attribute", key) not in unread.names
        }
        for table in _TABLES
    }
    return study.model_copy(
        update={
            "forms": {key: said for key, said in study.forms.items() if ("form", key) not in unread.names},
            "groups": {key: said for key, said in study.groups.items() if ("group", key) not in unread.names},
            "attributes": study.attributes.model_copy(update=tables),
        }
    )


def _without_lists(study: AuthoredStudy, unread: Unread, unseen: list[Unseen]) -> AuthoredStudy:
    """Return a study without forms and attributes with unreadable lists, or unreadable groups in `may_also_be`."""
    forms = dict(study.forms)
    for key, fields in study.forms.items():
        for name in (name for name in _lists_in(fields) if unread.holds("list", name)):
            forms.pop(key, None)
            unread.names.add(("form", key))
            unseen.append(Unseen(("forms", key), "list", name))
    tables = {}
    for table in _TABLES:
        tables[table] = dict(getattr(study.attributes, table))
        for key, declared in getattr(study.attributes, table).items():
            for name in (name for name in _lists_of(declared.options) if unread.holds("list", name)):
                tables[table].pop(key, None)
                unread.names.add(("attribute", key))
                unseen.append(Unseen(("attributes", table, key), "list", name))
    groups = dict(study.groups)
    for key, group in study.groups.items():
        unknown = [name for name in group.may_also_be if unread.holds("group", name)]
        unseen += [Unseen(("groups", key, "may_also_be"), "group", name) for name in unknown]
        known = [name for name in group.may_also_be if name not in unknown]
        groups[key] = group.model_copy(update={"may_also_be": known})
    attributes = study.attributes.model_copy(update=tables)
    return study.model_copy(update={"forms": forms, "attributes": attributes, "groups": groups})


def _analysis_in_part(
    plan: AuthoredAnalysis, origins: Sequence[int], unread: Unread, unseen: list[Unseen]
) -> tuple[AuthoredAnalysis, tuple[int, ...]]:
    """Return a plan without the lines and names that depend on unreadable parts."""

    def hangs(line: AuthoredEstimate, *place: str) -> bool:
        hung = [(kind, name) for kind, name in _named_by_line(line, unread) if unread.holds(kind, name)]
        unseen.extend(Unseen(("analysis", *place), kind, name) for kind, name in hung[:1])
        return bool(hung)

    def read(key: str, names: Sequence[str]) -> list[str]:
        unknown = [name for name in names if unread.holds("attribute", name)]
        unseen.extend(Unseen(("analysis", key), "attribute", name) for name in unknown)
        return [name for name in names if name not in unknown]

    changes: dict[str, object] = {key: read(key, getattr(plan, key)) for key in ("tables", "strata")}
    if not read("cluster", [plan.cluster]):
        changes["cluster"] = AuthoredAnalysis().cluster
    if plan.primary is not None and hangs(plan.primary, "primary"):
        changes["primary"] = None
    also = [
        (origin, line) for origin, line in zip(origins, plan.also, strict=True) if not hangs(line, "also", str(origin))
    ]
    changes["also"] = [line for _, line in also]
    changes["criteria"] = [line for line in plan.criteria if not hangs(line, "criteria", line.key)]
    return plan.model_copy(update=changes), tuple(origin for origin, _ in also)


def _named_by_line(line: AuthoredEstimate, unread: Unread) -> Iterator[tuple[Kind, str]]:
    for name in (*line.of, *line.where):
        key, is_result, _ = name.partition(".")
        yield ("phase", key) if is_result else ("attribute", name)
    compared = [] if line.compare is None else [line.compare]
    yield from (("attribute", name) for name in (*line.by, *compared, *line.over))
    if "group" in (*line.by, *compared, *line.where):
        yield from (("group", name) for name in unread.of("group"))
        if "group" in unread.open:
            yield "group", "groups"
