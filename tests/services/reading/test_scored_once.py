"""What somebody wrote on an item is compared with its reference once, however many tables of a report ask."""

from protocol.forms import PhaseField
from services.reading.correctness import AnswerKey
from services.reading.field_keys import FieldKey

PLACE = FieldKey(
    PhaseField(key="answer", label="Answer", type="text"),
    AnswerKey(format="open", type="text", options=(), accepted=("left frontal lobe",), low=None, high=None),
    compared=True,
    reference=None,
    state="program",
)


def test_the_same_words_are_compared_once():
    assert PLACE.score("The left frontal lobe") is PLACE.score("The left frontal lobe")


def test_other_words_have_their_own_score():
    right, wrong = PLACE.score("left frontal lobe"), PLACE.score("cerebellum")

    assert (right.correct, wrong.correct) == (True, False)
    assert (right.token_f1, wrong.token_f1) == (1.0, 0.0)
