"""The report counts links that opened an account in use to somebody else, and is silent where there was none."""

from __future__ import annotations

from services.progress import data_lock
from services.report import build_report, report_stamp
from services.studies.membership import members
from tests.situations import Situation


def said(situation: Situation) -> str:
    section = build_report(situation.database, situation.admin, "tiny").section("completeness")
    assert section is not None
    return " ".join(section.explanation)


def test_links_for_accounts_in_use_are_counted_as_a_deviation(opened: Situation) -> None:
    members.invite(opened.database, opened.admin, "tiny", "new", "New", "rater")
    data_lock.close_study(opened.database, opened.admin, "tiny")
    assert "Deviation" not in said(opened)
    before = report_stamp(opened.database, opened.admin, "tiny")

    for _ in range(2):
        members.invite(opened.database, opened.admin, "tiny", "rater-1", "Rater", "rater")

    assert "2 sign-in links were created for people who had signed in before (Rater 1)" in said(opened)
    assert report_stamp(opened.database, opened.admin, "tiny") != before


def test_nothing_is_said_where_no_such_link_was_made(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")

    assert "sign-in links" not in said(opened)
