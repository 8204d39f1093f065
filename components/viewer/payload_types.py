"""The JSON Schema and TypeScript declarations that the browser's sources are checked against.

Both are generated from the types of `services.reading.payloads` and `services.reading.route_answers`;
`python -m components.viewer.payload_types` rewrites the two files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypeAliasType, is_typeddict

from services.reading import payloads, route_answers

_FOLDER = Path(__file__).parent
SCHEMA = _FOLDER / "payload.schema.json"
DECLARATIONS = _FOLDER / "frontend" / "payload.d.ts"

_PRIMITIVES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


class _AllowList(GenerateJsonSchema):
    """Allows only named keys in a payload: any other key does not belong there."""

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return super().typed_dict_schema(schema) | {"additionalProperties": False}


def schema() -> dict[str, Any]:
    """Return one JSON Schema with a definition for each named payload type."""
    named = {
        name: payload
        for module in (payloads, route_answers)
        for name, payload in vars(module).items()
        if is_typeddict(payload) or isinstance(payload, TypeAliasType)
        if getattr(payload, "__module__", "") == module.__name__
    }
    own, described = TypeAdapter.json_schemas(
        [(name, "validation", TypeAdapter(payload)) for name, payload in named.items()], schema_generator=_AllowList
    )
    # A type to which no other type refers is described at the top level.
    alone = {name: definition for (name, _), definition in own.items() if "$ref" not in definition}
    definitions = {name: _untitled(definition) for name, definition in (described["$defs"] | alone).items()}
    return {"$schema": GenerateJsonSchema.schema_dialect, "$defs": dict(sorted(definitions.items()))}


def declarations() -> str:
    """Return the same types as a TypeScript declaration file."""
    sources = "services/reading/payloads.py and route_answers.py"
    head = f"// Written by `python -m components.viewer.payload_types` from {sources}.\n"
    return "\n".join([head, *(_declaration(name, definition) for name, definition in schema()["$defs"].items())])


def _untitled(fragment: Any) -> Any:
    """Remove pydantic's titles, which repeat each name, but keep a payload's own key called title."""
    if isinstance(fragment, list):
        return [_untitled(part) for part in fragment]
    if not isinstance(fragment, dict):
        return fragment
    return {name: _untitled(part) for name, part in fragment.items() if name != "title" or not isinstance(part, str)}


def _declaration(name: str, described: dict[str, Any]) -> str:
    comment = f"/** {described['description']} */\n" if "description" in described else ""
    if not described.get("properties"):
        return f"{comment}export type {name} = {_type(described)};\n"
    required = described.get("required", [])
    lines = [
        f"  {key}{'' if key in required else '?'}: {_type(definition)};\n"
        for key, definition in described["properties"].items()
    ]
    return f"{comment}export interface {name} {{\n{''.join(lines)}}}\n"


def _type(described: dict[str, Any]) -> str:
    """Return a schema as a TypeScript type.

    Raises
    ------
    ValueError
        The schema uses a construct that no payload has used before.
    """
    match described:
        case {"$ref": reference}:
            return str(reference).rsplit("/", 1)[1]
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"anyOf": parts}:
            return " | ".join(_type(part) for part in parts)
        case {"type": "array", "items": items, "minItems": least, "maxItems": most} if least == most:
            return f"[{', '.join([_type(items)] * least)}]"
        case {"type": "array", "items": items}:
            return f"{_type(items)}[]"
        case {"type": "object", "propertyNames": names, "additionalProperties": values}:
            return f"Partial<Record<{_type(names)}, {_type(values)}>>"
        case {"type": "object", "additionalProperties": True}:
            return "Record<string, any>"
        case {"type": "object", "additionalProperties": False}:
            return "Record<string, never>"
        case {"type": kind} if kind in _PRIMITIVES:
            return _PRIMITIVES[kind]
    raise ValueError(f"no TypeScript type is known for {described}")


def schema_text() -> str:
    """Return the schema as written to its file."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    DECLARATIONS.write_text(declarations(), encoding="utf-8")
    print(f"{SCHEMA.name} and {DECLARATIONS.name} are written.")
