"""The images in the docs, taken from the running application, and that docs and images name each other.

Every run writes them to test-artifacts/screenshots. Into docs/screenshots they go only on request:
`BLINDREAD_UPDATE_SCREENSHOTS=1 make browser ARGS=tests/screenshots`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect

from db.engine import Database, make_engine
from services.people import identity
from services.reading import instructions
from studies.demo.cases import CASES
from tests.harness import databases
from tests.harness.screenshots import FOLDER
from tests.harness.server import ROOT, RunningServer
from tests.main_job.admin import Admin
from tests.main_job.rater import Mouse
from tests.screenshots.situations import STUDY, bring_to_review, read_everything, read_until
from tests.situations import signed_in as actor_of

DOCS = ROOT / "docs" / "screenshots"
TAKEN = FOLDER / "screenshots"
NAMES = {"reading-room", "worklist", "study", "scoring", "review", "report"}
WITH_A_PRIOR = "c04-change"
DISPUTED = "c07-ventricle"
LESION = next(case for case in CASES if case.key == "c04").current.lesions[0].centre
WIDTH = 1440
LARGEST = 400_000
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


def take(page: Page, name: str, height: int = 900) -> None:
    """Photograph what a window of this height shows, once everything is drawn and has come to rest."""
    assert name in NAMES
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.mouse.move(0, 0)
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    page.wait_for_timeout(700)
    content = compact(page.screenshot(animations="disabled", caret="hide"))
    folders = [TAKEN] + ([DOCS] if os.environ.get("BLINDREAD_UPDATE_SCREENSHOTS") == "1" else [])
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.png").write_bytes(content)


def go_to(page: Page, target: tuple[float, float, float]) -> None:
    """Move the crosshair to a place by scrolling through the three planes; in mm, to the right, front and top."""
    letters = {"R": (0, 1), "L": (0, -1), "A": (1, 1), "P": (1, -1), "S": (2, 1), "I": (2, -1)}
    here = [0.0, 0.0, 0.0]
    for letter, distance in re.findall(r"([RLAPSI]) (\d+\.\d)", page.locator(".readout .position").first.inner_text()):
        axis, sign = letters[letter]
        here[axis] = sign * float(distance)
    # The planes follow each other as axial, coronal, sagittal: they go through the third, second and first axis.
    for axis in (2, 1, 0):
        steps = round(target[axis] - here[axis])
        for _ in range(abs(steps)):
            page.keyboard.press("PageUp" if steps > 0 else "PageDown")
        page.keyboard.press("ArrowRight")


def compact(png: bytes) -> bytes:
    """Return the image as small as it gets without loss; with 256 colours where that is still too large."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    for candidate in (image, image.quantize(256, dither=Image.Dither.NONE)):
        written = io.BytesIO()
        candidate.save(written, "PNG", optimize=True)
        if written.tell() <= LARGEST:
            break
    return written.getvalue()


def test_the_screens_that_the_docs_show_can_be_photographed(
    server: Callable[..., RunningServer], signed_in: Callable[..., Page]
) -> None:
    running = server(seeded=True)
    engine = make_engine(databases.sqlite_url(running.data_dir / "blindread.db"))
    database = Database(engine, running.data_dir)
    rater_1, rater_2, reviewer = (
        actor_of(database, login) for login in ("demo-rater-1", "demo-rater-2", "demo-reviewer")
    )
    admin = identity.actor_for_command_line(database, "demo-admin")

    read_until(database, rater_1, "Rater 1", WITH_A_PRIOR)
    page = signed_in(running, "Demo rater 1", width=WIDTH, height=900)
    page.get_by_text("to read").first.wait_for()
    take(page, "worklist", height=330)
    instructions.acknowledge_instructions(database, rater_1, STUDY, "reading")
    page.goto(f"{running.url}/reading?study={STUDY}&phase=reading")
    room = Mouse(page, running)
    room.wait()
    assert room.item.key == WITH_A_PRIOR
    page.set_viewport_size({"width": WIDTH, "height": 900})
    go_to(page, LESION)
    room.choose("answer", 1)
    room.wait_for_draft()
    take(page, "reading-room")

    read_everything(database, rater_2, "Rater 2")
    desk = signed_in(running, "Demo admin", width=WIDTH, height=900)
    desk.goto(f"{running.url}/study?study={STUDY}")
    desk.get_by_role("button", name="Create invitation link").wait_for()
    take(desk, "study", height=760)

    read_everything(database, rater_1, "Rater 1")
    instructions.acknowledge_instructions(database, rater_1, STUDY, "scoring")
    page.goto(f"{running.url}/reading?study={STUDY}&phase=scoring")
    room.wait()
    take(page, "scoring", height=560)

    bring_to_review(database, admin, reviewer, DISPUTED)
    instructions.acknowledge_instructions(database, reviewer, STUDY, "review")
    page = signed_in(running, "Demo reviewer", width=WIDTH, height=900)
    page.goto(f"{running.url}/reading?study={STUDY}&phase=review")
    Mouse(page, running).wait()
    page.locator(".opinions").wait_for()
    take(page, "review")

    Admin(desk, running).open_report("demo-finished")
    desk.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
    take(desk, "report", height=1010)
    engine.dispose()

    assert {file.stem for file in TAKEN.glob("*.png")} >= NAMES


def images_in_docs() -> dict[Path, set[str]]:
    """Return the images that each page of the docs shows, as files."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    shown_on: dict[Path, set[str]] = {}
    for page in pages:
        for target in _IMAGE.findall(page.read_text(encoding="utf-8")):
            shown_on.setdefault((page.parent / target).resolve(), set()).add(page.name)
    return shown_on


def test_every_screenshot_that_a_doc_shows_is_there() -> None:
    missing = {file.name: pages for file, pages in images_in_docs().items() if not file.is_file()}

    assert not missing


def test_every_screenshot_is_shown_by_a_doc_and_taken_by_a_test() -> None:
    images = {file.resolve() for file in DOCS.iterdir()}

    assert images <= set(images_in_docs())
    assert {file.stem for file in images} == NAMES


def test_no_screenshot_weighs_too_much() -> None:
    assert {file.name: file.stat().st_size for file in DOCS.iterdir() if file.stat().st_size > LARGEST} == {}
