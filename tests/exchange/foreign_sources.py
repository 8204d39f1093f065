"""Files of other programs for tests: stored ones, made ones, and how they are read."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa

from exchange.foreign.layout import OF_ITSELF, Asked, ForeignLine, Source
from exchange.foreign.reading import layout_of, read_foreign
from exchange.refusal import Problems
from protocol.scales import CORRECTNESS

FILES = Path(__file__).parent / "foreign_files"


def source_of(name: str) -> Source:
    return Source((FILES / name).read_bytes(), name)


def read(source: Source, asked: Asked = OF_ITSELF, scale: Any = CORRECTNESS) -> tuple[list[ForeignLine], list[str]]:
    """Read a whole file; return its lines, and what is wrong with it."""
    layout, problems = layout_of(source, asked), Problems()
    assert layout is not None
    lines = list(read_foreign(source, layout, asked, scale, problems).lines)
    return lines, [str(problem) for problem in problems.noted]


def json_lines(*rows: Any, name: str = "judged.jsonl") -> Source:
    return Source("\n".join(json.dumps(row) for row in rows).encode(), name)


def archive_of(log: dict[str, Any], method: int = 93) -> bytes:
    """Return a log as an archive, as Inspect AI writes it: a head, and a member for each sample."""
    members = {f"samples/{sample['id']}_epoch_1.json": sample for sample in log["samples"]}
    members["header.json"] = {key: value for key, value in log.items() if key != "samples"}
    return archive({name: json.dumps(value).encode() for name, value in members.items()}, method)


def archive(members: dict[str, bytes], method: int = 93) -> bytes:
    """Return a ZIP archive whose members are compressed by a method that Python's own module may not know."""
    body, directory = b"", b""
    for name, plain in members.items():
        packed = pa.Codec("zstd").compress(plain, asbytes=True) if method == 93 else plain
        fields = (0, method, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
        directory += struct.pack("<4s2H4H3I5H2I", b"PK\x01\x02", 20, 20, *fields, 0, 0, 0, 0, len(body)) + name.encode()
        body += struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, *fields) + name.encode() + packed
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end
