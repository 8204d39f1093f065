"""Words: whether they are the same after normalisation, and how many of them two raters share."""

from __future__ import annotations

from agreement import mean_over_pairs, percent_agreement_of_all, token_f1
from exchange.report.estimate_rows import EstimateRow, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.sections.fields.against_floors import FLOORS
from services.report.sections.fields.against_reference import (
    ACCURACY,
    ON_CORRECTNESS,
    SILENT,
    correct_numbers,
    means_of_scores,
)
from services.report.sections.fields.ceilings import BEST_RATER
from services.report.sections.fields.order_and_time import ORDER_AND_TIME
from services.report.sections.fields.topics import SAME_OF_ALL, FieldReport, Topic, pools_raters


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often two raters wrote the same after normalisation, and how far their words overlap.

    A note that may be left empty is not an answer to a question, so notes are not compared.
    """
    if not ratings.field.required:
        return []
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for parties, places in ratings.parties_on(stratum):
        answers = [list(given) for given in zip(*(ratings.answers[place] for place in places), strict=True)]
        words = [list(given) for given in zip(*(ratings.columns[place].values for place in places), strict=True)]
        same = percent_agreement_of_all(answers, **by)
        overlap = mean_over_pairs(words, token_f1, name="token F1", **by)
        rows += [
            EstimateRow("percent_agreement", "answers", parties, stratum, same),
            EstimateRow("token_f1", "answers", parties, stratum, overlap),
        ]
    return rows


def f1_of_reference(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return each rater's mean token F1 against the accepted texts, for items that are answered in words."""
    worded = ratings.only(lambda place: ratings.kinds[place].scale == "text" and ratings.keys[place] is not None)
    return means_of_scores(worded, stratum, intervals, "token_f1", lambda score: score.token_f1)


# Two answers that are the same may have a token F1 of 0, and two that are not one of 1.
WORDS_OF_F1 = (
    "Token F1 is computed as published for SQuAD, without any punctuation and conversion: to it 35 cm is 3.5 cm, and "
    "3.5cm is another word."
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "The same words after normalisation (lower case, numbers as numbers, no articles, no punctuation), and token F1: "
    f"how many words two raters have in common. {WORDS_OF_F1} Neither recognises paraphrases: whether two "
    "texts mean the same is for people to judge.",
    agreement,
    further=(SAME_OF_ALL, ("Token F1 of “All raters” is the mean over every two of them.", pools_raters)),
)
F1_OF_REFERENCE = Topic(
    "token_f1",
    "token F1 against the reference",
    f"The best overlap of words with an accepted text; open answers alone. {WORDS_OF_F1}",
    f1_of_reference,
    of_models=True,
    further=(SILENT,),
)
REPORT = FieldReport(
    (ACCURACY, FLOORS, BEST_RATER, F1_OF_REFERENCE, AGREEMENT, ON_CORRECTNESS, ORDER_AND_TIME),
    {"accuracy": ACCURACY, "agreement": AGREEMENT},
    against={("accuracy", "text_only"): FLOORS, ("accuracy", "models"): ACCURACY},
    numbers=correct_numbers,
    is_share=True,
)
