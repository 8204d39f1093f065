"""Nobody is told a thing and afterwards asked as if they had not been: which protocols are refused, and which not."""

from __future__ import annotations

import pytest

from protocol.language.law import breaches
from protocol.language.telling import WAYS, Asked
from protocol.language.things import in_words
from tests.protocol.language.study_text import expanded
from tests.protocol.language.told_by_screens import BY_SCREENS, FORM
from tests.protocol.language.told_by_selections import BY_SELECTIONS
from tests.protocol.language.told_in_pools import ALL, IN_POOLS, OF_TWO_POOLS, STRATA

TELLS_TOO_EARLY = BY_SCREENS | BY_SELECTIONS | IN_POOLS


def answers_to(text: str) -> set[tuple[str, str, str, str]]:
    return {(breach.telling, breach.blind, breach.thing, breach.answer) for breach in breaches(expanded(text))}


@pytest.mark.parametrize(("text", "breach"), TELLS_TOO_EARLY.values(), ids=TELLS_TOO_EARLY)
def test_what_would_be_told_too_early_is_refused(text: str, breach: tuple[str, str, str]) -> None:
    assert (*breach, "refused") in answers_to(text)


def test_each_way_of_the_table_is_attacked() -> None:
    attacked = {
        way.key
        for text, (telling, _, thing) in TELLS_TOO_EARLY.values()
        for asked in [Asked(expanded(text))]
        for phase in [asked.study.phase(telling)]
        for each in asked.told_by(telling)
        if in_words(each) == thing
        for way in [asked.way_of(phase, each)]
    }

    assert {way.key for way in WAYS} - attacked == set()


def test_phases_that_each_rest_on_the_answers_of_the_one_above_are_judged_once_each() -> None:
    """Each tells what the one above tells by two ways: gone through again for each way, forty would never end."""
    first = f"- {{key: p0, rates: items, shows: [scans], {FORM}, by: g0}}"
    others = (
        f"- {{key: p{n}, rates: items, from: {{phase: p{n - 1}, where: {{p{n - 1}.v: x}}}}, shows: [scans, opinions], "
        f"{FORM}, by: g{n % 2}}}"
        for n in range(1, 40)
    )
    text = "groups: {g0: A, g1: B}\nphases:\n" + "\n".join(f"  {line}" for line in (first, *others))

    asked = Asked(expanded(text.replace("v: text", "v: {type: choice, options: [x, y]}")))

    assert asked.known_to_people_of("p39") == {"scans", "opinions"}


SAFE = {
    "scoring after all own reads": f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}}}
        """,
    "scoring by others": f"""
        groups: {{readers: Readers, scorers: Scorers}}
        phases:
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}, by: scorers}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
    "subjects drawn apart": f"""
        phases:
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}}}
          - {{key: read, rates: items, from: {{sample: {{size: 5, not_in: score}}}}, shows: [scans], {FORM}}}
        """,
    "a phase that does not count": f"""
        phases:
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}}}
          - {{key: pilot, rates: items, shows: [scans], {FORM}, counts: no}}
        """,
    "a phase in between": f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: rate, rates: items, shows: [scans], {FORM}, opens: {{after: read}}}}
          - {{key: score, rates: candidates, shows: [reference], {FORM}, opens: {{after: rate}}}}
        """,
    "behind a phase of others that waits for everybody": f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: rate, rates: items, shows: [scans], {FORM}, by: others, opens: {{after: read, done_by: everyone}}}}
          - {{key: score, rates: candidates, shows: [reference], {FORM}, opens: {{after: rate, done_by: everyone}}}}
        """,
    "both show it": f"""
        phases:
          - {{key: one, rates: candidates, shows: [reference, candidate], {FORM}, opens: {{at_once: yes}}}}
          - {{key: two, rates: candidates, shows: [reference, candidate], {FORM}, opens: {{at_once: yes}}}}
        """,
    "a part of the reference, before the whole of it is shown": f"""
        phases:
          - {{key: sort, rates: items, shows: [prompt, reference.modality], {FORM}}}
          - {{key: check, rates: items, shows: [prompt, reference], {FORM}}}
        """,
    "what tells the reference where the reference is shown": f"""
        attributes: {{items: {{finding: {{type: text, tells: reference}}}}}}
        phases:
          - {{key: sort, rates: items, shows: [prompt, finding, reference], {FORM}}}
          - {{key: check, rates: items, shows: [prompt, reference], {FORM}}}
        """,
    "a selection of some values of what tells the reference, or a sample over them": f"""
        attributes: {{items: {{finding: {{type: text, tells: reference}}}}}}
        phases:
          - key: look
            rates: items
            from: {{where: {{finding: [tumour, stroke]}}, sample: {{size: 5, strata: finding}}}}
            shows: [prompt]
            {FORM}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
    "two selections of the same value": f"""
        attributes: {{items: {{finding: {{type: yes_no, tells: reference}}}}}}
        phases:
          - {{key: look, rates: items, from: {{where: {{finding: yes}}}}, shows: [prompt], {FORM}}}
          - {{key: read, rates: items, from: {{where: {{finding: true}}}}, shows: [scans], {FORM}}}
        """,
    "two comparisons of answers of which one is right": """
        attributes: {candidates: {right: {type: yes_no, tells: reference}}}
        phases:
          - {key: one, rates: pairs, pairs: {of: right}, shows: [prompt, candidate], form: {v: preference}}
          - {key: two, rates: pairs, pairs: {of: right}, shows: [candidate], form: {v: preference}}
        """,
    "answers of which one is right are compared last": f"""
        attributes: {{candidates: {{right: {{type: yes_no, tells: reference}}}}}}
        phases:
          - {{key: score, rates: candidates, shows: [prompt, candidate], {FORM}}}
          - {{key: compare, rates: pairs, pairs: {{of: right}}, shows: [candidate], form: {{v: preference}}}}
        """,
    "an attribute of an item that both show": f"""
        attributes: {{items: {{tier: text}}}}
        phases:
          - {{key: sort, rates: items, shows: [tier], {FORM}}}
          - {{key: score, rates: candidates, shows: [candidate, tier], {FORM}}}
        """,
    "an attribute of a candidate, before a phase without candidates": f"""
        attributes: {{candidates: {{condition: text}}}}
        phases:
          - {{key: score, rates: candidates, shows: [condition], {FORM}}}
          - {{key: read, rates: items, shows: [scans, candidate, reference], {FORM}}}
        """,
    "an attribute of an answer, where the other phase has those of another model": f"""
        attributes: {{candidates: {{condition: text}}}}
        phases:
          - {{key: one, rates: candidates, from: {{where: {{model: A}}}}, shows: [candidate, condition], {FORM}}}
          - {{key: two, rates: candidates, from: {{where: {{model: B}}}}, shows: [candidate], {FORM}}}
        """,
    "answers of some people, before a pool with those of others": f"""
        groups: {{readers: Readers, experts: Experts, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: expert, rates: items, shows: [scans], {FORM}, by: experts}}
          - {{key: one, rates: answers of expert, shows: [candidate], {FORM}, by: others}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
    "two pools of the same answers": f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
          - {{key: again, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
    "pairs that differ alike in both phases": """
        attributes: {candidates: {right: {type: yes_no, tells: reference}}}
        phases:
          - {key: one, rates: pairs, pairs: {of: right}, shows: [prompt, candidate], form: {v: preference}}
          - {key: two, rates: pairs, pairs: {of: right}, shows: [prompt, candidate], form: {v: preference}}
        """,
    "scans and prompt tell nothing": f"""
        phases:
          - {{key: one, rates: items, shows: [scans, prior, prompt, history, vignette, age], {FORM}}}
          - {{key: two, rates: items, shows: [prompt], {FORM}}}
        """,
}


@pytest.mark.parametrize("text", SAFE.values(), ids=SAFE)
def test_what_is_told_to_nobody_who_is_still_asked_is_no_breach(text: str) -> None:
    assert answers_to(text) == set()


# The phase `look` shows what `two` is blind to, and draws from `one`.
DRAWN_FROM_ANOTHER = f"""
    attributes: {{cases: {{site: text}}, items: {{tier: text, level: text}}, candidates: {{condition: text}}}}
    phases:
      - {{key: one, rates: RATED, from: {{where: {{FIRST}}}}, shows: [SHOWN], {FORM}}}
      - {{key: look, rates: LOOKED_AT, from: {{phase: one, where: {{LOOK}}}}, shows: [SHOWN, tier], {FORM}}}
      - {{key: two, rates: candidates, from: {{where: {{SECOND}}}}, shows: [candidate], {FORM}}}
    """


def breaches_of_drawn(
    first: str, second: str, look: str = "", rated: str = "candidates", looked_at: str = ""
) -> set[str]:
    text = DRAWN_FROM_ANOTHER.replace("FIRST", first).replace("SECOND", second).replace("{LOOK}", f"{{{look}}}")
    text = text.replace("LOOKED_AT", looked_at or rated).replace("RATED", rated)
    text = text.replace("SHOWN", "candidate" if rated == "candidates" and not looked_at else "prompt")
    return {answer for telling, _, thing, answer in answers_to(text) if (telling, thing) == ("look", "'tier'")}


@pytest.mark.parametrize("rated", ["items", "candidates"])
def test_a_phase_inherits_what_the_phase_that_it_draws_from_selects(rated: str) -> None:
    assert breaches_of_drawn("site: A", "site: B", rated=rated) == set()
    assert breaches_of_drawn("level: A", "level: B", rated=rated) == {"hangs on subjects"}


@pytest.mark.parametrize(
    ("first", "second", "look"),
    [
        ("site: A", "site: A", ""),
        ("site: [A, B]", "site: [B, C]", ""),
        ("site: A", "tier: A", ""),
        ("site: [A, B]", "site: B", "site: [B, C]"),
        ("practice: no", "practice: no", ""),
    ],
)
def test_what_a_source_selects_keeps_nothing_apart_that_both_may_have(first: str, second: str, look: str) -> None:
    assert breaches_of_drawn(first, second, look) == {"refused"}


@pytest.mark.parametrize("by", ["model", "condition"])
def test_answers_that_a_source_selects_keep_no_other_answers_to_their_items_apart(by: str) -> None:
    assert breaches_of_drawn(f"{by}: A", f"{by}: B", looked_at="items") == {"refused"}


def test_a_pool_is_of_the_items_that_were_read_and_of_no_others() -> None:
    text = f"""
        attributes: {{cases: {{site: text}}, items: {{tier: text}}}}
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, from: {{where: {{site: A}}}}, shows: [scans], {FORM}, by: readers}}
          - key: score
            rates: candidates
            from: {{where: {{site: SITE}}}}
            shows: [candidate, tier]
            {FORM}
            by: others
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """

    assert answers_to(text.replace("SITE", "B")) == set()
    assert ("score", "grade", "'tier'", "refused") in answers_to(text.replace("SITE", "A"))


def test_practice_with_feedback_hangs_on_its_subjects() -> None:
    assert answers_to(
        f"""
        phases:
          - key: practice
            rates: items
            from: {{where: {{practice: yes}}}}
            shows: [scans]
            {FORM}
            then: {{shows: reference}}
            counts: no
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """
    ) == {("practice", "read", "the reference", "hangs on subjects")}


def test_what_follows_from_other_phases_has_no_practice_either() -> None:
    assert answers_to(
        f"""
        attributes: {{cases: {{sex: text}}}}
        phases:
          - key: practice
            rates: items
            from: {{where: {{practice: yes}}}}
            shows: [scans, sex]
            {FORM}
            counts: no
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: again, rates: items, from: read, shows: [scans], {FORM}}}
        """
    ) == {("practice", "read", "'sex'", "hangs on subjects"), ("practice", "again", "'sex'", "hangs on subjects")}


def test_nobody_rating_a_unit_twice_keeps_items_apart_and_not_subjects() -> None:
    text = f"""
        phases:
          - {{key: score, rates: candidates, shows: [THING], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: {{not_in: score}}}}
        """

    assert answers_to(text.replace("THING", "judge")) == set()
    assert answers_to(text.replace("THING", "reference")) == {("score", "read", "the reference", "hangs on subjects")}


OF_TWO_MODELS = f"""
    attributes: {{cases: {{site: text}}, items: {{tier: text}}, candidates: {{condition: text}}}}
    phases:
      - {{key: one, rates: candidates, from: {{where: {{WHERE: A}}}}, shows: [candidate, THING], {FORM}}}
      - {{key: two, rates: candidates, from: {{where: {{WHERE: B}}}}, shows: [candidate], {FORM}}}
    """


@pytest.mark.parametrize(
    ("selects_by", "safe", "hangs"),
    [
        ("model", ["condition"], ["tier", "site", "reference"]),
        ("condition", ["condition"], ["tier", "site", "reference"]),
        # Turns of one conversation may be of two tiers.
        ("tier", ["condition"], ["tier", "site", "reference"]),
        ("conversation", ["condition", "tier"], ["site", "reference"]),
        ("site", ["condition", "tier"], ["site", "reference"]),
        ("subject", ["condition", "tier", "site", "reference"], []),
    ],
)
def test_what_keeps_less_apart_than_is_told_of_is_checked_at_the_freeze(
    selects_by: str, safe: list[str], hangs: list[str]
) -> None:
    text = OF_TWO_MODELS.replace("WHERE", selects_by)

    said = {thing: answers_to(text.replace("THING", thing)) for thing in (*safe, *hangs)}

    assert [thing for thing, breach in said.items() if not breach] == safe
    assert {answer for breach in said.values() for *_, answer in breach} <= {"hangs on subjects"}


def test_yes_and_true_select_the_same() -> None:
    text = f"""
        attributes: {{items: {{hard: yes_no}}}}
        phases:
          - {{key: score, rates: candidates, from: {{where: {{hard: yes}}}}, shows: [reference, candidate], {FORM}}}
          - {{key: read, rates: items, from: {{where: {{hard: true}}}}, shows: [scans], {FORM}}}
        """

    assert ("score", "read", "the reference", "refused") in answers_to(text)


def test_nobody_rating_an_answer_twice_may_still_rate_another_to_its_item() -> None:
    text = f"""
        attributes: {{items: {{tier: text}}}}
        phases:
          - {{key: one, rates: candidates, shows: [candidate, tier], {FORM}}}
          - {{key: two, rates: candidates, shows: [candidate], {FORM}, by: {{not_in: one}}}}
        """

    assert answers_to(text) == {("one", "two", "'tier'", "hangs on subjects")}


@pytest.mark.parametrize(
    ("case", "how"),
    [
        ("a reference before the blind read", "phase 'score' shows the reference to people"),
        (
            "a selection of one value of what tells the reference",
            "phase 'look' tells the reference, since all that it selects has one value of 'finding', to people",
        ),
        (
            "pairs of which both answers are right, or both wrong",
            "phase 'compare' tells of the reference, since the answers of each pair are alike in 'right', to people",
        ),
        (
            "pairs of which one answer is right",
            "phase 'compare' tells of the reference, since the answers of each pair differ in 'right', to people",
        ),
        (
            "models' answers by themselves, before a pool that has them",
            "phase 'score' rates answers of models, or of people, by themselves, and so tells whether people or models",
        ),
        (
            "units selected by what others answered",
            "phase 'look' tells what others answered, by the answers that it shows or selects by, to people",
        ),
    ],
)
def test_a_refusal_says_how_it_is_told(case: str, how: str) -> None:
    text, breach = TELLS_TOO_EARLY[case]

    assert any(str(said).startswith(how) for said in breaches(expanded(text)) if said.thing == breach[2])


@pytest.mark.parametrize(
    ("declared", "may_be"),
    [("text", True), ("{type: text, tells: reference}", False)],
    ids=["the site", "the reference"],
)
def test_what_tells_no_reference_may_be_shown_in_the_blind_phase_too(declared: str, may_be: bool) -> None:
    text = f"""
    attributes: {{cases: {{site: {declared}}}}}
    phases:
      - {{key: sort, rates: items, shows: [scans, site], form: {{v: text}}}}
      - {{key: read, rates: items, shows: [scans], form: {{v: text}}}}
    """
    (breach,) = breaches(expanded(text))

    assert ("show it in 'read', too, let 'sort' open after" in str(breach)) is may_be


def test_a_phase_that_an_admin_opens_is_told_to_wait_for_the_blind_one_instead() -> None:
    text = """
    phases:
      - {key: read, rates: items, shows: [scans], form: {v: text}}
      - {key: teach, rates: items, shows: [scans, reference], form: {v: text}, opens: {by_admin: yes}}
    """

    (breach,) = breaches(expanded(text))

    assert "let 'teach' open after 'read' (opens: {after: read} in place of by_admin), give it to" in str(breach)
    assert breaches(expanded(text.replace("by_admin: yes", "after: read"))) == []


def test_a_refusal_names_both_phases_the_thing_and_the_ways_out() -> None:
    text, _ = TELLS_TOO_EARLY["a reference before the blind read"]

    sentence = next(str(breach) for breach in breaches(expanded(text)) if breach.thing == "the reference")

    for part in ("'score'", "'read'", "the reference", "open after", "another group", "sample.not_in"):
        assert part in sentence


def test_a_decision_that_sees_the_reference_and_the_answers_may_as_well_not_count() -> None:
    score = "{key: score, rates: candidates, shows: [reference, candidate], form: {b: text}}"
    settle = "{key: settle, rates: items, from: {phase: read}, shows: [reference, opinions], form: {c: text}}"
    text = f"phases: [{{key: read, rates: items, shows: [], form: {{a: text}}}}, {score}, {settle}]"

    (sentence,) = (str(breach) for breach in breaches(expanded(text)) if breach.blind == "settle")

    assert sentence.endswith("If 'settle' need not enter an estimate, write counts: no there.")


def test_what_a_pool_would_tell_the_other_way_round_is_no_way_out_of_knowing_who_wrote() -> None:
    text, _ = TELLS_TOO_EARLY["models' answers by themselves, before a pool that has them"]

    (sentence,) = map(str, breaches(expanded(text)))

    assert "give it to another group, or draw one of the two apart" in sentence
    assert "open after" not in sentence


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ALL, ALL),
        (ALL, "where: {model: A}"),
        ("where: {model: A}, sample: {size: 20}", ALL),
        ("sample: {size: 20}", "sample: {size: 20}"),
        (f"{STRATA}, sizes: {{A: 20 %, B: 20 %, (none): 50 %}}}}", ALL),
        (f"{STRATA}, size: 30, allocation: proportional}}", ALL),
        (f"{STRATA}, sizes: {{A: 2, B: 2, (none): all}}}}", "phase: one"),
        ("sample: {at_most: {subject: 1}}", ALL),
        (f"{STRATA}, sizes: {{A: 0 %, B: 0 %, (none): all}}}}", f"{STRATA}, sizes: {{A: all, B: all, (none): 0 %}}}}"),
    ],
    ids=[
        "the same",
        "fewer models",
        "drawn by chance before all",
        "two draws",
        "a share of each",
        "some of each, in proportion",
        "the same, in two orders",
        "a limit of both",
        "people's, then models'",
    ],
)
def test_a_second_pool_tells_nothing_where_new_and_known_texts_can_be_of_both(first: str, second: str) -> None:
    assert answers_to(OF_TWO_POOLS.replace("FIRST", first).replace("SECOND", second)) == set()
