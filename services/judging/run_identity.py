"""Which judge made a run: two runs are of the same judge if judge and prompt are the same."""

from __future__ import annotations

from difflib import get_close_matches

from sqlmodel import Session, select

from db import Item, JudgeRun, queries
from exchange.refusal import shown
from services.errors import Conflict, InputRefused, counted

# A judge, and its prompt by version or by the first digits of its hash; empty if the run gives neither.
Judge = tuple[str, str]
_DIGITS = 8


def text_of(content: bytes, name: str) -> str:
    """Return the text of a file with a prompt or a rubric, so that its hash is that of the text.

    Raises
    ------
    InputRefused
        It is not UTF-8, or contains NUL, as UTF-16 does: encodings are not guessed.
    """
    try:
        text = content.decode("utf-8-sig")
        place = text.find("\0")
    except UnicodeDecodeError as error:
        place = error.start
    if place >= 0:
        raise InputRefused(f"{shown(name, 80)} is not UTF-8 text (byte {place + 1}); save it as UTF-8.")
    return text


def judge_of(run: JudgeRun) -> Judge:
    """Return a run's judge with its prompt: a judge with two prompts counts as two judges."""
    return run.judge, str(run.parameters.get("prompt_version") or run.parameters.get("prompt_sha256", "")[:_DIGITS])


def in_words(judge: Judge) -> str:
    """Return the name of a judge with its prompt, as shown on a page."""
    name, prompt = judge
    return f"{name} ({prompt})" if prompt else name


def require_own_name(session: Session, run: JudgeRun) -> None:
    """Refuse a run whose judge would have the same name as another: "J (v1)", and "J" with the prompt "v1".

    Raises
    ------
    Conflict
        A run of another judge, or with another prompt, has this name.
    """
    name = in_words(judge_of(run))
    for other in session.exec(select(JudgeRun).where(JudgeRun.study_id == run.study_id)):
        if judge_of(other) != judge_of(run) and in_words(judge_of(other)) == name:
            raise Conflict(
                f"The judge of run '{other.name}' is called '{name}' with its prompt, too, and is another one; give "
                "this judge another name, or its prompt another version."
            )


def require_prompt_of_version(session: Session, run: JudgeRun) -> None:
    """Refuse a run whose prompt has the same version as a different text: the two would count as one judge.

    Raises
    ------
    Conflict
        A run of this judge has the same version but another prompt.
    """
    version, sha256 = (run.parameters.get(key) for key in ("prompt_version", "prompt_sha256"))
    if not version or not sha256:
        return
    of_judge = select(JudgeRun).where(JudgeRun.study_id == run.study_id, JudgeRun.judge == run.judge)
    for other in session.exec(of_judge):
        if judge_of(other) == judge_of(run) and other.parameters.get("prompt_sha256", sha256) != sha256:
            raise Conflict(
                f"In run '{other.name}', version '{version}' of the prompt of '{run.judge}' is another text; give this "
                "prompt a version of its own."
            )


def require_for_development(session: Session, study_id: int, examples: tuple[str, ...]) -> None:
    """Refuse examples that the study lacks, and those of test subjects: a judge that saw them would look better."""
    if not examples:
        return
    rows = session.exec(select(Item.key, Item.id).where(Item.study_id == study_id)).all()
    known, for_test = dict(rows), queries.items_for_test(session, study_id)
    missing = [key for key in examples if key not in known]
    if missing:
        near = get_close_matches(missing[0], known, n=1)
        nearest = f" (nearest: {near[0]})" if near else ""
        raise Conflict(f"The study has no item '{shown(missing[0])}'{nearest}, named as an example of the prompt.")
    of_test = [key for key in examples if known[key] in for_test]
    if of_test:
        raise Conflict(
            f"{len(of_test)} of {counted(len(examples), 'example')} of the prompt "
            f"{'is' if len(of_test) == 1 else 'are'} of test subjects, such as {shown(of_test[0])}; expected items of "
            "development subjects."
        )
