"""What a calibration says of the division into development and test subjects, and of what is hidden of the latter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlmodel import Session

from agreement.judge.panels import PANELS, corrected, criteria, thresholds
from db import JudgeRun, queries
from protocol.language.wording import listed
from services.errors import counted
from services.judging.run_identity import in_words, judge_of
from services.judging.sealed_split import AFTER_REOPENING
from services.report.calibration.opened import Openings
from services.report.rows.labels import Labels

# Only these panels are computed on test subjects; all others are for use while prompts are being tried.
ON_TEST = (corrected.KEY, thresholds.KEY, criteria.KEY)
_ONLY_THOSE_NAMED = (
    "On test subjects every figure is by the human verdicts that the opening names, whatever human verdicts are "
    "chosen: two figures by different ones would reveal the answers in which these differ."
)


def how_divided(
    session: Session,
    study_id: int,
    opened: Sequence[str],
    for_test: frozenset[int],
    runs: Sequence[JudgeRun],
    labels: Labels | None,
    openings: Openings,
    basis: str,
    of_this_field: Collection[str],
) -> tuple[str, ...]:
    """Return sentences on the division of a study; none if it is not divided.

    Parameters
    ----------
    opened
        The judges that are shown on test subjects, by name with their prompts.
    for_test
        The ids of the items of test subjects.
    runs, labels, basis
        What is chosen.
    of_this_field
        The names of the imports of labels in the field.
    """
    split = queries.split_of(session, study_id)
    if split is None:
        return ()
    mine = [run for run in runs if openings.is_of(run)]
    in_time = {judge_of(run) for run in mine if openings.holds_for(run, labels, of_this_field)}
    hiding = [run for run in mine if openings.came_after(run) and judge_of(run) in in_time]
    is_unsealed = queries.is_unsealed(session, study_id)
    many = f"{counted(len(split.test_subjects), 'test subject')} with {counted(len(for_test), 'item')}"
    kept_back = (*_imported_after(mine, hiding, openings), *_opened_otherwise(mine, labels, of_this_field, openings))
    if not opened:
        why = _why_hidden(mine, hiding, is_unsealed=is_unsealed)
        state = f"{many}: {why}, so that every figure is of development subjects."
        # What hides figures that were opened comes first: all runs are chosen until somebody chooses.
        return (*kept_back, state) if hiding else (state, *kept_back)
    state = f"{many}: {'unsealed, and opened' if is_unsealed else 'opened'} for {listed(opened)}. {_of_which_panels()}"
    return (state, *kept_back, _ONLY_THOSE_NAMED) if basis and not is_unsealed else (state, *kept_back)


def _imported_after(mine: Sequence[JudgeRun], hiding: Sequence[JudgeRun], openings: Openings) -> Iterator[str]:
    """Yield that runs came after agreement on test was opened, and which of them to leave out; nothing if none did."""
    after = [run for run in mine if openings.came_after(run)]
    if not after:
        return
    names = ", ".join(run.name for run in after)
    said = f"Imported after agreement on test was opened, and held against development subjects: {names}."
    if hiding:
        which = "it" if len(after) == 1 else listed([run.name for run in hiding])
        said += f" Leave {which} out to see test subjects."
    yield said


def _opened_otherwise(
    mine: Sequence[JudgeRun], labels: Labels | None, of_this_field: Collection[str], openings: Openings
) -> Iterator[str]:
    """Yield why what was opened for chosen judges does not hold: by other human verdicts, or before a re-opening."""
    by_others = {
        in_words(judge_of(run)): openings.by[judge_of(run)].in_words
        for run in mine
        if openings.is_by_others(run, labels, of_this_field)
    }
    if by_others:
        each = "; ".join(f"{name}, by {by}" for name, by in by_others.items())
        yield (
            f"By other human verdicts than these agreement on test was opened: {each}. By these, every figure is of "
            "development subjects: figures on test by both would reveal the answers in which they differ."
        )
    if any(openings.was_reopened(run) for run in mine):
        yield f"On development subjects only, though agreement on test was opened. {AFTER_REOPENING}"


def _of_which_panels() -> str:
    on_test, others = (
        listed([str(kind.number) for key, kind in PANELS.items() if (key in ON_TEST) is wanted])
        for wanted in (True, False)
    )
    return (
        f"For what was opened, panels {on_test} and the certificate are of test subjects; panels {others}, and all "
        "panels of other judges, stay on development subjects."
    )


def _why_hidden(mine: Sequence[JudgeRun], hiding: Sequence[JudgeRun], *, is_unsealed: bool) -> str:
    """Return why no chosen judge is shown on test subjects, in words.

    Parameters
    ----------
    mine
        The chosen runs of judges for which agreement on test was opened.
    hiding
        Those of them that came after it, and without which it would be shown.
    """
    if not mine:
        return "unsealed, but not opened for these judges" if is_unsealed else "sealed"
    opened = f"opened for {listed(sorted({in_words(judge_of(run)) for run in hiding or mine}))}"
    if hiding:
        return f"{opened}, and hidden here by {listed([run.name for run in hiding])}"
    return f"{opened}, but not for what is chosen here"
