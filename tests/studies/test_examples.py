"""The filled studies of `new-study --like`: each imports as it is, with nothing that the author would have to mend."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.studies.folders import checking
from studies.examples import HERE, build, shapes


@pytest.mark.parametrize("shape", [shape.name for shape in shapes()])
def test_a_filled_study_is_taken_without_a_conversion_or_a_warning(shape: str, tmp_path: Path) -> None:
    contents = checking.validated_folder(build(shape, tmp_path / shape))

    assert contents.conversions == ()
    # Of one shape the references are what is written, and of another the practice alone has some.
    # What is not computed, and what only an installation knows, is said of a study that is right.
    said_of_any = re.compile(r"Declared, not|Phase '\w+' leaves out the subjects of frozen studies")
    others = [warning for warning in contents.warnings if not said_of_any.match(warning)]
    assert all(" reference" in warning for warning in others)


def test_the_same_shape_is_filled_alike_every_time(tmp_path: Path) -> None:
    first, second = (build("neuroqa_reads", tmp_path / name) for name in ("first", "second"))

    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert len(files) >= 10
    assert all((first / file).read_bytes() == (second / file).read_bytes() for file in files)


def test_rows_of_parts_and_of_combinations_are_numbered_through(tmp_path: Path) -> None:
    folder = build("mri_eval_judge_validation", tmp_path / "study")

    items = (folder / "items.csv").read_text("utf-8").splitlines()
    candidates = (folder / "candidates.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[0] for line in items] == ["item", *(f"q{n}" for n in range(1, 49))]
    assert len(candidates) == 1 + 48 * 4 * 2
    assert candidates[8].startswith("Llama 3.3 70B,primed,k8,q1,")


def test_the_page_that_offers_shapes_and_the_docs_say_alike_what_they_serve() -> None:
    table = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", (HERE.parent / "docs/how-to/list-the-phases.md").read_text("utf-8"))
    lines = dict(
        line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| ") and "`" in line
    )

    assert all(f"`{shape.name}`" in lines[shape.serves] for shape in shapes())
