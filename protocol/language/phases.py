"""The expansion of a phase: its defaults, and what does not fit the phases above it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from protocol.language import expansion as expanded
from protocol.language.authored import AuthoredStudy
from protocol.language.authored_phases import AuthoredPairs, AuthoredPhase, AuthoredSample, AuthoredSource
from protocol.language.forms import SharedLists, expand_fields, options_of
from protocol.language.instead import PEOPLE_IN_PAIRS, TWO_SOURCES
from protocol.language.misfits import PHASE_ABOVE, Misfits
from protocol.language.results import filled_in, require_result, require_values
from protocol.language.telling import needs_answers
from protocol.language.things import RATED, THINGS, field_of_reference

_FIELD_KEY = re.compile(r"^[a-z][a-z0-9_]{0,39}$")
# Columns of every study's tables, which need no declaration.
KNOWN_ATTRIBUTES = frozenset({"subject", "category", "format", "grounding", "model", "practice", "conversation"})


@dataclass(frozen=True)
class Known:
    """The names that phases can refer to."""

    study: AuthoredStudy
    attributes: list[expanded.Attribute]
    groups: list[expanded.Group]
    forms: Mapping[str, list[expanded.Field]]
    lists: SharedLists

    @property
    def attribute_names(self) -> set[str]:
        """Every column by which units can be selected or drawn."""
        return {attribute.key for attribute in self.attributes} | KNOWN_ATTRIBUTES

    @property
    def columns_of_raters(self) -> set[str]:
        """Attributes that describe raters, not units."""
        return {attribute.key for attribute in self.attributes if attribute.table == "raters"}


def check_key(misfits: Misfits, place: int) -> None:
    """Note a phase with the key of a phase above it, even if the rest of either cannot be read."""
    key = misfits.phases[place]
    if key and key in misfits.phases[:place]:
        says = f"two phases are called '{key}'; every phase needs a key of its own."
        misfits.add(("phases", str(place), "key"), says)


def expand_phase(
    phase: AuthoredPhase, before: list[expanded.Phase], known: Known, misfits: Misfits, place: tuple[str, ...]
) -> expanded.Phase:
    earlier = {above.key: above for above in before}
    check_key(misfits, int(place[1]))
    noted = len(misfits.noted)
    rates, answers_of = _rated(phase, earlier, misfits, (*place, "rates"))
    # Checks that depend on the kind of units are skipped if that is wrong.
    kind_is_known = len(misfits.noted) == noted
    form, fields = _form(phase, known, misfits, (*place, "form"))
    if kind_is_known:
        _check_fields_for(rates, fields, misfits, (*place, "form"))
    people = _people(phase, known, earlier, misfits, (*place, "by"))
    source = _source(phase.source, earlier, known, misfits, (*place, "from"))
    kinds = rates if kind_is_known else list(RATED)
    _check_shown(phase.shows, kinds, known, misfits, (*place, "shows"))
    if kind_is_known:
        _check_taken(phase, earlier.get(answers_of or ""), known, misfits, (*place, "takes"))
    pairs = _pairs(phase, rates, earlier, known, misfits, (*place, "pairs")) if kind_is_known else None
    then = None
    if phase.then is not None:
        _check_shown(phase.then.shows, kinds, known, misfits, (*place, "then", "shows"))
        then = expanded.Step(shows=list(phase.then.shows), again=phase.then.again)
    if phase.settles is not None:
        is_above = misfits.require((*place, "settles"), phase.settles, earlier, PHASE_ABOVE)
        if is_above and source.phase != phase.settles:
            says = f"the phase settles '{phase.settles}', so it has to take its units from there."
            misfits.add((*place, "settles"), says)
        if is_above and not phase.counts:
            says = f"a phase that settles '{phase.settles}' has to count; remove counts: no."
            misfits.add((*place, "settles"), says)
    if phase.pass_mark is None and phase.attempts is not None:
        misfits.add((*place, "attempts"), "attempts are counted against a pass_mark; add one or remove the key.")
    reasons, _ = options_of(phase.not_assessable, known.lists, misfits.add, (*place, "not_assessable"))
    flags, _ = options_of(phase.flags, known.lists, misfits.add, (*place, "flags"))
    return expanded.Phase(
        key=phase.key,
        title=phase.title or phase.key.replace("_", " ").capitalize(),
        instructions=phase.instructions if phase.instructions is not None else known.study.instructions,
        question=phase.question or "",
        rates=rates,
        answers_of=answers_of,
        source=source,
        shows=list(phase.shows),
        form=form,
        fields=_with_abstentions(phase, fields, misfits, (*place, "undetermined")),
        by=people,
        opens=_opening(phase, people, before, source, answers_of, known, misfits, (*place, "opens")),
        then=then,
        takes=list(phase.takes),
        pairs=pairs,
        order=phase.order,
        spacing=phase.spacing,
        shuffle_options=phase.shuffle_options,
        not_assessable=reasons,
        flags=flags,
        comment=phase.comment,
        revise=phase.revise,
        counts=phase.counts,
        pass_mark=phase.pass_mark,
        attempts=phase.attempts,
        settles=phase.settles,
        result=phase.result,
    )


def _rated(
    phase: AuthoredPhase, earlier: Mapping[str, expanded.Phase], misfits: Misfits, place: tuple[str, ...]
) -> tuple[list[str], str | None]:
    """Return the kinds of units that are rated, and the phase whose answers are among them."""
    rates, answers_of = [], None
    for written in phase.rates:
        kind, of, name = written.partition(" of ")
        kind = kind.strip()
        if kind == "answers" and of:
            if answers_of is not None:
                misfits.add(place, TWO_SOURCES)
            if misfits.require(place, name.strip(), earlier, PHASE_ABOVE):
                answers_of = name.strip()
        elif kind == "answers":
            misfits.add(place, "'answers' needs the phase that gave them, as 'answers of read'.")
        elif not written.startswith("pairs of "):
            misfits.require(place, written, [key for key in RATED if key != "answers"] + ["answers of PHASE"], "kind")
        rates.append(kind)
    if {"pairs", "answers"} <= set(rates) or any(written.startswith("pairs of ") for written in phase.rates):
        misfits.add(place, PEOPLE_IN_PAIRS)
        return ["pairs"], None
    if len(rates) > 1 and not set(rates) <= {"candidates", "answers"}:
        misfits.add(place, "one pool holds candidates and answers of a phase; other kinds are rated in phases apart.")
    return rates, answers_of


def _pairs(
    phase: AuthoredPhase,
    rates: Sequence[str],
    earlier: Mapping[str, expanded.Phase],
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> expanded.Pairs | None:
    """Return which two answers are compared: those of two models, of two conditions of one model, or as above."""
    if rates != ["pairs"]:
        if phase.pairs is not None:
            misfits.add(place, "pairs says which answers are compared; rates has to be pairs, or remove the key.")
        return None
    above = earlier.get(phase.source.phase or "")
    if phase.pairs is None and above is not None and above.pairs is not None:
        # Pairs that come from another phase are its pairs.
        return above.pairs
    written = phase.pairs or AuthoredPairs()
    if written.table:
        if {"of", "same"} & written.model_fields_set:
            misfits.add(place, "the table names each pair itself; remove of and same, or the table.")
        return expanded.Pairs(of=None, same=[])
    columns = ["model", *(attribute.key for attribute in known.attributes if attribute.table == "candidates")]
    misfits.require((*place, "of"), written.of, columns, "column of candidates.csv")
    for name in written.same or ():
        misfits.require((*place, "same"), name, columns, "column of candidates.csv")
        if name == written.of:
            misfits.add((*place, "same"), f"two answers cannot be alike in '{name}' and differ in it; remove one.")
    # Answers of two models under two conditions are compared only if the study asks for it.
    same = written.same if written.same is not None else [] if written.of == "model" else ["model"]
    return expanded.Pairs(of=written.of, same=list(same))


def _form(
    phase: AuthoredPhase, known: Known, misfits: Misfits, place: tuple[str, ...]
) -> tuple[str, list[expanded.Field]]:
    name = phase.form.name
    if phase.form.fields is not None:
        return phase.key, expand_fields(phase.form.fields, known.lists, misfits.add, place)
    if name == "as_item":
        if not known.forms:
            misfits.add(place, "as_item needs forms that items can name; add them under forms.")
        return "as_item", []
    if name is not None and misfits.require(place, name, [*known.forms, "as_item"], "form"):
        return name, list(known.forms[name])
    return str(name), []


def _check_fields_for(
    rates: Sequence[str], fields: Sequence[expanded.Field], misfits: Misfits, place: tuple[str, ...]
) -> None:
    """Note field types that do not fit the kind of units."""
    for asked in fields:
        if asked.type == "preference" and list(rates) != ["pairs"]:
            misfits.add((*place, asked.key), "a preference is given between two candidates; rates has to be pairs.")
        if asked.type == "as_item" and list(rates) != ["items"]:
            misfits.add((*place, asked.key), "as_item asks what an item's format asks; rates has to be items.")
        if asked.type == "correctness" and not {"candidates", "answers"} >= set(rates):
            misfits.add(
                (*place, asked.key),
                "correctness is about an answer; rate candidates or answers, or ask it as yes_no or as a choice.",
            )
        if asked.type == "guess" and set(rates) != {"candidates", "answers"}:
            says = "who wrote an answer is guessed where people's and models' are in one pool; rates has to be both."
            misfits.add((*place, asked.key), says)


def _check_taken(
    phase: AuthoredPhase,
    answered: expanded.Phase | None,
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> None:
    """Note fields under `takes` that nobody fills in."""
    if not phase.takes:
        return
    if answered is None:
        misfits.add(place, "takes names fields of the answers that are rated; rates has to hold answers of a phase.")
        return
    names = [asked.key for asked in filled_in(answered, known.forms)]
    for key in phase.takes:
        misfits.require(place, key, names, "field of these answers")


def _people(
    phase: AuthoredPhase,
    known: Known,
    earlier: Mapping[str, expanded.Phase],
    misfits: Misfits,
    place: tuple[str, ...],
) -> expanded.People:
    keys = [group.key for group in known.groups]
    for group in phase.by.groups:
        misfits.require(place, group, keys, "group")
    for name in phase.by.not_in:
        misfits.require((*place, "not_in"), name, earlier, PHASE_ABOVE)
    if phase.by.together and phase.by.per_unit is not None:
        misfits.add((*place, "together"), "people who answer together give one answer; remove per_unit or together.")
    return expanded.People(
        groups=list(phase.by.groups) or keys,
        per_unit=phase.by.per_unit,
        design=phase.by.design,
        not_in=list(phase.by.not_in),
        together=phase.by.together,
    )


def _source(
    source: AuthoredSource,
    earlier: Mapping[str, expanded.Phase],
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> expanded.Source:
    if source.phase is not None:
        misfits.require((*place, "phase"), source.phase, earlier, PHASE_ABOVE)
    if source.let_in and source.phase is None:
        misfits.add((*place, "let_in"), "let_in depends on the answers of a phase; name it as from.phase.")
    for name, values in source.where.items():
        if "." in name:
            require_result(name, values, earlier, known.forms, misfits, (*place, "where"))
        elif misfits.require((*place, "where"), name, sorted(known.attribute_names), "attribute"):
            require_values(name, values, known.attributes, misfits, (*place, "where"))
    if source.controls and not source.let_in:
        misfits.add((*place, "controls"), "controls are added to what let_in selects; add let_in or remove controls.")
    entries = []
    answered = earlier.get(source.phase or "")
    names = [] if answered is None else [asked.key for asked in filled_in(answered, known.forms)]
    for entry in source.let_in:
        for key in [*(entry.differs or {}), *([entry.answered] if entry.answered else [])] if answered else []:
            misfits.require((*place, "let_in"), key, names, f"field of '{source.phase}'")
        differences = [expanded.Difference(field=key, steps=steps) for key, steps in (entry.differs or {}).items()]
        entries.append(expanded.Entry(reason=entry.reason, differences=differences, field=entry.answered))
    return expanded.Source(
        phase=source.phase,
        where=[expanded.Condition(name=name, values=list(values)) for name, values in source.where.items()],
        let_in=entries,
        controls=source.controls,
        sample=None if source.sample is None else _sample(source.sample, known, misfits, (*place, "sample")),
    )


def _sample(sample: AuthoredSample, known: Known, misfits: Misfits, place: tuple[str, ...]) -> expanded.Sample:
    names = sorted(known.attribute_names)
    for key in sample.strata:
        misfits.require((*place, "strata"), key, names, "attribute")
    for key in sample.at_most:
        misfits.require((*place, "at_most"), key, names, "attribute")
    if sample.sizes and not sample.strata:
        misfits.add((*place, "sizes"), "sizes are given per stratum; name the attribute under strata.")
    if len(sample.strata) == 1:
        require_values(sample.strata[0], list(sample.sizes), known.attributes, misfits, (*place, "sizes"))
    if sample.sizes and "size" in sample.model_fields_set:
        misfits.add((*place, "size"), "size and sizes are two ways to say how many; keep one.")
    return expanded.Sample(
        size="by_stratum" if sample.sizes else sample.size.replace(" ", ""),
        strata=list(sample.strata),
        allocation="by_stratum" if sample.sizes else sample.allocation,
        sizes=[
            expanded.StratumSize(stratum=stratum, size=size.replace(" ", "")) for stratum, size in sample.sizes.items()
        ],
        at_most=[expanded.Limit(attribute=key, most=most) for key, most in sample.at_most.items()],
        not_in=list(sample.not_in),
        keeps_items_together=sample.unit == "item",
    )


def _check_shown(
    shows: Sequence[str], rates: Sequence[str], known: Known, misfits: Misfits, place: tuple[str, ...]
) -> None:
    tables = {attribute.key: attribute.table for attribute in known.attributes}
    for thing in shows:
        if thing.startswith("reference."):
            if not _FIELD_KEY.match(field_of_reference(thing)):
                misfits.add(
                    place, f"'{thing}' names no field; write reference and the key of a field, as reference.side."
                )
        else:
            misfits.require(place, thing, [*THINGS, *tables], "thing to show")
        if tables.get(thing) == "raters" and thing not in THINGS:
            misfits.add(place, f"'{thing}' describes raters; shown are attributes of cases, items and candidates.")
        if tables.get(thing) == "candidates" and not {"candidates", "pairs"} & set(rates):
            misfits.add(place, f"'{thing}' describes candidates; it is shown where candidates are rated.")
    if {"acquisition_dates", "months_since_prior"} <= set(shows):
        misfits.add(place, "acquisition dates give the months since the prior away; show one of the two.")
    if len(set(shows)) < len(shows):
        misfits.add(place, "a thing is named twice; name each once.")


def _opening(
    phase: AuthoredPhase,
    people: expanded.People,
    before: Sequence[expanded.Phase],
    source: expanded.Source,
    answers_of: str | None,
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> expanded.Opening:
    """Return when a phase opens: by default after the phases above in which the same people work."""
    written = phase.opens
    if sum((written.at_once, written.by_admin, bool(written.after))) > 1:
        misfits.add(place, "a phase opens at once, by an admin, or after others; say one of the three.")
    for name in written.after:
        misfits.require((*place, "after"), name, [above.key for above in before], PHASE_ABOVE)
    named = {condition.name.partition(".")[0] for condition in source.where if "." in condition.name}
    shown = (*phase.shows, *(phase.then.shows if phase.then else ()))
    needed = {answers_of, source.phase if needs_answers(source, shown) else None, *named} & {
        above.key for above in before
    }
    shared = [above.key for above in before if may_share_people(people.groups, above.by.groups, known.groups)]
    after = list(written.after) or [above.key for above in before if above.key in shared or above.key in needed]
    strangers = [key for key in after if key not in shared]
    done_by = written.done_by or ("everyone" if needed & set(after) or strangers else "self")
    if strangers and done_by == "self":
        says = f"nobody who works here works in '{strangers[0]}'; write done_by: everyone, or name another phase."
        misfits.add((*place, "done_by"), says)
    kind: Literal["at_once", "after", "by_admin"] = "after"
    if written.by_admin or written.at_once or not after:
        kind = "by_admin" if written.by_admin else "at_once"
    if kind != "after" and needed:
        misfits.add(place, f"the phase needs the answers of '{sorted(map(str, needed))[0]}'; let it open after it.")
    return expanded.Opening(kind=kind, after=after if kind == "after" else [], done_by=done_by)


def may_share_people(some: Sequence[str], others: Sequence[str], groups: Sequence[expanded.Group]) -> bool:
    """Return whether a person can be in groups of both sides, by a shared group or through `may_also_be`.

    This is transitive: a member of one group may also be in a second, and through that in a third.
    """
    also = {frozenset((group.key, other)) for group in groups for other in group.may_also_be}
    reached = set(some)
    while further := {key for pair in also if pair & reached for key in pair} - reached:
        reached |= further
    return bool(reached & set(others))


def _with_abstentions(
    phase: AuthoredPhase, fields: list[expanded.Field], misfits: Misfits, place: tuple[str, ...]
) -> list[expanded.Field]:
    written = phase.undetermined
    every = written == ["true"] or written == ["yes"]
    may_abstain = bool(written) and written not in (["false"], ["no"])
    if may_abstain and phase.form.name == "as_item":
        says = "each item has a form of its own (form: as_item), whose fields are asked without it; remove the line, "
        misfits.add(place, says + "or name one form for all items of the phase.")
    for key in written if may_abstain and not every and fields else []:
        misfits.require(place, key, [asked.key for asked in fields], "field of the form")
    # Abstaining from an answer already leaves its confidence open.
    return [
        asked.model_copy(update={"undetermined": asked.key in written or (every and asked.type != "confidence")})
        for asked in fields
    ]
