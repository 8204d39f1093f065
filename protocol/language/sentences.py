"""A study read back in plain sentences, with every default, so that its author sees what was really said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.language.expansion import Expansion, Opening, Phase
from protocol.language.following import followed_by
from protocol.language.law import breaches, reach_of
from protocol.language.narrowing import told_by_like_pairs, told_by_selection, told_by_unlike_pairs
from protocol.language.pairs import pairs_in_words
from protocol.language.pools import few_sources, takes_of
from protocol.language.revising import ends_of_revising
from protocol.language.sentences_of_fields import filled_in_words, options_words
from protocol.language.sentences_of_material import field_of, groups_of, who_rates_what
from protocol.language.sentences_of_plan import columns_of, plan_of
from protocol.language.telling import Asked
from protocol.language.things import TELL_THE_REFERENCE, THINGS
from protocol.language.wording import capital, how_many, listed, percent, spoken

# Things that a sentence names if they are never shown; leaving out scans, for example, is not worth a mention.
_WITHHELD = ("reference", "explanation", "overlays", "candidate", "aid", "opinions", "judge")


@dataclass(frozen=True)
class Paragraph:
    """A heading, and the sentences under it."""

    heading: str
    sentences: tuple[str, ...]


def explained(study: Expansion, *, lacking: Sequence[str] = ()) -> list[Paragraph]:
    """Return a study in sentences: people, columns, phases, what is computed, and what the freeze has to check.

    Parameters
    ----------
    lacking
        A sentence for each part of the plan that this release does not compute.
    """
    paragraphs = [
        Paragraph(f"{study.title} ({study.name})", (groups_of(study),)),
        Paragraph("Columns beyond those of every study", columns_of(study)),
    ]
    for place, phase in enumerate(study.phases, start=1):
        paragraphs.append(Paragraph(f"{place}. {phase.title} ({phase.key})", sentences_of(study, phase)))
    paragraphs.append(Paragraph("What is computed, declared before the first verdict", (*plan_of(study), *lacking)))
    paragraphs.append(Paragraph("Checked at the freeze", tuple(capital(str(breach)) for breach in breaches(study))))
    return [paragraph for paragraph in paragraphs if paragraph.sentences]


def sentences_of(study: Expansion, phase: Phase) -> tuple[str, ...]:
    """Return what happens in a phase, including every default."""
    said = (
        who_rates_what(study, phase),
        _pool(study, phase),
        _in_pool(study, phase),
        pairs_in_words(phase),
        _shown(study, phase),
        _in_common(study, phase),
        f"Asked: “{phase.question}”" if phase.question else "",
        filled_in_words(study, phase),
        _opens(study, phase.opens),
        _afterwards(study, phase),
        _order(phase),
        _freedoms(study, phase),
        _counting(study, phase),
    )
    return tuple(sentence for sentence in said if sentence)


def _pool(study: Expansion, phase: Phase) -> str:
    if phase.answers_of is None:
        return ""
    fields = [field_of(study, phase.answers_of, key) for key in takes_of(study, phase)]
    labels = [f"“{asked.label}”" for asked in fields if asked]
    return f"The answer shows {listed(labels)} of what people filled in; every answer is laid out alike."


def _in_pool(study: Expansion, phase: Phase) -> str:
    """Return which answers are in a pool, that nobody scores their own, and why authors might be recognised."""
    if phase.answers_of is None:
        return ""
    of_models = "candidates" in phase.rates and phase.source.phase is None
    own = set(phase.by.groups) & set(study.phase(phase.answers_of).by.groups)
    said = (
        "Models' answers are those to the same items." if of_models else "",
        "Nobody scores their own answer." if own else "",
        *few_sources(study, phase),
    )
    return " ".join(filter(None, said))


def _shown(study: Expansion, phase: Phase) -> str:
    disclosed = set(Asked(study).told_by(phase.key))
    if disclosed & {"reference", "explanation"}:
        disclosed |= TELL_THE_REFERENCE
    shown = f"On the screen: {listed([_thing(study, thing) for thing in phase.shows]) or 'nothing but the form'}."
    hidden = [_thing(study, thing) for thing in _WITHHELD if thing not in disclosed and not _tells_part(phase, thing)]
    return shown + (f" Never shown: {listed(hidden, 'or')}." if hidden else "")


def _in_common(study: Expansion, phase: Phase) -> str:
    keys = sorted(told_by_selection(study, phase))
    in_common = f"All its units have one value of {listed([spoken(key) for key in keys])}, which tells the reference."
    told_by_pairs = (("differ", told_by_unlike_pairs(study, phase)), ("are alike", told_by_like_pairs(study, phase)))
    of_pairs = [
        f"The answers of each pair {how} in {listed([spoken(key) for key in sorted(keys_told)])}, which tells of "
        "the reference."
        for how, keys_told in told_by_pairs
        if keys_told
    ]
    return " ".join([in_common] * bool(keys) + of_pairs)


def _tells_part(phase: Phase, thing: str) -> bool:
    return any(shown.startswith(f"{thing}.") for shown in phase.shows)


def _thing(study: Expansion, thing: str) -> str:
    if thing in THINGS:
        return THINGS[thing].words
    declared = next((attribute for attribute in study.attributes if attribute.key == thing), None)
    if declared is not None:
        return f"“{declared.heading}”"
    name, dot, part = thing.partition(".")
    return f"the {spoken(part)} of the {name}" if dot else f"the {spoken(thing)}"


def _opens(study: Expansion, opens: Opening) -> str:
    if opens.kind == "at_once":
        return "Opens at once."
    if opens.kind == "by_admin":
        return "Opens when an admin opens it."
    titles = listed([f"“{study.phase(key).title}”" for key in opens.after])
    done = {
        "self": f"when the same person is done with {titles}",
        "everyone": f"when everybody is done with {titles}",
        "each_unit": f"unit by unit, as soon as {titles} is done with it",
    }
    return f"Opens {done[opens.done_by]}."


def _afterwards(study: Expansion, phase: Phase) -> str:
    if phase.then is None:
        return ""
    things = listed([_thing(study, thing) for thing in phase.then.shows])
    of_subject = any(reach_of(study, thing) == "subject" for thing in phase.then.shows)
    waits = ""
    if phase.counts:
        waits = ", once all items of the subject are answered" if of_subject else ", once the item is answered"
    again = "; then the question is asked again, and the second answer counts" if phase.then.again else ""
    return f"Once the rater's own answer is locked, {things} can be seen{waits}{again}."


def _order(phase: Phase) -> str:
    order = "as listed" if phase.order == "as_listed" else "random, different for each person"
    apart = f", with at least {how_many(phase.spacing, 'other')} between two of one subject" if phase.spacing else ""
    return f"Order: {order}{apart}." + (" Options are shuffled for each person." if phase.shuffle_options else "")


def _freedoms(study: Expansion, phase: Phase) -> str:
    may = []
    if phase.not_assessable:
        may.append(f"call a unit not assessable ({options_words(phase.not_assessable)})")
    if phase.flags:
        may.append(f"flag it ({options_words(phase.flags)})")
    if phase.comment:
        may.append("comment")
    revise = {"never": "", "session": " within the session", "until_closed": " until the study is closed"}
    ends = ends_of_revising(study, phase)
    before, later = (listed([f"“{each.title}”" for each in part], "or") for part in (ends.before, ends.later))
    if phase.revise != "never" and not before:
        may.append(f"revise an answer{revise[phase.revise]}{f', unless they have begun {later}' if later else ''}")
    never = "" if phase.revise != "never" else " An answer cannot be revised."
    if before:
        never = f" An answer cannot be revised, as {before} comes first and can show what this phase is blind to."
    elif phase.revise != "never":
        never = _final_by_drawing(study, phase)
    return (f"Raters can {listed(may)}." if may else "") + never


def _final_by_drawing(study: Expansion, phase: Phase) -> str:
    """Return what ends all revising of a phase although its author let it go on: others are drawn from its answers."""
    drawn = listed([f"“{other.title}”" for other in study.phases if phase.key in followed_by(study, other)])
    return f" Once everybody is done, all answers are final, as they decide what is in {drawn}." if drawn else ""


def _counting(study: Expansion, phase: Phase) -> str:
    said = []
    if phase.pass_mark is not None:
        tries = f", in at most {how_many(phase.attempts, 'attempt')}" if phase.attempts else ""
        said.append(f"The pass mark is {percent(phase.pass_mark)}{tries}.")
    if not phase.counts:
        said.append("It enters no estimate.")
    if phase.settles:
        but = ", except on controls" if phase.source.controls else ""
        title = study.phase(phase.settles).title
        said.append(f"Its answers stand for those of “{title}” on the same units{but}; both are kept.")
    said.append(_result(study, phase))
    return " ".join(sentence for sentence in said if sentence)


def _result(study: Expansion, phase: Phase) -> str:
    """Return how several answers become one value; empty if nothing uses that value and the rule is the default."""
    names = [condition.name for other in study.phases for condition in other.source.where]
    lines = [*([study.analysis.primary] if study.analysis.primary else []), *study.analysis.also]
    names += [name for line in lines for name in (*line.where, *(line.of if "settled" in line.using else ()))]
    if phase.result == "unanimous" and not any(name.startswith(f"{phase.key}.") for name in names):
        return ""
    rules = {
        "unanimous": "what all of them answered, and open where they differ",
        "majority": "their majority",
        "mean": "their mean",
        "median": "their median",
    }
    return f"Where several raters' answers have to become one, it is {rules[phase.result]}."
