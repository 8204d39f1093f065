"""A file is the one that a cell names, whichever way the letters of its name are composed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from exchange.table_files import as_on_disk

NAME = "Schädel/Rückenmark é.nii.gz"


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("in_table", ["NFC", "NFD"])
def test_a_scan_is_there_whichever_way_its_name_is_composed(tmp_path: Path, on_disk: str, in_table: str) -> None:
    scan = tmp_path / unicodedata.normalize(on_disk, NAME)  # type: ignore[arg-type]
    scan.parent.mkdir()
    scan.write_bytes(b"scan")

    there = as_on_disk(tmp_path, unicodedata.normalize(in_table, NAME))  # type: ignore[arg-type]

    assert there.read_bytes() == b"scan"


@pytest.mark.parametrize("named", ["Schädel/other.nii.gz", "../é", "/é", "é"])
def test_a_scan_that_is_not_there_keeps_the_name_of_the_table(tmp_path: Path, named: str) -> None:
    assert as_on_disk(tmp_path, named) == tmp_path / named
