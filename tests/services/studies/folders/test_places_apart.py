"""Whoever asks for places beside scans that are not co-registered learns at the import that they are not compared."""

from __future__ import annotations

from pathlib import Path

from services.studies.folders.checking import checked_folder
from tests.listed_study import write_listed
from tests.room_study import add_case, add_item, rewrite, rows_of
from tests.situations import write_volume

LISTED = """
blindread: 2
name: places
title: Where is it
hanging: {coregistered: COREGISTERED}
attributes: {items: {asks: text}}
phases:
  - key: place
    rates: items
    from: {where: {asks: place}}
    shows: SHOWS
    form: {where_is_it: {type: point, label: Place}}
  - {key: read, rates: items, from: {where: {asks: other}}, shows: [scans, prompt, options], form: {answer: as_item}}
"""


def warned(folder: Path, shows: str = "[scans, prior, prompt]", *, coregistered: bool = False) -> list[str]:
    """Return what a study is warned of that asks for places on p1, beside a prior, and on p2, without one."""
    write_listed(folder, LISTED.replace("SHOWS", shows).replace("COREGISTERED", "yes" if coregistered else "no"))
    (folder / "candidates.csv").unlink()
    for key, uses_prior in (("p1", "true"), ("p2", "false")):
        add_case(folder, f"of-{key}")
        add_item(
            folder, key, f"of-{key}", "Where?", "1 2 3", format="open", form="", uses_prior=uses_prior, asks="place"
        )
    write_volume(folder / "volumes" / "p.nii.gz", seed=5)
    prior = {
        "volume": "p",
        "case": "of-p1",
        "role": "prior",
        "sequence": "T1",
        "label": "T1",
        "file": "volumes/p.nii.gz",
    }
    rewrite(folder / "volumes.csv", [*rows_of(folder / "volumes.csv"), prior])
    items = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [row | ({} if row.get("asks") else {"asks": "other"}) for row in items])
    named = {"field": "where_is_it", "radius": "5"}
    references = rows_of(folder / "references.csv")
    rewrite(folder / "references.csv", [row | (named if row["item"] in ("p1", "p2") else {}) for row in references])
    return [says for says in checked_folder(folder).warnings if "cannot be compared with the reference" in says]


def test_references_of_places_that_name_their_pane_are_warned_of_with_their_items(tmp_path: Path) -> None:
    (warning,) = warned(tmp_path / "study")

    assert warning.startswith(
        "references.csv: places in “Place” cannot be compared with the reference on p1, where scans"
    )


def test_places_in_one_space_are_compared(tmp_path: Path) -> None:
    assert not warned(tmp_path / "study", coregistered=True)


def test_a_phase_without_the_prior_has_one_space(tmp_path: Path) -> None:
    assert not warned(tmp_path / "study", "[scans, prompt]")
