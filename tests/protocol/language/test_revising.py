"""Until when answers can be revised: what comes first and reveals, even of other items, makes them final at once."""

from __future__ import annotations

import pytest

from protocol.language.revising import never_revised
from protocol.language.sentences import explained
from tests.protocol.language.study_text import expanded

STUDY = """
attributes: {{items: {{imaging: yes_no}}}}
groups: {{readers: Readers, others: Others}}
phases:
  - {{key: films, rates: items, from: {{where: {{imaging: yes}}}}, shows: [prompt], form: {{a: text}}, by: {by}{films}}}
  - {{key: know, rates: items, from: {{where: {{imaging: no}}}}, shows: [prompt], form: {{a: text}}, by: readers,
     revise: session}}
  - {{key: grade, rates: items, shows: [prompt, reference], counts: no, form: {{b: text}}, by: {last}}}
"""
TELLS = ", then: {shows: reference}"
FREELY = "revise an answer within the session."


@pytest.mark.parametrize(
    ("films", "by", "last", "warned", "explains"),
    [
        ("", "readers", "others", False, FREELY),
        ("", "readers", "readers", False,
         "revise an answer within the session, unless they have begun “Grade”."),
        (TELLS, "others", "others", False, FREELY),
        (TELLS, "readers", "others", True,
         "An answer cannot be revised, as “Films” comes first and can show what this phase is blind to."),
    ],
)  # fmt: skip
def test_it_is_said_what_ends_revising_and_whether_it_ever_begins(
    films: str, by: str, last: str, warned: bool, explains: str
) -> None:
    study = expanded(STUDY.format(films=films, by=by, last=last))

    warnings = list(never_revised(study))
    freedoms = next(each for each in explained(study) if "(know)" in each.heading).sentences

    assert explains in " ".join(freedoms)
    assert bool(warnings) == warned
    assert all("answers in 'know' are final at once, since it opens after 'films'" in says for says in warnings)


def test_it_is_said_that_all_answers_are_final_once_others_are_drawn_from_them() -> None:
    study = expanded("""
        groups: {readers: Readers, others: Others}
        phases:
          - {key: know, rates: items, shows: [prompt], form: {a: text}, by: readers, flags: {q: Unclear},
             revise: until_closed}
          - {key: look, rates: items, from: {phase: know, let_in: flagged}, shows: [prompt, opinions], counts: no,
             form: {what: resolution}, by: others}
    """)

    freedoms = next(each for each in explained(study) if "(know)" in each.heading).sentences

    assert "Once everybody is done, all answers are final, as they decide what is in “Look”." in " ".join(freedoms)
    assert not any("all answers are final" in said for each in explained(study)[2:] for said in each.sentences)
