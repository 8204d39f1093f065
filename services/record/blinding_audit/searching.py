"""Search one screen after another, each built by the code that serves raters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Assignment, Case, Database, Item, Membership, Study, queries
from db.asking import ask
from db.base import stored_id
from protocol.labels import as_label
from protocol.phases import Queue
from protocol.seen import OWN_HEADINGS
from protocol.study_phases import StudyPhases
from services.errors import ReadsOpen, Refused
from services.people.identity import Actor
from services.reading import displaying, instructions, pace, shown_items, worklist
from services.record.blinding_audit.hidden import HiddenValues, Subjects, Unit, Value
from services.record.blinding_audit.matching import normal, words_of
from services.record.blinding_audit.of_places import WrittenPlaces
from services.record.blinding_audit.of_references import shown_of_reference
from services.record.blinding_audit.plan import Planned
from services.record.blinding_audit.ruling import Reader, Ruling, is_elsewhere, is_weighed, released_in, rule_on
from services.record.blinding_audit.screens import (
    PROGRAM_WORDS,
    Piece,
    addresses_in,
    header_texts,
    piece,
    pieces_of,
)
from services.record.blinding_audit.tally import UNTOLD, Leak, Tally
from services.studies import frozen_facts
from services.studies.groups import name_of_slot
from services.studies.volumes import volume_integrity, volume_store

# Results that depend only on a text are cached: most texts are on many screens.
REMEMBERED = 50_000
# Queries made for each screen, built once.
_ASSIGNMENTS: Any = select(Assignment).where(col(Assignment.id).in_(bindparam("ids", expanding=True)))
_KEY: Any = select(Item.key).where(Item.id == bindparam("item_id"))
_SUBJECT: Any = select(Case.subject).where(Case.id == bindparam("case_id"))


class Search:
    """The search of one study's screens.

    Parameters
    ----------
    database
        Must refuse every change.
    shared
        Texts that everybody gets.
    sealed
        Items on whose screens nothing is searched that their reader filled in: what is found there, and how often,
        would tell the answers.
    chosen
        Keys of phases that follow from answers, where anything is sealed: how many scans are fetched early there would
        tell whether sealed items come next.
    """

    def __init__(
        self,
        database: Database,
        study_id: int,
        hidden: HiddenValues,
        subjects: Subjects,
        shared: frozenset[str],
        sealed: frozenset[int],
        chosen: Sequence[str],
    ) -> None:
        self._database = database
        self._sealed = sealed
        self._chosen = frozenset(chosen)
        self._study_id = study_id
        self._hidden = hidden
        self._subjects = subjects
        self._shared = shared
        self._offered = frozenset(normal(text) for text in shared)
        self._labels = [(f"{as_label(text)} ", text) for text in shared if text]
        with database.read_only() as session:
            self._places = WrittenPlaces(frozen_facts.expansion_of(session, study_id), study_id)
        self._in_text = lru_cache(REMEMBERED)(hidden.index.search)
        self._in_volume = lru_cache(REMEMBERED)(self._search_volume)

    def assignments(self, batch: Sequence[Planned]) -> Tally:
        """Search what is sent with some assignments."""
        tally = Tally()
        with self._database.read_only() as session:
            study = session.get_one(Study, self._study_id)
            for planned in batch:
                membership = session.get_one(Membership, planned.membership_id)
                try:
                    self._search_assignment(session, study, membership, planned, tally)
                except Refused as refusal:
                    tally.not_rendered.append([*_named(session, membership, planned), str(refusal)])
                tally.searched["assignments"] += 1
        return tally

    def pages(self, members: Iterable[int]) -> Tally:
        """Search what members get besides their items: worklist, instructions and page addresses."""
        tally = Tally()
        with self._database.read_only() as session:
            study = session.get_one(Study, self._study_id)
            people = [session.get_one(Membership, member) for member in members]
            phases = {membership.id: frozen_facts.phases_of_member(session, membership) for membership in people}
        for membership in people:
            reader = Reader(frozenset(_own(membership)), frozenset(), {}, ())
            for queue in (queue for queue in phases[membership.id].queues if queue.role == membership.role):
                name = Leak(queue.title, _slot(membership), "", "", "", 0)
                for part in self._pieces_of_page(study, membership, phases[membership.id], queue):
                    self._weigh(part, self._hits(part), reader, name, tally)
            tally.searched["pages"] += 1
        return tally

    def _pieces_of_page(
        self, study: Study, membership: Membership, phases: StudyPhases, queue: Queue
    ) -> Iterable[Piece]:
        actor = _actor(membership)
        desks = worklist.desks_as_they_are(self._database, actor)
        for desk in (desk for desk in desks if desk.study_key == study.key and desk.queue == queue):
            said = (desk.study_title, queue.title, queue.to_do, queue.empty, desk.waits_for, desk.about)
            yield from (piece("worklist", text) for text in said if text)
        try:
            shown = instructions.of_queue(self._database, actor, study.key, queue.key)
            texts: tuple[str, ...] = (shown.study_title, shown.queue_title, shown.text, shown.settles, shown.consent)
        except ReadsOpen:
            # They will be shown these later, as the protocol provides.
            texts = (phases.rules_of(phases.in_queue(queue)[0]).instructions, phases.consent)
        yield from (piece("instructions", text) for text in texts if text)
        yield piece("address", pace.address_of(study, queue))

    def _search_assignment(
        self, session: Session, study: Study, membership: Membership, planned: Planned, tally: Tally
    ) -> None:
        phases = frozen_facts.phases_of_member(session, membership)
        rows = {row.id: row for row in session.exec(_ASSIGNMENTS, params={"ids": planned.waiting})}
        waiting = [rows[row_id] for row_id in planned.waiting]
        payload = displaying.payload_once_open(session, _actor(membership), study, waiting, planned.progress)
        reader = _reader(session, phases, membership, waiting[0], self._subjects)
        name = Leak(*_named(session, membership, planned), "", "", 0)
        tally.searched["payloads"] += 1
        counts_what_follows = planned.screen[0] not in self._chosen
        tally.searched["addresses"] += addresses_in(payload, with_what_follows=counts_what_follows)
        parts = [
            part
            for whole in pieces_of(payload)
            if not (whole.is_own_answer and planned.item_id in self._sealed)
            for part in self._without_labels(whole)
        ]
        tally.present.update({(name.phase, part.where) for part in parts if part.sort in ("tells", "answers")})
        for part in parts:
            tally.searched["texts"] += counts_what_follows or not part.is_of_what_follows
            self._weigh(part, self._hits(part), reader, name, tally)
        item = frozen_facts.item_of(session, self._study_id, planned.item_id)
        if self._places.tell(session, waiting[0].phase, item, waiting[0].candidate_id):
            tally.leaks.append(replace(name, kind="writing", where="candidate", value=UNTOLD))
        self._search_volumes(session, phases, waiting[0], reader, name, tally)

    def _without_labels(self, part: Piece) -> Iterator[Piece]:
        """Yield the labels of fields in a reference, which everybody gets on forms too, apart from what it says."""
        if part.where != "reference":
            yield part
            return
        lines = []
        for line in part.text.splitlines():
            label = self._label_of(line)
            if label:
                yield replace(part, text=label)
            lines.append(self._without_label(line))
        yield replace(part, text="\n".join(lines))

    def _hits(self, part: Piece) -> frozenset[int]:
        if part.is_token:
            return self._hidden.index.search_bytes(part.text.encode())
        return self._in_text(part.text)

    def _search_volumes(
        self, session: Session, phases: StudyPhases, assignment: Assignment, reader: Reader, name: Leak, tally: Tally
    ) -> None:
        volumes, overlays = shown_items.shown_files_of(session, phases, assignment)
        for kind, ids in (("volume", volumes), ("overlay", overlays)):
            for shown_id in ids:
                sha256 = shown_items.file_of(session, assignment, kind, shown_id)
                hits = self._in_volume(sha256)
                tally.volumes.add(sha256)
                self._weigh(Piece(f"header of a {kind}", "", "program"), hits, reader, name, tally)

    def _search_volume(self, sha256: str) -> frozenset[int]:
        content = volume_integrity.read_intact(volume_store.path_of(self._database, sha256))
        hits: set[int] = set()
        for text in header_texts(content):
            hits |= self._hidden.index.search(text.decode("utf-8", "ignore")) if text.isascii() else frozenset()
            hits |= self._hidden.index.search_bytes(text)
        return frozenset(hits)

    def _weigh(self, part: Piece, hits: frozenset[int], reader: Reader, name: Leak, tally: Tally) -> None:
        for number in sorted(hits):
            value, is_offered = self._hidden.values[number], part.text in self._shared
            if released := reader.released_reference(value, part):
                rule, attribute = released
                tally.legitimate[value.kind.key, rule, f"{part.where} ({attribute})"] += 1
                continue
            if not reader.is_hidden(value):
                if is_weighed(value, part, is_offered=is_offered) and is_elsewhere(
                    value, part, reader.units, self._subjects
                ):
                    tally.elsewhere[number, part.where] += 1
                continue
            shared = is_offered or self._is_only_chosen(value, number, part)
            ruling = rule_on(value, part, reader, everybody_gets_it=shared)
            _note(ruling, value, number, part, name, tally)

    def _is_only_chosen(self, value: Value, number: int, part: Piece) -> bool:
        """Return whether an answer or a reference has a value only as an option, alone in the line of its field.

        It was offered to everybody. What it says about the answer itself is weighed as before.
        """
        if part.sort != "answers" or value.kind.of_the_answer:
            return False
        literals = {literal.text for literal in value.literals}
        others = [line for line in part.text.splitlines() if normal(self._without_label(line)) not in literals]
        return not literals.isdisjoint(self._offered) and number not in self._in_text("\n".join(others))

    def _without_label(self, line: str) -> str:
        label = self._label_of(line)
        return line[len(as_label(label)) + 1 :] if label else line

    def _label_of(self, line: str) -> str:
        return next((text for label, text in self._labels if line.startswith(label)), "")


def _note(ruling: Ruling, value: Value, number: int, part: Piece, name: Leak, tally: Tally) -> None:
    leak = Leak(name.phase, name.slot, name.item, value.kind.key, part.where, number)
    if ruling == "leak":
        tally.leaks.append(leak)
    elif ruling == "weigh":
        tally.to_weigh.append(leak)
    else:
        tally.legitimate[value.kind.key, ruling, part.where] += 1


def shared_texts(phases: StudyPhases, title: str) -> frozenset[str]:
    """Return the texts that everybody gets: the protocol's own, and the program's words."""
    texts = [title, phases.consent, phases.notice, *PROGRAM_WORDS, *OWN_HEADINGS]
    for phase in phases.phases:
        rules, queue = phases.rules_of(phase), phase.queue
        texts += [rules.instructions, rules.question, phase.heading, queue.title, queue.to_do, queue.empty]
        # The program's sentence for a part that is not open yet.
        texts.append(phases.opens_later(queue))
        fields = [asked for form in rules.forms.values() for asked in form] + list(rules.fields or ())
        for asked in fields:
            texts += [asked.key, asked.label, asked.help or "", *asked.meanings.values()]
            texts += [said for option in asked.offered for said in (option.id, option.text)]
        texts += [attribute.label for attribute in rules.released]
        texts += [said for option in (*rules.not_assessable, *rules.flags) for said in (option.id, option.text)]
    return frozenset(texts)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of some texts, normalised for comparison."""
    return frozenset(word for text in texts for word in words_of(normal(text)))


def _actor(membership: Membership) -> Actor:
    """Return a member as if signed in; volume names depend on the login session, and this one is nobody's."""
    return Actor(membership.person_id, 0, "", False)


def _own(membership: Membership) -> set[Unit]:
    return {("member", stored_id(membership.id)), ("group", membership.group_key)}


def _slot(membership: Membership) -> str:
    if membership.slot is None:
        return membership.pseudonym
    return name_of_slot(membership.group_key, membership.slot)


def _named(session: Session, membership: Membership, planned: Planned) -> tuple[str, str, str]:
    """Return phase, slot and item, which identify a screen in the result."""
    key = ask(session, _KEY, item_id=planned.item_id).one()[0]
    return planned.screen[0], _slot(membership), key


def _reader(
    session: Session, phases: StudyPhases, membership: Membership, assignment: Assignment, subjects: Subjects
) -> Reader:
    phase = phases.named(assignment.phase)
    rules = phases.rules_of(phase)
    item = shown_items.item_of(session, assignment)
    units: set[Unit] = {*_own(membership), ("item", item.item_id), ("case", item.case_id)}
    subject: Unit = ("subject", _subject_of(session, item.case_id))
    units.add(subject)
    given = dict.fromkeys(("answer_of_others", "remark_of_others"), frozenset({stored_id(membership.id)}))
    if assignment.candidate_id is not None:
        answers = subjects.answers_of(assignment.candidate_id)
        units |= {("candidate", answer) for answer in answers}
        if "candidate" in rules.shows:
            given["candidate"] = answers
    options = tuple(option["text"] for option in item.options)
    attributes = [(attribute.table, attribute.key) for attribute in rules.released]
    shown = queries.released_attributes(session, item.item_id, assignment.candidate_id, attributes)
    before = phases.rules_of(phases.named(phase.continues)).shows if phase.continues else frozenset(shown)
    return Reader(
        frozenset(units),
        released_in(phase, rules),
        given,
        options,
        named=frozenset({*shown.values(), *shown_of_reference(session, phases, rules, item)}),
        cells={each.in_words(shown[each.key]): each.key for each in rules.released if each.key in shown},
        aids=frozenset(shown) - before,
        others=subjects.rated([subject]) - units,
    )


def _subject_of(session: Session, case_id: int) -> str:
    subject: str = ask(session, _SUBJECT, case_id=case_id).one()[0]
    return subject
