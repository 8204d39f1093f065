"""Files of the program itself: the same for everybody, and holding nothing of any study.

A session checked a moment ago gets them without another query: a page loads dozens of them at once.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from threading import Lock

from starlette.types import Scope

# The reading room's bundle, and what Streamlit's own pages and components are made of.
_FOLDERS = ("/assets/viewer/", "/static/", "/component/", "/_stcore/bidi-components/")
KNOWN_SECONDS = 30.0
MOST_KNOWN = 10_000


def asks_for_one(scope: Scope) -> bool:
    """Return whether a request fetches a file of the program."""
    return scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and scope["path"].startswith(_FOLDERS)


class Known:
    """Who had a login session within the last seconds, by the hash of their token; good for nothing but such files."""

    def __init__(self) -> None:
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._lock = Lock()

    def note(self, token: str | None) -> None:
        """Remember that the database knew a token just now."""
        if token is None:
            return
        with self._lock:
            self._until[_hashed(token)] = time.monotonic() + KNOWN_SECONDS
            self._until.move_to_end(_hashed(token))
            while len(self._until) > MOST_KNOWN:
                self._until.popitem(last=False)

    def forget(self, token: str | None) -> None:
        """Forget a token: its person signs out."""
        with self._lock:
            self._until.pop(_hashed(token or ""), None)

    def __contains__(self, token: object) -> bool:
        with self._lock:
            return isinstance(token, str) and self._until.get(_hashed(token), 0.0) > time.monotonic()


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


@lru_cache(maxsize=4)
def packed(path: Path) -> bytes:
    """Return a file packed with gzip, once per process; its name carries its hash, so it does not change."""
    return gzip.compress(path.read_bytes(), mtime=0)
