"""A study that was removed, or a membership, is gone for everybody: from lists, addresses and routes."""

from __future__ import annotations

import json
import re

import pytest
from sqlmodel import select

from db import Membership, Study, audit, now
from services.errors import NotFound
from services.people import permission
from services.people.permission import administers
from services.reading import shown_volumes, submission, worklist
from services.record import verification
from services.studies import catalogue
from services.studies.freeze import freezing
from tests.situations import Situation, on_the_desk


def removed(situation: Situation) -> None:
    with situation.database.writing() as session:
        study = session.exec(select(Study)).one()
        study.removed_at = now()
        session.add(study)
        audit.record(session, "demo removed", study_id=study.id)


def test_nobody_finds_a_removed_study(opened: Situation) -> None:
    payload = on_the_desk(opened, opened.raters[0])
    token = re.findall(r"reading/volume/([\w-]+)", json.dumps(payload))[0]
    assert shown_volumes.volume_in_reach(opened.database, opened.raters[0], token).is_file()
    removed(opened)

    for person in (opened.admin, *opened.raters, opened.reviewer):
        assert catalogue.studies_of(opened.database, person) == []
        assert worklist.desks_of(opened.database, person) == []
    with pytest.raises(NotFound):
        on_the_desk(opened, opened.raters[0])
    with pytest.raises(NotFound):
        submission.save_draft(opened.database, opened.raters[0], payload["assignment"], 1, {"comment": "late"})
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(opened.database, opened.raters[0], token)
    with pytest.raises(NotFound):
        freezing.freeze_of(opened.database, opened.admin, "tiny")
    with pytest.raises(NotFound):
        verification.verify_study(opened.database, "tiny")


def test_a_member_who_was_taken_out_is_nothing_there(imported: Situation) -> None:
    with imported.database.writing() as session:
        for membership in session.exec(select(Membership)).all():
            membership.removed_at = now()
            session.add(membership)
        session.flush()
        with pytest.raises(NotFound):
            permission.require_role(session, imported.raters[0], "tiny", "rater")

    assert catalogue.studies_of(imported.database, imported.raters[0]) == []
    assert worklist.desks_of(imported.database, imported.raters[0]) == []
    assert administers(imported.database, imported.admin)  # as an owner, not by the study
