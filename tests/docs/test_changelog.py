"""The changelog is read by its lines: versions, groups, and one line for each change."""

from __future__ import annotations

import re

from services.installation.version import SOFTWARE_VERSION
from tests.harness.server import ROOT

VERSION = re.compile(r"## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d{2}-\d{2})")
GROUPS = ("### Added", "### Changed", "### Fixed")
LINES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
AFTER_THE_HEAD = LINES[next(place for place, line in enumerate(LINES) if line.startswith("## ")) :]


def versions() -> list[tuple[str, str]]:
    """Return number and date of each version, as they follow each other."""
    return [(match[1], match[2]) for line in LINES if (match := VERSION.fullmatch(line))]


def test_every_line_is_a_version_a_group_or_an_entry() -> None:
    others = [
        line
        for line in AFTER_THE_HEAD
        if line and line not in GROUPS and not VERSION.fullmatch(line) and not re.fullmatch(r"- \S.*\.", line)
    ]

    assert others == []


def test_every_entry_is_one_line_of_at_most_120_characters() -> None:
    assert [line for line in AFTER_THE_HEAD if len(line) > 120] == []


def test_a_version_has_each_group_once_and_in_order() -> None:
    groups: list[list[str]] = []
    for line in AFTER_THE_HEAD:
        if line.startswith("## "):
            groups.append([])
        elif line.startswith("### "):
            groups[-1].append(line)

    assert groups == [[group for group in GROUPS if group in headings] for headings in groups]


def test_nothing_is_said_twice() -> None:
    entries = [line for line in AFTER_THE_HEAD if line.startswith("- ")]

    assert len(entries) == len(set(entries))


def test_versions_follow_each_other_newest_first_and_only_the_first_may_be_unreleased() -> None:
    numbers = [tuple(map(int, number.split("."))) for number, _ in versions()]

    assert numbers == sorted(numbers, reverse=True)
    assert "unreleased" not in [date for _, date in versions()[1:]]


def test_the_version_of_the_software_is_in_the_changelog() -> None:
    assert SOFTWARE_VERSION in dict(versions())
