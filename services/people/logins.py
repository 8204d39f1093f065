"""The canonical form of a login, however it was typed or pasted. Logins are counted, stored and looked up in it."""

from __future__ import annotations

from protocol.seen import as_seen


def canonical_login(typed: str) -> str:
    """Return a login as it appears on the screen, because people cannot tell two logins apart in any other way."""
    return as_seen(typed)
