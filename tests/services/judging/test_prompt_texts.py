"""A judge's prompt that contains a text of a test subject is refused: at the import, and when test is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Item, Reference, Study, queries
from db.base import stored_id
from services.errors import Conflict
from services.judging import import_runs, sealed_split
from services.progress import data_lock
from services.studies.freeze import freezing
from tests.listed_study import imported_listed
from tests.sealed_study import SCORES, with_many_items
from tests.situations import Situation, write_table

N = 64
SHARED = "Is there any abnormality in the scans that are shown here?"


def question(number: int) -> str:
    return SHARED if number < 40 else f"In which lobe is the largest lesion of subject number {number}?"


def vignette(number: int) -> str:
    return f"A person of {number} years with a headache since about two weeks, and no fever."


def answer(number: int) -> str:
    return f"The lesion is in the left temporal lobe, as section {number} shows best."


@pytest.fixture
def divided(sqlite_database: Database, tmp_path: Path) -> Situation:
    """A divided study whose items have texts of their own, apart from a question that 40 of them share."""
    folder = with_many_items(tmp_path / "study", SCORES, N)
    write_table(folder / "cases.csv", "case,subject,vignette", [(f"c{n}", f"s{n}", vignette(n)) for n in range(N)])
    rows = [(f"i{n}", f"c{n}", "ab"[n % 2], "open", question(n)) for n in range(N)]
    write_table(folder / "items.csv", "item,case,category,format,prompt", rows)
    write_table(
        folder / "candidates.csv", "candidate,item,model,answer", [(f"k{n}", f"i{n}", "m", answer(n)) for n in range(N)]
    )
    situation = imported_listed(sqlite_database, folder, key="divided", groups=())
    freezing.freeze_study(sqlite_database, situation.admin, "divided")
    sealed_split.make_split(sqlite_database, situation.admin, "divided", 0.5)
    return situation


def numbers(situation: Situation, *, of_test: bool) -> list[int]:
    with situation.database.read_only() as session:
        study_id = stored_id(session.exec(select(Study.id)).one())
        for_test = queries.items_for_test(session, study_id)
        items = session.exec(select(Item.id, Item.key)).all()
    return sorted(int(key[1:]) for item, key in items if (item in for_test) == of_test)


def judged_with(situation: Situation, prompt: str, version: str = "v1") -> None:
    content = "\n".join(["item,candidate,verdict", *(f"i{n},k{n},correct" for n in range(N))]).encode()
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, "divided", name=version, judge="Judge", content=content,
        file_name="judge.csv", identity=import_runs.Identity(prompt=prompt, prompt_version=version),
    )  # fmt: skip


def as_sent(text: str) -> str:
    """Return a text as it may stand in a prompt: in capitals, over several lines, between others."""
    return "Be strict.\n\nExample:\n  " + text.upper().replace(" ", "\n   ") + "\nVerdict: correct"


@pytest.mark.parametrize(
    ("text", "named"),
    [(question, "the question of item"), (vignette, "the vignette of item"), (answer, "the answer of candidate 'k")],
)
def test_a_prompt_with_a_text_of_a_test_subject_is_refused_by_item_and_field(
    divided: Situation, text: object, named: str
) -> None:
    of_test = max(numbers(divided, of_test=True))
    assert of_test >= 40

    with pytest.raises(Conflict) as refusal:
        judged_with(divided, as_sent(text(of_test)))  # type: ignore[operator]

    assert str(refusal.value).startswith(f"The prompt contains {named}")
    assert f"item 'i{of_test}', which is of a test subject; take its examples from items of" in str(refusal.value)


@pytest.mark.parametrize("text", [question, vignette, answer])
@pytest.mark.parametrize("end", ["", ",", "!"])
def test_the_punctuation_at_the_end_of_a_text_makes_no_difference(divided: Situation, text: object, end: str) -> None:
    of_test = max(numbers(divided, of_test=True))

    with pytest.raises(Conflict, match=f"item 'i{of_test}', which is of a test subject"):
        judged_with(divided, as_sent(text(of_test).rstrip(".?") + end))  # type: ignore[operator]


def test_what_development_subjects_have_as_well_or_what_is_short_may_be_in_a_prompt(divided: Situation) -> None:
    of_development = max(numbers(divided, of_test=False))
    texts = (SHARED, question(of_development), vignette(of_development), answer(of_development), "left")

    judged_with(divided, "\n".join(as_sent(text) for text in texts))

    assert any(question(number) == SHARED for number in numbers(divided, of_test=True))


def test_a_prompt_is_looked_at_again_when_test_is_opened_as_texts_may_have_come_since(divided: Situation) -> None:
    of_test, text = max(numbers(divided, of_test=True)), "The right answer is the left temporal lobe, by consensus."
    judged_with(divided, as_sent(text))
    judged_with(divided, "Be fair.", "v2")
    with divided.database.writing() as session:
        item = session.exec(select(Item.id).where(Item.key == f"i{of_test}")).one()
        session.add(Reference(item_id=stored_id(item), version=2, accepted=[text]))
    data_lock.close_study(divided.database, divided.admin, "divided", "All is read.")

    with pytest.raises(Conflict, match=f"^The prompt contains the reference of item 'i{of_test}'"):
        sealed_split.open_test(divided.database, divided.admin, "divided", "v1", "The prompt is final.")
    sealed_split.open_test(divided.database, divided.admin, "divided", "v2", "The prompt is final.")


def test_after_the_unsealing_nothing_is_looked_for(divided: Situation) -> None:
    data_lock.close_study(divided.database, divided.admin, "divided", "All is read.")
    sealed_split.unseal(divided.database, divided.admin, "divided", "The paper is written.")

    judged_with(divided, as_sent(answer(max(numbers(divided, of_test=True)))))
