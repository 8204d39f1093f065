"""Openings of agreement on test subjects: by named human verdicts, for what existed by then, before further answers.

The order of events is taken from the audit chain: by the clock, an import after the clock was set back would seem to
have existed before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from db import JudgeRun, SplitOpening, StudyEvent, queries
from db.base import stored_id
from services.judging.counted_verdicts import CountedVerdicts, counted_by_judge
from services.judging.run_identity import Judge, judge_of
from services.report.rows.labels import Labels
from services.seals.order import LAST, places_in_chain


@dataclass(frozen=True)
class Openings:
    """A study's openings, and what came after them.

    Attributes
    ----------
    opened
        The place of each opening in the audit chain, by judge with its prompt.
    runs
        The places of the imports of runs, by their keys.
    by
        The human verdicts that count on test subjects, by judge with its prompt.
    reopened
        The place of the last re-opening that allowed answers while they are sealed; 0 if there is none.
    """

    opened: Mapping[Judge, int]
    runs: Mapping[int, int]
    by: Mapping[Judge, CountedVerdicts]
    reopened: int

    def is_of(self, run: JudgeRun) -> bool:
        """Return whether agreement on test subjects was opened for the run's judge with its prompt."""
        return judge_of(run) in self.opened

    def came_after(self, run: JudgeRun) -> bool:
        """Return whether a run was imported after agreement on test subjects was opened for its judge."""
        return self.runs.get(stored_id(run.id), LAST) > self.opened[judge_of(run)]

    def is_by_others(self, run: JudgeRun, labels: Labels | None, of_field: Collection[str]) -> bool:
        """Return whether agreement was opened by other raters' verdicts or labels than these.

        Parameters
        ----------
        of_field
            The names of the imports of labels in the field: in fields that they do not fill in, raters' verdicts count.
        """
        asked = set() if labels is None else {line.name for line in labels.lines}
        return asked != set(self.by[judge_of(run)].labels).intersection(of_field)

    def was_reopened(self, run: JudgeRun) -> bool:
        """Return whether answers could be added or replaced since agreement was opened for the run's judge."""
        return self.reopened > self.opened[judge_of(run)]

    def holds_for(self, run: JudgeRun, labels: Labels | None, of_field: Collection[str]) -> bool:
        """Return whether the run's agreement on test subjects, with these labels, is open; `of_field` as above."""
        return self.is_of(run) and not (
            self.came_after(run) or self.was_reopened(run) or self.is_by_others(run, labels, of_field)
        )

    def opened_together(self, judge: Judge, wanted: Sequence[JudgeRun], stored: Sequence[JudgeRun]) -> int:
        """Return how many runs of a judge, in the wanted runs' fields, existed when agreement was opened for it."""
        fields = {run.parameters.get("field") for run in wanted}
        return sum(
            judge_of(run) == judge and not self.came_after(run) and run.parameters.get("field") in fields
            for run in stored
        )


def openings_of(session: Session, study_id: int) -> Openings:
    """Return the judges for which agreement on test subjects was opened, and what came after that."""
    keys = queries.openings_of(session, study_id)
    if not keys:
        return Openings({}, {}, {}, 0)

    opened = places_in_chain(session, study_id, SplitOpening, "agreement on test opened", "test subjects unsealed")
    reopened = places_in_chain(session, study_id, StudyEvent, "study reopen")
    return Openings(
        opened={judge: opened.get(key, 0) for judge, key in keys.items()},
        runs=places_in_chain(session, study_id, JudgeRun, "judge verdicts imported"),
        by=counted_by_judge(session, study_id),
        reopened=0 if queries.is_unsealed(session, study_id) else max(reopened.values(), default=0),
    )
