"""The phases of a study, one row each: what is rated, by whom, by which form, when it opens, and what ends it.

Stored with an assignment are the key of its phase, what is rated (`kind`) and the step; database and gates go by the
last two, so that a phase may come to be called otherwise. What each phase shows is in `protocol.visibility`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["items", "candidates", "pairs", "references", "answers"]
Role = Literal["rater", "reviewer"]
Form = Literal["reading", "scoring", "review", "opinions"]
# How far something tells that a phase shows: of all that is about the subject, of the item, or of the one unit.
Reach = Literal["subject", "item", "unit"]
# What the reading room calls a phase: never the key, in which an author may say what nobody is to know.
Screen = Literal["practice", "reading", "scoring", "review", "opinions"]


# Behind the key of a listed phase: of the phase that shows more once an answer in it is locked.
THEN = ".then"


@dataclass(frozen=True)
class Queue:
    """What somebody works through in one go, position by position.

    Attributes
    ----------
    verb
        What is done in it, before a number: "Read" 20 items.
    title, unit, to_do
        How a worklist names it: "Read items", "item", "to read".
    done_as
        How a table of progress names what is done: "reads".
    empty
        What a worklist says while nothing is in it.
    finished, thanks
        Title and sentence of the screen behind the last item.
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
        """Return a number with the noun of its unit, as "1 item"."""
        return f"{number} {self.unit}" if number == 1 else f"{number} {self.unit}s"


@dataclass(frozen=True)
class Phase:
    """One phase.

    Attributes
    ----------
    kind
        What is rated.
    step
        The place among the phases that work on one unit of a queue, from 1 on.
    opens
        What must be done before, in words.
    after
        Keys of the phases of which the same member must have done everything before.
    after_everyone
        Keys of the phases of which everybody in them must have done everything before.
    done_by
        What closes an assignment, beside a technical failure. A decision is no verdict: it says which answer stands.
    trains
        Whether it is practice: in passes, with feedback, and in no statistic.
    revisable
        Whether the protocol may let verdicts be revised.
    heading
        The line above the item; none where practice and progress say enough.
    listed
        Whether the phase is one that a protocol lists, and none of this table.
    left
        The words for assignments that are not done, after "3 of 20".
    groups
        Keys of the groups of people who work in it; none where a study has no groups.
    continues
        Key of the phase of which it shows more, unit by unit, once the own answer there is locked; empty for none.
    follows
        Keys of the phases from whose answers its units are drawn, once these are closed; none of what a freeze draws.
    by_admin
        Whether it waits until an admin opens it.
    is_followed
        Whether units of others, maybe of another group of people, are drawn from its answers.
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
    by_admin: bool = False

    @property
    def listed_as(self) -> str:
        """The key under which a protocol lists it: its own, or that of the phase that it continues."""
        return self.continues or self.key

    @property
    def rates_answers(self) -> bool:
        """Whether a unit of it is an answer to an item, and not the item itself or its reference."""
        return self.kind not in ("items", "references")

    @property
    def role(self) -> Role:
        """Whose work it is."""
        return self.queue.role

    @property
    def screen(self) -> Screen:
        """What the reading room calls it."""
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
# The line over an item that an admin looks at before anybody reads it; no phase, since nothing of it is stored.
PREVIEW_HEADING = "Preview: as a rater sees it, nothing is saved"
PHASES: Mapping[str, Phase] = {phase.key: phase for phase in (PRACTICE, READING, SCORING, REVIEW, OPINIONS)}


def diagram() -> str:
    """Return the phases by queue as a Mermaid diagram: what opens each, what is rated in it, and by what it is done."""
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
