"""What is importable is documented: formula, shapes, source, an example that runs, a place in docs/statistics.md."""

import inspect
from pathlib import Path

import pytest

import agreement

PUBLIC = [getattr(agreement, name) for name in agreement.__all__]
FUNCTIONS = [thing for thing in PUBLIC if inspect.isfunction(thing)]
PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_public_function_has_its_sections(function):
    text = inspect.getdoc(function)

    for section in ("Parameters", "Returns", "References", "Examples"):
        assert f"{section}\n{'-' * len(section)}" in text, f"{function.__name__} has no section {section}"
    for parameter in inspect.signature(function).parameters:
        name = parameter.lstrip("_")
        assert name == "options" or name in text, f"{function.__name__} does not describe {name}"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_public_function_is_on_the_page(function):
    assert f"`{function.__name__}(" in PAGE or f"`{function.__name__}`" in PAGE


def test_all_names_are_sorted_and_there():
    assert len(set(agreement.__all__)) == len(agreement.__all__)
    assert all(thing.__doc__ for thing in PUBLIC if not isinstance(thing, int))


def test_no_module_is_longer_than_400_lines():
    folder = Path(agreement.__file__).parent

    long = {file.name: count for file in folder.glob("*.py") if (count := file.read_text("utf-8").count("\n")) > 400}

    assert not long
