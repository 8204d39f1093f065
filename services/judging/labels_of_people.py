"""What each person said in files of labels: by name, from one file or from several taken together."""

from __future__ import annotations

from collections.abc import Mapping

from exchange.judge_verdicts import NO_VERDICT, JudgeRow
from exchange.refusal import InputRefused, listed, shown
from services.judging.sources import Verdicts

LONGEST_NAME = 80
# More people than have ever labelled one study: with more, the mapped column probably holds something else.
_MOST_LABELLERS = 300


def together(read: Mapping[str, Verdicts], labeller: str, *, in_columns: bool) -> dict[str, tuple[JudgeRow, ...]]:
    """Return what each person said in all files; of several each row says in which."""
    by_labeller: dict[str, tuple[JudgeRow, ...]] = {}
    for name, each in read.items():
        for who, rows in _by_labeller(each, labeller, name, in_columns=in_columns).items():
            own = rows if len(read) == 1 else tuple(row._replace(file=name) for row in rows)
            by_labeller[who] = (*by_labeller.get(who, ()), *own)
    return by_labeller


def _by_labeller(read: Verdicts, labeller: str, file_name: str, *, in_columns: bool) -> dict[str, tuple[JudgeRow, ...]]:
    """Return what each person said, without lines that have neither a label nor a reason why not."""
    named = sorted(who for who in read.rows if who)
    if named and labeller:
        raise InputRefused(
            f"{file_name} says itself who labelled ({listed(named)}), and the labeller is given as "
            f"'{shown(labeller)}'; leave it out."
        )
    if "" in read.rows and not labeller and in_columns:
        raise InputRefused(
            f"{file_name} has a column for each labeller, and none that says which answer is meant: name the columns "
            "of item and candidate, such as item=COLUMN and candidate=COLUMN."
        )
    if "" in read.rows and not labeller:
        raise InputRefused(
            f"{file_name} does not say who labelled: name the labeller, or the column that says it (labeller=COLUMN)."
        )
    by_labeller = {
        who or labeller: tuple(row for row in rows if row.verdict is not None or row.failure != NO_VERDICT)
        for who, rows in read.rows.items()
    }
    for who in by_labeller:
        _require_name(who, file_name)
    if len(by_labeller) > _MOST_LABELLERS:
        raise InputRefused(
            f"{file_name} has {len(by_labeller):,} labellers, such as {listed(named)}, and at most {_MOST_LABELLERS} "
            "are taken; check whether labeller is mapped to the column that says who labelled."
        )
    if not any(by_labeller.values()) and not read.problems.count:
        raise InputRefused(f"{file_name} holds no label; expected one at least.")
    return {who: rows for who, rows in by_labeller.items() if rows}


def _require_name(who: str, file_name: str) -> None:
    if len(who) > LONGEST_NAME or not who.isprintable():
        raise InputRefused(
            f"{file_name}: the labeller '{shown(who)}' is not a name of at most {LONGEST_NAME} printable letters; "
            "correct it, or the column that is mapped."
        )
