"""What is importable is documented: formula, shapes, source, an example that runs, a place in docs/statistics.md."""

import inspect
import re
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


def questions_of_the_page():
    rows = re.findall(r"^\| ([^|`]+\?) \| (.+) \|$", PAGE, flags=re.MULTILINE)
    return {question: sorted(set(re.findall(r"`([a-z_0-9]+)`", cell))) for question, cell in rows}


def test_help_and_page_group_every_function_by_the_question_it_answers():
    _, *blocks = re.split(r"\n(?=\S[^\n]*\?\n)", agreement.__doc__)
    helped = {block.split("\n", 1)[0]: re.findall(r"[a-z_0-9]+", block.split("\n", 1)[1]) for block in blocks}

    assert sorted(name for names in helped.values() for name in names) == sorted(f.__name__ for f in FUNCTIONS)
    asked = questions_of_the_page()
    assert list(asked) == list(helped)
    for question, names in helped.items():
        assert set(names) <= set(asked[question]), question


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_signatures_show_short_types(function):
    annotations = [parameter.annotation for parameter in inspect.signature(function).parameters.values()]

    assert all(isinstance(annotation, str) and len(annotation) <= 60 for annotation in annotations)


def test_all_names_are_sorted_and_there():
    assert len(set(agreement.__all__)) == len(agreement.__all__)
    assert all(thing.__doc__ for thing in PUBLIC if not isinstance(thing, int))


def test_no_module_is_longer_than_400_lines():
    folder = Path(agreement.__file__).parent

    long = {file.name: count for file in folder.glob("*.py") if (count := file.read_text("utf-8").count("\n")) > 400}

    assert not long
