"""The built front end is what its description says, and reaches for nothing outside."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from components import viewer

FOLDER = Path(viewer.__file__).parent
# Names of elements' kinds, which KaTeX gives to what it makes; nobody fetches them.
NAMESPACES = {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
BUNDLE = json.loads((FOLDER / "BUNDLE.json").read_text(encoding="utf-8"))


def test_hash_of_the_built_file_is_the_one_in_its_description() -> None:
    content = viewer.bundle_path().read_bytes()

    digest = hashlib.sha256(content).hexdigest()

    assert digest == BUNDLE["sha256"]
    assert len(content) == BUNDLE["bytes"]
    assert viewer.bundle_name() == f"room-{digest[:12]}.mjs"


def test_bundle_was_built_from_the_sources_that_lie_beside_it() -> None:
    frontend = FOLDER / "frontend"
    files = [frontend / "build.mjs", frontend / "package-lock.json", *(frontend / "src").rglob("*")]
    digests = {
        file.relative_to(frontend).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file()
    }

    built_from = BUNDLE["sources"]
    stale = sorted(name for name in digests | built_from if digests.get(name) != built_from.get(name))

    assert stale == [], "the bundle is stale: run npm run build in components/viewer/frontend and commit what it writes"


def test_no_older_bundle_lies_beside_the_one_that_is_used() -> None:
    assert [file.name for file in viewer.bundle_path().parent.iterdir()] == [viewer.bundle_name()]


def test_every_package_in_the_bundle_has_a_permissive_licence() -> None:
    licences = {package["name"]: package["license"] for package in BUNDLE["bundled"]}

    assert licences["@niivue/niivue"] == "BSD-2-Clause"
    assert set(licences.values()) <= {"BSD-2-Clause", "MIT", "ISC", "Apache-2.0"}


def test_every_package_in_the_bundle_is_the_one_that_was_published() -> None:
    lock = json.loads((FOLDER / "frontend" / "package-lock.json").read_text(encoding="utf-8"))

    for package in BUNDLE["bundled"]:
        locked = lock["packages"][f"node_modules/{package['name']}"]
        assert (package["version"], package["integrity"]) == (locked["version"], locked["integrity"])


def test_addresses_in_the_bundle_stand_in_comments_and_in_niivues_description_of_itself() -> None:
    text = viewer.bundle_path().read_text(encoding="utf-8")

    addresses = list(re.finditer(r"https?://[^\s\"'`<>)\\\\]+", text))
    # NiiVue's shaders are strings with comments in them; its package description is bundled for the version in it.
    # markdown-it's rule for bare addresses, which is switched off, would put a scheme before what it finds.
    named = [match for match in addresses if not match.group().startswith("http://${")]
    reachable = [
        match.group()
        for match in named
        if match.group() not in NAMESPACES
        and not text[: match.start()].rstrip().endswith("//")
        and "github.com/niivue/niivue" not in match.group()
    ]

    assert addresses
    assert reachable == []


def test_lock_file_of_the_front_end_names_no_registry() -> None:
    lock = json.loads((FOLDER / "frontend" / "package-lock.json").read_text(encoding="utf-8"))

    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
