"""What stands in verdicts.csv beside whether an answer is right: options in common, and the place in a list."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services import report
from services.progress import data_lock
from tests.services.report.recomputed import tables_of
from tests.situations import PROTOCOL, answers, open_study, read_all

FORMS = PROTOCOL["forms"] | {
    "choice": {"fields": [{"key": "answer", "type": "several", "label": "Sides"}]},
    "open": {"fields": [{"key": "answer", "type": "ranked", "label": "Likely first"}]},
}


def test_the_share_of_options_and_the_rank_stand_beside_right_or_wrong(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study", {"forms": FORMS})
    given = {
        "Prompt of i2?": answers(answer=["left", "both"]),  # of four options, of which left is right
        "Prompt of i4?": answers(answer=["both"]),
        "Prompt of i5?": answers(answer=["tumour", "arachnoid cyst"]),
    }
    read_all(situation, situation.raters[0], by_prompt=given)
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    built = report.current_report(sqlite_database, situation.admin, "tiny")

    rows = {row["item"]: row for row in tables_of(sqlite_database, built)["verdicts.csv"] if row["rater"] == "Rater 1"}
    of_items = {
        key: (row["correct"], row["share"], row["rank"]) for key, row in rows.items() if key in ("i2", "i4", "i5")
    }
    assert of_items == {"i2": ("0", "0.75", ""), "i4": ("1", "1.0", ""), "i5": ("0", "", "2")}
