"""Who may see the report, what it says of what is missing, and that it does not depend on engine or size."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import select

from db import Database, Item, Reference
from exchange.report.report_words import lines_of
from services.errors import NotAllowed, NotFound
from services.people.identity import Actor
from services.progress import data_lock
from services.report import PlainTable, Report, build_report, report_stamp
from tests.services.report.lines import lines_in
from tests.services.report.situations import (
    FIRST,
    SECOND,
    STUDY,
    Situation,
    closed_study,
    frozen_study,
    import_judge,
    read_all,
    score_all,
    study_folder,
)


def plain(report: Report, section_key: str, table_key: str) -> PlainTable:
    section = report.section(section_key)
    assert section is not None
    table = section.table(table_key)
    assert isinstance(table, PlainTable)
    return table


def values(report: Report) -> dict[tuple[str, ...], float]:
    return {
        (table.key, line.label, line.who, line.name): line.estimate.value
        for _, table in report.estimate_tables()
        # Times differ, and the orders that each study draws.
        if table.key not in ("active_time", "order_and_time")
        for line in lines_of(table)
    }


@pytest.mark.parametrize("who", ["rater 1", "reviewer 1"])
def test_only_admins_see_the_report(closed_ended: Situation, who: str) -> None:
    with pytest.raises(NotAllowed):
        build_report(closed_ended.database, closed_ended.people[who], STUDY)


def test_somebody_without_a_part_in_the_study_learns_nothing(closed_ended: Situation) -> None:
    stranger = Actor(person_id=10_000, login_session_id=1, name="Nobody", is_owner=True)

    with pytest.raises(NotFound):
        build_report(closed_ended.database, stranger, STUDY)
    with pytest.raises(NotFound):
        report_stamp(closed_ended.database, stranger, STUDY)


def test_report_is_shut_until_the_study_is_closed_or_a_reason_is_given(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200))
    with pytest.raises(NotAllowed, match="is locked until"):
        build_report(sqlite_database, situation.admin, STUDY)

    data_lock.take_interim_look(sqlite_database, situation.admin, STUDY, "The safety board asked for it.")
    report = build_report(sqlite_database, situation.admin, STUDY)

    assert report.state == "interim"
    assert any("interim look" in notice for notice in report.notices)
    assert any("The safety board asked for it." in row for row in plain(report, "study", "events").rows)


def test_report_without_any_verdict_is_undefined_with_reasons_and_not_zero(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), reviewers=0)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    for row in lines_in(report, "accuracy", "accuracy"):
        assert math.isnan(row.estimate.value)
        assert row.estimate.undefined_because
    assert [row[5] for row in plain(report, "completeness", "completeness").rows] == [8, 8]


def test_missing_failed_and_not_assessable_are_three_things(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200))
    read_all(situation, "rater 1", FIRST | {"i1": "failure", "i2": ("not assessable", "quality")})
    read_all(situation, "rater 2", SECOND, stop_after=3)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    first, second = plain(report, "completeness", "completeness").rows
    # assigned, answered, not assessable, technical failures, missing
    assert first[1:6] == (8, 6, 1, 1, 0)
    assert second[1] == 8
    assert second[5] == 5
    assert plain(report, "completeness", "technical_failures").rows == (("Rater 1", "i1", "no graphics"),)
    accuracy = {row.who: row.estimate.n for row in lines_in(report, "accuracy", "accuracy")[:2]}
    assert accuracy["Rater 1"] == 6
    assert any("5 assigned reads have no verdict" in notice for notice in report.notices)


def test_newest_version_of_a_reference_counts(sqlite_database: Database, tmp_path: Path) -> None:
    situation = closed_study(sqlite_database, tmp_path / "study")
    before = build_report(sqlite_database, situation.admin, STUDY)
    stamp = report_stamp(sqlite_database, situation.admin, STUDY)

    with sqlite_database.writing() as session:
        item = session.exec(select(Item).where(Item.key == "i4")).one()
        session.add(Reference(item_id=item.id, version=2, accepted=["left"], text_only_answer="left"))
    after = build_report(sqlite_database, situation.admin, STUDY)

    # Both raters said left on i4: 6 of 8 before, 7 of 8 now.
    key = ("accuracy", "All items", "Rater 1", "accuracy")
    assert (values(before)[key], values(after)[key]) == (pytest.approx(6 / 8), pytest.approx(7 / 8))
    assert report_stamp(sqlite_database, situation.admin, STUDY) != stamp


def test_both_engines_give_the_same_report(database: Database, closed_ended: Situation, tmp_path: Path) -> None:
    situation = closed_study(database, tmp_path / "study")

    actual = values(build_report(database, situation.admin, STUDY))

    expected = values(build_report(closed_ended.database, closed_ended.admin, STUDY))
    assert actual == pytest.approx(expected, nan_ok=True)


def test_number_of_queries_does_not_grow_with_the_study(closed_ended: Situation) -> None:
    statements: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(closed_ended.database.engine, "before_cursor_execute", count)
    try:
        build_report(closed_ended.database, closed_ended.admin, STUDY)
    finally:
        event.remove(closed_ended.database.engine, "before_cursor_execute", count)

    # 8 items, 8 candidates and 2 raters: a query for each would be far more.
    assert len(statements) < 30


def test_three_raters_are_compared_in_every_pair(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), raters=3, reviewers=0)
    read_all(situation, "rater 1", FIRST)
    read_all(situation, "rater 2", SECOND)
    read_all(situation, "rater 3", FIRST | {"i1": "both"})
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    pairs = {row.who for row in lines_in(report, "agreement", "agreement_on_answers")}
    assert pairs == {"Rater 1 and Rater 2", "Rater 1 and Rater 3", "Rater 2 and Rater 3"}
    same = next(
        row.estimate.value
        for row in lines_in(report, "agreement", "agreement_on_answers")
        if row.who == "Rater 1 and Rater 3" and row.stratum == "all" and row.scale == "percent"
    )
    assert same == pytest.approx(7 / 8)
    together = lines_in(report, "agreement", "agreement_of_all")
    alpha = next(row.estimate for row in together if row.label == "Choice: alpha on answers")
    # i1: left, right, both; i4: left, left, left. Of 12 ordered pairs within items 6 differ, so D_o = 6 / 2 / 6; of the
    # 6 answers (4 left, 1 right, 1 both) 18 of 30 ordered pairs differ: 1 - (1/2) / (18/30).
    assert alpha.value == pytest.approx(1 - (6 / 12) / (18 / 30))


def test_one_rater_alone_has_no_agreement_and_the_report_says_so(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), raters=1, reviewers=0)
    read_all(situation, "rater 1", FIRST)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    section = report.section("agreement")
    assert section is not None
    assert section.tables == ()
    assert "fewer than two raters" in section.explanation[0]


def test_a_sample_that_is_not_proportional_is_weighted_beside_the_plain_figures(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", sample=3, resamples=200), reviewers=0)
    for who, said in (("rater 1", FIRST), ("rater 2", SECOND)):
        read_all(situation, who, said)
        score_all(situation, who, ["k1", "k3", "k5", "k7"])
    import_judge(situation, {f"k{number}": "correct" for number in range(1, 9)})
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    # Two of four candidates of model-a (all scored correct) and one of four of model-b (incorrect): 2/3 plain, and
    # (2 x 2) / (2 x 2 + 1 x 4) = 1/2 weighted to the pool.
    rows = {
        row.label: row.estimate.value for row in lines_in(report, "scores", "scores_shares") if row.who == "Rater 1"
    }
    assert rows["All candidates"] == pytest.approx(2 / 3)
    assert rows["All candidates, weighted to the pool"] == pytest.approx(1 / 2)
    gap = next(
        row.estimate.value
        for row in lines_in(report, "judges", "judge_1_direction")
        if row.label.endswith("weighted to the pool") and row.who.startswith("Rater 1")
    )
    assert gap == pytest.approx(-1 / 2)


def test_few_subjects_and_simulated_readers_are_announced(sqlite_database: Database, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study", resamples=200)
    situation = frozen_study(sqlite_database, folder, simulated_readers=True)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    notices = " ".join(build_report(sqlite_database, situation.admin, STUDY).notices)

    assert "Only 3 subjects" in notices
    assert "simulated" in notices
