"""What a listed study's analysis plan requires but its tables cannot provide, reported at the import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from exchange.study_folder.folder_rows import StudyFolder
from exchange.study_folder.item_table import ItemRow
from protocol.fields import types_on
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.bins import level_of
from protocol.language.computed import OF_RATERS, columns_of_raters
from protocol.language.criteria import SHARES, statistic_of
from protocol.language.expansion import Expansion, Phase
from protocol.language.pools import rates_texts
from protocol.language.sentences_of_plan import CORRECTIONS
from protocol.language.wording import listed, path_in_words, spoken
from services.studies.plan.groups_of_few import without_limits
from services.studies.plan.lines_in_vain import named_twice, of_nothing, said_twice, values_of_no_unit
from services.studies.plan.lines_without_numbers import (
    References,
    decidable,
    in_no_figure,
    in_several_forms,
    selected_in_several_forms,
    without_raters,
    without_reference,
)
from services.studies.plan.plan_clusters import Said, one_cluster, split_subjects, without_clusters
from services.studies.plan.plan_reach import Path, known_before, lines_of, out_of_reach, selected_by, too_few
from services.studies.plan.plan_units import PlannedUnit, units_of

# Longer lists of single values are cut off here.
_MOST_NAMED = 3
# Field types for which the report compares every two rated models, whether or not a line asks for it.
BETWEEN_MODELS = types_on("ordinal") | types_on("interval") | {"correctness"}
# Clusters that every unit has.
_ALWAYS_THERE = ("subject", "case", "item")


class PlanChecks:
    """The checks of one study's plan. Units are gathered once per phase, and only for phases that a check needs.

    Parameters
    ----------
    frozen
        The frozen study of which a version is being made: the lines of its plan stay what they were.
    """

    def __init__(self, study: Expansion, contents: StudyFolder, *, frozen: Expansion | None = None) -> None:
        self._study, self._contents, self._frozen = study, contents, frozen
        self._frozen_lines = dict(lines_of(frozen)) if frozen is not None else {}
        self._references = References(contents.references)
        self._phases = {phase.key: phase for phase in known_before(study)}
        self._units: dict[str, list[PlannedUnit]] = {}

    def refused(self) -> Iterator[Said]:
        """Yield what cannot be computed whatever the answers: its key, and what to do."""
        if self._study.analysis.cluster not in _ALWAYS_THERE:
            counted = {key: self._of(phase) for key, phase in self._phases.items() if phase.counts}
            yield from without_clusters(self._study.analysis.cluster, counted)
            if self._frozen is None:
                yield from one_cluster(self._study.analysis.cluster, counted)
        for name in ("tables", "strata"):
            before = set(named_twice(getattr(self._frozen.analysis, name)) if self._frozen is not None else ())
            twice = named_twice(getattr(self._study.analysis, name))
            yield from ((("analysis", name), says) for says in twice if says not in before)
        for key, line in lines_of(self._study):
            is_new = self._frozen_lines.get(key) != line
            if is_new:
                yield from (((*key, *under), says) for under, says in said_twice(line))
                yield from self._without_numbers(key, line)
            for phase in self._phases_of(line):
                if line.compare not in (None, "group"):
                    yield from ((key, says) for says in self._compared(line, phase))
                if isinstance(line, AuthoredCriterion):
                    if is_new:
                        yield from ((key, says) for says in _no_bound_of_a_share(self._study, line))
                    units, which = self._decidable(phase, line)
                    lacking = "" if units else values_of_no_unit(self._study, phase, line, self._of(phase))
                    says_of_few = (lacking + "; correct the value.",) if lacking else too_few(line, phase, units, which)
                    under = "where" if lacking else "least"
                    yield from (((*key, under), says) for says in says_of_few)

    def _without_numbers(self, key: Path, line: AuthoredEstimate) -> Iterator[Said]:
        forms = {item.form for item in self._contents.items if not item.practice}
        yield from (((*key, "where"), says) for says in selected_in_several_forms(self._study, line, forms))
        for phase in (self._study.phase(name) for name in dict.fromkeys(name.partition(".")[0] for name in line.of)):
            yield from (((*key, *under), says) for under, says in without_raters(self._study, phase, line))
            units = self._where(phase, line) if phase.key in self._phases else []
            yield from (((*key, *under), says) for under, says in of_nothing(self._study, phase, line, units))
            named = {unit.form for unit in units} or forms
            yield from (((*key, "of"), says) for says in in_several_forms(self._study, phase, line, named))
            yield from (((*key, "of"), says) for says in in_no_figure(self._study, phase, line, named - {""}))
            yield from ((key, says) for says in without_reference(self._study, phase, line, units, self._references))

    def _compared(self, line: AuthoredEstimate, phase: Phase) -> Iterator[str]:
        """Yield that a line compares what no unit has, or that all units of a phase are in one part of it."""
        name = line.compare or ""
        if name in columns_of_raters(self._study):
            yield (
                f"'{name}' describes raters, and compared are units, or groups of raters; write by: {name} for a line "
                "of each part, or compare: group."
            )
            return
        bins = next((each.bins for each in self._study.attributes if each.key == name), [])
        of_units = [unit.value_of(name) for unit in self._where(phase, line)]
        given = {level_of(bins, value) if bins and value else value for value in of_units}
        values = given - {""}
        if of_units and len(values) < 2:
            which = "every unit" if len(given) == 1 else "every unit with a value"
            has = f"the {'level' if bins else 'value'} '{values.pop()}'" if values else "no value"
            yield (
                f"{spoken(name)} is compared, and {which} of '{phase.key}' has {has} there; remove compare, or select "
                f"units of several {'levels' if bins else 'values'}."
            )

    def remarks(self) -> Iterator[str]:
        """Yield a sentence for each part, stratum or line with a single unit, and each criterion out of reach."""
        asked = [
            (name, key) for name in self._study.analysis.tables for key, each in self._phases.items() if each.counts
        ]
        asked += [
            (name, part.key) for _, line in lines_of(self._study) for name in line.by for part in self._phases_of(line)
        ]
        compared = [line.compare for _, line in lines_of(self._study) if line.compare is not None]
        numbers = {each.key for each in self._study.attributes if each.type == "number" and not each.bins}
        for name in dict.fromkeys(name for name in [*(name for name, _ in asked), *compared] if name in numbers):
            yield (
                f"Parts by {spoken(name)}: each number is a part of its own; declare bounds for levels, such as "
                f"{name}: {{type: number, bins: [5, 10]}}."
            )
        for name, key in dict.fromkeys(asked):
            yield from _single(name, key, self._values(name, self._of(self._phases[key])))
        yield from self._without_parts()
        yield from self._of_few()
        yield from split_subjects(
            self._study.analysis.cluster, {key: self._of(each) for key, each in self._phases.items() if each.counts}
        )
        for path, line in lines_of(self._study):
            for phase in self._phases_of(line):
                yield from (f"{path_in_words(path)}: {says}" for says in without_limits(self._study, phase, line))
        yield from self._taken_for_raters()
        yield from self._without_text_only()
        yield from self._nothing_compared()
        for name in self._study.analysis.strata:
            yield from _strata(name, self._values_by_cluster(name))
        yield from self._strata_not_kept()
        for criterion in self._study.analysis.criteria:
            for phase in self._phases_of(criterion):
                yield from out_of_reach(self._study, criterion, phase, *self._decidable(phase, criterion))

    def rated_items(self, key: str) -> list[ItemRow]:
        """Return the items that a phase selects; empty if its units are only known once there are answers."""
        return [unit.item for unit in self._of(self._phases[key])] if key in self._phases else []

    def _without_parts(self) -> Iterator[str]:
        """Yield the plan's tables that would have a single part, because all units have the same value."""
        counted = [phase for phase in self._phases.values() if phase.counts]
        if len(counted) < sum(phase.counts for phase in self._study.phases):
            return  # Phases that rate people's answers are only known later.
        for name in self._study.analysis.tables:
            values = {value for phase in counted for value in self._values(name, self._of(phase))} - {""}
            if name == "group" or len(values) > 1:
                continue
            is_of_raters = any(each.key == name and each.table == "raters" for each in self._study.attributes)
            has = f"the value '{values.pop()}'" if values else "no value"
            yield f"Tables by {spoken(name)}: " + (
                "it is known of raters, and tables are by parts of what is rated; name it under by of an estimate."
                if is_of_raters
                else f"all units have {has}, so that there are no parts."
            )

    def _of_few(self) -> Iterator[str]:
        """Yield the lines that select one unit, none, or a value no unit has, before anything is answered."""
        for key, line in lines_of(self._study):
            for phase in self._phases_of(line) if any("." not in name for name in line.where) else ():
                units, count = self._of(phase), len(self._where(phase, line))
                lacking = values_of_no_unit(self._study, phase, line, units) if units else ""
                about = "a single unit" if count else "no unit"
                so = "no estimate of it has an interval" if count else "there is nothing to compute it from"
                if count < 2 <= len(units) and not isinstance(line, AuthoredCriterion):
                    so += f"; {lacking}" if lacking else ""
                    yield f"{path_in_words(key)} is about {about} of phase '{phase.key}': {so}."
                elif lacking:
                    yield f"{path_in_words(key)}: of phase '{phase.key}' {lacking}; correct the value."

    def _taken_for_raters(self) -> Iterator[str]:
        """Yield the lines that name a column of units by a word that a plan uses for an attribute of raters."""
        of_units = [each for each in self._study.attributes if each.table != "raters"]
        hidden = {each.key: each.table for each in of_units if each.key in OF_RATERS}
        for key, line in lines_of(self._study):
            for name in dict.fromkeys(name for name in (*line.where, *line.by) if name in hidden):
                yield (
                    f"{path_in_words(key)} names {name}, which in a plan means what is known about each rater, not the "
                    f"column of {hidden[name]}.csv: it distinguishes raters, not units; give the column another name."
                )

    def _without_text_only(self) -> Iterator[str]:
        """Yield the lines that ask for the text-only floor although the tables have no text-only answers."""
        rows = self._contents.references
        answered = {(row.item, says.field) for row in rows for says in row.fields if says.text_only_answer}
        answered |= {(row.item, "") for row in rows if row.text_only_answer}
        for key, line in lines_of(self._study):
            for phase in self._phases_of(line) if "text_only" in line.against else ():
                units, fields = self._where(phase, line), {"", *(name.partition(".")[2] for name in line.of)}
                if units and not any((unit.item_key, field) in answered for unit in units for field in fields):
                    yield (
                        f"{path_in_words(key)} is with text_only, and references.csv has no text_only_answer to any of "
                        f"the {len(units)} units of phase '{phase.key}' that it is about: there is no such floor; fill "
                        "the column, or remove with."
                    )

    def _nothing_compared(self) -> Iterator[str]:
        """Yield that a correction has no comparisons: no line asks for one, and no phase rates several models."""
        plan = self._study.analysis
        if plan.comparisons is None or any(line.compare for _, line in lines_of(self._study)):
            return
        for phase in (each for each in self._study.phases if each.counts and rates_texts(each)):
            fields = [*phase.fields, *(field for form in self._study.forms for field in form.fields)]
            if not BETWEEN_MODELS & {field.type for field in fields}:
                continue
            # The authors of the answers in a pool are only known later.
            if phase.key not in self._phases or len(set(self._values("model", self._of(phase))) - {""}) > 1:
                return
        yield (
            f"analysis.comparisons: {CORRECTIONS[plan.comparisons.correction]} corrects nothing, since no line of the "
            "plan has compare, and no phase rates several models correct or not, on a scale, or by a number; add "
            "compare to a line, or remove comparisons."
        )

    def _values(self, name: str, units: Sequence[PlannedUnit]) -> list[str]:
        """Return the value of each unit, or its level if the attribute is a number with declared bounds."""
        bins = next((each.bins for each in self._study.attributes if each.key == name), [])
        values = [unit.value_of(name) for unit in units]
        return [level_of(bins, value) for value in values] if bins else values

    def _values_by_cluster(self, name: str) -> dict[str, set[str]]:
        """Return the clusters with each value of an attribute, by value, over all phases that count."""
        clusters: dict[str, set[str]] = {}
        for phase in self._phases.values():
            for unit in self._of(phase) if phase.counts else ():
                clusters.setdefault(unit.value_of(name), set()).add(unit.value_of(self._study.analysis.cluster))
        return clusters

    def _strata_not_kept(self) -> Iterator[str]:
        """Yield that a cluster has units of several strata, so that no bootstrap can resample within strata."""
        plan = self._study.analysis
        strata: dict[str, set[tuple[str, ...]]] = {}
        for phase in self._phases.values() if plan.strata else ():
            for unit in self._of(phase) if phase.counts else ():
                own = strata.setdefault(unit.value_of(plan.cluster), set())
                own.add(tuple(unit.value_of(name) for name in plan.strata))
        split = sorted(cluster for cluster, own in strata.items() if len(own) > 1)
        if split:
            cluster = spoken(plan.cluster)
            yield (
                f"Strata by {listed([spoken(name) for name in plan.strata])}: {len(split)} of the {len(strata)} "
                f"{cluster}s {'has' if len(split) == 1 else 'have'} several values, as '{split[0]}', so that no "
                f"bootstrap resamples within them; name what all units of a {cluster} have alike, or remove strata."
            )

    def _phases_of(self, line: AuthoredEstimate) -> list[Phase]:
        keys = dict.fromkeys(name.partition(".")[0] for name in line.of)
        return [self._phases[key] for key in keys if key in self._phases]

    def _of(self, phase: Phase) -> list[PlannedUnit]:
        if phase.key not in self._units:
            self._units[phase.key] = units_of(self._study, phase, self._contents)
        return self._units[phase.key]

    def _decidable(self, phase: Phase, line: AuthoredEstimate) -> tuple[list[PlannedUnit], str]:
        """Return the units that a line can rest on, and words for what they have and the others lack."""
        return decidable(self._study, phase, line, self._where(phase, line), self._references.used_by(line))

    def _where(self, phase: Phase, line: AuthoredEstimate) -> list[PlannedUnit]:
        wanted = selected_by(self._study, line)
        return [unit for unit in self._of(phase) if wanted(unit)]


def _strata(name: str, clusters: dict[str, set[str]]) -> Iterator[str]:
    single = sorted(value for value, own in clusters.items() if len(own) == 1)
    if single and len(clusters) > 1:
        shown = _some_of(single)
        yield (
            f"Strata by {spoken(name)}: {shown} {'has' if len(single) == 1 else 'have'} a single cluster, which is in "
            "every resample once, so intervals do not reflect its variability; join it with another stratum."
        )


def _single(name: str, phase: str, values: Sequence[str]) -> Iterator[str]:
    counts = Counter(values)
    single = sorted(value for value, count in counts.items() if value and count == 1)
    if single and len(counts) > 1:
        yield (
            f"Parts by {spoken(name)} of phase '{phase}': {_some_of(single)} {'is' if len(single) == 1 else 'are'} the "
            "value of a single unit, of which no estimate has an interval."
        )


def _some_of(values: Sequence[str]) -> str:
    more = f" and {len(values) - _MOST_NAMED} more" if len(values) > _MOST_NAMED else ""
    return listed([f"'{value}'" for value in values[:_MOST_NAMED]]) + more


def _no_bound_of_a_share(study: Expansion, line: AuthoredCriterion) -> Iterator[str]:
    """Yield the bounds of a share that decide nothing, because no confidence limit can lie beyond them."""
    phase, _, name = line.of[0].partition(".")
    fields = [*study.phase(phase).fields, *(field for form in study.forms for field in form.fields)]
    types = [field.type for field in fields if field.key == name]
    if types and statistic_of(line, types[0]) in SHARES:
        for limit, bound, beyond in (("lower", line.above, "above"), ("upper", line.below, "below")):
            if bound is not None and not 0 <= bound <= 1:
                yield (f"a share is between 0 and 1, so no {limit} limit can be {beyond} {bound:g}; correct the bound.")
