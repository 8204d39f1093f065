"""How the runs of a file were made: the columns with the versions of the prompt and of the judge."""

from __future__ import annotations

import numpy as np

from agreement.coding import Codes
from agreement.judge.columns import Columns
from agreement.judge.material import Made
from agreement.judge.sheet import JudgedFileError, Sheet


def made_of(sheet: Sheet, among: Codes, judge: str, columns: Columns) -> dict[str, Made]:
    """How each run of a judge was made; empty if no column tells.

    Parameters
    ----------
    sheet : Sheet
        The sheet with the judge's verdicts.
    among : ndarray of int
        The judge's rows.
    judge : str
    columns : Columns

    Returns
    -------
    dict of str to Made
        By run.

    Raises
    ------
    JudgedFileError
        When a run has two different versions.
    """
    if columns.run is None or (columns.prompt_version is None and columns.judge_version is None):
        return {}
    run = sheet.column(columns.run)
    own = {text: among[run.codes[among] == code] for code, text in enumerate(run.texts)}
    return {
        text: Made(
            judge, *(_version(sheet, rows, text, name) for name in (columns.prompt_version, columns.judge_version))
        )
        for text, rows in own.items()
        if rows.size
    }


def _version(sheet: Sheet, rows: Codes, run: str, name: str | None) -> str:
    if name is None:
        return ""
    column = sheet.column(name)
    codes, first = np.unique(column.codes[rows], return_index=True)
    if codes.size > 1:
        said = " and ".join(f"{sheet.where(int(rows[place]))} {column.text(int(rows[place]))!r}" for place in first[:2])
        raise JudgedFileError(f"run {run!r} has two values of {name!r} ({said}); expected one for each run")
    return column.text(int(rows[0]))
