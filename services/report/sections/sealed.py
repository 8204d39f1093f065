"""What a report leaves out because it is sealed, and how often agreement of judges with people was opened."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session

from db import queries
from exchange.refusal import counted
from services.report.calibration.looks import looks_in_words


def notices_of_seal(session: Session, study_id: int) -> Iterator[str]:
    """Yield what has to be known of a study with test subjects, or of whose judges somebody looked, a sentence each."""
    split = queries.split_of(session, study_id)
    sealed = queries.sealed_items(session, study_id)
    if split is not None and sealed:
        many = queries.count_labels_on(session, sealed)
        labels = f"; nor are {counted(many, 'label')} made elsewhere" if many else ""
        yield (
            f"{counted(len(split.test_subjects), 'test subject')} with {counted(len(sealed), 'item')} "
            f"{'is' if len(split.test_subjects) == 1 else 'are'} sealed for the test of judges: "
            f"{counted(queries.count_verdicts_on(session, sealed), 'verdict')} on them, superseded ones too, are in no "
            f"figure and no file of this report{labels}."
        )
    elif split is not None:
        yield "The answers about test subjects, on which judges are tested, were unsealed and are part of this report."
    if said := looks_in_words(session, study_id):
        yield said
