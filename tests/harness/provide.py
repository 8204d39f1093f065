"""What the tests need beyond Python packages is found, installed, or named as missing (`make test` runs this)."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from tests.harness import chromium, postgresql


def under_ci() -> bool:
    """Whether a skipped part counts as a failure."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def missing(sentence: str) -> None:
    """Skip a test whose means this machine lacks; under CI that is a failure."""
    if under_ci():
        pytest.fail(sentence)
    pytest.skip(sentence)


def find_nginx() -> str | None:
    """Return where nginx is; system programs are not on everybody's path."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin{os.pathsep}/usr/local/sbin")


def provide_nginx() -> str | None:
    """Return where nginx is, installing the system's package where root may."""
    if find_nginx() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing the system's package nginx-light for the proxy's test.", flush=True)
        chromium.install_system_package("nginx-light")
    return find_nginx()


def main() -> int:
    """Provide all of it, say which, and return the exit code."""
    browser = chromium.provide_chromium()
    programs = postgresql.provide_postgresql()
    nginx = provide_nginx()
    print(f"Browser:    {browser or chromium.MISSING}")
    print(f"PostgreSQL: {programs or postgresql.MISSING}")
    print(f"nginx:      {nginx or 'not found: install the package nginx-light'}")
    if browser and programs and nginx:
        return 0
    if under_ci():
        print("CI=true: the parts named above must not be skipped.", file=sys.stderr)
        return 1
    print("Their tests are skipped here; under CI=true they would fail.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
