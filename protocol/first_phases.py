"""The phases of a study in the first language, built from the sections of its protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from protocol.context import Context
from protocol.forms import PRIMARY, FormField, PhaseField
from protocol.phase_rules import PhaseRules
from protocol.phases import OPINIONS, PHASES, PRACTICE, READING, REVIEW, SCORING
from protocol.study import Protocol
from protocol.study_phases import Adjudication, StudyPhases

_REASON = PhaseField(key="reason", type="text", label="Reason for the decision")


def phases_of_first_language(protocol: Protocol) -> StudyPhases:
    """Return the phases of a study whose protocol has sections for reading, scoring and adjudication."""
    reading = _reading(protocol)
    rules = {
        PRACTICE.key: replace(reading, revision="never", practice=protocol.reading.practice),
        READING.key: reading,
        SCORING.key: _scoring(protocol, reading),
        REVIEW.key: replace(_review(protocol, reading), flags=()),
        OPINIONS.key: replace(
            _review(protocol, reading),
            forms={key: _decided(fields) for key, fields in reading.forms.items()},
            flags=(),
            comment=False,
        ),
    }
    adjudication = protocol.adjudication
    left_out = {
        key
        for key, part in ((PRACTICE.key, protocol.reading.practice), (SCORING.key, protocol.scoring))
        if part is None
    }
    return StudyPhases(
        phases=tuple(phase for key, phase in PHASES.items() if key not in left_out),
        rules=rules,
        seed=protocol.seed,
        consent=protocol.consent,
        notice=protocol.notice or "",
        text=protocol.text,
        adjudication=Adjudication(READING, REVIEW, OPINIONS, adjudication.controls) if adjudication else None,
    )


def _reading(protocol: Protocol) -> PhaseRules:
    reading = protocol.reading
    return PhaseRules(
        instructions=protocol.instructions,
        question="",
        forms={key: _asked(form.fields) for key, form in protocol.forms.items()},
        fields=None,
        hanging=protocol.hanging,
        context=protocol.context,
        not_assessable=tuple(reading.not_assessable),
        flags=tuple(reading.flags),
        comment=reading.comment,
        revision=reading.revision,
        shows=frozenset({"scans", "prompt", "options"}),
        takes_options=frozenset({PRIMARY}),
        order_is_random=reading.order == "random_per_rater",
        subject_distance=reading.subject_distance,
        shuffle_options=reading.shuffle_options,
        practice=None,
    )


def _asked(fields: Sequence[FormField]) -> tuple[PhaseField, ...]:
    return tuple(PhaseField.of(field) for field in fields)


def _scoring(protocol: Protocol, reading: PhaseRules) -> PhaseRules:
    scoring = protocol.scoring
    return replace(
        reading,
        instructions=scoring.instructions if scoring is not None else "",
        question=scoring.prompt if scoring is not None else "",
        fields=_asked(scoring.form.fields) if scoring is not None else (),
        shows=frozenset({"prompt", "reference", "candidate"}),
        context=Context(vignette=False, history=False, age=False, dates="hidden"),
        not_assessable=(),
        flags=(),
        comment=scoring is not None and scoring.comment,
        revision="never",
        order_is_random=True,
        subject_distance=0,
        shuffle_options=False,
    )


def _review(protocol: Protocol, reading: PhaseRules) -> PhaseRules:
    instructions = protocol.adjudication.instructions if protocol.adjudication is not None else ""
    return replace(reading, instructions=instructions, revision="never")


def _decided(fields: tuple[PhaseField, ...]) -> tuple[PhaseField, ...]:
    """Return the fields of a decision: the answer, and the reason for it."""
    return (*(field for field in fields if field.key == PRIMARY), _REASON)
