"""For what agreement on test was opened: for what was there by then, and as long as no answer could come after it.

Before and after are told by the audit chain. By clocks, what is imported after one was set back would have been there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from db import JudgeRun, LabelImport, SplitOpening, StudyEvent, queries
from db.base import stored_id
from services.judging.run_identity import Judge, judge_of
from services.report.rows.labels import Labels
from services.seals.order import LAST, places_in_chain


@dataclass(frozen=True)
class Openings:
    """The openings of a study, and what came after them.

    Attributes
    ----------
    opened
        By judge with its prompt, the place of the opening in the audit chain.
    runs, labels
        By their keys, the places of the imports of runs and labels.
    reopened
        The place of the last re-opening that let answers come while they are sealed; 0 where there is none.
    """

    opened: Mapping[Judge, int]
    runs: Mapping[int, int]
    labels: Mapping[int, int]
    reopened: int

    def is_of(self, run: JudgeRun) -> bool:
        """Return whether agreement on test was opened for the judge of a run with its prompt."""
        return judge_of(run) in self.opened

    def came_after(self, run: JudgeRun) -> bool:
        """Return whether a run was imported after agreement on test was opened for its judge."""
        return self.runs.get(stored_id(run.id), LAST) > self.opened[judge_of(run)]

    def labels_came_after(self, run: JudgeRun, labels: Labels | None) -> bool:
        """Return whether some of the labels were imported after it was opened for the judge of a run."""
        last = 0 if labels is None else max(self.labels.get(key, LAST) for key in labels.imports)
        return last > self.opened[judge_of(run)]

    def was_reopened(self, run: JudgeRun) -> bool:
        """Return whether answers could come or be replaced since it was opened for the judge of a run."""
        return self.reopened > self.opened[judge_of(run)]

    def holds_for(self, run: JudgeRun, labels: Labels | None) -> bool:
        """Return whether agreement of a run on test, with these labels, is open."""
        return self.is_of(run) and not (
            self.came_after(run) or self.was_reopened(run) or self.labels_came_after(run, labels)
        )

    def opened_together(self, judge: Judge, wanted: Sequence[JudgeRun], stored: Sequence[JudgeRun]) -> int:
        """Return how many runs of a judge, in a field of those wanted, were there when it was opened for the judge."""
        fields = {run.parameters.get("field") for run in wanted}
        return sum(
            judge_of(run) == judge and not self.came_after(run) and run.parameters.get("field") in fields
            for run in stored
        )


def openings_of(session: Session, study_id: int) -> Openings:
    """Return for which judges agreement on test was opened, and what came after that."""
    keys = queries.openings_of(session, study_id)
    if not keys:
        return Openings({}, {}, {}, 0)

    opened = places_in_chain(session, study_id, SplitOpening, "agreement on test opened", "test subjects unsealed")
    reopened = places_in_chain(session, study_id, StudyEvent, "study reopen")
    return Openings(
        opened={judge: opened.get(key, 0) for judge, key in keys.items()},
        runs=places_in_chain(session, study_id, JudgeRun, "judge verdicts imported"),
        labels=places_in_chain(session, study_id, LabelImport, "labels made elsewhere imported"),
        reopened=0 if queries.is_unsealed(session, study_id) else max(reopened.values(), default=0),
    )
