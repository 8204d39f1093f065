"""Made-up tables and scans for the protocols of `studies/`: each becomes a study folder that imports as it is.

The `example.yaml` of a shape says `for` what it is (what somebody has, and what they want), and under `tables` what
stands in each table:

- `rows: 30` makes so many rows, `each: items` one for each row of a table above (of every third one with `every: 3`,
  of those with such a cell with `where: {form: turn}`), and `over: {model: [a, b]}` one for each of these values, or
  combinations of values, too;
- every other key is a column. A list is gone through row by row, from its start again when it ends; in a text, `{n}` is
  the number of the row, and `{item}` the cell of that column in this row or in the one that it is made for.

A table may be a list of such parts, whose rows are numbered through.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import nibabel
import numpy as np
import numpy.typing as npt
import yaml
from PIL import Image, ImageDraw

from studies.heads import affine_of, head

HERE = Path(__file__).parent
_RULES = ("rows", "each", "every", "where", "over")
# A coarse head is prepared in milliseconds, and a study has a hundred.
_SHAPE, _SPACING = (36, 44, 34), 5.0
_LESIONS = (
    ((-38.0, 12.0, 14.0, 11.0),),
    ((36.0, -20.0, 20.0, 10.0),),
    (),
    ((-30.0, 25.0, 20.0, 9.0), (34.0, -28.0, 6.0, 10.0)),
)


@dataclass(frozen=True)
class Shape:
    """A shape of study that a folder can be filled for.

    Attributes
    ----------
    name
        Its folder in `studies/`.
    title
        The title of its protocol.
    serves
        What somebody has who begins with it, and what they want.
    """

    name: str
    title: str
    serves: str


@lru_cache(maxsize=1)
def shapes() -> tuple[Shape, ...]:
    """Return the shapes, by what they serve and by name."""
    read_here = []
    for path in HERE.glob("*/example.yaml"):
        protocol = _yaml(path.with_name("protocol.yaml"))
        read_here.append(Shape(path.parent.name, protocol["title"], _yaml(path)["for"]))
    return tuple(sorted(read_here, key=lambda shape: (shape.serves, shape.name)))


def build(shape: str, target: Path) -> Path:
    """Write the study folder of a shape: protocol, README, the lists it names, tables and scans; other files stay.

    Parameters
    ----------
    shape
        The name of one of `shapes()`.
    """
    source = HERE / shape
    target.mkdir(parents=True, exist_ok=True)
    protocol = (source / "protocol.yaml").read_text("utf-8")
    # The first line names the schema of protocols by its place beside this file.
    (target / "protocol.yaml").write_text(re.sub(r"\A# yaml-language-server: .*\n", "", protocol), encoding="utf-8")
    shutil.copyfile(source / "README.md", target / "README.md")
    for name in sorted(set(re.findall(r"\blists/([a-z][a-z0-9_]*)", protocol))):
        (target / "lists").mkdir(exist_ok=True)
        shutil.copyfile(HERE / "lists" / f"{name}.yaml", target / "lists" / f"{name}.yaml")
    tables: dict[str, list[dict[str, str]]] = {}
    for name, parts in _yaml(source / "example.yaml")["tables"].items():
        tables[name] = list(_rows(parts if isinstance(parts, list) else [parts], tables))
        files = _files_of(tables[name]) if name == "volumes" else {}
        for path, (number, own) in files.items():
            _write_picture(target / path, number, own)
        with (target / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(tables[name][0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(tables[name])
    return target


def _files_of(volumes: Sequence[dict[str, str]]) -> dict[str, tuple[int, int]]:
    """Name in each line a file of its case alone; return the number of its kind and that among those of the kind.

    The tables of an example name a few kinds of files, and of a scan that two subjects have in common the import warns.
    """
    kinds = sorted({row["file"] for row in volumes})
    of_kind: dict[str, dict[str, int]] = {kind: {} for kind in kinds}
    files = {}
    for row in volumes:
        kind, cases = row["file"], of_kind[row["file"]]
        own = cases.setdefault(row["case"], len(cases))
        path = PurePosixPath(kind)
        row["file"] = path.with_name(f"{own}-{path.name}").as_posix() if own else kind
        files[row["file"]] = (kinds.index(kind), own)
    return files


def _yaml(path: Path) -> dict[str, Any]:
    # Everything is text here, as in a table, and nothing becomes an object; PyYAML's loader in C, where it has one, is
    # the same and quicker.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    written: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=loader)  # noqa: S506
    return written


def _rows(parts: list[dict[str, Any]], tables: Mapping[str, list[dict[str, str]]]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table; `tables` holds those above it."""
    number = 0
    for part in parts:
        columns = {column: value for column, value in part.items() if column not in _RULES}
        over: dict[str, list[str]] = part.get("over", {})
        where: dict[str, str] = part.get("where", {})
        above = tables[part["each"]] if "each" in part else [{}] * int(part["rows"])
        made_for = [row for row in above if all(row[column] == value for column, value in where.items())]
        for parent in itertools.islice(made_for, 0, None, int(part.get("every", 1))):
            for values in itertools.product(*over.values()):
                number += 1
                row = dict(zip(over, values, strict=True))
                for column, value in columns.items():
                    chosen = value[(number - 1) % len(value)] if isinstance(value, list) else value
                    row[column] = chosen.format_map({**parent, **row, "n": number})
                yield row


def _write_picture(path: Path, number: int, own: int) -> None:
    """Write what a volume's file holds: a head with lesions or without, a slice of it (slices/*.png), or a trace.

    Parameters
    ----------
    number, own
        Of the kind, and of this file among those of its kind, which differ in noise or in phase.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".png" and path.parent.name != "slices":
        _trace(number, own).save(path, compress_level=1)
        return
    voxels = _head(number, "T1" if "t1" in path.name else "T2")
    if path.suffix == ".png":
        # Of the head no more than the slice is made one file's own.
        _picture(_noisy(voxels[:, ::-1, voxels.shape[2] // 2].T, own), voxels.max()).save(path, compress_level=1)
        return
    content = _before_the_voxels() + _noisy(voxels, own).tobytes(order="F")
    path.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))


@lru_cache(maxsize=1)
def _before_the_voxels() -> bytes:
    """Return the first bytes of the NIfTI file of a head, which are the same for all of them."""
    empty = np.zeros(_SHAPE, np.int16)
    return nibabel.Nifti1Image(empty, affine_of(_SHAPE, _SPACING)).to_bytes()[: -empty.nbytes]


@lru_cache(maxsize=8)
def _head(number: int, sequence: str) -> npt.NDArray[np.int16]:
    return head(_SHAPE, _SPACING, _LESIONS[number % len(_LESIONS)], sequence, seed=number)


def _noisy(voxels: npt.NDArray[np.int16], own: int) -> npt.NDArray[np.int16]:
    """Return voxels with the noise of a file's own, of which the first of a kind has none."""
    if not own:
        return voxels
    noise = np.random.default_rng(own).integers(0, 8, voxels.shape, dtype=np.int16)
    # The air stays what is cut off.
    return np.where(voxels > 0, voxels + noise, voxels)


def _picture(middle: npt.NDArray[np.int16], brightest: int) -> Image.Image:
    """Return the axial slice through the middle of a head, the front above, in 320 x 384 grey pixels."""
    grey = Image.fromarray((middle / max(brightest, middle.max()) * 255).astype(np.uint8))
    return grey.resize((320, 384), Image.Resampling.BICUBIC)


def _trace(number: int, own: int) -> Image.Image:
    """Return a grey sheet with the line of a recording, 320 x 160 pixels, which begins at a phase of its own."""
    beat = 48 + 8 * (number % 4)
    across = np.arange(320)
    height = 80 - 60 * np.exp(-((((across + own) % beat) - beat // 2) ** 2) / 20)
    paper = Image.new("L", (320, 160), 235 - own // beat)
    ImageDraw.Draw(paper).line(list(zip(across.tolist(), height.tolist(), strict=True)), fill=20, width=2)
    return paper
