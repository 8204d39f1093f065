"""The file that an audit of the blinding writes: what was searched, and every leak with its place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from db import now
from services.errors import Conflict, counted
from services.installation.version import SOFTWARE_VERSION
from services.record.blinding_audit.kinds import KINDS
from services.record.blinding_audit.progress_file import Progress
from services.record.blinding_audit.tally import MOST_LISTED, UNTOLD, Leak, Tally
from services.record.blinding_audit.work import Work

FORMAT = "blindread-blinding-audit/1"


# At most this many leaks are reported with the result; the file lists the rest.
MOST_SAID = 5


def require_free(out: Path) -> None:
    """Refuse to replace a file that no audit wrote, and to write into a folder that does not exist."""
    if not out.parent.is_dir():
        raise Conflict(f"The folder {out.parent} does not exist; make it, or name another file.")
    if not out.exists():
        return
    try:
        is_ours = json.loads(out.read_text("utf-8"))["format"] == FORMAT
    except (OSError, ValueError, TypeError, LookupError):
        is_ours = False
    if not is_ours:
        raise Conflict(f"{out.name} exists and was not written by an audit; name another file with --out.")


def result_of(work: Work, on_its_way: Progress, tally: Tally, *, show_values: bool) -> dict[str, Any]:
    """Return the content of the file; the values themselves only if requested and allowed."""
    plan, head = work.plan, on_its_way.head
    return {
        "format": FORMAT,
        "study": work.study_key,
        "freeze_sha256": work.freeze,
        "software_version": SOFTWARE_VERSION,
        "began_at": head["began_at"],
        "ended_at": now().isoformat(timespec="seconds"),
        "result": "no leak" if not tally.leaks and not tally.not_rendered else "leaks" if tally.leaks else "incomplete",
        "assignments": {
            "in_the_study": plan.in_the_study,
            "searched": len(plan.planned),
            "of_nobody": plan.left_out,
            "screens": plan.screens,
            **({"searched_and_not_counted": _not_counted(work)} if work.not_counted else {}),
            "draw": None if plan.seed is None else {"seed": plan.seed, "limit": head["limit"], "drawn": head["drawn"]},
        },
        "searched": {**_counts(tally), "volume_headers": len(tally.volumes)},
        "hidden_values": {kind: count for kind, count in work.hidden.count().items() if not _is_sealed(kind, work)},
        "not_searched_for": _left_out(work, show_values=show_values),
        "legitimate": [
            {"kind": kind, "rule": rule, "where": where, "count": count}
            for (kind, rule, where), count in sorted(tally.legitimate.items())
            if not _is_sealed(kind, work)
        ],
        "leaks_in_all": len(tally.leaks),
        "leaks": [_leak(leak, work, show_values=show_values) for leak in tally.leaks[:MOST_LISTED]],
        "not_rendered": [
            {"phase": phase, "slot": slot, "item": item, "why": why} for phase, slot, item, why in tally.not_rendered
        ],
    }


def _counts(tally: Tally) -> Counter[str]:
    return Counter({name: tally.searched[name] for name in ("assignments", "payloads", "texts", "addresses", "pages")})


def _left_out(work: Work, *, show_values: bool) -> list[dict[str, Any]]:
    rows = []
    for why, by_kind in (("too short", work.hidden.too_short), ("too common", work.hidden.too_common)):
        for kind, texts in sorted(by_kind.items()):
            if _is_sealed(kind, work):
                continue
            row: dict[str, Any] = {"kind": kind, "why": why, "count": len(texts)}
            if show_values and _may_print(kind, work):
                row["values"] = texts
            rows.append(row)
    return rows


def _leak(leak: Leak, work: Work, *, show_values: bool) -> dict[str, Any]:
    row = {"phase": leak.phase, "slot": leak.slot, "item": leak.item, "kind": leak.kind, "where": leak.where}
    if show_values and leak.value != UNTOLD and _may_print(leak.kind, work):
        row["value"] = work.hidden.values[leak.value].text
    return row


def first_in_words(leaks: Iterable[Leak], work: Work) -> tuple[str, ...]:
    """Return the first leaks in words; leaks of one text on several people's screens are reported once."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for leak in leaks:
        row = _leak(leak, work, show_values=False)
        alike.setdefault((row["phase"], row["item"], row["where"], row["kind"]), []).append(row["slot"])
    said = []
    for (phase, item, where, kind), slots in list(alike.items())[:MOST_SAID]:
        more = f" and {counted(len(set(slots)) - 1, 'other')}" if len(set(slots)) > 1 else ""
        of_item = f", item '{item}'" if item else ""
        said.append(
            f"In '{phase}'{of_item}, on the screen of {slots[0]}{more}: {where} contains what is hidden "
            f"({KINDS[kind].title}).{f' {KINDS[kind].remedy}' if KINDS[kind].remedy else ''}"
        )
    return tuple(said)


def _not_counted(work: Work) -> str:
    return f"screens of sealed test subjects in phases that follow from answers: {', '.join(work.not_counted)}"


def _is_sealed(kind: str, work: Work) -> bool:
    """Return whether even the number of values of a kind says what people answered about sealed test subjects.

    In a pool each text counts once, so the number of candidates' texts says how many people wrote the same.
    """
    is_of_people_too = kind == "candidate" and work.has_pool
    return work.is_sealed and (is_of_people_too or not KINDS[kind].while_sealed)


def _may_print(kind: str, work: Work) -> bool:
    if work.is_sealed and (KINDS[kind].sort == "answer" or not KINDS[kind].while_sealed):
        return False
    return work.is_closed or KINDS[kind].while_open


def write_whole(out: Path, text: str) -> None:
    """Write the result completely or not at all."""
    whole = out.with_name(f".{out.name}.new")
    whole.write_text(text + "\n", encoding="utf-8")
    whole.replace(out)
