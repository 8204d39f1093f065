"""A study read back: each sentence says what its author wrote, or what holds because they wrote nothing."""

from __future__ import annotations

from protocol.language.sentences import Paragraph, explained
from tests.protocol.language.study_text import expanded


def paragraph_of(text: str, heading: str) -> Paragraph:
    return next(paragraph for paragraph in explained(expanded(text)) if heading in paragraph.heading)


STUDY = """
groups: {residents: Residents, scorers: {title: Scorers, people: 3}}
attributes: {items: {template: text, assessable: yes_no}}
phases:
  - key: read
    rates: items
    from:
      where: {assessable: yes}
      sample: {size: 100, strata: category, at_most: {template: 1, subject: 1}, not_in: [earlier-study]}
    shows: [scans, prompt, options]
    form: {answer: as_item, confidence: {type: confidence, steps: 5}}
    by: residents
    not_assessable: {quality: The quality does not allow it}
    undetermined: [answer]
    revise: session
  - key: score
    title: Same fact
    rates: candidates
    from: {phase: read, sample: {size: 30, strata: model, allocation: equal}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: scorers, per_unit: 2}
  - key: settle
    rates: candidates
    from: {phase: score, let_in: [differs, flagged], controls: 4}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: {groups: scorers, together: yes}
    then: {shows: opinions, again: yes}
    settles: score
"""


def test_who_rates_what_is_said_first() -> None:
    assert paragraph_of(STUDY, "(read)").sentences[0] == (
        "All Residents rate items with assessable yes; 100 of them drawn at random, proportional over category, at "
        "most 1 per template and 1 per subject, none about a subject of earlier-study."
    )
    assert paragraph_of(STUDY, "Same fact").sentences[0] == (
        "Two of Scorers per unit rate candidates of Read; 30 of them drawn at random, equal over model."
    )
    assert paragraph_of(STUDY, "(settle)").sentences[0] == (
        "A meeting of Scorers rates candidates of Same fact, those on which the answers differ or that somebody "
        "flagged, with 4 more as unmarked controls."
    )


def test_what_stands_on_the_screen_is_said_and_what_never_does() -> None:
    shown = paragraph_of(STUDY, "(read)").sentences[1]

    assert shown.startswith("On the screen: the scans, the prompt and its options. Never shown: the reference, ")
    assert "the reference" not in paragraph_of(STUDY, "Same fact").sentences[1].partition("Never shown")[2]


def test_what_is_filled_in_is_said_with_its_options() -> None:
    assert "Filled in: Answer (as the item asks; may be undetermined) and Confidence (confidence from 1 to 5)." in (
        paragraph_of(STUDY, "(read)").sentences
    )


def test_when_a_phase_opens_is_said_although_nobody_wrote_it() -> None:
    assert "Opens at once." in paragraph_of(STUDY, "(read)").sentences
    assert "Opens when everybody is done with Same fact." in paragraph_of(STUDY, "(settle)").sentences


def test_what_comes_after_the_own_answer_is_said() -> None:
    sentences = paragraph_of(STUDY, "(settle)").sentences

    assert (
        "After the own answer is locked, what others answered can be seen, once the item is answered; then the "
        "question is asked again, and the second answer counts."
    ) in sentences
    assert "Its answers stand for the differing ones of Same fact; both are kept." in sentences


def test_whether_an_answer_can_be_revised_is_always_said() -> None:
    assert any("revise an answer within the session" in said for said in paragraph_of(STUDY, "(read)").sentences)
    assert any("An answer cannot be revised." in said for said in paragraph_of(STUDY, "Same fact").sentences)


def test_what_hangs_on_subjects_stands_at_the_end() -> None:
    last = explained(
        expanded(
            """
            phases:
              - key: practice
                rates: items
                from: {where: {practice: yes}}
                shows: [scans]
                form: {v: text}
                then: {shows: reference}
                counts: no
                pass_mark: 0.8
              - {key: read, rates: items, shows: [scans], form: {v: text}}
            """
        )
    )[-1]

    assert last.heading == "Checked at the freeze"
    assert "their subjects have to differ" in last.sentences[0]
