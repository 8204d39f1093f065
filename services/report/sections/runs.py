"""A study's judges and their runs: how many verdicts there are, and why others are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from exchange.report.report_structure import Cell, Column, PlainTable, Section
from protocol.scales import EXCLUDED
from services.judging.verdict_columns import NOT_JUDGED, CandidateIds
from services.report.calibration.compared import pairs_in
from services.report.calibration.material import candidates_of_models
from services.report.rows.listed_rows import ListedRows
from services.report.rows.ratings import PhaseRatings
from services.report.rows.study_rows import Run

_FAILURES = ("refusal", "unreadable", "no_verdict")
_COLUMNS = (
    Column("run", "Run", "Name of the run"),
    Column("judge", "Judge", "Name of the judge"),
    Column("model", "Model string", "Model string of the provider, empty where nothing says it"),
    Column("prompt", "Prompt", "Version of the prompt, empty where nothing says it"),
    Column("imported", "Imported", "Date of the import"),
    Column("field", "Fills in", "Phase and field that it fills in, empty for whether candidates are correct"),
    Column("candidates", "Candidates", "Candidates of models in the study, or pairs of them if these are compared"),
    Column("verdicts", "Verdicts", "Candidates with a verdict"),
    Column("excluded", "Excluded", "Of these, verdicts that exclude the candidate, which are in no average"),
    Column("refusal", "Refused", "Candidates on which the judge refused to say anything"),
    Column("unreadable", "Unreadable", "Candidates on which its reply could not be read as a verdict"),
    Column("error", "Errors", "Candidates with an error in place of a verdict"),
    Column("no_verdict", "No verdict", "Candidates in the run with neither a verdict nor a reason"),
    Column("not_in_run", "Not in the run", "Candidates that the run does not hold"),
)
# Columns that are left out if they are empty for every run.
_WHERE_ANY = frozenset({"model", "prompt", "field", "excluded", "refusal", "unreadable", "error", "no_verdict"})


def runs_section(
    rows: ListedRows, phases: Sequence[PhaseRatings], runs: Sequence[Run], failures: Mapping[int, Mapping[str, int]]
) -> Section | None:
    """Return the section on judges' runs; None if none were imported.

    Parameters
    ----------
    failures
        How many candidates have no verdict, by run and kind of failure.
    """
    if not runs:
        return None
    pools = {
        on_pairs: np.array([line.id for line in lines], dtype=np.int64)
        for on_pairs, (lines, _) in ((False, candidates_of_models(rows)), (True, pairs_in(rows)))
    }
    compared = {f"{phase}.{field}" for phase, field in rows.preferences}
    labels = {ratings.name: f"{of.phase.title}: {ratings.field.label}" for of in phases for ratings in of.fields}
    lines = [_row(run, pools[run.field in compared], failures.get(run.id, {}), labels) for run in runs]
    used = [place for place, column in enumerate(_COLUMNS) if _is_used(column, [line[place] for line in lines])]
    table = PlainTable(
        key="judge_runs",
        title="Runs of judges",
        explanation=(
            "Counts of the candidates of models. Those without a verdict are excluded from comparisons with people and "
            "from the score as judged; the bounds of that score count them as incorrect and as correct."
        ),
        columns=tuple(_COLUMNS[place] for place in used),
        rows=tuple(tuple(line[place] for place in used) for line in lines),
    )
    return Section("runs", "Judges", "Judges", (), (table,))


def _is_used(column: Column, cells: Sequence[Cell]) -> bool:
    return column.key not in _WHERE_ANY or any(cells)


def _row(
    run: Run, candidates: CandidateIds, failures: Mapping[str, int], labels: Mapping[str, str]
) -> tuple[Cell, ...]:
    scale = run.verdicts.scale
    excluded = scale.names.index(EXCLUDED) if EXCLUDED in scale.names else NOT_JUDGED
    by_kind = [failures.get(kind, 0) for kind in _FAILURES]
    refused, unreadable, nothing = by_kind
    return (
        run.name,
        run.judge,
        run.model,
        run.prompt_version,
        run.imported,
        labels.get(run.field, run.field),
        candidates.size,
        len(run.verdicts) - run.verdicts.n_unresolved,
        int((run.verdicts.codes == excluded).sum()),
        refused,
        unreadable,
        run.verdicts.n_unresolved - sum(by_kind),
        nothing,
        candidates.size - int(np.isin(candidates, run.verdicts.candidates).sum()),
    )
