"""A line of a plan that names something twice, or that nothing can be in, is refused when a study is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from services.studies.folders.checking import checked_folder
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: planned
title: A plan and its tables
groups: {{one: One, two: Two}}
attributes:
  items: {{site: text, empty: text}}
  candidates: {{image: yes_no, hedge: number, dose: {{type: number, bins: [2]}}}}
phases:
  - {{key: read, title: Reads, rates: items, shows: [prompt], form: {{answer: yes_no, sure: yes_no}}}}
  - {{key: alone, title: Alone, rates: items, shows: [prompt], form: {{answer: yes_no}}, by: two}}
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {{found: yes_no, verdict: correctness}}
analysis: {{{plan}}}
"""
RIGHT = "estimate: accuracy, of: read.answer"


def refusal_of(tmp_path: Path, plan: str) -> str:
    (tmp_path / "protocol.yaml").write_text(PROTOCOL.format(plan=plan), encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}?", "ab"[n % 2]) for n in range(4)]
    write_table(tmp_path / "items.csv", "item,format,prompt,site,empty", [(*item, "") for item in items])
    write_table(tmp_path / "references.csv", "item,field,accepted", [(item[0], "answer", "yes") for item in items])
    texts = [
        (f"{item[0]}-{image}", item[0], "x", f"Said {image}", image, 1, 1 + 2 * (image == "yes"))
        for item in items
        for image in ("yes", "no")
    ]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer,image,hedge,dose", texts)
    try:
        checked_folder(tmp_path)
    except InputRefused as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("primary: {estimate: accuracy, of: [read.answer, read.answer]}", "'read.answer' is listed twice"),
        ("primary: {%s, as: [given, given]}", "primary.as: 'given' is listed twice"),
        ("primary: {%s, with: [models, models]}", "primary.with: 'models' is listed twice"),
        ("tables: [site, site]", "analysis.tables: 'site' is listed twice"),
        ("strata: [site, site]", "analysis.strata: 'site' is listed twice"),
        (
            "primary: {estimate: joint_rate, of: score.found, option: yes, over: image, by: image}",
            "over the values of image, and each part by image has one value; remove it from by",
        ),
        (
            "primary: {estimate: difference, of: read.answer}",
            "primary: A difference is between parts or groups, and none are named; add compare: group, or compare: A",
        ),
        ("primary: {%s, as: [given, step 1]}", "primary.as: 'read' has one step"),
        ("primary: {%s, by: empty}", "primary.by: No unit of 'read' has a value of empty, so that there are no parts"),
        ("primary: {%s, by: [site, image]}", "primary.by: No unit of 'read' has a value of image"),
        ("primary: {%s, where: {group: three}}", "primary.where: There is no group 'three', expected one and two"),
        (
            "primary: {estimate: accuracy, of: alone.answer, where: {group: one}}",
            "primary.where: Nobody of the group 'one' works in 'alone'",
        ),
        ("primary: {%s, as: [given, settled], by: group}", "primary.as: What is settled of a unit is one answer"),
        ("primary: {%s, as: settled, where: {group: one}}", "one answer, and of no group; remove settled"),
        (
            "criteria: [{key: it, estimate: difference, of: read.answer, compare: site, each_rater: yes, above: 0}]",
            "each_rater: A difference is of the answers of all raters together; remove each_rater",
        ),
        (
            "primary: {estimate: flag_precision, of: score.found, option: yes}",
            "primary.over: The flag is one yes_no attribute of what is rated, and none is named, expected image",
        ),
        (
            "primary: {estimate: flag_precision, of: score.found, option: yes, over: site}",
            "and 'site' is none, expected image; write over: ATTRIBUTE",
        ),
        (
            "primary: {estimate: auc, of: score.verdict}",
            "primary.over: An auc of scores is by a number of each candidate, and none is named, expected hedge, dose;",
        ),
        (
            "primary: {estimate: auc, of: score.verdict, over: [hedge, image]}",
            "primary.over: An auc of scores is by a number of each candidate, and 'image' is none, expected hedge",
        ),
        (
            "primary: {estimate: joint_rate, of: score.found, option: yes, over: site}",
            "primary.over: No item has units in 'score' of more than one site, so that none has an answer in every",
        ),
        (
            "primary: {estimate: joint_rate, of: score.found, option: yes, over: dose}",
            "primary.over: A condition of joint_rate is each number of dose, and none of its levels (bins); name an",
        ),
        ("primary: {%s, compare: years}", "'years' describes raters, and compared are units, or groups of raters"),
        (
            "primary: {estimate: accuracy, of: alone.answer, compare: group}",
            "Groups of raters are compared, and one works in 'alone'; remove compare",
        ),
    ],
)  # fmt: skip
def test_what_is_said_in_vain_is_refused_with_its_key(tmp_path: Path, plan: str, says: str) -> None:
    assert says in refusal_of(tmp_path, plan.replace("%s", RIGHT))


@pytest.mark.parametrize(
    "plan",
    [
        "primary: {%s, by: site, as: [given, settled]}",
        "primary: {%s, where: {group: [one, two]}, compare: group}",
        "primary: {estimate: joint_rate, of: score.found, option: yes, over: image, by: [site, model]}",
        "primary: {%s, by: [specialty, years], where: {years: [4, 5]}}",
        "primary: {estimate: flag_precision, of: score.found, option: yes, over: image, by: site}",
        "primary: {estimate: auc, of: score.verdict, over: hedge, by: model}",
    ],
)
def test_what_something_can_be_in_is_taken(tmp_path: Path, plan: str) -> None:
    assert refusal_of(tmp_path, plan.replace("%s", RIGHT)) == ""


def test_a_field_without_its_phase_is_told_how_it_is_named(tmp_path: Path) -> None:
    says = "primary.of: found 'answer', expected PHASE.FIELD, the keys of a phase and of a field of it, as read.answer"

    assert says in refusal_of(tmp_path, "primary: {estimate: accuracy, of: answer}")
