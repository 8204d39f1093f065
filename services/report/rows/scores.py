"""Raters' scores on the frozen sample of candidates: correct or incorrect by the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from exchange.report.estimate_rows import ALL_CANDIDATES, Stratum
from protocol.phases import SCORING
from protocol.scales import CORRECTNESS
from protocol.sections import Scoring
from services.report.rows.consensus import agreed
from services.report.rows.study_rows import CandidateAnswer, Member, StudyRows


@dataclass(frozen=True)
class Scores:
    """The frozen sample of candidates and each rater's scores on it.

    Attributes
    ----------
    scores
        By rater and candidate: correct (True), incorrect (False), or neither (None).
    given
        The same as stored option ids; None if the rater gave no score.
    others
        Id and text of the options that are neither correct nor incorrect.
    consensus
        The score on which all raters agree; None if they differ or fewer than two scored the candidate.
    """

    sample: tuple[CandidateAnswer, ...]
    items: tuple[str, ...]
    raters: tuple[Member, ...]
    scores: tuple[tuple[bool | None, ...], ...]
    given: tuple[tuple[str | None, ...], ...]
    others: tuple[tuple[str, str], ...]
    consensus: tuple[bool | None, ...]
    n_ties: int

    @cached_property
    def neither(self) -> tuple[tuple[bool, ...], ...]:
        """By rater and candidate, whether it was scored as neither correct nor incorrect."""
        return tuple(
            tuple(score is None and answer is not None for score, answer in zip(scored, given, strict=True))
            for scored, given in zip(self.scores, self.given, strict=True)
        )

    @property
    def is_proportional(self) -> bool:
        """Whether every candidate of the pool had the same chance of being in the sample."""
        chances = [candidate.probability or 0.0 for candidate in self.sample]
        return not chances or max(chances) - min(chances) < 1e-9


def scores_of(study: StudyRows) -> Scores:
    """Arrange the raters' scores over the frozen sample."""
    sample = tuple(candidate for candidate in study.candidates if candidate.probability is not None)
    entries = {(entry.member_id, entry.candidate_id): entry for entry in study.entries_of(SCORING.key)}
    of_rater = [[entries.get((rater.id, candidate.id)) for candidate in sample] for rater in study.raters]
    scores = tuple(tuple(None if entry is None else study.scored_correct(entry) for entry in own) for own in of_rater)
    unanimous = agreed([[own[i] for own in scores] for i in range(len(sample))])
    return Scores(
        sample=sample,
        items=items_of(study, sample),
        raters=study.raters,
        scores=scores,
        given=tuple(
            tuple(None if entry is None or entry.answer is None else str(entry.answer) for entry in own)
            for own in of_rater
        ),
        others=_others(study.protocol.scoring),
        consensus=unanimous.values,
        n_ties=sum(unanimous.differs),
    )


def items_of(study: StudyRows, candidates: Sequence[CandidateAnswer]) -> tuple[str, ...]:
    """Return the item of each candidate: the cluster of every estimate about candidates."""
    return tuple(study.item_keys.get(candidate.item_id, str(candidate.item_id)) for candidate in candidates)


def by_model(candidates: Sequence[CandidateAnswer]) -> list[tuple[Stratum, list[int]]]:
    """Return the places of all candidates, and of each model's candidates by its name."""
    models = sorted({candidate.model for candidate in candidates})
    return [(ALL_CANDIDATES, list(range(len(candidates))))] + [
        (Stratum("model", model), [i for i, candidate in enumerate(candidates) if candidate.model == model])
        for model in models
    ]


def _others(scoring: Scoring | None) -> tuple[tuple[str, str], ...]:
    """Return the options that mean neither correct nor incorrect, such as Excluded."""
    options = scoring.form.primary.options if scoring is not None else []
    return tuple((option.id, option.text) for option in options if CORRECTNESS.code_of(option.id.lower()) is None)
