"""The house as docs/architecture.md draws it, read from the imports themselves: they point downwards only."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from streamlit.web.server.app_discovery import discover_asgi_app

ROOT = Path(__file__).resolve().parents[1]

# Which of our folders may import which (each may import itself).
OURS: dict[str, set[str]] = {
    "agreement": set(),
    "imaging": set(),
    "protocol": set(),
    "exchange": {"protocol"},
    "db": {"protocol"},
    "studies": {"imaging", "exchange", "protocol"},
    "services": {"db", "agreement", "imaging", "exchange", "protocol", "studies"},
    "components": {"services"},
    "server": {"services"},
    "pages": {"components", "services"},
    "app": {"components", "server", "services"},
    "commands": {"server", "services"},
    "manage": {"commands"},
    # Measurements and tests stand outside the house and look into every room; no room looks back at them.
    "benchmarks": {
        *(
            "db",
            "agreement",
            "imaging",
            "exchange",
            "protocol",
            "studies",
            "services",
            "components",
            "server",
        ),
        "tests",  # whose harness starts servers and browsers
    },
}
OUTSIDE = {"tests", "benchmarks"}

# The rooms of services follow a study's life: each may use those before it (docs/architecture.md says what is in them).
ROOMS = (
    "errors", "people", "installation", "seals", "studies", "reading", "judging", "adjudication", "progress", "report",
    "demo", "record",
)  # fmt: skip

# What lies in a room that has rooms of its own: modules and rooms, each of which may use those before it.
WITHIN: dict[str, tuple[str, ...]] = {
    "services": ROOMS,
    "services/studies": (
        "catalogue", "many_objects", "draws", "frozen_facts", "groups", "volumes", "sampling", "drawing", "dealing",
        "membership", "plan", "folders", "freeze", "versions",
    ),
}  # fmt: skip

# The pure folders are readable on their own: these packages and the standard library, nothing more.
ONLY = {
    "agreement": {"numpy", "scipy", "statsmodels", "sklearn"},
    "imaging": {"PIL", "nibabel", "numpy", "scipy"},
    "protocol": {"pydantic"},
}
ALSO = {
    "agreement/__main__.py": {"threadpoolctl"},
    # Of many resamples a product of small blocks, which numpy's threads take ten times as long over.
    "agreement/drawing.py": {"threadpoolctl"},
    "agreement/ratings_file.py": {"pandas", "pyarrow"},
    "agreement/spellings.py": {"pandas"},
    "agreement/judge/__main__.py": {"threadpoolctl"},
    "agreement/judge/sheet.py": {"pyarrow"},
}

SQL = {"sqlmodel", "sqlalchemy", "alembic", "psycopg", "sqlite3"}
NEVER = {
    "services": {"streamlit", "starlette", "uvicorn", "niivue_component"},
    "db": {"streamlit", "starlette", "uvicorn", "pandas", "plotly"},
    "exchange": {"streamlit", "starlette", "plotly"} | SQL,
    "components": SQL,
    "server": SQL,
    "pages": SQL,
    "app": SQL,
    "commands": {"streamlit", "starlette"} | SQL,
    "manage": {"streamlit", "starlette"} | SQL,
}
SQL_TEXT = re.compile(r"\s*(SELECT\b.+\bFROM\b|INSERT\s+INTO\b|UPDATE\b.+\bSET\b|DELETE\s+FROM\b|PRAGMA\b)", re.S)


@dataclass(frozen=True)
class Import:
    file: str
    line: int
    room: str
    package: str


Importing = ast.Import | ast.ImportFrom | ast.Call


def sources(root: Path) -> Iterator[Path]:
    """Every Python file of the application: the rooms' and those at the top."""
    for room in OURS:
        yield from sorted((root / room).rglob("*.py"))
    yield from sorted(root.glob("*.py"))


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


@cache
def imports_in(file: Path) -> tuple[tuple[Importing, bool], ...]:
    """Return every import of a file, also by a call, and whether it stands outside of functions."""
    imports: list[tuple[Importing, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(tree_of(file), True)]
    # Few files import by a call; in the others no expression holds an import.
    without_calls = not re.search("__import__|import_module", file.read_text(encoding="utf-8"))
    while waiting:
        node, outside = waiting.pop()
        calls = isinstance(node, ast.Call) and _name_of(node.func) in {"__import__", "import_module"}
        if calls or isinstance(node, ast.Import | ast.ImportFrom):
            imports.append((node, outside))
        outside = outside and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not (without_calls and isinstance(node, ast.expr)):
            waiting += [(child, outside) for child in ast.iter_child_nodes(node)]
    return tuple(imports)


def imports_of(root: Path, file: Path) -> Iterator[Import]:
    """Every import of a file, also inside functions and `if TYPE_CHECKING`, by the first part of the absolute name."""
    place = file.relative_to(root)
    room = place.parts[0].removesuffix(".py")
    for node, _ in imports_in(file):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call):
            names = [given.value for given in node.args[:1] if isinstance(given, ast.Constant)]
        elif node.level == 0:
            names = [node.module or ""]
        else:
            start = [*place.parts[: len(place.parts) - node.level], *([node.module] if node.module else [])]
            names = [".".join(start)] if start else [alias.name for alias in node.names]
        for name in names:
            yield Import(place.as_posix(), node.lineno, room, name.split(".")[0])


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def layer_violations(root: Path) -> list[str]:
    """Say of every import that the house forbids where it is and what it imports."""
    return [
        f"{imported.file}:{imported.line} imports {imported.package}"
        for file in sources(root)
        for imported in imports_of(root, file)
        if _forbidden(imported)
    ]


def _forbidden(imported: Import) -> bool:
    if imported.package == imported.room:
        return False
    if imported.package in OURS or imported.package in OUTSIDE:
        return imported.package not in OURS.get(imported.room, set())
    if imported.room in ONLY:
        allowed = ONLY[imported.room] | ALSO.get(imported.file, set())
        return imported.package not in allowed and imported.package not in sys.stdlib_module_names
    return imported.package in NEVER.get(imported.room, set())


def room_violations(root: Path) -> list[str]:
    """Say of every import between rooms within a room that looks ahead, or is of a room in no list, where it stands."""
    return [
        f"{file.relative_to(root).as_posix()}:{line} imports {package}.{room}"
        for around, rooms in WITHIN.items()
        for package in [around.replace("/", ".")]
        for file in sorted((root / around).rglob("*.py"))
        for here in [file.relative_to(root / around).parts[0].removesuffix(".py")]
        if here != "__init__"
        for line, room in _rooms_imported(file, package)
        if room not in rooms or here not in rooms or rooms.index(room) > rooms.index(here)
    ]


def _rooms_imported(file: Path, package: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each import from a package, and which of its rooms or modules is imported."""
    for node, _ in imports_in(file):
        if isinstance(node, ast.ImportFrom) and not node.level and f"{node.module}.".startswith(f"{package}."):
            beyond = (node.module or "").removeprefix(package).split(".")[1:2]
            yield from ((node.lineno, room) for room in beyond or [alias.name for alias in node.names])


def circles(root: Path) -> list[str]:
    """Return the modules of the application that import each other, directly or by way of others."""
    modules = {".".join(file.relative_to(root).with_suffix("").parts): file for file in sources(root)}
    needs = {name: modules.keys() & set(_modules_imported(file)) for name, file in modules.items()}
    while free := {name for name, others in needs.items() if not others & needs.keys()}:
        needs = {name: others for name, others in needs.items() if name not in free}
    while idle := {name for name in needs if not any(name in others for others in needs.values())}:
        needs = {name: others for name, others in needs.items() if name not in idle}
    return sorted(needs)


def _modules_imported(file: Path) -> Iterator[str]:
    """Yield what a module imports when it is loaded, or names for the type checker, as a module or a name in one."""
    for node, outside in imports_in(file):
        if outside and isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif outside and isinstance(node, ast.ImportFrom) and not node.level:
            yield from (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))


def page_violations(root: Path) -> list[str]:
    """Return where a page script holds a class or SQL, which belong in components and in services."""
    violations = []
    for file in sorted((root / "pages").rglob("*.py")):
        place = file.relative_to(root).as_posix()
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                violations.append(f"{place}:{node.lineno} defines the class {node.name}")
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL_TEXT.match(node.value):
                violations.append(f"{place}:{node.lineno} holds SQL")
    return violations


def path_edits(root: Path) -> list[str]:
    """Return where a file touches sys.path."""
    return [
        f"{file.relative_to(root).as_posix()}:{node.lineno} touches sys.path"
        for file in sources(root)
        # Few files name it at all; only these need be read as programs.
        if re.search(r"\bsys\b", file.read_text(encoding="utf-8"))
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Attribute) and node.attr == "path" and _name_of(node.value) == "sys"
    ]


# ---- the house itself ------------------------------------------------------------------------------------------------


def test_imports_point_downwards_only() -> None:
    assert layer_violations(ROOT) == []


def test_every_folder_that_has_rules_is_there() -> None:
    assert [room for room in OURS if not (ROOT / room).is_dir() and not (ROOT / f"{room}.py").is_file()] == []


def test_every_folder_of_modules_has_rules() -> None:
    # What OURS does not list is not read at all, and could import whatever it likes.
    assert {file.parent.name for file in ROOT.glob("*/*.py")} - set(OURS) - OUTSIDE == set()


def test_page_scripts_hold_no_class_and_no_sql() -> None:
    assert page_violations(ROOT) == []


def test_nobody_edits_the_search_path() -> None:
    assert path_edits(ROOT) == []


def test_only_the_server_and_the_command_line_lie_at_the_top() -> None:
    assert {file.name for file in ROOT.glob("*.py")} <= {"app.py", "manage.py"}


def test_no_page_lies_directly_in_pages() -> None:
    # A flat page beside the script would be run past the gate by a deep link on a fresh server.
    assert [file.name for file in (ROOT / "pages").glob("*.py")] == []


def test_the_entry_script_is_alone_in_its_folder() -> None:
    # Its folder comes first on sys.path, so a module beside it would shadow one of ours; and a deep link would run what
    # lies in a folder `pages` beside it.
    beside = {path.name for path in (ROOT / "pages/entry").glob("*")} - {"__pycache__"}

    assert beside <= {"navigation.py"}


def test_page_folders_carry_no_name_of_ours() -> None:
    folders = {folder.name for folder in (ROOT / "pages").glob("*") if folder.is_dir()} - {"__pycache__"}

    assert folders & (set(OURS) | OUTSIDE | sys.stdlib_module_names) == set()


def test_app_is_a_literal_assignment_that_streamlit_recognises() -> None:
    # Behind a factory `streamlit run` does not see the App, and app.py runs as a plain script without any middleware.
    app = ROOT / "app.py"
    if not app.exists():
        pytest.skip("app.py is not written yet")

    calls = app_assignments(app.read_text(encoding="utf-8"))

    assert len(calls) == 1
    assert any("pages/entry/navigation.py" in text for text in _texts(tree_of(app)))
    assert any(keyword.arg == "middleware" for keyword in calls[0].keywords)
    assert discover_asgi_app(app).app_name == "app"


def app_assignments(source: str) -> list[ast.Call]:
    """Return the calls in `app = streamlit.App(...)` statements at module level."""
    return [
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        and [ast.unparse(target) for target in node.targets] == ["app"]
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "streamlit.App"
    ]


def _texts(tree: ast.Module) -> list[str]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_rooms_within_a_room_look_back_only() -> None:
    assert room_violations(ROOT) == []


def test_no_modules_import_each_other() -> None:
    assert circles(ROOT) == []


@pytest.mark.parametrize("around", WITHIN)
def test_every_room_within_a_room_is_in_the_list_and_in_the_docs(around: str) -> None:
    there = {path.stem for path in (ROOT / around).iterdir() if path.stem.isidentifier() and path.stem[0] != "_"}
    drawn = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

    assert there == set(WITHIN[around])
    assert [room for room in WITHIN[around] if f"`{room}" not in drawn] == []


# ---- the rules find what they are there to find ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("agreement/kappa.py", "from db import Verdict", "imports db"),
        ("agreement/kappa.py", "import pandas as pd", "imports pandas"),
        ("imaging/hanging.py", "import services.reading.blinding", "imports services"),
        ("imaging/hanging.py", "import sklearn", "imports sklearn"),
        ("services/reading/submission.py", "def f():\n    import streamlit", "imports streamlit"),
        ("services/reading/submission.py", "from pages.rater import reading", "imports pages"),
        ("services/reading/submission.py", "from tests.harness import ports", "imports tests"),
        ("components/form.py", "from sqlmodel import Session", "imports sqlmodel"),
        ("components/form.py", "from db.queries import items", "imports db"),
        ("server/gate.py", "import importlib\nimportlib.import_module('db.engine')", "imports db"),
        ("db/engine.py", "from ..services import freezing", "imports services"),
        ("pages/rater/reading.py", "import server", "imports server"),
        ("manage.py", "from db import Study", "imports db"),
        ("manage.py", "def lock():\n    from services.people import accounts", "imports services"),
        ("commands/people.py", "def lock():\n    from db import Person", "imports db"),
        ("services/people/accounts.py", "from commands.terminal import console", "imports commands"),
        ("app.py", "import pages", "imports pages"),
    ],
)
def test_a_forbidden_import_is_found(tmp_path: Path, file: str, line: str, said: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(line)

    violations = layer_violations(tmp_path)

    assert len(violations) == 1
    assert file in violations[0]
    assert said in violations[0]


@pytest.mark.parametrize("line", ["from services.report import export", "from services import record", "import db"])
def test_a_room_that_looks_ahead_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "services/reading").mkdir(parents=True)
    (tmp_path / "services/reading/desk.py").write_text(line)

    assert len(room_violations(tmp_path)) == (line != "import db")


def test_a_room_within_a_room_that_looks_ahead_is_found(tmp_path: Path) -> None:
    (tmp_path / "services/studies/volumes").mkdir(parents=True)
    (tmp_path / "services/studies/volumes/store.py").write_text("from services.studies.freeze import freezing")
    (tmp_path / "services/studies/draws.py").write_text("from services.studies import frozen_facts")

    assert len(room_violations(tmp_path)) == 2


def test_a_module_of_no_room_is_named_where_it_imports_one(tmp_path: Path) -> None:
    (tmp_path / "services/studies").mkdir(parents=True)
    (tmp_path / "services/studies/strays.py").write_text("from services.studies import frozen_facts")

    assert room_violations(tmp_path) == ["services/studies/strays.py:1 imports services.studies.frozen_facts"]


@pytest.mark.parametrize(
    ("line", "in_a_circle"),
    [
        ("from agreement.kappa import kappa", True),
        ("from agreement import kappa", True),
        ("if TYPE_CHECKING:\n    from agreement.kappa import kappa", True),
        ("def of():\n    from agreement.kappa import kappa", False),
        ("import numpy", False),
    ],
)
def test_modules_that_import_each_other_are_found(tmp_path: Path, line: str, in_a_circle: bool) -> None:
    (tmp_path / "agreement").mkdir()
    (tmp_path / "agreement/kappa.py").write_text("from agreement.alpha import alpha")
    (tmp_path / "agreement/alpha.py").write_text(line)
    (tmp_path / "agreement/users.py").write_text("from agreement.kappa import kappa")

    assert circles(tmp_path) == (["agreement.alpha", "agreement.kappa"] if in_a_circle else [])


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("agreement/ratings_file.py", "import pandas\nfrom agreement.coding import Floats"),
        ("imaging/loading.py", "import nibabel\nimport numpy\nfrom imaging.errors import ImagingError\nimport zlib"),
        (
            "services/reading/submission.py",
            "from db import Verdict\nimport agreement\nimport sqlmodel\nfrom . import blinding",
        ),
        ("components/viewer/mount.py", "import streamlit\nfrom services.blinding import payload"),
        ("pages/admin/report.py", "from components import charts\nfrom services import reporting"),
        ("benchmarks/kappa.py", "from agreement import cohen_kappa"),
    ],
)
def test_an_allowed_import_is_let_through(tmp_path: Path, file: str, line: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(line)

    assert layer_violations(tmp_path) == []


@pytest.mark.parametrize(
    "line", ["class Screen: pass", "q = 'SELECT answers FROM verdict'", "q = 'DELETE FROM verdict'"]
)
def test_a_class_or_sql_in_a_page_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "pages/admin").mkdir(parents=True)
    (tmp_path / "pages/admin/report.py").write_text(line)

    assert len(page_violations(tmp_path)) == 1


def test_an_edit_of_the_search_path_is_found(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import sys\nsys.path.insert(0, '.')")

    assert path_edits(tmp_path) == ["app.py:2 touches sys.path"]


@pytest.mark.parametrize(
    "source",
    ["def make():\n    app = streamlit.App('x')", "app = make()", "application = streamlit.App('x')"],
)
def test_an_app_behind_a_factory_is_not_taken_for_literal(source: str) -> None:
    assert app_assignments(source) == []


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
@pytest.mark.parametrize("folder", [name for name in OURS if (ROOT / name).is_dir()])
def test_each_of_our_folders_has_a_line_where_one_asks_what_goes_where(folder: str, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    assert re.search(rf"^(\| .*`)?{folder}/", text, re.MULTILINE)
