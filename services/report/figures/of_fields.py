"""Figures of fields in studies that list their phases, determined by a table's rows and its way of being drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from exchange.report.estimate_rows import ALL_RATERS, EstimateRow
from exchange.report.report_structure import EstimateTable, Matrix, Section, TitleParts
from exchange.report.report_words import (
    ALSO_DECLARED,
    intervals_in_words,
    names_of_answers,
    parties_in_words,
    party_in_words,
    statistic_in_words,
    stratum_in_words,
)
from exchange.report.statistic_names import Compared, Statistic
from protocol.language.wording import spoken
from services.report.figures import curves, curves_of_fields, directions
from services.report.figures.bland_altman import bland_altman_figure
from services.report.figures.drawing import KAPPA, SHARES, diverging, forest
from services.report.figures.figure import MOST_LINES, Figure, counts_in_words, lacking_in_words, rows_in_words
from services.report.figures.floors_and_ceilings import floors_and_ceilings, thirds
from services.report.figures.labels import escaped
from services.report.figures.maps import heatmap, with_totals


@dataclass(frozen=True)
class _Axis:
    """The axis of a figure: name, unit, and the whole scale if there is one; `printed` replaces name and unit."""

    name: str
    unit: str = ""
    limits: tuple[float, float] | None = None
    printed: str = ""

    @property
    def title(self) -> str:
        return self.printed or (f"{self.name} ({self.unit})" if self.unit else self.name)


# The statistics drawn from tables of agreement or accuracy; other coefficients are only in the table.
_DRAWN: dict[Statistic, _Axis] = {
    "accuracy": _Axis("Accuracy", "%", SHARES),
    "share": _Axis("Share", "%", SHARES),
    "percent_agreement": _Axis("Same", "%", SHARES),
    "cohen_kappa": _Axis("Kappa", limits=KAPPA),
    "category_kappa": _Axis("Kappa of the option", limits=KAPPA),
    "quadratic_kappa": _Axis("Kappa, quadratic weights", limits=KAPPA),
    "lin_ccc": _Axis("Concordance", limits=KAPPA),
    "mean_answer": _Axis("Mean"),
    "mean_difference": _Axis("Mean difference"),
    "mean_distance": _Axis("Mean distance", "mm"),
    "pass_at_k": _Axis("Accepted answer among the first lines", "%", SHARES),
    "jaccard": _Axis("Options in common", "%", SHARES),
    "options_right": _Axis("Options right", "%", SHARES),
    "macro_f1": _Axis("Macro-F1", "%", SHARES),
    "win_rate": _Axis("Preferred", "%", SHARES),
    "strength": _Axis("Strength", "log odds"),
    "signed_difference": _Axis("Human minus judge", "points", printed=directions.AXIS),
    "accuracy_difference": _Axis("Difference", "points"),
}
# Additional statistics that are drawn only for the primary estimate; elsewhere they are only in the table.
_DRAWN_OF_PRIMARY: dict[Statistic, _Axis] = {
    **_DRAWN,
    "agreement_difference": _Axis("Difference", "points"),
    "kappa_difference": _Axis("Difference of kappas"),
    "krippendorff_alpha": _Axis("Alpha", limits=KAPPA),
    "icc": _Axis("Intraclass correlation", limits=KAPPA),
    "spearman": _Axis("Correlation", limits=KAPPA),
    "pearson": _Axis("Correlation", limits=KAPPA),
    "bang_index": _Axis("Bang’s index", limits=KAPPA),
    "auc": _Axis("Area under the ROC curve"),
    "calibration_error": _Axis("Calibration error"),
}
# Judges are subtracted in two ways, so the axis of their mean differences says in which.
_ORDERS: dict[Compared, str] = {
    "levels": "human minus judge",
    "judges_on_scale": "judge minus human",
    **dict.fromkeys(("answers", "models", "models_over_readers", "groups", "corrected_score"), "first minus second"),
}
_LIMITS_OF_AGREEMENT: tuple[Statistic, ...] = ("lower_limit", "upper_limit")
# More lines than this, of parts by several attributes, are drawn too small where they have to fit on a printed page.
MOST_ON_A_PAGE = 20
# By what units are parted, where that is no attribute of the study; all of them by nothing.
_PARTED_BY: dict[str, str] = {
    **dict.fromkeys(("all", "candidates", "references", "pairs", "selected", "part"), ""),
    **{kind: kind for kind in ("format", "category", "grounding", "model")},
    "closed": "format",
}
_LEVELS = "what raters stand between"


def figures_of_fields(section: Section) -> list[Figure]:
    """Return a section's figures, in the order of its tables; a table printed with the plan is drawn only there."""
    figures = []
    for table in section.tables:
        if isinstance(table, Matrix):
            figures.append(_matrix(section, table))
        elif isinstance(table, EstimateTable) and (table.printed_here or not table.rows):
            drawers = _DRAWERS.get(table.drawn, ())
            of_table = [figure for draw in drawers for figure in draw(section, table)]
            figures += of_table or _primary_alone(section, table)
            figures += _bland_altman(section, table) if drawers else []
    return figures


def _primary_alone(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw the primary estimate if nothing else of its table is drawn, so that no other line's figure comes first."""
    planned = tuple(row for row in table.rows if row.planned)
    if not _is_of_primary(table) or not planned:
        return []
    return _forests(section, replace(table, rows=planned), weighted=all(row.weighted for row in planned))


def _is_of_primary(table: EstimateTable) -> bool:
    return table.parts is not None and table.parts.is_primary


def _forests(section: Section, table: EstimateTable, *, weighted: bool = False) -> list[Figure]:
    """Draw each statistic of a table with its intervals; Wilson's intervals and bounds are only in the table.

    In the table of the primary line, the primary statistic comes first, and is drawn even if it has only one value.
    """
    figures = []
    in_order = sorted(table.rows, key=lambda row: not row.planned)
    for statistic in dict.fromkeys(row.statistic for row in in_order):
        # Of the levels of an attribute, not every two: how far apart two of them are can be seen.
        drawn = [row for row in table.rows if row.compared != "between_levels" and not row.bound]
        rows = [row for row in drawn if row.statistic == statistic and row.weighted == weighted]
        is_primary = _is_of_primary(table) and _is_planned(rows)
        axes, fewest = (_DRAWN_OF_PRIMARY, 1) if is_primary else (_DRAWN, 2)
        if len(rows) > MOST_LINES:
            # With many options or parts, only the values of all raters together are still readable.
            together = directions.are_of_judges(rows)
            rows = [
                row for row in rows if row.stratum == rows[0].stratum and (together or row.parties == (ALL_RATERS,))
            ]
        if statistic not in axes or not fewest <= len(rows) <= MOST_LINES or not _has_values(rows):
            continue
        axis = axes[statistic]
        if statistic == "signed_difference" and rows[0].compared in ("levels", "judged_option"):
            axis = replace(axis, printed=directions.AXIS_OF_OPTION if rows[0].compared == "judged_option" else "")
        if unit := table.unit_of(rows[0]) or ("px" if rows[0].scale == "pixels" else ""):
            axis = replace(axis, unit=escaped(unit))
        if statistic == "mean_difference" and (order := _ORDERS.get(rows[0].compared)):
            axis = replace(axis, printed=replace(axis, name=f"{axis.name}, {order}").title)
        figures += [
            _forest(section, table, statistic, axis, each, by) for by, each in _apart(rows) if _has_values(each)
        ]
    return figures


def _forest(
    section: Section, table: EstimateTable, statistic: Statistic, axis: _Axis, rows: list[EstimateRow], by: str
) -> Figure:
    """Draw values of one statistic; `by` says which parts of the units they are of, where others have a figure too."""
    words = list(dict.fromkeys(statistic_in_words(row) for row in rows))
    by_judge, one_part = directions.are_of_judges(rows), len({row.stratum for row in rows}) == 1
    labels = [_label(row, several=len(words) > 1, alone=one_part) for row in rows]
    names = names_of_answers(rows)
    if by_judge:
        judges = [party_in_words(row.parties[0]) for row in rows]
        labels = judges if one_part else [f"{judge}: {part}" for judge, part in zip(judges, labels, strict=True)]
        names = [directions.against(row) for row in rows]
    elif len(set(labels)) == 1 and len(set(names)) > curves.MOST_SERIES:
        # With more on one line nobody follows the legend.
        labels, names = names, ["" for _ in rows]
    title = _title(table, rows, words, axis) + (f", by {spoken(by)}" if by else "")
    said = (
        f"{title}. Dots: estimates; lines: {intervals_in_words(rows, table.cluster)}; n beside each line.",
        lacking_in_words(rows),
        directions.in_words(rows) if by_judge else "",
    )
    return Figure(
        "-".join(filter(None, (section.key, table.key, statistic, by))),
        section.key,
        title,
        " ".join(filter(None, said)),
        partial(_with_values, rows, axis, labels, names),
        rows_in_words(rows),
    )


def _with_values(rows: Sequence[EstimateRow], axis: _Axis, labels: Sequence[str], names: Sequence[str]) -> Any:
    """Draw the rows that have a value, without empty lines for the others."""
    drawn = [place for place, row in enumerate(rows) if not math.isnan(row.estimate.value)]
    return forest(
        [rows[place] for place in drawn],
        axis.title,
        limits=axis.limits,
        labels=[labels[place] for place in drawn],
        names=[names[place] for place in drawn],
    )


def _apart(rows: list[EstimateRow]) -> list[tuple[str, list[EstimateRow]]]:
    """Return rows that are drawn together: all, or where these do not fit on a printed page, those of each attribute.

    The attribute by which the units of the rows are parted is named with them; nothing of rows of all units.
    """
    if len({(row.stratum, statistic_in_words(row)) for row in rows}) <= MOST_ON_A_PAGE:
        return [("", rows)]
    by: dict[str, list[EstimateRow]] = {}
    for row in rows:
        by.setdefault(_PARTED_BY.get(row.stratum.kind, row.stratum.name), []).append(row)
    return [(name, own) for name, own in by.items() if len(own) > 1] if len(by) > 1 else [("", rows)]


def _title(table: EstimateTable, rows: Sequence[EstimateRow], words: Sequence[str], axis: _Axis) -> str:
    """Return a figure's title: unique, and called primary only if it shows the primary estimate itself."""
    title, parts = table.title, table.parts
    if parts is not None and parts.is_primary and _is_planned(table.rows) and not _is_planned(rows):
        title = str(replace(parts, label=ALSO_DECLARED))
    if len(words) == 1:
        said = not words[0] or (parts is not None and {(row.statistic, row.compared) for row in rows} <= parts.names)
        return title if said else f"{title}: {words[0]}"
    drawn = {row.statistic for row in table.rows if row.statistic in _DRAWN}
    return title if len(drawn) == 1 else f"{title}: {axis.name}"


def _label(row: EstimateRow, *, several: bool, alone: bool) -> str:
    part = stratum_in_words(row.stratum)
    if not several:
        return part
    return statistic_in_words(row) if alone else f"{part}: {statistic_in_words(row)}"


def _is_planned(rows: Sequence[EstimateRow]) -> bool:
    return any(row.planned for row in rows)


def _has_values(rows: Sequence[EstimateRow]) -> bool:
    return any(row.estimate.value == row.estimate.value for row in rows)


def _scale(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw how a scale was used, as shares on both sides of its middle, by rater or else by part."""
    drawn = [row for row in table.rows if not row.weighted]
    of_raters = [row for row in drawn if row.stratum == drawn[0].stratum and row.parties != (ALL_RATERS,)]
    alone = len({row.parties for row in of_raters}) == 1
    rows = [*of_raters, *(row for row in drawn if row not in of_raters and (alone or row.parties == (ALL_RATERS,)))]
    steps = list(dict.fromkeys(row.category.text for row in rows if row.category is not None))
    names = names_of_answers(rows)
    of_rows = [f"{stratum_in_words(row.stratum)}: {name}" for row, name in zip(rows, names, strict=True)]
    lines = list(dict.fromkeys(of_rows))
    if len(steps) < 2 or len(lines) > MOST_LINES:
        return []
    of_each = zip(of_rows, rows, strict=True)
    shares = {(line, row.category.text): row.estimate for line, row in of_each if row.category is not None}
    return [
        Figure(
            f"{section.key}-{table.key}", section.key, table.title,
            f"{table.title}. Shares in percent, lowest step left; the middle of the scale is at 0. Intervals are "
            "in the table.",
            partial(diverging, lines, steps, shares), rows_in_words(rows),
        )
    ]  # fmt: skip


def _levels(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw a field's floors, raters and ceilings in one figure, at the first of its tables with any of them."""
    of_field = [each for each in section.tables if isinstance(each, EstimateTable) and each.field == table.field]
    if next(each for each in of_field if each.drawn == "levels") is not table:
        return []
    stratum = table.rows[0].stratum
    rows = [row for each in of_field for row in each.rows if row.stratum == stratum]
    field = "_".join(filter(None, (table.field.partition(".")[2], table.form)))
    title = _of_field(table, _LEVELS)
    return floors_and_ceilings(section.key, f"{section.key}-{field}_levels", title, rows, table.cluster)


def _thirds(section: Section, table: EstimateTable) -> list[Figure]:
    return thirds(section.key, f"{section.key}-{table.key}", _of_field(table, "accuracy"), table.rows, table.cluster)


def _of_field(table: EstimateTable, words: str) -> str:
    """Return a title with the field's label in front if the tables' titles have it, in a phase with several fields."""
    return str(TitleParts(table.parts.label if table.parts is not None else "", words))


def _bland_altman(section: Section, table: EstimateTable) -> list[Figure]:
    """Draw the units of every pair as points, with the limits of agreement over all units."""
    figures = []
    whole = table.rows[0].stratum if table.rows else None
    for number, paired in enumerate(table.points, start=1):
        of_pair = [row for row in table.rows if row.parties == paired.parties and row.stratum == whole]
        rows = {row.statistic: row for row in of_pair if row.statistic in ("mean_difference", *_LIMITS_OF_AGREEMENT)}
        if len(rows) < 3 or math.isnan(rows["mean_difference"].estimate.value):
            continue
        title = f"{table.title}: {parties_in_words(paired.parties, 'minus')}"
        units = sum(count for *_, count in paired.points)
        caption = (
            f"{title}. Points: units, the larger the more there are; solid: mean difference; dashed: limits between "
            f"which 95 % of differences are expected; bands: {intervals_in_words(list(rows.values()), table.cluster)}. "
            f"n = {units}."
        )
        caption = " ".join(filter(None, (caption, lacking_in_words([*rows.values()], "beside a line’s value"))))
        estimates = {statistic: row.estimate for statistic, row in rows.items()}
        draw = partial(bland_altman_figure, paired, estimates, table.measured_in)
        key = f"{section.key}-{table.key}-limits-{number}"
        figures.append(Figure(key, section.key, title, caption, draw, rows_in_words([*rows.values()])))
    return figures


def _matrix(section: Section, table: Matrix) -> Figure:
    caption = (
        f"{table.title}. {table.explanation} Totals of rows and columns in brackets. n = {sum(map(sum, table.counts))}."
    )
    draw = partial(heatmap, with_totals(table))
    return Figure(f"{section.key}-{table.key}", section.key, table.title, caption, draw, counts_in_words(table))


_DRAWERS: dict[str, tuple[Callable[[Section, EstimateTable], list[Figure]], ...]] = {
    "scale": (_scale,),
    "forest": (_forests,),
    "ranks": (curves_of_fields.ranks, _forests),
    "distances": (curves_of_fields.distances,),
    "reliability": (curves_of_fields.reliability,),
    "coverage": (curves_of_fields.coverage,),
    "levels": (_levels,),
    "thirds": (_thirds,),
}
