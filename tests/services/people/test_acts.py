"""What is possible in which state: the table is whole, refuses in words, and is what the docs draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from protocol import phases
from services.errors import Refused
from services.people import acts
from services.people.acts import ACTS, STATES, Act
from services.progress import data_lock
from services.studies import catalogue
from tests.situations import Situation, open_study

ARCHITECTURE = (Path(__file__).resolve().parents[3] / "docs" / "architecture.md").read_text(encoding="utf-8")
ASKED = [act for act in ACTS if act.refusals]


def test_no_act_was_left_out_of_the_table() -> None:
    assert [name for name, act in vars(acts).items() if isinstance(act, Act) and act not in ACTS] == []


@pytest.mark.parametrize("act", ACTS, ids=lambda act: f"{act.of}: {act.name}")
def test_an_act_goes_from_and_to_states_of_its_thing(act: Act) -> None:
    assert {*act.before, *act.refusals} <= set(STATES[act.of])
    assert act.after is None or act.after in STATES[act.of]


@pytest.mark.parametrize("act", ASKED, ids=lambda act: f"{act.of}: {act.name}")
def test_every_state_either_allows_an_act_or_has_a_sentence_for_it(act: Act) -> None:
    assert set(act.before) | set(act.refusals) == set(STATES[act.of])
    assert not set(act.before) & set(act.refusals)


@pytest.mark.parametrize(
    ("act", "state"),
    [(act, state) for act in ASKED for state in act.refusals],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_refusal_names_the_state_in_one_sentence(act: Act, state: str) -> None:
    with pytest.raises(act.refusals[state][0]) as refusal:
        acts.require(act, state, "tiny")

    assert isinstance(refusal.value, Refused)
    assert str(refusal.value).endswith(".")
    assert "{" not in str(refusal.value)
    # A state's key is no adjective of every one: "is draft" is not English.
    assert "is draft" not in str(refusal.value)


@pytest.mark.parametrize("thing", STATES)
def test_every_state_can_be_reached(thing: str) -> None:
    reached = {STATES[thing][0]} | {act.after for act in ACTS if act.of == thing}

    assert reached >= set(STATES[thing])


@pytest.mark.parametrize("thing", STATES)
def test_the_docs_draw_the_states_as_they_are(thing: str) -> None:
    assert f"```mermaid\n{acts.diagram(thing)}\n```" in ARCHITECTURE


def test_the_docs_draw_the_phases_as_they_are() -> None:
    assert f"```mermaid\n{phases.diagram()}\n```" in ARCHITECTURE


def closed(situation: Situation) -> None:
    data_lock.close_study(situation.database, situation.admin, "tiny")


def re_opened(situation: Situation) -> None:
    closed(situation)
    data_lock.reopen_study(situation.database, situation.admin, "tiny", "an answer came late")


@pytest.mark.parametrize(("happened", "state"), [(closed, "closed"), (re_opened, "open")], ids=["closed", "re-opened"])
def test_a_study_is_in_the_state_that_the_last_act_leads_to(
    database: Database, tmp_path: Path, happened, state: str
) -> None:
    situation = open_study(database, tmp_path / "study")

    happened(situation)

    assert catalogue.study_line(database, situation.admin, "tiny").state == state
