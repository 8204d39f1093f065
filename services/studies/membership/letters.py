"""The letter that invites somebody: what their phases involve, where to open the study, and until when.

It is sent by mail and read before anything else of the study. For each phase it names what is rated and what is shown
beside it. It says nothing about other people's phases, who wrote an answer, numbers, or why a unit was selected.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from protocol.language.things import shows_the_reference
from protocol.language.wording import listed
from protocol.phase_rules import PhaseRules
from protocol.phases import Kind
from protocol.study_phases import StudyPhases

# What is done with each kind of unit; for an item, `_material` says what is on the screen.
_WORK: Mapping[Kind, str] = {
    "items": "read {material} and answer questions about them",
    "candidates": "score answers to questions",
    "pairs": "compare pairs of answers to questions",
    "references": "score reference answers to questions",
    "answers": "score answers to questions",
}
# True of flagged, disagreeing and control items alike: the letter must not reveal why an item reaches a reviewer.
_REVIEW = (
    "read {material} yourself, then see what the raters said of them, and decide which answer stands. Items may have "
    "been flagged or answered differently, or be controls; why an item comes to you is not shown"
)
_ADMINISTER = "administer the study: invite people, freeze it, follow its progress and open its report"


def work_of_rater(phases: StudyPhases) -> tuple[str, ...]:
    """Return what a rater does in the phases of their group, in order, each kind of work once.

    What is shown after an answer is sealed is left out: raters only learn it then.
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
        For a rater, the phases of their group; for others, those of the study.
    """
    if role == "rater":
        return work_of_rater(phases)
    if role == "reviewer":
        read = next(phase for phase in phases.phases if phase.role == "reviewer")
        return (_REVIEW.format(material=_material(phases.rules_of(read))),)
    work = "; ".join(work_of_rater(phases))
    return (f"{_ADMINISTER}. Its raters {work}. Admins of a study rate nothing in it",)


def letter(title: str, name: str, work: tuple[str, ...], login: str, address: str, token: str, until: datetime) -> str:
    """Return the text of the letter: what it is, the address, how long it is valid, and that it works once.

    Parameters
    ----------
    address
        The server's address without a trailing slash.
    token
        The token of the link; empty for people who already have an account.
    """
    # Collapsed to one line each, or a name or title could put an address of its own above ours.
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
        # A later version may add phases for this group.
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
    """Return what an item of a phase consists of, from its reader's point of view."""
    if rules.shows_volumes:
        return "scans"
    return "descriptions of cases" if _shows_the_case(rules) else "texts"


def _shows_the_case(rules: PhaseRules) -> bool:
    return rules.context.vignette or bool(rules.context.history)
