"""In a pool people's and models' places are said alike: in an image by column and row, and in mm where they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlmodel import select

from db import Candidate, Database
from services.errors import Conflict
from services.reading import settling
from services.studies import checking
from services.studies.versions import making
from tests.following_study import read_through
from tests.pool_study import POOL, consulting, opened_pool, pooled_answers, with_models
from tests.room_study import rewrite, rows_of
from tests.situations import Situation
from tests.versioned_study import REASON

SAID = "Differential:\n1. Glioma\nPlace: {place}\nWhy: It fits."


def with_an_image(folder: Path) -> None:
    """Put an image with a black border in the place of the first case's scan, and models that point at it."""
    values = np.pad(np.random.default_rng(1).integers(1, 255, (20, 30), dtype=np.uint8), 10)
    Image.fromarray(values).save(folder / "volumes" / "c1.png")
    volumes = rows_of(folder / "volumes.csv")
    rewrite(
        folder / "volumes.csv",
        [
            row | ({"file": "volumes/c1.png"} if row["case"] == "c1" and row["role"] == "current" else {})
            for row in volumes
        ],
    )
    with_models(folder)
    pointing = {"differential": "Glioma", "place": "-7.5 3.5 0"}
    rows = rows_of(folder / "candidates.csv")
    rewrite(folder / "candidates.csv", [row | (pointing if row["candidate"] == "k1a" else {}) for row in rows])


def pooled(situation: Situation) -> list[str]:
    """Let a reader point at the image where a model did; return what the pool says of both."""
    said = {f"i{number}": consulting() for number in range(1, 7)}
    said["i1"] = consulting(["Glioma"], place=(-7.5, 3.5, 0.0))
    read_through(situation, situation.raters[0], said)
    settling.close_phase(situation.database, situation.admin, "listed", "secret_arm", REASON)
    (of_person,) = [candidate.answer for candidate, item, _ in pooled_answers(situation.database) if item == "i1"]
    with situation.database.read_only() as session:
        return [of_person, session.exec(select(Candidate.answer).where(Candidate.key == "k1a")).one()]


def test_people_and_models_say_a_place_in_an_image_by_column_and_row(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pool(sqlite_database, tmp_path / "study", changes=[with_an_image])

    assert pooled(situation) == [SAID.format(place="column 33 row 17")] * 2


def test_what_was_imported_in_mm_stays_in_mm(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(checking, "EXPANDING", replace(checking.EXPANDING, measure=None))
        text = POOL.replace("People and models", "Imported before")
        situation = opened_pool(sqlite_database, tmp_path / "study", text, changes=[with_an_image])
    # A version of it reads its models' places as they were read.
    with pytest.raises(Conflict, match="nothing has changed"):
        making.make_version(sqlite_database, situation.admin, "listed", tmp_path / "study", REASON)

    assert pooled(situation) == [SAID.format(place="L 8 A 4 S 0 mm")] * 2
