"""A study folder whose plan and tables each test says."""

from __future__ import annotations

from pathlib import Path

from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: planned
title: A plan and its tables
attributes:
  items: {{site: text, scanner: text, own: text, half: text, number: {{type: number, bins: [1]}}, hard: yes_no}}
  raters: {{trained: yes_no}}
phases:
  - {{key: read, title: Reads, rates: items, shows: [prompt], form: {{answer: yes_no}}{more}}}
analysis: {{{plan}}}
"""


# 20 items of two sites, the second with a single one; all of one scanner, each with a value of its own, every
# second one with a value that the others lack; the last seven are hard.
ITEMS = [
    (
        *(f"q{n}", "c", "yes_no", f"Item {n}?", "north" if n else "south", "A", f"o{n}", str(n)),
        *("h" if n % 2 else "", "true" if n > 12 else "no"),
    )
    for n in range(20)
]


def folder_with(tmp_path: Path, plan: str, more: str = "", items: list[tuple[str, ...]] = ITEMS) -> Path:
    (tmp_path / "protocol.yaml").write_text(PROTOCOL.format(plan=plan, more=more), encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,category,format,prompt,site,scanner,own,number,half,hard", items)
    references = [(item[0], "answer", "yes", "", "", "", "") for item in items]
    write_table(tmp_path / "references.csv", "item,field,accepted,low,high,radius,provenance", references)
    return tmp_path


LINE = "estimate: accuracy, of: read.answer"
