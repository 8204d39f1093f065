"""What a version changes, one entry each, in words that an admin reads before it is made and a statistician after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from protocol.language.wording import listed
from services.errors import Conflict, counted

How = Literal["added", "corrected", "changed"]
# So many of one kind are named in words; the manifest names all.
_NAMED = 8
# What is corrected of a candidate that says what it said, about an item that is corrected.
WITH_ITEM = ("item",)
# And of a pair, one of whose answers is corrected.
WITH_ANSWER = ("one of the answers",)

# What means something else is asked in another study, whose verdicts are its own.
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
        Added; corrected, and so new under another key, `stored_as`; or changed in its words alone.
    parts
        What of it was corrected.
    """

    what: str
    key: str
    how: How
    parts: tuple[str, ...] = ()
    stored_as: str = ""

    def as_manifest(self) -> dict[str, Any]:
        """Return it as the manifest of the version says it."""
        content: dict[str, Any] = {"what": self.what, "key": self.key, "how": self.how}
        content |= {"parts": list(self.parts)} if self.parts else {}
        return content | ({"stored_as": self.stored_as} if self.stored_as else {})

    @staticmethod
    def of_manifest(content: dict[str, Any]) -> Change:
        """Return what a manifest says so."""
        parts = tuple(content.get("parts", ()))
        return Change(content["what"], content["key"], content["how"], parts, content.get("stored_as", ""))


def in_words(changes: Iterable[Change]) -> list[str]:
    """Return changes as sentences: what was added by kind, what was corrected one by one."""
    # A candidate that is new with its item is named with the item, and such a pair with its answer.
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


def _corrected(change: Change) -> str:
    parts = listed(list(change.parts))
    verb = "is" if len(change.parts) == 1 else "are"
    return f"{change.what.capitalize()} '{change.key}': {parts} {verb} corrected; it is new as '{change.stored_as}'."


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(keys[:_NAMED]) + more


def refuse_all(reasons: Sequence[str]) -> None:
    """Refuse a version with every reason at once, each in a line of its own.

    Raises
    ------
    Conflict
        There is a reason.
    """
    if reasons:
        raise Conflict("\n".join(reasons))
