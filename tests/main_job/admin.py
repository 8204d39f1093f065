"""What the admin does on the pages of a study."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.harness.server import RunningServer
from tests.main_job.rater import STUDY

_SENT = re.compile(r"Sent: (\d+) flagged, (\d+) disagreeing, (\d+) controls")


class Admin:
    """A signed-in page of an admin."""

    def __init__(self, page: Page, server: RunningServer) -> None:
        self.page = page
        self.server = server

    def send_to_review(self) -> tuple[int, int, int]:
        """Fill the reviewers' queue; return how many items were flagged, disagreeing and controls."""
        self.page.goto(f"{self.server.url}/study?study={STUDY}")
        self.page.get_by_role("button", name="Send flagged and disagreeing items to the reviewers").click()
        notice = self.page.get_by_text(_SENT)
        match = _SENT.search(notice.first.inner_text())
        assert match
        flagged, disagreeing, controls = (int(count) for count in match.groups())
        return flagged, disagreeing, controls

    def close_study(self) -> None:
        """Lock the data."""
        self.page.goto(f"{self.server.url}/study?study={STUDY}")
        self.page.get_by_role("tab", name="Close and events").click()
        self.page.get_by_role("button", name="Close the study").click()
        self.page.get_by_text("Closed. The report is open now.").wait_for()

    def report_is_shut(self) -> bool:
        """Open the report's page and say whether it keeps the report to itself."""
        self.page.goto(f"{self.server.url}/report?study={STUDY}")
        self.page.get_by_text("The report is locked until the study is closed").wait_for()
        return self.page.locator(".report-table").count() == 0

    def open_report(self, study: str = STUDY) -> None:
        """Open the report's page and wait until it is drawn."""
        self.page.goto(f"{self.server.url}/report?study={study}")
        self.page.get_by_text("Final: the data are locked").wait_for(timeout=60_000)
        # The page is drawn from top to bottom, and once more as soon as all of it is known.
        self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=60_000)
        self.page.locator(".report-table").first.wait_for()
