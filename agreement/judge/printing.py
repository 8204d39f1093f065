"""The panels as text: a summary first, then each panel with its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from agreement.judge.all_excluded import all_excluded
from agreement.judge.cells import shown_figures
from agreement.judge.material import Material
from agreement.judge.panels import HOW_TO, PANELS
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.scale import IN_WORDS, SEVERAL, Scale, State
from agreement.judge.wording import counted, p_in_words

MOST_ROWS = 40
"""The most rows of a panel that are printed; JSON contains all."""
_MOST_NAMED = 6


def report(
    material: Material,
    panels: dict[str, Panel],
    plan: Plan,
    *,
    everything: bool = False,
    options: str = "--all-rows, or --json",
) -> str:
    """Format all panels as text.

    Parameters
    ----------
    material : Material
    panels : dict of str to Panel
        By key.
    plan : Plan
    everything : bool
        Print all rows.
    options : str
        The command's options that print all rows.

    Returns
    -------
    str
    """
    lines = ["In short", *(f"  {line}" for line in what_was_read(material, plan))]
    for key, panel in panels.items():
        # Each further judge's sentence starts on its own line, so that it can be found.
        starts = [f"{PANELS[key].number}. ", *["   "] * (len(panel.in_short) - 1)]
        lines += [f"  {start}{said}" for start, said in zip(starts, panel.in_short, strict=True)]
    for key, panel in panels.items():
        kind = PANELS[key]
        lines += ["", f"{kind.number} {kind.title}: {kind.question}"]
        lines += [f"  {said}" for said in (*panel.heads, *panel.sentences)]
        lines += [f"  Not said: {sentence}" for sentence in panel.not_said]
        shown = panel.rows if everything else panel.rows[:MOST_ROWS]
        if shown:
            lines += ["", *_table(shown, material.scale)]
        if len(shown) < len(panel.rows):
            lines.append(f"  ... {len(panel.rows) - len(shown):,} further rows: {options}")
        lines.append(f"  Documentation: {HOW_TO}#{kind.anchor}")
    return "\n".join(lines)


def what_was_read(material: Material, plan: Plan) -> Iterator[str]:
    """The numbers of candidates, labels and failures, and how the intervals are resampled.

    Parameters
    ----------
    material : Material
    plan : Plan

    Yields
    ------
    str
        Sentences.
    """
    models = "" if material.models is None else f" of {counted(sum(1 for _ in material.models.levels()), 'model')}"
    names, given = list(material.humans), material.labelled.humans
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    humans = f"{', '.join(names[:_MOST_NAMED])}{more}"
    of_all = f"{counted(material.n, 'candidate')}{models}"
    if material.compared is not None:
        of_all = (
            f"{counted(material.n, 'pair')} of the answers of {counted(len(material.compared.names()), 'competitor')}"
        )
    yield (
        f"{of_all}, {material.labelled.n:,} of them with a verdict of a human ({humans}); scale {material.scale.kind}."
    )
    excluded = all_excluded(material, plan)
    if excluded:
        yield excluded
    if material.items is None:
        yield "No column names the candidates (--item): each row is one, even if it repeats an earlier row."
    for name, verdicts in {**material.judges, **({} if more else given)}.items():
        if verdicts.counts():
            yield f"{name}: {_in_words(verdicts.counts())}: not scored."
    yield from _in_other_runs(material)
    if more:
        many = [int((verdicts.states == State.VERDICT).sum()) for verdicts in given.values()]
        without: Counter[str] = Counter()
        for verdicts in given.values():
            without.update(verdicts.counts())
        left_out = f"; {_in_words(without)}: not scored" if without else ""
        yield f"{len(many)} humans: {min(many):,} to {max(many):,} verdicts each{left_out}."
    if plan.design == "probability" and material.strata is not None:
        yield (
            "Scores are corrected by each candidate's own chance (--probability); the strata (--stratum) are not used: "
            "--stratum alone corrects by their sizes."
        )
    yield f"Intervals by resampling: {plan.resamples:,} resamples, seed {plan.seed}."


def _in_other_runs(material: Material) -> Iterator[str]:
    """The number of candidates with a verdict only in a run of a judge that is not the one calibrated."""
    for judge, runs in material.runs.items():
        names = list(runs)
        if judge not in material.judges or len(names) < 2:
            continue
        given = np.any([runs[name].states == State.VERDICT for name in names[1:]], axis=0)
        n = int((given & (material.judges[judge].states == State.NO_VERDICT)).sum())
        if n:
            yield (
                f"{judge}: only its first run, {names[0]}, is calibrated; {n:,} of the candidates that it lacks are in "
                "other runs: parts of one run belong in one import, or one file."
            )


def _in_words(counts: Mapping[str, int]) -> str:
    # "1 no verdict" beside "2 without a verdict" would look like another kind.
    alike = IN_WORDS[State.NO_VERDICT]
    return ", ".join(
        f"{n:,} {words if n == 1 and words != alike else SEVERAL.get(words, words)}" for words, n in counts.items()
    )


def _table(rows: tuple[Row, ...], scale: Scale) -> list[str]:
    heading = f"  {'statistic':<30} {'parties':<34} {'stratum':<24} {'value':>12}  {'interval':<22} {'n':>9}  note"
    lines = [heading]
    for row in rows:
        estimate = row.estimate
        value, limits = shown_figures(row, scale)
        notes = [row.sentence, row.basis]
        notes += [p_in_words(estimate.p)] if estimate.p is not None else []
        notes += [f"at {100 * estimate.confidence:.4g} %"] if estimate.confidence != 0.95 and limits else []
        notes += [estimate.undefined_because or "", estimate.warning or "", estimate.method]
        parties = ", ".join(row.parties)
        lines.append(
            f"  {row.statistic:<30} {parties:<34} {row.stratum:<24} {value:>12}  {limits:<22} "
            f"{estimate.n:>9,}  {'; '.join(note for note in notes if note)}"
        )
    return lines
