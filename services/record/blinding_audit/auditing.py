"""Audit the blinding of a frozen study: nothing is changed except that an event records the result."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sqlmodel import col, select

from db import AuditEvent, Database, audit, now
from db.base import stored_id
from db.engine import only_reading
from services.errors import Conflict, counted
from services.installation.version import SOFTWARE_VERSION
from services.people.identity import Actor
from services.people.permission import freeze_of, require_role
from services.record.blinding_audit.hidden import Cut, Subjects, Unit
from services.record.blinding_audit.plan import DRAWN, LIMIT, Plan, Planned
from services.record.blinding_audit.progress_file import Progress, progress_beside
from services.record.blinding_audit.result_file import FORMAT, first_in_words, require_free, result_of, write_whole
from services.record.blinding_audit.ruling import ORDINARY, REPEATED, is_elsewhere, is_ordinary
from services.record.blinding_audit.screens import piece
from services.record.blinding_audit.searching import Search
from services.record.blinding_audit.tally import UNTOLD, Leak, Tally
from services.record.blinding_audit.work import Work, work_of

AUDITED = "blinding audited"
# Progress is stored after this many assignments; a killed audit repeats at most this many.
BATCH = 100
# What is said instead of the item of a screen that is not counted.
OF_TEST = "of a test subject"
ProgressBar = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Outcome:
    """The result of an audit, and how many of a study's assignments it covers.

    Attributes
    ----------
    leaks, not_rendered
        How many hidden values are where they may not be, and how many assignments could not be built.
    repeated
        How often a model's answer is found in what a screen says about its case. This is no leak if the model
        repeats the case, but is one if the answer was pasted there. None for an audit that did not record it.
    """

    assignments: int
    in_the_study: int
    leaks: int
    not_rendered: int
    repeated: int | None

    @property
    def holds(self) -> bool:
        """Whether everything was searched and nothing hidden was found."""
        return self.leaks == self.not_rendered == 0

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        searched = counted(self.assignments, "assignment")
        if self.assignments < self.in_the_study:
            searched = f"{searched} drawn from {self.in_the_study:,}"
        leaks = counted(self.leaks, "leak") if self.leaks else "no leak"
        text = f"{searched}: {leaks}."
        if self.not_rendered:
            text += f" The screen of {counted(self.not_rendered, 'assignment')} could not be built."
        return text

    @property
    def advice(self) -> str:
        """What to do about leaks, in one sentence; empty if there are none."""
        if not self.leaks:
            return ""
        return (
            "Where a text repeats a value (“40-year-old”), take it from the text, or let that phase show the attribute "
            "if its raters may know it; docs/how-to/audit-the-blinding.md says what else can be done."
        )

    @property
    def repeated_in_words(self) -> str:
        """A sentence on models' answers in what screens say about the case; empty if there are none."""
        if not self.repeated:
            return ""
        return (
            f"A model's answer is in a vignette, history or fact {counted(self.repeated, 'time')}: not a leak if the "
            "model repeated what it was given; check that it was not pasted there (the file says where)."
        )


@dataclass(frozen=True)
class Audited(Outcome):
    """The result, where it was written, and after how many assignments an interrupted audit was resumed.

    Attributes
    ----------
    first
        The first leaks, one sentence each, those alike on several people's screens once; none states the value.
    """

    out: Path
    continued_after: int
    first: tuple[str, ...]


@dataclass(frozen=True)
class LastAudit(Outcome):
    """The result of a study's last audit, and when it was, according to the audit chain.

    Attributes
    ----------
    of_now
        Whether it searched what is frozen now, rather than what was frozen before a thaw or a newer version.
    """

    at: datetime
    of_now: bool


def file_name(study_key: str) -> str:
    """Return the name of the file for the result, which no other study's result takes."""
    return f"blinding_audit_{Path(study_key).name}.json"


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
        The file for the result; that of an earlier audit is replaced. Progress is stored in a file beside it, from
        which an interrupted audit is resumed.
    show_values
        Whether the file shows the values; those that members and judges gave only once the data are locked.
    limit, drawn
        Above `limit` assignments, `drawn` of them are drawn, and at least one for each phase, role and form.
    batch
        After how many assignments progress is stored.

    Raises
    ------
    Conflict
        The study is not frozen, `out` is a file of another kind, or another audit is writing it.
    """
    require_free(out)
    with progress_beside(out) as on_its_way, only_reading(database) as reading:
        work = _begin(reading, actor, study_key, on_its_way, limit, drawn)
        continued_after = on_its_way.done
        search = Search(
            reading, work.study_id, work.hidden, work.subjects, work.shared, work.sealed_items, work.not_counted
        )
        _go_on(search, work.plan, on_its_way, batch, progress)
        tally = on_its_way.tally
        tally.add(search.pages(sorted({planned.membership_id for planned in work.plan.planned})))
        _settle(tally, work, work.plan)
        tally.add(_of_sealed(search, work))
        text = json.dumps(result_of(work, on_its_way, tally, show_values=show_values), indent=1, ensure_ascii=False)
        write_whole(out, text)
        _note(database, actor, study_key, work, tally, text)
        Path(on_its_way.file.name).unlink()
    return Audited(
        out=out,
        assignments=len(work.plan.planned),
        in_the_study=work.plan.in_the_study,
        leaks=len(tally.leaks),
        not_rendered=len(tally.not_rendered),
        continued_after=continued_after,
        first=first_in_words(tally.leaks, work),
        repeated=_repeated(tally),
    )


def _repeated(tally: Tally) -> int:
    return sum(count for (_, rule, _), count in tally.legitimate.items() if rule == REPEATED)


def last_audit(database: Database, actor: Actor, study_key: str) -> LastAudit | None:
    """Return the result of a study's last audit, for its admins; None if there was none."""
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
        of_now = event.detail["freeze_sha256"] == freeze_of(session, stored_id(study.id))
    counts = {name: int(event.detail[name]) for name in ("assignments", "in_the_study", "leaks", "not_rendered")}
    return LastAudit(at=event.at, of_now=of_now, repeated=event.detail.get("repeated"), **counts)


def _begin(reading: Database, actor: Actor, study_key: str, on_its_way: Progress, limit: int, drawn: int) -> Work:
    """Gather what an audit searches; resume an interrupted audit if nothing of this has changed."""
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
            work = work_of(session, study, freeze, Cut(**before["cut"]), int(before["seed"]), limit, drawn)
            if work.hidden.fingerprint == before["fingerprint"]:
                return work
        cut, seed = Cut.now(session), secrets.randbelow(2**32)
        work = work_of(session, study, freeze, cut, seed, limit, drawn)
        began = {"cut": cut.as_json(), "seed": seed, "began_at": now().isoformat(timespec="seconds")}
        on_its_way.begin({**head, **began, "fingerprint": work.hidden.fingerprint})
        return work


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


def _of_sealed(search: Search, work: Work) -> Tally:
    """Search the screens of sealed items, which are not counted; report each kind of leak once, without its item.

    All other leaks and counts are based on the other screens only, so that they do not depend on what is sealed.
    """
    tally = search.assignments(work.sealed.planned)
    known = {planned.membership_id for planned in work.plan.planned}
    tally.add(search.pages(sorted({planned.membership_id for planned in work.sealed.planned} - known)))
    _settle(tally, work, work.sealed)
    leaks = [replace(leak, item=OF_TEST, value=UNTOLD) for leak in tally.leaks]
    not_rendered = {(phase, slot, OF_TEST, "why is sealed, too") for phase, slot, _, _ in tally.not_rendered}
    return Tally(leaks=list(dict.fromkeys(leaks)), not_rendered=[list(row) for row in sorted(not_rendered)])


def _settle(tally: Tally, work: Work, plan: Plan) -> None:
    """Rule on single words: one that occurs about as often where it is not the value is ordinary."""
    screens = Counter(planned.screen[0] for planned in plan.planned)
    for (number, where), leaks in _by_word(tally.to_weigh).items():
        value, part = work.hidden.values[number], piece(where, "")
        rated = work.subjects.rated(value.units)
        own = others = 0.0
        for planned in plan.planned:
            # The share of the phase's screens that have any text at that place.
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


def _note(database: Database, actor: Actor, study_key: str, work: Work, tally: Tally, text: str) -> None:
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
