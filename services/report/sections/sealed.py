"""What a report leaves out because it is sealed, and how often judges' agreement with people was opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlmodel import Session

from db import queries
from exchange.refusal import counted, listed
from protocol.phases import Phase
from services.report.calibration.looks import looks_in_words
from services.studies import frozen_facts


def notices_of_seal(session: Session, study_id: int) -> Iterator[str]:
    """Yield the notices for a study that has test subjects, or whose judges' agreement somebody opened."""
    split = queries.split_of(session, study_id)
    sealed = queries.sealed_items(session, study_id)
    if split is not None and sealed:
        following = frozen_facts.phases_of(session, study_id).chosen_by_answers
        verdicts = counted(queries.count_verdicts_on(session, sealed, following), "verdict")
        many = queries.count_labels_on(session, sealed)
        labels = f"; nor are {counted(many, 'label')} made elsewhere" if many else ""
        yield (
            f"{counted(len(split.test_subjects), 'test subject')} with {counted(len(sealed), 'item')} "
            f"{'is' if len(split.test_subjects) == 1 else 'are'} sealed for the test of judges: "
            f"{verdicts} on them, superseded ones too, are in no figure and no file of this report{labels}."
            f"{_those_of(following)}"
        )
    elif split is not None:
        yield "The answers about test subjects, on which judges are tested, were unsealed and are part of this report."
    if said := looks_in_words(session, study_id):
        yield said


def _those_of(following: Sequence[Phase]) -> str:
    """Name the phases whose verdicts are not counted: their number of units would reveal how far people agree."""
    if not following:
        return ""
    return f" Those of {listed([f'“{phase.heading}”' for phase in following])} are left out, too, and not counted."
