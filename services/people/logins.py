"""One form of a login, however it was typed or pasted: logins are counted, stored and looked up in this form."""

from __future__ import annotations

from protocol.seen import as_seen


def canonical_login(typed: str) -> str:
    """Return a login as it is seen, since nothing else tells two logins apart."""
    return as_seen(typed)
