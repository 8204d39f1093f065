"""In a pool people's and models' places are said alike: in an image by column and row, and in mm where they were."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlmodel import select

from db import Candidate, Database
from services.errors import Conflict, InputRefused
from services.reading import settling
from services.studies.folders import checking
from services.studies.versions import making
from tests.following_study import read_through
from tests.pool_study import POOL, consulting, opened_pool, pooled_answers, with_models
from tests.room_study import rewrite, rows_of
from tests.situations import Situation
from tests.versioned_study import REASON

SAID = "Differential:\n1. Glioma\nPlace: {place}\nWhy: It fits."


def with_an_image(folder: Path, place: str = "column 33 row 17") -> None:
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
    in_image = {item["item"] for item in rows_of(folder / "items.csv") if item["case"] == "c1"}
    rows = [
        row | {"place": "column 1 row 2"} if row["item"] in in_image and row["place"] else row
        for row in rows_of(folder / "candidates.csv")
    ]
    pointing = {"differential": "Glioma", "place": place}
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


def test_three_numbers_of_a_model_in_an_image_are_refused_as_those_of_a_reference(
    sqlite_database: Database, tmp_path: Path
) -> None:
    in_numbers = partial(with_an_image, place="-7.5 3.5 0")

    with pytest.raises(InputRefused) as refused:
        opened_pool(sqlite_database, tmp_path / "study", changes=[in_numbers])

    assert str(refused.value) == (
        "candidates.csv, line 2: place '-7.5 3.5 0' is a place in an image without scale, where three numbers can be "
        "taken for column and row, and for pixels from the middle (column 33 row 17); write column and row as the "
        "reading room shows them, such as column 33 row 17."
    )


def test_what_was_imported_in_mm_stays_in_mm(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(checking, "EXPANDING", replace(checking.EXPANDING, measure=None))
        text = POOL.replace("People and models", "Imported before")
        in_mm = partial(with_an_image, place="-7.5 3.5 0")
        situation = opened_pool(sqlite_database, tmp_path / "study", text, changes=[in_mm])
    # A version of it reads its models' places as they were read.
    with pytest.raises(Conflict, match="nothing has changed"):
        making.make_version(sqlite_database, situation.admin, "listed", tmp_path / "study", REASON)

    assert pooled(situation) == [SAID.format(place="L 8 A 4 S 0 mm")] * 2
