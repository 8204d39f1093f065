"""Protocols of the first language (without the key `blindread`) expanded to phases, with unchanged meaning.

Stored protocols and their hashes are not touched; only the way they are read has changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from protocol.forms import PRIMARY, FormField
from protocol.forms import Option as FirstOption
from protocol.language import expansion as expanded
from protocol.language.authored_plan import AuthoredAnalysis, AuthoredEstimate
from protocol.phases import OPINIONS, PRACTICE, READING, REVIEW, SCORING
from protocol.study import Protocol

RATERS, REVIEWERS = "raters", "reviewers"
_WHOLE_STUDY = expanded.Source(phase=None, where=[], let_in=[], controls=0, sample=None)
_AT_ONCE = expanded.Opening(kind="at_once", after=[], done_by="self")


def expand_first(protocol: Protocol, version: str) -> expanded.Expansion:
    """Return a protocol of the first language as its expansion.

    Parameters
    ----------
    protocol
        The protocol as validated or stored.
    version
        The version of the program that expands it.
    """
    phases = [*_practice(protocol), _reading(protocol), *_scoring(protocol), *_review(protocol)]
    groups = [expanded.Group(key=RATERS, title="Raters", people=None, may_also_be=[])]
    if protocol.adjudication is not None:
        groups.append(expanded.Group(key=REVIEWERS, title="Reviewers", people=None, may_also_be=[]))
    return expanded.Expansion(
        language="2",
        expanded_by=version,
        name=protocol.name,
        title=protocol.title,
        instructions=protocol.instructions,
        consent=protocol.consent,
        notice=protocol.notice or "",
        seed=protocol.seed,
        dates=protocol.dates,
        hanging=protocol.hanging,
        groups=groups,
        attributes=[],
        forms=[expanded.Form(key=key, fields=_fields(form.fields)) for key, form in protocol.forms.items()],
        phases=phases,
        analysis=AuthoredAnalysis(
            primary=_primary(protocol),
            interval=protocol.analysis.interval,
            confidence=protocol.analysis.confidence,
            resamples=protocol.analysis.resamples,
            seed=protocol.analysis.seed,
        ),
    )


def _primary(protocol: Protocol) -> AuthoredEstimate:
    said: dict[str, object] = {"estimate": "accuracy", "of": [f"{READING.key}.{PRIMARY}"]}
    if protocol.analysis.primary == "agreement":
        said["estimate"] = "agreement"
    elif protocol.analysis.primary == "closed_format_accuracy":
        said["where"] = {"format": ["yes_no", "choice"]}
    return AuthoredEstimate.model_validate(said)


def _practice(protocol: Protocol) -> list[expanded.Phase]:
    rule = protocol.reading.practice
    if rule is None:
        return []
    feedback = expanded.Step(shows=["reference", "explanation"], again=False) if rule.feedback else None
    practice = _reading(protocol)
    return [
        practice.model_copy(
            update={
                "key": PRACTICE.key,
                "title": PRACTICE.heading,
                "source": _WHOLE_STUDY.model_copy(
                    update={"where": [expanded.Condition(name="practice", values=["yes"])]}
                ),
                "opens": _AT_ONCE,
                "then": feedback,
                "revise": "never",
                "counts": False,
                "pass_mark": rule.pass_mark,
                "attempts": rule.attempts,
            }
        )
    ]


def _reading(protocol: Protocol) -> expanded.Phase:
    reading = protocol.reading
    after = [PRACTICE.key] if reading.practice is not None else []
    return expanded.Phase(
        key=READING.key,
        title=READING.queue.title,
        instructions=protocol.instructions,
        question="",
        rates=["items"],
        answers_of=None,
        source=_WHOLE_STUDY,
        shows=_shown_in_reading(protocol),
        form="as_item",
        fields=[],
        by=_people(RATERS),
        opens=expanded.Opening(kind="after", after=after, done_by="self") if after else _AT_ONCE,
        then=None,
        takes=[],
        pairs=None,
        order="random" if reading.order == "random_per_rater" else "as_listed",
        spacing=reading.subject_distance,
        shuffle_options=reading.shuffle_options,
        not_assessable=_options(reading.not_assessable),
        flags=_options(reading.flags),
        comment=reading.comment,
        revise="until_closed" if reading.revision == "study" else reading.revision,
        counts=True,
        pass_mark=None,
        attempts=None,
        settles=None,
        result="unanimous",
    )


def _shown_in_reading(protocol: Protocol) -> list[str]:
    context = protocol.context
    dates = {"months_since_prior": "months_since_prior", "acquisition_date": "acquisition_dates", "hidden": None}
    shown = {
        "scans": True,
        "prior": protocol.hanging.prior_beside_current,
        "overlays": protocol.hanging.overlays,
        "prompt": True,
        "options": True,
        "vignette": context.vignette,
        "history": context.history,
        "age": context.age,
        str(dates[context.dates]): dates[context.dates] is not None,
    }
    return [thing for thing, is_shown in shown.items() if is_shown]


def _scoring(protocol: Protocol) -> list[expanded.Phase]:
    scoring = protocol.scoring
    if scoring is None:
        return []
    sample = expanded.Sample(
        size=str(scoring.sample),
        strata=["model"],
        allocation="proportional",
        sizes=[],
        at_most=[],
        not_in=[],
        keeps_items_together=False,
    )
    return [
        _reading(protocol).model_copy(
            update={
                "key": SCORING.key,
                "title": SCORING.queue.title,
                "instructions": scoring.instructions,
                "question": scoring.prompt,
                "rates": ["candidates"],
                "source": _WHOLE_STUDY.model_copy(update={"sample": sample}),
                "shows": ["prompt", "reference", "candidate"],
                "form": SCORING.key,
                "fields": _fields(scoring.form.fields),
                "opens": expanded.Opening(kind="after", after=[READING.key], done_by="self"),
                "order": "random",
                "spacing": 0,
                "shuffle_options": False,
                "not_assessable": [],
                "flags": [],
                "comment": scoring.comment,
                "revise": "never",
            }
        )
    ]


def _review(protocol: Protocol) -> list[expanded.Phase]:
    """Return adjudication as one phase, whose two steps are the stored phases of the own read and the decision."""
    adjudication = protocol.adjudication
    if adjudication is None:
        return []
    entries = [
        expanded.Entry(reason="differs", differences=[expanded.Difference(field=PRIMARY, steps=1)], field=None),
        expanded.Entry(reason="flagged", differences=[], field=None),
    ]
    return [
        _reading(protocol).model_copy(
            update={
                "key": REVIEW.key,
                "title": REVIEW.queue.title,
                "instructions": adjudication.instructions,
                "source": expanded.Source(
                    phase=READING.key, where=[], let_in=entries, controls=adjudication.controls, sample=None
                ),
                "by": _people(REVIEWERS),
                "opens": expanded.Opening(kind="after", after=[READING.key], done_by="each_unit"),
                "then": expanded.Step(shows=[OPINIONS.key], again=True),
                "flags": [],
                "revise": "never",
                "settles": READING.key,
            }
        )
    ]


def _people(group: str) -> expanded.People:
    return expanded.People(groups=[group], per_unit=None, design=None, not_in=[], together=False)


def _options(options: Sequence[FirstOption]) -> list[expanded.Option]:
    return [expanded.Option(id=option.id, text=option.text, definition="", example="") for option in options]


def _fields(fields: Sequence[FormField]) -> list[expanded.Field]:
    return [
        expanded.Field.model_validate(
            {
                "key": asked.key,
                "type": asked.type,
                "label": asked.label,
                "help": asked.help or "",
                "required": asked.required,
                "primary": asked.key == PRIMARY,
                "when": {"field": asked.depends_on.field, "values": asked.depends_on.values}
                if asked.depends_on is not None
                else None,
                "options": _options(asked.offered),
                "shared_list": None,
                "options_by": None,
                "positive": "yes" if asked.type == "yes_no" else None,
                "synonyms": [],
                "synonym_list": None,
                "minimum": asked.minimum,
                "maximum": asked.maximum,
                "unit": asked.unit,
                "at_most": None,
                "steps": None,
                "means": None,
                "about": None,
                "excluded": None,
                "undetermined": False,
            }
        )
        for asked in fields
    ]
