"""One form of a login, however it was typed or pasted: whoever counts, stores or looks for a login does it by this."""

from __future__ import annotations

from protocol.seen import as_seen


def canonical_login(typed: str) -> str:
    """Return a login as it is seen, since nothing else tells two logins apart."""
    return as_seen(typed)
