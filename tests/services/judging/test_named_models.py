"""A column `model` of a judge's own table: who answered, and then it has to be so, or which model judged."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from db import Candidate
from services.errors import InputRefused
from services.judging import import_labels, import_runs
from tests.situations import Situation


def models(situation: Situation) -> dict[str, str]:
    with situation.database.read_only() as session:
        return dict(session.exec(select(Candidate.key, Candidate.model)).all())


def take_in(situation: Situation, content: str, file_name: str = "judge.csv", **changed: Any) -> str:
    line = import_runs.import_judge_verdicts(
        situation.database, situation.admin, "tiny", name="run", judge="Judge", content=content.encode(),
        file_name=file_name, **changed,
    )  # fmt: skip
    return line.in_words


def table(**said: str) -> str:
    items = {"k1": "i1", "k2": "i1"}
    return "\n".join(["item,candidate,model,verdict", *(f"{items[key]},{key},{said[key]},1" for key in said)])


def test_lines_that_name_another_model_than_answered_are_refused_with_their_lines(opened: Situation) -> None:
    own = models(opened)
    assert own["k1"] != own["k2"]

    with pytest.raises(InputRefused) as refused:
        take_in(opened, table(k1=own["k1"], k2=own["k1"]))

    assert str(refused.value) == (
        f"judge.csv: in 1 of 2 lines the column model names a model other than the one that answered, such as i1 + k2 "
        f"(line 3: '{own['k1']}', where the study has '{own['k2']}'); correct the keys or the column, or rename the "
        "column if it names the judge."
    )


def test_a_model_in_other_capitals_is_that_model(opened: Situation) -> None:
    own = models(opened)

    with pytest.raises(
        InputRefused, match="in 1 of 2 lines the column model names a model other than the one that answered"
    ):
        take_in(opened, table(k1=own["k1"].upper(), k2=own["k1"].upper()))

    assert "model" not in take_in(opened, table(k1=own["k1"].upper(), k2=own["k2"].title()))


def test_lines_that_name_the_models_that_answered_come_in_without_a_word(opened: Situation) -> None:
    own = models(opened)

    assert take_in(opened, table(k1=own["k1"], k2=f" {own['k2']} ")).endswith("missing from the file.")


def test_a_column_that_names_the_judge_is_said_not_to_be_used(opened: Situation) -> None:
    said = take_in(opened, table(k1="judge-5", k2="judge-5"))

    assert said.endswith("Its column model says judge-5, which is no model of the study: it was not used.")


def test_of_an_array_of_our_columns_it_is_the_same(opened: Situation) -> None:
    own = models(opened)
    content = f'[{{"item": "i1", "candidate": "k1", "model": "{own["k2"]}", "verdict": 1}}]'

    with pytest.raises(
        InputRefused, match="in 1 of 1 lines the column model names a model other than the one that answered"
    ):
        take_in(opened, content, "judge.json")


def test_of_labels_made_elsewhere_it_is_the_same(opened: Situation) -> None:
    own = models(opened)

    with pytest.raises(InputRefused, match=r"labels\.csv, Dr A: in 1 of 1 lines the column model names a model other"):
        import_labels.import_labels(
            opened.database, opened.admin, "tiny", name="labels", labeller="Dr A", file_name="labels.csv",
            content=table(k1=own["k2"]).encode(),
        )  # fmt: skip
