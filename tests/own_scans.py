"""Scans for tables in which all cases name one file: of a scan of two subjects the import warns."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
from PIL import Image

from tests.situations import write_table


def give_own_scans(folder: Path) -> None:
    """Give each case after the first a file of its own, which differs from the one that it named in one voxel."""
    table = folder / "volumes.csv"
    with table.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    place, case = header.index("file"), header.index("case")
    own: dict[tuple[str, str], str] = {}
    of_file: dict[str, int] = {}
    for line in lines:
        named = line[place]
        if (named, line[case]) not in own:
            number = of_file[named] = of_file.get(named, -1) + 1
            own[named, line[case]] = _changed(folder, named, number) if number else named
        line[place] = own[named, line[case]]
    write_table(table, ",".join(header), lines)


def _changed(folder: Path, named: str, number: int) -> str:
    other = f"{number}-{named}"
    if named.endswith(".png"):
        pixels = np.array(Image.open(folder / named))
        pixels.flat[number] ^= 1
        Image.fromarray(pixels).save(folder / other)
        return other
    # The voxels of 16 bits come after a header of 352 bytes.
    content = bytearray(gzip.decompress((folder / named).read_bytes()))
    content[352 + 2 * number] ^= 1
    (folder / other).write_bytes(gzip.compress(bytes(content), 1))
    return other
