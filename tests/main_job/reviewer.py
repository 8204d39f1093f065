"""The reviewer at work: each item read blind first, then the two opinions, then the decision."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.main_job.contents import REASONS, Item
from tests.main_job.plan import Read
from tests.main_job.rater import Mouse

REASON = "It stands on the pictures."


class Reviewer(Mouse):
    """Works by mouse, like the first rater."""

    @property
    def phase(self) -> str:
        return self.page.locator(".phase").inner_text()

    def read_blind(self, item: Item, answer: str | None) -> None:
        """Give an own answer; before it, no opinion may be on the screen."""
        assert self.phase.startswith("Review: read the item yourself"), self.phase
        assert self.page.locator(".opinion").count() == 0
        self.fill_in(item, Read(not_assessable="history") if answer is None else Read(answer, 4))
        self.submit()

    def opinions(self) -> list[str]:
        """Return what stands under A and B, without their order."""
        expect(self.page.locator(".opinion:not(.own)").first).to_be_visible()
        assert self.phase.startswith("Review: decide between the opinions"), self.phase
        return sorted(self.page.locator(".opinion:not(.own) .facts").all_inner_texts())

    def decide(self, item: Item, answer: str | None) -> None:
        """Decide, with the reason."""
        if answer is None:
            self.say_not_assessable(1 + list(REASONS).index("history"))
        else:
            self.answer(item, answer)
            self.page.locator("[data-field=reason] textarea").click()
            self.page.keyboard.type(REASON)
        self.submit()
