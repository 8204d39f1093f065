"""What can be read: one table, one row for each verdict, or two files joined by their keys; and what is refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from agreement.judge.columns import Columns, ScaleAsked
from agreement.judge.judged_file import read_judged
from agreement.judge.material import Made
from agreement.judge.scale import State
from agreement.judge.sheet import JudgedFileError


def file(tmp_path, text, name="judged.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


WIDE = Columns(("human",), ("judge",), "model", ("item",))


def test_a_row_for_each_candidate(tmp_path):
    path = file(tmp_path, 'item,model,text,human,judge\nq1,A,"two\nlines",Correct,1\nq1,B,,,no\nq2,A,,incorrect,YES\n')

    material = read_judged(path, WIDE).material

    assert material.scale.kind == "binary"
    assert material.humans["human"].codes[[0, 2]].tolist() == [1, 0]
    assert material.judges["judge"].codes.tolist() == [1, 0, 1]
    assert material.labelled_places.tolist() == [0, 2]
    assert material.items.tolist() == [0, 0, 1]
    assert [(name, among.tolist()) for name, among in material.models.levels()] == [
        ("A", [True, False, True]),
        ("B", [False, True, False]),
    ]


@pytest.mark.parametrize("text", ['{"item": "q1", "human": 1}\n', '[\n  {"item": "q1"}\n]\n'])
def test_json_is_refused_with_what_to_write_instead(tmp_path, text):
    with pytest.raises(JudgedFileError, match=r"judged\.jsonl is JSON; expected a CSV or Parquet table"):
        read_judged(file(tmp_path, text, "judged.jsonl"), WIDE)


def test_a_row_for_each_verdict_gives_the_same(tmp_path):
    wide = file(tmp_path, "item,model,human,judge\nq1,A,yes,no\nq2,A,,yes\n")
    long = file(tmp_path, "item,model,who,says\nq1,A,human,yes\nq1,A,judge,no\nq2,A,judge,yes\n", "long.csv")

    first = read_judged(wide, WIDE).material
    second = read_judged(
        long, Columns(("human",), ("judge",), "model", ("item",), rater="who", verdict="says")
    ).material

    for name in ("humans", "judges"):
        for a, b in zip(getattr(first, name).values(), getattr(second, name).values(), strict=True):
            np.testing.assert_array_equal(a.codes, b.codes)
            np.testing.assert_array_equal(a.states, b.states)


def test_two_files_are_joined_by_item_and_model_in_any_order(tmp_path):
    judged = file(tmp_path, "item,model,judge\nq1,A,1\nq1,B,0\nq2,A,1\n")
    humans = file(tmp_path, "model,item,human\nA,q2,0\nB,q1,1\n", "humans.csv")

    material = read_judged(judged, WIDE, humans=humans).material

    assert np.nan_to_num(material.humans["human"].codes, nan=-1).tolist() == [-1, 1, 0]


def test_of_two_files_the_humans_may_have_a_row_for_each_verdict(tmp_path):
    judged = file(tmp_path, "item,judge\nq1,1\nq2,0\n")
    humans = file(tmp_path, "item,who,says\nq1,a,1\nq1,b,0\nq2,b,0\n", "humans.csv")

    material = read_judged(
        judged, Columns(("a", "b"), ("judge",), None, ("item",), rater="who", verdict="says"), humans=humans
    ).material

    assert np.nan_to_num(material.human_table(), nan=-1).tolist() == [[1, 0], [-1, 0]]


def test_a_column_of_raters_that_neither_file_has_is_named(tmp_path):
    path = file(tmp_path, "item,human,judge\nq1,1,1\n")

    with pytest.raises(JudgedFileError, match="no column 'who'; it has item, human, judge"):
        read_judged(path, Columns(("human",), ("judge",), None, ("item",), rater="who", verdict="says"))


def test_failures_are_four_things_and_none_of_them_a_verdict(tmp_path):
    path = file(
        tmp_path, "item,model,human,judge\nq1,A,1,error\nq2,A,1,Refused\nq3,A,1,unreadable\nq4,A,1,\nq5,A,1,0\n"
    )

    verdicts = read_judged(path, WIDE).material.judges["judge"]

    assert verdicts.counts() == {"no verdict": 1, "error": 1, "refusal": 1, "unreadable reply": 1}
    assert np.isnan(verdicts.codes[:4]).all()


def test_excluded_is_left_out_by_its_own_word(tmp_path):
    path = file(tmp_path, "item,model,human,judge\nq1,A,Correct,Excluded\nq2,A,Incorrect,Correct\n")

    material = read_judged(path, WIDE, ScaleAsked(states={"excluded": State.EXCLUDED})).material

    assert material.judges["judge"].counts() == {"excluded": 1}


def test_ordered_levels_keep_their_declared_order(tmp_path):
    path = file(tmp_path, "item;model;human;judge\nq1;A;poor;good\nq2;A;fair;poor\n")

    material = read_judged(path, WIDE, ScaleAsked(levels=("poor", "fair", "good"))).material

    assert material.scale.scores(material.judges["judge"].codes).tolist() == [3, 1]


def test_runs_are_laid_on_the_same_candidates(tmp_path):
    path = file(tmp_path, "item,run,human,judge\nq1,a,1,1\nq2,a,0,0\nq2,b,,1\nq3,b,,1\n")

    material = read_judged(path, Columns(("human",), ("judge",), None, ("item",), run="run")).material

    first, second = material.runs["judge"].values()
    assert np.nan_to_num(first.codes, nan=-1).tolist() == [1, 0, -1]
    assert np.nan_to_num(second.codes, nan=-1).tolist() == [-1, 1, 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("item,model,human\nq1,A,1\n", "no column 'judge'; it has item, model, human"),
        ("item,model,human,judge\n", "headings and no rows"),
        ("\nitem,model,human,judge\nq1,A,1,1\n", "has nothing on line 1; expected the headings there"),
        ("sep=;\nitem;model;human;judge\nq1;A;1;1\nq2;A;1;maybe\n", "line 4 holds the verdict 'maybe'"),
        ("item,model,human,judge\nq1,A,1,1\nq2,A,1,maybe\n", "line 3 holds the verdict 'maybe'; expected one of incor"),
        (
            "item,model,human,judge\nq1,A,1,1\nq1,A,1,0\n",
            "two verdicts on item q1, model A: judged.csv, line 2 (1) and",
        ),
        ("item,model,human,judge\nq1,A,1,1\n,A,1,0\n", "line 3 has no 'item'"),
        ("item,model,human,judge\nq1,A,1\n", "has 3 cells on line 2 and 4 headings; expected as many"),
        ("item,model,human,judge\nq1,A,1,1\n\nq2,A,1,1,9\n", "has 5 cells on line 4 and 4 headings"),
        ("", "is empty; expected headings"),
        ("item,model,human,judge\nq1,A\0,1,1\n", "holds a byte 0 on line 2, which is no text"),
        ('item,model,human,judge,why\nq1,A,1,1,"so\nq2,A,0,1,so\n', "a quotation mark on line 2 that is never closed"),
        ("item,model,human,judge,judge\nq1,A,1,1,1\n", "two columns 'judge'"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_line(tmp_path, text, says):
    with pytest.raises(JudgedFileError) as refused:
        read_judged(file(tmp_path, text), WIDE, ScaleAsked("binary"))

    assert says in str(refused.value)


def test_a_human_verdict_on_no_candidate_of_the_judge_is_refused_with_its_line(tmp_path):
    judged = file(tmp_path, "item,model,judge\nq1,A,1\n")
    humans = file(tmp_path, "item,model,human\nq1,A,1\nq7,A,1\n", "humans.csv")

    with pytest.raises(JudgedFileError, match=r"1 of 2 rows of humans.csv belong to no row .*humans.csv, line 3"):
        read_judged(judged, WIDE, humans=humans)


def test_a_scale_that_cannot_be_known_is_asked_for(tmp_path):
    with pytest.raises(JudgedFileError, match=r"verdicts are 1, 2, 3; expected .*--levels"):
        read_judged(file(tmp_path, "item,model,human,judge\nq1,A,1,2\nq2,A,3,1\n"), WIDE)


def test_an_attribute_with_two_values_for_a_candidate_is_refused(tmp_path):
    path = file(tmp_path, "item,model,run,tier,human,judge\nq1,A,1,x,1,1\nq1,A,2,y,,1\n")

    with pytest.raises(JudgedFileError, match="line 3: item q1, model A has tier 'y' and before 'x'"):
        read_judged(path, Columns(("human",), ("judge",), "model", ("item",), by=("tier",), run="run"))


def test_the_judges_own_probability_is_read_beside_its_verdict(tmp_path):
    path = file(tmp_path, "item,model,human,judge,sure\nq1,A,1,1,0.9\nq2,A,1,0,\n")

    material = read_judged(path, Columns(("human",), ("judge",), "model", ("item",), score="sure")).material

    assert np.nan_to_num(material.grades["judge"], nan=-1).tolist() == [0.9, -1]


@pytest.mark.parametrize("probability", ["0", "1.5", "often"])
def test_a_probability_is_above_0_and_at_most_1(tmp_path, probability):
    path = file(tmp_path, f"item,model,p,human,judge\nq1,A,{probability},1,1\n")

    with pytest.raises(JudgedFileError, match=f"line 2 holds the p '{probability}'; expected a number above 0"):
        read_judged(path, Columns(("human",), ("judge",), "model", ("item",), probability="p"))


VERSIONS = Columns(("human",), ("judge",), None, ("item",), run="run", prompt_version="prompt", judge_version="model")


def test_a_run_has_the_versions_that_its_columns_say(tmp_path):
    text = "item,run,prompt,model,human,judge\nq1,a,v1,m,1,1\nq2,a,v1,m,1,0\nq1,b,v2,,1,1\n"

    made = read_judged(file(tmp_path, text), VERSIONS).material.made

    assert made == {("judge", "a"): Made("judge", "v1", "m"), ("judge", "b"): Made("judge", "v2", "")}


def test_two_versions_in_one_run_are_refused_with_their_lines(tmp_path):
    path = file(tmp_path, "item,run,prompt,model,human,judge\nq1,a,v1,m,1,1\nq2,a,v2,m,1,0\n")

    with pytest.raises(
        JudgedFileError, match=r"run 'a' has two values of 'prompt' .*line 2 'v1' and .*line 3 'v2'.*; expected one"
    ):
        read_judged(path, VERSIONS)


@pytest.mark.parametrize(
    ("encoding", "says"), [("utf-16", "is UTF-16 text; save it as UTF-8"), ("latin-1", "is no UTF-8 text (byte 0xfc)")]
)
def test_a_file_in_another_encoding_says_how_to_save_it(tmp_path, encoding, says):
    path = tmp_path / "judged.csv"
    path.write_bytes("item,model,human,judge\nq1,Müller,1,1\n".encode(encoding))

    with pytest.raises(JudgedFileError) as refused:
        read_judged(path, WIDE, ScaleAsked("binary"))

    assert str(refused.value).startswith(f"judged.csv {says}")


def test_empty_rows_at_the_end_of_a_spreadsheet_are_left_out(tmp_path):
    material = read_judged(file(tmp_path, "item,model,human,judge\nq1,A,1,1\nq2,A,,0\n,,,\n,,,\n"), WIDE).material

    assert material.n == 2


def test_lists_in_a_parquet_file_are_refused_by_the_column(tmp_path):
    path = tmp_path / "judged.parquet"
    pa.parquet.write_table(pa.table({"item": ["q1"], "model": ["A"], "human": [["1"]], "judge": ["1"]}), path)

    with pytest.raises(JudgedFileError, match="in 'human'; expected one value in each row"):
        read_judged(path, WIDE, ScaleAsked("binary"))


def test_beside_semicolons_numbers_have_a_decimal_comma(tmp_path):
    path = file(tmp_path, "item;model;human;judge;sure\nq1;A;3,5;4;0,25\nq2;A;-0,5;1.5;0,75\n")
    columns = Columns(("human",), ("judge",), "model", ("item",), score="sure")

    material = read_judged(path, columns, ScaleAsked("number")).material

    assert material.humans["human"].codes.tolist() == [3.5, -0.5]
    assert material.judges["judge"].codes.tolist() == [4.0, 1.5]
    assert material.grades["judge"].tolist() == [0.25, 0.75]
