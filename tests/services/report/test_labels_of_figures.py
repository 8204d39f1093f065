"""Labels of figures: quotation marks stay, long ones get the height they need, and 0 has no minus."""

from exchange.report.shown_numbers import shown_number
from services.report.figures.labels import escaped, height_above, height_of, longest_of_column, wrapped


def test_quotation_marks_are_drawn_as_they_are_and_tags_are_not():
    assert escaped('“a” "b" <b> & c') == '“a” "b" &lt;b&gt; &amp; c'


def test_lines_are_as_high_as_the_longest_label_needs():
    short, long = "Glioma", "Incorrect, misleading or hallucinated in more than one of the findings (73)"

    assert height_of([short, short], 46) == 46
    assert height_of([short, long], 46, longest=16) >= 15 * (wrapped(long, 16).count("<br>") + 1)


def test_what_rounds_to_nothing_has_no_sign_of_minus():
    assert [shown_number(-0.0001, scale) for scale in ("percent", "number", "points")] == ["0.0", "0.00", "+0.0"]


def test_labels_of_columns_break_so_that_neighbours_do_not_touch():
    few, many = ["Invented finding (12)"] * 4, ["Invented finding (12)"] * 6

    # As many letters in all as stand beside each other on 170 mm.
    assert [wrapped(few[0], longest_of_column(4)), wrapped(many[0], longest_of_column(6))] == [
        "Invented finding<br>(12)",
        "Invented<br>finding<br>(12)",
    ]
    assert height_above(few) == 0 < height_above(many)
