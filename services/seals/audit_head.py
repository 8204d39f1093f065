"""The head of the audit chain. Stored elsewhere, it reveals a rewritten chain, so it is offered with every export."""

from __future__ import annotations

import re

from db import Database, audit
from services.errors import Conflict
from services.installation import whereabouts
from services.people.identity import Actor
from services.people.permission import require_role

FILE_NAME = "audit-head.txt"
_WHY_TO_KEEP = (
    "Anybody with write access to the database could rewrite the end of the audit chain, and nothing in the database "
    "would show it. This line, kept elsewhere by somebody else, does:"
)
_CHECK = "verify STUDY --audit-head FILE"
_HEAD = re.compile(r"\b[0-9a-f]{64}\b")


def audit_head_for_admin(database: Database, actor: Actor, study_key: str) -> str:
    """Return the head of the chain, for a study's admin."""
    with database.read_only() as session:
        require_role(session, actor, study_key, "admin")
        return audit.head(session)


def present_head(database: Database) -> str:
    """Return the head of the chain, for the command line."""
    with database.read_only() as session:
        return audit.head(session)


def why_to_keep() -> str:
    """Return what the head is for, with the command that checks it on this machine."""
    return f"{_WHY_TO_KEEP} {whereabouts.command(_CHECK)}"


def head_file(head: str) -> str:
    """Return the content of the file to keep: the head and its purpose, independent of this machine."""
    return f"{head}\n\nThis is the head of the audit chain. {_WHY_TO_KEEP} python manage.py {_CHECK}\n"


def head_in(text: str) -> str:
    """Return the head that a stored file contains."""
    match = _HEAD.search(text)
    if match is None:
        raise Conflict("The file holds no head of an audit chain: 64 digits and letters from a to f are expected.")
    return match.group()
