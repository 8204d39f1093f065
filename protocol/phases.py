"""The phases of a study, one row each: what is rated, by whom, with which form, when it opens, and what ends it.

An assignment stores the key of its phase, what is rated (`kind`) and the step. The database and the gates use only the
last two, so a phase can be renamed. What each phase shows is in `protocol.visibility`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["items", "candidates", "pairs", "references", "answers"]
Role = Literal["rater", "reviewer"]
Form = Literal["reading", "scoring", "review", "opinions"]
# How much of the material something that a phase shows can give away: the whole subject, the item, or the one unit.
Reach = Literal["subject", "item", "unit"]
# The reading room's name for a phase. It never uses the key, which may contain something that raters must not know.
Screen = Literal["practice", "reading", "scoring", "review", "opinions"]


# Appended to the key of a listed phase: the phase that shows more once an answer in the first is locked.
THEN = ".then"


@dataclass(frozen=True)
class Queue:
    """What somebody works through in one go, position by position.

    Attributes
    ----------
    verb
        The word before a number of units: "Read" 20 items.
    title, unit, to_do
        Its words in a worklist: "Read items", "item", "to read".
    done_as
        The word for finished work in a table of progress: "reads".
    empty
        The worklist's text while the queue is empty.
    finished, thanks
        Title and text of the screen after the last item.
    """

    key: str
    role: Role
    verb: str
    title: str
    unit: str
    to_do: str
    done_as: str
    empty: str
    finished: str
    thanks: str

    def counted(self, number: int) -> str:
        """Return a number with the noun of its unit, such as "1 item"."""
        return f"{number} {self.unit}" if number == 1 else f"{number} {self.unit}s"


@dataclass(frozen=True)
class Phase:
    """One phase.

    Attributes
    ----------
    kind
        What is rated.
    step
        Its position, from 1, among the phases of a queue that work on the same unit.
    opens
        What must be done first, in words.
    after
        Keys of the phases that the same member must have finished first.
    after_everyone
        Keys of the phases that everybody in them must have finished first.
    done_by
        What closes an assignment, apart from a technical failure. A decision is not a verdict: it says which answer
        stands.
    trains
        Whether it is practice: in passes, with feedback, and excluded from all statistics.
    revisable
        Whether the protocol may allow verdicts to be revised.
    heading
        The line above the item; empty if the phase and the progress say enough.
    listed
        Whether a protocol lists the phase; False for the phases of the table below.
    left
        The words for unfinished assignments, after "3 of 20".
    groups
        Keys of the groups that work in it; empty if the study has no groups.
    continues
        Key of the phase whose units it shows with more, each once the rater's own answer is locked; empty for none.
    follows
        Keys of the phases that must be closed before its units are drawn from their answers; empty if its units are
        drawn at the freeze.
    by_admin
        Whether it waits until an admin opens it.
    is_followed
        Whether another phase, possibly of another group, draws its units from this one's answers.
    is_awaited
        Whether another phase, possibly of another group, opens once everybody is done with this one.
    """

    key: str
    kind: Kind
    step: int
    queue: Queue
    form: Form
    opens: str
    after: tuple[str, ...] = ()
    after_everyone: tuple[str, ...] = ()
    done_by: Literal["verdict", "decision"] = "verdict"
    trains: bool = False
    revisable: bool = False
    heading: str = ""
    left: str = ""
    listed: bool = False
    groups: tuple[str, ...] = ()
    continues: str = ""
    follows: tuple[str, ...] = ()
    is_followed: bool = False
    is_awaited: bool = False
    by_admin: bool = False

    @property
    def listed_as(self) -> str:
        """The key under which the protocol lists it: its own, or that of the phase that it continues."""
        return self.continues or self.key

    @property
    def can_be_closed(self) -> bool:
        """Whether it can be closed before everybody is done with it, since others depend on when that is."""
        return self.is_followed or self.is_awaited

    @property
    def rates_answers(self) -> bool:
        """Whether its units are answers to items, rather than items or their references."""
        return self.kind not in ("items", "references")

    @property
    def role(self) -> Role:
        """The role of the people who work in it."""
        return self.queue.role

    @property
    def screen(self) -> Screen:
        """The reading room's name for it."""
        return "practice" if self.trains else self.form


_NOTHING_YET = "Nothing is assigned to you for now."
_SAVED = "Thank you. Every verdict is saved; you may close this page."

READING_QUEUE = Queue(
    key="reading",
    role="rater",
    verb="Read",
    title="Read items",
    unit="item",
    to_do="to read",
    done_as="reads",
    empty=_NOTHING_YET,
    finished="All items are read",
    thanks=_SAVED,
)
SCORING_QUEUE = Queue(
    key="scoring",
    role="rater",
    verb="Score",
    title="Score answers",
    unit="answer",
    to_do="to score",
    done_as="scores",
    empty=_NOTHING_YET,
    finished="All answers are scored",
    thanks=_SAVED,
)
REVIEW_QUEUE = Queue(
    key="review",
    role="reviewer",
    verb="Adjudicate",
    title="Adjudicate",
    unit="item",
    to_do="to decide",
    done_as="adjudicates",
    empty="Your queue is empty for now; items appear here when there is something to decide.",
    finished="Your queue is empty for now",
    thanks="Thank you. Every decision is saved. While the study is open, further items may come to your worklist.",
)
QUEUES: Mapping[str, Queue] = {queue.key: queue for queue in (READING_QUEUE, SCORING_QUEUE, REVIEW_QUEUE)}

PRACTICE = Phase("practice", "items", 1, READING_QUEUE, "reading", "at once", trains=True, heading="Practice")
READING = Phase(
    "reading", "items", 1, READING_QUEUE, "reading", "practice passed", revisable=True, left="items not read"
)
SCORING = Phase(
    "scoring",
    "candidates",
    1,
    SCORING_QUEUE,
    "scoring",
    "own reads done",
    after=(READING.key,),
    heading="Scoring: is this answer correct?",
    left="answers not scored",
)
REVIEW = Phase(
    "review",
    "items",
    1,
    REVIEW_QUEUE,
    "review",
    "at once",
    heading="Review: read the item yourself first",
    left="items in the queue not read by the reviewer",
)
OPINIONS = Phase(
    "opinions",
    "items",
    2,
    REVIEW_QUEUE,
    "opinions",
    "own read done",
    done_by="decision",
    heading="Review: see the opinions, then decide",
    left="items in the queue read by the reviewer and not decided",
)
# The line above an item that an admin previews. Previews are not a phase, since nothing about them is stored.
PREVIEW_HEADING = "Preview: as a rater sees it, nothing is saved"
PHASES: Mapping[str, Phase] = {phase.key: phase for phase in (PRACTICE, READING, SCORING, REVIEW, OPINIONS)}


def diagram() -> str:
    """Return the phases by queue as a Mermaid diagram: what opens each, what it rates, and what closes its work."""
    lines = ["flowchart LR"]
    for queue in QUEUES.values():
        lines.append(f'  subgraph {queue.key}_queue["{queue.title} ({queue.role})"]')
        phases = [phase for phase in PHASES.values() if phase.queue == queue]
        for phase in phases:
            said = [phase.key, f"rates {phase.kind}", f"opens: {phase.opens}", f"done by a {phase.done_by}"]
            lines.append(f'    {phase.key}["{"<br/>".join(said)}"]')
        lines += [f"    {before.key} --> {after.key}" for before, after in pairwise(phases)]
        lines.append("  end")
    lines += [f"  {READING.key} --> {SCORING.key}", f"  {READING.key} -.-> {REVIEW.key}"]
    return "\n".join(lines)
