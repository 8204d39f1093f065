"""Collect the hidden values of a study: one function per table, or per few tables, that hold some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    Candidate,
    Case,
    Flag,
    Freeze,
    FreezeItem,
    ImportedLabel,
    Item,
    JudgeRun,
    JudgeVerdict,
    LabelImport,
    Membership,
    Overlay,
    Person,
    PooledAnswer,
    Reference,
    ReviewTask,
    Study,
    StudyVersion,
    Verdict,
    Volume,
    queries,
)
from db.base import stored_id
from db.standing import STANDS
from protocol.language.model_answers import is_stored_answer
from protocol.study_phases import StudyPhases
from services.record.blinding_audit.hidden import STUDY, Cut, HiddenValues, Unit, Value
from services.record.blinding_audit.kinds import KINDS
from services.record.blinding_audit.matching import Literal
from services.record.blinding_audit.of_references import said_of, texts_of_fields
from services.studies import frozen_facts
from services.studies.drawing.item_references import references_of
from services.studies.groups import name_of_slot
from services.studies.membership import rater_attributes

# A sentence with fewer words may occur in any text.
FEWEST_IN_SENTENCES = 4
_END_OF_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


class _Collection:
    """Values collected so far, each combination of kind and text once."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], Value] = {}

    def add(self, kind: str, text: object, unit: Unit = STUDY, by: int | None = None, also: Iterable[str] = ()) -> None:
        """Add a value, unless it is empty."""
        written = "" if text is None else str(text)
        literals = tuple(Literal.of(form) for form in (written, *also, *_sentences(written)))
        if not any(literal.words for literal in literals):
            return
        value = self.values.setdefault((kind, written), Value(KINDS[kind], written, literals))
        value.units.setdefault(unit, set()).update(() if by is None else (by,))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text with several: a text may repeat one without the others."""
    sentences = _END_OF_SENTENCE.split(text)
    if len(sentences) > 1:
        yield from (sentence for sentence in sentences if len(Literal.of(sentence).words) >= FEWEST_IN_SENTENCES)


def hidden_values(
    session: Session, study: Study, phases: StudyPhases, cut: Cut, shared: frozenset[str]
) -> HiddenValues:
    """Read every value of a study that a rater may not see, or not in every phase."""
    study_id = stored_id(study.id)
    values = _Collection()
    _add_cases(session, study_id, values)
    _add_items(session, study_id, values)
    _add_references(session, study_id, phases, values)
    _add_candidates(session, study_id, values)
    _add_authors(session, study_id, values)
    _add_people(session, study_id, cut, phases, values)
    _add_judges(session, study_id, cut, values)
    _add_labels(session, study_id, cut, values)
    _add_answers(session, study_id, cut, values)
    _add_samples(session, study_id, values)
    for phase in phases.phases if phases.listed else ():
        values.add("phase", phase.key)
    values.add("secret", study.salt)
    values.add("secret", phases.seed)
    return HiddenValues(values.values.values(), shared)


def _add_cases(session: Session, study_id: int, values: _Collection) -> None:
    rows = session.exec(select(Case).where(Case.study_id == study_id))
    for case in rows:
        own = ("case", stored_id(case.id))
        values.add("key", case.key, own)
        values.add("subject", case.subject, ("subject", case.subject))
        values.add("note", case.note, own)
        if case.age is not None:
            values.add("age", case.age, own, also=_ages(case.age))
        values.add("vignette", case.vignette, own)
        for _, said in case.history:
            values.add("history", said, own)
        for said in case.attributes.values():
            values.add("attribute", said, own)
    tables: tuple[Any, ...] = (Volume, Overlay)
    for table in tables:
        for row in session.exec(select(table).where(table.study_id == study_id)):
            own = ("case", row.case_id)
            values.add("key", row.key, own)
            name = row.file_name.replace("\\", "/").rpartition("/")[2]
            values.add("file", name, own, also=(name.partition(".")[0],))
            values.add("secret", row.sha256)
            values.add("secret", row.voxel_sha256)
            if isinstance(row, Volume) and row.acquired is not None:
                values.add("date", row.acquired.isoformat(), own, also=_forms_of(row.acquired))


def _ages(years: int) -> tuple[str, ...]:
    """Return the ways to write an age; the number alone could be any number."""
    return (f"{years} years", f"{years} year", f"{years} y", f"{years}-year-old", f"{years}-years-old", f"aged {years}")


def _forms_of(day: date) -> tuple[str, ...]:
    """Return the ways to write a date besides ISO 8601; all separators count as the same."""
    return (
        f"{day:%Y%m%d}", f"{day:%d.%m.%Y}", f"{day:%m/%d/%Y}", f"{day.day}.{day.month}.{day.year}",
        f"{day.month}/{day.day}/{day.year}", f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}",
        f"{day:%d} {day:%b} {day.year}",
    )  # fmt: skip


def _add_items(session: Session, study_id: int, values: _Collection) -> None:
    for item in session.exec(select(Item).where(Item.study_id == study_id)):
        own = ("item", stored_id(item.id))
        values.add("key", item.key, own)
        values.add("category", item.category, own)
        values.add("grounding", item.grounding, own)
        for said in item.attributes.values():
            values.add("attribute", said, own)


def _add_references(session: Session, study_id: int, phases: StudyPhases, values: _Collection) -> None:
    """Add what counts as right, also as a value of the whole subject: another of its items may give it away."""
    query = (
        select(Reference, Item.options, Item.conversation, Case.subject)
        .join(Item, col(Item.id) == Reference.item_id)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id)
    )
    of_fields = texts_of_fields(phases)
    for reference, options, conversation, subject in session.exec(query):
        own = ("item", reference.item_id)
        of_item = {option["id"]: option["text"] for option in options}
        for line in references_of(reference).fields:
            texts = {**of_item, **of_fields.get(line.field, {})}
            for said, *also in said_of(line, texts):
                values.add("reference", said, own, also=also)
                # Not for turns, as later ones may say what earlier ones asked, nor for plain single words.
                if line.accepted and conversation is None and not Literal.of(said).is_plain:
                    values.add("reference", said, ("subject", subject), also=also)
            values.add("text_only_answer", texts.get(line.text_only_answer, line.text_only_answer), own)
            values.add("provenance", line.provenance, own)
        values.add("provenance", reference.provenance, own)
        values.add("explanation", reference.explanation, own)


def _add_candidates(session: Session, study_id: int, values: _Collection) -> None:
    for candidate in session.exec(select(Candidate).where(Candidate.study_id == study_id)):
        candidate_id = stored_id(candidate.id)
        own = ("candidate", candidate_id)
        values.add("key", candidate.key, own)
        values.add("model", candidate.model, own)
        values.add("candidate", candidate.answer, ("item", candidate.item_id), by=candidate_id)
        for key, said in candidate.attributes.items():
            if is_stored_answer(key):
                values.add("candidate", said, ("item", candidate.item_id), by=candidate_id)
            else:
                values.add("condition", said, own)


def _add_authors(session: Session, study_id: int, values: _Collection) -> None:
    """Add what identifies the author of an answer in a pool, besides names and pseudonyms."""
    authors = queries.authors_in_pools(session, study_id).values()
    receipts = select(Verdict.id, Verdict.receipt).join(PooledAnswer, col(PooledAnswer.verdict_id) == Verdict.id)
    receipt_of = dict(session.exec(receipts.where(PooledAnswer.study_id == study_id)).all())
    for author in authors:
        own = ("member", author.membership_id)
        values.add("author", receipt_of[author.verdict_id], own)
        if author.slot is not None:
            values.add("author", name_of_slot(author.group, author.slot), own)


def _add_people(session: Session, study_id: int, cut: Cut, phases: StudyPhases, values: _Collection) -> None:
    query = (
        select(Membership, Person)
        .join(Person, col(Person.id) == Membership.person_id)
        .where(Membership.study_id == study_id, col(Membership.id) <= cut.membership)
    )
    declared = rater_attributes.declared_of(frozen_facts.expansion_of(session, study_id))
    # What is one of a few words, such as yes, is everywhere, and says nothing of anybody.
    in_words = [each.key for each in declared if each.type == "text"]
    for membership, person in session.exec(query):
        own = ("member", stored_id(membership.id))
        for name in (person.name, person.login, membership.pseudonym):
            values.add("person", name, own)
        values.add("specialty", membership.specialty, own)
        for key in in_words:
            values.add("specialty", membership.attributes.get(key, ""), own)
    if len(phases.groups) > 1:
        for group in phases.groups:
            values.add("group", group.key, ("group", group.key))
            values.add("group", group.title, ("group", group.key))


def _add_judges(session: Session, study_id: int, cut: Cut, values: _Collection) -> None:
    query = (
        select(JudgeVerdict, JudgeRun)
        .join(JudgeRun, col(JudgeRun.id) == JudgeVerdict.run_id)
        .where(JudgeRun.study_id == study_id, col(JudgeVerdict.id) <= cut.judge_verdict)
    )
    for verdict, run in session.exec(query):
        own = ("candidate", verdict.candidate_id)
        values.add("judge", run.name)
        values.add("judge", run.judge)
        values.add("judge_verdict", verdict.verdict, own)
        values.add("judge_explanation", verdict.explanation, own)
        values.add("judge_explanation", verdict.error, own)


def _add_labels(session: Session, study_id: int, cut: Cut, values: _Collection) -> None:
    query = (
        select(ImportedLabel, LabelImport)
        .join(LabelImport, col(LabelImport.id) == ImportedLabel.import_id)
        .where(LabelImport.study_id == study_id, col(ImportedLabel.id) <= cut.imported_label)
    )
    for label, imported in session.exec(query):
        own = ("candidate", label.candidate_id)
        values.add("labeller", imported.name)
        values.add("labeller", label.labeller)
        values.add("label", label.label, own)
        values.add("remark_on_label", label.remark, own)


def _add_answers(session: Session, study_id: int, cut: Cut, values: _Collection) -> None:
    given = (
        select(Verdict, Assignment, Item.options)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .where(Assignment.study_id == study_id, col(Verdict.id) <= cut.verdict)
    )
    by_verdict: dict[int, tuple[Unit, int]] = {}
    for verdict, assignment, options in session.exec(given):
        own: Unit = ("item", assignment.item_id)
        by = assignment.membership_id
        by_verdict[stored_id(verdict.id)] = (own, by)
        texts = {option["id"]: option["text"] for option in options}
        for said in _texts_in(verdict.fields):
            values.add("answer_of_others", texts.get(said, said), own, by=by)
        values.add("remark_of_others", verdict.comment, own, by=by)
    for flag in session.exec(select(Flag).where(col(Flag.id) <= cut.flag)):
        if flag.verdict_id in by_verdict:
            own, by = by_verdict[flag.verdict_id]
            values.add("remark_of_others", flag.note, own, by=by)
    decided = (
        select(Adjudication, Assignment)
        .join(ReviewTask, col(ReviewTask.id) == Adjudication.task_id)
        .join(Assignment, col(Assignment.id) == ReviewTask.opinions_assignment_id)
        .where(Assignment.study_id == study_id, col(Adjudication.id) <= cut.adjudication)
    )
    for decision, assignment in session.exec(decided):
        own, by = ("item", assignment.item_id), assignment.membership_id
        values.add("remark_of_others", decision.reason, own, by=by)
        for said in _texts_in(decision.decision):
            values.add("answer_of_others", said, own, by=by)


def _texts_in(answer: Any) -> Iterator[str]:
    """Yield the texts and numbers of an answer, for any type of field."""
    if isinstance(answer, dict):
        for part in answer.values():
            yield from _texts_in(part)
    elif isinstance(answer, list):
        for part in answer:
            yield from _texts_in(part)
    elif isinstance(answer, str):
        yield answer
    elif isinstance(answer, int | float) and not isinstance(answer, bool):
        yield repr(answer)


def _add_samples(session: Session, study_id: int, values: _Collection) -> None:
    query = (
        select(FreezeItem, Freeze.sha256)
        .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
        .where(Freeze.study_id == study_id, *STANDS)
    )
    for row, _ in session.exec(query):
        own: Unit = ("item", row.item_id) if row.candidate_id is None else ("candidate", row.candidate_id)
        values.add("stratum", row.stratum, own)
        if row.inclusion_probability is not None:
            values.add("probability", repr(row.inclusion_probability), own, also=(f"{row.inclusion_probability:g}",))
    for freeze in session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)):
        values.add("secret", freeze.sha256)
        values.add("secret", freeze.seed)
    for sha256 in session.exec(select(StudyVersion.sha256).where(StudyVersion.study_id == study_id)):
        values.add("secret", sha256)
