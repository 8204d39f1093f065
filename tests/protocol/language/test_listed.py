"""From the expansion of a study to the phases that the program goes by, and what it says that it cannot run yet."""

from __future__ import annotations

import pytest

from protocol.language.listed import phases_of_listed
from protocol.language.not_run_yet import not_run_yet
from protocol.visibility import Progress, may_see
from tests.protocol.language.study_text import expanded, one_phase

PRACTISED = "from: {where: {practice: yes}}"
EVERYTHING = Progress(*(True,) * 5)
TWO_PHASES = """
phases:
  - {key: read, rates: items, shows: [scans, prompt, options], form: {answer: as_item}, revise: session}
  - key: score
    title: Scores
    question: Right?
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
"""


READ_THEN_RESOLVE = """
groups: {readers: Readers, curators: Curators}
phases:
  - {key: read, rates: items, shows: [prompt], form: {answer: text, findings: {type: text, required: no}}, by: readers}
  - key: resolve
    rates: items
    from: {phase: read, let_in: [{answered: findings}]}
    shows: [prompt, opinions]
    form: {what: resolution}
    by: curators
"""


POOLS = """
attributes: {candidates: {tuned: yes_no}}
groups: {readers: Readers, graders: Graders}
phases:
  - {key: consult, rates: items, shows: [prompt], form: {answer: text, again: text, tuned: text}, by: readers}
  - key: grade
    rates: [candidates, answers of consult]
    shows: [prompt, candidate]
    takes: [answer]
    form: {right: yes_no, author: guess}
    by: graders
  - key: more
    rates: answers of consult
    shows: [prompt, candidate]
    form: {right: yes_no}
    by: graders
"""


@pytest.mark.parametrize(
    ("form", "labels"),
    [
        ("{what: {type: resolution, label: What becomes of it}}", ["New text"]),
        (
            "{text: {type: resolution, label: The text}, key: {type: resolution, label: The answer}}",
            ["New text: The text", "New text: The answer"],
        ),
    ],
)
def test_the_text_of_a_resolution_is_labelled_as_such(form: str, labels: list[str]) -> None:
    study = READ_THEN_RESOLVE.replace("{what: resolution}", form)

    rules = phases_of_listed(expanded(study)).rules["resolve"]

    assert [field.label for field in rules.fields or () if field.type == "text"] == labels


def test_a_phase_waits_for_those_above_and_is_called_by_its_place_alone() -> None:
    phases = phases_of_listed(expanded(TWO_PHASES))
    read, score = phases.phases

    assert (read.queue.key, score.queue.key) == ("part-1", "part-2")
    assert (read.screen, score.screen) == ("reading", "scoring")
    assert phases.before(score.queue) == (read,)
    assert phases.after(read.queue) == (score.queue,)
    assert phases.revisable == (read,)


def test_a_reference_is_seen_where_the_phase_shows_it_and_nothing_blind_is_open() -> None:
    read, score = phases_of_listed(expanded(TWO_PHASES)).phases

    assert may_see("rater", score, "reference", EVERYTHING)
    assert not may_see("rater", score, "reference", Progress(on_the_desk=True, released=True))
    assert not may_see("rater", read, "reference", Progress(on_the_desk=True, reads_done=True))
    assert not any(may_see("rater", score, thing, EVERYTHING) for thing in ("model", "origin", "strata", "people"))


def test_opinions_are_seen_where_the_phase_shows_them_and_nothing_blind_is_open() -> None:
    read, resolve = phases_of_listed(expanded(READ_THEN_RESOLVE)).phases

    assert may_see("rater", resolve, "opinions", EVERYTHING)
    assert not may_see("rater", resolve, "opinions", Progress(on_the_desk=True, released=True))
    assert not may_see("rater", read, "opinions", Progress(on_the_desk=True, reads_done=True))


def test_only_what_a_phase_shows_hangs() -> None:
    phases = phases_of_listed(expanded(one_phase("{answer: yes_no}")))
    rules = phases.rules_of(phases.phases[0])

    assert not rules.hanging.prior_beside_current
    assert not rules.hanging.overlays
    assert (rules.context.vignette, rules.context.age, rules.context.dates) == (False, False, "hidden")


@pytest.mark.parametrize(
    ("says", "meaning"),
    [
        ("definition: Fluid alone, example: a colloid cyst", "Fluid alone. For example: a colloid cyst"),
        ("definition: 'Fluid alone?', example: a colloid cyst", "Fluid alone? For example: a colloid cyst"),
        ("definition: Fluid alone", "Fluid alone"),
        ("example: a colloid cyst", "For example: a colloid cyst"),
    ],
)
def test_a_definition_ends_before_its_example_begins(says: str, meaning: str) -> None:
    phases = phases_of_listed(
        expanded(one_phase(f"{{kind: {{type: choice, options: {{a: {{text: A, {says}}}, b: B}}}}}}"))
    )

    (field,) = phases.rules_of(phases.phases[0]).fields_of("")

    assert field.meanings == {"a": meaning}


def test_fields_are_drawn_as_the_types_that_the_room_has() -> None:
    form = """{
      verdict: {type: yes_no}, sure: {type: confidence, steps: 3}, chance: {type: confidence, range: [0, 1]},
      why: {type: choice, options: {a: {text: First, definition: The one., example: x}, b: B}, when: {verdict: no}}}
    """
    phases = phases_of_listed(expanded(one_phase(form)))
    verdict, sure, chance, why = phases.rules_of(phases.phases[0]).fields_of("")

    assert [field.type for field in (verdict, sure, chance, why)] == ["yes_no", "ordinal", "number", "choice"]
    assert [option.id for option in sure.options] == ["1", "2", "3"]
    assert (chance.minimum, chance.maximum) == (0.0, 1.0)
    assert why.help is None
    assert why.meanings == {"a": "The one. For example: x"}
    assert why.depends_on is not None and why.depends_on.values == ["no"]


def test_what_a_phase_says_of_a_field_is_what_the_room_is_asked_for() -> None:
    form = """{
      site: {type: choice, options: [a, b]},
      part: {type: several, options: [x, y, z], at_most: 2, options_by: {site: {a: [x, y]}}},
      list: {type: ranked, at_most: 5}}
    """
    text = one_phase(form, more=", undetermined: [part]")
    phases = phases_of_listed(expanded(text))
    site, part, ranked = phases.rules_of(phases.phases[0]).fields_of("")

    assert [field.at_most for field in (site, part, ranked)] == [None, 2, 5]
    assert [field.undetermined for field in (site, part, ranked)] == [False, True, False]
    assert part.options_by is not None
    assert (part.options_by.field, part.options_by.offered) == ("site", {"a": ["x", "y"]})
    assert list(not_run_yet(expanded(text))) == []


def test_what_can_be_run_is_not_complained_of() -> None:
    assert list(not_run_yet(expanded(TWO_PHASES))) == []


@pytest.mark.parametrize(
    ("changed", "to", "key", "says"),
    [
        ("phases:", "groups: {a: {title: A, may_also_be: b}, b: B}\nphases:", "groups.a.may_also_be", "one group"),
        (
            "shows: [scans, prompt, options]",
            "shows: [scans, prompt, options, reference]",
            "phases.read.revise",
            "only blind verdicts",
        ),
        ("question: Right?", "revise: until_closed", "phases.score.revise", "only blind verdicts"),
        ("shows: [scans, prompt, options]", "shows: [prior, prompt, options]", "phases.read.shows", "prior scans"),
        ("shows: [scans, prompt, options]", "shows: [scans, prompt, options, judge]", "phases.read.shows", "'judge'"),
        ("shows: [prompt, reference, candidate]", "shows: [prompt, reference]", "phases.score.shows", "candidate"),
        ("shows: [scans, prompt, options]", "shows: [prompt, candidate]", "phases.read.shows", "remove candidate"),
        (
            "rates: candidates\n    shows: [prompt, reference, candidate]",
            "rates: pairs\n    shows: [prompt, reference]",
            "phases.score.shows",
            "the pairs that are rated are not shown; add candidate",
        ),
        (
            "{answer: as_item}",
            "{answer: as_item, what: resolution, what_text: text}",
            "phases.read.form",
            "the new text of 'what'",
        ),
        ("revise: session", "by: {together: yes}", "phases.read.by.together", "one answer together"),
        ("revise: session", "by: {design: crossover, per_unit: 1}", "phases.read.by.design", "crossover"),
        ("revise: session", "by: {design: balanced}", "phases.read.by.design", "per_unit"),
        ("revise: session", "then: {shows: [vignette]}, revise: session", "phases.read.revise", "cannot be revised"),
        ("revise: session", "then: {shows: [prompt]}", "phases.read.then.shows", "before the answer already"),
        ("revise: session", "then: {shows: [judge]}", "phases.read.shows", "'judge'"),
        ("revise: session", "then: {shows: [candidate]}", "phases.read.shows", "remove candidate"),
        (
            "shows: [scans, prompt, options], form: {answer: as_item}, revise: session",
            "shows: [prompt], form: {answer: as_item}, then: {shows: [overlays]}",
            "phases.read.then.shows",
            "beside scans only",
        ),
        ("question: Right?", "opens: {after: read, done_by: each_unit}", "phases.score.opens", "opens at once"),
        ("revise: session", "from: {where: {practice: [yes, no]}}", "phases.read.from", "practice items"),
        ("revise: session", "pass_mark: 0.5", "phases.read.pass_mark", "only practice has a pass mark"),
        ("revise: session", f"{PRACTISED}", "phases.read.counts", "counts: no"),
        ("revise: session", f"{PRACTISED}, by: {{per_unit: 1}}", "phases.read.by", "everybody"),
        ("revise: session", f"{PRACTISED}, then: {{shows: [vignette]}}", "phases.read.then.shows", "name only these"),
        (
            "revise: session",
            f"{PRACTISED}, then: {{shows: reference, again: yes}}",
            "phases.read.then.again",
            "attempts",
        ),
        ("question: Right?", f"{PRACTISED}\n    pass_mark: 1", "phases.score.pass_mark", "only items have a reference"),
        (
            "{answer: as_item}, revise: session",
            f"{{sure: {{type: confidence, steps: 3}}}}, {PRACTISED}, pass_mark: 1",
            "phases.read.pass_mark",
            "no reference to be right by",
        ),
        (
            "question: Right?",
            "from: {phase: read, let_in: [flagged]}\n    opens: {after: read, done_by: self}",
            "phases.score.opens",
            "once everyone is done",
        ),
    ],
)
def test_what_cannot_be_run_yet_is_named_with_its_key(changed: str, to: str, key: str, says: str) -> None:
    text = TWO_PHASES.replace(changed, to).replace("verdict: correctness", "verdict: yes_no")

    noted = dict(not_run_yet(expanded(text)))

    assert key in noted
    assert says in noted[key]


def test_a_phase_that_follows_from_another_than_it_opens_after_is_told_what_to_add_and_nothing_else() -> None:
    # Nobody wrote done_by, whose default only follows from what is missing.
    more = """
  - {key: again, rates: items, shows: [prompt], form: {n: text}, by: curators}
  - {key: deep, rates: items, from: {phase: read, let_in: flagged}, shows: [prompt], form: {n: text}, by: curators,
     opens: {after: again}}
"""
    text = READ_THEN_RESOLVE.rstrip() + more

    assert [says for key, says in not_run_yet(expanded(text)) if key == "phases.deep.opens"] == [
        "the units follow from the answers of 'read'; let it open after that, too."
    ]


@pytest.mark.parametrize(
    ("changed", "to", "key", "says"),
    [
        ("by: curators", "by: readers", "phases.resolve.by", "decide about their own answers in 'read'"),
        ("by: readers}", "by: readers, then: {shows: reference}}", "phases.resolve.from", "'read' has a second step"),
        ("from: {phase: read, let_in: [{answered: findings}]}", "", "phases.resolve.shows", "name it as from"),
        ("rates: items, shows: [prompt]", "rates: candidates, shows: [candidate]", "phases.resolve.from",
         "select by answers about the same units"),
    ],
)  # fmt: skip
def test_what_cannot_follow_from_answers_is_named_with_its_key(changed: str, to: str, key: str, says: str) -> None:
    noted = dict(not_run_yet(expanded(READ_THEN_RESOLVE.replace(changed, to))))

    assert key in noted
    assert says in noted[key]


@pytest.mark.parametrize(
    ("changed", "to", "key", "says"),
    [
        ("takes: [answer]", "order: as_listed", "phases.grade.order", "a pool is shuffled"),
        ("shows: [prompt, candidate]", "shows: [candidate, tuned]", "phases.grade.shows", "would tell who wrote one"),
        ("takes: [answer]", "takes: [tuned]", "phases.grade.takes", "a column of candidates.csv"),
        ("tuned: yes_no}", "tuned: yes_no, author: text}", "phases.grade.rates", "the exported candidates.csv"),
        ("takes: [answer]", "revise: session", "phases.grade.revise", "only blind verdicts"),
        ("takes: [answer]", f"{PRACTISED}", "phases.grade.from", "remove practice"),
        ("by: readers", f"by: readers, counts: no, {PRACTISED}", "phases.grade.rates", "'consult' is practice"),
        ("by: readers", "by: readers, then: {shows: reference}", "phases.grade.from", "has a second step"),
        ("rates: items, shows: [prompt]", "rates: references, shows: [reference]", "phases.grade.rates",
         "'consult' rates references"),
        ("shows: [prompt, candidate]", "shows: [prompt]", "phases.grade.shows", "add candidate"),
        ("right: yes_no}", "right: yes_no}\n    takes: [again]", "phases.more.takes", "'grade' lays the same answers"),
    ],
)  # fmt: skip
def test_a_pool_that_would_say_who_wrote_an_answer_is_refused(changed: str, to: str, key: str, says: str) -> None:
    noted = dict(not_run_yet(expanded(POOLS.replace(changed, to, 1))))

    assert says in noted.get(key, ""), noted


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("{film: yes}", "{film: no}", False),
        ("{film: no, site: a}", "{film: no, site: [b, c]}", False),
        ("{film: yes}", "{site: a}", True),
        ("{site: [a, b]}", "{site: [b, c]}", True),
        # Models' answers are told apart by these, and items are not.
        ("{model: a}", "{model: b}", True),
        ("{tuned: yes}", "{tuned: no}", True),
    ],
)  # fmt: skip
def test_two_pools_may_hold_models_answers_only_where_no_item_can_be_in_both(
    first: str, second: str, refused: bool
) -> None:
    text = POOLS.replace(
        "candidates: {tuned: yes_no}}", "candidates: {tuned: yes_no}, items: {film: yes_no, site: text}}"
    )
    text = text.replace("rates: [candidates,", f"from: {{where: {first}}}\n    rates: [candidates,")
    text += f"""
  - {{key: other, rates: items, shows: [prompt], form: {{said: text}}, by: readers}}
  - key: last
    rates: [candidates, answers of other]
    from: {{where: {second}}}
    shows: [prompt, candidate]
    form: {{right: yes_no}}
    by: graders
"""

    noted = dict(not_run_yet(expanded(text)))

    assert ("select other items in each (from.where)" in noted.get("phases.last.takes", "")) == refused, noted
    assert refused or not noted


def test_pools_of_people_and_models_are_run_and_their_units_are_candidates() -> None:
    study = expanded(POOLS)

    assert dict(not_run_yet(study)) == {}
    consult, grade, more = phases_of_listed(study).phases
    assert (consult.is_followed, grade.follows, more.follows) == (True, ("consult",), ("consult",))
    assert (grade.kind, more.kind, grade.queue.unit) == ("candidates", "candidates", "answer")


def test_units_that_follow_from_answers_wait_for_whatever_their_phase_rests_on() -> None:
    more = """
  - {key: again, rates: items, from: resolve, shows: [prompt], form: {answer: text}, by: readers, counts: no}
"""
    read, resolve, again = phases_of_listed(expanded(READ_THEN_RESOLVE + more)).phases

    assert [phase.follows for phase in (read, resolve, again)] == [(), ("read",), ("read",)]
    assert [phase.is_followed for phase in (read, resolve, again)] == [True, False, False]


def test_a_resolution_asks_for_the_new_text_where_there_is_any() -> None:
    phases = phases_of_listed(expanded(READ_THEN_RESOLVE))
    what, text = phases.rules_of(phases.named("resolve")).fields_of("")

    assert [option.id for option in what.options] == ["keep", "reword", "remove", "fix"]
    assert (text.key, text.type) == ("what_text", "text")
    assert text.depends_on is not None and text.depends_on.values == ["reword", "fix"]


def test_a_field_that_judges_fill_in_is_of_one_form_since_forms_of_items_are_refused_where_answers_are_rated() -> None:
    study = expanded(
        "forms: {short: {v: yes_no}, long: {v: {type: choice, options: [yes, no]}}}\n"
        "phases: [{key: a, rates: candidates, shows: [prompt, candidate], form: as_item}]"
    )

    assert ("phases.a.form", "form: as_item is the form of an item; name the fields.") in list(not_run_yet(study))


# The last part waits for the middle one alone.
IN_A_ROW = """
phases:
  - {key: try, rates: items, from: {where: {practice: yes}}, shows: [prompt], form: {answer: text}, counts: no}
  - {key: read, rates: items, shows: [prompt], form: {answer: text}, opens: {after: try}}
  - {key: look, rates: items, shows: [prompt], form: {answer: text}, opens: {after: read}}
"""


def test_a_failed_practice_also_closes_what_comes_after_a_part_in_which_somebody_has_nothing() -> None:
    phases = phases_of_listed(expanded(IN_A_ROW))
    practice, read, look = phases.phases

    assert phases.all_before(look.queue, phases) == {"try", "read"}
    assert phases.closed_without(practice, frozenset({"try", "read", "look"}), phases) == (read.queue, look.queue)
    assert phases.closed_without(practice, frozenset({"try", "look"}), phases) == (look.queue,)
