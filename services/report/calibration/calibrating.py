"""The panels of a study's calibration, and their layout on a page: typed rows as sections of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlmodel import Session, col, select
from threadpoolctl import threadpool_limits

from agreement.judge.bases import bases
from agreement.judge.cells import shown_figures
from agreement.judge.material import Material
from agreement.judge.panels import PANELS, criteria
from agreement.judge.plan import Plan
from agreement.judge.printing import report as printed
from agreement.judge.printing import what_was_read
from agreement.judge.rows import EVERYTHING, Panel, Row
from agreement.judge.scale import Scale
from agreement.judge.wording import called, p_in_figures
from db import Database, JudgeRun, Study, queries
from db.base import stored_id
from exchange.report.report_structure import Cell, Column, PlainTable, Section
from exchange.report.report_words import said_once
from protocol.language.expansion import Expansion
from protocol.language.judged import compared_fields, judged_fields
from protocol.phases import SCORING
from services.errors import Conflict
from services.judging.import_labels import LabelLine, lines_of
from services.judging.run_identity import Judge
from services.people.identity import Actor
from services.people.permission import require_role
from services.progress.data_lock import require_report_open
from services.report.calibration import elsewhere, looks, parts, retained
from services.report.calibration.glance import at_a_glance, without_verdict
from services.report.calibration.parts import OfJudge, Parts
from services.report.rows.loading import hold_one_snapshot, newest_but_for_looks
from services.studies import frozen_facts
from services.studies.many_objects import no_search_for_garbage

# What judges fill in if the study scores answers after its reads.
_SCORES = SCORING.key


@dataclass(frozen=True)
class Calibration:
    """How well judges do in a field, compared with people.

    Attributes
    ----------
    label
        The field's label.
    read
        Sentences on the data behind it.
    said
        Those of them that files do not contain: how the study is divided, and how often somebody looked.
    bases
        Names of the human verdicts that judges can be held against, the usual one first.
    panels
        By key, in order.
    of_judges
        What each judge is certified from, by the judge's name. In a divided study, these are the test subjects once
        agreement on them was opened for the judge, and the development subjects until then.
    labels
        Where the labels made elsewhere came from that replace raters' verdicts; empty if raters' verdicts count.
    """

    study_key: str
    title: str
    state: Literal["final", "interim"]
    field: str
    label: str
    runs: tuple[str, ...]
    read: tuple[str, ...]
    said: tuple[str, ...]
    bases: tuple[str, ...]
    plan: Plan
    material: Material
    panels: dict[str, Panel]
    of_judges: Mapping[str, OfJudge]
    labels: tuple[LabelLine, ...] = ()


def fields_with_judges(database: Database, actor: Actor, study_key: str) -> dict[str, tuple[str, list[str]]]:
    """Return the fields that both people and judges fill in, as PHASE.FIELD: label, and names of the runs.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    """
    with database.read_only() as session:
        study, expansion = _open(session, actor, study_key)[:2]
        runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study.id).order_by(col(JudgeRun.id))).all()
        if expansion is None:
            return {_SCORES: ("Scores", [run.name for run in runs])} if runs else {}
        fields = judged_fields(expansion) | compared_fields(expansion)
        by_field = {
            name: [run.name for run in runs if _fills_in(run, name, asked.type)] for name, asked in fields.items()
        }
        return {name: (fields[name].label, names) for name, names in by_field.items() if names}


def field_of(known: Mapping[str, tuple[str, list[str]]], runs: Sequence[str]) -> str:
    """Return the field that is meant where none is named, of those that `fields_with_judges` returned.

    It is the only one, or the only one that has all of these runs; empty if that leaves several or none.
    """
    fields = [field for field, (_, names) in known.items() if len(known) == 1 or set(runs) <= set(names)]
    return fields[0] if len(fields) == 1 else ""


def labels_in(database: Database, actor: Actor, study_key: str, field: str) -> list[str]:
    """Return the names of the imports of labels made elsewhere in a field, as a calibration takes them.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    """
    with database.read_only() as session:
        study, expansion = _open(session, actor, study_key)[:2]
        of_field = "" if expansion is None else field
        return [line.name for line in lines_of(session, stored_id(study.id)) if line.field == of_field]


def is_rated(database: Database, actor: Actor, study_key: str, field: str) -> bool:
    """Return whether any rater of a study has submitted a verdict in the phase of a field.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    """
    with database.read_only() as session:
        study, expansion = _open(session, actor, study_key)[:2]
        phase = _SCORES if expansion is None else field.partition(".")[0]
        return queries.is_answered(session, stored_id(study.id), phase)


def calibration_of(
    database: Database,
    actor: Actor,
    study_key: str,
    field: str = "",
    runs: Sequence[str] = (),
    basis: str = "",
    labels: Sequence[str] = (),
) -> Calibration:
    """Compute the panels for a field of a study, and record that the actor looked at each judge.

    The last results are reused as long as the data have not changed; permission is checked on every call.

    Parameters
    ----------
    field
        As PHASE.FIELD; empty if judges fill in only one field, or if the runs tell which.
    runs
        Names of runs; empty for all runs in that field.
    basis
        The human verdicts that corrections and the certificate are based on: majority, unanimous, adjudicated, mean or
        a rater; empty for the usual ones.
    labels
        Names of imports of labels made elsewhere that replace raters' verdicts; empty to use raters' verdicts.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    Conflict
        No judge fills in the field, no run has that name, or there are no such human verdicts or labels.
    """
    known = fields_with_judges(database, actor, study_key)
    chosen = field or field_of(known, runs)
    if chosen not in known:
        expected = f"expected one of {', '.join(known)}" if known else "no judge's verdicts have been imported"
        raise Conflict(f"Say which field is calibrated: {expected}.")
    label, names = known[chosen]
    missing = [name for name in runs if name not in names]
    if missing:
        raise Conflict(f"There is no run '{missing[0]}' in {chosen}; expected some of {', '.join(names)}.")
    wanted = list(runs) or names
    with database.read_only() as session:
        hold_one_snapshot(session)
        study, expansion, state = _open(session, actor, study_key)
        newest = newest_but_for_looks(session, stored_id(study.id))
        place = (study_key, state, tuple(newest), chosen, tuple(wanted), basis, tuple(labels))
        earlier = retained.look_up(database, place)
        if earlier:
            what = earlier.what
        else:
            with no_search_for_garbage():
                what = parts.read_parts(session, study, expansion, chosen, wanted, basis, labels)
        # The importer is read each time: the retained results could name somebody whose name has since been erased.
        imports = lines_of(session, stored_id(study.id))
    lines = tuple(line for line in imports if line.name in labels)
    known_labels = [line.name for line in imports if line.field == ("" if expansion is None else chosen)]
    _require_humans(what.whole, chosen, known_labels)
    _require_basis(what.whole, basis)
    seen = earlier.seen if earlier else _seen(what)
    seen_before = earlier.seen_before if earlier else _seen_before(what)
    times = looks.note_looks(database, actor, study_key, chosen, seen, seen_before)
    panels = earlier.panels if earlier else _panels(what)
    if not earlier:
        retained.retain(database, place, retained.Retained(what, seen, seen_before, panels))
    of_judges = {
        name: replace(
            of_judge, looks=times[of_judge.judge, of_judge.part], looks_before=times[of_judge.judge, what.part]
        )
        for name, of_judge in what.of_judges.items()
    }
    counted = looks.looks_at_judges(
        {name: {what.part: each.looks_before, each.part: each.looks} for name, each in of_judges.items()},
        several_prompts=len({each.judge[0] for each in of_judges.values()}) < len(of_judges),
    )
    origin = elsewhere.sentences(lines)
    said = (*what.said, counted)
    read = (*origin, *what_was_read(what.whole, what.plan), *said)
    return Calibration(
        study_key, study.title, state, chosen, label, tuple(wanted), read, (*origin, *said),
        tuple(each.name for each in bases(what.whole)), what.plan, what.whole, panels, of_judges, lines,
    )  # fmt: skip


def _seen(what: Parts) -> dict[tuple[Judge, looks.Part], str]:
    return {
        (judge, part): looks.fingerprint(material, name, basis, repeats=part != "test")
        for name, judge, part, material, basis in what.looked_at()
    }


def _seen_before(what: Parts) -> dict[tuple[Judge, looks.Part], str]:
    """Return the hashes of looks at test subjects as they were stored when all runs of a prompt entered them."""
    return {
        (judge, part): looks.fingerprint(material, name, basis)
        for name, judge, part, material, basis in what.looked_at()
        if part == "test"
    }


def _panels(what: Parts) -> dict[str, Panel]:
    with threadpool_limits(1, user_api="blas"):
        return parts.panels_of(what)


def _require_humans(material: Material, field: str, labels: Sequence[str]) -> None:
    """Refuse a calibration without human verdicts."""
    if material.humans:
        return
    remedy = "invite raters, or import labels that people gave elsewhere"
    if labels:
        remedy = f"choose labels made elsewhere: {', '.join(labels)}"
    raise Conflict(f"Nobody rates {field} in this study, so there is nobody to compare judges with: {remedy}.")


def _require_basis(material: Material, basis: str) -> None:
    known = bases(material)
    if basis and not any(each.is_called(basis) for each in known):
        named = ", ".join(each.name for each in known)
        raise Conflict(f"There are no human verdicts '{basis}'; expected one of {named}.")


def in_words(calibration: Calibration, *, everything: bool = False) -> str:
    """Return the panels as text, as `python -m agreement.judge` prints them."""
    whole = printed(
        calibration.material, calibration.panels, calibration.plan, everything=everything, options="--all-rows"
    )
    return "\n".join((*calibration.said, whole))


def summary_of(calibration: Calibration) -> Section:
    """Return the data behind the calibration, and each judge at a glance."""
    on_test = [name for name, own in calibration.of_judges.items() if own.part == "test"]
    glance = at_a_glance(calibration.material, calibration.panels, calibration.plan, on_test)
    left_out = without_verdict(calibration.material)
    return Section("summary", "In short", "In short", calibration.read, (glance, *([left_out] if left_out else [])))


def sections_of(calibration: Calibration) -> list[Section]:
    """Return the panels as sections of a report: question, sentence, what is not said and why, and the rows.

    The sentences of a panel with a line for each judge are separate (`details_of`).
    """
    return [
        Section(
            key=key,
            short_title=f"{PANELS[key].number} {PANELS[key].title}",
            title=PANELS[key].question,
            explanation=(
                *_asked(calibration, key),
                *panel.in_short,
                *(f"Not said: {sentence}" for sentence in panel.not_said),
            ),
            tables=(_table(key, panel.rows, calibration.material.scale),) if panel.rows else (),
        )
        for key, panel in calibration.panels.items()
    ]


def _asked(calibration: Calibration, key: str) -> tuple[str, ...]:
    """Return the criteria for a judge and where they come from, to be shown before its results."""
    if key != criteria.KEY:
        return ()
    asked = criteria.criteria_in_words(calibration.material, calibration.plan)
    each = "; ".join(f"{name}: {words}" for name, words in asked.items())
    return (f"{criteria.origin_in_words(calibration.plan.criteria.declared)}. {each}.",)


def details_of(calibration: Calibration, key: str) -> tuple[str, ...]:
    """Return the sentences of a panel that its section leaves out; empty if it has them all."""
    panel = calibration.panels[key]
    return panel.sentences if panel.heads else ()


def _open(
    session: Session, actor: Actor, study_key: str
) -> tuple[Study, Expansion | None, Literal["final", "interim"]]:
    """Return a study whose report the actor may see, and its expansion if it lists its phases."""
    study, _ = require_role(session, actor, study_key, "admin")
    state = require_report_open(session, stored_id(study.id), actor.person_id)
    expansion = frozen_facts.expansion_of(session, stored_id(study.id))
    return study, expansion, "final" if state == "final" else "interim"


def _fills_in(run: JudgeRun, name: str, field_type: str) -> bool:
    return str(run.parameters.get("field", "")) in ((name, "") if field_type == "correctness" else (name,))


_COLUMNS = (
    Column("statistic", "Statistic", "What was computed"),
    Column("parties", "Whose", "Humans, judges or models by name"),
    Column("stratum", "On", "All candidates, or the level of a factor"),
    Column("value", "Estimate", "With its interval"),
    Column("n", "n", "How many units it rests on"),
    Column("p", "P", "Two-sided P value, where there is a test"),
    Column("basis", "Human verdicts", "Which human verdicts it rests on"),
    Column("sentence", "Says", "What it says, where it decides something"),
    Column("method", "Method", "How it was computed, or why it is undefined; with what it warns of"),
)


def _table(key: str, rows: Sequence[Row], scale: Scale) -> PlainTable:
    cells = [_cells(row, scale) for row in rows]
    # Leave out columns that are empty, or that say "everything" in all rows.
    used = [place for place in range(len(_COLUMNS)) if any(line[place] not in (None, EVERYTHING) for line in cells)]
    return PlainTable(
        key=f"panel_{key}",
        title="Figures",
        explanation="",
        columns=tuple(_COLUMNS[place] for place in used),
        rows=tuple(tuple(line[place] for place in used) for line in cells),
        grouped=True,
    )


def _p_cell(p: float | None) -> Cell:
    if p is None:
        return None
    return "no P" if math.isnan(p) else p_in_figures(p)


def _cells(row: Row, scale: Scale) -> tuple[Cell, ...]:
    estimate = row.estimate
    value, limits = shown_figures(row, scale)
    said = (estimate.undefined_because, estimate.warning, estimate.method)
    return (
        called(row.statistic),
        ", ".join(row.parties),
        said_once(row.stratum),
        f"{value} {limits}".rstrip(),
        f"{estimate.n} {estimate.unit}{'' if estimate.n == 1 else 's'}",
        _p_cell(estimate.p),
        row.basis or None,
        row.sentence or None,
        "; ".join(part for part in said if part),
    )
