"""A calibration's material by part: development and test subjects, or all subjects if the study is not divided."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from agreement.judge.bases import bases
from agreement.judge.material import Material
from agreement.judge.panels import PANELS, thresholds
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.withheld import FEWEST_SEALED, rounded, where_judged
from db import JudgeRun, JudgeVerdict, Study, queries
from db.base import stored_id
from protocol.language.expansion import Expansion
from protocol.language.judged import compared_fields
from protocol.language.wording import capital
from services.errors import Conflict
from services.judging.counted_verdicts import USUAL, CountedVerdicts
from services.judging.import_labels import lines_of
from services.judging.run_identity import Judge, in_words, judge_of
from services.report.calibration import elsewhere, grades
from services.report.calibration.compared import pool_of_pairs, with_orders
from services.report.calibration.divided import ON_TEST, how_divided
from services.report.calibration.in_a_study import for_a_study
from services.report.calibration.looks import Part
from services.report.calibration.material import (
    Candidates,
    Failures,
    Read,
    called_apart,
    material_of,
    material_of_scores,
    part_of,
)
from services.report.calibration.opened import openings_of
from services.report.calibration.planning import plan_of
from services.report.rows.candidate_columns import load_candidate_columns
from services.report.rows.candidates import load_runs
from services.report.rows.labels import Labels, load_labels
from services.report.rows.listed_loading import load_listed
from services.report.rows.loading import load_rows
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.rows.ratings_of_phases import ratings_of
from services.report.rows.scores import scores_of
from services.report.rows.settled import settled
from services.report.rows.study_rows import Run
from services.studies import frozen_facts


@dataclass(frozen=True)
class OfJudge:
    """The data from which a judge is certified.

    Attributes
    ----------
    judge
        The judge's name and prompt.
    part
        The part of the study's subjects.
    material, candidates
        Those of that part, with only this judge.
    plan
        The calibration's plan, with what applies to that part.
    looks
        How often the judge's agreement was opened on that part.
    looks_before
        How often on development subjects, if that part is test; otherwise the same number.
    by
        The human verdicts that the opening of that part names.
    """

    judge: Judge
    part: Part
    material: Material
    candidates: Candidates
    plan: Plan
    looks: int = 1
    looks_before: int = 1
    by: CountedVerdicts = USUAL


@dataclass(frozen=True)
class Parts:
    """The material of a calibration.

    Attributes
    ----------
    whole
        All subjects, or only those for development.
    of_judges
        By the judge's name.
    said
        Sentences on how the study is divided.
    labels
        The labels made elsewhere that replace raters' verdicts; None if raters' verdicts count.
    """

    whole: Material
    part: Part
    plan: Plan
    of_judges: Mapping[str, OfJudge]
    said: tuple[str, ...]
    labels: Labels | None = None

    def looked_at(self) -> Iterator[tuple[str, Judge, Part, Material, str]]:
        """Yield everything that is looked at: the judge's name, the judge with its prompt, part, material, and basis.

        The basis is that of an opening, by which alone test subjects are looked at; empty otherwise.
        """
        for name, of_judge in self.of_judges.items():
            yield name, of_judge.judge, self.part, self.whole, ""
            if of_judge.part != self.part:
                yield name, of_judge.judge, of_judge.part, of_judge.material, of_judge.by.basis


def read_parts(
    session: Session,
    study: Study,
    expansion: Expansion | None,
    field: str,
    runs: Sequence[str],
    basis: str,
    labels: Sequence[str] = (),
) -> Parts:
    """Read the verdicts of people and of some runs' judges in a field.

    Labels made elsewhere on test subjects are sealed like verdicts. On test subjects only the human verdicts count that
    the opening names: figures by others would reveal the answers in which the two differ, and labels imported later
    could be chosen by how the judge does.

    Verdicts on test subjects are read only if agreement on them was opened for one of these judges, and only for runs
    that existed by then. Another run under an opened name would be another look at them, and a run made up for the
    purpose would reveal single verdicts. So would answers that are added or replaced after a study is re-opened.

    Parameters
    ----------
    labels
        Names of imports of labels made elsewhere, used as the only human verdicts; empty to use raters' verdicts.

    Raises
    ------
    Conflict
        Nothing was drawn for the field, or there are no such labels.
    """
    study_id = stored_id(study.id)
    stored = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id).order_by(col(JudgeRun.id))).all()
    wanted = [run for run in stored if run.name in runs]
    judges = {in_words(judge_of(run)): judge_of(run) for run in wanted}
    for_test = queries.items_for_test(session, study_id)
    of_field = "" if expansion is None else field
    given = load_labels(session, study_id, of_field, labels, for_test) if labels else None
    openings = openings_of(session, study_id)
    of_this_field = [line.name for line in lines_of(session, study_id) if line.field == of_field]
    too_late = [run for run in wanted if not openings.holds_for(run, given, of_this_field)]
    opened = judges.keys() - {in_words(judge_of(run)) for run in too_late}
    without = frozenset() if opened else for_test
    if given is not None and opened:
        given = load_labels(session, study_id, of_field, labels, without)
    read, plan = _read(session, study, expansion, field, wanted, basis, without)
    if given is not None:
        read = elsewhere.with_labels(read, given)
        plan = elsewhere.planned(plan, given, read[0])
    read = _told_apart(read)
    part: Part = "all" if not for_test else "development"
    plan = replace(plan, is_trial=part == "development")
    whole = part_of(read, for_test, within=False) if opened else read
    on_test = part_of(read, for_test, within=True) if opened else None
    # Only agreement is opened: a figure on very few subjects would reveal what people said about them.
    fewest = 1 if queries.is_unsealed(session, study_id) else FEWEST_SEALED
    return Parts(
        whole=whole[0],
        part=part,
        plan=plan,
        of_judges={
            name: OfJudge(
                judge,
                "test",
                *_alone(on_test, name, is_sealed=fewest > 1),
                replace(
                    plan,
                    is_trial=False,
                    basis=_basis_on_test(openings.by[judge], plan, on_test[0], fewest),
                    fewest_shown=fewest,
                    runs_opened=openings.opened_together(judge, wanted, stored),
                ),
                by=openings.by[judge],
            )
            if on_test is not None and name in opened
            else OfJudge(judge, part, *_alone(whole, name), plan)
            for name, judge in judges.items()
        },
        said=how_divided(session, study_id, sorted(opened), for_test, wanted, given, openings, basis, of_this_field),
        labels=given,
    )


def on_test(
    session: Session, study: Study, expansion: Expansion | None, field: str, runs: Sequence[str], labels: Sequence[str]
) -> tuple[Material, Plan]:
    """Read what is sealed, only to be counted before agreement on it is opened: no caller shows what was said."""
    study_id = stored_id(study.id)
    for_test = queries.items_for_test(session, study_id)
    wanted = session.exec(
        select(JudgeRun).where(JudgeRun.study_id == study_id, col(JudgeRun.name).in_(runs)).order_by(col(JudgeRun.id))
    ).all()
    read, plan = _read(session, study, expansion, field, wanted, "", frozenset())
    if labels:
        given = load_labels(session, study_id, "" if expansion is None else field, labels, frozenset())
        read = elsewhere.with_labels(read, given)
    return part_of(read, for_test, within=True)[0], plan


def _basis_on_test(by: CountedVerdicts, plan: Plan, material: Material, fewest: int) -> str | None:
    """Return the basis on test subjects: that of the opening, and once all is unsealed the one that is asked for."""
    wanted = plan.basis if plan.basis and fewest == 1 else by.basis
    # A judge is opened in all its fields, and a field with fewer people or another scale may not have the basis.
    return wanted if wanted and any(each.is_called(wanted) for each in bases(material)) else None


def panels_of(what: Parts) -> dict[str, Panel]:
    """Return all panels; in a divided study, each says which part it is about."""
    opened = {name: each for name, each in what.of_judges.items() if each.part == "test"}
    panels = {}
    for key, kind in PANELS.items():
        judges = {name: own for name, own in what.whole.judges.items() if key not in ON_TEST or name not in opened}
        own: list[tuple[Part, Panel]] = []
        rest = replace(what.whole, judges=judges)
        # If other judges are open on test, skip judges without grades: they would add nothing to this panel.
        if judges and (key != thresholds.KEY or not opened or thresholds.has_grades(rest)):
            own.append((what.part, kind.compute(rest, what.plan)))
        if key in ON_TEST:
            own += [(each.part, _on_test(key, what.whole, each)) for each in opened.values()]
        by = None if what.labels is None else what.whole.humans
        panels[key] = joined(key, [(part, for_a_study(panel)) for part, panel in own], by)
    return panels


def joined(key: str, own: Sequence[tuple[Part, Panel]], labellers: Collection[str] | None) -> Panel:
    """Return the panels of all parts as one, in which each part begins with the subjects it is about.

    Parameters
    ----------
    labellers
        The labellers whose labels made elsewhere were used, which is stated too; None if raters' verdicts were used.
    """
    rows = tuple(row if part == "all" else _row_of(row, part) for part, panel in own for row in panel.rows)
    marked = rows if labellers is None else elsewhere.marked(rows, labellers)
    leads = [_lead(part, made_elsewhere=marked != rows) for part, _ in own]
    said = list(zip(leads, (panel for _, panel in own), strict=True))
    return Panel(
        key,
        tuple(each for lead, panel in said if panel.sentences for each in (*lead, *panel.sentences)),
        marked,
        tuple(dict.fromkeys(each for _, panel in own for each in panel.refused)),
        tuple(each for lead, panel in said if panel.heads for each in (*lead, *panel.heads)),
        tuple(dict.fromkeys(each for _, panel in own for each in panel.stated)),
    )


def _lead(part: Part, *, made_elsewhere: bool) -> tuple[str, ...]:
    """Return the line that introduces a part in a panel, where several judges can make for much text."""
    said = [f"on {part} subjects"] if part != "all" else []
    said += [elsewhere.BY_LABELS] if made_elsewhere else []
    return (f"{capital(', '.join(said))}:",) if said else ()


def _on_test(key: str, development: Material, opened: OfJudge) -> Panel:
    """Return a panel on test subjects; anything fitted is fitted on development subjects."""
    if key == thresholds.KEY:
        panel = thresholds.panel_of_parts(development, opened.material, opened.plan)
    else:
        panel = PANELS[key].compute(opened.material, opened.plan)
    return rounded(panel, opened.plan.fewest_shown)


def _row_of(row: Row, of_panel: Part) -> Row:
    part = "development" if row.stratum == thresholds.IN_DEVELOPMENT else of_panel
    return replace(row, basis=f"{row.basis}, {part} subjects" if row.basis else f"{part} subjects")


def _told_apart(read: Read) -> Read:
    """Return the same with people renamed if a judge has the same name: figures identify everybody by name."""
    material, candidates = read
    humans = {called_apart(name, material): own for name, own in material.humans.items()}
    return replace(material, humans=humans), candidates


def _alone(read: Read, judge: str, *, is_sealed: bool = False) -> Read:
    material, candidates = read
    if is_sealed:
        material = where_judged(material, judge)
    runs = {name: own for name, own in material.runs.items() if name == judge}
    return replace(material, judges={judge: material.judges[judge]}, runs=runs), candidates


def _read(
    session: Session,
    study: Study,
    expansion: Expansion | None,
    field: str,
    wanted: Sequence[JudgeRun],
    basis: str,
    without: frozenset[int],
) -> tuple[Read, Plan]:
    study_id = stored_id(study.id)
    loaded = {run.name: run for run in load_runs(session, study_id, without, [run.name for run in wanted])}
    stored: list[tuple[JudgeRun, Run, Failures]] = [(run, loaded[run.name], _failures(session, run)) for run in wanted]
    if expansion is None:
        marked = load_rows(session, study, without)
        read = grades.graded(session, material_of_scores(marked, scores_of(marked), stored), wanted)
        drawn = read[0].probability is not None
        return read, plan_of(marked.protocol.analysis, field, "correctness", drawn=drawn, basis=basis)
    phases_asked = frozen_facts.phases_of(session, study_id)
    on_pairs = field in compared_fields(expansion)
    # A judge may have compared pairs of items from which nothing was drawn for people.
    rows = load_listed(session, study, expansion, phases_asked, without, only_drawn=not on_pairs)
    pool = pool_of_pairs(rows) if on_pairs else load_candidate_columns(session, study_id, without)
    phases = ratings_of(rows, expansion, ())
    own = _ratings(phases, field)
    is_settled = any(phase.phase.settles == own.phase.key for phase in phases)
    read = material_of(expansion, pool, rows, own, settled(own, phases) if is_settled else None, stored)
    if on_pairs:
        read = with_orders(session, read, rows, own, wanted)
    read = grades.graded(session, read, wanted)
    drawn = read[0].probability is not None
    return read, plan_of(expansion.analysis, field, own.field.type, drawn=drawn, basis=basis)


def _ratings(phases: Sequence[PhaseRatings], name: str) -> Ratings:
    key, _, field = name.partition(".")
    of_phase = next(phase for phase in phases if phase.phase.key == key)
    ratings = of_phase.of_field(field)
    if ratings is None:
        raise Conflict(f"Nothing was drawn that '{name}' is filled in about.")
    return ratings


def _failures(session: Session, run: JudgeRun) -> Failures:
    query = select(JudgeVerdict.candidate_id, JudgeVerdict.failure).where(
        JudgeVerdict.run_id == run.id, col(JudgeVerdict.verdict).is_(None), JudgeVerdict.failure != ""
    )
    return dict(session.exec(query).all())
