"""References per field on the screen: practice says of each field whether it is right, a phase shows one part alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Database, Item, queries
from exchange.refusal import InputRefused
from protocol.references import FieldReference, ItemReferences
from services.errors import Conflict
from services.reading import instructions, previewing, worklist
from services.reading.references_in_words import parts_of_reference
from services.studies import frozen_facts
from services.studies.folders import importing
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, opened_listed, write_listed
from tests.room_study import rewrite, rows_of, with_practice
from tests.situations import Situation, answers, on_the_desk, owner_of, show, submit

TRAINED = """
blindread: 2
name: listed
title: Practised, then read
phases:
  - key: training
    title: Try it
    rates: items
    from: {where: {practice: yes}}
    shows: [scans, prompt]
    form: &report
      diagnosis: {type: choice, options: {tumor: Tumour, stroke: Stroke, normal: Normal}}
      modality: {type: choice, label: Kind of scan, options: [MRI, CT]}
      sequence: {type: choice, options: [T1, T2], when: {modality: MRI}}
      size: {type: number, unit: mm, required: no}
      why: {type: text, required: no}
    then: {shows: [reference, explanation]}
    undetermined: yes
    counts: no
    pass_mark: 0.5
  - {key: read, title: Reads, rates: items, shows: [scans, prompt], form: *report}
"""
LINES = "\n".join(
    f"p{n},diagnosis,tumor|stroke,,,\np{n},modality,MRI,,,\np{n},sequence,T1,,,\np{n},size,,10,20,\n"
    f"p{n},why,A long text.,,,people"
    for n in range(1, 5)
)


def with_references(folder: Path) -> None:
    (folder / "candidates.csv").unlink()
    text = f"item,field,accepted,low,high,compare\n{LINES}\n"
    (folder / "references.csv").write_text(text, encoding="utf-8")


def trained(database: Database, folder: Path, protocol: str = TRAINED) -> Situation:
    situation = opened_listed(database, folder, protocol, raters=1, changes=[with_practice, with_references])
    instructions.acknowledge_instructions(database, situation.raters[0], situation.study_key, "part-1")
    return situation


def feedback_on(situation: Situation, **fields: Any) -> Any:
    """Return what is said to these answers to an item for practice."""
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater, "part-1")
    show(situation, rater, payload)
    return submit(situation, rater, payload, answers(**fields)).feedback


def test_practice_says_of_each_field_whether_it_is_right(database: Database, tmp_path: Path) -> None:
    situation = trained(database, tmp_path / "study")

    feedback = feedback_on(situation, diagnosis="stroke", modality="MRI", sequence="T2", size=30, why="So.")

    assert (feedback["correct"], feedback["fields"]) == (True, {"right": 2, "judged": 4})
    assert feedback["lines"][:5] == [
        ["Diagnosis", "Correct: Tumour or Stroke"],
        ["Kind of scan", "Correct: MRI"],
        ["Sequence", "Incorrect; correct is T1"],
        ["Size", "Incorrect; correct is 10 to 20 mm"],
        ["Why", "A long text."],
    ]
    assert feedback["lines"][5] == ["Counts", "Diagnosis"]


def test_an_abstention_is_incorrect_and_of_an_unasked_field_nothing_is_said(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    feedback = feedback_on(situation, diagnosis={"abstention": "undetermined"}, modality="CT")

    assert feedback["correct"] is False
    assert feedback["lines"][:3] == [
        ["Diagnosis", "Incorrect; correct is Tumour or Stroke"],
        ["Kind of scan", "Incorrect; correct is MRI"],
        ["Sequence", "T1"],
    ]


def test_no_option_chosen_is_not_right_in_practice_as_in_the_report(sqlite_database: Database, tmp_path: Path) -> None:
    of_parts = TRAINED.replace("size: {type: number, unit: mm,", "size: {type: several, options: [big, small],")
    of_references = "\n".join(f"p{n},diagnosis,tumor\np{n},size,big|small" for n in range(1, 5))

    def with_sets(folder: Path) -> None:
        (folder / "references.csv").write_text(f"item,field,accepted\n{of_references}\n", encoding="utf-8")

    situation = opened_listed(
        sqlite_database, tmp_path / "study", of_parts, raters=1, changes=[with_practice, with_references, with_sets]
    )
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "part-1")

    feedback = feedback_on(situation, diagnosis="tumor", modality="CT")

    assert ["Size", "Incorrect; correct is big and small"] in feedback["lines"]


def test_practice_is_passed_by_the_primary_field_alone(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    for _ in range(4):
        feedback_on(situation, diagnosis="tumor", modality="CT")

    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, situation.raters[0])] == [False, False]


def test_only_the_fields_that_then_names_are_told(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = TRAINED.replace("then: {shows: [reference, explanation]}", "then: {shows: [reference.modality]}")
    situation = trained(sqlite_database, tmp_path / "study", protocol)

    feedback = feedback_on(situation, diagnosis="tumor", modality="MRI", sequence="T1")

    lines = [["Kind of scan", "Correct: MRI"]]
    assert feedback == {"correct": None, "fields": {"right": 1, "judged": 1}, "lines": lines}


def test_an_admin_previews_the_reference_of_every_field(sqlite_database: Database, tmp_path: Path) -> None:
    situation = trained(sqlite_database, tmp_path / "study")

    lines = previewing.preview_feedback(sqlite_database, situation.admin, situation.study_key, "p1")

    assert lines[:2] == [["Diagnosis", "Tumour or Stroke"], ["Kind of scan", "MRI"]]


@pytest.mark.parametrize("groups", ["", "groups: {readers: Readers, scorers: Scorers}"], ids=["alike", "apart"])
@pytest.mark.parametrize(
    ("shows", "further", "shown"),
    [
        ("reference", "", ["Tumour"]),
        ("reference", "i2,why,A mass.\n", ["Diagnosis: Tumour\nWhy: A mass."]),
        ("reference.diagnosis", "", ["Diagnosis: Tumour"]),
    ],
)
def test_scorers_are_shown_a_reference_without_a_field_in_the_words_of_the_form(
    sqlite_database: Database, tmp_path: Path, groups: str, shows: str, further: str, shown: list[str]
) -> None:
    def of_open_items(folder: Path) -> None:
        rows = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [{**row, "options": "", "format": "open", "form": ""} for row in rows])
        (folder / "references.csv").write_text(f"item,field,accepted\ni2,,tumor\n{further}", encoding="utf-8")

    by = ("\n    by: readers", "\n    by: scorers") if groups else ("", "")
    protocol = f"""
blindread: 2
name: listed
title: Read, then scored
{groups}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form: {{diagnosis: {{type: choice, options: {{tumor: Tumour, stroke: Stroke}}}}, why: {{type: text}}}}{by[0]}
  - key: score
    rates: candidates
    shows: [prompt, {shows}, candidate]
    form: {{verdict: correctness}}{by[1]}
"""
    situation = imported_listed(
        sqlite_database, write_listed(tmp_path / "study", protocol, [of_open_items]), groups=["readers"] * bool(groups)
    )

    previewed = dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2", "score"))

    assert previewed["reference"] == shown


@pytest.mark.parametrize(
    ("form", "shown"),
    [("{volume: text}", ["About 200 ml"]), ("{volume: text, side: text}", ["Volume: About 200 ml"])],
)
def test_reference_of_the_only_field_is_shown_without_its_label_like_an_answer(
    sqlite_database: Database, tmp_path: Path, form: str, shown: list[str]
) -> None:
    def of_open_items(folder: Path) -> None:
        rows = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [{**row, "options": "", "format": "open", "form": ""} for row in rows])
        (folder / "references.csv").write_text("item,field,accepted\ni2,volume,About 200 ml\n", encoding="utf-8")

    protocol = f"""
blindread: 2
name: listed
title: Read, then scored
phases:
  - {{key: read, rates: items, shows: [prompt], form: {form}}}
  - {{key: score, rates: candidates, shows: [prompt, reference, candidate], form: {{verdict: correctness}}}}
"""
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", protocol, [of_open_items]))

    previewed = dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2", "score"))

    assert previewed["reference"] == shown


@pytest.mark.parametrize(
    ("lines", "shows", "shown"),
    [
        ("i2,,gbm|cyst", "reference", ["Glioblastoma", "cyst"]),
        ("i2,diagnosis,gbm|cyst", "reference", ["Glioblastoma", "cyst"]),
        ("i2,,met", "reference.diagnosis", ["Diagnosis: met"]),
        ("i2,,grade 4", "reference", ["grade 4"]),
    ],
    ids=["no field", "the only field", "a text that is the id", "another synonym"],
)
def test_a_reference_by_the_id_of_words_that_mean_the_same_is_shown_as_their_text(
    sqlite_database: Database, tmp_path: Path, lines: str, shows: str, shown: list[str]
) -> None:
    def of_open_items(folder: Path) -> None:
        rows = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [{**row, "options": "", "format": "open", "form": ""} for row in rows])
        (folder / "references.csv").write_text(f"item,field,accepted\n{lines}\n", encoding="utf-8")

    protocol = f"""
blindread: 2
name: listed
title: Read, then scored
groups: {{readers: Readers, scorers: Scorers}}
phases:
  - key: read
    rates: items
    shows: [prompt]
    form:
      diagnosis:
        type: text
        synonyms:
          gbm: {{text: Glioblastoma, synonyms: [grade 4]}}
          met: {{text: met, synonyms: [metastasis]}}
    by: readers
  - {{key: score, rates: candidates, shows: [prompt, {shows}, candidate], form: {{v: correctness}}, by: scorers}}
"""
    situation = imported_listed(
        sqlite_database, write_listed(tmp_path / "study", protocol, [of_open_items]), groups=["readers"]
    )

    previewed = dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2", "score"))

    assert previewed["reference"] == shown


def test_what_a_form_beside_the_reference_offers_is_not_what_the_reference_says(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def of_open_items(folder: Path) -> None:
        rows = rows_of(folder / "items.csv")
        rewrite(folder / "items.csv", [{**row, "options": "", "format": "open", "form": ""} for row in rows])
        (folder / "references.csv").write_text("item,accepted\ni2,1\n", encoding="utf-8")

    protocol = """
blindread: 2
name: listed
title: Items with their references
phases:
  - key: curate
    rates: items
    shows: [prompt, reference]
    form: {value: {type: ordinal, options: {'1': Of no use, '2': Useful}}}
"""
    folder = write_listed(tmp_path / "study", protocol, [of_open_items])
    situation = imported_listed(sqlite_database, folder)

    previewed = dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2"))

    assert previewed["reference"] == ["1"]


def test_practice_that_is_passed_by_a_field_without_reference_is_refused(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def without(folder: Path) -> None:
        path = folder / "references.csv"
        path.write_text(path.read_text().replace("p1,diagnosis,tumor|stroke,,,\n", ""), encoding="utf-8")

    folder = write_listed(tmp_path / "study", TRAINED, [with_practice, with_references, without])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match="is passed by 'diagnosis', and item 'p1' has no reference for it; add a line"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


PART = """
blindread: 2
name: listed
title: A part of the reference
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, reference.modality]
    form:
      diagnosis: {type: choice, options: {tumor: Tumour, stroke: Stroke}}
      modality: {type: choice, options: [MRI, CT]}
"""


def with_modality(folder: Path) -> None:
    (folder / "candidates.csv").unlink()
    lines = "".join(f"i{n},modality,MRI,\ni{n},diagnosis,tumor,MARK-PROVENANCE\n" for n in range(1, 7))
    (folder / "references.csv").write_text(f"item,field,accepted,provenance\n{lines}", encoding="utf-8")


def test_a_phase_shows_the_reference_of_one_field_and_nothing_else_of_it(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", PART, raters=1, changes=[with_modality])
    rater = situation.raters[0]
    instructions.acknowledge_instructions(database, rater, situation.study_key, "part-1")

    payload = on_the_desk(situation, rater, "part-1")

    assert payload["reference"] == ["Modality: MRI"]
    assert "MARK-PROVENANCE" not in str(payload)


def test_items_that_lack_the_reference_of_the_field_that_is_shown_are_refused_at_the_freeze(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def without(folder: Path) -> None:
        path = folder / "references.csv"
        path.write_text(path.read_text().replace("i1,modality,MRI,\n", ""), encoding="utf-8")

    folder = write_listed(tmp_path / "study", PART, [with_modality, without])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match=r"shows the reference of 'modality', which 1 drawn item .* lacks; add lines"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


def test_what_names_no_field_is_no_reference_of_a_field_that_nothing_compares(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def nameless(folder: Path) -> None:
        path = folder / "references.csv"
        lines = path.read_text().replace("i1,modality,MRI,\n", "").replace("i1,diagnosis,tumor", "i1,,yes")
        path.write_text(lines, encoding="utf-8")

    folder = write_listed(tmp_path / "study", PART, [with_modality, nameless])
    situation = imported_listed(sqlite_database, folder)

    with pytest.raises(Conflict, match=r"shows the reference of 'modality', which 1 drawn item .* lacks; add lines"):
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)


def test_the_whole_reference_of_several_fields_is_one_text_with_a_line_of_each(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = PART.replace("reference.modality", "reference")
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=[with_modality])
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "part-1")

    payload = on_the_desk(situation, situation.raters[0], "part-1")

    assert payload["reference"] == ["Modality: MRI\nDiagnosis: Tumour"]


READ_BY_OTHERS = """
blindread: 2
name: listed
title: One group reads, another looks at the reference
groups: {readers: Readers, others: Others}
phases:
  - key: read
    rates: items
    shows: [scans, prompt]
    form:
      diagnosis: {type: choice, label: Most likely, options: {tumor: A tumour, stroke: A stroke}}
      modality: {type: choice, label: Kind of scan, options: [MRI, CT]}
    by: readers
  - key: check
    rates: items
    shows: [scans, prompt, SHOWN]
    form: {fine: {type: yes_no, label: Is it fine}}
    by: others
    opens: {at_once: yes}
"""


@pytest.mark.parametrize(
    ("shown", "said"),
    [("reference", "Kind of scan: MRI\nMost likely: A tumour"), ("reference.diagnosis", "Most likely: A tumour")],
)
def test_a_reference_of_what_another_group_is_asked_stands_in_the_words_of_its_form(
    database: Database, tmp_path: Path, shown: str, said: str
) -> None:
    protocol = READ_BY_OTHERS.replace("SHOWN", shown)
    groups = ("readers", "others")
    situation = opened_listed(database, tmp_path / "study", protocol, groups=groups, changes=[with_modality])
    checker = situation.raters[1]
    instructions.acknowledge_instructions(database, checker, situation.study_key, "part-1")

    assert on_the_desk(situation, checker, "part-1")["reference"] == [said]


@pytest.mark.parametrize("shown", ["reference.diagnosis", "reference.modality", "reference"])
def test_whoever_is_shown_any_part_of_the_reference_cannot_read_blind_afterwards(
    sqlite_database: Database, tmp_path: Path, shown: str
) -> None:
    blind = "  - {key: blind, title: Blind, rates: items, shows: [scans, prompt], form: {diagnosis: text}}\n"
    folder = write_listed(tmp_path / "study", PART.replace("reference.modality", shown) + blind, [with_modality])

    with pytest.raises(InputRefused, match="people who can still have to rate the same material in phase 'blind'"):
        importing.import_study(sqlite_database, owner_of(sqlite_database), folder)


def test_whoever_was_shown_the_whole_reference_may_be_shown_a_part_of_it_later(
    sqlite_database: Database, tmp_path: Path
) -> None:
    whole = PART.replace("reference.modality", "reference.modality, reference")
    part = "  - {key: later, rates: items, shows: [scans, prompt, reference], form: {diagnosis: text}}\n"
    folder = write_listed(tmp_path / "study", whole + part, [with_modality])

    assert importing.import_study(sqlite_database, owner_of(sqlite_database), folder).items == 6


REVIEW = """
blindread: 2
name: listed
title: A review of items
phases:
  - key: review
    title: Review
    rates: items
    shows: [scans, prompt, reference]
    form: {relevance: {type: ordinal, options: {'1': Not relevant, '2': Relevant}}}
"""


def with_a_number(folder: Path) -> None:
    (folder / "candidates.csv").unlink()
    (folder / "items.csv").write_text(
        "item,case,format,prompt,sequences\ni1,c1,open,How many lesions are there?,T1\n", encoding="utf-8"
    )
    (folder / "references.csv").write_text("item,accepted\ni1,2\n", encoding="utf-8")


def test_an_answer_to_the_item_is_not_put_in_the_words_of_what_its_reviewers_fill_in(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", REVIEW, raters=1, changes=[with_a_number])
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], situation.study_key, "part-1")

    assert on_the_desk(situation, situation.raters[0], "part-1")["reference"] == ["2"]


COMPARE_TWO = """
blindread: 2
name: listed
title: First the kind of scan, then a diagnosis
phases:
  - {key: kind, rates: items, shows: [scans, prompt], form: {modality: {type: choice, options: [MRI, CT]}}}
  - key: read
    rates: items
    shows: [scans, prompt, reference.modality]
    form: {diagnosis: {type: choice, options: [tumor, stroke]}}
"""


def test_what_names_no_field_is_never_shown_as_the_reference_of_another(
    sqlite_database: Database, tmp_path: Path
) -> None:
    opened_listed(sqlite_database, tmp_path / "study", COMPARE_TWO, raters=1, changes=[with_modality])
    nameless = ItemReferences((FieldReference(accepted=("tumor",)),))
    with sqlite_database.read_only() as session:
        study_id, item_id = session.exec(select(Item.study_id, col(Item.id)).where(Item.key == "i1")).one()
        phases = frozen_facts.phases_of(session, study_id)
        item = queries.shown_item(session, item_id)

    assert parts_of_reference(phases, item, nameless, ["modality"]) == []
    assert parts_of_reference(phases, item, nameless, ["diagnosis"]) == ["Diagnosis: tumor"]
