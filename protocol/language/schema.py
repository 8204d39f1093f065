"""The JSON Schema of `protocol.yaml`, for editors that complete and check it: `python -m protocol.language.schema`.

It is stored beside the studies, so that a protocol can refer to it in its first line.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from protocol.language.authored import AuthoredStudy


def json_schema() -> dict[str, Any]:
    """Return the schema; texts may also be numbers or booleans, since editors parse unquoted scalars as such."""
    schema: dict[str, Any] = _texts_of_any_kind(AuthoredStudy.model_json_schema(by_alias=True))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _texts_of_any_kind(part: Any) -> Any:
    if isinstance(part, list):
        return [_texts_of_any_kind(below) for below in part]
    if not isinstance(part, dict):
        return part
    changed = {key: _texts_of_any_kind(below) for key, below in part.items()}
    kind = changed.get("type")
    if kind == "string" and "enum" not in changed:
        changed["type"] = ["string", "number", "boolean"]
    elif kind == "boolean":
        changed = {**changed, "type": ["boolean", "string"], "enum": [True, False, "yes", "no", "true", "false"]}
    if isinstance(changed.get("const"), str):
        changed = {"enum": [changed["const"], *_other_kinds(changed["const"])], **_without(changed, "const", "type")}
    return changed


def _other_kinds(text: str) -> list[int]:
    return [int(text)] if text.isdecimal() else []


def _without(part: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: below for key, below in part.items() if key not in keys}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n")
