"""On test subjects only the human verdicts count that an opening names: two choices of them would tell single answers.

The tests follow one study, in order: its agreement is opened by raters' verdicts, and again by labels made elsewhere.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlmodel import select

from agreement.judge.panels import replacement
from agreement.judge.panels.corrected import CORRECTED
from db import AuditEvent, OpenedBasis
from services.errors import Conflict, NotAllowed
from services.judging import sealed_split
from services.progress import data_lock
from services.report import calibration
from tests.services.report.sealed_scores import imported, items_for_test, labelled
from tests.situations import Situation

JUDGE = "Judge (v1)"


def calibrated(situation: Situation, labels: tuple[str, ...] = (), basis: str = "") -> calibration.Calibration:
    return calibration.calibration_of(
        situation.database, situation.admin, "sealed", runs=["first"], basis=basis, labels=labels
    )


def opened(situation: Situation, labels: tuple[str, ...] = (), basis: str = "", run: str = "first") -> str:
    return calibration.open_agreement(
        situation.database, situation.admin, "sealed", run, "The prompt is final.", labels, basis
    )


def on_test(computed: calibration.Calibration) -> list[Any]:
    rows = [row for panel in computed.panels.values() for row in panel.rows]
    return [row for row in rows if "test subjects" in (row.basis or "")]


@pytest.fixture(scope="module")
def by_raters(sealed: Situation) -> Situation:
    assert opened(sealed) == f"{JUDGE}, by raters' verdicts"
    return sealed


@pytest.fixture(scope="module")
def again_by_labels(by_raters: Situation) -> Situation:
    labelled(by_raters, "came later")
    assert opened(by_raters, ("came later",)) == f"{JUDGE}, by labels made elsewhere 'came later'"
    return by_raters


def test_people_are_no_more_accurate_than_a_judge_by_what_they_settled_themselves(sealed: Situation) -> None:
    panel = calibrated(sealed).panels[replacement.KEY]

    assert panel.of(replacement.READERS) == []
    assert f"{JUDGE}: {replacement.OWN_TRUTH}" in panel.refused


def test_an_opening_by_what_does_not_exist_is_refused_and_opens_nothing(sealed: Situation) -> None:
    with pytest.raises(Conflict, match="There are no labels 'nurses' in this study; expected some of physicians"):
        opened(sealed, ("nurses",))
    with pytest.raises(Conflict, match="There are no human verdicts 'a coin'; expected one of "):
        opened(sealed, basis="a coin")
    with pytest.raises(NotAllowed, match="A reason"):
        calibration.open_agreement(sealed.database, sealed.admin, "sealed", "first", "", ("physicians",))

    assert calibrated(sealed).of_judges[JUDGE].part == "development"


def test_after_an_opening_by_raters_no_labels_tell_anything_of_test_subjects(by_raters: Situation) -> None:
    """Not even those that were there by then: raters and labels are two choices of human verdicts."""
    by_labels = calibrated(by_raters, ("physicians",))

    assert calibrated(by_raters).of_judges[JUDGE].part == "test"
    assert by_labels.of_judges[JUDGE].part == "development" and on_test(by_labels) == []
    assert f"agreement on test was opened: {JUDGE}, by raters' verdicts." in " ".join(by_labels.said)
    made = calibration.certify(by_raters.database, by_raters.admin, "sealed", runs=["first"], labels=["physicians"])
    assert json.loads(made.document)["plan"]["is_trial"] and not made.passed


def test_the_same_human_verdicts_are_opened_once(by_raters: Situation) -> None:
    with pytest.raises(Conflict, match=r"Judge \(v1\) was opened on test before by raters' verdicts; nothing was"):
        opened(by_raters)


def test_another_opening_names_other_labels_which_take_the_place_of_the_former_and_is_a_look(
    again_by_labels: Situation,
) -> None:
    by_raters, by_labels = calibrated(again_by_labels), calibrated(again_by_labels, ("came later",))

    assert by_raters.of_judges[JUDGE].part == "development" and on_test(by_raters) == []
    assert f"{JUDGE}, by labels made elsewhere 'came later'" in " ".join(by_raters.said)
    of_test = by_labels.of_judges[JUDGE]
    assert (of_test.part, of_test.material.labelled.n) == ("test", len(items_for_test(again_by_labels)))
    assert of_test.looks == 2
    assert CORRECTED in {row.statistic for row in on_test(by_labels)}


def test_labels_made_elsewhere_are_the_only_people_on_test_and_each_labelled_an_answer_once(
    again_by_labels: Situation,
) -> None:
    of_test = calibrated(again_by_labels, ("came later",)).of_judges[JUDGE]

    assert set(of_test.material.humans) == {"Dr A (elsewhere)"} and of_test.material.adjudicated is None
    with pytest.raises(Conflict, match="'Dr A' labelled an answer in two of the imports"):
        calibrated(again_by_labels, ("physicians", "came later"))
    with pytest.raises(Conflict, match="'Dr A' labelled an answer in two of the imports"):
        opened(again_by_labels, ("physicians", "came later"))


def test_the_basis_of_an_opening_is_that_of_every_figure_on_test_and_another_one_is_another_look(
    sealed: Situation,
) -> None:
    opened(sealed, basis="unanimous", run="second")

    usual, chosen = (
        calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["second"], basis=basis)
        for basis in ("", "Rater 1")
    )

    assert on_test(usual) == on_test(chosen)
    assert all(row.basis.startswith("unanimous") for row in on_test(usual) if row.statistic == CORRECTED)
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["second"]).document)
    assert document["plan"]["basis"] == "unanimous"
    before = usual.of_judges["Judge (v2)"].looks
    opened(sealed, basis="majority", run="second")
    again = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["second"])
    assert again.of_judges["Judge (v2)"].looks == before + 1


def test_each_opening_names_its_human_verdicts_in_chain_events_and_on_the_page(again_by_labels: Situation) -> None:
    database, admin = again_by_labels.database, again_by_labels.admin

    with database.read_only() as session:
        details = session.exec(
            select(AuditEvent.detail).where(AuditEvent.action == "agreement on test opened").order_by(AuditEvent.id)  # type: ignore[arg-type]
        ).all()
        assert {"labels": ["came later"], "basis": ""}.items() <= details[1].items()
        assert session.exec(select(OpenedBasis.labels)).first() == []
    kinds = [event.kind for event in data_lock.events_of(database, admin, "sealed")]
    assert "open test for Judge by labels made elsewhere 'came later'" in kinds
    line = sealed_split.split_of(database, admin, "sealed")
    assert line is not None and f"{JUDGE}, by labels made elsewhere 'came later'" in line.opened


def test_other_human_verdicts_open_nothing_once_answers_could_come_after_the_first_opening(
    again_by_labels: Situation,
) -> None:
    database, admin = again_by_labels.database, again_by_labels.admin
    data_lock.reopen_study(database, admin, "sealed", "A reader has something to correct.")
    data_lock.close_study(database, admin, "sealed")

    with pytest.raises(Conflict, match="The study has been re-opened since"):
        opened(again_by_labels, ("physicians",))
    assert calibrated(again_by_labels, ("came later",)).of_judges[JUDGE].part == "development"


def test_labels_of_a_field_that_the_judge_does_not_fill_in_are_refused(again_by_labels: Situation) -> None:
    # The last of them: from now on calibrations ask for the field.
    imported(again_by_labels, "of another field", "v9", field="settle.verdict")

    with pytest.raises(Conflict, match=r"are of score\.verdict, which the judge of run 'of another field' does not"):
        opened(again_by_labels, ("physicians",), run="of another field")
