"""A judge says which of two answers is better: its verdicts are about the pair, whichever answer it was shown first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Candidate, Database, JudgeRun, JudgeVerdict
from db.engine import make_engine
from exchange.foreign.layout import Asked
from exchange.refusal import InputRefused
from services.errors import Conflict
from services.judging import import_labels, import_runs, judged_pairs, scoring
from services.judging.import_runs import JudgeRunLine
from services.progress import outstanding
from services.record.verification import verify_study
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import SCORE_ALONE, opened_listed
from tests.pair_study import opened_pairs
from tests.situations import Situation
from tests.versioned_study import changed_cell, new_version

FIELD = "secret_arm.better"
KEYS = "item,candidate_a,candidate_b,verdict,shown_first\n"
MODELS = "item,model_a,model_b,verdict,shown_first\n"
BOTH = "item,candidate_a,candidate_b,model_a,model_b,verdict\n"
# Three pairs of each of the six items.
PAIRS = 18


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Situation:
    folder = tmp_path_factory.mktemp("pairs")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_pairs(Database(engine, folder / "data"), folder / "study", raters=1)


def imported(situation: Situation, lines: str, name: str, **options: Any) -> JudgeRunLine:
    said = {"field": FIELD, "file_name": "judge.csv"} | options
    return import_runs.import_judge_verdicts(
        situation.database,
        situation.admin,
        situation.study_key,
        name=name,
        judge="Judge",
        content=lines.encode(),
        **said,
    )


def stored(situation: Situation, name: str) -> list[tuple[str, str | None, str]]:
    """Return the pair, the verdict and the order of each line of a run."""
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Candidate.key, JudgeVerdict.verdict, JudgeVerdict.shown_first)
            .join(JudgeVerdict, JudgeVerdict.candidate_id == Candidate.id)
            .join(JudgeRun, JudgeRun.id == JudgeVerdict.run_id)
            .where(JudgeRun.name == name)
            .order_by(JudgeVerdict.id)
        ).all()
        return [tuple(row) for row in rows]


@pytest.mark.parametrize(
    ("header", "line", "pair", "verdict", "first"),
    [
        (KEYS, "i1,k1a,k1b,a,a", "k1a & k1b", "a", "first"),
        (KEYS, "i1,k1b,k1a,a,a", "k1a & k1b", "b", "second"),
        (KEYS, "i1,k1b,k1a,k1b,k1a", "k1a & k1b", "b", "first"),
        (KEYS, "i1,k1b,k1a,candidate_b,", "k1a & k1b", "a", ""),
        (KEYS, "i1,k1b,k1a,B is better,b", "k1a & k1b", "a", "first"),
        (KEYS, "i1,k1c,k1a,Equally good,", "k1a & k1c", "tie", ""),
        (MODELS, "i2,model-c,model-a,model-a,model-c", "k2a & k2c", "a", "second"),
        (MODELS, "i2,model-c,model-a,neither,model_b", "k2a & k2c", "neither", "first"),
        (MODELS, "i2,model-c,model-a,,", "k2a & k2c", None, ""),
    ],
)
def test_a_verdict_is_stored_in_the_order_of_the_pair_whatever_the_file_calls_its_answers(
    situation: Situation, header: str, line: str, pair: str, verdict: str | None, first: str
) -> None:
    name = f"{header[:12]} {line}"

    imported(situation, f"{header}{line}\n", name)

    assert stored(situation, name) == [(pair, verdict, first)]


def test_lines_of_json_are_read_alike(situation: Situation) -> None:
    line = '{"item": "i1", "model_a": "model-b", "model_b": "model-a", "verdict": "model_a", "model": "gpt-5"}\n'

    imported(situation, line, "json", file_name="judge.jsonl")

    assert stored(situation, "json") == [("k1a & k1b", "b", "")]


ARRAY = """[
  {"item": "i1", "candidate_a": "k1b", "candidate_b": "k1a", "verdict": "a"},
  {"item": "i1", "candidate_a": "k1c", "candidate_b": "k1a", "failure": "refusal"}
]
"""


@pytest.mark.parametrize("name", ["judge.json", "judge.jsonl"])
def test_an_array_of_pairs_is_read_like_lines_and_a_failure_needs_no_verdict(situation: Situation, name: str) -> None:
    imported(situation, ARRAY.replace('"a"', f'"a", "explanation": "{name}"'), name, file_name=name)

    assert stored(situation, name) == [("k1a & k1b", "b", ""), ("k1a & k1c", None, "")]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('{"item": "i1", "candidate_a": "k1a", "candidate_b": "k9z", "verdict": "a"}', r"k1a & k9z \(entry 1\)"),
        (
            '{"item": "i1", "candidate_a": "k1a", "candidate_b": "k1b"}',
            "entry 1: expected an object with item, verdict",
        ),
        ('{"item": "i1", "candidate_a": "k1a", "verdict": "a"}', "entry 1: one of the two answers is not named"),
        ('{"item": "i1", "candidate_a": "k1a", "candidate_b": "k1b", "verdict": "z"}', "entry 1: verdict 'z' is not"),
        ('"i1"', "entry 1: expected an object"),
        ('{"item": "i1"', "entry 1: not valid JSON"),
    ],
)
def test_what_is_wrong_with_an_array_of_pairs_is_said_with_its_entries(
    situation: Situation, entry: str, says: str
) -> None:
    with pytest.raises(InputRefused, match=says):
        imported(situation, f"[{entry}]", "refused", file_name="judge.json")


# A human judgement of MT-Bench, and one of Chatbot Arena.
MT_BENCH = (
    '{"question_id": "i3", "model_a": "model-b", "model_b": "model-a", "winner": "model_a", "judge": "expert_1", '
    '"conversation_a": [{"content": "Which side?", "role": "user"}], "turn": 1}\n'
)
ARENA = MT_BENCH.replace('"i3"', '"i4"').replace('"winner": "model_a"', '"winner": "tie (bothbad)"')
AS_CALLED = {"item": "question_id", "verdict": "winner"}


def test_judgements_of_mt_bench_and_of_the_chatbot_arena_are_read_with_two_columns_mapped(
    situation: Situation,
) -> None:
    asked = Asked(columns=AS_CALLED, says={"tie (bothbad)": "neither"})

    imported(situation, MT_BENCH + ARENA, "arena", file_name="arena.jsonl", asked=asked)

    assert stored(situation, "arena") == [("k3a & k3b", "b", ""), ("k4a & k4b", "neither", "")]


def test_a_word_for_a_side_may_be_the_name_of_its_column_in_the_file(situation: Situation) -> None:
    columns = {"item": "question_id", "model_a": "model_1", "model_b": "model_2", "verdict": "g1_winner"}
    lines = "question_id,model_1,model_2,g1_winner\ni5,model-c,model-a,model_2\ni6,model-c,model-a,error\n"

    imported(situation, lines, "gpt-4", asked=Asked(columns=columns))

    assert stored(situation, "gpt-4") == [("k5a & k5c", "a", ""), ("k6a & k6c", None, "")]


@pytest.mark.parametrize(
    ("columns", "lines", "name", "says"),
    [
        (AS_CALLED, "item,model_a,model_b,verdict\ni1,model-a,model-b,a\n", "a.csv", "lacks question_id, winner"),
        (AS_CALLED, ARENA.replace("winner", "won"), "a.jsonl", "line 1: expected an object with question_id, winner"),
        (AS_CALLED | {"explanation": "why"}, MT_BENCH, "a.jsonl", "nothing under 'why', mapped to explanation"),
    ],
)
def test_a_column_that_is_mapped_and_not_in_the_file_is_refused(
    situation: Situation, columns: dict[str, str], lines: str, name: str, says: str
) -> None:
    with pytest.raises(InputRefused, match=says):
        imported(situation, lines, "refused", file_name=name, asked=Asked(columns=columns))


def test_what_a_word_of_the_file_means_can_be_said(situation: Situation) -> None:
    asked = Asked(says={"[[A]]": "a", "[[C]]": "tie", "no answer": "refusal"})

    imported(situation, f"{KEYS}i1,k1b,k1a,[[A]],\ni1,k1a,k1c,[[C]],\ni1,k1b,k1c,no answer,\n", "words", asked=asked)

    assert [verdict for _, verdict, _ in stored(situation, "words")] == ["b", "tie", None]


def test_pairs_are_counted_as_pairs_where_the_run_is_listed_and_where_work_is_open(situation: Situation) -> None:
    line = imported(situation, f"{KEYS}i1,k1a,k1b,a,\ni1,k1a,k1c,,\n", "counted")

    [listed] = [
        each
        for each in import_runs.judge_runs_of(situation.database, situation.admin, situation.study_key)
        if each.name == "counted"
    ]
    with situation.database.read_only() as session:
        [work] = [part for part in outstanding.open_work(session, 1) if part.who == "Judge run “counted”"]
    assert (listed.judged, listed.unresolved, listed.not_judged, listed.says) == (1, 1, PAIRS - 2, FIELD)
    assert work.sentence == "Judge run “counted”: 16 of 18 pairs not judged"
    assert line.in_words.startswith(
        "Run 'counted' is imported: 1 of 18 pairs judged, 1 without a verdict, 16 missing from the file."
    )


BOTH_ORDERS = f"{KEYS}i1,k1a,k1b,a,a\ni1,k1b,k1a,a,a\ni1,k1a,k1c,tie,a\ni1,k1a,k1c,a,b\n"


def test_of_a_file_with_both_orders_each_is_a_run_of_its_own(situation: Situation) -> None:
    line = imported(situation, BOTH_ORDERS, "first order", only_order="first")
    imported(situation, BOTH_ORDERS, "second order", only_order="second")

    assert stored(situation, "first order") == [("k1a & k1b", "a", "first"), ("k1a & k1c", "tie", "first")]
    assert stored(situation, "second order") == [("k1a & k1b", "b", "second"), ("k1a & k1c", "a", "second")]
    assert "2 lines of the other order left out" in line.in_words


def test_a_line_that_does_not_say_its_order_is_named_also_if_all_others_have_the_other_order(
    situation: Situation,
) -> None:
    with pytest.raises(InputRefused, match="line 3: shown_first is empty, and lines of one order are asked for"):
        imported(situation, f"{KEYS}i1,k1a,k1b,a,b\ni1,k1a,k1c,a,\n", "refused", only_order="first")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (
            BOTH_ORDERS,
            r"the two orders of a pair are two runs .*i1 \+ k1a & k1b \(line 2\), i1 \+ k1a & k1b \(line 3\)",
        ),
        (f"{KEYS}i1,k1a,k2b,a,\n", r"1 of 1 verdicts name an item and pair that the study lacks.*k1a & k2b \(line 2\)"),
        (f"{KEYS}i2,k1a,k1b,a,\n", r"that the study lacks, such as i2 \+ k1a & k1b \(line 2\)"),
        (f"{MODELS}i1,model-a,model-z,a,\n", r"that the study lacks, such as i1 \+ model-a & model-z \(line 2\)"),
        (f"{MODELS}i1,model-a,model-a,a,\n", "line 2.*model_a and model_b are both 'model-a'; name two answers"),
        (
            f"{BOTH}i1,k1a,k1b,model-b,model-a,model-b\ni2,k2a,k2b,model-b,model-a,model-b\n",
            "2 lines .2, 3.: model_a is 'model-b', and candidate_a is by 'model-a' in the study; correct one",
        ),
        (f"{BOTH}i1,k1a,k1b,,model-z,a\n", "line 2.*model_b is 'model-z', and candidate_b is by 'model-b'"),
        (f"{KEYS}i1,k1a,,a,\n", "line 2.*one of the two answers is not named; fill in candidate_a and candidate_b"),
        (f"{KEYS}i1,k1a,k1b,k1c,\n", "line 2.*verdict 'k1c' is not one of a, b, tie, neither"),
        (f"{KEYS}i1,k1a,k1b,a,left\n", "line 2.*shown_first is 'left', expected a or b"),
        ("item,candidate,verdict\ni1,k1a,a\n", "line 1.*does not name the two answers of a pair; expected candidate_a"),
        ("candidate_a,candidate_b,verdict\nk1a,k1b,a\n", "line 1.*the header lacks item; expected item, verdict"),
    ],
)
def test_what_is_wrong_with_a_file_of_pairs_is_said_with_its_lines(situation: Situation, lines: str, says: str) -> None:
    with pytest.raises(InputRefused, match=f"(?s){says}"):
        imported(situation, lines, "refused")


def test_a_letter_that_is_the_name_of_the_other_answer_is_refused(situation: Situation) -> None:
    """A file may call its answers b and a; then the letter a does not say which one is meant."""
    with pytest.raises(InputRefused, match=r"line 2.*verdict 'a' can mean a or b; write which"):
        imported(situation, f"{KEYS}i1,b,a,a,\n", "refused")


@pytest.mark.parametrize(
    ("only", "lines", "says"),
    [
        ("first", f"{KEYS}i1,k1a,k1b,a,\n", "line 2.*shown_first is empty, and lines of one order are asked for"),
        ("second", f"{KEYS}i1,k1a,k1b,a,a\n", "names the other answer on every line; ask for the other order"),
    ],
)
def test_an_order_that_a_file_does_not_have_is_refused(situation: Situation, only: str, lines: str, says: str) -> None:
    with pytest.raises(InputRefused, match=f"(?s){says}"):
        imported(situation, lines, "refused", only_order=only)


@pytest.mark.parametrize("only", ["first", "second"])
def test_a_line_about_no_pair_of_the_study_is_of_no_order_and_refused_in_either(
    situation: Situation, only: str
) -> None:
    lines = f"{KEYS}i1,k1a,k1b,a,a\ni1,k1a,k1b,a,b\ni1,k1a,k9z,a,a\n"

    with pytest.raises(InputRefused, match=r"that the study lacks, such as i1 \+ k1a & k9z \(line 4\)"):
        imported(situation, lines, "refused", only_order=only)


@pytest.mark.parametrize("swapped", ["k1a,k9z,a,b", "k9z,k1a,a,a"])
def test_both_orders_of_a_pair_that_was_not_drawn_are_not_two_verdicts(situation: Situation, swapped: str) -> None:
    lines = f"{BOTH_ORDERS}i1,k1a,k9z,a,a\ni1,{swapped}\n"

    with pytest.raises(InputRefused, match="2 of 4 verdicts name an item and pair that the study lacks") as refused:
        imported(situation, lines, "refused", only_order="first")

    assert len(refused.value.problems) == 1


def test_two_verdicts_on_a_pair_that_was_not_drawn_in_one_order_are_named_as_such(situation: Situation) -> None:
    lines = f"{BOTH_ORDERS}i1,k1a,k9z,a,a\ni1,k1a,k9z,b,a\n"

    with pytest.raises(InputRefused, match="that the study lacks") as refused:
        imported(situation, lines, "refused", only_order="first")

    _, doubled = refused.value.problems
    assert "but some are judged twice in the order asked for, such as i1 + k1a & k9z (line 6)" in str(doubled)


def test_an_order_is_named_by_its_word() -> None:
    assert (judged_pairs.order_of("second"), judged_pairs.order_of("")) == ("second", None)

    with pytest.raises(Conflict, match="The order is 'both', expected first or second"):
        judged_pairs.order_of("both")


def test_an_order_for_a_field_about_single_answers_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORE_ALONE)

    with pytest.raises(Conflict, match="the field is not about pairs of answers; leave it out"):
        imported(situation, "item,candidate,verdict\ni1,k1,1\n", "refused", field="score.verdict", only_order="first")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"field": ""}, "Say which field is filled in: secret_arm.better"),
        ({"field": "secret_arm.worse"}, r"no field 'secret_arm.worse' \(nearest: secret_arm.better\)"),
        ({"asked": Asked(layout="marcus")}, "Verdicts on pairs are read from lines with item"),
        (
            {"asked": Asked(columns={"answer": "text"})},
            "A column is mapped to 'answer', and lines on pairs have item, ",
        ),
    ],
)
def test_what_does_not_say_how_pairs_are_read_is_refused(
    situation: Situation, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        imported(situation, f"{KEYS}i1,k1a,k1b,a,\n", "refused", **options)


def test_lines_about_no_pair_of_the_study_can_be_left_out_and_counted(situation: Situation) -> None:
    line = imported(situation, f"{KEYS}i1,k1a,k1b,a,\ni1,k1a,k9z,a,\n", "skipped", skip_unplaced=True)

    assert (line.candidates, line.not_judged) == (1, PAIRS - 1)
    assert "1 line of the file could not be placed" in line.in_words


def test_a_pair_whose_answer_a_version_corrected_is_judged_by_the_key_of_the_new_answer(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_pairs(sqlite_database, tmp_path / "study", raters=1)
    new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k1a", "answer", "A says otherwise."))

    with pytest.raises(InputRefused, match=r"what a version of the study replaced, such as i1 \+ k1a & k1b \(line 2\)"):
        imported(situation, f"{KEYS}i1,k1a,k1b,a,\n", "before")

    line = imported(situation, f"{MODELS}i1,model-a,model-b,a,\n", "after")
    [(pair, _, _)] = stored(situation, "after")
    assert "k1a.v2" in pair
    assert (line.candidates, line.not_judged) == (1, PAIRS - 1)


def test_no_rule_scores_pairs(situation: Situation) -> None:
    with pytest.raises(Conflict, match=f"A rule scores single answers, and {FIELD} is about pairs of answers"):
        scoring.score_answers(situation.database, situation.admin, situation.study_key, "exact_match", field=FIELD)


def test_labels_made_elsewhere_are_not_read_on_pairs(situation: Situation) -> None:
    with pytest.raises(Conflict, match=f"compare pairs of answers in {FIELD}, and labels made elsewhere are read on"):
        import_labels.import_labels(
            situation.database, situation.admin, situation.study_key, name="labels",
            content=b"item,candidate,verdict\ni1,k1a,a\n", file_name="labels.csv", labeller="Ann",
        )  # fmt: skip


def test_orders_are_sealed_on_either_database(database: Database, tmp_path: Path) -> None:
    situation = opened_pairs(database, tmp_path / "study", raters=1)

    imported(situation, f"{KEYS}i1,k1b,k1a,a,a\ni1,k1c,k1a,,\n", "sealed")

    assert stored(situation, "sealed") == [("k1a & k1b", "b", "second"), ("k1a & k1c", None, "")]
    assert verify_study(database, situation.study_key) == []
