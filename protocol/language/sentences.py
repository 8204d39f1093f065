"""A study read back in plain sentences, with everything that it left unsaid: what its author meant, or did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.language.expansion import Entry, Expansion, Field, Opening, Option, Phase, Sample, Source
from protocol.language.law import breaches
from protocol.language.phases import told_by
from protocol.language.things import RATED, TELL_THE_REFERENCE, THINGS

# What is named among what is not shown: a scan that a phase leaves out hides nothing.
_WITHHELD = ("reference", "explanation", "overlays", "candidate", "aid", "opinions", "judge")


@dataclass(frozen=True)
class Paragraph:
    """A heading, and the sentences under it."""

    heading: str
    sentences: tuple[str, ...]


def explained(study: Expansion) -> list[Paragraph]:
    """Return a study in sentences: its people, each of its phases, and what is still to be checked of its subjects."""
    people = tuple(f"{_group(study, place)}." for place in range(len(study.groups)))
    paragraphs = [Paragraph(f"{study.title} ({study.name})", people)]
    for number, phase in enumerate(study.phases, start=1):
        paragraphs.append(Paragraph(f"{number}. {phase.title} ({phase.key})", sentences_of(study, phase)))
    to_check = tuple(f"{str(breach)[0].upper()}{str(breach)[1:]}" for breach in breaches(study))
    return paragraphs + ([Paragraph("Checked at the freeze", to_check)] if to_check else [])


def sentences_of(study: Expansion, phase: Phase) -> tuple[str, ...]:
    """Return what happens in a phase, with every default said."""
    said = (
        _capital(f"{_who(study, phase)} {_material(study, phase)}."),
        _shown(phase),
        _form(phase),
        _opens(study, phase.opens),
        _afterwards(phase),
        _order(phase),
        _freedoms(phase),
        _counting(study, phase),
    )
    return tuple(sentence for sentence in said if sentence)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _group(study: Expansion, place: int) -> str:
    group = study.groups[place]
    titles = {other.key: other.title for other in study.groups}
    number = f" ({group.people})" if group.people else ""
    also = f", who may also be {_listed([titles[key] for key in group.may_also_be])}" if group.may_also_be else ""
    return f"{group.title}{number}{also}"


def _who(study: Expansion, phase: Phase) -> str:
    titles = {group.key: group.title for group in study.groups}
    people = _listed([titles[key] for key in phase.by.groups])
    if phase.by.together:
        who = f"a meeting of {people} rates"
    elif phase.by.per_unit is not None:
        who = f"{_number(phase.by.per_unit)} of {people} per unit rate"
    else:
        who = f"all {people} rate"
    without = [study.phase(key).title for key in phase.by.not_in]
    return (f"nobody who rated a unit in {_listed(without, 'or')} rates it here; " if without else "") + who


def _material(study: Expansion, phase: Phase) -> str:
    kinds = []
    for kind in phase.rates:
        of = f" of {study.phase(phase.answers_of).title}" if kind == "answers" and phase.answers_of else ""
        kinds.append(RATED[kind].units + of)
    pool = _listed(kinds) + (" in one shuffled pool" if len(kinds) > 1 else "")
    return pool + _source(study, phase.source)


def _source(study: Expansion, source: Source) -> str:
    said = f" of {study.phase(source.phase).title}" if source.phase else ""
    if source.where:
        said += " with " + _listed([f"{each.name} {_listed(each.values, 'or')}" for each in source.where])
    if source.let_in:
        said += ", those " + _listed([_entry(entry) for entry in source.let_in], "or")
        said += f", with {source.controls} more as unmarked controls" if source.controls else ", without controls"
    return said + (_sample(study, source.sample) if source.sample else "")


def _entry(entry: Entry) -> str:
    if entry.reason == "differs":
        named = [
            f"in {part.field}" + (f" by {part.steps} steps or more" if part.steps > 1 else "")
            for part in entry.differences
        ]
        return "on which the answers differ" + (f" {_listed(named, 'or')}" if named else "")
    if entry.reason == "answered":
        return f"for which somebody answered {entry.field}"
    return "that somebody flagged" if entry.reason == "flagged" else "that somebody called not assessable"


def _sample(study: Expansion, sample: Sample) -> str:
    strata = _listed(sample.strata)
    if sample.sizes:
        said = f"; drawn by {strata}: " + ", ".join(f"{part.size} of {part.stratum}" for part in sample.sizes)
    elif sample.size == "all":
        said = "; all of them"
    else:
        how = f", {sample.allocation} over {strata}" if sample.strata else ""
        said = f"; {sample.size} of them drawn at random{how}"
    if sample.at_most:
        limits = [f"{limit.most} per {limit.attribute}" for limit in sample.at_most]
        said += f", at most {_listed(limits)}"
    if sample.not_in:
        titles = {phase.key: phase.title for phase in study.phases}
        said += f", none about a subject of {_listed([titles.get(key, key) for key in sample.not_in], 'or')}"
    return said + (", all candidates of a drawn item together" if sample.keeps_items_together else "")


def _shown(phase: Phase) -> str:
    disclosed = told_by(phase)
    if disclosed & {"reference", "explanation"}:
        disclosed |= TELL_THE_REFERENCE
    shown = f"On the screen: {_listed([_thing(thing) for thing in phase.shows]) or 'nothing but the form'}."
    hidden = [_thing(thing) for thing in _WITHHELD if thing not in disclosed and not _tells_part(phase, thing)]
    return shown + (f" Never shown: {_listed(hidden, 'or')}." if hidden else "")


def _tells_part(phase: Phase, thing: str) -> bool:
    return any(shown.startswith(f"{thing}.") for shown in phase.shows)


def _thing(thing: str) -> str:
    if thing in THINGS:
        return THINGS[thing].words
    name, dot, part = thing.partition(".")
    return f"the {part} of the {name}" if dot else f"the attribute {thing}"


def _form(phase: Phase) -> str:
    if phase.form == "as_item":
        return "Filled in: the form that the item names."
    return f"Filled in: {_listed([_field(asked) for asked in phase.fields])}."


def _field(asked: Field) -> str:
    kind = {"as_item": "as the item asks", "text": "in words"}.get(asked.type, asked.type.replace("_", " "))
    if asked.options and asked.type not in ("yes_no", "preference"):
        kind += f": {', '.join(option.text for option in asked.options)}"
    elif asked.minimum is not None and asked.maximum is not None:
        kind += f" from {asked.minimum:g} to {asked.maximum:g}"
    extras = [
        "" if asked.required else "may stay empty",
        f"only where {asked.when.field} is {_listed(asked.when.values, 'or')}" if asked.when else "",
        f"options by {asked.options_by.field}" if asked.options_by else "",
        "may be undetermined" if asked.undetermined else "",
    ]
    return f"{asked.label} ({'; '.join([kind, *filter(None, extras)])})"


def _opens(study: Expansion, opens: Opening) -> str:
    if opens.kind == "at_once":
        return "Opens at once."
    if opens.kind == "by_admin":
        return "Opens when an admin opens it."
    titles = _listed([study.phase(key).title for key in opens.after])
    done = {
        "self": f"when the same person is done with {titles}",
        "everyone": f"when everybody is done with {titles}",
        "each_unit": f"unit by unit, as soon as {titles} is done with it",
    }
    return f"Opens {done[opens.done_by]}."


def _afterwards(phase: Phase) -> str:
    if phase.then is None:
        return ""
    things = _listed([_thing(thing) for thing in phase.then.shows])
    tells_reference = bool(set(phase.then.shows) & TELL_THE_REFERENCE)
    waits = ""
    if phase.counts:
        waits = ", once all items of the subject are answered" if tells_reference else ", once the item is answered"
    again = "; then the question is asked again, and the second answer counts" if phase.then.again else ""
    return f"After the own answer is locked, {things} can be seen{waits}{again}."


def _order(phase: Phase) -> str:
    order = "as listed" if phase.order == "as_listed" else "random, another for each person"
    apart = f", {phase.spacing} others at least between two of one subject" if phase.spacing else ""
    return f"Order: {order}{apart}." + (" Options are shuffled for each person." if phase.shuffle_options else "")


def _freedoms(phase: Phase) -> str:
    may = []
    if phase.not_assessable:
        may.append(f"call a unit not assessable ({_options(phase.not_assessable)})")
    if phase.flags:
        may.append(f"flag it ({_options(phase.flags)})")
    if phase.comment:
        may.append("comment")
    revise = {"never": "", "session": " within the session", "until_closed": " until the study is closed"}
    if phase.revise != "never":
        may.append(f"revise an answer{revise[phase.revise]}")
    never = "" if phase.revise != "never" else " An answer cannot be revised."
    return (f"One may {_listed(may)}." if may else "") + never


def _counting(study: Expansion, phase: Phase) -> str:
    said = []
    if phase.pass_mark is not None:
        tries = f", in at most {_number(phase.attempts)} attempts" if phase.attempts else ""
        said.append(f"It is passed with {phase.pass_mark:.0%} right{tries}.")
    if not phase.counts:
        said.append("It enters no estimate.")
    if phase.settles:
        said.append(f"Its answers stand for the differing ones of {study.phase(phase.settles).title}; both are kept.")
    return " ".join(said)


def _options(options: Sequence[Option]) -> str:
    return ", ".join(option.text for option in options)


def _number(number: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six")
    return words[number] if number < len(words) else str(number)


def _listed(words: Sequence[str], last: str = "and") -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
