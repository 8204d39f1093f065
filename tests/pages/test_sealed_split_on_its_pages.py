"""Dividing the subjects on the study's page, and the calibration page of a study with a sealed part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.calibration import calibration_view
from db import Database
from services.judging import sealed_split
from services.progress import data_lock
from services.studies.freeze import freezing
from tests.listed_study import imported_listed
from tests.pages.conftest import OpenPage, as_read
from tests.sealed_study import with_a_judge, with_many_items


def button(app: AppTest, label: str) -> Any:
    return next(each for each in app.button if each.label == label)


def test_subjects_are_divided_with_a_click_and_too_few_are_refused_with_the_numbers(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = imported_listed(served_database, with_many_items(tmp_path / "study"), key="divided")
    freezing.freeze_study(served_database, situation.admin, "divided")
    app = open_page(situation.admin, "admin/study.py", study="divided")

    app.slider(key="split-share").set_value(0.1)
    refused = button(app, "Divide the subjects").click().run()

    assert any("subjects" in error.value and "expected 20 and 30 or more" in error.value for error in refused.error)
    app.slider(key="split-share").set_value(0.5)
    divided = button(app, "Divide the subjects").click().run()
    split = sealed_split.split_of(served_database, situation.admin, "divided")
    assert split is not None and split.test_items == 32
    assert any(split.in_words == info.value for info in divided.info)


def test_the_calibration_page_opens_test_with_a_reason_and_shows_the_certificate(
    served_database: Database, open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_view, "_MOST_ROWS", 3)
    situation = imported_listed(served_database, with_many_items(tmp_path / "study"), key="divided")
    with_a_judge(situation)
    data_lock.close_study(served_database, situation.admin, "divided", "Nobody is to score.")
    app = open_page(situation.admin, "admin/calibration.py", study="divided")
    assert not app.exception
    # What stands below the panels is not behind hundreds of rows.
    assert any(re.fullmatch(r"All figures, in \d+ rows", each.label) for each in app.expander)

    refused = button(app, "Open agreement on test").click().run()
    # Beside what was typed, so that the form stays as it is; the panels stand below it as before.
    form = next(each for each in refused.expander if each.label.startswith("Test subjects"))
    assert any("reason" in error.value for error in form.error) and refused.tabs
    app.text_input(key="open-reason").set_value("The prompt is final.")
    opened = button(app, "Open agreement on test").click().run()

    # Above all else, as figures all over the page change.
    assert any("open for Judge (v1)" in as_read(done.value) for done in opened.success)
    assert next(each.type for each in opened.main if each.type in ("success", "selectbox")) == "success"
    opened.toggle[0].set_value(True)
    shown = opened.run()
    assert not shown.exception
    assert any(
        "Certificate of a judge: NOT PASSED" in code.value and "test, of a study" in code.value for code in shown.code
    )


def test_unsealing_asks_twice_and_agreement_can_still_be_opened_after_it(
    served_database: Database, open_page: OpenPage, tmp_path: Path
) -> None:
    situation = imported_listed(served_database, with_many_items(tmp_path / "study"), key="divided")
    with_a_judge(situation)
    data_lock.close_study(served_database, situation.admin, "divided", "Nobody is to score.")
    app = open_page(situation.admin, "admin/calibration.py", study="divided")
    assert not any(each.label.startswith("Unseal") for each in app.button)

    app.text_input(key="open-reason").set_value("The paper is written.")
    asked = app.checkbox(key="unseal-sure").set_value(True).run()
    unsealed = button(asked, "Unseal all answers about test subjects").click().run()

    # It says so in the head of the figures, and does not call them sealed.
    assert any("unsealed, but not opened for these judges" in html.value for html in unsealed.html)
    unsealed.text_input(key="open-reason").set_value("The prompt is final.")
    opened = button(unsealed, "Open agreement on test").click().run()
    assert any("open for Judge (v1)" in as_read(done.value) for done in opened.success)
