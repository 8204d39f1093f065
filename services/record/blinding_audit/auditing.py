"""Audit the blinding of a frozen study: nothing is changed but the event that says what came of it."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from db import AuditEvent, Database, Item, Study, audit, now, queries
from db.base import stored_id
from db.engine import only_reading
from protocol.phases import OPINIONS, REVIEW
from protocol.study_phases import StudyPhases
from services.errors import Conflict, counted
from services.installation.version import SOFTWARE_VERSION
from services.people.identity import Actor
from services.people.permission import freeze_of, require_role, state_of
from services.record.blinding_audit.collecting import hidden_values
from services.record.blinding_audit.hidden import Cut, HiddenValues, Subjects, Unit
from services.record.blinding_audit.kinds import KINDS
from services.record.blinding_audit.plan import DRAWN, LIMIT, Plan, Planned, all_assignments, plan_of
from services.record.blinding_audit.progress_file import Progress, progress_beside
from services.record.blinding_audit.ruling import ORDINARY, REPEATED, is_elsewhere, is_ordinary
from services.record.blinding_audit.screens import piece
from services.record.blinding_audit.searching import Search, shared_texts, words_in
from services.record.blinding_audit.tally import MOST_LISTED, Leak, Tally
from services.studies import frozen_facts

FORMAT = "blindread-blinding-audit/1"
AUDITED = "blinding audited"
FILE_NAME = "blinding_audit.json"
# After so many assignments what was done is noted; a killed audit does at most these again.
BATCH = 100
# So many leaks are said with the outcome; the file lists the others.
MOST_SAID = 5
ProgressBar = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Outcome:
    """What an audit came to, of how many of a study's assignments.

    Attributes
    ----------
    leaks, not_rendered
        How many hidden values stand where they may not, and how many assignments could not be built.
    repeated
        How often an answer of a model is in what a screen says of its case: no leak where the model repeats that, but
        one where it was pasted there. None of an audit that did not note it.
    """

    assignments: int
    in_the_study: int
    leaks: int
    not_rendered: int
    repeated: int | None

    @property
    def holds(self) -> bool:
        """Whether everything was looked at, and nothing hidden is in it."""
        return self.leaks == self.not_rendered == 0

    @property
    def sentence(self) -> str:
        """What is said of it."""
        searched = counted(self.assignments, "assignment")
        if self.assignments < self.in_the_study:
            searched = f"{searched} drawn from {self.in_the_study:,}"
        leaks = counted(self.leaks, "leak") if self.leaks else "no leak"
        text = f"{searched}: {leaks}."
        if self.not_rendered:
            text += f" Of {counted(self.not_rendered, 'assignment')} the screen could not be built."
        return text

    @property
    def repeated_in_words(self) -> str:
        """What is said of answers of models in what a screen says of its case; nothing where there are none."""
        if not self.repeated:
            return ""
        return (
            f"An answer of a model is in a vignette, history or fact {counted(self.repeated, 'time')}: no leak where "
            "the model repeats what it was given; look whether it was pasted there (the file says where)."
        )


@dataclass(frozen=True)
class Audited(Outcome):
    """The outcome with where it is written, and after how many assignments an interrupted audit was continued.

    Attributes
    ----------
    first
        The first leaks that differ by more than whose screen it is, a sentence each; none says the value.
    """

    out: Path
    continued_after: int
    first: tuple[str, ...]


@dataclass(frozen=True)
class LastAudit(Outcome):
    """The outcome of the last audit of a study, and when it was, as the audit chain says."""

    at: datetime


@dataclass(frozen=True)
class _Work:
    """What an audit works through."""

    study_id: int
    study_key: str
    freeze: str
    is_closed: bool
    # Whether what people answered about test subjects is: then no answer is named.
    is_sealed: bool
    # Items of test subjects: that one of them is in a phase that follows from answers says what was answered.
    unnamed: frozenset[str]
    # The keys of such phases.
    following: frozenset[str]
    hidden: HiddenValues
    shared: frozenset[str]
    plan: Plan
    subjects: Subjects


def audit_blinding(
    database: Database,
    actor: Actor,
    study_key: str,
    out: Path,
    *,
    show_values: bool = False,
    progress: ProgressBar | None = None,
    limit: int = LIMIT,
    drawn: int = DRAWN,
    batch: int = BATCH,
) -> Audited:
    """Build every screen that the raters of a frozen study get, search it for hidden values, and write the result.

    Parameters
    ----------
    out
        The file for the result; one of an earlier audit is replaced. What is done so far is in a file beside it, and
        an audit that was interrupted goes on there.
    show_values
        Whether the file names the values; those that members and judges gave only once the data are locked.
    limit, drawn
        Above so many assignments, so many are drawn, and one of each phase, role and form.
    batch
        After how many assignments progress is noted.

    Raises
    ------
    Conflict
        The study is not frozen, `out` is another file, or another audit is writing it.
    """
    _require_free(out)
    with progress_beside(out) as on_its_way, only_reading(database) as reading:
        work = _begin(reading, actor, study_key, on_its_way, limit, drawn)
        continued_after = on_its_way.done
        search = Search(reading, work.study_id, work.hidden, work.subjects, work.shared)
        _go_on(search, work.plan, on_its_way, batch, progress)
        tally = on_its_way.tally
        tally.add(search.pages(sorted({planned.membership_id for planned in work.plan.planned})))
        _settle(tally, work)
        text = json.dumps(_result(work, on_its_way, tally, show_values=show_values), indent=1, ensure_ascii=False)
        _write(out, text)
        _note(database, actor, study_key, work, tally, text)
        Path(on_its_way.file.name).unlink()
    return Audited(
        out=out,
        assignments=len(work.plan.planned),
        in_the_study=work.plan.in_the_study,
        leaks=len(tally.leaks),
        not_rendered=len(tally.not_rendered),
        continued_after=continued_after,
        first=_first_in_words(tally.leaks, work),
        repeated=_repeated(tally),
    )


def _repeated(tally: Tally) -> int:
    return sum(count for (_, rule, _), count in tally.legitimate.items() if rule == REPEATED)


def last_audit(database: Database, actor: Actor, study_key: str) -> LastAudit | None:
    """Return what the last audit of a study came to, for its admins; None where there was none."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        event = session.exec(
            select(AuditEvent)
            .where(AuditEvent.study_id == study.id, AuditEvent.action == AUDITED)
            .order_by(col(AuditEvent.id).desc())
            .limit(1)
        ).first()
    if event is None:
        return None
    counts = {name: int(event.detail[name]) for name in ("assignments", "in_the_study", "leaks", "not_rendered")}
    return LastAudit(at=event.at, repeated=event.detail.get("repeated"), **counts)


def _require_free(out: Path) -> None:
    """Refuse to replace a file that no audit wrote, and a place where none can be written."""
    if not out.parent.is_dir():
        raise Conflict(f"The folder {out.parent} does not exist; make it, or name another file.")
    if not out.exists():
        return
    try:
        is_ours = json.loads(out.read_text("utf-8"))["format"] == FORMAT
    except (OSError, ValueError, TypeError, LookupError):
        is_ours = False
    if not is_ours:
        raise Conflict(f"{out.name} exists and was not written by an audit; name another file with --out.")


def _begin(reading: Database, actor: Actor, study_key: str, on_its_way: Progress, limit: int, drawn: int) -> _Work:
    """Read what there is to look at; go on with what was interrupted if nothing of it has changed."""
    with reading.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        freeze = freeze_of(session, stored_id(study.id))
        if freeze is None:
            raise Conflict(
                f"The study '{study.key}' is not frozen, so nothing is assigned to look at; freeze it first."
            )
        head = {"format": FORMAT, "study": study.key, "freeze_sha256": freeze, "software_version": SOFTWARE_VERSION,
                "limit": limit, "drawn": drawn}  # fmt: skip
        before = on_its_way.head
        if before and all(before.get(name) == said for name, said in head.items()):
            work = _work(session, study, freeze, Cut(**before["cut"]), int(before["seed"]), limit, drawn)
            if work.hidden.fingerprint == before["fingerprint"]:
                return work
        cut, seed = Cut.now(session), secrets.randbelow(2**32)
        work = _work(session, study, freeze, cut, seed, limit, drawn)
        began = {"cut": cut.as_json(), "seed": seed, "began_at": now().isoformat(timespec="seconds")}
        on_its_way.begin({**head, **began, "fingerprint": work.hidden.fingerprint})
        return work


def _work(session: Session, study: Study, freeze: str, cut: Cut, seed: int, limit: int, drawn: int) -> _Work:
    study_id = stored_id(study.id)
    phases = frozen_facts.phases_of(session, study_id)
    shared = shared_texts(phases, study.title)
    sealed = queries.sealed_items(session, study_id)
    planned, left_out = all_assignments(session, study_id, phases, cut)
    return _Work(
        study_id=study_id,
        study_key=study.key,
        freeze=freeze,
        is_closed=state_of(session, study_id) == "closed",
        is_sealed=bool(sealed),
        unnamed=frozenset(key for item_id, key in session.exec(_keys_of_items(study_id)) if item_id in sealed),
        following=_from_answers(phases),
        hidden=hidden_values(session, study, phases, cut, words_in(shared)),
        shared=shared,
        plan=plan_of(planned, left_out, seed, limit, drawn),
        subjects=Subjects(session, study_id),
    )


def _from_answers(phases: StudyPhases) -> frozenset[str]:
    """Return the keys of the phases whose units are chosen by what was answered before."""
    listed = {phase.listed_as for phase in phases.following}
    return frozenset(phase.key for phase in phases.phases if phase.listed_as in listed) | {REVIEW.key, OPINIONS.key}


def _keys_of_items(study_id: int) -> Any:
    return select(Item.id, Item.key).where(Item.study_id == study_id)


def _go_on(search: Search, plan: Plan, on_its_way: Progress, batch: int, progress: ProgressBar | None) -> None:
    total = len(plan.planned)
    while True:
        done = on_its_way.done
        if progress is not None:
            progress(done, total, f"Searching assignment {min(done + 1, total)} of {total}")
        if done >= total:
            return
        following = plan.planned[done : done + batch]
        on_its_way.keep(done + len(following), search.assignments(following))


def _settle(tally: Tally, work: _Work) -> None:
    """Decide about single words: what occurs as often where it is not the value is ordinary."""
    screens = Counter(planned.screen[0] for planned in work.plan.planned)
    for (number, where), leaks in _by_word(tally.to_weigh).items():
        value, part = work.hidden.values[number], piece(where, "")
        rated = work.subjects.rated(value.units)
        own = others = 0.0
        for planned in work.plan.planned:
            # The share of the phase's screens on which there is anything at that place.
            phase, units = planned.screen[0], _units(planned, work.subjects)
            share = tally.present[phase, where] / screens[phase]
            if not units.isdisjoint(rated):
                own += share
            elif is_elsewhere(value, part, units, work.subjects):
                others += share
        if is_ordinary(value.kind, len(leaks) / own, tally.elsewhere[number, where] / others if others else None):
            tally.legitimate[leaks[0].kind, ORDINARY, where] += len(leaks)
        else:
            tally.leaks += leaks


def _by_word(leaks: Iterable[Leak]) -> dict[tuple[int, str], list[Leak]]:
    by_word: dict[tuple[int, str], list[Leak]] = {}
    for leak in leaks:
        by_word.setdefault((leak.value, leak.where), []).append(leak)
    return by_word


def _units(planned: Planned, subjects: Subjects) -> frozenset[Unit]:
    answers = subjects.answers_of(planned.candidate_id or 0)
    return frozenset({("item", planned.item_id), *(("candidate", answer) for answer in answers)})


def _result(work: _Work, on_its_way: Progress, tally: Tally, *, show_values: bool) -> dict[str, Any]:
    plan, head = work.plan, on_its_way.head
    return {
        "format": FORMAT,
        "study": work.study_key,
        "freeze_sha256": work.freeze,
        "software_version": SOFTWARE_VERSION,
        "began_at": head["began_at"],
        "ended_at": now().isoformat(timespec="seconds"),
        "result": "no leak" if not tally.leaks and not tally.not_rendered else "leaks" if tally.leaks else "incomplete",
        "assignments": {
            "in_the_study": plan.in_the_study,
            "searched": len(plan.planned),
            "of_nobody": plan.left_out,
            "screens": plan.screens,
            "draw": None if plan.seed is None else {"seed": plan.seed, "limit": head["limit"], "drawn": head["drawn"]},
        },
        "searched": {**_counts(tally), "volume_headers": len(tally.volumes)},
        "hidden_values": work.hidden.count(),
        "not_searched_for": _left_out(work, show_values=show_values),
        "legitimate": [
            {"kind": kind, "rule": rule, "where": where, "count": count}
            for (kind, rule, where), count in sorted(tally.legitimate.items())
        ],
        "leaks_in_all": len(tally.leaks),
        "leaks": [_leak(leak, work, show_values=show_values) for leak in tally.leaks[:MOST_LISTED]],
        "not_rendered": [
            {"phase": phase, "slot": slot, "item": _item(phase, item, work), "why": why}
            for phase, slot, item, why in tally.not_rendered
        ],
    }


def _counts(tally: Tally) -> Counter[str]:
    return Counter({name: tally.searched[name] for name in ("assignments", "payloads", "texts", "addresses", "pages")})


def _left_out(work: _Work, *, show_values: bool) -> list[dict[str, Any]]:
    rows = []
    for why, by_kind in (("too short", work.hidden.too_short), ("too common", work.hidden.too_common)):
        for kind, texts in sorted(by_kind.items()):
            row: dict[str, Any] = {"kind": kind, "why": why, "count": len(texts)}
            if show_values and _may_print(kind, work):
                row["values"] = texts
            rows.append(row)
    return rows


def _item(phase: str, item: str, work: _Work) -> str:
    return "of a test subject" if phase in work.following and item in work.unnamed else item


def _leak(leak: Leak, work: _Work, *, show_values: bool) -> dict[str, Any]:
    item = _item(leak.phase, leak.item, work)
    row = {"phase": leak.phase, "slot": leak.slot, "item": item, "kind": leak.kind, "where": leak.where}
    if show_values and _may_print(leak.kind, work):
        row["value"] = work.hidden.values[leak.value].text
    return row


def _first_in_words(leaks: Iterable[Leak], work: _Work) -> tuple[str, ...]:
    """Return the first leaks in words, those of one text on several people's screens once."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for leak in leaks:
        row = _leak(leak, work, show_values=False)
        alike.setdefault((row["phase"], row["item"], row["where"], row["kind"]), []).append(row["slot"])
    said = []
    for (phase, item, where, kind), slots in list(alike.items())[:MOST_SAID]:
        more = f" and {counted(len(set(slots)) - 1, 'other')}" if len(set(slots)) > 1 else ""
        of_item = f", item '{item}'" if item else ""
        said.append(
            f"In '{phase}'{of_item}, on the screen of {slots[0]}{more}: {where} contains what is hidden "
            f"({KINDS[kind].title})."
        )
    return tuple(said)


def _may_print(kind: str, work: _Work) -> bool:
    if work.is_sealed and (KINDS[kind].sort == "answer" or not KINDS[kind].while_sealed):
        return False
    return work.is_closed or KINDS[kind].while_open


def _write(out: Path, text: str) -> None:
    """Write the result whole or not at all."""
    whole = out.with_name(f".{out.name}.new")
    whole.write_text(text + "\n", encoding="utf-8")
    whole.replace(out)


def _note(database: Database, actor: Actor, study_key: str, work: _Work, tally: Tally, text: str) -> None:
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        audit.record(
            session,
            AUDITED,
            person_id=actor.person_id,
            study_id=study.id,
            freeze_sha256=work.freeze,
            software_version=SOFTWARE_VERSION,
            assignments=len(work.plan.planned),
            in_the_study=work.plan.in_the_study,
            leaks=len(tally.leaks),
            not_rendered=len(tally.not_rendered),
            repeated=_repeated(tally),
            file_sha256=hashlib.sha256(f"{text}\n".encode()).hexdigest(),
        )
