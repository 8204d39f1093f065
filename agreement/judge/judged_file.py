"""Verdicts of humans and judges read from one table, or from two joined by declared keys, into `Material`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agreement.coding import Codes, Floats
from agreement.judge.columns import Columns, ScaleAsked
from agreement.judge.factors import Factor
from agreement.judge.keys import numbered, shared_codes
from agreement.judge.material import Material, Verdicts
from agreement.judge.run_versions import made_of
from agreement.judge.scale import Scale, State, codes_of, scale_of
from agreement.judge.sheet import Column, JudgedFileError, Sheet, read_sheet
from agreement.separated import with_point

FEW = 5
"""The most lines that a message about unusable rows names."""


@dataclass(frozen=True)
class _Raw:
    """A party's verdicts as written, by candidate, with the sheet and the rows that hold them."""

    sheet: Sheet
    column: Column
    rows: Codes  # of each candidate; -1 if it has none

    def codes(self) -> Codes:
        there = self.rows >= 0
        codes = np.full(self.rows.size, -1, dtype=np.intp)
        codes[there] = self.column.codes[self.rows[there]]
        return codes

    def texts(self) -> list[str]:
        return [self.column.texts[code] for code in np.unique(self.codes()).tolist() if code >= 0]


@dataclass(frozen=True)
class Judged:
    """What was read, and the names of its candidates.

    Attributes
    ----------
    material : Material
    paths : tuple of Path
        The files.
    sheet : Sheet
        The sheet with the judge's verdicts.
    keys : tuple of str
        Columns that identify a candidate.
    rows : ndarray of int, shape (n,)
        The first row of each candidate.
    """

    material: Material
    paths: tuple[Path, ...]
    sheet: Sheet
    keys: tuple[str, ...]
    rows: Codes

    def names(self, places: Codes) -> list[str]:
        """The names of some of the candidates, as written in the judge's file.

        Parameters
        ----------
        places : ndarray of int

        Returns
        -------
        list of str
            Item and model, separated by a unit separator.
        """
        columns = [self.sheet.column(name) for name in self.keys]
        return ["\x1f".join(column.text(row) for column in columns) for row in self.rows[places].tolist()]


def read_judged(path: Path, columns: Columns, asked: ScaleAsked | None = None, humans: Path | None = None) -> Judged:
    """Read the judge's file, and the humans' if it is a separate one, and code all verdicts on one scale.

    Parameters
    ----------
    path : Path
        CSV or Parquet with the judge's verdicts.
    columns : Columns
    asked : ScaleAsked, optional
    humans : Path, optional
        A second file with the humans' verdicts, joined by the columns of `Columns.keys`.

    Returns
    -------
    Judged

    Raises
    ------
    JudgedFileError
        When a column is missing, a verdict is not on the scale, a candidate has two verdicts of one party, an
        attribute has two values for one candidate, or a row of the second file belongs to no candidate.
    """
    asked = asked or ScaleAsked()
    if humans is not None and not columns.item:
        raise JudgedFileError("two files are joined by what names a candidate; expected --item with the columns of it")
    sheet = read_sheet(path, columns.needed())
    of_humans = read_sheet(humans, columns.needed()) if humans is not None else sheet
    reader = _Reader(sheet, of_humans, columns, asked)
    paths = (path,) if humans is None else (path, humans)
    return Judged(reader.material(), paths, sheet, columns.keys, reader.first_rows())


def refuse_nothing(material: Material) -> None:
    """Refuse material in which no candidate has a verdict by a human and by each judge.

    Parameters
    ----------
    material : Material

    Raises
    ------
    JudgedFileError
        With the counts of both.
    """
    labelled = material.labelled
    for judge, verdicts in labelled.judges.items():
        if not np.isfinite(verdicts.codes).any():
            of_judge = int(np.isfinite(material.judges[judge].codes).sum())
            raise JudgedFileError(
                f"no candidate has a verdict of a human ({', '.join(material.humans)}: {labelled.n}) and of {judge} "
                f"({of_judge}); expected some with both"
            )


class _Reader:
    """The two sheets (often one and the same), and the candidate to which each of their rows belongs."""

    def __init__(self, sheet: Sheet, of_humans: Sheet, columns: Columns, asked: ScaleAsked) -> None:
        self.sheet, self.of_humans, self.columns, self.asked = sheet, of_humans, columns, asked
        if columns.keys:
            keys = [shared_codes(sheet, of_humans, name) for name in columns.keys]
            self.candidate, self.n = numbered([codes for codes, _ in keys])
            self.items = numbered([codes for codes, _ in keys[: len(columns.item)]])[0]
            self.candidate_of_human = self.candidate if of_humans is sheet else self._joined(keys)
        else:
            self.candidate = self.candidate_of_human = np.arange(sheet.n)
            self.items, self.n = np.arange(0), sheet.n

    def _joined(self, both: Sequence[tuple[Codes, Codes]]) -> Codes:
        """The candidate of each row of the humans' sheet; the judge's sheet must contain all of them."""
        size = self.sheet.n
        together, _ = numbered([np.concatenate([of_judge, of_human]) for of_judge, of_human in both])
        place = np.full(int(together.max()) + 1, -1, dtype=np.intp)
        place[together[:size]] = self.candidate
        joined = place[together[size:]]
        strangers = np.flatnonzero(joined < 0)
        if strangers.size:
            lines = ", ".join(self.of_humans.where(int(row)) for row in strangers[:FEW])
            names = " and ".join(self.columns.keys)
            raise JudgedFileError(
                f"{strangers.size} of {self.of_humans.n} rows of {self.of_humans.path.name} belong to no row of "
                f"{self.sheet.path.name} with the same {names} ({lines}{' ...' if strangers.size > FEW else ''}); "
                "expected every human verdict to be on a candidate that the judge's file holds"
            )
        return joined

    def material(self) -> Material:
        columns = self.columns
        runs = {judge: self._runs(judge) for judge in columns.judges}
        humans = {name: self._of_human(name) for name in columns.humans}
        adjudicated = self._adjudicated()
        parties = [raw for by_run in runs.values() for raw in by_run.values()] + list(humans.values())
        texts = {text for raw in (*parties, *([adjudicated] if adjudicated else [])) for text in raw.texts()}
        try:
            scale = scale_of(
                texts,
                kind=self.asked.kind,
                levels=self.asked.levels,
                positive=self.asked.positive,
                states=self.asked.states,
            )
        except ValueError as error:
            raise JudgedFileError(f"{self.sheet.path.name}: {error}") from None
        read = {judge: {run: self._on(scale, raw) for run, raw in by_run.items()} for judge, by_run in runs.items()}
        factors = {
            name: factor
            for name in dict.fromkeys((*columns.by, *columns.conditions))
            if (factor := self._factor(name)) is not None
        }
        return Material(
            scale,
            {name: self._on(scale, raw) for name, raw in humans.items()},
            {judge: next(iter(by_run.values())) for judge, by_run in read.items()},
            self._factor(columns.model),
            factors,
            self._items(),
            self._clusters(),
            self._numbers(columns.probability, probability=True),
            self._factor(columns.stratum),
            self._on(scale, adjudicated) if adjudicated else None,
            {columns.judges[0]: grades} if (grades := self._numbers(columns.score)) is not None else {},
            read if columns.run else {},
            {name: factors[name] for name in columns.conditions},
            {
                (judge, run): made
                for judge in columns.judges
                for run, made in made_of(self.sheet, self._rows_of(self.sheet, judge), judge, columns).items()
            },
        )

    def first_rows(self) -> Codes:
        """The first row of each candidate in the judge's sheet."""
        rows = np.zeros(self.n, dtype=np.intp)
        rows[self.candidate[::-1]] = np.arange(self.sheet.n)[::-1]
        return rows

    def _items(self) -> Codes | None:
        if not self.columns.keys:
            return None
        items = np.zeros(self.n, dtype=np.intp)
        items[self.candidate] = self.items
        return items

    # ---- verdicts ----------------------------------------------------------------------------------------------------

    def _runs(self, judge: str) -> dict[str, _Raw]:
        """The judge's verdicts by run; under an empty name if the file has no runs."""
        sheet, among = self.sheet, self._rows_of(self.sheet, judge)
        column = sheet.column(str(self.columns.verdict) if self._is_long(sheet) else judge)
        if self.columns.run is None:
            return {"": self._placed(sheet, column, self.candidate, among, judge)}
        run = sheet.column(self.columns.run)
        empty = among[run.codes[among] < 0]
        if self._is_long(sheet) and self.of_humans is sheet:
            empty = empty[:0]  # human verdicts have no run, and the judge's rows are checked below
        if empty.size:
            raise JudgedFileError(f"{sheet.where(int(empty[0]))} has no {self.columns.run!r}; expected the run")
        return {
            text: self._placed(sheet, column, self.candidate, among[run.codes[among] == code], judge)
            for code, text in enumerate(run.texts)
            if (run.codes[among] == code).any()
        }

    def _of_human(self, name: str) -> _Raw:
        sheet, among = self.of_humans, self._rows_of(self.of_humans, name)
        column = sheet.column(str(self.columns.verdict) if self._is_long(sheet) else name)
        repeated = self.columns.run is not None and not self._is_long(sheet)
        return self._placed(sheet, column, self.candidate_of_human, among, name, may_repeat=repeated)

    def _adjudicated(self) -> _Raw | None:
        if self.columns.adjudicated is None:
            return None
        sheet = self._sheet_with(self.columns.adjudicated)
        candidate = self.candidate_of_human if sheet is self.of_humans else self.candidate
        column = sheet.column(self.columns.adjudicated)
        return self._placed(sheet, column, candidate, np.arange(sheet.n), "adjudicated", may_repeat=True)

    def _is_long(self, sheet: Sheet) -> bool:
        """Whether each row of a sheet is a verdict rather than a candidate; of two sheets, either one may be."""
        rater = self.columns.rater
        if rater is None:
            return False
        if rater not in self.sheet.columns and rater not in self.of_humans.columns:
            self.of_humans.column(rater)
        return rater in sheet.columns

    def _rows_of(self, sheet: Sheet, party: str) -> Codes:
        if not self._is_long(sheet):
            return np.arange(sheet.n)
        rater = sheet.column(str(self.columns.rater))
        if party not in rater.texts:
            known = ", ".join(rater.texts[:8])
            raise JudgedFileError(
                f"{sheet.path.name} has no rows of {party!r} in {self.columns.rater!r}; it has those of {known}"
            )
        return np.flatnonzero(rater.codes == rater.texts.index(party))

    def _placed(
        self, sheet: Sheet, column: Column, candidate: Codes, among: Codes, party: str, *, may_repeat: bool = False
    ) -> _Raw:
        """The row of each candidate; a row with an empty field yields to another, and two verdicts are refused."""
        if self.asked.kind == "number" and sheet.has_semicolons:
            column = Column(column.codes, tuple(map(with_point, column.texts)))
        given = among[column.codes[among] >= 0]
        rows = np.full(self.n, -1, dtype=np.intp)
        if self._once(sheet):
            rows[candidate[given]] = given
            return _Raw(sheet, column, rows)
        rows[candidate[given][::-1]] = given[::-1]
        again = given[rows[candidate[given]] != given]
        if may_repeat:
            again = again[column.codes[again] != column.codes[rows[candidate[again]]]]
        if again.size:
            second = int(again[0])
            first = int(rows[candidate[second]])
            # What names a candidate of a run that is checked is written in the certificate, and no option changes it.
            is_to_say = self.columns.run is None and bool(self.columns.humans)
            apart = ", or --run, or --condition with the column that tells them apart" if is_to_say else ""
            raise JudgedFileError(
                f"{party!r} has two verdicts on {self._name(sheet, second)}: {sheet.where(first)} "
                f"({column.text(first)}) and {sheet.where(second)} ({column.text(second)}); expected one{apart}"
            )
        return _Raw(sheet, column, rows)

    def _name(self, sheet: Sheet, row: int) -> str:
        return ", ".join(f"{name} {sheet.column(name).text(row)}" for name in self.columns.keys) or "one row"

    def _on(self, scale: Scale, raw: _Raw) -> Verdicts:
        """Verdicts as states and codes; a text that is neither is refused, with its line."""
        coded = codes_of(raw.column.texts, scale, self.asked.states)
        which = raw.codes()
        strange = np.array([coded_text is None for coded_text in coded] + [False])
        if strange[which].any():
            row = int(raw.rows[np.flatnonzero(strange[which])[0]])
            expected = "a number" if scale.kind == "number" else f"one of {', '.join(scale.levels)}"
            raise JudgedFileError(
                f"{raw.sheet.where(row)} holds the verdict {raw.column.text(row)!r}; expected {expected}, or an "
                "empty field, error, refusal, unreadable (--states names other words)"
            )
        pairs = [pair if pair is not None else (State.NO_VERDICT, np.nan) for pair in coded]
        states = np.array([*(state for state, _ in pairs), State.NO_VERDICT], dtype=np.int8)
        codes = np.array([*(code for _, code in pairs), np.nan])
        return Verdicts(codes[which], states[which])

    # ---- attributes --------------------------------------------------------------------------------------------------

    def _once(self, sheet: Sheet) -> bool:
        """Whether each row of the sheet is a different candidate, so that nothing can be stated twice."""
        return sheet is self.sheet and sheet.n == self.n

    def _sheet_with(self, name: str) -> Sheet:
        return self.sheet if name in self.sheet.columns or name not in self.of_humans.columns else self.of_humans

    def _values(self, name: str) -> tuple[Codes, tuple[str, ...]]:
        """The text of an attribute for each candidate; two different texts are refused."""
        sheet = self._sheet_with(name)
        column = sheet.column(name)
        candidate = self.candidate if sheet is self.sheet else self.candidate_of_human
        if self._once(sheet):
            values = np.empty(self.n, dtype=np.intp)
            values[candidate] = column.codes
            return values, column.texts
        given = np.flatnonzero(column.codes >= 0)
        values = np.full(self.n, -1, dtype=np.intp)
        values[candidate[given][::-1]] = column.codes[given][::-1]
        unlike = given[values[candidate[given]] != column.codes[given]]
        if unlike.size:
            row = int(unlike[0])
            first = column.texts[int(values[candidate[row]])]
            raise JudgedFileError(
                f"{sheet.where(row)}: {self._name(sheet, row)} has {name} {column.text(row)!r} and before {first!r}; "
                "expected one value for each candidate"
            )
        return values, column.texts

    def _factor(self, name: str | None) -> Factor | None:
        if name is None:
            return None
        return Factor(*self._values(name))

    def _clusters(self) -> Codes | None:
        if self.columns.cluster is None:
            return None
        values, _ = self._values(self.columns.cluster)
        if (values < 0).any():
            sheet = self._sheet_with(self.columns.cluster)
            row = int(np.flatnonzero(sheet.column(self.columns.cluster).codes < 0)[0]) if sheet.n else 0
            raise JudgedFileError(
                f"{sheet.where(row)} has no {self.columns.cluster!r}; expected the cluster of every candidate"
            )
        return values

    def _numbers(self, name: str | None, *, probability: bool = False) -> Floats | None:
        """A column of numbers; probabilities must be above 0 and at most 1."""
        if name is None:
            return None
        values, texts = self._values(name)
        comma = self._sheet_with(name).has_semicolons
        numbers = np.full(len(texts) + 1, np.nan)
        for code, text in enumerate(texts):
            try:
                number = float(with_point(text) if comma else text)
            except ValueError:
                number = np.nan
            if not (0.0 < number <= 1.0 if probability else np.isfinite(number)):
                sheet = self._sheet_with(name)
                row = int(np.flatnonzero(sheet.column(name).codes == code)[0])
                expected = "a number above 0 and at most 1" if probability else "a number"
                raise JudgedFileError(f"{sheet.where(row)} holds the {name} {text!r}; expected {expected}")
            numbers[code] = number
        return numbers[values]
