"""One server for all server tests of a file, on a marked study of its own, as for the blinding tests."""

from __future__ import annotations

from tests.blinding.conftest import marked

__all__ = ["marked"]
