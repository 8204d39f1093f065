"""Runs of judges that tests fill with verdicts themselves, past the import."""

from __future__ import annotations

from sqlmodel import Session

from db import JudgeImport, JudgeRun, now


def new_run(session: Session, study_id: int, name: str) -> JudgeRun:
    """Store a run without verdicts, with its import."""
    before = JudgeImport(study_id=study_id, name=name, holder="", expires_at=now())
    session.add(before)
    session.flush()
    run = JudgeRun(id=before.id, study_id=study_id, name=name, judge="j", source_sha256="0" * 64)
    session.add(run)
    session.flush()
    return run
