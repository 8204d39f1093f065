"""Expands what an author wrote, and collects everything that does not fit, with its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol.language import expansion as expanded
from protocol.language.authored import AuthoredStudy
from protocol.language.authored_plan import RATER, AuthoredCriterion, AuthoredEstimate, are_right_at_once
from protocol.language.bins import check_bins
from protocol.language.computed import OF_RATERS
from protocol.language.criteria import check_criteria
from protocol.language.forms import EMPTY_LISTS, SharedLists, expand_fields, options_of
from protocol.language.misfits import DoesNotFit, Misfits
from protocol.language.phases import KNOWN_ATTRIBUTES, Known, expand_phase
from protocol.language.plan_lines import check_lines
from protocol.language.possible import check_possible
from protocol.language.results import FORM, fields_of_line, require_result, require_values
from protocol.language.things import THINGS, in_words
from protocol.language.unread import Origins
from protocol.seen import problems_of_headings

_EVERYBODY = expanded.Group(key="raters", title="Raters", people=None, may_also_be=[])


def expand(study: AuthoredStudy, version: str, lists: SharedLists = EMPTY_LISTS) -> expanded.Expansion:
    """Return the expansion of a study, with every default written out.

    Parameters
    ----------
    study
        What its author wrote.
    version
        The version of the program, which is stored with the expansion.
    lists
        The options of each shared list, by its name.

    Raises
    ------
    DoesNotFit
        With everything that is wrong.
    """
    misfits = Misfits(tuple(phase.key for phase in study.phases))
    expansion = expand_as_far_as_it_goes(study, version, lists, misfits)
    if misfits.noted:
        raise DoesNotFit(misfits)
    return expansion


def expand_as_far_as_it_goes(
    study: AuthoredStudy, version: str, lists: SharedLists, misfits: Misfits, origins: Origins | None = None
) -> expanded.Expansion:
    """Return the expansion of a study and note what does not fit; the result is valid only if nothing is noted.

    Parameters
    ----------
    origins
        Positions of phases and estimates in the author's file, if some are left out here.
    """
    origins = origins or Origins(tuple(range(len(study.phases))), tuple(range(len(study.analysis.also))))
    attributes = _attributes(study, lists, misfits)
    groups = [
        expanded.Group(key=key, title=group.title, people=group.people, may_also_be=list(group.may_also_be))
        for key, group in study.groups.items()
    ] or [_EVERYBODY]
    for key, group in study.groups.items():
        for other in group.may_also_be:
            misfits.require(("groups", key, "may_also_be"), other, set(study.groups) - {key}, "other group")
    forms = [
        expanded.Form(key=key, fields=expand_fields(fields, lists, misfits.add, ("forms", key)))
        for key, fields in study.forms.items()
    ]
    known = Known(study, attributes, groups, {form.key: form.fields for form in forms}, lists)
    phases: list[expanded.Phase] = []
    for origin, phase in zip(origins.phases, study.phases, strict=True):
        phases.append(expand_phase(phase, phases, known, misfits, ("phases", str(origin))))
    _check_analysis(study, phases, known, misfits, origins)
    return expanded.Expansion(
        language="2",
        expanded_by=version,
        name=study.name,
        title=study.title,
        instructions=study.instructions,
        consent=study.consent,
        notice=study.notice or "",
        seed=study.seed,
        dates=study.dates,
        hanging=study.hanging,
        groups=groups,
        attributes=attributes,
        forms=forms,
        phases=phases,
        analysis=study.analysis,
    )


# Names that an attribute may not have, with what they already mean.
_TAKEN = {"group": "the group of a rater", "written_by": "whether a person or a model wrote an answer"}


def _attributes(study: AuthoredStudy, lists: SharedLists, misfits: Misfits) -> list[expanded.Attribute]:
    declared_in: dict[str, str] = {}
    attributes = []
    for table in ("cases", "items", "candidates", "raters"):
        for key, written in getattr(study.attributes, table).items():
            place = ("attributes", table, key)
            if key in declared_in:
                misfits.add(
                    place, f"'{key}' is declared of {declared_in[key]} already; names are unique over all tables."
                )
            if key in KNOWN_ATTRIBUTES:
                misfits.add(place, f"'{key}' is a column that every study has; remove the declaration.")
            if key in _TAKEN:
                misfits.add(place, f"'{key}' means {_TAKEN[key]} in plans and tables; give the attribute another name.")
            # In `shows` the word would be ambiguous, and the law would confuse the column with the thing.
            if key in THINGS and table != "raters":
                misfits.add(place, f"'{key}' means {in_words(key)} in shows; give the attribute another name.")
            declared_in.setdefault(key, table)
            options, _ = options_of(written.options, lists, misfits.add, (*place, "options"))
            if written.type in ("choice", "ordinal") and len(options) < 2:
                says = f"'{key}' is {written.type} and needs at least two options; list them."
                misfits.add((*place, "options"), says)
            check_bins(written.type, written.bins, misfits, (*place, "bins"))
            low, high = written.range or (None, None)
            attributes.append(
                expanded.Attribute(
                    table=table,
                    key=key,
                    type=written.type,
                    options=options,
                    minimum=low,
                    maximum=high,
                    tells_reference=written.tells == "reference",
                    bins=written.bins,
                    label=written.label or "",
                )
            )
    tables = {each.key: each.table for each in attributes}
    for key, says in problems_of_headings([(each.key, each.label, each.heading) for each in attributes]):
        misfits.add(("attributes", tables[key], key, "label"), says)
    return attributes


def _check_analysis(
    study: AuthoredStudy,
    phases: Sequence[expanded.Phase],
    known: Known,
    misfits: Misfits,
    origins: Origins,
) -> None:
    """Note estimates of fields that nobody fills in, and tables by attributes that do not exist."""
    by_key = {phase.key: phase for phase in phases}
    names = sorted(known.attribute_names | {"group"})
    # Of every rater specialty and years can be entered, so a plan can name them without a declaration.
    with_raters = sorted({*names, *OF_RATERS})
    plan = study.analysis
    lines: list[tuple[tuple[str, ...], AuthoredEstimate]] = []
    if plan.primary is not None:
        lines.append((("analysis", "primary"), plan.primary))
    lines += [(("analysis", "also", str(origin)), line) for origin, line in zip(origins.also, plan.also, strict=True)]
    lines += [(("analysis", "criteria", line.key), line) for line in plan.criteria]
    check_criteria(plan.criteria, phases, known.forms, misfits)
    asked = {place: fields_of_line(line, phases, known.forms) for place, line in lines}
    for place, line in lines:
        for name in line.of:
            misfits.require((*place, "of"), name, list(asked[place]), "field of a phase")
        for key in (*line.by, *line.over, *([line.compare] if line.compare else [])):
            if key == RATER and key in line.by and key not in names:
                _check_by_rater(line, misfits, place)
            else:
                misfits.require(place, key, names if key in line.over else with_raters, "attribute")
        for key, values in line.where.items():
            if "." in key:
                require_result(key, values, by_key, _forms_of(line, known), misfits, (*place, "where"))
            elif key == FORM and FORM not in names:
                _check_form(line, by_key, known, misfits, (*place, "where"))
            elif misfits.require((*place, "where"), key, with_raters, "attribute"):
                require_values(key, values, known.attributes, misfits, (*place, "where"))
        _check_option(line, by_key, known, misfits, place)
        check_possible(line, {name: field.type for name, field in asked[place].items()}, misfits, place)
    check_lines([(place, line, asked[place]) for place, line in lines], misfits)
    clusters = {"subject", "case", "item", *names} - {"group", *known.columns_of_raters}
    misfits.require(("analysis", "cluster"), plan.cluster, sorted(clusters), "attribute of the units")
    if len(study.groups) < 2:
        for place, _ in (line for line in lines if line[1].compare == "group"):
            misfits.add(
                place, "groups of raters are compared, and the study has one; declare another, or remove compare."
            )
    for key in plan.tables:
        misfits.require(("analysis", "tables"), key, names, "attribute")
    for key in plan.strata:
        misfits.require(("analysis", "strata"), key, names, "attribute")


def _check_by_rater(line: AuthoredEstimate, misfits: Misfits, place: tuple[str, ...]) -> None:
    """Note `by: rater` unless parts of the units are compared, as all other estimates are by rater anyway."""
    is_compared = line.estimate == "difference" and line.compare not in (None, "group")
    if not is_compared or isinstance(line, AuthoredCriterion):
        misfits.add(
            (*place, "by"),
            "by: rater says how far raters differ in a difference; write estimate: difference and compare: an "
            "attribute, in primary or also. Every other estimate is printed for each rater anyway.",
        )


def _check_form(
    line: AuthoredEstimate,
    phases: Mapping[str, expanded.Phase],
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> None:
    """Note a form for a phase whose items name none, and several forms at once, whose fields differ."""
    for value in line.where[FORM]:
        misfits.require(place, value, known.forms, "form")
    for key in sorted({name.partition(".")[0] for name in line.of}):
        if key in phases and phases[key].fields and not _by_forms(line, phases):
            misfits.add(place, f"'{key}' has one form for every item; remove form.")
    if len(line.where[FORM]) > 1:
        misfits.add(place, "a line is about the fields of one form; write a line for each.")


def _forms_of(line: AuthoredEstimate, known: Known) -> dict[str, list[expanded.Field]]:
    """Return the forms that a line is about: the one that it names, or all."""
    return {key: fields for key, fields in known.forms.items() if key in line.where.get(FORM, known.forms)}


def _by_forms(line: AuthoredEstimate, phases: Mapping[str, expanded.Phase]) -> bool:
    """Return whether a line selects units by a result of a phase in which items name their forms."""
    of = {name.partition(".")[0] for name in line.where if "." in name}
    return any(key in phases and not phases[key].fields for key in of)


def _check_option(
    line: AuthoredEstimate,
    phases: Mapping[str, expanded.Phase],
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> None:
    """Note options that a field does not have, and joint rates over neither conditions nor fields."""
    if are_right_at_once(line):
        if len({name.partition(".")[0] for name in line.of}) > 1:
            misfits.add((*place, "of"), "a joint rate of several fields is of one verdict; name fields of one phase.")
    elif line.estimate == "joint_rate" and not line.over:
        misfits.add(
            place,
            "a joint rate needs option, and over: the attribute in all of whose values it is counted; or several "
            "fields under of, which have to be right at once.",
        )
    elif line.estimate in ("rate", "joint_rate", "flag_precision") and line.option is None:
        _check_counted(line, phases, known, misfits, place)
    forms = _forms_of(line, known)
    for name in line.of if line.option is not None else ():
        if name.partition(".")[0] in phases:
            require_result(name, [str(line.option)], phases, forms, misfits, (*place, "option"))


def _check_counted(
    line: AuthoredEstimate,
    phases: Mapping[str, expanded.Phase],
    known: Known,
    misfits: Misfits,
    place: tuple[str, ...],
) -> None:
    """Note lines that count an option but name none, for a field without a positive one; they would have no rows."""
    fields = fields_of_line(line, phases.values(), known.forms)
    for name in line.of:
        asked = fields.get(name)
        if asked is not None and asked.options and asked.positive is None:
            ids = ", ".join(option.id for option in asked.options[:4])
            misfits.add(
                (*place, "option"),
                f"{line.estimate} counts one option of '{name}', and the line names none; name one ({ids}"
                f"{', ...' if len(asked.options) > 4 else ''}).",
            )
