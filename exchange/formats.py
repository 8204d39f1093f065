"""The formats that are read, by what they hold: one file each, and the one table of them."""

from __future__ import annotations

from exchange import judge_csv, judge_json_lines, study_zip
from exchange.file_format import FileFormat, ReadJudgeLines, UnpackStudy

# A whole study in one file; `study_folder` reads what it unpacks to.
STUDIES: tuple[FileFormat[UnpackStudy], ...] = (study_zip.FORMAT,)
# Lines with item, candidate and verdict; `judge_verdicts` checks what they say.
JUDGE_VERDICTS: tuple[FileFormat[ReadJudgeLines], ...] = (judge_csv.FORMAT, judge_json_lines.FORMAT)
