"""The report's words can be read by everybody: contrast in both modes, headings without jumps."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

import pytest

from agreement import Estimate
from components import frame, report_view
from exchange.report.estimate_rows import ALL_ITEMS, Category, EstimateRow, Party, Stratum
from exchange.report.report_structure import EstimateTable
from exchange.report.report_words import lines_of, said_once, statistic_in_words, stratum_in_words
from exchange.report.statistic_names import Compared, Statistic
from exchange.report.statistic_words import WORDS
from services.report import STYLE, Report, report_page
from services.report.figures import of_fields
from services.report.sections.fields import covered
from tests.contrast import blended, contrast

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = (ROOT / "exchange" / "report" / "templates" / "report.html").read_text(encoding="utf-8")
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]


def colours(of_dark: bool) -> dict[str, str]:
    """Return the file's colours: those of the first block, and in the dark those of the second instead."""
    blocks = re.findall(r":root \{([^}]*)\}", TEMPLATE)
    by_name = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[0]))
    return by_name | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[1])) if of_dark else {})


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("words", ["ink", "soft", "accent", "warn-line"])
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_words_of_the_file_stand_out(dark: bool, words: str, ground: str) -> None:
    palette = colours(dark)
    assert contrast(palette[words], palette[ground]) >= 4.5
    assert contrast(palette["ink"], palette["warn"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
def test_faint_words_and_captions_of_the_page_stand_out(mode: str, ground: str) -> None:
    theme = THEME[mode]
    faint = [float(share) for share in re.findall(r"opacity: (0\.\d+)", report_view._STYLE)]
    faint += [float(share) for share in re.findall(r"opacity: (0\.\d+)", frame._STYLE)]

    assert len(faint) >= 3
    for share in faint:
        assert contrast(blended(theme["textColor"], share, theme[ground]), theme[ground]) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_faint_words_of_the_parts_that_page_and_file_share_stand_out_in_the_file(dark: bool) -> None:
    palette = colours(dark)
    faint = [float(share) for share in re.findall(r"opacity: (0\.\d+)", STYLE)]

    assert faint
    for share in faint:
        assert contrast(blended(palette["ink"], share, palette["paper"]), palette["paper"]) >= 4.5


def levels(markup: str) -> list[int]:
    return [int(level) for level in re.findall(r"<h([1-6])\b", markup)]


def without_jumps(numbers: list[int]) -> bool:
    return all(after <= before + 1 for before, after in itertools.pairwise(numbers))


def test_headings_of_the_file_go_down_one_by_one(report: Report) -> None:
    headings = levels(report_page(report).split("<script", 1)[0])

    assert headings[0] == 1 and headings.count(1) == 1
    assert {2, 3} <= set(headings)
    assert without_jumps(headings)


def test_a_model_whose_name_says_that_it_is_one_is_called_by_its_name_alone() -> None:
    assert stratum_in_words(Stratum("model", "Model A")) == "Model A"
    assert stratum_in_words(Stratum("model", "GPT-5")) == "Model GPT-5"
    assert stratum_in_words(Stratum("attribute", "Tier 1", "tier")) == "Tier 1"
    assert stratum_in_words(Stratum("attribute", "Tiered", "tier")) == "Tier: Tiered"
    assert said_once("judge one, model Model A, format Choice") == "judge one, Model A, format Choice"
    assert said_once("model modelled") == "model modelled"


@pytest.mark.parametrize(
    ("statistic", "compared", "limits", "p", "note"),
    [
        ("icc", "answers", (-0.2, 0.9), 0.04, "P is below 0.05 although the interval holds 0: they come"),
        ("signed_difference", "judgements", (0.06, 0.7), 0.065, "P is not below 0.05 although the interval does not"),
        (
            "auc",
            "confidence",
            (0.52, 0.8),
            0.06,
            "although the interval does not hold 0.50: they come from",
        ),
        ("icc", "answers", (-0.2, 0.9), 0.06, ""),
        ("icc", "answers", (0.2, 0.9), 0.04, ""),
        ("auc", "confidence", (0.3, 0.8), 0.8, ""),
        ("icc", "answers", (0.2, 0.9), None, ""),
    ],
)
def test_a_line_says_where_its_p_and_its_interval_do_not_say_the_same(
    statistic: Statistic, compared: Compared, limits: tuple[float, float], p: float | None, note: str
) -> None:
    estimate = Estimate("it", 0.5, *limits, 20, "item", "a method", p=p)
    parties = (Party("judge", "J"), Party("rater", "Rater 1"))

    (line,) = lines_of(EstimateTable("t", "T", "", (EstimateRow(statistic, compared, parties, ALL_ITEMS, estimate),)))

    assert note in line.note and bool(note) == bool(line.note)


def test_axes_and_lines_need_no_notation() -> None:
    words = [axis.title for axis in of_fields._DRAWN.values()] + [words.line for words in WORDS.values()]

    assert not [said for said in words if "@k" in said or "linearised" in said]


def test_the_accuracy_of_all_answers_is_not_called_that_of_the_whole() -> None:
    of_all = Category("100.0", covered._SHARES[-1][1])
    estimate = Estimate("accuracy", 0.5, 0.3, 0.7, 20, "item", "Wilson")
    row = EstimateRow("accuracy", "covered", (Party("rater", "Rater 1"),), ALL_ITEMS, estimate, category=of_all)

    assert statistic_in_words(row) == "Right among all of the answers"
