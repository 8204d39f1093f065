"""python -m agreement: which files it reads, and what it says of one that it cannot use."""

import os
import sys

import pandas as pd
import pytest

from agreement.__main__ import main
from agreement.judge.__main__ import main as main_of_judge
from tests.agreement.command_line import CSV, printed


def test_csv_and_parquet_and_other_column_names_say_the_same(tmp_path, capsys):
    csv, parquet = tmp_path / "ratings.csv", tmp_path / "ratings.parquet"
    csv.write_text(CSV)
    names = {"item": "case", "rater": "reader", "verdict": "answer"}
    pd.read_csv(csv, dtype=str).rename(columns=names).to_parquet(parquet)

    from_csv = printed(capsys, csv)
    from_parquet = printed(capsys, parquet, "--item", "case", "--rater", "reader", "--verdict", "answer")

    assert from_csv == from_parquet


@pytest.mark.parametrize("separator", [";", "\t"])
def test_semicolons_and_tabs_separate_too_and_headings_may_have_blanks_around_them(tmp_path, capsys, separator):
    commas, others = tmp_path / "ratings.csv", tmp_path / "others.csv"
    commas.write_text(CSV)
    headings, verdicts = CSV.split("\n", 1)
    others.write_text("\ufeff" + f" {separator} ".join(headings.split(",")) + "\n" + verdicts.replace(",", separator))

    assert printed(capsys, others) == printed(capsys, commas)


@pytest.mark.parametrize("said", ["sep=;", '"sep=;"', "SEP=;\r"])
def test_a_first_line_that_names_the_separator_for_excel_is_no_row_of_headings(tmp_path, capsys, said):
    plain, excel = tmp_path / "plain.csv", tmp_path / "excel.csv"
    plain.write_text(CSV)
    excel.write_text(f"\ufeff{said}\n" + CSV.replace(",", ";"), newline="")

    assert printed(capsys, excel) == printed(capsys, plain)


@pytest.mark.parametrize(
    ("beginning", "sentence"),
    [
        (b"\x1f\x8b\x08\0", "is packed (gzip); expected a CSV or Parquet file: unpack it first"),
        (b"PK\x03\x04\0", "is packed (ZIP) or a workbook of Excel; expected a CSV or Parquet file: unpack it, or save"),
        (b"BZh91AY", "is packed (bzip2)"),
        (b"\xfd7zXZ\0", "is packed (xz)"),
    ],
)
def test_a_packed_file_says_that_it_is_one(tmp_path, capsys, beginning, sentence):
    file = tmp_path / "ratings.csv.gz"
    file.write_bytes(beginning + b"rest")

    assert main([str(file)]) == 2
    assert sentence in capsys.readouterr().err


def test_text_in_a_file_that_is_named_as_packed_is_read(tmp_path, capsys):
    plain, named = tmp_path / "plain.csv", tmp_path / "named.csv.gz"
    plain.write_text(CSV)
    named.write_text(CSV)

    assert printed(capsys, named) == printed(capsys, plain)


def test_numbers_have_a_decimal_comma_in_a_file_with_semicolons_only(tmp_path, capsys):
    points, commas = tmp_path / "points.csv", tmp_path / "commas.csv"
    lines = [f"{item},{rater},{item + extra}" for item in range(12) for rater, extra in (("ann", 0.5), ("bob", -0.25))]
    points.write_text("item,rater,verdict\n" + "\n".join(lines))
    commas.write_text("item;rater;verdict\n" + "\n".join(line.replace(",", ";").replace(".", ",") for line in lines))

    assert printed(capsys, commas, "--level", "interval") == printed(capsys, points, "--level", "interval")


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        ("item,rater\n1,ann\n", [], "no column 'verdict'; it has item, rater"),
        ("item,rater,verdict\n1,ann,yes\n1,ann,no\n", [], "rater 'ann' rated item '1' twice"),
        ("item,rater,verdict\n1,,yes\n", [], "row 1 has no 'rater'"),
        (
            "item,rater,verdict\n1,ann,perhaps\n",
            ["--categories", "yes,no"],
            "'perhaps', which --categories does not name",
        ),
        ("item,rater,verdict\n1,ann,perhaps\n", ["--level", "interval"], "holds a verdict that is no number"),
        (
            "item,rater,verdict,reference\n1,ann,yes,yes\n1,bob,yes,no\n",
            [],
            "item '1' has two values of 'reference'; expected one for each item",
        ),
        ("", [], "is empty; expected headings"),
        ("\n \n", [], "is empty; expected headings"),
        (
            "item,rater,verdict,reference\n1,ann,Yes,yes\n2,ann,No,no\n",
            [],
            "no verdict (No, Yes) is among the references (no, yes); expected both to be written alike",
        ),
        ("item,rater,verdict\n1,ann,yes\n", ["--judge", "grok"], "judge is 'grok'; expected one of the raters ann"),
        ("item,rater,verdict,verdict\n1,ann,yes,no\n", [], "has two columns 'verdict'; expected one of each name"),
        ("item,rater,verdict\np,1,ann,yes\n", [], "has 4 cells on line 2 and 3 headings; expected as many"),
        ("item,rater,verdict\n1,ann,yes\n\n2,ann,a,b\n", [], "has 4 cells on line 4 and 3 headings"),
        ('item,rater,verdict\n1,ann,"yes\n1,bob,no\n', [], "opens a quotation mark on line 2 that is never closed"),
        ("item,rater,verdict\n1,ann,yes\n1,b\0b,no\n", [], "holds a byte 0 on line 3, which is no text"),
        ("item|rater|verdict\n1|ann|yes\n", [], "expected headings separated by commas, semicolons or tabs"),
        (",".join(map(str, range(900))) + "\n", [], "it has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 888 more"),
        (CSV, ["--categories", "yes,no,yes"], "--categories names 'yes' twice; expected each category once"),
        (
            "item,rater,verdict\n1,ann,0\n1,bob,9000000000\n",
            ["--level", "ordinal"],
            "holds ordinal verdicts from 0 to 9000000000; expected at most 5000 steps",
        ),
        ("item,rater,verdict\n1,ann,inf\n1,bob,2\n", ["--level", "interval"], "the verdict 'inf'; expected finite"),
        (
            "item,rater,verdict\n1,ann,good\n1,bob,2\n",
            ["--level", "ordinal"],
            "holds a verdict that is no number ('good'); expected numbers, or --level ordinal with --categories",
        ),
        (
            "item,rater,verdict\n1,ann,NA\n1,bob,2\n",
            ["--level", "interval"],
            "--level ordinal with --categories in their order; leave the field of a missing verdict empty",
        ),
        (
            'item,rater,verdict\n1,ann,"2,25"\n1,bob,2\n',
            ["--level", "interval"],
            "missing verdict empty; a decimal comma is understood if semicolons separate the columns",
        ),
        (CSV, ["--epsilon", "0.1"], "epsilon is 0.1 without a judge"),
        (CSV, ["--judge", "bob", "--epsilon", "1.5"], "epsilon is 1.5; expected a number between 0 and 1"),
        (CSV, ["--judge", "bob", "--scoring", "rmse"], "scoring is 'rmse' and level 'nominal'"),
        ("item,rater,verdict\n", [], "has headings and no verdicts"),
        ("\nitem,rater,verdict\n1,ann,yes\n", [], "has nothing on line 1; expected the headings there"),
        ("sep=;\n\nitem;rater;verdict\n", [], "has nothing on line 2; expected the headings there"),
        ("sep=;\n", [], "has nothing on line 2; expected the headings there"),
        ("sep=|\nitem|rater|verdict\n", [], "says 'sep=|' on line 1; expected a comma, a semicolon or a tab"),
        ("sep=;\nitem;rater;verdict\n1;ann;yes;no\n", [], "has 4 cells on line 3 and 3 headings"),
        ("# export\nitem,rater,verdict\n", [], "has 3 cells on line 2 and 1 heading;"),
        ("item,rater,verdict\n1,ann,yes\n", [], "holds one rater, ann, and no reference; expected two raters or more"),
        ("item,rater,verdict\n1,ann,yes\n", ["--judge", "ann"], "holds one rater, ann, and no reference"),
        ("item,rater, item,verdict\n1,ann,1,yes\n", [], "has two columns 'item'"),
        ("item,rater,verdict\n1,ann,yes\n", ["--by", "tier"], "no column 'tier'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(tmp_path, capsys, content, arguments, sentence):
    file = tmp_path / "ratings.csv"
    file.write_text(content)

    assert main([str(file), *arguments]) == 2

    error = capsys.readouterr().err
    assert error.startswith(str(file))
    assert sentence in error


def test_a_file_that_is_not_there_is_said_so(tmp_path, capsys):
    assert main([str(tmp_path / "none.csv")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [
        ("utf-16", "is UTF-16 text; save it as UTF-8, in Excel as 'CSV UTF-8'"),
        ("latin-1", "is no UTF-8 text (byte 0xfc); save it as UTF-8"),
    ],
)
def test_a_file_in_another_encoding_says_how_to_save_it(tmp_path, capsys, encoding, sentence):
    file = tmp_path / "ratings.csv"
    file.write_bytes("item,rater,verdict\n1,Müller,yes\n".encode(encoding))

    assert main([str(file)]) == 2
    assert sentence in capsys.readouterr().err


def test_empty_rows_of_a_spreadsheet_and_blanks_in_lists_change_nothing(tmp_path, capsys):
    plain, exported = tmp_path / "plain.csv", tmp_path / "exported.csv"
    plain.write_text(CSV)
    exported.write_text(CSV.replace("3,ann", ",,,,\n3,ann") + ",,,,\n,,,,\n")

    assert printed(capsys, exported, "--categories", "yes, no") == printed(capsys, plain, "--categories", "yes,no")


def test_a_folder_and_lists_in_a_parquet_file_are_named(tmp_path, capsys):
    lists = tmp_path / "lists.parquet"
    pd.DataFrame({"item": [1, 1], "rater": ["a", "b"], "verdict": [["x"], ["y", "z"]]}).to_parquet(lists)

    assert main([str(tmp_path)]) == 2
    assert "is a folder; expected a file" in capsys.readouterr().err
    assert main([str(lists)]) == 2
    assert "in 'verdict'; expected one value in each row" in capsys.readouterr().err


def test_blanks_around_names_make_no_rater_or_item_of_their_own_and_a_blank_verdict_is_missing(tmp_path, capsys):
    plain, blanks = tmp_path / "plain.csv", tmp_path / "blanks.csv"
    plain.write_text(CSV)
    blanks.write_text(CSV.replace("2,ann,", " 2,ann ,").replace("4,ann,,", "4,ann,  ,").replace(",s3", ", s3 "))

    assert printed(capsys, blanks) == printed(capsys, plain)


def test_a_name_of_blanks_is_none(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text(CSV.replace("2,bob", "2,  "))

    assert main([str(file)]) == 2
    assert "row 4 has no 'rater'" in capsys.readouterr().err


def test_letters_with_accents_are_the_same_however_a_program_composes_them(tmp_path, capsys):
    composed, apart = tmp_path / "composed.csv", tmp_path / "apart.csv"
    verdicts = ["bas", "\u00e9lev\u00e9"]
    lines = [f"{item},{rater},{verdicts[item % 2]}" for item in range(12) for rater in ("zo\u00e9", "bob")]
    composed.write_text("item,rater,verdict\n" + "\n".join(lines), encoding="utf-8")
    in_two_signs = [line.replace("\u00e9", "e\u0301") if row % 3 else line for row, line in enumerate(lines)]
    apart.write_text("item,rater,verdict\n" + "\n".join(in_two_signs), encoding="utf-8")

    as_composed = printed(capsys, composed, "--judge", "zo\u00e9", "--positive", "\u00e9lev\u00e9")
    assert printed(capsys, apart, "--judge", "zoe\u0301", "--positive", "e\u0301leve\u0301") == as_composed


def test_clusters_of_one_item_each_change_nothing(tmp_path, capsys):
    alone, without = tmp_path / "alone.csv", tmp_path / "without.csv"
    verdicts = [
        (item, rater, "yes" if (item * step) % 5 else "no")
        for item in range(20)
        for rater, step in (("ann", 1), ("bob", 3))
    ]
    without.write_text(
        "item,rater,verdict\n" + "\n".join(f"{item},{rater},{verdict}" for item, rater, verdict in verdicts)
    )
    alone.write_text(
        "item,rater,verdict,cluster\n"
        + "\n".join(f"{item},{rater},{verdict},s{item}" for item, rater, verdict in verdicts)
    )

    assert printed(capsys, alone) == printed(capsys, without)


def test_a_rater_who_writes_numbers_and_one_who_writes_words_are_not_compared(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    words = {"0": "no", "1": "yes"}
    rows = [row for n in range(8) for row in (f"i{n},x,{n % 2}", f"i{n},y,{words[str(n % 2)]}")]
    file.write_text("\n".join(["item,rater,verdict", *rows]))

    assert main([str(file)]) == 2
    sentence = "rater 'y' writes words only ('no') and rater 'x' numbers only ('0'); expected them to be written alike"
    assert sentence in capsys.readouterr().err
    declared = printed(capsys, file, "--categories", "0,1,no,yes")
    assert declared["percent agreement", "x", "y"]["value"] == 0.0


def test_items_of_two_columns_are_those_whose_columns_are_equal_not_those_whose_joined_names_are(tmp_path, capsys):
    file = tmp_path / "ratings.csv"
    file.write_text("item,part,rater,verdict\na / b,c,x,yes\na,b / c,x,no\na / b,c,y,yes\na,b / c,y,no\n")

    of_pair = printed(capsys, file, "--item", "item,part")["percent agreement", "x", "y"]

    assert (of_pair["n"], of_pair["value"]) == (2, 1.0)


@pytest.mark.parametrize(
    ("command", "options"), [(main, ()), (main_of_judge, ("--human", "ann", "--judge", "bob", "--item", "item"))]
)
def test_a_program_that_reads_only_the_first_lines_is_no_error(tmp_path, monkeypatch, capsys, command, options):
    long, wide = tmp_path / "long.csv", tmp_path / "wide.csv"
    long.write_text(CSV)
    wide.write_text("item,ann,bob\n1,yes,yes\n2,no,yes\n3,no,no\n")
    read, write = os.pipe()
    os.close(read)

    with os.fdopen(write, "w") as to_nobody:
        monkeypatch.setattr(sys, "stdout", to_nobody)
        assert command([str(long if command is main else wide), *options]) == 0
    assert capsys.readouterr().err == ""
