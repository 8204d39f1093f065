"""The sections of listed phases: for each field, the tables that its type provides."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from exchange.report.estimate_rows import EstimateRow, Stratum
from exchange.report.report_structure import Column, EstimateTable, Fold, PlainTable, Section, Table, TitleParts
from exchange.report.report_words import FORMATS, GROUNDINGS, party_in_words, stratum_in_words
from protocol.language.bins import level_of, levels_of
from protocol.language.computed import number_columns
from protocol.language.expansion import Expansion, Phase
from protocol.language.pools import rates_texts
from protocol.language.sentences_of_plan import plan_of
from protocol.language.wording import listed, spoken
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import VERSION, WRITTEN_BY, Unit
from services.report.rows.models import model_of
from services.report.rows.ratings import PhaseRatings, Ratings
from services.report.sections.comparisons import counted, in_words
from services.report.sections.confusion import matrices_of
from services.report.sections.fields import REPORTS
from services.report.sections.fields.abstaining import INVALID, NOT_ASSESSABLE, UNDETERMINED
from services.report.sections.fields.all_right import all_right
from services.report.sections.fields.comparing import BY_MODEL, Division
from services.report.sections.fields.depending import DEPENDING
from services.report.sections.fields.topics import Topic, measured_in, unit_in_words, weighted_in_words

# If there are more fields than this, only their number is given.
MOST_NAMED = 4
# An explanation from this many characters on is given once in a section, and named by the tables after it.
LONG = 200
# A section with more tables than this folds those of each field.
MOST_OPEN = 24
# Sets of units with their names; for a field, all units come first.
Parts = Sequence[tuple[Stratum, Ratings]]
PLANNED = "What the analysis plan declares is under “Declared before the first verdict” and is not repeated here."
EXPLORATORY = (
    "These estimates are exploratory: they were not declared before the first verdict, and are not adjusted for their "
    "number."
)
_STATES = (
    ("answered", "Answered", "Units with an answer in this field"),
    ("undetermined", "Undetermined", "Units on which the rater abstained in this field"),
    ("empty", "Left empty", "Units on which the field was asked, and left empty as it may be"),
    ("not_asked", "Not asked", "Units on which the field did not apply, by the answer to a field above"),
    ("not_assessable", "Not assessable", "Units that were called not assessable"),
    ("not_shown", "Could not be shown", "Units that could not be shown"),
    ("missing", "Missing", "Units without a verdict"),
    ("invalid", "Invalid", "Of a model: units on which what it wrote is no answer to the field"),
    ("no_response", "No response", "Of a model: units on which it wrote nothing in the field"),
)
# Explanations of the states without an answer, used only if the state occurs.
_SAID_OF = {
    "undetermined": "Undetermined is an abstention in a field, not an answer.",
    "not_assessable": "Not assessable is an answer about the whole unit, not in a field.",
    "missing": "Missing has no verdict at all.",
}


def phase_section(phase: PhaseRatings, study: Expansion, intervals: IntervalSettings) -> Section | None:
    """Return the section of a phase; None if nothing was drawn for it."""
    if not any(ratings.columns for ratings in phase.fields):
        return None
    several = len(phase.fields) > 1
    tables: list[Table] = [_answers(phase)]
    folds: list[Fold] = []
    said: dict[str, str] = {}
    for place, ratings in enumerate(phase.fields):
        of_field: list[Table] = []
        label = _label(phase, ratings) if several else ""
        # "Not assessable" is about the whole unit, so it is reported with only one field.
        whole = (NOT_ASSESSABLE,) if place == 0 else ()
        parts = parts_of(ratings, study)
        report = REPORTS[ratings.field.type]
        of_columns = [report.of_columns(number_columns(study))] if report.of_columns is not None else []
        for topic in (*report.topics, *of_columns, DEPENDING, UNDETERMINED, INVALID, *whole):
            table = topic_table(topic, parts, study, intervals, label=label, said=said)
            if table.rows:
                of_field.append(table)
                if len(topic.explanation) >= LONG:
                    said.setdefault(topic.explanation, table.title)
        of_field += matrices_of(ratings, label)
        again = any(above.field.key == ratings.field.key for above in phase.fields[:place])
        of_field = [_of_form(table, ratings) for table in of_field] if again else of_field
        tables += of_field
        begins = f"{ratings.field.key}_{_form_of(ratings)}" if again else ratings.field.key
        folds.append(Fold(label, frozenset(table.key for table in of_field), begins))
    tables += _all_fields(phase, study, intervals)
    return Section(
        key=f"phase_{phase.phase.key}",
        short_title=phase.phase.title,
        title=phase.phase.title,
        explanation=(_what_was_asked(phase), EXPLORATORY),
        tables=tuple(tables),
        method=(PLANNED,) if plan_of(study) else (),
        folds=tuple(fold for fold in folds if len(fold.keys) > 1) if several and len(tables) > MOST_OPEN else (),
    )


def _what_was_asked(phase: PhaseRatings) -> str:
    """Return what was to be rated by how many, and what was asked: the question, or else the fields."""
    units = len({id(unit) for ratings in phase.fields for unit in ratings.units})
    raters = {column.party for ratings in phase.fields for column in ratings.columns}
    models = {model_of(column.party.name, ratings.conditions) for ratings in phase.fields for column in ratings.models}
    labels = list(dict.fromkeys(f"“{ratings.field.label}”" for ratings in phase.fields))
    fields = f"in {listed(labels)}" if len(labels) <= MOST_NAMED else f"in {len(labels)} fields"
    asked = f": “{phase.phase.question}”" if phase.phase.question else f", {fields}."
    of_models = f" {_many(len(models), 'model')} answered them, too." if models else ""
    verb = "was" if units == 1 else "were"
    what = f"{_many(units, phase.fields[0].unit)}{_whose_answers(phase.phase)}"
    return f"{what} {verb} to be rated by {_many(len(raters), 'rater')}{asked}{of_models}"


def _whose_answers(phase: Phase) -> str:
    """Return in brackets who wrote the answers, if the phase rates answers."""
    if not rates_texts(phase):
        return ""
    if phase.answers_of is None:
        return " (answers of models)"
    return " (answers of models and of people)" if "candidates" in phase.rates else " (answers of people)"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _label(phase: PhaseRatings, ratings: Ratings) -> str:
    """Return the label of a field, with the form if several forms have a field of that name."""
    field = ratings.field
    if sum(other.field.key == field.key for other in phase.fields) < 2:
        return field.label
    return f"{field.label} (form “{spoken(_form_of(ratings))}”)"


def _form_of(ratings: Ratings) -> str:
    """Return the form that the units name."""
    return ratings.units[0].item.form or ""


def _of_form(table: Table, ratings: Ratings) -> Table:
    """Return a table with the form in its key, for a field whose name occurs in another form too."""
    field, form = ratings.field.key, _form_of(ratings)
    key = f"{field}_{form}{table.key.removeprefix(field)}"
    return replace(table, key=key, form=form) if isinstance(table, EstimateTable) else replace(table, key=key)


def _all_fields(phase: PhaseRatings, study: Expansion, intervals: IntervalSettings) -> list[Table]:
    """Return how often all fields are right at once, if several have a reference and no name occurs in two forms."""
    known = [ratings for ratings in phase.fields if ratings.has_reference]
    keys = [ratings.field.key for ratings in known]
    if len(keys) < 2 or len(set(keys)) < len(keys):
        return []
    table = topic_table(all_right(phase, keys), parts_of(known[0], study), study, intervals)
    return [table] if table.rows else []


def topic_table(
    topic: Topic,
    parts: Parts,
    study: Expansion,
    intervals: IntervalSettings,
    label: str = "",
    said: Mapping[str, str] | None = None,
) -> EstimateTable:
    """Return a topic's estimates on all units, and on the parts for which the plan asks for tables.

    Parameters
    ----------
    parts
        The result of `parts_of`, made once for all topics of a field because the parts cache which answers are right.
    said
        Explanations that need not be given again, each with the title of the table that gives it.
    """
    _, ratings = parts[0]

    def computed(settings: IntervalSettings) -> list[EstimateRow]:
        return [
            replace(row, versions=part.versions)
            for stratum, part in (parts if topic.in_parts else parts[:1])
            for row in topic.compute(part, stratum, settings) + topic.rows_of_models(part, stratum, settings)
        ]

    rows = counted(computed, intervals, study.analysis.comparisons)
    title = TitleParts(label, topic.title, names=topic.names)
    pieces = topic.explained(ratings, rows)
    if said and topic.explanation in said:
        pieces[0] = f"What these figures are is said under “{said[topic.explanation]}”."
    return EstimateTable(
        key=f"{ratings.field.key}_{topic.key}",
        title=str(title),
        explanation=" ".join(
            filter(
                None,
                [
                    *pieces,
                    unit_in_words(ratings, rows),
                    weighted_in_words(ratings, rows),
                    in_words(rows),
                ],
            )
        ),
        rows=tuple(rows),
        lines="both",
        cluster=study.analysis.cluster,
        field=ratings.name,
        measured_in=measured_in(ratings),
        drawn=topic.drawn,
        points=topic.points(ratings) if topic.points is not None and rows else (),
        parts=title,
    )


def parts_of(ratings: Ratings, study: Expansion) -> Parts:
    """Return all units, then the parts: by the plan's `tables`, by author, by version and by format."""
    names = list(study.analysis.tables)
    if ratings.field.type == "as_item" and "format" not in names:
        names.insert(0, "format")
    if "model" not in names:
        names.append("model")
    names += [WRITTEN_BY, VERSION]
    if ratings.phase.answers_of is not None:
        names.append("group")
    parts = [(ratings.whole, ratings)]
    for name in names:
        values = values_in(study, name, ratings)
        if name == "format" and ratings.field.type == "as_item" and "open" in values and len(values) > 2:
            closed = [value for value in values if value != "open"]
            parts.append((Stratum("closed"), ratings.where(name, closed)))
        # If there is only one value, the part is the whole.
        for value in in_order(study, name, values) if len(values) > 1 else ():
            parts.append((stratum_of(study, name, value), part_with(study, name, value, ratings)))
    return parts


def values_in(study: Expansion, name: str, ratings: Ratings) -> list[str]:
    """Return the values that an attribute has here; for a number with declared bins, their levels."""
    bins = bins_of(study, name)
    values = ratings.values_of(name)
    return sorted({level_of(bins, value) for value in values} - {""}) if bins else values


def part_with(study: Expansion, name: str, value: str, ratings: Ratings) -> Ratings:
    """Return the ratings of units with this value of an attribute, or with a number in this level."""
    bins = bins_of(study, name)
    if not bins:
        return ratings.where(name, [value])
    return ratings.only(lambda place: level_of(bins, ratings.units[place].value_of(name)) == value)


def bins_of(study: Expansion, name: str) -> Sequence[float]:
    """Return the bounds that divide an attribute into levels; empty if none are declared."""
    return next((attribute.bins for attribute in study.attributes if attribute.key == name), [])


def division_by(study: Expansion, name: str) -> Division:
    """Return how an attribute divides units that are compared: by value or, for a number with bounds, by level."""
    if name == "model":
        return BY_MODEL
    bins = bins_of(study, name)

    def value_of(unit: Unit) -> str:
        value = unit.value_of(name)
        return level_of(bins, value) if bins and value else value

    def words(value: str) -> str:
        return stratum_in_words(stratum_of(study, name, value))

    return Division(name, value_of, words, tuple(levels_of(bins)))


def in_order(study: Expansion, name: str, values: Sequence[str]) -> list[str]:
    """Return an attribute's values in the order of their declaration, then the others by name, or numbers by size."""
    declared = next((attribute for attribute in study.attributes if attribute.key == name), None)
    ids = list(FORMATS)
    if declared is not None:
        ids = levels_of(declared.bins) or [option.id for option in declared.options]
    ids = [group.key for group in study.groups] if name == "group" else ids
    # Numbers follow their size: 10 after 9.
    numbers = {value: float(value) for value in values} if all(map(_is_number, values)) else {}
    return sorted(
        values, key=lambda value: (ids.index(value) if value in ids else len(ids), numbers.get(value, 0.0), value)
    )


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False


def stratum_of(study: Expansion, name: str, value: str) -> Stratum:
    """Return the stratum of the units that have this value of an attribute."""
    if name == "group":
        titles = {group.key: group.title for group in study.groups}
        return Stratum("attribute", titles.get(value, value), name)
    if name in ("category", "model"):
        return Stratum("category" if name == "category" else "model", value)
    if name == "format" and value in FORMATS:
        return Stratum("format", value)
    if name == "grounding" and value in GROUNDINGS:
        return Stratum("grounding", value)
    declared = next((attribute for attribute in study.attributes if attribute.key == name), None)
    texts = {option.id: option.text for option in declared.options} if declared is not None else {}
    return Stratum("attribute", texts.get(value, value), name)


def _answers(phase: PhaseRatings) -> PlainTable:
    """Count what became of the units, by field and rater."""
    counts: list[tuple[str, str, Counter[str | None]]] = [
        (_label(phase, ratings), party_in_words(column.party), Counter[str | None](column.states))
        for ratings in phase.fields
        for column in (*ratings.columns, *ratings.models)
    ]
    used = [state for state in _STATES if state[0] == "answered" or any(count[state[0]] for _, _, count in counts)]
    return PlainTable(
        key="answers",
        title="Answers by field",
        explanation=" ".join(_SAID_OF[key] for key, *_ in used if key in _SAID_OF),
        columns=(
            Column("field", "Field", "Label of the field"),
            Column("rater", "Rater", "Pseudonym, or name of a model"),
            *(Column(key, title, meaning) for key, title, meaning in used),
        ),
        rows=tuple((label, rater, *(count[key] for key, _, _ in used)) for label, rater, count in counts),
        grouped=True,
    )


def marked(section: Section, planned: Sequence[EstimateTable]) -> Section:
    """Return a section in which estimates that the plan prints are marked, so that they are printed only once."""
    by_identity = {_identity(table, row): (table.title, row) for table in planned for row in table.rows}

    def mark(table: EstimateTable) -> EstimateTable:
        rows, elsewhere = [], []
        for row in table.rows:
            title, same = by_identity.get(_identity(table, row), ("", None))
            if same is not None and row.compared == "right_at_once" and repr(same.estimate) != repr(row.estimate):
                # It is of other fields taken together, of which a table names only the first.
                same = None
            rows.append(row if same is None else replace(row, planned=same.planned, declared=same.declared))
            # Settled or first-step answers have the same identity but different estimates.
            elsewhere.append(title if same is not None and repr(same.estimate) == repr(row.estimate) else "")
        return replace(table, rows=tuple(rows), elsewhere=tuple(elsewhere) if any(elsewhere) else ())

    tables = tuple(mark(table) if isinstance(table, EstimateTable) else table for table in section.tables)
    return replace(section, tables=tables)


def _identity(table: EstimateTable, row: EstimateRow) -> tuple[object, ...]:
    return (
        table.field, table.form, row.statistic, row.compared, row.parties, row.stratum, row.stage, row.bound,
        row.weighted, row.category, row.depth,
    )  # fmt: skip
