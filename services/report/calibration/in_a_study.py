"""Rewording of the panels for studies: pages do not have the options of a command."""

from __future__ import annotations

from dataclasses import replace

from agreement.judge.rows import Panel

# Parts of sentences that name options of `python -m agreement.judge`, and their replacements.
_SAID = {
    "No probability or grade is given: name the judge's column of it with --score.": (
        "No run has confidences: they are imported beside the verdicts, in the column confidence."
    ),
    "name what counts as correct with --positive": "the field's protocol names none that is positive",
    "give --model, or --by with the columns to compare": "declare an attribute of items or candidates",
    "name the column that tells runs, samples or prompt versions apart with --run": "import another run of this prompt",
    "name them with --adjudicated": "a later phase that settles the field gives them",
    "expected --probability, or --design random for a simple random part, or --design stratified with --stratum": (
        "the study does not know the chances of all that were drawn, or labels made elsewhere are not said to be a "
        "random part"
    ),
    "the design is stratified without strata: expected --stratum with their column": "the design has no strata",
    "the design has probabilities that are not given: expected --probability with their column": (
        "the chances of being drawn are not known"
    ),
    ", or --probability with the chance of each to be adjudicated": "",
    "expected another --basis": "choose other human verdicts",
    ", and no --most-changed": "; another run of this prompt, imported beside it, would say it",
    "--basis with the name of a human leaves out only those without a verdict by that human": (
        "a single person, chosen as human verdicts, leaves out only those without a verdict by that person"
    ),
}


def in_words_of_a_study(text: str) -> str:
    """Return a panel's sentence, or a card, in the words of a study."""
    for of_files, of_studies in _SAID.items():
        text = text.replace(of_files, of_studies)
    return text


def for_a_study(panel: Panel) -> Panel:
    """Return a panel whose sentences mention nothing that a page lacks."""
    return replace(
        panel,
        sentences=tuple(map(in_words_of_a_study, panel.sentences)),
        refused=tuple(map(in_words_of_a_study, panel.refused)),
        heads=tuple(map(in_words_of_a_study, panel.heads)),
        stated=tuple(map(in_words_of_a_study, panel.stated)),
    )
