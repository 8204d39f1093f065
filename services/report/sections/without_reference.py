"""Sentences about items without a reference, which are left out of everything that needs one."""

from __future__ import annotations

from services.report.rows.reads import Reads


def without_reference_sentences(reads: Reads) -> tuple[str, ...]:
    """Return a sentence on how many items that were read have no reference; nothing if all have one."""
    return without_reference(len(reads.items), len(reads.referenced.positions))


def without_reference(total: int, known: int) -> tuple[str, ...]:
    """Return a sentence on how many of all items have no reference; nothing if all have one."""
    if known == total:
        return ()
    if not known:
        return ("No item of this study has a reference, so nothing that needs one was computed.",)
    lacking = total - known
    return (
        (
            f"{lacking} of {total} items {'has' if lacking == 1 else 'have'} no reference: they are excluded from "
            "every figure that needs one, and from its n."
        ),
    )
