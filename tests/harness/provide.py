"""What the tests need beyond Python packages is found, installed, or named as missing (`make test` runs this)."""

from __future__ import annotations

import os
import sys

from tests.harness import chromium, postgresql


def under_ci() -> bool:
    """Whether a skipped part counts as a failure."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def main() -> int:
    """Provide both, say which, and return the exit code."""
    browser = chromium.provide_chromium()
    programs = postgresql.provide_postgresql()
    print(f"Browser:    {browser or chromium.MISSING}")
    print(f"PostgreSQL: {programs or postgresql.MISSING}")
    if browser and programs:
        return 0
    if under_ci():
        print("CI=true: the parts named above must not be skipped.", file=sys.stderr)
        return 1
    print("Their tests are skipped here; under CI=true they would fail.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
