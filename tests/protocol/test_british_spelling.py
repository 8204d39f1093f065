"""A word that British and American English write in two ways is one answer, and two words are two."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import british_spelling
from protocol.fields import text as words
from protocol.fields.kind import Reference

TABLE = british_spelling.PARTS | british_spelling.ENDS


def same(answer: str, other: str) -> bool:
    return words.canonical(answer) == words.canonical(other)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("Glial tumour", "glial tumor"), ("Tumours of the colour centre", "tumors of the color center"),
        ("oedema", "edema"), ("lymphoedema", "lymphedema"), ("oesophageal varices", "esophageal varices"),
        ("haemorrhage", "hemorrhage"), ("haemangioma", "hemangioma"), ("ischaemic stroke", "ischemic stroke"),
        ("anaemia", "anemia"), ("leukaemia", "leukemia"), ("hypoxaemic", "hypoxemic"),
        ("phaeochromocytoma", "pheochromocytoma"), ("naevus", "nevus"), ("caecal", "cecal"), ("foetal", "fetal"),
        ("faecal", "fecal"), ("coeliac trunk", "celiac trunk"), ("placenta praevia", "placenta previa"),
        ("diarrhoea", "diarrhea"), ("dyspnoea", "dyspnea"), ("paediatric", "pediatric"), ("anaesthesia", "anesthesia"),
        ("grey matter", "gray matter"), ("centred on the thalamus", "centered on the thalamus"),
        ("nerve fibres", "nerve fibers"), ("goitre", "goiter"), ("a few millimetres", "a few millimeters"),
        ("localised", "localized"), ("recanalisation", "recanalization"), ("metastasised", "metastasized"),
        ("paralysed", "paralyzed"), ("bone remodelling", "bone remodeling"), ("tunnelled line", "tunneled line"),
        ("motion artefact", "motion artifact"), ("disk herniation", "disc herniation"),
        ("periventricular leucomalacia", "periventricular leukomalacia"), ("distention", "distension"),
    ],
)  # fmt: skip
def test_british_and_american_spelling_are_one_answer(answer: str, other: str) -> None:
    assert same(answer, other)
    assert words.score(answer, Reference(accepted=(other,)), []).correct is True


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("ileum", "ilium"), ("peroneal", "perineal"), ("mucous", "mucus"), ("humeral", "humoral"), ("four", "for"),
        ("contour", "contor"), ("vertebrae", "vertebre"), ("precise", "precize"), ("size", "sise"), ("CVA", "stroke"),
        ("hypoaemia", "hyperaemia"), ("haematoma", "hepatoma"), ("callous", "callus"), ("foramen", "foremen"),
        ("naevus", "nerves"), ("oedema", "odema"), ("dilatation", "dilation"), ("tumour", "tumours"),
    ],
)  # fmt: skip
def test_other_words_are_other_answers(answer: str, other: str) -> None:
    assert not same(answer, other)


def test_the_table_has_one_direction() -> None:
    for british, american in TABLE.items():
        assert british_spelling.of_words(british) == american == british_spelling.of_words(american)


def test_no_two_british_spellings_have_one_american() -> None:
    assert len(set(TABLE.values())) == len(TABLE)


VERBS = ("catheter", "local", "recogn", "character", "metastas", "organ", "oxid", "vascular")
ANY_WORDS = st.lists(
    st.sampled_from([*TABLE, *TABLE.values(), *VERBS, *british_spelling.DOUBLED])
    | st.sampled_from(
        ["ised", "ized", "ation", "lled", " ", "-", "metres", "titre", "1 cm", "hour", "ae", "oe", "our"]
    ),
    max_size=4,
).map("".join)


@settings(max_examples=40)
@given(text=ANY_WORDS)
def test_a_text_in_american_spelling_stays_as_it_is(text: str) -> None:
    once = british_spelling.of_words(text)
    assert british_spelling.of_words(once) == once


@settings(max_examples=40)
@given(text=st.text(alphabet="bdfijkpqtvwxz0123456789 .,-+<>/%", max_size=30))
def test_numbers_and_signs_have_no_other_spelling(text: str) -> None:
    assert british_spelling.of_words(text) == text
