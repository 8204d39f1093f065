"""The gallery of figures in the docs, drawn by the report itself, as `report.html` saves them for a journal.

Every run writes them to test-artifacts/figures. Into docs/figures they go only on request:
`BLINDREAD_UPDATE_SCREENSHOTS=1 make browser ARGS=tests/screenshots`.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from db.engine import Database, make_engine
from exchange.report.report_html import Drawing, report_html
from services.report import Report, figures_of
from tests.harness.databases import copy_of_sqlite_file
from tests.harness.screenshots import FOLDER
from tests.harness.server import ROOT
from tests.screenshots.gallery import gallery_report
from tests.screenshots.test_screenshots import LARGEST, compact, images_in_docs

DOCS = ROOT / "docs" / "figures"
TAKEN = FOLDER / "figures"
# By the name of the image, the figure that it is of.
SHOWN = {
    "values": "plan-line_1-accuracy",
    "levels": "phase_read-diagnosis_levels",
    "queue": "phase_read-diagnosis_order_and_time-queue",
    "confusion": "phase_read-diagnosis_matrix_reference_all_raters",
    "limits": "phase_read-size_agreement-limits-1",
    "reliability": "phase_read-sure_reliability",
    "covered": "phase_read-sure_covered",
    "ranks": "phase_read-differential_pass_at_k-ranks",
    "distances": "phase_read-place_within",
    "scale": "phase_rate-quality_distribution",
    "taxonomy": "phase_rate-error_distribution-share",
    "wins": "phase_prefer-better_win_rate-win_rate",
    "strengths": "phase_prefer-better_strength-strength",
}
# What an A4 page has within its margins, at 96 dots to the inch, and the size that each figure takes with its caption.
PAPER = (688, 1001)
SIZES = """() => [...document.querySelectorAll('figure')].map((figure) => {
  const box = figure.getBoundingClientRect(), drawn = figure.querySelector('.main-svg').getBoundingClientRect();
  return [Math.round(drawn.width), Math.round(box.height)]; })"""
# 170 mm at 300 dots to the inch.
WIDTH = 2006


@pytest.fixture(scope="module")
def report(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report_in(migrated_sqlite, tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def report_file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("gallery-page") / "report.html"
    file.write_text(page_of(report), encoding="utf-8")
    return file


def report_in(migrated_sqlite: Path, folder: Path) -> Report:
    """Return the report of the gallery's study, made anew in a folder."""
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    try:
        return gallery_report(Database(engine, folder / "data"), folder / "study")
    finally:
        engine.dispose()


def page_of(report: Report) -> str:
    """Return the page of a report with the figures of the gallery alone, which must be there."""
    drawn = {figure.key: figure for figure in figures_of(report)}
    figures = [drawn[key] for key in SHOWN.values()]
    return report_html(
        report,
        [
            Drawing(each.key, each.section, each.title, each.caption, each.height, each.figure.to_json(), each.alt)
            for each in figures
        ],
        get_plotlyjs(),
    )


def test_every_kind_of_figure_is_saved_at_the_width_of_a_journal(
    report_file: Path, new_page: Callable[[], Page]
) -> None:
    page = new_page()
    page.goto(report_file.as_uri())
    page.wait_for_function("() => window.imageOf && document.querySelectorAll('.plot-container').length > 0")
    folders = [TAKEN] + ([DOCS] if os.environ.get("BLINDREAD_UPDATE_SCREENSHOTS") == "1" else [])
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for name, key in SHOWN.items():
        address = page.evaluate("([key]) => window.imageOf(key, 'png')", [key])
        content = base64.b64decode(address.partition(",")[2])
        image = Image.open(io.BytesIO(content))
        assert abs(image.width - WIDTH) <= 2, name
        smaller = image.convert("RGB").resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)
        shown = io.BytesIO()
        smaller.save(shown, "PNG")
        for folder in folders:
            (folder / f"{name}.png").write_bytes(compact(shown.getvalue()))


@pytest.mark.browser  # Run beside the others: the study takes seconds to make.
def test_the_gallery_says_in_words_what_each_of_its_figures_shows(report: Report) -> None:
    drawn, page = {figure.key: figure for figure in figures_of(report)}, ROOT / "docs" / "figures.md"
    if os.environ.get("BLINDREAD_UPDATE_SCREENSHOTS") == "1":
        in_words = {name: f"![{drawn[key].alt}](figures/{name}.png)" for name, key in SHOWN.items()}
        said = re.sub(r"!\[.*\]\(figures/(\w+)\.png\)", lambda image: in_words[image[1]], page.read_text("utf-8"))
        page.write_text(said, encoding="utf-8")

    written = {name: alt for alt, name in re.findall(r"!\[(.*)\]\(figures/(\w+)\.png\)", page.read_text("utf-8"))}

    assert written == {name: drawn[key].alt for name, key in SHOWN.items()}


@pytest.mark.browser  # Run beside the others: the study takes seconds to make.
def test_the_figures_are_the_same_each_time_that_the_study_is_made(
    report: Report, migrated_sqlite: Path, tmp_path: Path
) -> None:
    assert drawn_in(report_in(migrated_sqlite, tmp_path)) == drawn_in(report)


def drawn_in(report: Report) -> dict[str, str]:
    """Return each figure of a report as it is written into a page, by its key."""
    return {figure.key: figure.figure.to_json() for figure in figures_of(report)}


def with_a_high_figure(text: str) -> str:
    """Return a page whose first figure is higher than any paper."""
    text = re.sub(r'style="height: \d+px"', 'style="height: 1400px"', text, count=1)
    before, mark, after = text.partition('<script type="application/json"')
    return before + mark + re.sub(r'"height":\d+', '"height":1400', after, count=1)


def test_no_figure_is_higher_than_a_printed_page_or_wider(
    report_file: Path, tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    file = tmp_path / "report.html"
    file.write_text(with_a_high_figure(report_file.read_text(encoding="utf-8")), encoding="utf-8")
    page = new_page()
    page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
    page.goto(file.as_uri())
    page.wait_for_function("() => window.imageOf && document.querySelectorAll('.plot-container').length > 0")
    before = page.evaluate(SIZES)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(300)

    printed = page.evaluate(SIZES)

    assert any(height > PAPER[1] for _, height in before), "One is higher on the screen."
    assert page.locator(".modebar:visible").count() == 0, "What is pressed on a screen covers the legend on paper."
    assert all(width <= PAPER[0] and height <= PAPER[1] for width, height in printed)

    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_timeout(300)
    assert page.evaluate(SIZES) == before


def test_a_figure_can_be_saved_as_svg(report_file: Path, new_page: Callable[[], Page]) -> None:
    page = new_page()
    page.goto(report_file.as_uri())
    button = page.locator(f'button[data-figure="{SHOWN["limits"]}"][data-format="svg"]')
    with page.expect_download() as download:
        button.click()

    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename == f"{SHOWN['limits']}.svg"
    assert saved.startswith("<svg") and 'width="642"' in saved


def test_every_figure_of_the_gallery_is_shown_by_a_doc_and_drawn_by_a_test() -> None:
    images = {file.resolve() for file in DOCS.iterdir()}

    assert images <= set(images_in_docs())
    assert {file.stem for file in images} == set(SHOWN)
    assert {file.name for file in images if file.stat().st_size > LARGEST} == set()
