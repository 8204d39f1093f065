"""Confusion matrices: counts of answers against the reference, between two raters, or between a judge and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from exchange.report.estimate_rows import ALL_RATERS, REFERENCE, Party
from exchange.report.report_structure import Matrix
from exchange.report.report_words import parties_in_words
from protocol.fields import ONE_OPTION, ORDERED
from protocol.fields.abstention import ID as UNDETERMINED
from protocol.fields.abstention import WORDS
from protocol.labels import as_label
from services.report.rows.ratings import Ratings
from services.report.rows.steps import is_averaged
from services.report.sections.fields.classes import INVALID, classes_of
from services.report.sections.fields.judges_on_scales import humans_of
from services.report.sections.fields.shares import categories_of

# Without a row for each column, the same answers are on no diagonal.
_SAME_NAME = "where row and column have the same name,"
# A larger table cannot be read at a glance.
_MOST_OPTIONS = 12
# For pairs of raters: more pairs than this would give too many tables to read.
_MOST_PAIRS = 4
# For models and judges: the tables state how many there are beyond these.
_MOST_TABLES = 12
Said = Sequence[str | None]


def matrices_of(ratings: Ratings, label: str) -> list[Matrix]:
    """Return answers against the reference, for all raters and each model; without references, for pairs of raters."""
    if ratings.field.type == "correctness":
        return _of_judges(ratings, label)
    if ratings.field.type not in ONE_OPTION:
        return []
    known = ratings.only(lambda place: (key := ratings.keys[place]) is not None and len(key.key.accepted) == 1)
    if known.units:
        return _against_reference(known, label) + _of_judges(ratings, label)
    pairs = ratings.pairs if len(ratings.pairs) <= _MOST_PAIRS else ()
    said = [classes_of(column, own) for column, own in zip(ratings.columns, ratings.answers, strict=True)]
    made = [
        _matrix(ratings, (ratings.columns[a].party, ratings.columns[b].party), said[a], said[b], label)
        for a, b in pairs
    ]
    return [matrix for matrix in made if matrix is not None] + _of_judges(ratings, label)


def _of_judges(ratings: Ratings, label: str) -> list[Matrix]:
    """Return each judge's verdicts against the raters' settled answers, or those of the only rater."""
    if not ratings.columns:
        return []
    human = humans_of(ratings)[-1]
    if is_averaged(human):
        return []
    people = classes_of(human, ratings.with_columns([human]).answers[0])
    made = []
    for judge in ratings.judges[:_MOST_TABLES]:
        said = [None if verdict is None else str(verdict) for verdict in judge.said]
        made.append(_matrix(ratings, (judge.party, human.party), said, people, label))
    return _with_those_left_out(made, len(ratings.judges), "judges")


def _against_reference(known: Ratings, label: str) -> list[Matrix]:
    reference = [key.key.accepted[0] for key in known.keys if key is not None]
    columns = list(zip(known.columns, known.answers, strict=True))
    said = [answer for column, own in columns for answer in classes_of(column, own)]
    whose = known.columns[0].party if len(columns) == 1 else ALL_RATERS
    people = _matrix(known, (REFERENCE, whose), reference * len(columns), said, label) if columns else None
    made = []
    for model in known.of_models[:_MOST_TABLES]:
        given = classes_of(model.columns[0], model.answers[0])
        made.append(_matrix(known, (REFERENCE, model.columns[0].party), reference, given, label))
    of_models = _with_those_left_out(made, len(known.of_models), "models")
    return of_models if people is None else [people, *of_models]


def _with_those_left_out(made: Sequence[Matrix | None], count: int, what: str) -> list[Matrix]:
    """Return the tables that exist; they say so if not every model or judge has one."""
    tables = [matrix for matrix in made if matrix is not None]
    if count <= _MOST_TABLES:
        return tables
    beyond = f"Of the {count} {what} the first {_MOST_TABLES} have such a table."
    return [replace(matrix, explanation=f"{matrix.explanation} {beyond}") for matrix in tables]


def _matrix(ratings: Ratings, parties: tuple[Party, Party], first: Said, second: Said, label: str) -> Matrix | None:
    texts = {category.id: category.text for category in categories_of(ratings.field)}
    texts |= {UNDETERMINED: WORDS, INVALID: "Not an answer"}
    counts = Counter(pair for pair in zip(first, second, strict=True) if None not in pair)
    columns = [key for key in texts if any(key in pair for pair in counts)]
    ordered = len(columns) > 1 and ratings.field.type in ORDERED
    if ordered:
        # An unused step is still a step of the scale.
        columns = [key for key in texts if key in columns or key not in (UNDETERMINED, INVALID)]
    rows = columns
    if REFERENCE in parties:
        used = {pair[0] for pair in counts}
        rows = [key for key in columns if key in used or (ordered and key not in (UNDETERMINED, INVALID))]
    if not 1 < len(columns) <= _MOST_OPTIONS or not rows:
        return None
    words = parties_in_words(parties, "against" if REFERENCE in parties else "and")
    return Matrix(
        key=f"{ratings.field.key}_matrix_{'_'.join(party.name or party.kind for party in parties)}",
        title=f"{as_label(label)} {words}" if label else f"Answers: {words}",
        explanation=(f"Counts of answers; {'on the diagonal' if rows == columns else _SAME_NAME} both say the same."),
        stratum=ratings.whole,
        parties=parties,
        row_labels=tuple(texts[key] for key in rows),
        column_labels=tuple(texts[key] for key in columns),
        counts=tuple(tuple(counts[(row, column)] for column in columns) for row in rows),
    )
