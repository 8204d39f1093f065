"""The options of ``python -m agreement.judge``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from agreement.arguments import whole_number
from agreement.judge.certificate import Identity, file_asked, text_sha256
from agreement.judge.columns import Columns, ScaleAsked
from agreement.judge.plan import Criteria, Design, Plan
from agreement.judge.scale import IN_WORDS, WORDS_OF_STATES, Kind, State


@dataclass(frozen=True)
class Asked:
    """The options of a calibration."""

    file: Path
    humans_file: Path | None
    columns: Columns
    scale: ScaleAsked
    plan: Plan
    identity: Identity
    certificate: Path | None
    json: bool
    everything: bool


@dataclass(frozen=True)
class CheckAsked:
    """The options of a check of a new run.

    Attributes
    ----------
    certificate, run : Path
    judge : str or None
        The judge's column, if its name differs from that in the certificate.
    identity : Identity
        The new run's, as far as given.
    allow_unsaid : bool
        Whether a certificate that names no model or no prompt may cover a run.
    json : bool
        Whether the outcome is printed as JSON.
    """

    certificate: Path
    run: Path
    judge: str | None
    identity: Identity
    allow_unsaid: bool = False
    json: bool = False


def asked_of(arguments: Sequence[str]) -> Asked:
    """Parse the options of a calibration.

    Parameters
    ----------
    arguments : sequence of str

    Returns
    -------
    Asked

    Raises
    ------
    ValueError
        When options contradict each other. Unknown options end the program, as usual with argparse.
    """
    given = _parser().parse_args(arguments)
    humans, judges = _parts(given.human), _parts(given.judge)
    both = {name for name in humans if name in judges}
    if not humans or not judges or both:
        raise ValueError(f"human is {given.human!r} and judge {given.judge!r}; expected different names in each")
    if (given.rater is None) != (given.verdict is None):
        raise ValueError("rater and verdict: expected both, for a table with one row for each verdict, or none")
    if given.condition and not given.item:
        raise ValueError("condition is given without item; expected --item with the columns that name a prompt")
    if (given.prompt_version or given.judge_version) and not given.run:
        raise ValueError(
            "prompt_version or judge_version is given without run; expected --run with the runs that have them"
        )
    if given.run and not given.item:
        raise ValueError("run is given without item; expected --item with the columns that name a prompt")
    columns = Columns(
        humans, judges, given.model, _parts(given.item), given.cluster, given.probability, given.stratum, given.run,
        given.adjudicated, _parts(given.by), given.rater, given.verdict, given.score, _parts(given.condition),
        given.prompt_version, given.judge_version,
    )  # fmt: skip
    criteria = Criteria(
        given.least_agreement, given.direction_margin, given.least_labels, given.least_humans,
        most_missing=given.most_missing, most_changed=given.most_changed,
    )  # fmt: skip
    plan = Plan(
        given.confidence, given.resamples, given.seed, given.margin, given.power, given.epsilon,
        design=_design(given),
        specificity=given.specificity,
        basis=given.basis, criteria=criteria, looks=whole_number(given.looks, "looks", 1),
    )  # fmt: skip
    scale = ScaleAsked(given.scale, _parts(given.levels), _parts(given.positive), _states(given.states, given.excluded))
    return Asked(
        Path(given.file), Path(given.humans_file) if given.humans_file else None, columns, scale, plan,
        _identity(given), file_asked(Path(given.certificate)) if given.certificate else None, given.json,
        given.all_rows,
    )  # fmt: skip


def _design(given: argparse.Namespace) -> Design:
    """The design that is named, or that the columns stand for.

    A simple random part has neither strata nor a column of chances, and a random part of each stratum no such column.
    """
    named: Design | None = given.design
    for option, column in (("stratum", given.stratum), ("probability", given.probability)):
        if column and named == "random":
            raise ValueError(
                f"design is 'random', a simple random part, and {option} names the column {column!r}; expected one of "
                "the two: a part that was drawn by it is not simple"
            )
    if given.probability and named == "stratified":
        raise ValueError(
            "design is 'stratified', in which the sizes of strata are the chances, and probability names the column "
            f"{given.probability!r}; expected one of the two: --design probability corrects by its chances"
        )
    for design, option, column in (
        ("stratified", "stratum", given.stratum),
        ("probability", "probability", given.probability),
    ):
        if named == design and not column:
            raise ValueError(f"design is {named!r} without {option}; expected --{option} with the column that has it")
    return named or ("probability" if given.probability else "stratified" if given.stratum else "unknown")


def check_asked_of(arguments: Sequence[str]) -> CheckAsked:
    """Parse the options of ``check``.

    Parameters
    ----------
    arguments : sequence of str

    Returns
    -------
    CheckAsked
    """
    parser = argparse.ArgumentParser(
        prog="python -m agreement.judge check",
        description="Whether a new run is within a certificate: exit status 0 within, 1 outside, 2 not comparable.",
    )
    parser.add_argument("certificate", help="judge-certificate.json")
    parser.add_argument("run", help="CSV or Parquet with the columns that the certificate names")
    parser.add_argument("--judge", metavar="COL", help="column of the judge (default: as in the certificate)")
    _add_identity(parser)
    parser.add_argument(
        "--allow-unsaid", action="store_true", help="hold the run against a certificate that says no model or no prompt"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    return CheckAsked(
        Path(given.certificate), Path(given.run), given.judge, _identity(given), given.allow_unsaid, given.json
    )


def _identity(given: argparse.Namespace) -> Identity:
    return Identity(
        given.judge_model,
        _hash_of(given.prompt),
        _hash_of(given.rubric),
        getattr(given, "blinded", None),
        getattr(given, "labels_from", None),
    )


def _hash_of(file: str | None) -> str | None:
    """Hash of the text of a prompt or rubric; None if no file is named."""
    if not file:
        return None
    try:
        return text_sha256(Path(file).read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} {error}") from None


def _states(listed: str | None, excluded: str | None) -> dict[str, State]:
    """The words that stand for a state instead of a verdict: the default ones, and those given as options."""
    states = dict(WORDS_OF_STATES)
    by_name = {words: state for state, words in IN_WORDS.items()} | {"none": State.NO_VERDICT}
    for pair in _parts(listed):
        word, _, name = pair.partition("=")
        if name not in by_name and name != "unreadable":
            raise ValueError(f"states holds {pair!r}; expected WORD=error, =refusal, =unreadable, =excluded or =none")
        states[word.strip().lower()] = State.UNREADABLE if name == "unreadable" else by_name[name]
    return states | {word.strip().lower(): State.EXCLUDED for word in _parts(excluded)}


def _parts(listed: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in listed.split(",") if part.strip()) if listed else ()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agreement.judge",
        description="May this judge stand in for humans, where not, and what is true behind its scores?",
        epilog="python -m agreement.judge check certificate.json run.csv holds a new run against a certificate.",
    )
    add = parser.add_argument
    add("file", help="CSV (commas, semicolons or tabs) or Parquet with the judge's verdicts")
    add("--human", required=True, metavar="A,B", help="columns with human verdicts (names of raters with --rater)")
    add("--judge", required=True, metavar="A,B", help="columns with a judge's verdicts (names with --rater)")
    add("--humans-file", metavar="FILE", help="the human verdicts, where they are in a file of their own")
    add("--item", metavar="COL,COL", help="columns that name a prompt; with the model they name a candidate")
    add("--model", metavar="COL", help="column of the model whose answer is judged")
    add("--rater", metavar="COL", help="column of the rater, where each row is a verdict")
    add("--verdict", metavar="COL", help="column of the verdict, with --rater")
    add("--adjudicated", metavar="COL", help="column with what was decided after several opinions")
    add("--cluster", metavar="COL", help="column of the cluster, such as the subject")
    add("--by", metavar="COL,COL", help="further columns: category, tier, format ...")
    add("--condition", metavar="COL,COL", help="columns that tell a model's answers to one prompt apart: primed ...")
    add("--run", metavar="COL", help="column of the run, sample or prompt version; the first one is calibrated")
    add("--prompt-version", metavar="COL", help="column of the version of the judge's prompt, the same in all of a run")
    add("--judge-version", metavar="COL", help="column of the judge's version, the same in all of a run")
    add("--score", metavar="COL", help="probability or grade of the first judge, higher for surer that it is right")
    of_scale = parser.add_argument_group("scale")
    of_scale.add_argument("--scale", choices=get_args(Kind), help="default: binary, or ordinal with --levels")
    of_scale.add_argument("--levels", metavar="A,B,C", help="all levels, in their order")
    of_scale.add_argument("--positive", metavar="A,B", help="levels that count as correct")
    of_scale.add_argument("--excluded", metavar="A,B", help="words that say that a candidate is left out")
    of_scale.add_argument("--states", metavar="WORD=error,...", help="words for error, refusal, unreadable, none")
    _add_plan(parser.add_argument_group("plan").add_argument)
    of_certificate = parser.add_argument_group("certificate")
    of_certificate.add_argument(
        "--certificate", metavar="FILE", help="a .json file, or a folder: write it as JSON, and beside it as text"
    )
    _add_identity(of_certificate)
    of_certificate.add_argument("--blinded", metavar="WORDS", help="what the humans did not see")
    of_certificate.add_argument("--labels-from", metavar="WORDS", help="who gave the human verdicts, and where")
    add("--json", action="store_true", help="print JSON")
    add("--all-rows", action="store_true", help="print all rows of each panel")
    return parser


def _add_plan(add: Any) -> None:
    usual, criteria = Plan(), Criteria()
    add("--design", choices=get_args(Design), help="how the labelled were drawn; random: a simple random part")
    add("--probability", metavar="COL", help="column of the probability with which a candidate was drawn")
    add("--stratum", metavar="COL", help="column of the sampling stratum")
    add(
        "--margin", type=float, help="largest difference that does not matter (default: 0.05; of an ordered scale 5 %%)"
    )
    add("--power", type=float, default=usual.power, help="to tell the margin (default: %(default)s)")
    add("--epsilon", type=float, default=usual.epsilon, help="of the alternative annotator test (default: %(default)s)")
    add("--specificity", type=float, default=usual.specificity, help="that a threshold is to reach (%(default)s)")
    add("--basis", metavar="NAME", help="human verdicts for corrections: majority, unanimous, adjudicated, a human")
    add("--confidence", type=float, default=usual.confidence)
    add("--resamples", type=int, default=usual.resamples, help="of bootstraps (default: %(default)s)")
    add("--seed", type=int, default=usual.seed, help="of resamples (default: %(default)s)")
    add("--looks", type=int, default=1, help="how often these labels were looked at with this judge")
    add("--least-agreement", type=float, default=criteria.agreement_bound, help="criterion (default: %(default)s)")
    add("--direction-margin", type=float, help="criterion (default: the margin)")
    add("--least-labels", type=int, default=criteria.fewest_in_stratum, help="criterion (default: %(default)s)")
    add("--least-humans", type=int, default=criteria.fewest_humans, help="criterion (default: %(default)s)")
    add("--most-missing", type=float, help="criterion: share without a verdict (default: a run's, as of the labelled)")
    add("--most-changed", type=float, help="share that a later run may change (default: as from run to run)")


def _add_identity(parser: Any) -> None:
    parser.add_argument("--judge-model", metavar="NAME", help="the provider's name of the judge, with its version")
    parser.add_argument("--prompt", metavar="FILE", help="the judge's prompt, of which the hash is stored")
    parser.add_argument("--rubric", metavar="FILE", help="the rubric, of which the hash is stored")
