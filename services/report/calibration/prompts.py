"""Comparison of two prompts of one judge: the differences in their texts, and in the verdicts they led to."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sqlmodel import col, select
from threadpoolctl import threadpool_limits

from agreement.judge.material import Made
from agreement.judge.panels import repeatability
from db import Database, JudgeRun
from db.base import stored_id
from services.judging.run_identity import in_words, judge_of
from services.people.identity import Actor
from services.people.permission import require_role
from services.report.calibration.calibrating import Calibration

# Context lines of a prompt shown around each difference.
_AROUND = 2


@dataclass(frozen=True)
class Prompt:
    """A prompt as stored by the first run that names it.

    Attributes
    ----------
    name
        The judge with its prompt, as panels name it.
    version, sha256, text
        Each empty if no run records it.
    runs
        Names of the runs made with it.
    """

    name: str
    judge: str
    version: str
    sha256: str
    text: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class ChangeOfPrompt:
    """How a prompt changed, and how the verdicts changed with it.

    Attributes
    ----------
    texts
        The lines that differ, as a unified diff; empty if a text is not stored or nothing differs.
    said
        Why the texts cannot be compared; empty if they can.
    verdicts
        Sentences on shift, scatter, missing and new verdicts on all candidates, beside what changes from run to run.
    """

    first: Prompt
    second: Prompt
    texts: str
    said: str
    verdicts: tuple[str, ...]


def changes_of_prompts(database: Database, actor: Actor, calibration: Calibration) -> tuple[ChangeOfPrompt, ...]:
    """Return each change of a judge's prompt between the runs of a calibration, in order of import.

    Raises
    ------
    NotFound, NotAllowed
        As for the calibration.
    """
    with database.read_only() as session:
        study, _ = require_role(session, actor, calibration.study_key, "admin")
        stored = session.exec(
            select(JudgeRun).where(JudgeRun.study_id == stored_id(study.id)).order_by(col(JudgeRun.id))
        ).all()
    prompts = prompts_of([run for run in stored if run.name in calibration.runs])
    return tuple(
        _change(calibration, first, second)
        for judge in dict.fromkeys(prompt.judge for prompt in prompts)
        for first, second in pairwise(prompt for prompt in prompts if prompt.judge == judge)
    )


def prompts_of(runs: Sequence[JudgeRun]) -> list[Prompt]:
    """Return the distinct prompts of some runs, by the rule that tells judges apart."""
    named: dict[str, list[JudgeRun]] = {}
    for run in runs:
        named.setdefault(in_words(judge_of(run)), []).append(run)
    return [
        Prompt(
            name,
            own[0].judge,
            _said(own, "prompt_version"),
            _said(own, "prompt_sha256"),
            _said(own, "prompt"),
            tuple(run.name for run in own),
        )
        for name, own in named.items()
    ]


def _said(runs: Sequence[JudgeRun], key: str) -> str:
    return next((str(run.parameters[key]) for run in runs if run.parameters.get(key)), "")


def difference_of_texts(first: Prompt, second: Prompt) -> tuple[str, str]:
    """Return the lines that differ between two prompts, and why they cannot be compared, if they cannot."""
    missing = [prompt.name for prompt in (first, second) if not prompt.text]
    if missing:
        return "", f"The text of the prompt is not stored with {' and '.join(missing)}."
    if first.text == second.text:
        return "", "Both prompts have the same text under two names."
    lines = difflib.unified_diff(
        first.text.splitlines(), second.text.splitlines(), first.name, second.name, lineterm="", n=_AROUND
    )
    texts = "\n".join(lines)
    return texts, "" if texts else "The prompts differ in the ends of their lines only."


def _change(calibration: Calibration, first: Prompt, second: Prompt) -> ChangeOfPrompt:
    material = calibration.material
    runs = {prompt.name: material.runs[prompt.name] for prompt in (first, second)}
    # All runs of a prompt are one version: what it was made by otherwise is the matter of the panel.
    made = {(name, run): Made(first.judge, prompt=name) for name, own in runs.items() for run in own}
    with threadpool_limits(1, user_api="blas"):
        verdicts = repeatability.between_versions(replace(material, runs=runs, made=made), calibration.plan)
    return ChangeOfPrompt(first, second, *difference_of_texts(first, second), verdicts)
