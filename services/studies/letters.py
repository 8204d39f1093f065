"""The letter that invites somebody: what their phases hold, where it is opened, and until when.

It is handed on by mail, and read before anything of the study is: it says of each phase what is rated and what stands
beside that on the screen, and nothing of others' phases, of who wrote an answer, of numbers, or of why a unit comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from protocol.language.things import shows_the_reference
from protocol.language.wording import listed
from protocol.phase_rules import PhaseRules
from protocol.phases import Kind
from protocol.study_phases import StudyPhases

# What is done with what is rated; an item is what is on the screen, by `_material`.
_WORK: Mapping[Kind, str] = {
    "items": "read {material} and answer questions about them",
    "candidates": "score answers to questions",
    "pairs": "compare pairs of answers to questions",
    "references": "score reference answers to questions",
    "answers": "score answers to questions",
}
# True of flagged, disagreeing and control items alike: nobody learns from a letter why an item comes to them.
_REVIEW = (
    "read {material} yourself, then see what the raters said of them, and decide which answer stands. Items may have "
    "been flagged or answered differently, or be controls; why an item comes to you is not shown"
)
_ADMINISTER = "administer the study: invite people, freeze it, follow its progress and open its report"


def work_of_rater(phases: StudyPhases) -> tuple[str, ...]:
    """Return what a rater does in the phases of their group, in order, each kind of work once.

    What is shown once an own answer is locked is left out: it is learnt then.
    """
    return tuple(
        dict.fromkeys(
            _work(phase.kind, phases.rules_of(phase))
            for phase in phases.phases
            if phase.role == "rater" and not phase.continues
        )
    )


def work_of(role: str, phases: StudyPhases) -> tuple[str, ...]:
    """Return what somebody is invited to do.

    Parameters
    ----------
    phases
        Of a rater those of their group; of others those of the study.
    """
    if role == "rater":
        return work_of_rater(phases)
    if role == "reviewer":
        read = next(phase for phase in phases.phases if phase.role == "reviewer")
        return (_REVIEW.format(material=_material(phases.rules_of(read))),)
    work = "; ".join(work_of_rater(phases))
    return (f"{_ADMINISTER}. Its raters {work}. Admins of a study rate nothing in it",)


def letter(title: str, name: str, work: tuple[str, ...], login: str, address: str, token: str, until: datetime) -> str:
    """Return what to send: what it is, the address, until when it holds, and that it works once.

    Parameters
    ----------
    address
        Where the server is opened, without a slash at its end.
    token
        Of the link; empty for people who already have an account.
    """
    # Each on one line, or name or title could write an address of its own above ours.
    name, title = (" ".join(words.split()) for words in (name, title))
    head = f'Dear {name},\n\nyou are invited to the study "{title}"{_will(work)}\n\n'
    if not token:
        return f"{head}You already have an account. Sign in as usual:\n\n{address}/sign-in\n"
    return (
        f"{head}Open this address in a browser and choose a password there:\n\n{address}/link/{token}\n\n"
        f"It works once, until {until.day} {until:%B %Y}. After you have set a password, sign in at {address}/sign-in "
        f"with the login {login} and that password.\n\n"
        "Please do not pass this letter on: anyone who opens the address signs in as you.\n"
    )


def _will(work: tuple[str, ...]) -> str:
    if not work:
        # A group whose phases a version may add.
        return ". It holds nothing for you to rate yet."
    if len(work) == 1:
        return f": you will {work[0]}."
    return ": you will\n\n" + "\n".join(f"- {line}" for line in work)


def _work(kind: Kind, rules: PhaseRules) -> str:
    work = _WORK[kind].format(material=_material(rules))
    beside = []
    if kind != "items" and rules.shows_volumes:
        beside.append("the scans")
    if kind != "items" and _shows_the_case(rules):
        beside.append("a description of the case")
    if kind != "references" and shows_the_reference(rules.shows):
        beside.append("the reference answer")
    return f"{work}, with {listed(beside)} on the screen" if beside else work


def _material(rules: PhaseRules) -> str:
    """Return what an item of a phase is to its reader."""
    if rules.shows_volumes:
        return "scans"
    return "descriptions of cases" if _shows_the_case(rules) else "texts"


def _shows_the_case(rules: PhaseRules) -> bool:
    return rules.context.vignette or bool(rules.context.history)
