"""Answers as classes against the reference: F1, balanced accuracy, and each class's area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from agreement import ClassificationScores, macro_auc
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from protocol.fields.abstention import ID as UNDETERMINED
from services.report.interval_settings import IntervalSettings
from services.report.rows.columns import Column
from services.report.rows.ratings import Ratings
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import POOLED, Topic, has_abstentions, has_models

# Distinct from the id of any option.
INVALID = "not an answer"
# The classes of abstentions, and of what is not an answer.
_MISSED = {"undetermined": UNDETERMINED, "invalid": INVALID, "no_response": INVALID}
# By unit: the class given by a party.
Said = Sequence[str | None]


def of_classes(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return F1 and balanced accuracy of each rater and of all together, over the options named by the reference."""
    known = with_one_class(ratings, fewest=2)
    said = [classes_of(column, answers) for column, answers in zip(known.columns, known.answers, strict=True)]
    rows = []
    for party, scores in scores_of(known, said, intervals):
        rows += [
            EstimateRow("macro_f1", "reference", (party,), stratum, scores.macro_f1),
            EstimateRow("weighted_f1", "reference", (party,), stratum, scores.weighted_f1),
            EstimateRow("micro_f1", "reference", (party,), stratum, scores.micro_f1),
            EstimateRow("balanced_accuracy", "reference", (party,), stratum, scores.balanced_accuracy),
        ]
    return rows


def with_one_class(ratings: Ratings, fewest: int = 3) -> Ratings:
    """Return the units whose reference names a single option; none if the field has fewer than `fewest` options."""
    if len(categories_of(ratings.field)) < fewest:
        return ratings.only(lambda _: False)
    return ratings.only(lambda place: (key := ratings.keys[place]) is not None and len(key.key.accepted) == 1)


def classes_of(column: Column, answers: Said) -> list[str | None]:
    """Return a party's answers, with classes for abstentions and for what is not an answer; None if not asked."""
    return [_MISSED.get(state or "", answer) for state, answer in zip(column.states, answers, strict=True)]


def scores_of(
    known: Ratings, said: Sequence[Said], intervals: IntervalSettings
) -> list[tuple[Party, ClassificationScores]]:
    """Return the scores over all classes of each column, and of all raters together if there are several.

    An abstention misses the reference's class and is a false positive for no other; so is anything not an answer.
    """
    parties = [(column.party, own, 1) for column, own in zip(known.columns, said, strict=True)]
    if len(parties) > 1:
        together = [answer for own in said for answer in own]
        parties.append((ALL_RATERS, together, len(said)))
    reference = [key.key.accepted[0] for key in known.keys if key is not None]
    scores = []
    for party, own, times in parties:
        if not any(own):
            continue
        result = intervals.class_scores(
            reference * times,
            own,
            classes=[category.id for category in categories_of(known.field)],
            abstained=[UNDETERMINED],
            invalid=[INVALID],
            each_class=False,
            unit="verdict" if party == ALL_RATERS else known.unit,
            **intervals.by(known.clusters * times),
        )
        scores.append((party, result))
    return scores


def one_against_rest(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each party's mean area under the ROC curve of one class against the rest, by stated confidence."""
    known = with_one_class(ratings)
    reference = [key.key.accepted[0] for key in known.keys if key is not None]
    ids = [category.id for category in categories_of(known.field)]
    rows = []
    for column, answers in zip(known.columns, known.answers, strict=True):
        sure = column.sure or tuple(repeat(None, len(answers)))
        scores = [
            _scores(answer, how_sure, ids) for answer, how_sure in zip(classes_of(column, answers), sure, strict=True)
        ]
        if not any(number is not None for number in sure):
            continue
        asked = [place for place, own in enumerate(scores) if own is not None]
        estimate = macro_auc(
            [own for own in scores if own is not None],
            [reference[place] for place in asked],
            classes=ids,
            clusters=intervals.by([known.clusters[place] for place in asked])["clusters"],
            confidence=intervals.confidence,
            unit=known.unit,
        )
        rows.append(EstimateRow("auc", "one_against_rest", (column.party,), stratum, estimate))
    return rows


def _scores(answer: str | None, sure: float | None, classes: Sequence[str]) -> list[float] | None:
    """Return a probability for each class; None without an answer, or without a confidence in one.

    The chosen class has the stated confidence, and the others share the rest equally. If none was chosen, all classes
    have the same probability.
    """
    if answer in (UNDETERMINED, INVALID):
        return [1.0 / len(classes)] * len(classes)
    if answer is None or sure is None:
        return None
    rest = (1.0 - sure) / (len(classes) - 1)
    return [sure if each == answer else rest for each in classes]


OF_CLASSES = Topic(
    "classes",
    "F1 and balanced accuracy",
    "F1 of an option, from 0 to 1: how often it is right where it was given (precision), and given where it is right "
    "(recall), as their harmonic mean. Over the options that the reference names, macro-F1 counts every class alike, "
    "and weighted F1 by how often it occurs; balanced accuracy is their mean recall (macro recall). Micro-F1 is of the "
    "counts of all options together, and the accuracy where nobody abstains.",
    of_classes,
    of_models=True,
    further=(
        ("An abstention misses the class of the reference, and is false for none.", has_abstentions),
        ("What a model wrote that is none of the options misses it too, and is false for none.", has_models),
        POOLED,
    ),
)
ONE_AGAINST_REST = Topic(
    "one_against_rest",
    "area under the ROC curve, one class against the rest",
    "Mean over the classes that occur of the probability that an item of the class gets a higher score for it than an "
    "item of another class; 0.5 is chance. The chosen class has the stated confidence; the others share the rest.",
    one_against_rest,
    of_models=True,
    further=(
        ("An abstention gives all classes the same.", has_abstentions),
        ("What a model wrote that is none of the options gives all classes the same.", has_models),
    ),
)
