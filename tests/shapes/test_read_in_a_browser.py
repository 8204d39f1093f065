"""Published studies, from the import to the last exported row: their raters read them to the end in a browser.

Three in every run; all of them by `make studies`.
"""

from __future__ import annotations

import csv
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from db import Database
from protocol.fields.abstention import is_undetermined
from services.people import identity
from services.reading import worklist
from services.reading.correctness import as_text
from services.studies.freeze import freezing
from studies.examples import build
from tests.blinding.serving import served
from tests.harness.screenshots import FOLDER
from tests.harness.server import RunningServer
from tests.listed_study import closed_tables, imported_listed
from tests.shapes.rater import Given, ScriptedRater
from tests.shapes.table import IN_EVERY_RUN, ON_REQUEST, Shape
from tests.situations import Situation

# A notebook's screen, of which every second rater has the dark theme.
WIDTH, HEIGHT = 1366, 768
ATTEMPTS = itertools.count(1)


@pytest.fixture(scope="module")
def serving(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Database, RunningServer]]:
    """One server for all studies of this file."""
    with served(migrated_sqlite, tmp_path_factory.mktemp("shapes")) as (database, running):
        running.start()
        yield database, running


def made_smaller(folder: Path, shape: Shape) -> Path:
    """Fill a study folder in a shape, of the size that a browser gets through."""
    build(shape.name, folder)
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    for written, smaller in shape.less.items():
        assert written in protocol
        protocol = protocol.replace(written, smaller)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    for file in folder.glob("*.csv"):
        rows = list(csv.DictReader(file.open(encoding="utf-8")))
        with file.open("w", encoding="utf-8", newline="") as written_anew:
            writer = csv.DictWriter(written_anew, list(rows[0]))
            writer.writeheader()
            writer.writerows(
                row
                for row in rows
                if all(row[column] in values for column, values in shape.only.items() if column in row)
            )
    return folder


def right_answers(folder: Path) -> dict[str, dict[str, str]]:
    """Return by item and field what passes a practice."""
    right: dict[str, dict[str, str]] = defaultdict(dict)
    if (file := folder / "references.csv").exists():
        for row in csv.DictReader(file.open(encoding="utf-8")):
            right[row["item"]][row.get("field", "")] = row["accepted"].split("|")[0]
    return right


def opened(database: Database, folder: Path, shape: Shape) -> Situation:
    """Import and freeze a study in a shape, with the people who work in it; a second attempt has one of its own."""
    made_smaller(folder, shape)
    key = f"{shape.name.replace('_', '-')}-{next(ATTEMPTS)}"
    situation = imported_listed(database, folder, shape.raters, key=key, groups=shape.groups)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    return situation


def sign_in(page: Page, database: Database, running: RunningServer, login: str) -> None:
    page.goto(f"{running.url}/link/{identity.make_link(database, login, 'sign_in')}")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Worklist").first.wait_for()


def photograph(page: Page, name: str) -> None:
    """Leave an image of a screen for whoever wants to look at it."""
    file = FOLDER / "shapes" / f"{name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)


def sticks_out(page: Page) -> list[str]:
    """Return what is wider than the place that it has, on a page that must not be scrolled sideways."""
    return page.evaluate(
        """() => {
          const host = [...document.querySelectorAll("*")].find(({ shadowRoot }) => shadowRoot?.querySelector(".room"));
          const room = (host?.shadowRoot ?? document).querySelector(".room");
          const wide = [...room.querySelectorAll(".side, .cards, .card, .field, .option, .head, .body, .tab")]
            .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1
              && getComputedStyle(part).overflowX !== "hidden");
          const page = document.documentElement;
          return [...wide.map(({ className, textContent }) => `${className}: ${textContent.slice(0, 60)}`),
            ...(page.scrollWidth > page.clientWidth ? ["the page"] : [])];
        }"""
    )


def read_to_the_end(situation: Situation, raters: Sequence[ScriptedRater], name: str) -> list[Given]:
    """Let everybody do what their worklist offers, until it offers nobody anything; return it in the order of doing."""
    given: list[Given] = []
    while True:
        before = len(given)
        for actor, rater in zip(situation.raters, raters, strict=True):
            for desk in worklist.desks_of(situation.database, actor):
                if desk.study_key != situation.study_key or desk.waits_for or desk.done >= desk.total:
                    continue
                rater.enter(desk.queue.key)
                photograph(rater.page, f"{name}-{actor.name[-1]}-{desk.queue.key}")
                assert sticks_out(rater.page) == []
                while not rater.is_through:
                    given.append(rater.answer_one(desk.queue.key))
                photograph(rater.page, f"{name}-{actor.name[-1]}-{desk.queue.key}-end")
        if len(given) == before:
            return given


def as_exported(value: Any) -> tuple[str, str]:
    return ("", "yes") if is_undetermined(value) else (as_text(value), "")


def hold_export_against(given: Sequence[Given], tables: Mapping[str, list[dict[str, str]]]) -> None:
    """Every verdict is exported once, about what was on the screen, with what was filled in, and nothing else is."""
    verdicts = {row["receipt"]: row for row in tables["verdicts.csv"]}
    prompts = {row["item"]: row["prompt"] for row in tables["items.csv"]}
    texts = {row["candidate"]: row["answer"] for row in tables.get("candidates.csv", [])}
    fields: dict[tuple[str, ...], dict[str, tuple[str, str]]] = defaultdict(dict)
    place = ("member", "phase", "step", "item", "candidate")
    # A line without a value says that none of any number of options was chosen, which nobody fills in.
    for row in (row for row in tables["fields.csv"] if row["value"] or row["undetermined"]):
        fields[tuple(row[column] for column in place)][row["field"]] = (row["value"], row["undetermined"])
    counted = [verdict for verdict in given if not verdict.practice]
    assert len(tables["verdicts.csv"]) == len(verdicts) == len(counted)
    assert sum(len(answered) for answered in fields.values()) == sum(len(verdict.fields) for verdict in counted)
    for verdict in counted:
        row = verdicts[verdict.receipt]
        assert (row["phase"], row["item"], row["candidate"], row["status"]) == (
            verdict.phase, verdict.item, verdict.candidate, "answered"
        )  # fmt: skip
        compared = (texts[row[side]] for side in ("side_a", "side_b") if row.get(side))
        assert verdict.words == (prompts[verdict.item], texts.get(verdict.candidate), *compared)
        assert fields[tuple(row[column] for column in place)] == {
            key: as_exported(value) for key, value in verdict.fields.items()
        }


@pytest.mark.parametrize(
    "shape",
    [*IN_EVERY_RUN, *(pytest.param(shape, marks=pytest.mark.studies) for shape in ON_REQUEST)],
    ids=lambda shape: shape.name,
)
def test_everything_that_raters_answer_in_a_browser_is_exported(
    shape: Shape,
    serving: tuple[Database, RunningServer],
    new_page: Callable[..., Page],
    tmp_path: Path,
) -> None:
    database, running = serving
    situation = opened(database, tmp_path / shape.name, shape)
    right = right_answers(tmp_path / shape.name)
    raters = []
    for number, actor in enumerate(situation.raters, start=1):
        page = new_page(WIDTH, HEIGHT, color_scheme="dark" if number % 2 else "light")
        sign_in(page, database, running, f"rater-{number}")
        raters.append(ScriptedRater(page, running, database, actor, situation.study_key, shape.says, right))

    given = read_to_the_end(situation, raters, shape.name)
    tables = closed_tables(situation)

    hold_export_against(given, tables)
    assert Counter(row["phase"] for row in tables["verdicts.csv"]) == {
        phase: count if isinstance(count, int) else count(given, tables) for phase, count in shape.verdicts.items()
    }
