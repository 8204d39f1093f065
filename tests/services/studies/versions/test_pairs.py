"""A study in which answers are compared gets a version: pairs follow their answers, by a rule or by a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Candidate, Database, FreezeItem, Membership
from services.errors import Conflict
from services.progress import data_lock
from services.reading import instructions
from services.record import package, redrawing, verification
from services.report import build
from services.studies.versions import making
from tests.pair_study import PAIRS, opened_pairs, with_models
from tests.situations import Situation, write_table
from tests.versioned_study import changed_cell, corrected_prompt, new_version, read

TWO_MODELS = ("model-a", "model-b")
BY_TABLE = PAIRS.replace("rates: pairs", "rates: pairs\n    pairs: table")


def two_models(folder: Path) -> None:
    """Write answers of two models to each item."""
    with_models(folder, TWO_MODELS)


def listed_pairs(folder: Path) -> None:
    """Name the pairs of the first two items."""
    write_table(folder / "pairs.csv", "pair,first,second", [(f"p{n}", f"k{n}b", f"k{n}a") for n in (1, 2)])


def adding(table: str, line: str) -> Callable[[Path], None]:
    """Return what adds a line to a table."""

    def add(folder: Path) -> None:
        with (folder / table).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    return add


def compared(situation: Situation, rater: int = 0) -> list[str]:
    """Return the keys of the pairs that a rater has, oldest first."""
    with situation.database.read_only() as session:
        return list(
            session.exec(
                select(Candidate.key)
                .join(Assignment, col(Assignment.candidate_id) == Candidate.id)
                .join(Membership, col(Membership.id) == Assignment.membership_id)
                .where(Membership.person_id == situation.raters[rater].person_id)
                .order_by(col(Assignment.id))
            )
        )


def opened(database: Database, folder: Path, protocol: str = PAIRS, *changes: Callable[[Path], object]) -> Situation:
    """Open the study with what two models answered, and let the first rater compare all of it."""
    situation = opened_pairs(database, folder, protocol, (two_models, *changes), raters=2)
    for rater in situation.raters:
        instructions.acknowledge_instructions(database, rater, "listed", "part-1")
    read(situation, 0)
    return situation


def test_pairs_by_a_rule_follow_what_is_corrected_and_added(database: Database, tmp_path: Path) -> None:
    situation = opened(database, tmp_path / "study")
    before = compared(situation)

    difference = new_version(
        situation,
        tmp_path / "study",
        corrected_prompt,
        changed_cell("candidates.csv", "k2b", "answer", "B says more."),
        adding("candidates.csv", "k3c,i3,model-c,C says 3."),
    )

    assert difference.changes == (
        "Item 'i1': prompt is corrected; it is new as 'i1.v2'.",
        "1 candidate added: k3c.",
        "Candidate 'k2b': answer is corrected; it is new as 'k2b.v2'.",
    )
    assert difference.rated == ("“Which is better” rates 2 added and 2 corrected.",)
    new = {"k1a.v2 & k1b.v2", "k2a & k2b.v2", "k3a & k3c", "k3b & k3c"}
    assert (compared(situation)[:6], set(compared(situation)[6:])) == (before, new)
    # Who has not begun compares nothing of what was replaced.
    assert (len(read(situation, 0)), len(read(situation, 1))) == (4, 4 + 4)
    assert verification.verify_study(database, "listed") == []


def test_pairs_of_a_table_are_corrected_with_their_answers_and_added(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened(sqlite_database, tmp_path / "study", BY_TABLE, listed_pairs)
    new_version(situation, tmp_path / "study", corrected_prompt)

    difference = new_version(
        situation,
        tmp_path / "study",
        changed_cell("candidates.csv", "k1a", "answer", "A says more."),
        adding("pairs.csv", "p3,k3a,k3b"),
    )

    assert difference.changes == ("Candidate 'k1a': answer is corrected; it is new as 'k1a.v3'.", "1 pair added: p3.")
    assert set(compared(situation)) == {"p1", "p2", "p1.v2", "p1.v3", "p3"}
    # The corrected pair as it is by now, and the added one.
    assert len(read(situation, 0)) == 2
    assert verification.verify_study(sqlite_database, "listed") == []


def test_a_corrected_answer_that_says_nothing_is_compared_with_nothing(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened(sqlite_database, tmp_path / "study")

    difference = new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k2b", "answer", ""))

    assert difference.rated == ()
    assert len(read(situation, 1)) == 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda folder: write_table(folder / "pairs.csv", "pair,first,second", [("p1", "k1b", "k1a")]),
         "Pair 'p2' is missing in pairs.csv: a version takes nothing out; put it back."),
        (changed_cell("pairs.csv", "p2", "first", "k2c"),
         "Pair 'p2' names other answers than before; put them back, or give the new pair another key."),
    ],
)  # fmt: skip
def test_a_pair_of_a_table_stays_what_it_was(
    sqlite_database: Database, tmp_path: Path, change: Callable[[Path], object], says: str
) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study", BY_TABLE, (with_models, listed_pairs), raters=1)
    change(tmp_path / "study")

    with pytest.raises(Conflict) as refused:
        making.difference_of(sqlite_database, situation.admin, "listed", tmp_path / "study")

    assert str(refused.value) == says


def test_figures_are_of_the_pairs_that_stand_and_every_draw_is_made_again(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt, adding("candidates.csv", "k3c,i3,model-c,C says 3."))
    for rater in (0, 1):
        read(situation, rater)
    data_lock.close_study(sqlite_database, situation.admin, "listed")

    report = build.build_report(sqlite_database, situation.admin, "listed")
    package.export_study(sqlite_database, situation.admin, "listed", tmp_path / "package")

    assert report.notices[-1] == (
        "Which is better: 5 candidates came with version 1 and 3 candidates came with version 2, and 1 candidate that "
        "a version corrected is in no figure."
    )
    with sqlite_database.read_only() as session:
        assert len(session.exec(select(FreezeItem.id)).all()) == 9
    again = redrawing.redraw(tmp_path / "package")
    assert again.problems == []
