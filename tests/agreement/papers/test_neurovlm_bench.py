"""NeuroVLM-Bench: macro and weighted F1 of tables 9 and 11 from the F1 per class of tables 15 and 16.

The confusion tables are unprinted. Reads are constructed that have the printed F1 in every class: every error is an
abstention, so that `2 TP / (2 TP + FN)` alone decides. The classes are as large to each other as in table 2, of which
the test split is a stratified quarter. Printed F1 are known to .0005, the printed means too: together they may be .001
apart.
"""

import numpy as np
import pytest

from agreement import classification_scores
from tests.agreement.papers.printing import printed

# sizes in the whole benchmark
CLASSES = {"tumor": 12_149, "stroke": 6563, "multiple sclerosis": 1411, "normal": 9158, "other abnormalities": 257}

# model: F1 per class, macro F1, weighted F1
ZERO_SHOT = {
    "Gemini 2.0 Flash": ((0.908, 0.471, 0.537, 0.655, 0.116), 0.537, 0.708),
    "Gemini 2.5 Flash": ((0.897, 0.526, 0.602, 0.696, 0.098), 0.564, 0.731),
    "Gemini 2.5 Pro": ((0.912, 0.642, 0.623, 0.623, 0.083), 0.577, 0.741),
    "MedGemma 1 4B": ((0.772, 0.349, 0.306, 0.472, 0.000), 0.380, 0.556),
    "MedGemma 1.5 4B": ((0.823, 0.152, 0.415, 0.679, 0.024), 0.419, 0.602),
    "LLaMA 4 Maverick": ((0.877, 0.347, 0.328, 0.661, 0.055), 0.454, 0.659),
    "GPT-4o": ((0.876, 0.673, 0.367, 0.588, 0.082), 0.517, 0.710),
    "GPT-5 Chat": ((0.900, 0.737, 0.461, 0.566, 0.143), 0.561, 0.733),
    "Qwen 2.5-VL": ((0.710, 0.484, 0.031, 0.567, 0.000), 0.358, 0.576),
}
FEW_SHOT = {
    "Gemini 2.0 Flash": ((0.897, 0.630, 0.551, 0.657, 0.155), 0.578, 0.740),
    "Gemini 2.5 Flash": ((0.915, 0.684, 0.560, 0.685, 0.215), 0.612, 0.769),
    "Gemini 2.5 Pro": ((0.937, 0.705, 0.550, 0.593, 0.188), 0.594, 0.753),
    "MedGemma 1 4B": ((0.807, 0.288, 0.348, 0.601, 0.000), 0.409, 0.599),
    "MedGemma 1.5 4B": ((0.870, 0.568, 0.532, 0.687, 0.130), 0.557, 0.723),
    "LLaMA 4 Maverick": ((0.905, 0.541, 0.391, 0.636, 0.130), 0.520, 0.709),
    "GPT-4o": ((0.912, 0.740, 0.538, 0.519, 0.263), 0.595, 0.728),
    "Qwen 2.5-VL": ((0.621, 0.000, 0.000, 0.401, 0.000), 0.205, 0.380),
}
ROWS = [
    pytest.param(*row, id=f"{shots}, {model}")
    for shots, table in (("zero-shot", ZERO_SHOT), ("few-shot", FEW_SHOT))
    for model, row in table.items()
]

UNDETERMINED = -1
COPIES = 2  # of each read: 514 in the smallest class, so that it too can have its printed F1, to .001


def scores(per_class):
    sizes = COPIES * np.array(list(CLASSES.values()))
    result = np.rint([f1 * size / (2 - f1) for f1, size in zip(per_class, sizes, strict=True)]).astype(int)
    of_class = [
        np.repeat([code, UNDETERMINED], [hit, size - hit])
        for code, (hit, size) in enumerate(zip(result, sizes, strict=True))
    ]
    reference = np.repeat(np.arange(len(sizes)), sizes)

    return classification_scores(reference, np.concatenate(of_class), abstained={UNDETERMINED}, resamples=20)


@pytest.mark.parametrize(("per_class", "macro", "weighted"), ROWS)
def test_tables_9_and_11_macro_and_weighted_f1_follow_from_tables_15_and_16(per_class, macro, weighted):
    result = scores(per_class)

    assert result.macro_f1.value == pytest.approx(macro, abs=0.001)
    assert result.weighted_f1.value == pytest.approx(weighted, abs=0.001)


def test_table_11_weighted_f1_of_gpt_5_chat_is_a_little_more_than_printed():
    # macro F1 agrees; the weighted mean of the printed F1 is .719, on paper .718 (.24 % of its outputs were invalid)
    result = scores((0.876, 0.758, 0.525, 0.527, 0.216))

    assert (printed(result.macro_f1.value, 3), printed(result.weighted_f1.value, 3)) == (0.580, 0.719)


def test_without_abstention_micro_f1_is_the_share_of_right_answers_which_table_9s_accuracy_is_not():
    # Gemini 2.5 Pro never abstained and has micro F1 .741 but "accuracy" .605: that column holds the mean recall of the
    # classes (its methods name balanced accuracy)
    reference = ["tumor"] * 90 + ["stroke"] * 10
    read = ["tumor"] * 95 + ["stroke"] * 5

    result = classification_scores(reference, read, resamples=20)

    assert result.micro_f1.value == result.accuracy.value == 0.95
    assert result.balanced_accuracy.value == 0.75
