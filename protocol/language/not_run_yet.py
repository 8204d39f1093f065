"""The parts of a study with listed phases that this release checks and explains but cannot run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protocol.language import expansion as expanded
from protocol.language import instead
from protocol.language.following import answered_in, undecided
from protocol.language.listed import COMPARED, UNITS, is_read, key_of_new_text
from protocol.language.pairs import cannot_be_compared
from protocol.language.pools import cannot_be_pooled, kind_rated
from protocol.language.things import field_of_reference, shows_the_reference

# What the reading room can display, by the word in `shows`.
SHOWN = frozenset(
    {"scans", "prior", "overlays", "prompt", "options", "vignette", "history", "age", "acquisition_dates",
     "months_since_prior", "reference", "explanation", "candidate", "opinions"}
)  # fmt: skip
# The feedback that practice can give on an answer.
FEEDBACK = frozenset({"reference", "explanation"})
# What has to be on the screen for each kind of unit.
_UNDER_JUDGEMENT = {"candidates": "candidate", "references": "reference", "pairs": "candidate"}


def not_run_yet(study: expanded.Expansion) -> Iterator[tuple[str, str]]:
    """Yield a key and a sentence for everything that this release checks and explains but cannot run."""
    for group in study.groups:
        if group.may_also_be:
            yield f"groups.{group.key}.may_also_be", instead.ONE_GROUP
    for phase in study.phases:
        yield from ((f"phases.{phase.key}.{key}", says) for key, says in _not_run_of(study, phase))


def _not_run_of(study: expanded.Expansion, phase: expanded.Phase) -> Iterator[tuple[str, str]]:
    rates = kind_rated(phase)
    yield from cannot_be_compared(study, phase)
    of_practice = phase.source.practice == "only"
    shown = [*phase.shows, *(phase.then.shows if phase.then and not of_practice else [])]
    for thing in shown:
        declared = any(thing == attribute.key for attribute in study.attributes)
        if thing not in SHOWN and not field_of_reference(thing) and not declared:
            yield "shows", f"'{thing}' cannot be shown on the screen yet; remove it."
    if {"prior", "overlays"} & set(phase.shows) and "scans" not in phase.shows:
        yield "shows", "prior scans and overlays are drawn beside scans only; add scans."
    if {"prior", "overlays"} & set(shown) and "scans" not in shown:
        yield "then.shows", "prior scans and overlays are drawn beside scans only; add scans."
    if _UNDER_JUDGEMENT.get(rates, rates) not in (*shown, "items"):
        yield "shows", f"the {UNITS[rates][1]}s that are rated are not shown; add {_UNDER_JUDGEMENT[rates]}."
    if rates not in ("candidates", "pairs") and "candidate" in shown:
        yield (
            "shows",
            f"an answer can be shown only if answers are rated; this phase rates {UNITS[rates][1]}s: remove candidate.",
        )
    if rates != "items" and phase.form == "as_item":
        yield "form", "form: as_item is the form of an item; name the fields."
    fields = [asked for form in study.forms for asked in form.fields] if phase.form == "as_item" else phase.fields
    yield from (("form", says) for says in _fields_not_drawn(fields))
    source = phase.source
    yield from undecided(study, phase)
    yield from cannot_be_pooled(study, phase)
    if phase.revise != "never" and not is_read(phase):
        yield "revise", instead.REVISED
    yield from (
        _not_run_of_practice(study, phase) if source.practice == "only" else _not_run_beside_practice(study, phase)
    )
    by, opens = phase.by, phase.opens
    if by.together:
        yield "by.together", instead.TOGETHER
    if by.design == "crossover":
        yield "by.design", instead.CROSSOVER
    elif by.design is not None and by.per_unit is None:
        yield "by.design", "balanced spreads units of which some people rate each; say how many as per_unit."
    if opens.kind == "after" and opens.done_by == "each_unit":
        yield "opens", instead.UNIT_BY_UNIT


def _not_run_of_practice(study: expanded.Expansion, phase: expanded.Phase) -> Iterator[tuple[str, str]]:
    after = set(phase.then.shows if phase.then else ())
    if phase.counts:
        yield "counts", "practice enters no estimate; write counts: no."
    if {thing for thing in after if not field_of_reference(thing)} - FEEDBACK:
        yield "then.shows", "practice can show only the reference and its explanation after an answer; name only these."
    if phase.then is not None and phase.then.again:
        yield "then.again", "practice repeats by its attempts; remove again."
    if phase.by.is_dealt:
        yield "by", "practice is for everybody of its groups; remove per_unit and not_in."
    if phase.pass_mark is not None and phase.rates != ["items"]:
        yield "pass_mark", "only items have a reference by which practice can be passed; remove pass_mark."
    elif phase.pass_mark is not None:
        yield from _not_compared(study, phase)
    earlier = study.phases[: study.phases.index(phase)]
    others = [above for above in earlier if above.source.practice == "only"]
    for above in (above for above in others if set(above.by.groups) & set(phase.by.groups)):
        yield "from", instead.practised_twice(above.key)


def _not_compared(study: expanded.Expansion, phase: expanded.Phase) -> Iterator[tuple[str, str]]:
    """Yield why the program cannot tell which answers in practice are right: key, and a sentence."""
    if shows_the_reference(set(phase.shows)):
        yield (
            "pass_mark",
            "the reference is shown before the answer, so that nothing is trained; remove one of the two.",
        )
    forms = [form.fields for form in study.forms] if phase.form == "as_item" else [phase.fields]
    for asked in (asked for fields in forms for asked in fields if asked.primary):
        if asked.type not in COMPARED:
            yield "pass_mark", f"a {asked.type} ('{asked.key}') has no reference to be right by; remove pass_mark."


def _not_run_beside_practice(study: expanded.Expansion, phase: expanded.Phase) -> Iterator[tuple[str, str]]:
    source = phase.source
    if source.practice == "mixed" or _comes_from_practice(study, phase):
        yield "from", "practice items can be used only in practice; select practice: yes alone, or leave it out."
    if phase.pass_mark is not None:
        yield (
            "pass_mark",
            "only practice has a pass mark; select its items (from: {where: {practice: yes}}), or remove it.",
        )
    if phase.then is not None and phase.revise != "never":
        yield "revise", "an answer cannot be revised once more has been shown; remove revise."
    for key in answered_in(phase):
        if study.phase(key).then is not None:
            yield "from", instead.two_steps(key)
    if phase.then is not None and not set(phase.then.shows) - set(phase.shows):
        yield "then.shows", "all of it is shown before the answer already; name what comes after it."


def _comes_from_practice(study: expanded.Expansion, phase: expanded.Phase) -> bool:
    named = phase.source.phase
    if named is None:
        return False
    source = study.phase(named)
    return source.source.practice != "never" or _comes_from_practice(study, source)


def _fields_not_drawn(fields: Sequence[expanded.Field]) -> Iterator[str]:
    for asked in fields:
        if asked.type == "resolution" and any(other.key == key_of_new_text(asked.key) for other in fields):
            yield f"'{key_of_new_text(asked.key)}' is the new text of '{asked.key}'; call the other field otherwise."
