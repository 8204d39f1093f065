"""What the application depends on: reasons, pins, hashes, licences."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "agreement", "imaging", "exchange", "protocol", "db", "studies", "services", "components", "server", "pages",
    "commands",
)  # fmt: skip

# Right to look at, not to stand on: GPL, or found wanting when their numbers or their code were checked.
REFUSED = {"krippendorff", "pingouin", "irrcac", "judgy", "litellm", "streamlit-authenticator"}

# A licence that says GPL or AGPL, and is not the LGPL.
COPYLEFT = re.compile(r"(?<!L)\b(?:A?GPL|(?<!LESSER )GENERAL PUBLIC LICENSE|AFFERO)")


def direct(file: str) -> list[tuple[Requirement, str]]:
    """Return each direct dependency of a requirements file with the reason beside it."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    stated = [line.partition("#") for line in lines if line and not line.startswith(("#", "-r"))]
    return [(Requirement(stated_as.strip()), reason.strip()) for stated_as, _, reason in stated]


def locked(file: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return each pin of a lock file with its hashes, by canonical name."""
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    pins = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    pinned = {}
    for pin in pins:
        stated, *hashes = pin.split(" --hash=")
        requirement = Requirement(stated.strip())
        pinned[canonicalize_name(requirement.name)] = (requirement, [value.strip() for value in hashes])
    return pinned


def installed_at_run_time() -> list[str]:
    """Return what the run-time lock installs on this machine."""
    pins = locked("requirements.lock")
    return [name for name, (pin, _) in pins.items() if pin.marker is None or pin.marker.evaluate()]


def licence_of(installed: Distribution) -> str:
    """Return what a distribution's metadata say of its licence, or else its licence text, in capitals."""
    metadata = installed.metadata
    said = [metadata.get("License-Expression") or "", (metadata.get("License") or "")[:400]]
    said += [text for text in metadata.get_all("Classifier") or [] if text.startswith("License ::")]
    if not any(text.strip() for text in said):
        texts = [
            file for file in installed.files or [] if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING"))
        ]
        said = [Path(str(installed.locate_file(file))).read_text(errors="replace")[:400] for file in texts]
    return " ".join(said).upper()


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_direct_dependency_has_a_reason(file: str) -> None:
    without = [requirement.name for requirement, reason in direct(file) if len(reason) < 10]

    assert without == []


@pytest.mark.parametrize("stem", ["requirements", "requirements-dev"])
def test_lock_holds_every_direct_dependency_at_an_allowed_version(stem: str) -> None:
    pins = locked(f"{stem}.lock")

    for wanted, _ in direct(f"{stem}.txt"):
        pin, _ = pins[canonicalize_name(wanted.name)]
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert wanted.specifier.contains(exact.version), f"{wanted} against {pin}: run make lock"


@pytest.mark.parametrize("file", ["requirements.lock", "requirements-dev.lock"])
def test_every_pin_carries_the_hashes_of_its_files(file: str) -> None:
    pins = locked(file)

    assert len(pins) > 20
    for pin, hashes in pins.values():
        assert hashes, pin.name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), pin.name


def test_both_locks_agree_so_that_tests_run_what_is_served() -> None:
    served, tested = locked("requirements.lock"), locked("requirements-dev.lock")

    differing = [name for name, (pin, _) in served.items() if str(tested[name][0]) != str(pin)]

    assert differing == []


@pytest.mark.parametrize(
    "file", ["requirements.txt", "requirements-dev.txt", "requirements.lock", "requirements-dev.lock"]
)
def test_no_package_index_is_written_into_the_requirements(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")

    assert not re.search(r"https?://|file:|--index-url|--extra-index-url|--find-links|--trusted-host", text)


def test_what_is_imported_is_required_by_name() -> None:
    required = {canonicalize_name(requirement.name) for requirement, _ in direct("requirements.txt")}
    not_required = {
        name
        for name, given_by in packages_distributions().items()
        if not required & {canonicalize_name(given) for given in given_by}
    }

    missing = {
        f"{name} ({file.relative_to(ROOT)})"
        for file in [*ROOT.glob("*.py"), *(source for room in ROOMS for source in (ROOT / room).rglob("*.py"))]
        for name in _imported(file, not_required)
    }

    assert missing == set()


def test_an_import_within_a_function_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    from other.part import name\n    # a word of prose: another\n")

    assert _imported(tmp_path / "a.py", {"other", "another"}) == {"other"}


def _imported(file: Path, names: set[str]) -> set[str]:
    """Return which of these modules a file imports."""
    text = file.read_text(encoding="utf-8")
    # Few files hold one of these words at all; only these need be read as programs.
    if names.isdisjoint(re.findall(r"\w+", text)):
        return set()
    imported: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            imported.add(node.module.split(".")[0])
    return names & imported - sys.stdlib_module_names - set(ROOMS)


def test_nothing_under_the_gpl_is_installed_at_run_time() -> None:
    names = installed_at_run_time()

    under_gpl = {name: licence for name in names if COPYLEFT.search(licence := licence_of(distribution(name)))}
    silent = [name for name in names if not licence_of(distribution(name)).strip()]

    assert under_gpl == {}
    assert silent == [], "no word on the licence: look it up"


def test_nothing_that_was_found_wanting_is_installed_at_run_time() -> None:
    assert REFUSED & set(installed_at_run_time()) == set()


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("GPL-3.0-ONLY", True),
        ("LICENSE :: OSI APPROVED :: GNU GENERAL PUBLIC LICENSE V3 (GPLV3)", True),
        ("AGPL-3.0-OR-LATER", True),
        ("GNU AFFERO GENERAL PUBLIC LICENSE", True),
        ("LGPL-3.0-ONLY", False),
        ("LICENSE :: OSI APPROVED :: GNU LESSER GENERAL PUBLIC LICENSE V3 (LGPLV3)", False),
        ("BSD-3-CLAUSE", False),
    ],
)
def test_gpl_is_told_from_lgpl(licence: str, refused: bool) -> None:
    assert bool(COPYLEFT.search(licence)) is refused
