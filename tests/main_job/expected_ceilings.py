"""What the report must say of ceilings, and of accuracy over queue and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tests.main_job.facts import Facts
from tests.main_job.independent import Expected, clustered, gap_of_ratios, share
from tests.main_job.parts import ALL, BY_FORMAT, CLOSED, Part
from tests.main_job.sheet import Sheet


def scored(facts: Facts, rater: str, part: Part) -> list[tuple[str, bool]]:
    """Return (subject, right) of the items that the rater answered."""
    answers = [(item.subject, facts.correct(rater, item.key)) for item in part.items]
    return [(subject, right) for subject, right in answers if right is not None]


def add_ceilings(sheet: Sheet, facts: Facts) -> None:
    """Add what the most frequent answer reaches, and the rater who is right most often."""
    yes_no = BY_FORMAT[0]
    (often, _), *_ = Counter(answer for item in yes_no.items for answer in item.accepted).most_common()
    always = share((item.subject, often in item.accepted) for item in yes_no.items)
    sheet.add("ceilings", "accuracy", "majority_floor", "part", yes_no.stratum, always)
    for part in (ALL, CLOSED, *BY_FORMAT):
        answered = {rater: scored(facts, rater, part) for rater in facts.raters}
        most = max(len(own) for own in answered.values())
        shares = {
            rater: sum(right for _, right in own) / len(own)
            for rater, own in answered.items()
            if own and 2 * len(own) >= most
        }
        if len(shares) > 1:
            best = max(shares, key=lambda rater: shares[rater])
            picked = share(answered[best], note="chosen as the best on these very answers")
            sheet.add("ceilings", "accuracy", "best_rater", best, part.stratum, picked)


def add_thirds(sheet: Sheet, facts: Facts, compared: str, measured: Mapping[str, Mapping[str, int]]) -> None:
    """Add accuracy in each third of what was measured of each rater's answers, and that of the last less the first."""
    table = "order_and_time"
    everybody: list[tuple[int, str, bool]] = []
    for rater in facts.raters:
        answered = [
            (measured[rater][item.key], item.subject, right)
            for item in ALL.items
            for right in [facts.correct(rater, item.key)]
            if right is not None and item.key in measured[rater]
        ]
        answered.sort(key=lambda answer: answer[0])
        thirds = [(3 * rank // len(answered), *answer[1:]) for rank, answer in enumerate(answered)]
        everybody += thirds
        for third in range(3):
            here = share((subject, right) for which, subject, right in thirds if which == third)
            sheet.add(table, "accuracy", compared, rater, "all", here, option=str(third + 1))
        sheet.add(table, "accuracy_difference", compared, rater, "all", _last_less_first(thirds, "item"))
    for third in range(3):
        here, _ = share(((subject, right) for which, subject, right in everybody if which == third), unit="verdict")
        sheet.add(table, "accuracy", compared, "all_raters", "all", here, option=str(third + 1))
    sheet.add(table, "accuracy_difference", compared, "all_raters", "all", _last_less_first(everybody, "verdict"))


def _last_less_first(thirds: list[tuple[int, str, bool]], unit: str) -> Expected:
    """Return the share right in the last third minus that in the first."""
    units = [
        (subject, (right, 1.0, 0.0, 0.0) if third == 2 else (0.0, 0.0, right, 1.0))
        for third, subject, right in thirds
        if third != 1
    ]
    return clustered(units, gap_of_ratios, unit=unit)
