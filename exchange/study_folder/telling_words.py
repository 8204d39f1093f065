"""Import warnings about words of a protocol that tell raters something they should not know."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from exchange.refusal import listed, shown
from protocol.language.expansion import Expansion, Option, Phase
from protocol.language.narrowing import narrowed

# A shorter value of a condition is a word like any other.
_SHORTEST_VALUE = 3
# So is a name with fewer letters and digits.
_SHORTEST_NAME = 4
_SEPARATOR = re.compile(r"[-_./\\]")


def telling_words(study: Expansion) -> Iterator[str]:
    """Yield the texts for raters that name a value by which units are selected but which is not shown."""
    read_by_all = f"{study.name} {study.title} {study.consent} {study.notice}".casefold()
    for phase in study.phases:
        words = f"{phase.title} {phase.question} {phase.instructions}".casefold()
        # The form shows the format in any case.
        hidden = [where for where in phase.source.where if where.name not in (*phase.shows, "format")]
        for condition in hidden:
            for value in condition.values:
                # A yes reveals nothing about what it answers.
                if value == "yes" or len(value) < _SHORTEST_VALUE:
                    continue
                places = (
                    (f"title, question or instructions of phase '{phase.key}'", words, "its units"),
                    ("name, title, consent or notice of the study", read_by_all, f"units of phase '{phase.key}'"),
                )
                for place, units in ((place, units) for place, text, units in places if value.casefold() in text):
                    yield (
                        f"protocol.yaml: {place} name '{shown(value)}', by which {units} are selected "
                        f"({condition.name}) and which it does not show; expected words that tell "
                        f"nothing of {listed([condition.name])}."
                    )
        yield from _telling_strata(study, phase, words)


def _telling_strata(study: Expansion, phase: Phase, words: str) -> Iterator[str]:
    """Yield the texts that name one of the strata of a sample by an attribute that tells the reference."""
    for attribute in study.attributes:
        if attribute.tells_reference and phase.source.sample and attribute.key in phase.source.sample.strata:
            named = [option.id for option in attribute.options if _names(words, option)]
            # A list of everything possible reveals nothing.
            if len(named) == 1 and attribute.key not in phase.shows:
                yield (
                    f"protocol.yaml: title, question or instructions of phase '{phase.key}' name '{shown(named[0])}' "
                    f"and no other value of {attribute.key}, over which its units are drawn and which tells the "
                    "reference; expected words that name none, or all."
                )


def _names(words: str, option: Option) -> bool:
    return any(re.search(rf"\b{re.escape(name.casefold())}\b", words) for name in (option.id, option.text))


def telling_selections(study: Expansion) -> Iterator[str]:
    """Yield the phases that are blind to the reference but select by what tells it."""
    for phase in study.phases:
        if "reference" in phase.shows or "references" in phase.rates:
            continue
        for key, values in narrowed(study, phase).items():
            says = f"protocol.yaml: phase '{phase.key}' selects by {key} ({listed(sorted(values))}), which tells the "
            if key in phase.shows:
                continue
            if len(values) > 1:
                yield says + (
                    "reference; that says what the reference is not, and does not count as telling it, unless one "
                    "value is all that is drawn, or all that another phase has beside it."
                )
            else:
                yield says + (
                    "reference, of which all its units then have one value; anyone who notices it knows the reference "
                    "in this phase already: mix in others."
                )


def telling_names(study: Expansion, models: Iterable[str]) -> Iterator[str]:
    """Yield the texts for raters that name a model, or a group that they are not in: neither is shown to them.

    Parameters
    ----------
    models
        The models whose answers are in the study.
    """
    groups = {group.key: (group.title, group.key) for group in study.groups} if len(study.groups) > 1 else {}
    named = sorted(set(models))
    for place, text, readers in _read_by(study):
        words = _plain(text)
        of_models = [shown(model) for model in named if _has_name(words, model)]
        if of_models:
            yield (
                f"protocol.yaml: {place} names {_quoted(of_models)}, whose answers are in the study, to all who read "
                "it; expected words that name no model."
            )
        others = [
            shown(next(name for name in names if _has_name(words, name)))
            for key, names in groups.items()
            if set(readers) - {key} and any(_has_name(words, name) for name in names)
        ]
        if others:
            yield (
                f"protocol.yaml: {place} names {_quoted(others)} to people of another group, who should only "
                "know about their own; expected words that name no group."
            )


def _read_by(study: Expansion) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the texts of a protocol for raters, each with its place and the groups that read it."""
    all_groups = [group.key for group in study.groups]
    yield "name, which is in addresses unless the import names another key,", study.name, all_groups
    for place, text in (("title", study.title), ("consent", study.consent), ("notice", study.notice)):
        yield f"{place} of the study", text, all_groups
    for phase in study.phases:
        for place, text in (
            ("title", phase.title),
            ("question", phase.question),
            ("instructions", phase.instructions),
        ):
            yield f"{place} of phase '{phase.key}'", text, phase.by.groups
        asked = phase.fields or [field for form in study.forms for field in form.fields]
        for field in asked:
            words = "\n".join((field.label, field.help, *_words_of(field.options)))
            yield f"field '{field.key}' of phase '{phase.key}'", words, phase.by.groups
        reasons = "\n".join(_words_of((*phase.not_assessable, *phase.flags)))
        yield f"what can be said instead, or flagged, in phase '{phase.key}'", reasons, phase.by.groups


def _words_of(options: Iterable[Option]) -> Iterator[str]:
    return (text for option in options for text in (option.text, option.definition, option.example))


def _quoted(names: list[str]) -> str:
    return listed([f"'{name}'" for name in names])


def _plain(text: str) -> str:
    """Return a text normalised to one form of each letter, one case, single blanks and one kind of separator."""
    return _SEPARATOR.sub("-", " ".join(unicodedata.normalize("NFKC", text).casefold().split()))


def _has_name(words: str, name: str) -> bool:
    plain = _plain(name)
    if sum(sign.isalnum() for sign in plain) < _SHORTEST_NAME:
        return False
    return re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", words) is not None
