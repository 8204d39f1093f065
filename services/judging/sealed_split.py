"""Divide a study's subjects into development and test, once, and open agreement on test.

What people answered about test subjects stays sealed until everything is unsealed. `db.queries.sealed_items` returns
the items concerned, and everything that lets an admin read answers leaves them out. Agreement on test is opened for one
judge with one prompt at a time (`services.report.calibration`), and shows figures but no rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from agreement.splitting import development_and_test
from db import (
    Case,
    Database,
    Freeze,
    FreezeItem,
    Item,
    JudgeRun,
    LabelImport,
    OpenedBasis,
    SealedSplit,
    SplitOpening,
    Study,
    StudyEvent,
    audit,
    queries,
)
from db.base import stored_id
from db.standing import STANDS
from protocol.language.wording import listed
from services.errors import Conflict, counted, require_reason
from services.judging.counted_verdicts import USUAL, CountedVerdicts, counted_by_judge, require_labels
from services.judging.prompt_texts import require_prompts_without_test_texts
from services.judging.run_identity import Judge, in_words, judge_of
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.seals.order import places_in_chain
from services.studies import draws, frozen_facts

USUAL_SHARE = 0.3
# Item columns that can be used as strata, besides the attributes that a protocol declares.
_OF_ITEMS = ("category", "format")
# What can still be done about a prompt whose figures were based on test subjects and no longer are.
AFTER_REOPENING = (
    "The study has been re-opened since, and changes in the figures could reveal answers that came then: this prompt's "
    "figures are based on development subjects again. Give the next prompt a version of its own, import its run and "
    "open that, or unseal everything at the end of the study."
)
# The judge and prompt of an opening that unseals everything.
_EVERYTHING: Judge = ("", "")


@dataclass(frozen=True)
class SplitLine:
    """How a study is divided, for its admins.

    Attributes
    ----------
    test_items, rated_items, verdicts, labels
        How many items test subjects have, how many of these people rate, and how many verdicts, and labels made
        elsewhere, there are on them. While sealed, phases whose units follow from answers are not counted.
    opened
        Judges with their prompts for which agreement on test was opened, and by which human verdicts.
    """

    method: str
    test_subjects: int
    test_items: int
    rated_items: int
    verdicts: int
    opened: tuple[str, ...]
    is_unsealed: bool
    labels: int = 0

    @property
    def in_words(self) -> str:
        """How much is sealed, and for whom agreement on it was opened."""
        of_test = f"{counted(self.test_subjects, 'test subject')} with {counted(self.test_items, 'item')}"
        if self.rated_items != self.test_items:
            of_test += f", {self.rated_items} of which people rate"
        opened = f" Agreement on them was opened for {'; '.join(self.opened)}." if self.opened else ""
        if self.is_unsealed:
            return f"{of_test}: unsealed.{opened}"
        labels = f" and {counted(self.labels, 'label')} made elsewhere" if self.labels else ""
        return f"{of_test}: sealed, with {counted(self.verdicts, 'verdict')}{labels}.{opened}"

    @property
    def as_divided(self) -> str:
        """How it was drawn, and how much is sealed: shown right after the division."""
        return f"Divided: {self.method}. {self.in_words}"


def make_split(
    database: Database, actor: Actor, study_key: str, share: float = USUAL_SHARE, strata: Sequence[str] = ()
) -> SplitLine:
    """Divide a frozen study's subjects into development and test, and seal the answers about the latter.

    Parameters
    ----------
    share
        The share of the items for test.
    strata
        What both parts should hold in equal proportions: category, format or declared attributes of cases and items.

    Raises
    ------
    Conflict
        The study is not open, its report was open, a judge's verdicts or labels made elsewhere were imported, or it has
        already been divided; or a part would have fewer than 20 subjects or 30 items that people rate.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.DIVIDE, study)
        study_id = stored_id(study.id)
        _require_unseen(session, study_id)
        split = _drawn(session, study_id, share, strata)
        split.person_id = actor.person_id
        session.add(split)
        session.flush()
        audit.record(
            session,
            "subjects divided",
            person_id=actor.person_id,
            study_id=study_id,
            share=share,
            method=split.method,
            rows=proofs.sealed([split]),
        )
        return _line(session, study_id, split)


def split_of(database: Database, actor: Actor, study_key: str) -> SplitLine | None:
    """Return how a study is divided, for its admins; None if it is not."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        split = queries.split_of(session, stored_id(study.id))
        return None if split is None else _line(session, stored_id(study.id), split)


def can_be_divided(database: Database, actor: Actor, study_key: str) -> bool:
    """Return whether a study is open, is not divided, and nobody has seen anything that a seal would protect."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        try:
            require_in_study(session, acts.DIVIDE, study)
            _require_unseen(session, stored_id(study.id))
        except Conflict:
            return False
        return True


def open_test(
    database: Database,
    actor: Actor,
    study_key: str,
    run: str,
    reason: str,
    verdicts: CountedVerdicts = USUAL,
) -> str:
    """Open agreement on test for the judge and prompt of a run, in all fields; return what was opened in words.

    From then on, figures on test subjects are by these human verdicts alone. Opening it again by others takes their
    place, and is an act with a reason of its own. Runs that are imported after the first opening, also those of another
    field, stay on development subjects. `services.report.calibration.open_agreement` checks the basis.

    Raises
    ------
    Conflict
        The study is not divided or not closed, has no such run or labels, or agreement on test is already open for this
        judge and prompt by these human verdicts, or was so before the study was re-opened; or the prompt contains a
        text of a test subject.
    """
    with database.read_only() as session:
        # Not where others wait to write: there may be a million texts.
        study, _ = require_role(session, actor, study_key, "admin")
        require_prompts_without_test_texts(session, stored_id(study.id), run)
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.OPEN_TEST, study)
        runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study.id).order_by(col(JudgeRun.id))).all()
        of_name = next((each for each in runs if each.name == run), None)
        if of_name is None:
            expected = f"expected one of {', '.join(each.name for each in runs)}" if runs else "no judge was imported"
            raise Conflict(f"There is no run '{run}' in this study; {expected}.")
        judge = judge_of(of_name)
        require_labels(session, stored_id(study.id), verdicts.labels)
        _open(session, actor, study, judge, reason, f"{in_words(judge)} was opened on test", verdicts)
        fields = sorted({each.parameters.get("field", "") for each in runs if judge_of(each) == judge} - {""})
        opened = f"{in_words(judge)}, in {listed(fields)}" if len(fields) > 1 else in_words(judge)
        return f"{opened}, by {verdicts.in_words}"


def unseal(database: Database, actor: Actor, study_key: str, reason: str) -> None:
    """From now on, let reports, files and the package contain what people answered about test subjects.

    Raises
    ------
    Conflict
        The study is not divided, or is already unsealed.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.UNSEAL, study)
        _open(session, actor, study, _EVERYTHING, reason, "the answers about test subjects were unsealed")


def _open(
    session: Session,
    actor: Actor,
    study: Study,
    judge: Judge,
    reason: str,
    was_done: str,
    verdicts: CountedVerdicts | None = None,
) -> None:
    study_id = stored_id(study.id)
    if queries.split_of(session, study_id) is None:
        raise Conflict("This study is not divided into development and test, so that there is nothing to open.")
    before = queries.openings_of(session, study_id).get(judge)
    if before is not None:
        if _was_reopened_after(session, study_id, before):
            raise Conflict(f"This is done once, and {was_done} before; nothing was changed. {AFTER_REOPENING}")
        if verdicts is None:
            raise Conflict(f"This is done once, and {was_done} before; nothing was changed.")
        if verdicts == counted_by_judge(session, study_id)[judge]:
            raise Conflict(
                f"This is done once for the same human verdicts, and {was_done} before by {verdicts.in_words}; "
                "nothing was changed."
            )
    said, by = require_reason(reason), actor.person_id
    rows: list[SplitOpening | OpenedBasis] = []
    if before is None:
        opening = SplitOpening(study_id=study_id, judge=judge[0], prompt=judge[1], reason=said, person_id=by)
        session.add(opening)
        session.flush()
        before = stored_id(opening.id)
        rows.append(opening)
    detail = {}
    if verdicts is not None:
        named = OpenedBasis(
            opening_id=before, labels=list(verdicts.labels), basis=verdicts.basis, reason=said, person_id=by
        )
        session.add(named)
        session.flush()
        rows.append(named)
        detail = {"labels": named.labels, "basis": named.basis}
    audit.record(
        session,
        "test subjects unsealed" if judge == _EVERYTHING else "agreement on test opened",
        person_id=by,
        study_id=study_id,
        reason=said,
        **detail,
        rows=proofs.sealed(rows),
    )


def _was_reopened_after(session: Session, study_id: int, opening: int) -> bool:
    """Return whether answers could come after an opening, while they are sealed, by the order of the audit chain."""
    if queries.is_unsealed(session, study_id):
        return False
    opened = places_in_chain(session, study_id, SplitOpening, "agreement on test opened")
    reopened = places_in_chain(session, study_id, StudyEvent, "study reopen")
    return max(reopened.values(), default=0) > opened.get(opening, 0)


def _require_unseen(session: Session, study_id: int) -> None:
    """Refuse a study that is divided, or in which somebody has seen what a seal would protect."""
    if queries.split_of(session, study_id) is not None:
        raise Conflict("The subjects of this study were divided before; it is done once.")
    seen = select(StudyEvent.id).where(StudyEvent.study_id == study_id, col(StudyEvent.kind).in_(("close", "interim")))
    if session.exec(seen.limit(1)).first() is not None:
        raise Conflict("The report of this study was open before, so that nothing of it can be sealed any more.")
    if session.exec(select(JudgeRun.id).where(JudgeRun.study_id == study_id).limit(1)).first() is not None:
        raise Conflict("Verdicts of a judge were imported before; subjects are divided before the first import.")
    if session.exec(select(LabelImport.id).where(LabelImport.study_id == study_id).limit(1)).first() is not None:
        raise Conflict("Labels made elsewhere were imported before; subjects are divided before the first import.")


def _drawn(session: Session, study_id: int, share: float, strata: Sequence[str]) -> SealedSplit:
    if not 0.0 < share < 1.0:
        raise Conflict(f"The share for test is {share:g}; expected a number between 0 and 1, such as {USUAL_SHARE}.")
    rows = session.exec(
        select(Item, Case)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id, ~col(Item.practice))
        .order_by(col(Item.id))
    ).all()
    rated = _rated(session, study_id)
    values = [_values(item, case) for item, case in rows]
    known = {name for own in values for name in own}
    unknown = next((name for name in strata if name not in known), None)
    if unknown is not None:
        raise Conflict(f"No item has a '{unknown}'; expected some of {', '.join(sorted(known))}.")
    of_items = [
        tuple(own.get(name, "") for name in strata) if item.id in rated else None
        for (item, _), own in zip(rows, values, strict=True)
    ]
    subjects = [case.subject for _, case in rows]
    key = draws.key_of(session, study_id, frozen_facts.phases_of(session, study_id).seed)
    seed = key.rng("test subjects").getrandbits(32)
    try:
        split = development_and_test(subjects, of_items, share=1.0 - share, seed=seed, items="items that people rate")
    except ValueError as error:
        sentence = str(error)
        raise Conflict(f"{sentence[0].upper()}{sentence[1:]}.") from None
    return SealedSplit(
        study_id=study_id,
        share=share,
        strata=list(strata),
        test_subjects=sorted({subjects[place] for place in split.test}),
        method=split.method,
    )


def _rated(session: Session, study_id: int) -> set[int]:
    """Return the items that people rate."""
    query = select(FreezeItem.item_id).join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
    return set(session.exec(query.where(Freeze.study_id == study_id, *STANDS)))


def _values(item: Item, case: Case) -> Mapping[str, str]:
    own = {name: str(getattr(item, name)) for name in _OF_ITEMS}
    return {**own, **case.attributes, **item.attributes}


def _line(session: Session, study_id: int, split: SealedSplit) -> SplitLine:
    items = queries.items_for_test(session, study_id)
    is_unsealed = queries.is_unsealed(session, study_id)
    verdicts = counted_by_judge(session, study_id)
    # The number of units that follow from answers reveals how far people agree.
    following = () if is_unsealed else frozen_facts.phases_of(session, study_id).chosen_by_answers
    return SplitLine(
        split.method,
        len(split.test_subjects),
        len(items),
        len(_rated(session, study_id).intersection(items)),
        queries.count_verdicts_on(session, items, following),
        tuple(sorted(f"{in_words(judge)}, by {own.in_words}" for judge, own in verdicts.items())),
        is_unsealed,
        queries.count_labels_on(session, items),
    )
