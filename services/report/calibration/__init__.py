"""The calibration of judges in a study: what people and judges said in a field, and the panels computed from it."""

from agreement.judge.certificate import FILE_NAME
from services.report.calibration.calibrating import (
    Calibration,
    calibration_of,
    details_of,
    fields_with_judges,
    in_words,
    is_rated,
    labels_in,
    sections_of,
    summary_of,
)
from services.report.calibration.certifying import CARD_NAME, Certificate, certify, file_of
from services.report.calibration.figures import figures_of
from services.report.calibration.opening import counts_before_opening, open_agreement

__all__ = [
    "CARD_NAME",
    "FILE_NAME",
    "Calibration",
    "Certificate",
    "calibration_of",
    "certify",
    "counts_before_opening",
    "details_of",
    "fields_with_judges",
    "figures_of",
    "file_of",
    "in_words",
    "is_rated",
    "labels_in",
    "open_agreement",
    "sections_of",
    "summary_of",
]
