"""The reference of keys, generated from the schema: `python -m protocol.language.reference` fills in its tables.

Each table is between two marker lines of a page, which name the part of the schema; the rest is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from protocol.analysis import AnalysisPlan
from protocol.context import Context, TextSettings
from protocol.forms import Dependence, Form, FormField, Option
from protocol.hanging import Hanging, Pane, WindowPreset
from protocol.language.authored import AuthoredGroup, AuthoredStudy
from protocol.language.authored_fields import AuthoredAttribute, AuthoredAttributes, AuthoredField, AuthoredOption
from protocol.language.authored_phases import (
    AuthoredEntry,
    AuthoredOpening,
    AuthoredPairs,
    AuthoredPeople,
    AuthoredPhase,
    AuthoredSample,
    AuthoredSource,
    AuthoredStep,
)
from protocol.language.authored_plan import (
    AuthoredAnalysis,
    AuthoredComparisons,
    AuthoredCriterion,
    AuthoredEstimate,
    AuthoredLeast,
)
from protocol.language.wording import number
from protocol.parts import Says
from protocol.sections import Adjudication, Practice, Reading, Scoring
from protocol.study import Protocol

_HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"
PAGE = _HOW_TO / "keys-of-a-listed-study.md"
PAGE_OF_FIRST = _HOW_TO / "write-a-protocol.md"
# The parts of each language, by their headings on the page.
PARTS: Mapping[str, type[BaseModel]] = {
    "The study": AuthoredStudy,
    "A group": AuthoredGroup,
    "Attributes": AuthoredAttributes,
    "An attribute": AuthoredAttribute,
    "A field": AuthoredField,
    "An option": AuthoredOption,
    "A phase": AuthoredPhase,
    "From": AuthoredSource,
    "Let in": AuthoredEntry,
    "Sample": AuthoredSample,
    "By": AuthoredPeople,
    "Opens": AuthoredOpening,
    "Then": AuthoredStep,
    "Pairs": AuthoredPairs,
    "Analysis": AuthoredAnalysis,
    "An estimate": AuthoredEstimate,
    "A criterion": AuthoredCriterion,
    "On how much a criterion rests": AuthoredLeast,
    "Comparisons": AuthoredComparisons,
}
PARTS_OF_FIRST: Mapping[str, type[BaseModel]] = {
    "Keys of a protocol": Protocol,
    "Keys of hanging": Hanging,
    "Keys of a pane": Pane,
    "Keys of a preset": WindowPreset,
    "Keys of context": Context,
    "Keys of text": TextSettings,
    "Keys of a form": Form,
    "Keys of a field": FormField,
    "Keys of an option": Option,
    "Keys of depends_on": Dependence,
    "Keys of reading": Reading,
    "Keys of practice": Practice,
    "Keys of scoring": Scoring,
    "Keys of adjudication": Adjudication,
    "Keys of analysis": AnalysisPlan,
}
PAGES = {PAGE: PARTS, PAGE_OF_FIRST: PARTS_OF_FIRST}
_TABLE = re.compile(r"(?<=<!-- keys: )(?P<part>[^>]+) -->\n.*?<!-- end -->", re.DOTALL)
_OF_PATTERN = {
    r"^[a-z][a-z0-9_]{0,39}$": "a name",
    r"^[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,39}$": "`PHASE.FIELD`",
    r"^[a-z0-9][a-z0-9-]{0,59}$": "a name",
    r"^lists/[a-z][a-z0-9_]{0,59}$": "a shared list",
    r"^(all|[1-9]\d{0,6}|(100|[1-9]?\d(\.\d+)?) ?%)$": "a number, a share as `20 %`, or `all`",
}
_LINK = re.compile(r"\[keys\]\([^)]*\)")
_LONGEST = 60


def keys_of(part: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the keys of a part as authors write them; for a criterion, only those that an estimate lacks."""
    inherited = set(AuthoredEstimate.model_fields) if part is AuthoredCriterion else set()
    return {said.alias or name: said for name, said in part.model_fields.items() if name not in inherited}


def says_of(said: FieldInfo) -> Says:
    """Return the schema's description of a key."""
    return next(part for part in said.metadata if isinstance(part, Says))


def values_of(part: type[BaseModel], key: str) -> str:
    """Return the values that a key takes, in words."""
    schema = part.model_json_schema(by_alias=True)
    return _in_words(schema["properties"][key], schema.get("$defs", {}))


def default_of(said: FieldInfo) -> str:
    """Return what applies without a key, in words."""
    if without := says_of(said).without:
        return without
    if said.is_required():
        return "required"
    default = said.default
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`" if _is_written(default) else "none"


def _is_written(default: Any) -> bool:
    return isinstance(default, str | int) and default != ""


def _in_words(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        part = parts[schema["$ref"].rpartition("/")[2]]
        return _in_words(part, parts) if "properties" not in part else _keys_below(part)
    if "anyOf" in schema:
        kinds = [_in_words(kind, parts) for kind in schema["anyOf"] if kind.get("type") != "null"]
        return _either(list(dict.fromkeys(kinds)))
    if "const" in schema or "enum" in schema:
        words = [schema["const"]] if "const" in schema else schema["enum"]
        return ", ".join(f"`{word}`" if word else "nothing" for word in words)
    kind = schema.get("type")
    if kind == "boolean":
        return "`yes` or `no`"
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _bounds(schema)
    if kind == "string":
        return _OF_PATTERN.get(schema.get("pattern", ""), "text")
    if kind == "array":
        return _listed(schema, parts)
    return _by_name(schema, parts)


def _listed(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    below = _in_words(schema["items"] if "items" in schema else schema["prefixItems"][0], parts)
    if schema.get("minItems") == schema.get("maxItems") is not None:
        return f"a list of {number(schema['minItems'])}, each {below}"
    return _list_of(below)


def _list_of(below: str) -> str:
    return f"a list, each ({below})" if "; or " in below else f"a list, each {below}"


def _by_name(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    """Return the values under names that the author chooses; if these are long, only the link to their keys."""
    below = next(iter(schema.get("patternProperties", {}).values()), schema.get("additionalProperties"))
    words = _in_words(below, parts) if isinstance(below, Mapping) else ""
    if len(words) > _LONGEST:
        link = _LINK.search(words)
        words = link[0] if link else ""
    return f"by name: {words}" if words else "keys with values"


def _keys_below(part: Mapping[str, Any]) -> str:
    return f"[keys]({_ADDRESSES[part['title']]})" if part["title"] in _ADDRESSES else "keys with values"


def _anchor(heading: str) -> str:
    return f"#{heading.lower().replace(' ', '-')}"


# How scans are hung is described only once, on the page of the first language, for both languages.
_ADDRESSES = (
    {part.__name__: f"{PAGE_OF_FIRST.name}{_anchor(heading)}" for heading, part in PARTS_OF_FIRST.items()}
    | {part.__name__: _anchor(heading) for heading, part in PARTS.items()}
    | {"OptionWords": _anchor("An option")}
)


def _either(kinds: list[str]) -> str:
    """Return kinds of values, joined; a list of values that may also be given singly is "or a list of them"."""
    lists = {_list_of("; or ".join(kinds[:count])) for count in (1, 2)}
    others = [kind for kind in kinds if kind not in lists]
    several = len(others) < len(kinds)
    if several and len(others) == 2 and _list_of(others[0]) in kinds:
        # Only the first of the two kinds may be a list.
        return f"{others[0]}, or a list of them; or {others[1]}"
    return "; or ".join(others) + (", or a list of them" if several else "")


def _bounds(schema: Mapping[str, Any]) -> str:
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "and below"}
    said = [f"{word} {schema[key]:,g}" for key, word in words.items() if key in schema]
    return f" {' '.join(said)}" if said else ""


def table_of(part: type[BaseModel]) -> str:
    """Return the keys of a part as a table in Markdown."""
    lines = ["| Key | What it is | Values | Without it | Example |", "|---|---|---|---|---|"]
    for key, said in keys_of(part).items():
        says = says_of(said)
        cells = (f"`{key}`", says.text, values_of(part, key), default_of(said), f"`{says.example}`")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def filled_in(page: str) -> str:
    """Return a page with all its tables regenerated."""
    parts = {**PARTS, **PARTS_OF_FIRST}

    def table(match: re.Match[str]) -> str:
        return f"{match['part']} -->\n{table_of(parts[match['part']])}\n<!-- end -->"

    return _TABLE.sub(table, page)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled_in(page.read_text(encoding="utf-8")), encoding="utf-8")
