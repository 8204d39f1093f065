"""What a neuroradiologist calls the same is the same answer, and what he would tell apart is not."""

from __future__ import annotations

import pytest

from protocol.fields import KINDS
from protocol.fields import text as words
from protocol.fields.kind import Reference
from protocol.forms import FormField


def same(answer: str, other: str) -> bool:
    return words.canonical(answer) == words.canonical(other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("T2-FLAIR mismatch", "T2 FLAIR mismatch"), ("T2FLAIR", "t2 - flair"), ("T1w", "T1-weighted"),
        ("T2* weighted", "T2*w"), ("T2w FLAIR", "T2-FLAIR"), ("T1 +C", "T1+C"), ("T1 + C", "T1+C"),
        ("T1w + Gd", "T1w+Gd"), ("PD-weighted", "PDw"), ("T1 and T2 weighted", "T1- and T2-weighted"),
    ],
)  # fmt: skip
def test_a_sequence_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("T2 FLAIR", "T2, FLAIR"), ("T2 FLAIR", "T2 and FLAIR"), ("T2-FLAIR", "T1-FLAIR"), ("T2-FLAIR", "FLAIR"),
        ("T2*w", "T2w"), ("T1w", "T1"), ("T1 w/ contrast", "T1-weighted contrast"), ("T1w", "PDw"), ("T1 +C", "T1 -C"),
    ],
)  # fmt: skip
def test_two_sequences_are_not_one(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("T1-C", "T1 -C"), ("T1 - C", "T1 -C"), ("T1\u2212C", "T1-C"), ("T1 C-", "T1 -C"), ("T1C-", "T1-C"),
        ("T1w-C", "T1-weighted -C"), ("CT-C", "CT -C"), ("T2-FLAIR-C", "T2 FLAIR -C"), ("T1-C, T2", "T1 -C, T2"),
        ("T1 C+", "T1 +C"), ("T1C+", "T1+C"), ("T1-C+", "T1 + C"), ("MRI - C spine", "MRI C spine"),
    ],
)  # fmt: skip
def test_with_and_without_contrast_have_one_spelling_each(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize("without", ["T1-C", "T1 -C", "T1 - C", "T1 C-", "T1C-", "T1(-C)"])
@pytest.mark.parametrize("other", ["T1C", "T1c", "T1 C", "T1+C", "T1 + C", "T1 C+", "T1C+", "T1-Gd", "T1-CE", "T1"])
def test_without_contrast_is_not_with_contrast(without: str, other: str) -> None:
    assert not same(without, other)


@pytest.mark.parametrize(
    ("answer", "other"), [("CT-C", "CT+C"), ("FLAIR-C", "FLAIR+C"), ("MRI-C", "MRI C"), ("T1C", "T1+C")]
)
def test_contrast_counts_in_every_technique_and_a_stage_is_not_contrast(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("L4/5", "L4-5"), ("L4/5", "L4/L5"), ("L4/5", "L4\u2013L5"), ("L4/5", "L4L5"), ("L4/5", "L4 - L5"),
        ("disc at C5-6.", "disc at C5/C6"), ("Th10/11", "T10-11"), ("Th10", "T10"), ("Th12/L1", "T12-L1"),
        ("L5/S1", "L5-S1"), ("L5 / S1", "L5S1"), ("C7/Th1", "C7-T1"), ("L3-5", "L3-L5"),
        ("L4 / 5", "L4/5"), ("L4\u20145", "L4/5"), ("D12", "T12"), ("D5 fracture", "Th5 fracture"),
        ("D11/12", "T11-T12"),
        ("D12-L1", "T12/L1"), ("C7/D1", "C7-T1"), ("D2-D4", "T2-4"),
        ("L3 to L5", "L3-L5"), ("L3 through L5", "L3\u2013L5"), ("Th5 to Th7", "T5-7"), ("L5 to S1", "L5/S1"),
        ("L3 to S1", "L3-S1"), ("Th10 - L2", "T10-L2"),
    ],
)  # fmt: skip
def test_a_level_of_the_spine_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("L4/5", "L3/4"), ("L4/5", "C4/5"), ("L4/5", "L4 and L5"), ("L4/5", "L4, L5"), ("L4/5", "L45"), ("L4/5", "L4"),
        ("L4/5", "L 4/5"), ("L3-L5", "L3/L5"), ("L3-5", "L3, L5"), ("L4-6", "L4/5"), ("L5/S1", "L5"), ("L4/5", "4/5"),
        ("L4/5/S1", "L4/5 S1"), ("T1-T2*", "T1-2"), ("D2", "T2"), ("D13", "T13"), ("D12", "L12"), ("3D12", "3T12"),
        ("Th13", "T13"), ("T2-3 mm", "T2/T3 mm"), ("L5/4", "L4/5"),
        ("L5 to L3", "L3-L5"), ("L3 to L5", "L3 and L5"), ("T10 to L2", "T10, L2"), ("S1 to L3", "L3-S1"),
    ],
)  # fmt: skip
def test_another_level_or_two_vertebrae_are_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    "answer", ["max 5 mm", "max. 5mm", "maximum 5 mm", "Maximum of 5 mm", "up to 5 mm", "at most 5 mm", "\u2264 5 mm",
               "no more than 5 mm", "not more than 5 mm", "5 mm or less", "5 mm at most", "5 mm max.", "<=5 mm",
               "=< 5mm", "max: 5 mm", "Maximum = 5 mm"],
)  # fmt: skip
def test_an_upper_bound_has_one_spelling(answer: str) -> None:
    assert same(answer, "\u22645 mm")


@pytest.mark.parametrize("answer", ["min 5", "min. 5", "minimum of 5", "at least 5", "no fewer than 5", "5 or more"])
def test_a_lower_bound_has_one_spelling(answer: str) -> None:
    assert same(answer, "\u22655")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("up to 5", "less than 5"), ("at least 5", "more than 5"), ("max 5", "min 5"), ("max 5", "5"),
        ("5 min", "at least 5"), ("SUV max 5", "SUV at most 5"), ("maximum diameter 5 mm", "diameter at most 5 mm"),
        ("over 5 years", "more than 5 years"), ("max 5", "max 6"), ("SUV max: 5", "max: 5"),
    ],
)  # fmt: skip
def test_another_bound_a_time_and_a_measured_maximum_are_other_answers(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize("answer", ["less than 5 mm", "fewer than 5mm", "< 5 mm"])
def test_less_than_has_one_spelling(answer: str) -> None:
    assert same(answer, "<5 mm")


@pytest.mark.parametrize(
    ("answer", "other"), [("SUV max 5", "SUVmax 5"), ("T max > 6 s", "Tmax >6 s"), ("V max 3 m/s", "Vmax 3 m/s")]
)
def test_a_measured_maximum_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"), [("50 %", "50"), ("50 percent", "50 %"), ("50 per cent", "50%"), ("12.50 pct.", "12,5 %")]
)
def test_a_percentage_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(("answer", "other"), [("50 %", "50 mm"), ("50 %", "0.5"), ("50 percentile", "50 %")])
def test_what_is_no_percentage_differs_from_one(answer: str, other: str) -> None:
    assert not same(answer, other)


def test_a_reference_in_percent_is_a_number_where_that_is_the_unit() -> None:
    asked = FormField(key="answer", type="number", label="Stenosis", unit="%", maximum=100)

    assert KINDS["number"].problem_of_reference(asked, Reference(("50 %",))) == ""
    assert KINDS["number"].problem_of_reference(asked, Reference(("150 %",)))
    assert KINDS["number"].score(50.0, Reference(("50 %",), unit="%"), []).correct is True


@pytest.mark.parametrize("unit", ["mm", None])
def test_a_reference_in_percent_is_refused_of_another_unit(unit: str | None) -> None:
    asked = FormField(key="answer", type="number", label="Size", unit=unit)

    assert "'50 %'" in KINDS["number"].problem_of_reference(asked, Reference(("50 %",)))


@pytest.mark.parametrize(
    "answer", ["max 5", "max. 5 mm", "maximum of about 5", "min 5", "5 max", "5 mm maximum", "5 minimum", "L4/5",
               "=< 5", "L4 / 5", "max. 5 mm diameter", "Th5-6", "C4-5", "no more than 5", "max: 5", "max = 5 mm",
               "no 5", "No. 5", "5th", "the 5th rib", "V/5", "iv / 5", "grade V/5", "D5/6", "5 to 6 mm", "D5", "nr. 5",
               "no 5th"],
)  # fmt: skip
def test_a_bound_or_a_level_is_no_number_within_limits(answer: str) -> None:
    assert KINDS["text"].score(answer, Reference(low=4.0, high=6.0), []).correct is False


@pytest.mark.parametrize(
    "answer", ["maximum diameter 5 mm", "5 min", "SUV max 5", "SUVmax 5", "minimal shift, 5 mm", "5 mm at L4/L5",
               "5 percent", "C5/6: 5 mm", "5th rib: 5 mm", "No. of lesions: 5", "No, 5", "no. 3: 5 mm", "5 mm/s",
               "5 th", "5 mm max. diameter", "5 mm maximum transverse diameter", "V max 5 m/s"],
)  # fmt: skip
def test_a_measured_number_is_one_also_beside_a_level(answer: str) -> None:
    assert KINDS["text"].score(answer, Reference(low=4.0, high=6.0), []).correct is True


def test_each_text_is_spelled_once_however_often_it_is_compared() -> None:
    answers = [f"A meningioma of {size} mm at the falx" for size in range(20)]
    accepted = Reference(("meningioma of 7 mm at the falx", "falx meningioma"))
    words._remembered.cache_clear()

    for _ in range(50):
        for answer in answers:
            words.score(answer, accepted, ())

    assert words._remembered.cache_info().misses == len(answers) + len(accepted.accepted)


def test_the_spellings_that_are_remembered_are_bounded() -> None:
    assert words._remembered.cache_info().maxsize is not None


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("4 / 5", "4/5"), ("1 : 2", "1:2"), ("grade II / III", "grade II/III"), ("5 mm - 10 mm", "5-10 mm"),
        ("5mm\u201310mm", "5-10 mm"), ("5% - 10%", "5-10%"), ("5\u201410 mm", "5-10 mm"), ("5 mm x 3 mm", "5 x 3 mm"),
        ("5 by 3 mm", "5 x 3 mm"), ("5 mm by 3 mm", "5 x 3 mm"), ("5mm*3mm*2mm", "5 x 3 x 2 mm"),
        ("5-mm nodule", "5 mm nodule"), ("minus 5 HU", "-5 HU"),
        ("5 +- 1", "5 \u00b1 1"), ("5 to 10 mm", "5-10 mm"), ("5 mm to 10 mm", "5-10 mm"),
        ("+- 1", "\u00b11"), ("+/- 5 mm", "\u00b1 5 mm"), ("\u00b1 .5 cm", "\u00b15 mm"),
        ("3 to 4 weeks", "3 - 4 weeks"), ("V / 5", "V/5"), ("grade 2 of 3", "grade 2/3"), ("2 out of 3", "2 of 3"),
        ("5 mm/5 mm", "5/5 mm"), ("5 mm / 3 mm", "5/3 mm"), ("50% / 30%", "50/30%"), ("\u00bd", "1/2"),
    ],
)  # fmt: skip
def test_a_quantity_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("1 / 2", "1 : 2"), ("1 / 2", "1, 2"), ("5 mm - 10 mm", "5 mm, 10 mm"), ("5 mm - 10 cm", "5-10 cm"),
        ("5 cm x 3 mm", "5 x 3 mm"), ("5 +- 1", "5 1"), ("minus 5", "5"), ("=> oedema", "\u2265 oedema"),
        ("10 to 5 mm", "10-5 mm"), ("1 to 2", "1:2"), ("5 to 10", "5, 10"), ("V/5", "V5"), ("V/5", "5/5"), ("5th", "5"),
        ("4/5 / 3/5", "4/5/3/5"), ("2 of 3", "2:3"), ("3 of 2", "3/2"), ("2 of 3 mm", "2/3 mm"),
        ("5/3 mm", "5 mm, 3 mm"),
        ("grade II / III", "grade II, III"), ("10 minus 5", "10 -5"), ("3-T", "3"),
    ],
)  # fmt: skip
def test_another_quantity_is_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize("answer", ["minus 5 HU", "5 +- 1", "5 mm - 6 mm", "4 / 5"])
def test_a_negative_number_a_tolerance_and_a_range_are_no_number_within_limits(answer: str) -> None:
    assert KINDS["text"].score(answer, Reference(low=4.0, high=6.0), []).correct is False


@pytest.mark.parametrize(
    "answer",
    [
        "~5 cm", "~ 50 mm", "\u22485 cm", "about 5 cm", "approximately 5cm", "approx. 5 cm", "roughly 5 cm",
        "around 5 cm", "circa 5 cm", "ca. 5 cm", "Ca. 5.0 cm",
    ],
)  # fmt: skip
def test_an_approximate_size_is_the_size(answer: str) -> None:
    assert same(answer, "5 cm")
    assert same(f"a mass of {answer}", "mass of 5 cm")
    assert same(f"at most {answer}", "\u22645 cm")


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("almost 5 cm", "5 cm"), ("over 5 cm", "5 cm"), ("around the 4th ventricle", "4th ventricle"),
        ("around 4th ventricle", "4th ventricle"), ("about 2nd rib", "2nd rib"), ("around 3 vessels", "3 vessels"),
        ("CA 125", "125"), ("CA. 125", "125"), ("prostate ca. 5 mm", "prostate 5 mm"), ("3~5 cm", "35 cm"),
        ("50%~60%", "50% 60%"), ("about 5 cm", "about 5 mm"),
    ],
)  # fmt: skip
def test_a_word_that_says_more_than_approximately_counts(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("BI RADS 4a", "BI-RADS 4A"), ("Lung RADS 3", "Lung-RADS 3"), ("T2 N0", "T2N0"), ("pT1a N0 M0", "pT1aN0M0"),
        ("T2, N0, M0", "T2N0M0"), ("cT2 Nx Mx", "cT2NxMx"), ("pT3 pN1", "pT3pN1"), ("pT3, pN1", "pT3pN1"),
        ("ypT3 ypN1 cM0", "ypT3ypN1cM0"), ("N1 M0", "N1M0"), ("pN1 cM0", "pN1cM0"),
    ],
)  # fmt: skip
def test_a_stage_and_a_category_of_findings_have_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("BI-RADS 4a", "BI-RADS 4"), ("T2N0", "T2N1"), ("T2 N0", "T20"), ("cT2N0", "pT2N0"), ("pT3 pN1", "T3 N1"),
        ("pT3 pN1", "cT3 cN1"), ("pT3 pN1", "pT3 cN1"), ("pT3 pN1", "ypT3 ypN1"), ("N1 M0", "N1 M1"),
    ],
)  # fmt: skip
def test_another_stage_or_category_is_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


def test_digits_parted_by_an_underscore_are_no_number() -> None:
    asked = FormField(key="answer", type="number", label="Size", unit="mm")

    assert "'5_0'" in KINDS["number"].problem_of_reference(asked, Reference(("5_0",)))
    assert KINDS["number"].canonical("5_0") != KINDS["number"].canonical(50)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        (".5 cm", "5 mm"), ("1,2 cm cyst", "12-mm cyst"), ("5 x 3 cm", "50 x 30 mm"), ("5 cm x 3 mm", "50 x 3 mm"),
        ("0.5-1 cm", "5 mm to 1 cm"), ("< 1 cm", "less than 10mm"), ("at most 1 cm", "10 mm or less"),
        ("2 \u00b1 0.5 cm", "20 \u00b1 5 mm"), ("3 and 5 cm", "30 and 50 mm"), ("-1 cm", "-10 mm"),
        ("2 cc", "2 ml"), ("2 cm\u00b3", "2 mL"), ("2 cm^3", "2000 mm3"), ("2 cm2", "200 mm\u00b2"),
        ("5 centimetres", "50 millimeters"), ("5 cms", "5 cm"), ("2 sq cm", "2 cm2"), ("2 cubic centimeters", "2 ml"),
        ("5 mm-thick", "5 mm thick"), ("10^3", "10\u00b3"),
        ("0.8 \u00d7 10\u207b\u00b3 mm\u00b2/s", "0.8 x 10^-3 mm2/s"), ("10^\u22123", "10\u207b\u00b3"),
        ("1 000 mm", "1000 mm"), ("1\u2009200.5 mm\u00b3", "1200.5 mm3"), ("1'000 mm", "1000 millimetres"),
        ("1 000 - 1 200 HU", "1000-1200 HU"), ("1 000 x 500 mm", "1000 x 500 mm"), ("-1 000 HU", "-1000 HU"),
        ("\u00bd cm", "5 mm"), ("1/2 cm", "5 mm"), ("1\u00bd cm", "15 mm"), ("1 1/2 inches", "1.5 inch"),
        ("5\u00bd", "5.5"), ("3/4 cm", "7.5 mm"), ("\u2153 cm", "1/3 cm"), ("1-1\u00bd cm", "10-15 mm"),
        ("5 cm/3 cm", "50 mm/30 mm"), ("5 cm / 3 cm", "50/30 mm"), ("5 (cm)", "50 mm"), ("5 [ml]", "5 cc"),
    ],
)  # fmt: skip
def test_a_size_is_the_same_in_centimetres_and_millimetres(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("BI-RADS 4, 2 cm", "BI-RADS 4, 20 mm"), ("grade 2, 3 cm", "grade 2, 30 mm"),
        ("segments 4 and 5, 2 x 3 cm", "segments 4 and 5, 20 x 30 mm"), ("Gleason 3+4, 2 cm", "Gleason 3+4, 20 mm"),
        ("since 2020, 2 cm", "since 2020, 20 mm"), ("lesions of 2, 3 and 5 cm", "lesions of 20, 30 and 50 mm"),
    ],
)  # fmt: skip
def test_the_number_of_a_grade_or_a_segment_is_no_part_of_the_size_behind_it(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("5 cm", "5 mm"), ("5 cm", "50"), ("5 cm2", "50 mm2"), ("5 cm", "50 ml"), ("5 and 10 cm", "5 and 100 mm"),
        ("10^3", "103"), ("10\u00b3", "10\u00b2"), ("10\u207b\u00b3", "10\u00b3"), ("10^-3", "10-3"),
        ("segment 4, 2 cm", "segment 40, 20 mm"),
        ("1 000 mm", "1 0 mm"), ("1 000", "1000"), ("slice 3 100 mm", "slice 3100 mm"), ("T1 200 ms", "T1200 ms"),
        ("L4/5 500 mm", "L4/5500 mm"), ("5 1 000 mm", "51000 mm"), ("1 0000 mm", "10000 mm"),
        ("grade 3 1/2 cm", "grade 35 mm"),
        ("1/3 cm", "10/30 mm"), ("1/2", "0.5"), ("1/2/4 cm", "1/5 mm"), ("5 (cm)", "5 mm"), ("5 cm/s", "5 mm/s"),
        ("1,000 cm", "10 mm"), ("5 cm/s", "50 mm"), ("1/2 cm", "1/20 mm"), ("5 m", "5000 mm"), ("5 cm", "-50 mm"),
    ],
)  # fmt: skip
def test_another_size_is_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("left-sided", "left sided"), ("a ring-enhancing mass", "ring enhancing mass"), ("high-grade", "High grade"),
        ("well-defined", "well defined"), ("tree-shaped", "tree shaped"), ("contrast-enhanced", "contrast enhanced"),
    ],
)  # fmt: skip
def test_an_adjective_of_two_words_has_one_spelling(answer: str, other: str) -> None:
    assert same(answer, other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("left sided", "right sided"), ("left sided", "left"), ("high grade", "grade"), ("high-grade", "low-grade"),
        ("not enhancing", "enhancing"),
    ],
)  # fmt: skip
def test_another_adjective_is_another_answer(answer: str, other: str) -> None:
    assert not same(answer, other)


@pytest.mark.parametrize(("answer", "right"), [("1.3 cm", True), ("13 mm", True), ("13 cm", False), ("13", True)])
def test_limits_are_in_the_unit_of_the_accepted_text_beside_them(answer: str, right: bool) -> None:
    assert KINDS["text"].score(answer, Reference(("12 mm",), 10.0, 15.0), []).correct is right


@pytest.mark.parametrize("accepted", [(), ("12 mm", "1.2 cm"), ("about twelve",)])
def test_limits_of_no_unit_are_compared_with_the_number_as_it_is_written(accepted: tuple[str, ...]) -> None:
    assert KINDS["text"].score("13 cm", Reference(accepted, 10.0, 15.0), []).correct is True
    assert KINDS["text"].score("1.3 cm", Reference(accepted, 10.0, 15.0), []).correct is False
