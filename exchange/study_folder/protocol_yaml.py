"""The text of `protocol.yaml` as plain data, within limits: YAML can expand a few bytes into gigabytes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any

import yaml

from exchange.refusal import InputRefused, Problem, Problems, shown
from exchange.study_folder.written_places import place_of
from exchange.tables import LONGEST_CELL

LARGEST_PROTOCOL = 1_000_000
# The demo's protocol has 400; aliases and merged keys count each time they are used.
MOST_NODES = 20_000
_LONGEST_NUMBER = 40
_LONGEST_KEY = 200
# The number of entries that a list or mapping may have, by its key.
_MOST = {"forms": 50, "fields": 100, "options": 100}
_MOST_ELSEWHERE = 200
# The key that marks the language in which every scalar is text, so that no, 1.10 and 4.6 mean what they say.
LANGUAGE_KEY = "blindread"
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


# YAML 1.1 reads 020 as 16, 33:20 as 2000 and 0x10 as 16, which nobody means: here they are text, and refused as such.
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL_FRACTION = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


class _TooMuch(Exception):
    """A text that expands to more than any protocol needs."""


# The parser's messages when a text ended at a character with a special meaning.
_AT_SIGNS = ("expected ',' or", "mapping values are not allowed here", "expected the node content")
_OF_SIGNS = "correct the line; a text with signs such as : , ? or { in it needs quotation marks."


class _Loader(yaml.SafeLoader):
    """A loader that refuses duplicate keys, of which PyYAML keeps the last, so that no rule is lost unnoticed."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.composed = 0

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """Return the tag of a value; only decimal numbers are tagged as numbers."""
        tag = str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call]  # PyYAML's has no types
        pattern = {_NUMBERS[0]: _DECIMAL, _NUMBERS[1]: _DECIMAL_FRACTION}.get(tag)
        return tag if pattern is None or pattern.fullmatch(value or "") else "tag:yaml.org,2002:str"

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.composed += 1
        if self.composed > MOST_NODES:
            raise _TooMuch
        event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's has no types
        if getattr(event, "tag", None):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"the tag '{shown(str(event.tag))}' says of which type a value is; leave it out",
                event.start_mark,
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            # Merged keys ("<<") may be overridden; that is what they are for.
            if isinstance(key_node, yaml.ScalarNode) and key_node.tag != "tag:yaml.org,2002:merge":
                if key_node.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key '{shown(key_node.value)}' appears twice", key_node.start_mark
                    )
                seen.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


def load(text: str, name: str, *, as_text: bool = False) -> Any:
    """Return the data of a text; with `as_text`, or if the text names its language, every scalar is text.

    Raises
    ------
    InputRefused
        Naming the line of broken YAML, or saying that it expands to more than is allowed.
    """
    return deepcopy(_load(text, name, as_text))


# Cached, because an import first checks a protocol's language and then reads the same text in full.
@lru_cache(maxsize=8)
def _load(text: str, name: str, as_text: bool) -> Any:
    def refusal(place: str, says: str) -> InputRefused:
        return InputRefused([Problem(name, place, says)])

    if len(text) > LARGEST_PROTOCOL:
        raise refusal("", f"has more than {LARGEST_PROTOCOL:,} letters; shorten it, long texts belong into tables.")
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None
        _count(root, {}, name)
        if as_text or _names_its_language(root):
            _read_as_text(root, set())
        return loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = shown(str(error.problem), 160)
        cure = _OF_SIGNS if problem.startswith(_AT_SIGNS) else "correct the line."
        raise refusal(f"line {line}", f"not valid YAML ({problem}); {cure}") from None
    except InputRefused:
        raise
    # ValueError: a date that does not exist.
    except (yaml.YAMLError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise refusal("the whole file", f"not valid YAML ({shown(problem, 160)}); correct the file.") from None
    except RecursionError:
        raise refusal("the whole file", "nested too deeply for a protocol; correct the file.") from None
    except _TooMuch:
        raise refusal(
            "the whole file",
            f"more than {MOST_NODES:,} values, counted each time that an alias (*name) or a merged key (<<) repeats "
            "them; write out what is meant, and leave out the rest.",
        ) from None


def _names_its_language(root: yaml.Node) -> bool:
    return isinstance(root, yaml.MappingNode) and any(key.value == LANGUAGE_KEY for key, _ in root.value)


def _read_as_text(node: yaml.Node, seen: set[int]) -> None:
    """Make every scalar below a node text (a null becomes empty text): its declared type is applied later."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:null":
            node.value = ""
        if node.tag != "tag:yaml.org,2002:merge":
            node.tag = "tag:yaml.org,2002:str"
    elif isinstance(node, yaml.SequenceNode):
        for part in node.value:
            _read_as_text(part, seen)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _read_as_text(key, seen)
            _read_as_text(value, seen)


def _count(node: yaml.Node, counted: dict[int, int | None], name: str) -> int:
    """Return how many values a node expands to, and refuse numbers that no program could hold."""
    known = counted.get(id(node), 0)
    if known is None:
        # An alias to something that contains it would never end.
        raise _TooMuch
    if known:
        return known
    if isinstance(node, yaml.ScalarNode):
        if node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
            says = f"a number of {len(node.value):,} digits, at most {_LONGEST_NUMBER} are taken; correct it."
            raise InputRefused([Problem(name, f"line {node.start_mark.line + 1}", says)])
        return 1
    counted[id(node)] = None
    parts = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
    total = 1 + sum(_count(part, counted, name) for part in parts)
    if total > MOST_NODES:
        raise _TooMuch
    counted[id(node)] = total
    return total


def check_values(problems: Problems, document: Any, name: str) -> set[tuple[str, ...]]:
    """Note values under any key that no database can store or no study can mean; return their keys."""
    refused = set()
    for path, says in _unusable(document, ()):
        refused.add(path)
        problems.add(name, place_of(path, document), says)
    return refused


def _unusable(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        if problem := text_problem(value):
            yield path, problem
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"found {value}, expected a finite number; correct the value."
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield path, f"found {shown(str(value))}, expected a whole number of at most 64 bits; correct the value."
    elif path and path[-1] == "seed" and isinstance(value, int) and value < 0:
        yield path, f"found {value}, expected a whole number from 0; correct the value."
    elif isinstance(value, dict | list):
        most = _MOST.get(path[-1], _MOST_ELSEWHERE) if path else _MOST_ELSEWHERE
        if len(value) > most:
            yield path, f"{len(value)} entries, at most {most} are taken; shorten it."
            return
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            named = shown(str(key))
            if isinstance(key, str) and (len(key) > _LONGEST_KEY or text_problem(key)):
                yield (*path, named), f"the key has {len(key)} letters or unusable ones; shorten it."
            else:
                yield from _unusable(below, (*path, named))


def text_problem(text: str) -> str:
    """Return why a text cannot be stored in every database; empty if it can."""
    if "\x00" in text:
        return "holds a NUL character; remove it."
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return "holds an unpaired surrogate, which is not a character; remove it."
    if len(text) > LONGEST_CELL:
        return f"has {len(text)} characters, at most {LONGEST_CELL} are taken; shorten it."
    return ""
