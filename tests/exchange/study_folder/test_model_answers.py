"""Models' answers in the fields that people fill in: kept as they are written, missed where the plan asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from exchange.study_folder.folder import read_study_folder
from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.listed_folder import Expanding
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: reads
title: Reads
attributes: {candidates: {plane: text}}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form:
      diagnosis: {type: choice, options: {g: Glioma, m: Metastasis, n: Normal}}
      plane: {type: choice, options: [axial, sagittal]}
analysis: {primary: {estimate: macro_f1, of: [read.diagnosis, read.plane], with: models}}
"""


def read(folder: Path, columns: str, line: Sequence[str]) -> StudyFolder:
    (folder / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(folder / "items.csv", "item,format,prompt", [("q1", "open", "What is it?")])
    write_table(folder / "candidates.csv", columns, [line])
    return read_study_folder(folder, Expanding("test", ()))


def test_an_answer_in_a_field_is_kept_word_for_word_beside_declared_columns(tmp_path: Path) -> None:
    folder = read(tmp_path, "candidate,item,model,plane,diagnosis", ("k1", "q1", "A", "axial", "brain cancer"))

    # A column that the study declares is an attribute, whatever field has its name.
    assert folder.candidates[0].attributes == (("plane", "axial"), ("answer:diagnosis", "brain cancer"))


def test_what_the_plan_asks_of_models_and_none_answers_is_said(tmp_path: Path) -> None:
    warnings = read(tmp_path, "candidate,item,model,plane", ("k1", "q1", "A", "")).warnings

    assert any(
        "puts models beside people in 'diagnosis' of phase 'read', and no model answers it" in w for w in warnings
    )


def test_a_column_that_is_no_field_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="diagnosis"):
        read(tmp_path, "candidate,item,model,plane,diagnosi", ("k1", "q1", "A", "", "g"))
