"""The files of the report: the same numbers in all of them, whole or not at all, and nothing in them that acts."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from sqlmodel import select

from db import AuditEvent, Database
from exchange.report.shown_numbers import shown_estimate, unbroken
from services.errors import Conflict, NotAllowed
from services.progress import data_lock
from services.report import (
    Report,
    current_report,
    download,
    export_report,
    figures_of,
    report_csv_archive,
    report_page,
)
from tests.services.report.lines import all_lines, lines_in
from tests.services.report.situations import ITEMS, STUDY, Situation, frozen_study, read_all, study_folder


@pytest.fixture(scope="module")
def folder(closed_ended: Situation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("export") / "out" / "report"
    export_report(closed_ended.database, closed_ended.admin, STUDY, target)
    return target


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_file_is_there_and_nothing_else_is_left_behind(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}

    assert names == {
        "report.html", "report.json", "estimates.csv", "counts.csv", "items.csv", "members.csv", "verdicts.csv",
        "fields.csv", "disagreements.csv", "adjudications.csv", "candidates.csv", "scores.csv", "judge.csv",
        "data_dictionary.csv", "viewing.csv", "traces.csv",
    }  # fmt: skip
    assert [path.name for path in folder.parent.iterdir()] == ["report"]


def test_numbers_are_the_same_in_csv_json_and_html(folder: Path, report: Report) -> None:
    lines = table(folder, "estimates.csv")
    content = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    page = (folder / "report.html").read_text(encoding="utf-8").replace("&#39;", "'")

    estimates = [(line.row, estimate) for line in all_lines(report) for estimate in line.row.estimates]
    in_json = [
        row[place]
        for section in content["sections"]
        for section_table in section["tables"]
        if section_table["kind"] == "estimates"
        for row in section_table["rows"]
        for place in ("estimate", "beside")
        if row[place] is not None
    ]
    assert len(lines) == len(in_json) == len(estimates)
    for line, as_json, (row, estimate) in zip(lines, in_json, estimates, strict=True):
        for field in ("value", "low", "high"):
            number = getattr(estimate, field)
            assert line[field] == ("" if number != number else str(number))
            assert as_json[field] == (None if number != number else number)
        assert int(line["n"]) == as_json["n"] == estimate.n
        assert unbroken(shown_estimate(estimate, row.scale)) in page


def test_undefined_is_null_with_its_reason(folder: Path) -> None:
    content = json.loads(
        (folder / "report.json").read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name)
    )

    undefined = [
        row["estimate"]
        for section in content["sections"]
        for section_table in section["tables"]
        if section_table["kind"] == "estimates"
        for row in section_table["rows"]
        if row["estimate"]["low"] is None
    ]
    assert undefined
    assert all(estimate["undefined_because"] for estimate in undefined)


def test_every_column_of_every_file_is_in_the_data_dictionary(folder: Path) -> None:
    described = {(line["file"], line["column"]) for line in table(folder, "data_dictionary.csv") if line["meaning"]}

    for path in folder.glob("*.csv"):
        header = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        assert {(path.name, column) for column in header} <= described


def test_texts_that_a_spreadsheet_would_run_are_written_as_texts(folder: Path) -> None:
    verdict = next(line for line in table(folder, "verdicts.csv") if line["flag_notes"])
    judged = table(folder, "judge.csv")

    assert verdict["flag_notes"] == "'=SUM(A1)"
    assert {line["explanation"] for line in judged} == {"'=1+1"}


def test_verdicts_are_one_line_per_rater_and_item(folder: Path) -> None:
    lines = table(folder, "verdicts.csv")

    assert len({(line["rater"], line["item"]) for line in lines}) == len(lines) == 16
    apart = next(line for line in lines if line["status"] == "not_assessable")
    assert (apart["rater"], apart["item"], apart["correct"], apart["not_assessable"]) == (
        "Rater 2", "i5", "", "Image quality",
    )  # fmt: skip


def test_names_and_logins_are_in_no_file(folder: Path) -> None:
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        for name in ("Person rater 1", "Person reviewer 1", "Olga Owner", "rater1"):
            assert name not in text, path.name


def test_html_file_asks_the_network_for_nothing(report: Report) -> None:
    page = report_page(report)

    own, plotly = page.split("<script>", 1)[0], page.split("<script>", 1)[1]
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#)", own)
    assert "@import" not in own
    assert "url(" not in own
    assert "default-src 'none'" in own
    assert plotly.count("plotly.js v") == 1


def test_where_nothing_is_declared_in_a_section_of_its_own_nothing_can_be_left_out_of_a_print(report: Report) -> None:
    assert 'id="without-phases"' not in report_page(report)


def test_every_figure_of_the_report_is_in_the_html_file_with_its_caption(report: Report) -> None:
    page = report_page(report)

    figures = figures_of(report)
    assert {figure.section for figure in figures} == {"accuracy", "floors", "agreement", "adjudication", "judges"}
    for figure in figures:
        assert f'id="figure-{figure.key}"' in page
        assert f'id="data-{figure.key}"' in page


def test_figures_draw_exactly_the_estimates_of_their_table(report: Report) -> None:
    drawn = next(figure for figure in figures_of(report) if figure.key == "accuracy").figure

    points = sorted(x for trace in drawn.data if trace.mode == "markers" for x in trace.x)
    rows = [row for row in lines_in(report, "accuracy", "accuracy") if row.who != "All raters"]
    assert points == pytest.approx(sorted(100 * row.estimate.value for row in rows))


def test_markup_in_a_prompt_stays_text(sqlite_database: Database, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    items = ITEMS.replace("Which side?", evil).replace(",side,", ",<b>side</b>,")
    situation = frozen_study(
        sqlite_database, study_folder(tmp_path / "study", resamples=200, items=items), raters=0, reviewers=0
    )
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    page = download(sqlite_database, situation.admin, STUDY, "html").decode()

    assert "<img src=x" not in page
    assert "<b>side</b>" not in page


def test_a_folder_that_holds_something_is_not_touched(closed_ended: Situation, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")

    with pytest.raises(Conflict, match="is not empty"):
        export_report(closed_ended.database, closed_ended.admin, STUDY, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled(closed_ended: Situation, tmp_path: Path) -> None:
    target = tmp_path / "empty"
    target.mkdir()

    written = export_report(closed_ended.database, closed_ended.admin, STUDY, target)

    assert written[0] == target / "report.html"
    assert all(path.is_file() for path in written)


def test_nothing_is_left_when_the_folder_cannot_be_made(closed_ended: Situation, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(Conflict, match="cannot be written"):
        export_report(closed_ended.database, closed_ended.admin, STUDY, tmp_path / "file" / "report")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_archive_holds_the_same_csv_files(folder: Path, closed_ended: Situation, report: Report) -> None:
    with zipfile.ZipFile(io.BytesIO(report_csv_archive(closed_ended.database, report))) as archive:
        for name in archive.namelist():
            assert archive.read(name) == (folder / name).read_bytes()


def test_a_download_is_refused_to_a_rater_and_recorded_for_an_admin(closed_ended: Situation) -> None:
    with pytest.raises(NotAllowed):
        download(closed_ended.database, closed_ended.people["rater 1"], STUDY, "csv")

    download(closed_ended.database, closed_ended.admin, STUDY, "json")

    with closed_ended.database.read_only() as session:
        last = session.exec(select(AuditEvent).order_by(AuditEvent.id.desc())).first()
    assert (last.action, last.detail["form"]) == ("report exported", "json")


def test_a_study_under_way_exports_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200))
    read_all(situation, "rater 1", {f"i{number}": ("not assessable", "quality") for number in range(1, 9)})

    with pytest.raises(NotAllowed):
        export_report(sqlite_database, situation.admin, STUDY, tmp_path / "report")

    assert not (tmp_path / "report").exists()


def test_page_and_downloads_share_one_computation_until_the_data_change(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200), raters=1, reviewers=0)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    first = current_report(sqlite_database, situation.admin, STUDY)
    again = current_report(sqlite_database, situation.admin, STUDY)
    data_lock.reopen_study(sqlite_database, situation.admin, STUDY, "A read was missing.")
    data_lock.close_study(sqlite_database, situation.admin, STUDY)
    later = current_report(sqlite_database, situation.admin, STUDY)

    assert again is first
    assert later is not first
    assert len(plain_rows(later, "study", "events")) == len(plain_rows(first, "study", "events")) + 2
    with pytest.raises(NotAllowed):
        current_report(sqlite_database, situation.people["rater 1"], STUDY)


def plain_rows(report: Report, section_key: str, key: str) -> tuple:
    section = report.section(section_key)
    assert section is not None
    return section.table(key).rows
