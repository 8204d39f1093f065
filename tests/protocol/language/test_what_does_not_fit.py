"""What in a listed study does not fit is named with its key."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.protocol.language.study_text import expanded, misfits_of, one_phase

READS = """
forms: {read: {answer: as_item, sure: {type: confidence, steps: 5}}}
phases:
  - {key: read, rates: items, shows: [scans, prompt], form: read}
"""


FITS_NOT = {
    "a thing that does not exist": (
        "phases: [{key: a, rates: items, shows: [scan], form: {v: text}}]",
        "phases.0.shows",
        "there is no thing to show 'scan' (nearest: 'scans')",
    ),
    "a form that nobody wrote": (
        "forms: {report: {v: text}}\nphases: [{key: a, rates: items, shows: [], form: reprot}]",
        "phases.0.form",
        "there is no form 'reprot' (nearest: 'report')",
    ),
    "two phases of one name": (
        one_phase("{v: text}, title: First}, {key: a, rates: items, shows: [], form: {v: text}"),
        "phases.1.key",
        "two phases are called 'a'",
    ),
    "two attributes of one name": (
        "attributes: {items: {site: text}, cases: {site: text}}\n" + one_phase("{v: text}"),
        "attributes.items.site",
        "'site' is declared of cases already",
    ),
    "an attribute with the name of the scans": (
        "attributes: {items: {scans: {type: text, tells: reference}}}\n" + one_phase("{v: text}"),
        "attributes.items.scans",
        "'scans' means the scans in shows; give the attribute another name",
    ),
    "an attribute with the name of what others answered": (
        "attributes: {candidates: {opinions: text}}\n" + one_phase("{v: text}"),
        "attributes.candidates.opinions",
        "'opinions' means what others answered in shows; give the attribute another name",
    ),
    "a heading of an attribute that the room has itself": (
        "attributes: {cases: {years: {type: number, label: age}}}\n" + one_phase("{v: text}"),
        "attributes.cases.years.label",
        "the label 'age' is the reading room's own for another line; choose another label",
    ),
    "a heading that another attribute has by its name": (
        "attributes: {items: {ai_opinion: text, o: {type: text, label: AI opinion}}}\n" + one_phase("{v: text}"),
        "attributes.items.o.label",
        "the label 'AI opinion' is also the heading of 'ai_opinion', expected a heading of its own",
    ),
    "a heading that shows nothing": (
        'attributes: {items: {o: {type: text, label: "\\u200b"}}}\n' + one_phase("{v: text}"),
        "attributes.items.o.label",
        "the label shows nothing, expected a heading",
    ),
    "a field that depends on one below": (
        one_phase("{one: {type: text, when: {two: x}}, two: text}"),
        "phases.0.form.one.when",
        "'two' is not a field above this one",
    ),
    "a value that the field above cannot take": (
        one_phase("{m: {type: choice, options: [MRI, CT]}, s: {type: text, when: {m: MR}}}"),
        "phases.0.form.s.when",
        "'MR' is not one of the options of 'm' (MRI, CT)",
    ),
    "options of a field by one below": (
        one_phase("{s: {type: choice, options_by: {d: {x: [p, q]}}}, d: {type: choice, options: [x, y]}}"),
        "phases.0.form.s.options_by",
        "'d' is not a field above this one",
    ),
    "a preference without pairs": (
        one_phase("{better: preference}", "candidates"),
        "phases.0.form.better",
        "rates has to be pairs",
    ),
    "correctness of an item": (
        one_phase("{v: correctness}"),
        "phases.0.form.v",
        "rate candidates or answers, or ask it as yes_no",
    ),
    "answers of nobody": (
        one_phase("{v: correctness}", "answers"),
        "phases.0.rates",
        "needs the phase that gave them",
    ),
    "a queue without a phase": (
        "phases: [{key: a, rates: items, from: {let_in: differs}, shows: [], form: {v: text}}]",
        "phases.0.from.let_in",
        "let_in depends on the answers of a phase",
    ),
    "sizes without strata": (
        "phases: [{key: a, rates: items, from: {sample: {sizes: {x: 3}}}, shows: [], form: {v: text}}]",
        "phases.0.from.sample.sizes",
        "name the attribute under strata",
    ),
    "a selection by what nothing has": (
        "phases: [{key: a, rates: items, from: {where: {teir: 1}}, shows: [], form: {v: text}}]",
        "phases.0.from.where",
        "there is no attribute 'teir'",
    ),
    "dates that give each other away": (
        "phases: [{key: a, rates: items, shows: [acquisition_dates, months_since_prior], form: {v: text}}]",
        "phases.0.shows",
        "show one of the two",
    ),
    "an estimate of a field that nobody fills in": (
        one_phase("{v: text}") + "\nanalysis: {primary: {estimate: accuracy, of: a.w}}",
        "analysis.primary.of",
        "there is no field of a phase 'a.w' (nearest: 'a.v')",
    ),
    "a list that nobody wrote": (
        one_phase("{v: {type: ordinal, options: lists/nothing}}"),
        "phases.0.form.v.options",
        "there is no list 'lists/nothing'",
    ),
    "a confidence without a scale": (
        one_phase("{v: text, c: confidence}"),
        "phases.0.form.c",
        "needs either steps (as 5) or range",
    ),
    "a subtype that the field does not have": (
        one_phase(
            "{d: {type: choice, options: [x, y]}, s: {type: choice, options: [p, q], options_by: {d: {x: [r]}}}}"
        ),
        "phases.0.form.s.options_by",
        "'r' is not one of the options of this field (p, q)",
    ),
    "a value that an attribute cannot have": (
        "attributes: {items: {tier: {type: ordinal, options: [1, 2]}}}\n"
        + one_phase("{v: text}", more=", from: {where: {tier: 3}}"),
        "phases.0.from.where",
        "there is no value of 'tier' '3'",
    ),
    "a stratum that an attribute does not have": (
        "attributes: {items: {flagged: yes_no}}\n"
        + one_phase("{v: text}", more=", from: {sample: {strata: flagged, sizes: {true: 1, maybe: 3}}}"),
        "phases.0.from.sample.sizes",
        "there is no value of 'flagged' 'maybe'",
    ),
    "a result that nobody fills in": (
        one_phase("{keep: yes_no}}, {key: b, rates: items, from: {where: {a.kept: yes}}, shows: [], form: {v: text}"),
        "phases.1.from.where",
        "there is no field of 'a' 'kept' (nearest: 'keep')",
    ),
    "a result that cannot be": (
        one_phase("{keep: yes_no}}, {key: b, rates: items, from: {where: {a.keep: 1}}, shows: [], form: {v: text}"),
        "phases.1.from.where",
        "there is no option of 'a.keep' '1'",
    ),
    "a queue by a field that nobody fills in": (
        one_phase(
            "{findings: text}}, {key: b, rates: items, from: {phase: a, let_in: [{answered: findngs}]}, shows: [],"
            " form: {v: text}"
        ),
        "phases.1.from.let_in",
        "there is no field of 'a' 'findngs' (nearest: 'findings')",
    ),
    "a pool of fields that nobody fills in": (
        one_phase(
            "{answer: text}}, {key: b, rates: [candidates, answers of a], takes: [anser], shows: [], form: {v: text}"
        ),
        "phases.1.takes",
        "there is no field of these answers 'anser' (nearest: 'answer')",
    ),
    "fields of a pool without people's answers": (
        one_phase("{v: text}", "candidates", ", takes: [answer]"),
        "phases.0.takes",
        "rates has to hold answers of a phase",
    ),
    "a guess where only models have written": (
        one_phase("{author: guess}", "candidates"),
        "phases.0.form.author",
        "rates has to be both",
    ),
    "an estimate of what none of the forms asks": (
        """
        forms: {turn: {answer: text}}
        phases: [{key: a, rates: items, shows: [], form: as_item}]
        analysis: {primary: {estimate: rate, of: a.anser}}
        """,
        "analysis.primary.of",
        "there is no field of a phase 'a.anser' (nearest: 'a.answer')",
    ),
    "a joint rate over nothing": (
        one_phase("{v: yes_no}", "candidates") + "\nanalysis: {primary: {estimate: joint_rate, of: a.v, option: yes}}",
        "analysis.primary",
        "needs option, and over",
    ),
    "a joint rate of no option": (
        one_phase("{v: {type: choice, options: [left, right]}}", "candidates")
        + "\nanalysis: {primary: {estimate: joint_rate, of: a.v, over: model}}",
        "analysis.primary.option",
        "joint_rate counts one option of 'a.v', and the line names none; name one (left, right)",
    ),
    "a joint rate of fields of two phases": (
        one_phase("{v: yes_no, w: yes_no}", "candidates")
        + "\nanalysis: {primary: {estimate: joint_rate, of: [a.v, b.w]}}",
        "analysis.primary.of",
        "name fields of one phase",
    ),
    "an accuracy by rater": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: accuracy, of: a.v, by: rater}}",
        "analysis.primary.by",
        "write estimate: difference and compare: an attribute",
    ),
    "an estimate of an option that nobody can choose": (
        one_phase("{v: yes_no}", "candidates") + "\nanalysis: {primary: {estimate: rate, of: a.v, option: maybe}}",
        "analysis.primary.option",
        "there is no option of 'a.v' 'maybe'",
    ),
    "a share of no option": (
        one_phase("{v: {type: choice, options: [left, right]}}") + "\nanalysis: {primary: {estimate: rate, of: a.v}}",
        "analysis.primary.option",
        "rate counts one option of 'a.v', and the line names none; name one (left, right)",
    ),
    "a plan by a result that cannot be": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: rate, of: a.v, where: {a.v: maybe}}}",
        "analysis.primary.where",
        "there is no option of 'a.v' 'maybe'",
    ),
    "an estimate that a type cannot have": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: distance, of: a.v}}",
        "analysis.primary.estimate",
        "distance can be of a field of the type point, and 'a.v' is yes_no",
    ),
    "a depth of what has no lines": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: accuracy, of: a.v, k: 3}}",
        "analysis.primary.k",
        "k is how many lines pass_at looks at, and this is accuracy",
    ),
    "a depth below the last line": (
        one_phase("{v: {type: ranked, at_most: 5}}") + "\nanalysis: {primary: {estimate: pass_at, of: a.v, k: 6}}",
        "analysis.primary.k",
        "k is 6, and 'a.v' takes at most 5 lines",
    ),
    "an option of what counts none": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: accuracy, of: a.v, option: yes}}",
        "analysis.primary.option",
        "an option is counted by rate, joint_rate and flag_precision",
    ),
    "a rate of no option": (
        one_phase("{v: {type: several, options: {x: X, y: Y}}}") + "\nanalysis: {also: [{estimate: rate, of: a.v}]}",
        "analysis.also.0.option",
        "rate counts one option of 'a.v', and the line names none; name one (x, y)",
    ),
    "abstaining in forms that the items name": (
        one_phase("as_item", more=", undetermined: yes") + "\nforms: {short: {v: yes_no}}",
        "phases.0.undetermined",
        "each item has a form of its own (form: as_item), whose fields are asked without it; remove the line",
    ),
    "parts by one attribute twice": (
        one_phase("{v: yes_no}") + "\nanalysis: {primary: {estimate: accuracy, of: a.v, by: [format, format]}}",
        "analysis.primary.by",
        "'format' is listed twice",
    ),
    "values compared in parts that have one each": (
        one_phase("{v: yes_no}")
        + "\nanalysis: {primary: {estimate: difference, of: a.v, compare: format, by: format}}",
        "analysis.primary",
        "format is compared, and each part by format has one value",
    ),
    "two lines alike": (
        one_phase("{v: yes_no}")
        + "\nanalysis: {primary: {estimate: accuracy, of: a.v}, also: [{estimate: accuracy, of: a.v}]}",
        "analysis.also.0",
        "it says the same as analysis.primary",
    ),
    "groups compared where one is left": (
        one_phase("{v: yes_no}")
        + "\ngroups: {x: {title: X}, y: {title: Y}}"
        + "\nanalysis: {primary: {estimate: accuracy, of: a.v, compare: group, where: {group: x}}}",
        "analysis.primary",
        "groups of raters are compared, and where leaves one of them",
    ),
    "an attribute that is called like the groups of raters": (
        one_phase("{v: yes_no}") + "\nattributes: {items: {group: text}}",
        "attributes.items.group",
        "'group' means the group of a rater in plans and tables",
    ),
    "bounds out of order": (
        one_phase("{v: yes_no}") + "\nattributes: {raters: {years: {type: number, bins: [10, 5]}}}",
        "attributes.raters.years.bins",
        "bins are bounds from the lowest to the highest",
    ),
    "bounds of words": (
        one_phase("{v: yes_no}") + "\nattributes: {items: {site: {type: text, bins: [5]}}}",
        "attributes.items.site.bins",
        "bins part numbers, and this attribute is text",
    ),
    "a bootstrap within what nothing has": (
        one_phase("{v: yes_no}") + "\nanalysis: {strata: clas}",
        "analysis.strata",
        "there is no attribute 'clas'",
    ),
    "a phase that settles what it does not take": (
        one_phase("{v: text}}, {key: b, rates: items, shows: [], form: {v: text}, settles: a"),
        "phases.1.settles",
        "has to take its units from there",
    ),
    "a phase that settles and does not count": (
        one_phase("{v: text}}, {key: b, rates: items, from: a, shows: [], form: {v: text}, counts: no, settles: a"),
        "phases.1.settles",
        "a phase that settles 'a' has to count; remove counts: no.",
    ),
}


@pytest.mark.parametrize(("text", "key", "says"), FITS_NOT.values(), ids=FITS_NOT)
def test_what_does_not_fit_is_named_with_its_key(text: str, key: str, says: str) -> None:
    misfits = misfits_of(text)

    assert set(misfits) == {key} or key in misfits
    assert says in misfits[key]


def test_a_phase_below_is_not_called_missing() -> None:
    below = "{key: first, rates: items, from: {phase: second}, shows: [prompt], form: {a: text}}"
    second = "{key: second, rates: items, shows: [prompt], form: {a: text}}"

    says = misfits_of(f"phases: [{below}, {second}]")

    assert says["phases.0.from.phase"] == ("the phase 'second' is not above this one; list it above, or name another.")


def test_everything_that_does_not_fit_is_named_at_once() -> None:
    misfits = misfits_of(
        """
        phases:
          - {key: a, rates: items, shows: [scan], form: nothing, by: nobody}
          - {key: b, rates: itms, shows: [], form: {v: text}}
        """
    )

    assert set(misfits) == {"phases.0.shows", "phases.0.form", "phases.0.by", "phases.1.rates"}


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="blind"):
        expanded("phases: [{key: a, rates: items, shows: [], form: {v: text}, blind: yes}]")


CRITERION = """
phases:
  - {{key: read, rates: items, shows: [prompt], form: {{a: yes_no, b: text, c: point}}}}
analysis: {{criteria: [{{key: it, {criterion}}}]}}
"""


@pytest.mark.parametrize(
    ("criterion", "key", "says"),
    [
        ("estimate: accuracy, of: read.a", "", "a criterion needs a bound"),
        ("estimate: accuracy, of: read.a, above: 0.9, below: 0.8", "", "no interval lies above 0.9 and below 0.8"),
        ("estimate: accuracy, of: [read.a, read.b], above: 0.9", ".of", "a criterion is about one field"),
        ("estimate: agreement, of: read.a, above: 0.9", "", "name one as statistic: percent_agreement, cohen_kappa"),
        ("estimate: agreement, of: read.a, statistic: kohen_kappa, above: 0", ".statistic", "nearest: 'cohen_kappa'"),
        (
            "estimate: agreement, of: read.c, above: 0.9",
            ".estimate",
            "agreement of a field of the type point cannot have a criterion",
        ),
        ("estimate: accuracy, of: read.z, above: 0.9", ".of", "there is no field of a phase 'read.z'"),
    ],
)
def test_a_criterion_that_nothing_could_meet_is_refused(criterion: str, key: str, says: str) -> None:
    noted = misfits_of(CRITERION.format(criterion=criterion))

    assert says in noted[f"analysis.criteria.it{key}"]


def test_clusters_and_groups_of_a_plan_have_to_be_there() -> None:
    plan = "\nanalysis: {cluster: sit, primary: {estimate: accuracy, of: a.one, compare: group}}"

    noted = misfits_of(one_phase("{one: yes_no}") + plan)

    assert "there is no attribute of the units 'sit'" in noted["analysis.cluster"]
    assert "the study has one" in noted["analysis.primary"]


def test_a_name_of_any_length_and_signs_is_quoted_in_short() -> None:
    long, odd = (misfits_of(READS.replace("prompt]", f'"{name}"]')) for name in ("a" * 5_000, "b\\tc"))

    assert long["phases.0.shows"].startswith(f"there is no thing to show '{'a' * 57}...', expected scans")
    assert odd["phases.0.shows"].startswith("there is no thing to show 'b?c', expected scans")


def test_an_age_of_raters_leaves_the_age_of_patients_its_word() -> None:
    declared = "attributes: {raters: {age: number}}\n"

    assert not misfits_of(declared + one_phase("{v: text}").replace("shows: []", "shows: [age]"))


def test_who_marks_something_else_than_answers_is_referred_to_other_types() -> None:
    noted = misfits_of(one_phase("{right: correctness}", rates="references"))

    assert noted["phases.0.form.right"] == (
        "correctness is about an answer; rate candidates or answers, or ask it as yes_no or as a choice."
    )
