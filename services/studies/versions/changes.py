"""What a version changes, one entry each, worded for admins before it is made and for statisticians afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from protocol.language.wording import listed
from services.errors import Conflict, counted

How = Literal["added", "corrected", "changed"]
# How many changes of one kind are named in words; the manifest names all of them.
_NAMED = 8
# The corrected part of a candidate that is unchanged itself but belongs to a corrected item.
WITH_ITEM = ("item",)
# The same for a pair with a corrected answer.
WITH_ANSWER = ("one of the answers",)

# If the meaning changes, it has to be asked in another study, which has its own verdicts.
ANEW = "or import the folder as a study of its own, under another key"


@dataclass(frozen=True)
class Change:
    """One thing that a version changes.

    Attributes
    ----------
    what
        "case", "item", "candidate", "pair", "phase", "group", "form", "attribute", "estimate", or "text" of the
        protocol.
    key
        Its key in the new folder.
    how
        Added; corrected, and therefore new under another key, `stored_as`; or only reworded.
    parts
        The parts of it that were corrected.
    """

    what: str
    key: str
    how: How
    parts: tuple[str, ...] = ()
    stored_as: str = ""

    def as_manifest(self) -> dict[str, Any]:
        """Return the change as an entry of the version's manifest."""
        content: dict[str, Any] = {"what": self.what, "key": self.key, "how": self.how}
        content |= {"parts": list(self.parts)} if self.parts else {}
        return content | ({"stored_as": self.stored_as} if self.stored_as else {})

    @staticmethod
    def of_manifest(content: dict[str, Any]) -> Change:
        """Return a change from its entry in a manifest."""
        parts = tuple(content.get("parts", ()))
        return Change(content["what"], content["key"], content["how"], parts, content.get("stored_as", ""))


def in_words(changes: Iterable[Change]) -> list[str]:
    """Return changes as sentences: additions grouped by kind, corrections one by one."""
    # A candidate that is new because of its item is named with the item, and such a pair with its answer.
    changes = [change for change in changes if change.parts not in (WITH_ITEM, WITH_ANSWER)]
    sentences = []
    for what in dict.fromkeys(change.what for change in changes):
        added = [change.key for change in changes if (change.what, change.how) == (what, "added")]
        if added:
            sentences.append(f"{counted(len(added), what)} added: {_named(added)}.")
        sentences += [_corrected(change) for change in changes if (change.what, change.how) == (what, "corrected")]
        sentences += [
            f"What the protocol says under {change.key} is another text." if what == "text" else
            f"{what.capitalize()} '{change.key}': {listed(list(change.parts))} changed."
            for change in changes
            if (change.what, change.how) == (what, "changed")
        ]  # fmt: skip
    return sentences


def reworded(what: str, key: str, before: str, after: str) -> str:
    """Return in words what the prompt of an item, or the answer of a candidate, said and says."""
    name = "Prompt of item" if what == "item" else "Answer of candidate"
    return f"{name} '{key}' said “{before}”, and says “{after}”."


def _corrected(change: Change) -> str:
    parts = listed(list(change.parts))
    verb = "is" if len(change.parts) == 1 else "are"
    return f"{change.what.capitalize()} '{change.key}': {parts} {verb} corrected; it is new as '{change.stored_as}'."


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(keys[:_NAMED]) + more


def refuse_all(reasons: Sequence[str]) -> None:
    """Refuse a version with all reasons at once, one per line.

    Raises
    ------
    Conflict
        There is at least one reason.
    """
    if reasons:
        raise Conflict("\n".join(reasons))
