"""The table of readable formats, by what they contain; each format has a module of its own."""

from __future__ import annotations

from exchange import judge_csv, judge_json_lines, pair_rows, study_zip
from exchange.file_format import FileFormat, ReadJudgeLines, ReadPairLines, UnpackStudy
from exchange.foreign import (
    healthbench_meta,
    inspect_ai,
    mapped_columns,
    marcus,
    neurovlm_bench,
    own_array,
    own_labels,
)
from exchange.foreign.layout import Layout

# A whole study in one file; `study_folder` reads the unpacked folder.
STUDIES: tuple[FileFormat[UnpackStudy], ...] = (study_zip.FORMAT,)
# Lines with item, candidate and verdict; `judge_verdicts` checks what they say.
JUDGE_VERDICTS: tuple[FileFormat[ReadJudgeLines], ...] = (judge_csv.FORMAT, judge_json_lines.FORMAT)
# The same for lines with item, two answers and verdict; `judge_pairs` checks what they say.
JUDGE_PAIRS: tuple[FileFormat[ReadPairLines], ...] = (pair_rows.OF_TABLE, pair_rows.OF_JSON)
# What other programs write about answers, recognised by content; the first layout that recognises a file reads it.
FOREIGN_VERDICTS: tuple[Layout, ...] = (
    own_array.LAYOUT,
    marcus.LAYOUT,
    neurovlm_bench.LAYOUT,
    inspect_ai.LAYOUT,
    healthbench_meta.LAYOUT,
    own_labels.LAYOUT,
    mapped_columns.LAYOUT,
)
