"""Score a study's answers by a rule; the result is imported as a run, like the file of a judge."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Candidate, Case, Database, Item, queries
from db.base import stored_id
from exchange.refusal import nearest, shown
from exchange.tables import JUDGE_VERDICTS
from protocol.fields.kind import Reference as CountsAsRight
from protocol.fields.yes_no import YES_NO
from protocol.scales import JudgeScale
from services.errors import Conflict
from services.judging.asked_fields import is_on_pairs, named_or_only, scale_asked
from services.judging.import_runs import Identity, JudgeRunLine, import_judge_verdicts
from services.judging.scorers import A_NUMBER, RIGHT_OR_WRONG, SCORERS, Answer, Outcome, Scorer
from services.judging.slices import Progress, unheard
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies.drawing.item_references import newest_references

_READ_AT_ONCE = 10_000
_NOTHING = Outcome("", "no_verdict", "the model gave no answer")


def score_answers(
    database: Database,
    actor: Actor,
    study_key: str,
    scorer_key: str,
    *,
    name: str = "",
    field: str = "",
    reference: str = "",
    parameters: Mapping[str, str] | None = None,
    progress: Progress = unheard,
) -> JudgeRunLine:
    """Score every model answer to which a rule applies, and store the result as the run of a judge.

    Parameters
    ----------
    name
        Name of the run; by default the scorer's name with its settings.
    field
        The field that the scorer fills in, as PHASE.FIELD; empty if it is the only one, or if it says correct
        or incorrect.
    reference
        Key of the field whose references count; empty for those that name no field.
    parameters
        Values for the scorer's own parameters.
    progress
        Called with the progress: done, out of how much, and what is being done.

    Raises
    ------
    Conflict
        There is no such scorer, it has no such parameter or applies to no answer, or importing the run is refused.
    InputRefused
        The scorer's output is not on the scale of the field.
    """
    scorer = _scorer(scorer_key)
    given = _given(scorer, parameters or {})
    field = named_or_only(database, actor, study_key, field)
    if is_on_pairs(database, actor, study_key, field):
        raise Conflict(f"A rule scores single answers, and {field} is about pairs of answers; name another field.")
    _require_scale(scorer, given, field, scale_asked(database, actor, study_key, field))
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        progress(0, 1, "Scoring the answers")
        content = _table(_scored(session, stored_id(study.id), scorer, given, reference))
    if not content:
        raise Conflict(f"{scorer.key} applies to no answer of the study: it needs {scorer.needs}.")
    settings = ", ".join(f"{key}={value}" for key, value in given.items() if value)
    of_field = f"reference of {reference}" if reference else ""
    called = f"{scorer.key} {scorer.version}" + (f" ({settings})" if settings else "")
    return import_judge_verdicts(
        database,
        actor,
        study_key,
        name=name or called,
        judge=called,
        content=content,
        file_name=f"{scorer.key}.csv",
        field=field,
        identity=Identity(
            model=f"{scorer.key}, version {scorer.version}",
            settings=", ".join(part for part in (settings, of_field) if part),
        ),
        progress=progress,
    )


def _scorer(key: str) -> Scorer:
    if key not in SCORERS:
        raise Conflict(
            f"There is no scorer '{shown(key)}'{nearest(key, SCORERS)}, expected one of {', '.join(SCORERS)}."
        )
    return SCORERS[key]


def _given(scorer: Scorer, parameters: Mapping[str, str]) -> dict[str, str]:
    unknown = [name for name in parameters if name not in scorer.parameters]
    if unknown:
        known = ", ".join(scorer.parameters) or "none"
        raise Conflict(f"{scorer.key} has no parameter '{shown(unknown[0])}'; it has {known}.")
    given = {**scorer.parameters, **parameters}
    scorer.check(given)
    return given


def _require_scale(scorer: Scorer, given: Mapping[str, str], field: str, scale: JudgeScale) -> None:
    """Refuse a field on whose scale nothing stands that the rule says."""
    says = scorer.says(given)
    if (says == RIGHT_OR_WRONG and scale.code_of("correct") is None) or (says == A_NUMBER and scale.limits is None):
        own = "takes numbers" if scale.limits is not None else f"is a scale of {', '.join(scale.names)}"
        raise Conflict(
            f"{scorer.key} says {says} of each answer, and {field or 'the field'} {own}; name a field that takes "
            f"{'correct and incorrect' if says == RIGHT_OR_WRONG else 'numbers'}."
        )


def _scored(
    session: Session, study_id: int, scorer: Scorer, given: Mapping[str, str], reference: str
) -> Iterator[tuple[str, str, Outcome]]:
    """Yield item, candidate and outcome for each answer to which the rule applies and that no version replaced."""
    newest = {
        item_id: references.of(reference, compared=not reference)
        for item_id, references in newest_references(session, study_id)
    }
    # Columns instead of mapped objects: there may be a hundred thousand rows.
    items = {
        item_id: (key, item_format, options, {**of_case, **of_item})
        for item_id, key, item_format, options, of_item, of_case in session.connection().execute(
            select_columns(
                col(Item.id), col(Item.key), col(Item.format), col(Item.options), col(Item.attributes),
                col(Case.attributes),
            )
            .join(Case, col(Case.id) == Item.case_id)
            .where(col(Item.study_id) == study_id)
            .execution_options(yield_per=_READ_AT_ONCE)
        )
    }  # fmt: skip
    replaced = {(item, candidate) for item, candidate, _ in queries.replaced_keys(session, study_id)}
    rows = session.connection().execute(
        select_columns(col(Candidate.item_id), col(Candidate.key), col(Candidate.answer), col(Candidate.attributes))
        .where(col(Candidate.study_id) == study_id, queries.is_of_a_model())
        .order_by(col(Candidate.id))
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    for item_id, key, text, attributes in rows:
        item, item_format, offered, declared = items[item_id]
        if replaced & {(item, key), (item, None)}:
            continue
        counts = newest.get(item_id)
        options = tuple((option["id"], option["text"]) for option in offered)
        answer = Answer(
            text,
            options or (YES_NO if item_format == "yes_no" else ()),
            counts.counts_as_right if counts else CountsAsRight(),
            {**declared, **attributes},
        )
        outcome = scorer.rule(answer, given)
        if outcome is not None:
            yield item, key, outcome if text.strip() or scorer.key == "own_column" else _NOTHING


def _table(lines: Iterable[tuple[str, str, Outcome]]) -> bytes:
    """Return the lines as a judge's file, written as they arrive; empty if there are none."""
    file = io.BytesIO()
    with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        for number, (item, candidate, outcome) in enumerate(lines):
            if number == 0:
                writer.writerow(JUDGE_VERDICTS.names)
            said = {
                "item": item,
                "candidate": candidate,
                "verdict": outcome.verdict,
                "explanation": outcome.explanation,
                "failure": outcome.failure,
            }
            writer.writerow([said.get(name, "") for name in JUDGE_VERDICTS.names])
        text.flush()
        return file.getvalue()
