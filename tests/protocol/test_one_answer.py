"""Being the same answer in words is an equivalence, and never passes over what a radiologist would act on."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.fields import text as words
from protocol.fields.kind import Reference

# In each line the spellings of one answer.
SPELLINGS = [
    ("T2/FLAIR", "T2-FLAIR", "T2 FLAIR", "T2FLAIR", "t2 / flair", "T2w/FLAIR", "T2 - FLAIR"),
    ("T2/FLAIR hyperintensity", "T2 / FLAIR hyperintensity", "T2-FLAIR hyperintensity"),
    ("HU:-100", "HU -100", "HU: -100", "HU : \u2212100", "HU=-100", "HU = -100", "hu:-100.0"),
    ("density (HU):40", "density (HU) 40", "Density (HU): 40"),
    ("ADC:0.8", "ADC 0.8", "ADC=0,80"),
    ("ca 5 mm", "ca. 5 mm", "about 5 mm", "around 5 mm", "circa 0.5 cm", "approx. 5mm", "~5 mm", "5 mm"),
    ("mass of ca 5 mm", "a mass of ca. 5 mm", "mass of around 5 mm.", "mass of 5 mm"),
    ("around 5 mm in diameter", "about 5 mm in diameter", "5 mm in diameter"),
    ("around 5-10 mm thick", "ca 5 to 10 mm thick", "5 mm - 10 mm thick"),
    ("haemorrhage around 5 mm lesion", "hemorrhage around a 5-mm lesion", "Hemorrhage around 5mm lesion."),
    ("catheterised", "catheterized"),
    ("catheterisation", "catheterization"),
    ("re-anaesthetised", "re-anesthetised", "re-anesthetized"),
    ("unrecognisable", "unrecognizable"),
    ("necrotising fasciitis", "necrotizing fasciitis"),
    ("caesium", "cesium"),
    ("orthopaedic", "orthopedic"),
    ("paediatric", "pediatric"),
    ("haemorrhage", "hemorrhage"),
    ("ischaemia", "ischemia"),
    ("anaemia", "anemia"),
    ("leucocyte", "leukocyte"),
    ("leucaemia", "leukaemia", "leukemia"),
    ("leukaemoid reaction", "leukemoid reaction"),
    ("nerve fibre", "nerve fiber"),
    ("grey matter", "gray matter"),
    ("centre of the lesion", "center of lesion"),
    ("a litre", "a liter"),
    ("a few metres", "a few meters"),
    ("micrometres", "micrometers"),
    ("dyspnoea", "dyspnea"),
    ("diarrhoea", "diarrhea"),
    ("foetal", "fetal"),
    ("aluminium", "aluminum"),
    ("thrombolysed", "thrombolyzed"),
    ("lysed clot", "lyzed clot"),
    ("pedicle harbouring a metastasis", "pedicle harboring a metastasis"),
    ("sabre-sheath trachea", "saber-sheath trachea"),
    ("motor neurone disease", "motor neuron disease"),
    ("cancelled", "canceled"),
    ("Spiralled course", "spiraled course"),
    ("caecitis", "cecitis"),
    ("taenia", "tenia"),
    ("HER2 +ve", "HER2+ve", "HER2 +ive", "HER2 positive"),
    ("ER+ve/PR-ve", "ER +ve, PR -ve", "ER (+)ve, PR (-)ve"),
    ("margin -ve", "margin \u2212ve", "margin negative"),
    ("DWI: +", "DWI:+", "DWI=+", "DWI +", "DWI+", "DWI (+)", "DWI [+]", "DWI '+'"),
    ("R >> L", "R>>L", "R>>>L"),
    ("BI-RADS 4a", "BI-RADS4a", "BIRADS4a", "BI-RADS-4a", "BIRADS 4A"),
    ("CT + contrast", "CT +contrast", "CT+contrast"),
    ("15 mmHg", "15mmHg", "15.0 mmHg"),
    ("50 Gy", "50Gy"),
    ("24 h", "24h"),
    ("\u2022 glioma", "glioma"),
    ("Alzheimer\u00b4s", "Alzheimer's"),
    ("+ MLS, - ICH", "+MLS, -ICH", "+ MLS; - ICH", "+ MLS\n- ICH", "+MLS -ICH"),
    ("glioma?", "glioma ?", "glioma (?)", "Glioma??", "glioma?!", "a glioma [?]."),
    ("?glioma", "? glioma", "(?glioma)", "?? Glioma"),
    ("left ?glioma", "Left: ? glioma", "left (?glioma)"),
    ("HER2+?", "HER2 +?", "HER2 (+)?"),
    ('5"', "5''", "5\u2033", '5.0"'),
    ("5'", "5\u2032", "5\u2019"),
    ("No, tumour", "no; tumor", "No. Tumour.", "No: tumour", "No - tumour", "no\ntumour", "No! A tumour."),
    ("No tumour", "no tumor", "No tumour!"),
    ("No. of lesions: 5", "no of lesions 5"),
    ("No.", "no", "No!"),
    ("grade I (II)", "grade I(II)"),
    ("glioma(left)", "glioma (left)", "glioma left"),
    ("tumour(s)", "tumors"),
    ("left -> right", "left->right", "left \u2192 right", "left --> right", "left => right"),
    ("left <- right", "left<-right", "left \u2190 right", "left <-- right"),
    ("left <-> right", "left \u2194 right", "left<->right", "left <=> right"),
    ("<5 mm", "under 5 mm", "below 5 mm", "less than 0.5 cm", "Under about 5 mm.", "< 5 mm"),
    (">5 mm", "over 5 mm", "above 5 mm", "more than 0.5 cm"),
    ("nodule of over 5 mm in the left lobe", "nodule of >5 mm in left lobe"),
    ("diameter above 1 cm", "diameter > 10 mm"),
    ("stenosis is over 50%", "stenosis is >50 %"),
    ("below -10 HU", "< -10 HU", "under -10HU"),
    ("Th 5", "Th5", "T5"),
    ("fracture of Th 12", "fracture of T12"),
    ("Th 5-6", "T5/6", "Th5/Th6"),
    ("L4 - 5", "L4-5", "L4/5"),
    ("L4 - 5 disc", "L4/5 disc"),
    ("10 mins", "10 min", "10min", "10 minutes"),
    ("5 \u03bcg", "5 mcg", "5 ug", "5\u00b5g"),
    ("90\u00b0", "90 \u00b0"),
    ("15 kPa", "15kPa"),
    ("30-Gy boost", "30 Gy boost"),
    ("65 years old", "65 yrs old", "65-year-old", "65 year old"),
    ("3 hours", "3 hrs", "3 h", "3h"),
    ("follow-up", "follow up", "followup"),
    ("follow-ups in a year", "follow ups in year"),
    ("A com aneurysm", "ACom aneurysm", "A-com aneurysm", "A. comm. aneurysm", "an Acom aneurysm"),
    ("a communicating hydrocephalus", "communicating hydrocephalus"),
    ("Type A dissection", "a type A dissection", "type A dissection."),
    ("mass of unknown type, a glioma", "mass of unknown type, glioma"),
    ("HU -100; 0.5 cm", "HU -100; 5 mm"),
    ("yes/no, always", "yes/no always", "yes/no: always"),
    ("a lesion of the left lobe", "lesion of left lobe"),
]

# The same, where the marks are those of a whole answer: behind another item of a list, a dash is a sign.
WHOLE_ANSWERS = [
    ("- MLS\n- ICH", "MLS ICH", "\u2022 MLS\n\u2022 ICH", "- MLS\n\n- ICH."),
    ("- glioma", "glioma", "-> glioma", "=> glioma"),
    ("5", '"5"', "'5'", "\u201c5\u201d"),
]

# In each line two answers that look alike, and differ in what the list is about.
NEGATIONS = [
    ("haemorrhage", "no haemorrhage"), ("haemorrhage", "without haemorrhage"), ("ischaemia", "not ischaemia"),
    ("no oedema", "oedema"), ("no tumour", "tumor"), ("non-haemorrhagic", "haemorrhagic"),
    ("uncharacterised", "characterized"), ("unrecognised", "recognized"), ("asymmetric", "symmetric"),
    ("atypical", "typical"), ("negative", "positive"), ("HER2+", "HER2-"), ("ER+/PR-", "ER-/PR+"),
    ("incomplete", "complete"), ("non-enhancing", "enhancing"), ("nonenhancing", "enhancing"),
    ("unlikely tumour", "likely tumor"), ("decentralised", "centralized"), ("devascularised", "revascularized"),
    ("demineralised", "mineralized"), ("T1 -C", "T1 +C"), ("never ischaemic", "ischemic"),
    ("not catheterised", "catheterized"), ("neither centre nor rim", "center and rim"),
    ("HER2 +ve", "HER2 -ve"), ("node +ve", "node -ve"), ("+ve", "-ve"), ("ER+ve", "ER-ve"), ("CSF +ive", "CSF -ive"),
    ("DWI:+", "DWI:-"), ("DWI=+", "DWI=-"), ("oedema [+]", "edema [-]"), ('oedema "+"', 'edema "-"'),
    ("+oedema", "-edema"), ("+oedema, -mass", "-oedema, +mass"), ("CT + contrast", "CT - contrast"),
    ("CT +C", "CT -C"),
    ("+ MLS, - ICH", "- MLS, + ICH"), ("+ MLS\n- ICH", "- MLS\n+ ICH"),
    ("Seen: + MLS, - ICH", "Seen: - MLS, + ICH"), ("Seen: - oedema", "Seen: oedema"), ("+ MLS, - ICH", "MLS, ICH"),
    ("+ MLS, -ICH", "+ MLS, ICH"), ("-oedema", "oedema"), ("mass, -oedema", "mass, oedema"), ("+MLS -ICH", "+MLS ICH"),
    ("mass -oedema", "mass oedema"), ("++ oedema", "+ oedema"), ("- MLS, - ICH", "+ MLS, + ICH"),
    ("No, tumour", "no tumour"), ("No. Tumour seen", "no tumour seen"), ("No: tumour", "no tumour"),
    ("No\ntumour", "no tumour"), ("No, more than 5", "no more than 5"), ("No, a glioma", "no glioma"),
    ("glioma?", "glioma"), ("?glioma", "glioma"), ("glioma?", "no glioma"), ("glioma? lymphoma", "glioma ?lymphoma"),
    ("glioma? lymphoma", "glioma lymphoma?"), ("HER2+?", "HER2-?"), ("HER2+?", "HER2+"), ("5 mm?", "5 mm"),
    ("absent dyspnoea", "dyspnea"),
    ("hypoglycaemia", "hyperglycemia"), ("hypokalaemia", "hyperkalemia"),
]  # fmt: skip
SIDES = [
    ("left tumour", "right tumor"), ("left-sided", "right sided"), ("L > R", "R > L"), ("left > right", "left < right"),
    ("left", "bilateral"), ("ipsilateral", "contralateral"), ("lateralised left", "lateralized right"),
    ("L4 lesion", "R4 lesion"), ("medial", "lateral"), ("upper centre", "lower center"),
    ("anterior fibre", "posterior fiber"), ("left: 5 mm", "right: 5 mm"), ("left:5", "right:5"),
    ("proximal oesophagus", "distal esophagus"), ("above the centre", "below the center"),
    ("lt haematoma", "rt hematoma"), ("R >> L", "R << L"), ("R >> L", "R > L"), ("L>>R", "R>>L"),
    ("left -> right", "left <- right"), ("left -> right", "left right"), ("L -> R", "R -> L"), ("L <-> R", "L -> R"),
    ("L -> R", "L > R"), ("5 -> 3 mm", "5 >3 mm"), ("5 <- 3", "5 <-3"), ("A com", "P com"), ("A com", "com"),
    ("inferior", "superior"), ("L 4/5", "R 4/5"), ("dorsal", "ventral"),
]  # fmt: skip
NUMBERS = [
    ("HU:-100", "HU:100"), ("HU -100", "HU 100"), ("HU:-100", "HU:-10"), ("HU:10", "HU1:0"), ("ADC:0.8", "ADC:8"),
    ("ADC:0.8", "ADC:08"), ("ca 5 mm", "ca 50 mm"), ("ca 5 mm", "ca 5.5 mm"), ("around 5 mm", "around 6 mm"),
    ("about 5", "about -5"), ("1:2", "1 2"), ("1:2", "2:1"), ("3.5 cm", "35 cm"), ("-3", "3"), ("<5 mm", ">5 mm"),
    ("at least 5", "at most 5"), ("5-10 mm", "5 x 10 mm"), ("5 lesions", "6 lesions"), ("one centre", "two centers"),
    ("around 5 mm lesion", "5 mm lesion"), ("oedema around 5 mm lesion", "oedema 5 mm lesion"),
    ("oedema around 5 x 3 mm lesions", "oedema 5 x 3 mm lesions"), ("oedema around 5 mm ring", "oedema 5 mm ring"),
    ("oedema around 50% stenosis", "oedema 50% stenosis"), ("prostate ca 5 mm", "prostate 5 mm"),
    ("ca 125", "125"), ("ca 19-9", "19-9"), ("CA 15", "15"), ("max: 5 mm", "5 mm"), ("L:4", "L4"), ("T=5", "T5"),
    ("1/2", "12"), ("T1:5", "T15"), ("10:30", "10.30"), ("5 of 10", "5.10"), ("5...10 mm", "510 mm"), ("5..10", "510"),
    ("5\u2026100 mm", "5100 mm"), ("15 mmHg", "15 mm"),
    ("5\"", "5'"), ("5\"", "5"), ("5'", "5"), ("5' 3\"", "5 3"), ("5\"", "5 mm"),
    ("under 5 mm", "over 5 mm"), ("below 5 mm", "at most 5 mm"), ("over 5 mm", "at least 5 mm"), ("over 5 mm", "5 mm"),
    ("extends over 5 mm", "extends >5 mm"), ("oedema below 5 mm lesion", "oedema <5 mm lesion"),
    ("above 5 mm lesion", ">5 mm lesion"), ("not over 5 mm", "not under 5 mm"), ("over 5 years", ">5 years"),
    ("Th 5", "T6"), ("5 Th 5", "5 T5"), ("Th 5 mm", "T5 mm"), ("Th 5", "L5"), ("Th 5", "Th 5.5"),
    ("L4 - 5", "L4, 5"), ("L4 - 5 lesions", "L4/5 lesions"), ("L4 - 5 mm", "L4/5 mm"), ("L4 - 5", "L4"),
    ("L5 - 4", "L4 - 5"), ("L 4 - 5", "L4 - 5"),
]  # fmt: skip
UNITS = [
    ("HU:5", "5 mm"), ("5 cm", "5 mm"), ("5 millimetres", "5 centimeters"), ("5 ml", "5 mm"), ("5 litres", "5 meters"),
    ("5 mm", "5 mm2"), ("5 mm2", "5 mm3"), ("5 micrometres", "5 millimeters"), ("5 mm/year", "5 mm/month"),
    ("5 mm", "5%"), ("5 ms", "5 s"), ("5 min", "min 5"), ("5 metres", "5"), ("5 HU", "5"), ("5 Gy", "5 mGy"),
    ("SUV:5 g", "SUV:5 kg"), ("ca 5 mm", "ca 5 cm"), ("around 5 ml", "around 5 mm"), ("5 mg", "5 g"),
    ("5 mcg", "5 mg"), ("5 kPa", "5 mmHg"), ("5 cGy", "5 Gy"), ("5 \u00b0", "5"), ("5 years", "5 months"),
    ("5 minute lesions", "5 min lesions"), ("3D", "3 days"), ("5 mm/y", "5 mm"), ("5 MHz", "5 kHz"),
    ("10 mins", "10 mm"), ("10 mins", "10 months"), ("10 mins", "10 ms"), ("10 min", "min 10"), ("10 min", "10 m"),
]  # fmt: skip
GRADES = [
    ("BI-RADS 4", "BI-RADS 5"), ("BI-RADS:4", "BI-RADS:5"), ("BI-RADS 4a", "BI-RADS 4b"), ("grade I", "grade II"),
    ("grade:3", "grade:2"), ("grade II-III", "grade III"), ("low-grade tumour", "high-grade tumor"),
    ("T2N0", "T2N1"), ("pT3", "cT3"), ("stage:3a", "stage:3b"), ("Fazekas 1", "Fazekas 2"), ("T2/FLAIR", "T1/FLAIR"),
    ("T2/FLAIR", "FLAIR"), ("T2/FLAIR", "T2"), ("T2/FLAIR", "T2, FLAIR"), ("T2/FLAIR", "T2 and FLAIR"),
    ("T1 / T2 / FLAIR", "T1 / T2-FLAIR"), ("T2/FLAIR", "T2*/FLAIR"), ("Gleason 3+4", "Gleason 4+3"), ("V/5", "IV/5"),
    ("grade I&II", "grade III"), ("I;II", "III"), ("I.II", "III"), ("I(II)", "III"), ("I.II", "II"), ("I[V]", "IV"),
    ("type A dissection", "type dissection"), ("type A dissection", "type B dissection"),
    ("Stanford A dissection", "Stanford dissection"), ("hepatitis A virus", "hepatitis virus"),
    ("L4/5", "L5/S1"), ("C5", "C6"), ("hepatitis A", "hepatitis"), ("mild ischaemia", "severe ischemia"),
    ("WHO grade 2", "WHO grade 3"), ("Th5", "T6"),
]  # fmt: skip
WORDS = [
    ("ileum", "ilium"), ("peroneal", "perineal"), ("filled", "filed"), ("dilatation", "dilation"),
    ("rigours", "rigors"), ("storey", "story"), ("precise", "precize"), ("uterine", "urine"),
    ("haemangioma", "hamartoma"),
    ("analyses", "analyzes"), ("paralyses", "paralyzes"), ("hypertrophy", "hypotrophy"), ("raised", "razed"),
    ("incision", "excision"), ("incised", "excised"), ("thrombosed", "thrombolysed"), ("catheter", "catheterised"),
    ("stenosed", "stented"), ("hepatise", "hepatic"), ("leucocyte", "leucocytosis"),
]  # fmt: skip
NEAR_MISSES = [*NEGATIONS, *SIDES, *NUMBERS, *UNITS, *GRADES, *WORDS]
ANSWERS = [spelling for spellings in (*SPELLINGS, *WHOLE_ANSWERS) for spelling in spellings] + [
    answer for pair in NEAR_MISSES for answer in pair
]


def same(answer: str, other: str) -> bool:
    return words.score(answer, Reference(accepted=(other,)), []).correct is True


@pytest.mark.parametrize("spellings", [*SPELLINGS, *WHOLE_ANSWERS], ids=lambda spellings: spellings[0])
def test_each_spelling_of_an_answer_is_the_same_as_each_other(spellings: tuple[str, ...]) -> None:
    assert all(same(answer, other) for answer, other in product(spellings, repeat=2))


@pytest.mark.parametrize(("answer", "other"), NEAR_MISSES)
def test_answers_that_look_alike_are_two(answer: str, other: str) -> None:
    assert not same(answer, other)
    assert not same(other, answer)


@settings(max_examples=60)
@given(*[st.sampled_from(ANSWERS) | st.text(alphabet="aeoisz 15.-<>:=/+mc", max_size=12)] * 3)
def test_to_be_the_same_answer_is_reflexive_symmetric_and_transitive(first: str, second: str, third: str) -> None:
    first, second, third = (f"x {answer}" for answer in (first, second, third))

    assert same(first, first)
    assert same(first, second) == same(second, first)
    assert same(first, third) or not (same(first, second) and same(second, third))


@settings(max_examples=60)
@given(spellings=st.sampled_from(SPELLINGS), others=st.sampled_from(SPELLINGS), data=st.data())
def test_a_sentence_of_two_answers_is_the_same_in_every_spelling_of_either(
    spellings: tuple[str, ...], others: tuple[str, ...], data: st.DataObject
) -> None:
    said = [f"{data.draw(st.sampled_from(spellings))}; {data.draw(st.sampled_from(others))}" for _ in range(3)]

    assert all(same(answer, other) for answer, other in product(said, repeat=2))
