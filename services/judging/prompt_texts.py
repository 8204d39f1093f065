"""Texts of test subjects in a judge's prompt: a judge that was shown them as examples would look better than it is."""

from __future__ import annotations

from collections.abc import Container, Iterator

from sqlmodel import Session, col, select

from db import Candidate, Case, Item, JudgeRun, Reference, queries
from exchange.refusal import shown
from services.errors import Conflict
from services.judging.run_identity import judge_of

SHORTEST = 40
"""Shorter texts, such as "Is there a lesion?", may be in any prompt."""
_READ_AT_ONCE = 5_000
_ENDS = " .,;:!?…"
# The item's id, its key, what the text is, and the text.
_Text = tuple[int | None, str, str, str]


def require_no_test_texts(session: Session, study_id: int, prompt: str) -> None:
    """Refuse a prompt that contains a text of an item whose human verdicts are sealed, or of its models' answers.

    White space, case and the punctuation at the end of a text do not matter. A text that items of development subjects
    contain as well, such as a question that all items share, is no example of a test subject. Texts of people are not
    looked at: whether a prompt holds one would reveal it.

    Raises
    ------
    Conflict
        Naming the item and what the text is.
    """
    sealed = queries.sealed_items(session, study_id)
    within = _normalised(prompt)
    if not sealed or len(within) < SHORTEST:
        return
    beginnings = {within[place : place + SHORTEST] for place in range(len(within) - SHORTEST + 1)}
    matches: dict[str, tuple[str, str]] = {}
    for item, key, what, text in _texts(session, study_id):
        if item in sealed:
            looked_for = _without_end(_normalised(text))
            if looked_for[:SHORTEST] in beginnings and looked_for in within:
                matches.setdefault(looked_for, (key, what))
    if matches:
        _leave_out_shared(matches, session, study_id, sealed)
    if matches:
        key, what = next(iter(matches.values()))
        raise Conflict(
            f"The prompt contains {what} of item '{shown(key)}', which is of a test subject; take its examples from "
            "items of development subjects, and have the judge run again with that prompt."
        )


def require_prompts_without_test_texts(session: Session, study_id: int, run: str) -> None:
    """Refuse the same of each prompt of a run's judge: versions may have brought items in since they were imported."""
    runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id)).all()
    judges = {judge_of(each) for each in runs if each.name == run}
    for prompt in {str(each.parameters.get("prompt", "")) for each in runs if judge_of(each) in judges}:
        require_no_test_texts(session, study_id, prompt)


def _leave_out_shared(
    matches: dict[str, tuple[str, str]], session: Session, study_id: int, sealed: Container[int | None]
) -> None:
    for item, _, _, text in _texts(session, study_id):
        if item not in sealed and len(text) >= SHORTEST:
            of_development = _normalised(text)
            for shared in [looked_for for looked_for in matches if looked_for in of_development]:
                del matches[shared]
            if not matches:
                return


def _texts(session: Session, study_id: int) -> Iterator[_Text]:
    """Yield what the study's tables say in words of each item: what is asked, of whom, what is right, and answers."""
    asked = select(Item.id, Item.key, Item.prompt).where(Item.study_id == study_id)
    for item, key, prompt in session.exec(asked.execution_options(yield_per=_READ_AT_ONCE)):
        yield item, key, "the question", prompt
    of_cases = (
        select(Item.id, Item.key, Case.vignette, Case.history)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id)
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    for item, key, vignette, history in session.exec(of_cases):
        yield item, key, "the vignette", vignette
        yield from ((item, key, "the history", said) for _, said in history)
    of_references = (
        select(Reference.item_id, Item.key, Reference.accepted, Reference.explanation)
        .join(Item, col(Item.id) == Reference.item_id)
        .where(Item.study_id == study_id)
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    for item, key, accepted, explanation in session.exec(of_references):
        yield from ((item, key, "the reference", said) for said in accepted)
        yield item, key, "the explanation of the reference", explanation
    of_models = (
        select(Candidate.item_id, Item.key, Candidate.key, Candidate.answer)
        .join(Item, col(Item.id) == Candidate.item_id)
        .where(Candidate.study_id == study_id, Candidate.model != "")
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    for item, key, candidate, answer in session.exec(of_models):
        yield item, key, f"the answer of candidate '{shown(candidate)}'", answer


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()


def _without_end(text: str) -> str:
    """Leave out the punctuation at the end, which an example in a prompt has of its own or lacks."""
    shorter = text.rstrip(_ENDS)
    return shorter if len(shorter) >= SHORTEST else text
