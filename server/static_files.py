"""The program's own files: the same for everybody, and without anything from a study.

A session that was checked a moment ago gets them without another query, because a page loads dozens of them at once.
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

# The reading room's bundle, and the files of Streamlit's pages and components.
_FOLDERS = ("/assets/viewer/", "/static/", "/component/", "/_stcore/bidi-components/")
KNOWN_SECONDS = 30.0
MOST_KNOWN = 10_000


def asks_for_one(scope: Scope) -> bool:
    """Return whether a request is for one of the program's own files."""
    return scope["type"] == "http" and scope["method"] in {"GET", "HEAD"} and scope["path"].startswith(_FOLDERS)


class Known:
    """Hashes of tokens that had a login session within the last seconds; used for nothing but these files."""

    def __init__(self) -> None:
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._lock = Lock()

    def note(self, token: str | None) -> None:
        """Remember that the database has just recognised a token."""
        if token is None:
            return
        with self._lock:
            self._until[_hashed(token)] = time.monotonic() + KNOWN_SECONDS
            self._until.move_to_end(_hashed(token))
            while len(self._until) > MOST_KNOWN:
                self._until.popitem(last=False)

    def forget(self, token: str | None) -> None:
        """Forget a token, because its person signs out."""
        with self._lock:
            self._until.pop(_hashed(token or ""), None)

    def __contains__(self, token: object) -> bool:
        with self._lock:
            return isinstance(token, str) and self._until.get(_hashed(token), 0.0) > time.monotonic()


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


@lru_cache(maxsize=4)
def packed(path: Path) -> bytes:
    """Return a file compressed with gzip, once per process. It cannot change, since its name contains its hash."""
    return gzip.compress(path.read_bytes(), mtime=0)
