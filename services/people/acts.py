"""Which act is possible in which state, and how it is refused otherwise: one row per act.

States are derived from rows and never stored (`permission.state_of`, `services.reading.submission`). The diagrams in
docs/architecture.md are drawn from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlmodel import Session

from db import Study
from db.base import stored_id
from services.errors import AlreadySubmitted, Conflict, NotOnTheDesk, Refused, StudyClosed, StudyNotOpen
from services.people.permission import state_of

STATES: Mapping[str, tuple[str, ...]] = {
    "study": ("draft", "open", "closed"),
    "assignment": ("waiting", "on the desk", "done", "being revised", "not shown", "too late", "replaced"),
    "review task": ("not read", "read", "decided"),
    "judge run": ("unfinished", "imported", "cleaned away"),
}


@dataclass(frozen=True)
class Act:
    """Something that somebody does to or with a thing that has states.

    Attributes
    ----------
    of
        The thing, a key of `STATES`.
    who
        The role that is needed. Owners belong to the installation, the other roles to the study.
    before, after
        The states in which the act is possible, and the one it leads to (None if the state does not change). A thing
        that the act creates has no state before.
    refusals
        By state, the error and its sentence, in which `{key}` stands for the study.
    """

    of: str
    name: str
    who: str
    before: tuple[str, ...]
    after: str | None = None
    refusals: Mapping[str, tuple[type[Refused], str]] = field(default_factory=dict)


_FROZEN = (Conflict, "This study is already frozen; a freeze cannot be repeated.")
_NO_DRAFT = (Conflict, "The study '{key}' is frozen; only a draft can be renamed, removed or imported over.")
_TOO_LATE = (
    NotOnTheDesk,
    "This part was closed before your answer was saved and accepts no more answers.",
)
_REPLACED = (
    NotOnTheDesk,
    "This was corrected in a new version of the study before your answer was saved.",
)
_ELSEWHERE = (NotOnTheDesk, "You have moved on to another item; continue with that.")
_LATE: Mapping[str, tuple[type[Refused], str]] = {"too late": _TOO_LATE, "replaced": _REPLACED}

CHANGE_DRAFT = Act(
    "study", "rename, import over, remove", "owner or admin", ("draft",), None, {"open": _NO_DRAFT, "closed": _NO_DRAFT}
)
FREEZE = Act("study", "freeze", "admin", ("draft",), "open", {"open": _FROZEN, "closed": _FROZEN})
PREPARE_VOLUMES = Act(
    "study",
    "prepare the volumes of drawn items",
    "admin",
    ("draft",),
    None,
    dict.fromkeys(("open", "closed"), (Conflict, "This study is frozen; what it shows was prepared before.")),
)
THAW = Act(
    "study",
    "thaw, while nobody has seen anything",
    "admin",
    ("open",),
    "draft",
    {
        "draft": (Conflict, "This study is not frozen, so it can be changed without a thaw."),
        "closed": (Conflict, "This study is closed; what was read in it stays as it is."),
    },
)
READ = Act(
    "study",
    "read, score, decide",
    "rater or reviewer",
    ("open",),
    None,
    {
        "draft": (StudyNotOpen, "This study is not open yet; its admin has to freeze it first."),
        "closed": (StudyClosed, "This study is closed; no more verdicts are accepted."),
    },
)
JOIN_AS_RATER = Act(
    "study",
    "join as a rater",
    "rater",
    ("draft", "open"),
    None,
    {"closed": (Conflict, "This study is closed; raters can no longer join it.")},
)
TAKE_OUT = Act(
    "study",
    "take a member out",
    "admin",
    ("draft", "open"),
    None,
    {"closed": (Conflict, "The study is closed; re-open it before removing anybody.")},
)
IMPORT_RUN = Act(
    "study",
    "import a judge run",
    "admin",
    ("open", "closed"),
    None,
    {"draft": (Conflict, "Freeze the study first: a judge is compared on a frozen pool of candidates.")},
)
IMPORT_LABELS = Act(
    "study",
    "import labels made elsewhere",
    "admin",
    ("open", "closed"),
    None,
    {"draft": (Conflict, "Freeze the study first: labels are placed on a frozen pool of candidates.")},
)
OPEN_QUEUE = Act(
    "study",
    "send items to reviewers",
    "admin",
    ("open",),
    None,
    dict.fromkeys(("draft", "closed"), (Conflict, "The queue can be opened only while the study is open.")),
)
LOOK = Act(
    "study",
    "take an interim look",
    "admin",
    ("open",),
    None,
    {
        "draft": (Conflict, "The study is not frozen yet, so there is nothing to look at; freeze it first."),
        "closed": (Conflict, "The study is closed, so its report is open without an interim look."),
    },
)
CLOSE = Act(
    "study",
    "close",
    "admin",
    ("open",),
    "closed",
    {
        "draft": (Conflict, "The study is not frozen yet; it can be closed only while it is open."),
        "closed": (Conflict, "The study is already closed; it can be closed only while it is open."),
    },
)
REOPEN_STUDY = Act(
    "study",
    "re-open",
    "admin",
    ("closed",),
    "open",
    {
        "draft": (Conflict, "The study is not frozen yet; it can be re-opened only while it is closed."),
        "open": (Conflict, "The study is already open; it can be re-opened only while it is closed."),
    },
)
DIVIDE = Act(
    "study",
    "divide its subjects into development and test",
    "admin",
    ("open",),
    None,
    {
        "draft": (Conflict, "Freeze the study first: what is divided are the subjects of a frozen study."),
        "closed": (Conflict, "The study is closed and its report has been open, so nothing can be sealed any more."),
    },
)
OPEN_TEST = Act(
    "study",
    "open agreement of judges on test subjects",
    "admin",
    ("closed",),
    None,
    {
        "draft": (Conflict, "The study is not frozen yet, so nothing in it is sealed."),
        "open": (
            Conflict,
            "The study is still open: figures could reveal answers that arrive later. Close the study first.",
        ),
    },
)
UNSEAL = Act(
    "study",
    "unseal answers about test subjects",
    "admin",
    ("open", "closed"),
    None,
    {"draft": (Conflict, "The study is not frozen yet, so nothing in it is sealed.")},
)

_AT_WORK = ("on the desk", "being revised")
SHOW = Act(
    "assignment",
    "show",
    "its member",
    _AT_WORK,
    None,
    {**dict.fromkeys(("waiting", "done", "not shown"), _ELSEWHERE), **_LATE},
)
DRAFT = Act(
    "assignment",
    "save a draft",
    "its member",
    _AT_WORK,
    None,
    {
        "waiting": _ELSEWHERE,
        "not shown": _ELSEWHERE,
        **_LATE,
        "done": (AlreadySubmitted, "This item has already been submitted; the draft is no longer needed."),
    },
)
SUBMIT = Act(
    "assignment",
    "submit",
    "its member",
    _AT_WORK,
    "done",
    {
        "waiting": _ELSEWHERE,
        "not shown": _ELSEWHERE,
        **_LATE,
        "done": (AlreadySubmitted, "This item has already been submitted; nothing was changed."),
    },
)
GIVE_UP = Act(
    "assignment",
    "note that it cannot be shown",
    "its member",
    ("on the desk",),
    "not shown",
    {**dict.fromkeys(("waiting", "done", "being revised", "not shown"), _ELSEWHERE), **_LATE},
)
REVISE = Act("assignment", "open for revision", "its rater", ("done",), "being revised")
LEAVE = Act("assignment", "go back without a change", "its rater", ("being revised",), "done")
CLOSE_PHASE = Act(
    "study",
    "close a phase for which others wait",
    "admin",
    ("open",),
    None,
    {
        "draft": (Conflict, "The study is not frozen yet, so none of its phases can be closed."),
        "closed": (Conflict, "The study is closed; re-open it before closing one of its phases."),
    },
)
OPEN_PHASE = Act(
    "study",
    "open a phase that waits for that",
    "admin",
    ("open",),
    None,
    {
        "draft": (Conflict, "The study is not frozen yet, so none of its phases can be opened."),
        "closed": (Conflict, "The study is closed; re-open it before opening one of its phases."),
    },
)
NEW_VERSION = Act(
    "study",
    "make a new version",
    "admin",
    ("open",),
    None,
    {
        "draft": (Conflict, "The study is still a draft; import over it instead of making a version."),
        "closed": (Conflict, "The study is closed; re-open it before making a new version of it."),
    },
)
COME_LATE = Act("assignment", "close its phase", "admin", ("waiting", "on the desk"), "too late")
WITHDRAW = Act("assignment", "make a version with a corrected unit", "admin", ("waiting", "on the desk"), "replaced")
COME_UP = Act("assignment", "finish the one before it", "its member", ("waiting",), "on the desk")

TASK_READ = Act("review task", "read blind", "its reviewer", ("not read",), "read")
TASK_DECIDED = Act("review task", "decide, having seen the opinions", "its reviewer", ("read",), "decided")
RUN_IMPORTED = Act("judge run", "store its row behind its verdicts", "its import", ("unfinished",), "imported")
RUN_CLEARED = Act("judge run", "remove what a kill left", "the next import", ("unfinished",), "cleaned away")

ACTS = (
    CHANGE_DRAFT, PREPARE_VOLUMES, FREEZE, THAW, READ, JOIN_AS_RATER, TAKE_OUT, IMPORT_RUN, IMPORT_LABELS, OPEN_QUEUE,
    LOOK, CLOSE, REOPEN_STUDY, CLOSE_PHASE, OPEN_PHASE, NEW_VERSION, DIVIDE, OPEN_TEST, UNSEAL,
    SHOW, DRAFT, SUBMIT, GIVE_UP, REVISE, LEAVE, COME_UP, COME_LATE, WITHDRAW, TASK_READ, TASK_DECIDED, RUN_IMPORTED,
    RUN_CLEARED,
)  # fmt: skip


def require(act: Act, state: str, key: str = "") -> None:
    """Refuse an act that is not possible in a state, with the sentence from the table.

    Raises
    ------
    Refused
        The error that the table gives for this state.
    """
    if state not in act.before:
        error, sentence = act.refusals[state]
        raise error(sentence.format(key=key))


def require_in_study(session: Session, act: Act, study: Study) -> None:
    """Refuse an act that the study's state does not allow."""
    require(act, state_of(session, stored_id(study.id)), study.key)


def diagram(thing: str) -> str:
    """Return a thing's states as a Mermaid diagram. Acts that do not change the state are listed in notes."""
    lines = ["stateDiagram-v2"]
    ids = {state: state.replace(" ", "_") for state in STATES[thing]}
    lines += [f'  state "{state}" as {ids[state]}' for state in STATES[thing] if " " in state]
    lines.append(f"  [*] --> {ids[STATES[thing][0]]}")
    for act in (act for act in ACTS if act.of == thing and act.before):
        if act.after is not None:
            lines += [f"  {ids[before]} --> {ids[act.after]}: {act.name} ({act.who})" for before in act.before]
    for state in STATES[thing]:
        stays = [f"{act.name} ({act.who})" for act in ACTS if act.of == thing and not act.after and state in act.before]
        if stays:
            lines += [f"  note right of {ids[state]}", *(f"    {line}" for line in stays), "  end note"]
    return "\n".join(lines)
