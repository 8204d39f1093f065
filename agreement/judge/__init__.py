"""A judge against humans: the direction of its errors, the calibration panels and their command line.

``python -m agreement.judge judged.csv`` prints the panels of `agreement.judge.panels`.
"""

from agreement.judge.diagnostic import DiagnosticAccuracy, diagnostic_accuracy
from agreement.judge.direction import JudgeDirection, judge_direction

__all__ = ["DiagnosticAccuracy", "JudgeDirection", "diagnostic_accuracy", "judge_direction"]
