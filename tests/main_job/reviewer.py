"""The reviewer at work: each item read blind first, then the two opinions, then the decision."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.main_job.contents import REASONS, Item
from tests.main_job.plan import Read
from tests.main_job.rater import Mouse

REASON = "It stands on the images."
NOTHING = "–"


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

    def opinions(self) -> list[dict[str, str]]:
        """Return what stands under each opinion, label by label, and not which is A and which B."""
        place = self.page.locator(".opinions")
        expect(place).to_be_visible()
        assert self.phase.startswith("Review: see the opinions, then decide"), self.phase
        titles = place.locator("thead th").all_inner_texts()
        opinions: dict[str, dict[str, str]] = {title: {} for title in titles}
        for line in place.locator("tbody tr").all():
            label = line.locator("th").inner_text()
            for title, words in zip(titles, line.locator("td").all_inner_texts(), strict=True):
                if words != NOTHING:
                    opinions[title][label.lower()] = words
        # What is too long for a cell stands below: "Opinion A, comment: ..."
        for line in place.locator("p").all():
            title, label = line.locator("strong").inner_text().rstrip(": ").split(", ", 1)
            opinions[title][label] = line.inner_text().split(": ", 1)[1]
        return [lines for title, lines in opinions.items() if title.startswith("Opinion ")]

    def decide(self, item: Item, answer: str | None) -> None:
        """Decide, with the reason."""
        if answer is None:
            self.say_not_assessable(1 + list(REASONS).index("history"))
        else:
            self.answer(item, answer)
            self.page.locator("[data-field=reason] textarea").click()
            self.page.keyboard.type(REASON)
        self.submit()
