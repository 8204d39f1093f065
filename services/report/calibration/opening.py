"""Open agreement on test subjects by human verdicts that a calibration has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlmodel import select

from agreement.judge.bases import bases, labelled_and_judged
from agreement.judge.material import Material
from agreement.judge.panels import criteria
from agreement.judge.plan import Plan
from agreement.judge.withheld import FEWEST_SEALED, parts_of
from agreement.judge.wording import listed
from db import Database, JudgeRun
from db.base import stored_id
from services.errors import Conflict
from services.judging import sealed_split
from services.judging.counted_verdicts import CountedVerdicts, require_labels
from services.judging.import_labels import lines_of
from services.judging.run_identity import judge_of
from services.people.identity import Actor
from services.people.permission import require_role
from services.progress.data_lock import require_report_open
from services.report.calibration.calibrating import fields_with_judges
from services.report.calibration.parts import on_test, read_parts
from services.studies import frozen_facts


def open_agreement(
    database: Database,
    actor: Actor,
    study_key: str,
    run: str,
    reason: str,
    labels: Sequence[str] = (),
    basis: str = "",
) -> str:
    """Open agreement on test for the judge and prompt of a run by some human verdicts; return in words what was opened.

    Parameters
    ----------
    labels
        Names of imports of labels made elsewhere that count in place of raters' verdicts; empty for raters' verdicts.
    basis
        As in `calibration_of`; empty for the usual one. In a field that does not have it the usual one counts.

    Raises
    ------
    Conflict
        As in `sealed_split.open_test`; also if the judge fills in no field that has these labels or this basis.
    """
    verdicts = CountedVerdicts(tuple(sorted(set(labels))), basis)
    if labels or basis:
        _require_known(database, actor, study_key, run, verdicts)
    return sealed_split.open_test(database, actor, study_key, run, reason, verdicts)


def counts_before_opening(
    database: Database, actor: Actor, study_key: str, field: str, runs: Sequence[str], labels: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return how many test candidates of each stratum people labelled, and what cannot pass for these numbers alone.

    A candidate counts if anybody labelled it: how many have a verdict by a majority would tell where people agree.

    Raises
    ------
    NotFound, NotAllowed
        As for the report.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        require_report_open(session, stored_id(study.id), actor.person_id)
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        material, plan = on_test(session, study, expansion, field, runs, labels)
    unit = "candidates" if material.compared is None else "pairs"
    return tuple(counts_in_words(material, plan, unit))


def counts_in_words(material: Material, plan: Plan, unit: str) -> Iterator[str]:
    """Yield the sentences on the numbers of labelled candidates that criteria depend on."""
    least, labelled = plan.criteria.fewest_in_stratum, material.labelled
    # Of a few, also of none, a number tells on which of them nobody could decide.
    on = [among for judge in material.judges for among in labelled_and_judged(material, judge)]
    parts = parts_of(material.attributes, on)
    withheld = parts.withheld(FEWEST_SEALED, of_verdicts=True)
    known = parts.known(withheld) if withheld else []
    strata: dict[str, str] = {}
    few: list[str] = []
    for name, levels in parts.levels.items():
        for level, groups in levels.items():
            n, is_said = int(parts.counts[1][groups].sum()), (name, level) not in withheld
            strata[f"{name} {level}"] = said = str(n) if is_said else "not said"
            if (n if is_said else parts.at_most(groups, known, FEWEST_SEALED)) < least:
                few.append(f"{name} {level} ({said})")
    of_each = "".join(f", {stratum}: {number}" for stratum, number in strata.items())
    yield (
        f"People labelled {labelled.n} test {unit} in all{of_each}. Criteria count only those that have the verdicts "
        "that they compare, which may be fewer."
    )
    if "not said" in strata.values():
        yield (
            f"No number is said of fewer than {FEWEST_SEALED}, nor of what would tell it: there the criterion "
            f"'{criteria.STRATUM}' passes only if the other numbers imply it."
        )
    short: list[tuple[str, str]] = []
    if few or labelled.n < least:
        short.append((criteria.STRATUM, f"fewer than {least} in {listed(few or ['all'])}"))
    if len(material.humans) < plan.criteria.fewest_humans:
        short.append((criteria.HUMANS, f"fewer than {plan.criteria.fewest_humans}"))
    for declared in plan.criteria.declared:
        if labelled.n < declared.fewest_candidates:
            short.append((declared.key, f"fewer than {declared.fewest_candidates}"))
    for key, why in short:
        yield f"The criterion '{key}' cannot pass for the number alone: {why}."


def _require_known(database: Database, actor: Actor, study_key: str, run: str, verdicts: CountedVerdicts) -> None:
    """Refuse labels of other fields than the judge's, labels that exclude each other, and an unknown basis."""
    fields = fields_with_judges(database, actor, study_key)
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        require_labels(session, study_id, verdicts.labels)
        expansion = frozen_facts.expansion_of(session, study_id)
        runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id)).all()
        judges = {each.name: judge_of(each) for each in runs}
        own = {
            field: [name for name in names if judges[name] == judges.get(run)] for field, (_, names) in fields.items()
        }
        of_labels = {line.name: line.field for line in lines_of(session, study_id) if line.name in verdicts.labels}
        stored_as = {field: "" if expansion is None else field for field, names in own.items() if names}
        for name, field in of_labels.items():
            if stored_as and field not in stored_as.values():
                raise Conflict(
                    f"The labels '{name}' are of {field}, which the judge of run '{run}' does not fill in; expected "
                    f"labels of {', '.join(stored_as)}."
                )
        known: list[str] = []
        for field, stored in stored_as.items():
            given = [name for name, of_field in of_labels.items() if of_field == stored]
            what = read_parts(session, study, expansion, field, own[field], "", given)
            every = bases(what.whole)
            if not verdicts.basis or any(each.is_called(verdicts.basis) for each in every):
                return
            known += [each.name for each in every]
    if known:
        raise Conflict(
            f"There are no human verdicts '{verdicts.basis}'; expected one of {', '.join(dict.fromkeys(known))}."
        )
