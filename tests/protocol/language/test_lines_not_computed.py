"""What is said of a line of the plan that can be declared and is not computed."""

from __future__ import annotations

import pytest

from protocol.language.computed import not_computed
from tests.protocol.language.study_text import expanded

STUDY = """
attributes: {cases: {site: {type: choice, options: [A, B]}}}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form: {dx: {type: choice, options: [a, b, c]}, size: number, note: text}
  - {key: score, rates: candidates, shows: [prompt, candidate], form: {verdict: correctness, mins: number}}
analysis: {also: [{LINE}]}
"""


@pytest.mark.parametrize(
    ("line", "lacks"),
    [
        ("estimate: direction, of: read.size", "is of judges’ verdicts, which are about models’ answers"),
        ("estimate: direction, of: score.mins", "needs with: judges"),
        ("estimate: correlation, of: score.verdict", "with: token_f1 or exact_match for scores"),
        ("estimate: accuracy, of: read.dx, compare: site", "are compared by estimate: difference"),
        ("estimate: agreement, of: read.dx, over: site", "Agreement is not taken over anything"),
        (
            "estimate: accuracy, of: read.note, with: [models, token_f1]",
            "with: token_f1, only with: models or text_only",
        ),
        ("estimate: distribution, of: read.dx, with: models", "is not computed with: models; leave that out"),
        ("estimate: auc, of: read.note", "a field of type text is none of these"),
        ("estimate: auc, of: read.dx", "needs a confidence about it that is a probability, in the same form"),
        ("estimate: pass_at, of: read.dx", "needs options that are the lines of a list (1, 2, 3 and so on"),
    ],
)
def test_a_line_that_is_not_computed_says_what_it_lacks(line: str, lacks: str) -> None:
    (said,) = not_computed(expanded(STUDY.replace("LINE", line)))

    assert said.startswith("Declared, not computed by this release: ") and lacks in said and said.endswith(".")


def test_a_line_that_lacks_nothing_that_it_could_name_is_only_called_not_computed() -> None:
    (said,) = not_computed(expanded(STUDY.replace("LINE", "estimate: mean, of: score.verdict")))

    assert said == "Declared, not computed by this release: Mean of “Verdict” in “Score”."
