"""The unguessable names that one login session sees in one study, for volumes and displays."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, replace
from datetime import timedelta

# A token is valid for the hour of the login session in which it was made, and for the next.
TOKEN_PERIOD = timedelta(hours=1)


@dataclass(frozen=True)
class Keys:
    """Derives the names; `hour` counts the hours since the login session began."""

    salt: str
    login_session_id: int
    hour: int = 0

    def volume_token(self, volume_id: int) -> str:
        """Return the name under which only this login session may fetch a volume for a while."""
        return self._derive("volume", f"{self.hour}|{volume_id}")

    def overlay_token(self, overlay_id: int) -> str:
        """Return the name under which only this login session may fetch an overlay for a while."""
        return self._derive("overlay", f"{self.hour}|{overlay_id}")

    def idempotency_key(self, assignment_public_id: str) -> str:
        """Return the key that the first verdict on this display must carry."""
        return self._derive("verdict", assignment_public_id)

    def revision_key(self, assignment_public_id: str, superseded_receipt: str) -> str:
        """Return the key that a revision of a particular verdict must carry; it differs for each revision."""
        return self._derive("revision", f"{assignment_public_id}|{superseded_receipt}")

    def still_valid(self) -> tuple[Keys, ...]:
        """Return the keys whose tokens are valid now: those of this hour and of the previous one."""
        return (self, replace(self, hour=self.hour - 1)) if self.hour else (self,)

    def _derive(self, purpose: str, name: str) -> str:
        message = f"{purpose}|{self.login_session_id}|{name}".encode()
        return hmac.new(bytes.fromhex(self.salt), message, hashlib.sha256).hexdigest()[:40]
