"""What the analysis plan of a study that lists its phases asks for and its tables cannot give, said at the import."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from agreement import Estimate, cohen_kappa, wilson_interval
from exchange.folder_rows import CandidateRow, StudyFolder
from exchange.item_table import ItemRow
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.bins import level_of
from protocol.language.criteria import SHARES, bounds_in_words, statistic_of
from protocol.language.expansion import Expansion, Phase, Sample
from protocol.language.pools import rates_texts
from protocol.language.results import filled_in
from protocol.language.wording import listed, spoken

# A key of the protocol, and a sentence.
Said = tuple[str, str]
# Of more single values nobody wants to read.
_MOST_NAMED = 3
_MOST_UNITS = 1_000_000
_MOST_OF_KAPPA = 20_000
# Clusters that every unit has.
_ALWAYS_THERE = ("subject", "case", "item")


@dataclass(frozen=True)
class _Unit:
    item: ItemRow
    candidate: CandidateRow | None
    of_case: dict[str, str]
    subject: str

    def value_of(self, name: str) -> str:
        own = {
            "subject": self.subject, "case": self.item.case, "item": self.item.key, "category": self.item.category,
            "format": self.item.format, "grounding": self.item.grounding,
            "conversation": self.item.conversation or "", "practice": "yes" if self.item.practice else "no",
            "model": self.candidate.model if self.candidate is not None else "",
        }  # fmt: skip
        if name in own:
            return own[name]
        of_candidate = dict(self.candidate.attributes) if self.candidate is not None else {}
        return of_candidate.get(name) or dict(self.item.attributes).get(name) or self.of_case.get(name, "")


class PlanChecks:
    """The checks of one study's plan. Units are gathered once, and of those phases alone that something is asked of."""

    def __init__(self, study: Expansion, contents: StudyFolder) -> None:
        self._study, self._contents = study, contents
        self._phases = {phase.key: phase for phase in _known_before(study)}
        self._units: dict[str, list[_Unit]] = {}

    def refused(self) -> Iterator[Said]:
        """Yield what cannot be computed however the study is answered: key, and what to do."""
        if self._study.analysis.cluster not in _ALWAYS_THERE:
            counted = {key: self._of(phase) for key, phase in self._phases.items() if phase.counts}
            yield from _clusters(self._study.analysis.cluster, counted)
        for key, line in _lines(self._study):
            for phase in self._phases_of(line):
                if line.compare not in (None, "group"):
                    yield from ((f"analysis.{key}", says) for says in _compared(line, phase, self._where(phase, line)))
                if isinstance(line, AuthoredCriterion):
                    most = _most_drawn(phase.source.sample, len(self._where(phase, line)))
                    if most < line.least.units:
                        yield (
                            f"analysis.{key}.least",
                            (
                                f"{line.least.units} units are asked for, and '{phase.key}' rates at most {most}; draw "
                                "more or ask for fewer."
                            ),
                        )

    def remarks(self) -> Iterator[str]:
        """Yield a sentence for each part, stratum or line of a single unit, and each criterion that is out of reach."""
        asked = [
            (name, key) for name in self._study.analysis.tables for key, each in self._phases.items() if each.counts
        ]
        asked += [
            (name, part.key) for _, line in _lines(self._study) for name in line.by for part in self._phases_of(line)
        ]
        numbers = {each.key for each in self._study.attributes if each.type == "number" and not each.bins}
        for name in dict.fromkeys(name for name, _ in asked if name in numbers):
            yield (
                f"Parts by {spoken(name)}: each number is a part of its own; declare bounds for levels, such as "
                f"{name}: {{type: number, bins: [5, 10]}}."
            )
        for name, key in dict.fromkeys(asked):
            yield from _single(name, key, self._values(name, self._of(self._phases[key])))
        yield from self._without_parts()
        yield from self._of_few()
        for name in self._study.analysis.strata:
            yield from _strata(name, self._values_by_cluster(name))
        for criterion in self._study.analysis.criteria:
            for phase in self._phases_of(criterion):
                yield from _out_of_reach(self._study, criterion, phase, self._where(phase, criterion))

    def _without_parts(self) -> Iterator[str]:
        """Yield which of the plan's tables stand for all units together, since no units differ in them."""
        counted = [phase for phase in self._phases.values() if phase.counts]
        if len(counted) < sum(phase.counts for phase in self._study.phases):
            return  # What people answer is known later.
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
        """Yield which lines select a single unit, or none, by what is known before anything is answered."""
        for key, line in _lines(self._study):
            if not any("." not in name for name in line.where) or isinstance(line, AuthoredCriterion):
                continue
            for phase in self._phases_of(line):
                count = len(self._where(phase, line))
                if count < 2 <= len(self._of(phase)):
                    about, so = ("a single unit", "no estimate of it has an interval")
                    if not count:
                        about, so = "no unit", "there is nothing to compute it from"
                    yield f"analysis.{key} is about {about} of phase '{phase.key}': {so}."

    def _values(self, name: str, units: Sequence[_Unit]) -> list[str]:
        """Return the value of each unit, of a number with declared bounds its level."""
        bins = next((each.bins for each in self._study.attributes if each.key == name), [])
        values = [unit.value_of(name) for unit in units]
        return [level_of(bins, value) for value in values] if bins else values

    def _values_by_cluster(self, name: str) -> dict[str, set[str]]:
        """Return by value of an attribute the clusters that have it, over all that counts."""
        clusters: dict[str, set[str]] = {}
        for phase in self._phases.values():
            for unit in self._of(phase) if phase.counts else ():
                clusters.setdefault(unit.value_of(name), set()).add(unit.value_of(self._study.analysis.cluster))
        return clusters

    def _phases_of(self, line: AuthoredEstimate) -> list[Phase]:
        keys = dict.fromkeys(name.partition(".")[0] for name in line.of)
        return [self._phases[key] for key in keys if key in self._phases]

    def _of(self, phase: Phase) -> list[_Unit]:
        if phase.key not in self._units:
            self._units[phase.key] = _units_of(self._study, phase, self._contents)
        return self._units[phase.key]

    def _where(self, phase: Phase, line: AuthoredEstimate) -> list[_Unit]:
        # Conditions on raters select no units.
        of_raters = {each.key for each in self._study.attributes if each.table == "raters"} | {"group"}
        conditions = [(name, own) for name, own in line.where.items() if "." not in name and name not in of_raters]
        return [unit for unit in self._of(phase) if all(unit.value_of(name) in values for name, values in conditions)]


def _strata(name: str, clusters: dict[str, set[str]]) -> Iterator[str]:
    single = sorted(value for value, own in clusters.items() if len(own) == 1)
    if single and len(clusters) > 1:
        shown = listed([f"'{value}'" for value in single[:_MOST_NAMED]])
        yield (
            f"Strata by {spoken(name)}: {shown} {'has' if len(single) == 1 else 'have'} a single cluster, which every "
            "resample holds once, so that intervals say nothing of how it varies; join it with another stratum."
        )


def _single(name: str, phase: str, values: Sequence[str]) -> Iterator[str]:
    counts = Counter(values)
    single = sorted(value for value, count in counts.items() if value and count == 1)
    if single and len(counts) > 1:
        shown = listed([f"'{value}'" for value in single[:_MOST_NAMED]])
        more = f" and {len(single) - _MOST_NAMED} more" if len(single) > _MOST_NAMED else ""
        yield (
            f"Parts by {spoken(name)} of phase '{phase}': {shown}{more} {'is' if len(single) == 1 else 'are'} the "
            "value of a single unit, of which no estimate has an interval."
        )


def _lines(study: Expansion) -> Iterator[tuple[str, AuthoredEstimate]]:
    plan = study.analysis
    if plan.primary is not None:
        yield "primary", plan.primary
    yield from ((f"also.{place}", line) for place, line in enumerate(plan.also))
    yield from ((f"criteria.{line.key}", line) for line in plan.criteria)


def _known_before(study: Expansion) -> list[Phase]:
    """Return the phases whose units stand in the tables: not those that rate people's answers, nor practice."""
    return [
        phase
        for phase in study.phases
        if phase.answers_of is None and phase.source.practice == "never" and (rates_texts(phase) or _rates_items(phase))
    ]


def _rates_items(phase: Phase) -> bool:
    return phase.rates == ["items"]


def _units_of(study: Expansion, phase: Phase, contents: StudyFolder) -> list[_Unit]:
    """Return what a phase could draw from, by what is known before anything is answered."""
    cases = {case.key: case for case in contents.cases}
    items = {item.key: item for item in contents.items if not item.practice}

    def unit(item: ItemRow, candidate: CandidateRow | None) -> _Unit:
        case = cases[item.case]
        return _Unit(item, candidate, dict(case.attributes), case.subject)

    if rates_texts(phase):
        units = [unit(items[row.item], row) for row in contents.candidates if row.item in items and row.answer]
    else:
        units = [unit(item, None) for item in items.values()]
    behind: Phase | None = phase
    while behind is not None:
        for condition in behind.source.where:
            if "." not in condition.name:
                units = [each for each in units if each.value_of(condition.name) in condition.values]
        behind = None if behind.source.phase is None else study.phase(behind.source.phase)
    return units


def _clusters(name: str, units: dict[str, list[_Unit]]) -> Iterator[Said]:
    for key, own in units.items():
        values = [unit.value_of(name) for unit in own]
        lacking = values.count("")
        if lacking:
            yield (
                "analysis.cluster",
                (
                    f"{lacking} of the {len(own)} units of '{key}' have no {name}, by which intervals are "
                    "clustered; fill the column."
                ),
            )
        elif len(own) > 1 and len(set(values)) == len(own):
            yield (
                "analysis.cluster",
                (
                    f"every unit of '{key}' has its own value of {name}, so that nothing is clustered; remove it, or "
                    "name what units share."
                ),
            )


def _compared(line: AuthoredEstimate, phase: Phase, units: Sequence[_Unit]) -> Iterator[str]:
    if not units:
        return
    given = {unit.value_of(line.compare or "") for unit in units}
    values = given - {""}
    if len(values) < 2:
        which = "every unit" if len(given) == 1 else "every unit with a value"
        has = f"the value '{values.pop()}'" if values else "no value"
        yield (
            f"{spoken(line.compare or '')} is compared, and {which} of '{phase.key}' has {has} there; remove "
            "compare, or select units of several values."
        )


def _most_drawn(sample: Sample | None, units: int) -> int:
    """Return how many units a phase rates at most."""
    if sample is None or sample.size == "all":
        return units
    if sample.size == "by_stratum":
        sizes = [stratum.size for stratum in sample.sizes]
        return min(units, sum(int(size) for size in sizes)) if all(size.isdigit() for size in sizes) else units
    if sample.size.endswith("%"):
        return math.ceil(units * float(sample.size.removesuffix("%")) / 100)
    return min(units, int(sample.size))


def _out_of_reach(
    study: Expansion, criterion: AuthoredCriterion, phase: Phase, units: Sequence[_Unit]
) -> Iterator[str]:
    """Yield where a share, or kappa, could not clear its bound even if all were answered as the criterion wishes."""
    wanted = criterion.of[0].partition(".")[2]
    fields = {field.key: field for field in filled_in(phase, {form.key: form.fields for form in study.forms})}
    statistic, confidence = statistic_of(criterion, fields[wanted].type), study.analysis.confidence
    is_kappa = statistic == "cohen_kappa" and criterion.above is not None and not criterion.against
    if not (is_kappa or statistic in SHARES) or criterion.compare is not None:
        return
    most_units = _MOST_OF_KAPPA if is_kappa else _MOST_UNITS

    @cache
    def best_of(n: int) -> Estimate:
        if is_kappa:
            return _best_kappa(n, max(2, len(fields[wanted].options)), confidence)
        return _best(criterion, n, confidence)

    def clears(n: int) -> bool:
        limits = best_of(n)
        above, below = criterion.above, criterion.below
        return (above is None or limits.low > above) and (below is None or limits.high < below)

    for name, count in _parts(criterion, units, _most_drawn(phase.source.sample, len(units))):
        if count and not clears(count):
            # More units only narrow the interval.
            needed = bisect.bisect_left(range(1, most_units), True, key=clears) + 1
            best = best_of(count)
            takes = f"it takes {needed}" if needed < most_units else "no number of units would do"
            yield (
                f"Criterion '{criterion.key}' ({bounds_in_words(criterion)}) is out of reach: with {count} "
                f"independent units{name} {_limits_in_words(best)} at best; {takes}."
            )


def _best(criterion: AuthoredCriterion, n: int, confidence: float) -> Estimate:
    """Return Wilson's limits of the share of n independent units that a criterion would like best."""
    above, below = criterion.above, criterion.below
    if above is not None and below is not None:
        wished = (above + below) / 2
    else:
        wished = 1.0 if below is None else 0.0
    return wilson_interval(round(n * min(1.0, max(0.0, wished))), n, confidence=confidence)


def _limits_in_words(best: Estimate) -> str:
    return "there are no limits" if math.isnan(best.low) else f"the limits are {best.low:.3f} and {best.high:.3f}"


def _best_kappa(n: int, options: int, confidence: float) -> Estimate:
    """Return kappa of two raters who agree on all of n units, of which each option has as many."""
    answers = [place % options for place in range(n)]
    return cohen_kappa(answers, answers, categories=list(range(options)), confidence=confidence)


def _parts(criterion: AuthoredCriterion, units: Sequence[_Unit], most: int) -> Iterator[tuple[str, int]]:
    """Yield each part that has to reach the bounds, in words, with how many units it has at most."""
    if not criterion.by:
        yield "", most
        return
    counts = Counter(tuple(unit.value_of(name) for name in criterion.by) for unit in units)
    for values, count in sorted(counts.items()):
        if all(values):
            parts = [f"{spoken(name)} {value}" for name, value in zip(criterion.by, values, strict=True)]
            yield f" of {listed(parts)}", min(most, count)
