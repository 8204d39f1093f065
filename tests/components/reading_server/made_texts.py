"""What is asked, offered and told about in the items of the stand-in server."""

from __future__ import annotations

from services.reading import blinding

PROMPT = "Is there a lesion in the left frontal lobe?"
GROWN = "Has it grown since the prior?"
CONFIDENCE = [("1", "1 guess"), ("2", "2"), ("3", "3 fairly sure"), ("4", "4"), ("5", "5 certain")]
REGIONS = [(f"r{number}", f"Region {number}") for number in range(1, 13)]
SITES = [(site, site.capitalize()) for site in ("frontal", "parietal", "temporal")]
FINDINGS = [(key, key.capitalize()) for key in ("none", "glioma", "sclerosis", "stroke", "other")]
ANSWERED_BEFORE = [
    ["Main finding", "Glioma"],
    ["Side", "Left"],
    ["Largest diameter", "12 mm"],
    ["How sure are you?", "4"],
]
CHANGES = ["New lesion, left", "New lesion, right", "The known lesion has grown", "No change"]
HISTORY = [
    ["Allergies", "none"],
    ["Medication", "levetiracetam 500 mg twice a day"],
    ["Operations", "appendectomy 1998"],
    ["Family", "no neurological disease"],
    ["Smoking", "10 pack-years, stopped 2011"],
    ["Blood pressure", "135/85 mmHg"],
    ["Creatinine", "78 µmol/l"],
]
TURNS = (
    blinding.turn_payload("Is there a lesion?", [["Answer", "Yes"], ["Confidence", "4"]]),
    blinding.turn_payload("On which side?", [["Answer", "Left"]]),
)
# Of a study from before such labels were refused.
LABELLED_ALIKE = (
    [["Answer", "Yes"], ["Finding", "none"], ["Finding", "Bleeding on the right"], ["Comment", "A field of the form."],
     ["Comment", "Typed at the end: look at the ventricle."]],
    [["Answer", "No"], ["Finding", "oedema"], ["Comment", "no"]],
)  # fmt: skip
COMMENTED = (
    [["Answer", "Both sides"], ["Confidence", "4"], ["Comment", "Left larger than right, borders are irregular."]],
    [["Answer", "Neither side"], ["Confidence", "2"], ["Comment", "Within what is normal at this age, I think."]],
)
PRESETS = [
    {"label": "Default", "window": [0, 1]},
    {"label": "Narrow", "window": [0.25, 0.75]},
    {"label": "Wide", "window": [-0.25, 1.25]},
]
# How a rater scores a model's answer.
SCORING = {
    "instructions": "Score every answer.",
    "prompt": "Is the candidate's answer correct?",
    "sample": 1,
    "form": {
        "fields": [
            {
                "key": "answer",
                "type": "choice",
                "label": "The candidate's answer is",
                "options": [{"id": "correct", "text": "Correct"}, {"id": "incorrect", "text": "Incorrect"}],
            }
        ]
    },
}
