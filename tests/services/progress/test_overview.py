"""The list of studies says in one line who reads, how far they are and what waits, and no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import NotAllowed
from services.progress import data_lock
from services.progress.overview import Overview, overview_of, percent_done
from tests.situations import Situation, open_study, read_all


def overview(situation: Situation) -> Overview:
    return overview_of(situation.database, situation.admin, "tiny")


def test_a_draft_waits_for_its_freeze(imported: Situation) -> None:
    assert overview(imported) == Overview(2, 0, 0, ("not frozen yet",))


@pytest.mark.parametrize(
    ("done", "total", "percent"),
    [(11, 12, 92), (1, 8, 13), (0, 3, 0), (3, 3, 100), (999, 1000, 99), (1, 1000, 1)],
)
def test_a_share_is_rounded_and_says_neither_nothing_nor_all_too_early(done: int, total: int, percent: int) -> None:
    assert percent_done(done, total) == percent


def test_an_open_study_tells_its_progress_and_what_waits(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": "yes"})
    assert overview(situation) == Overview(2, 6, 20, ("2 people have open work", "1 not started"))

    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": "no"})
    assert overview(situation) == Overview(2, 12, 20, ("2 people have open work", "1 item to send to a reviewer"))


def test_a_closed_study_has_its_report(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    assert overview(opened).waits == ("report ready",)


def test_raters_see_none_of_it(opened: Situation) -> None:
    with pytest.raises(NotAllowed):
        overview_of(opened.database, opened.raters[0], "tiny")
