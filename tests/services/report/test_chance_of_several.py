"""The chance floor of items that are answered by several options: only the exact set is right, so every set counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services import report
from services.progress import data_lock
from tests.situations import PROTOCOL, open_study

SEVERAL = PROTOCOL["forms"] | {"choice": {"fields": [{"key": "answer", "type": "several", "label": "Sides"}]}}


def test_chance_is_one_set_in_fifteen_of_four_options(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study", {"forms": SEVERAL})
    data_lock.close_study(database, situation.admin, "tiny")

    built = report.current_report(database, situation.admin, "tiny")

    floors = next(section for section in built.sections if section.key == "floors").table("floors")
    chance = {row.stratum.value: row.estimate.value for row in floors.rows if row.estimate.name == "chance floor"}
    assert chance["choice"] == pytest.approx(1 / 15)
    assert chance["yes_no"] == pytest.approx(1 / 2)
