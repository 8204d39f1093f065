"""A judge's verdicts on pairs of answers: which two a line compares, which of them is better, and which came first.

A line calls the two answers A and B, in whichever order; stored is a preference in the order of the study's tables, so
that verdicts on one pair can be compared whatever order each was given in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from exchange import formats
from exchange.file_format import JudgeLine, format_of
from exchange.foreign.layout import Source
from exchange.judge_verdicts import FAILURES, JudgeRow, in_place_of, judge_rows, require_readable
from exchange.pair_rows import BY_KEYS, BY_MODELS
from exchange.refusal import InputRefused, Problems, shown
from exchange.spreadsheet import NotRead
from protocol.fields.preference import IN_ORDER, SIDES, SWAPPED, as_in_table
from protocol.scales import JudgeScale

SHOWN_FIRST = "shown_first"
# Which answer of a pair was shown to the judge first, in the order of the tables.
Order = Literal["first", "second"]


class Pair(NamedTuple):
    """Two answers to an item that a study compares, in the order of its tables: their keys, and who wrote them."""

    item: str
    key: str
    answers: tuple[str, str]
    models: tuple[str, str]
    replaced: bool = False


class Pairs:
    """The pairs of a study, found by what a file calls their answers."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._by_keys: dict[tuple[str, frozenset[str]], list[Pair]] = {}
        self._by_models: dict[tuple[str, frozenset[str]], list[Pair]] = {}
        self._keys = set()
        for pair in pairs:
            self._keys.add((pair.item, pair.key))
            self._by_keys.setdefault((pair.item, frozenset(pair.answers)), []).append(pair)
            if not pair.replaced:
                self._by_models.setdefault((pair.item, frozenset(pair.models)), []).append(pair)

    def by_keys(self, item: str, keys: Sequence[str]) -> Sequence[Pair]:
        """Return the pairs of two answers, given by their keys; at most one."""
        return self._by_keys.get((item, frozenset(keys)), ())

    def by_models(self, item: str, models: Sequence[str]) -> Sequence[Pair]:
        """Return the pairs of answers of two models; several if they answered under several conditions."""
        return self._by_models.get((item, frozenset(models)), ())

    def unknown(self, item: str, names: Sequence[str]) -> str:
        """Return words for two answers that are no pair of the study, which are the key of no pair."""
        words = " & ".join(names)
        while (item, words) in self._keys:
            words = f"{words}?"
        return words


@dataclass
class PairTable:
    """The rows of a table of pairs, read again at each iteration; each names a pair as its candidate.

    Attributes
    ----------
    problems
        Where to note what is wrong, during the first iteration.
    says
        The meaning of each word of the file: a code of the scale, or a kind of missing verdict.
    columns
        The column of each thing that the file calls otherwise, by our name for it.
    only
        If a file has both orders, the one whose lines are read; None for all lines.
    of_other_order
        How many lines were left out because they have the other order.
    """

    content: bytes
    name: str
    scale: JudgeScale
    pairs: Pairs
    problems: Problems
    says: Mapping[str, str]
    columns: Mapping[str, str] = field(default_factory=dict)
    only: Order | None = None
    of_other_order: int = 0

    def __iter__(self) -> Iterator[JudgeRow]:
        """Read the rows.

        Raises
        ------
        InputRefused
            The file cannot be read as a table of pairs at all.
        """
        problems, self.problems = self.problems, Problems()
        self.of_other_order = 0
        orders: dict[int, str] = {}
        for row in judge_rows(self._lines(problems, orders), self.name, self.scale, problems, self.unit):
            yield row._replace(shown_first=orders.pop(row.line, ""))

    @property
    def unit(self) -> str:
        """The unit in which its rows are numbered."""
        return Source(self.content, self.name).unit

    def _lines(self, problems: Problems, orders: dict[int, str]) -> Iterator[JudgeLine]:
        """Yield lines that name a pair as their candidate, with the preference in the order of the tables."""
        name = shown(self.name, 80)
        require_readable(self.content, self.name)
        there, read, unit = False, format_of(formats.JUDGE_PAIRS, self.name).read, self.unit
        try:
            for number, entry in read(self.content, name, self.columns, problems):
                try:
                    line = self._line(entry)
                except _Unclear as unclear:
                    problems.add_line(name, unit, number, str(unclear))
                    continue
                # Two answers that are no pair have no order: whether they are placed is decided for all lines.
                if self.only is not None and line.is_pair and line.shown_first != self.only:
                    self.of_other_order += 1
                    continue
                # Only the last line's order is needed: lines are asked for one by one.
                orders.clear()
                there = True
                orders[number] = line.shown_first
                yield number, line.entry
        except NotRead as problem:
            raise InputRefused(f"{name} {problem}") from None
        # A line that is noted may have the order asked for.
        if self.of_other_order and not there and not problems.count:
            raise InputRefused(f"{name}: {SHOWN_FIRST} names the other answer on every line; ask for the other order.")

    def _line(self, entry: dict[str, Any]) -> _Line:
        item, names = _text(entry, "item"), _named(entry)
        pairs = self.pairs.by_keys(item, names.of) if names.are_keys else self.pairs.by_models(item, names.of)
        if len(pairs) > 1:
            raise _Unclear(
                f"{len(pairs)} pairs of item '{shown(item)}' are of {' and '.join(map(shown, names.of))}; name the two "
                f"answers in {' and '.join(BY_KEYS)}."
            )
        order = IN_ORDER
        if pairs and (pairs[0].answers if names.are_keys else pairs[0].models)[0] != names.of[0]:
            order = SWAPPED
        if pairs and names.are_keys:
            _require_models(entry, pairs[0].models if order == IN_ORDER else pairs[0].models[::-1])
        said, first = _text(entry, "verdict"), _text(entry, SHOWN_FIRST)
        side = self._meant(first, entry, {}, SHOWN_FIRST)
        if first and side is None:
            raise _Unclear(
                f"{SHOWN_FIRST} is '{shown(first, 40)}', expected a or b, or what the line calls one of the two; "
                "correct it, or leave it empty."
            )
        if self.only is not None and side is None:
            raise _Unclear(f"{SHOWN_FIRST} is empty, and lines of one order are asked for; fill it in.")
        codes = {text: code.name for code in self.scale.codes for text in code.written}
        verdict = self.says.get(said) or self._meant(said, entry, codes, "verdict") or said
        return _Line(
            {name: value for name, value in entry.items() if name != "model"}
            | {"candidate": pairs[0].key if pairs else self.pairs.unknown(item, names.of)}
            | {"verdict": as_in_table(verdict, order)}
            | in_place_of(verdict, {verdict: verdict} if verdict in FAILURES else {}),
            "" if side is None else order[SIDES.index(side)],
            bool(pairs),
        )

    def _meant(self, said: str, entry: Mapping[str, Any], codes: Mapping[str, str], column: str) -> str | None:
        """Return the code that a text of a line means; None if it means none.

        Raises
        ------
        _Unclear
            It means several, such as the letter b if that is what the line calls its answer A.
        """
        word = said.lower()
        means = {codes[word]} if word in codes else set()
        for side, columns in zip(SIDES, zip(BY_KEYS, BY_MODELS, strict=True), strict=True):
            called = (side, *columns, *(self.columns.get(name, "").lower() for name in columns))
            if said and (word in called or said in (_text(entry, name) for name in columns)):
                means.add(side)
        if len(means) > 1:
            raise _Unclear(f"{column} '{shown(said, 40)}' can mean {' or '.join(sorted(means))}; write which.")
        return next(iter(means), None)


class _Unclear(Exception):
    """A line does not say what it is about; the message is a sentence."""


class _Line(NamedTuple):
    entry: dict[str, Any]
    shown_first: str
    is_pair: bool


class _Names(NamedTuple):
    """What a line calls the two answers: by their keys, or by their models."""

    of: tuple[str, str]
    are_keys: bool


def _named(entry: Mapping[str, Any]) -> _Names:
    for columns in (BY_KEYS, BY_MODELS):
        first, second = (_text(entry, column) for column in columns)
        if first and first == second:
            raise _Unclear(
                f"{' and '.join(columns)} are both '{shown(first)}'; name two answers, in {' and '.join(BY_KEYS)} if "
                "they are of one model."
            )
        if first and second:
            return _Names((first, second), columns == BY_KEYS)
    raise _Unclear(
        f"one of the two answers is not named; fill in {' and '.join(BY_KEYS)}, or {' and '.join(BY_MODELS)}."
    )


def _require_models(entry: Mapping[str, Any], models: Sequence[str]) -> None:
    """Require that what a line says of the models of its answers A and B, beside their keys, is as in the study.

    Raises
    ------
    _Unclear
        It is not: the keys say one thing and the models another, also of a verdict that names one.
    """
    for by_key, by_model, model in zip(BY_KEYS, BY_MODELS, models, strict=True):
        said = _text(entry, by_model)
        if said and said != model:
            raise _Unclear(
                f"{by_model} is '{shown(said)}', and {by_key} is by '{shown(model)}' in the study; correct one of the "
                f"two, or remove {' and '.join(BY_MODELS)}."
            )


def _text(entry: Mapping[str, Any], column: str) -> str:
    value = entry.get(column)
    return "" if value is None else str(value).strip()
