"""Looks at a judge's agreement with people: each is stored with its time and person, and counted."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Literal

from sqlmodel import Session, col, select

from agreement.judge.material import Material, Verdicts
from db import CalibrationLook, Database, audit, queries
from db.base import stored_id
from services.judging.run_identity import Judge
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs

Part = Literal["all", "development", "test"]


def note_looks(
    database: Database,
    actor: Actor,
    study_key: str,
    field: str,
    seen: Mapping[tuple[Judge, Part], str],
    earlier: Mapping[tuple[Judge, Part], str] | None = None,
) -> dict[tuple[Judge, Part], int]:
    """Store who looked at what, and return how often each judge's agreement was opened, including this time.

    Opening the same verdicts again is not another look. All prompts of a judge are counted together, because each is
    tried on the same human verdicts.

    The stored hash is keyed by the study's secret. The audit chain covers it, and the chain's hashes are in the package
    and printed: with a plain hash, they would tell whether a guess of the sealed verdicts is right, and once agreement
    is known there are few to guess.

    Parameters
    ----------
    seen
        The hash of the compared verdicts, by judge and part.
    earlier
        The hash by which the same look may have been stored before, where it was computed otherwise.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        before = _looks_at(session, study_id, field)
        salt = bytes.fromhex(study.salt)
        keyed = {place: _keyed(salt, plain) for place, plain in seen.items()}
        # Looks that were stored before hashes were keyed have the plain one.
        known = {place: {sha256, seen[place]} for place, sha256 in keyed.items()}
        for place, plain in (earlier or {}).items():
            known[place] |= {plain, _keyed(salt, plain)}
        new = [
            CalibrationLook(
                study_id=study_id,
                field=field,
                judge=judge,
                prompt=prompt,
                part=part,
                material_sha256=sha256,
                person_id=actor.person_id,
            )
            for ((judge, prompt), part), sha256 in keyed.items()
            if not any((judge, prompt, part, each) in before for each in known[(judge, prompt), part])
        ]
        if new:
            session.add_all(new)
            session.flush()
            audit.record(
                session,
                "agreement of judges opened",
                person_id=actor.person_id,
                study_id=study_id,
                field=field,
                looks=[{"judge": look.judge, "prompt": look.prompt, "part": look.part} for look in new],
                rows=proofs.sealed(new),
            )
        every = before | {(look.judge, look.prompt, look.part, look.material_sha256) for look in new}
        return {(judge, part): _number(every, judge[0], part) for judge, part in seen}


def _keyed(salt: bytes, plain: str) -> str:
    return hmac.digest(salt, plain.encode(), "sha256").hex()


def looks_in_words(session: Session, study_id: int) -> str:
    """Return how often the agreement of judges with people was opened, as a sentence; empty if it never was."""
    rows = session.exec(select(CalibrationLook.part).where(CalibrationLook.study_id == study_id)).all()
    if not rows:
        return ""
    times = "once" if len(rows) == 1 else f"{len(rows)} times"
    on_test = sum(part == "test" for part in rows)
    divided = queries.split_of(session, study_id) is not None
    of_test = f", {on_test} of them on test subjects" if divided else ""
    return (
        f"Agreement of judges with people was opened {times}{of_test}. Confidence levels hold for the first look at a "
        "judge, as the next prompt can be chosen by it."
    )


def looks_at_judges(times: Mapping[str, Mapping[Part, int]], *, several_prompts: bool) -> str:
    """Return how often each judge's agreement with people was opened, as a sentence.

    Parameters
    ----------
    times
        By the name of a judge with its prompt, then by the subjects: how often, including this time.
    several_prompts
        Whether two of them are one judge with two prompts.

    >>> looks_at_judges({"J": {"development": 3, "test": 1}}, several_prompts=False).partition(", this")[0]
    'Looks: agreement with people was opened for J 3 times on development subjects and once on test subjects'
    """
    of_judges = []
    for name, of_parts in times.items():
        said = [_times_on(count, part) for part, count in of_parts.items()]
        of_judges.append(f"for {name} {' and '.join(said)}")
    together = "; the prompts of one judge are counted together" if several_prompts else ""
    return (
        f"Looks: agreement with people was opened {', '.join(of_judges)}, this time included{together}. Each look is "
        "at other verdicts; confidence levels hold for the first, as the next prompt, run or people can be chosen by "
        "it."
    )


def _times_on(count: int, part: Part) -> str:
    times = "once" if count == 1 else f"{count} times"
    return times if part == "all" else f"{times} on {part} subjects"


def fingerprint(material: Material, judge: str, basis: str = "", *, repeats: bool = True) -> str:
    """Return the hash of everything that enters the comparison of a judge with people.

    Parameters
    ----------
    repeats
        Whether the judge's further runs enter it: they are compared with the first, but no panel of test subjects shows
        anything of them.
    basis
        That of an opening, if it names one: the same verdicts by another basis are another look at test subjects.
    """
    hashed = hashlib.sha256(repr(material.scale).encode())
    runs = material.runs.get(judge, {}) if repeats else {}
    if len(runs) < 2:
        runs = {"": material.judges[judge]}
    for name, verdicts in (*sorted(material.humans.items()), *sorted(runs.items())):
        _add(hashed, name, verdicts)
    if material.adjudicated is not None:
        _add(hashed, "adjudicated", material.adjudicated)
    if basis:
        hashed.update(f"|by {basis}|".encode())
    return hashed.hexdigest()


def _add(hashed: hashlib._Hash, name: str, verdicts: Verdicts) -> None:
    hashed.update(f"|{name}|".encode())
    hashed.update(verdicts.codes.tobytes())
    hashed.update(verdicts.states.tobytes())


def _looks_at(session: Session, study_id: int, field: str) -> set[tuple[str, str, str, str]]:
    looks = session.exec(
        select(CalibrationLook)
        .where(CalibrationLook.study_id == study_id, CalibrationLook.field == field)
        .order_by(col(CalibrationLook.id))
    )
    return {(look.judge, look.prompt, look.part, look.material_sha256) for look in looks}


def _number(looks: set[tuple[str, str, str, str]], judge: str, part: Part) -> int:
    return sum(own == judge and of_part == part for own, _, of_part, _ in looks)
