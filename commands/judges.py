"""Commands for the verdicts of LLM judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.opening import As, opened_as
from commands.terminal import console, print_problems, progress_bar, refuse

if TYPE_CHECKING:
    from services.judging.sources import RunFile

cli = typer.Typer(no_args_is_help=True, help="Verdicts of LLM judges.")


@cli.command("import")
def import_judge(
    study: str,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="All files of this one run.")],
    name: Annotated[str, typer.Option(help="A name for this run.")],
    judge: Annotated[str, typer.Option(help="The judge: model and version.")] = "",
    field: Annotated[str, typer.Option(help="The field that it fills in, as PHASE.FIELD.")] = "",
    model: Annotated[str, typer.Option(help="The provider's model string.")] = "",
    prompt: Annotated[Path | None, typer.Option(help="A file with the text of the prompt.")] = None,
    prompt_version: Annotated[str, typer.Option(help="The version of the prompt.")] = "",
    settings: Annotated[str, typer.Option(help="Parameters: temperature, seed.")] = "",
    made_on: Annotated[str, typer.Option(help="The day of the run, as YYYY-MM-DD.")] = "",
    sample: Annotated[int | None, typer.Option(help="Number of the sample, of repeated runs.")] = None,
    layout: Annotated[
        str, typer.Option("--format", help="Format of another program's file, if it is not recognised.")
    ] = "",
    column: Annotated[
        list[str] | None, typer.Option("--map", help="WHAT=COLUMN, or a path: verdict=output.score; may be repeated.")
    ] = None,
    word: Annotated[
        list[str] | None, typer.Option("--says", help="WORD=VERDICT: what a word of the file means; may be repeated.")
    ] = None,
    of_model: Annotated[str, typer.Option(help="The model whose answers the file judges.")] = "",
    scorer: Annotated[str, typer.Option(help="Which score to take, if a sample has several.")] = "",
    confidence_of: Annotated[
        str,
        typer.Option(help="What confidences refer to: the verdict given, or the positive one (verdict, positive)."),
    ] = "",
    skip_unplaced: Annotated[
        bool, typer.Option(help="Leave out and count lines that match no candidate, or are not as their format says.")
    ] = False,
    example: Annotated[
        list[str] | None, typer.Option(help="Key of an item used as an example in the prompt; may be repeated.")
    ] = None,
    order: Annotated[
        str,
        typer.Option(
            help="Of pairs judged in both orders, the lines in which the first or second of the study's pair was shown "
            "first: first, second."
        ),
    ] = "",
    act_as: As = None,
) -> None:
    """Import a judge's verdicts from the files of one run: all of them or nothing."""
    from services.judging import import_runs, judged_pairs, sources

    with opened_as(act_as) as (database, actor):
        only_order = judged_pairs.order_of(order)
        first, *further = _run_files(files, f"a {import_runs.ENDINGS_IN_WORDS} file")
        text = "" if prompt is None else _text_of(prompt, "the prompt")
        identity = import_runs.Identity(model, text, prompt_version, settings, made_on, sample, tuple(example or ()))
        asked = sources.asked_of(layout, column or (), word or (), of_model, scorer, confidence_of=confidence_of)
        with progress_bar() as feed:
            line = import_runs.import_judge_verdicts(
                database,
                actor,
                study,
                name=name,
                judge=judge,
                content=first.content,
                file_name=first.name,
                further=further,
                field=field,
                identity=identity,
                asked=asked,
                skip_unplaced=skip_unplaced,
                only_order=only_order,
                progress=feed,
            )
        console.print(line.in_words, markup=False)


def _run_files(files: list[Path], expected: str) -> list[RunFile]:
    """Return the files of one run as they are read; refuse one that is missing."""
    from services.errors import InputRefused
    from services.judging.sources import RunFile

    for file in files:
        if not file.is_file():
            raise InputRefused(f"{file.name} is missing; name {expected}.")
    return [RunFile(file.name, file.read_bytes()) for file in files]


def _text_of(file: Path, what: str) -> str:
    """Return the text of a prompt or rubric; refuse a file that is missing."""
    from services.errors import InputRefused
    from services.judging import run_identity

    if not file.is_file():
        raise InputRefused(f"{file.name} is missing; name a file with the text of {what}.")
    return run_identity.text_of(file.read_bytes(), file.name)


@cli.command("import-labels")
def import_labels_of_people(
    study: str,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="All files of these labels.")],
    name: Annotated[str, typer.Option(help="A name for these labels, by which calibrations ask for them.")],
    labeller: Annotated[str, typer.Option(help="Who gave them, if the file does not say so.")] = "",
    labeller_column: Annotated[
        list[str] | None,
        typer.Option(help="A column with one person's labels, named after them; may be repeated."),
    ] = None,
    field: Annotated[str, typer.Option(help="The field that they fill in, as PHASE.FIELD.")] = "",
    blinded: Annotated[str, typer.Option(help="How the labellers were blinded, according to the source.")] = "",
    random_part: Annotated[
        bool, typer.Option("--random-part", help="What they labelled is a simple random part of all answers.")
    ] = False,
    layout: Annotated[
        str, typer.Option("--format", help="Format of another program's file, if it is not recognised.")
    ] = "",
    column: Annotated[
        list[str] | None, typer.Option("--map", help="WHAT=COLUMN, or a path: labeller=annotator.id; may be repeated.")
    ] = None,
    word: Annotated[
        list[str] | None, typer.Option("--says", help="WORD=VERDICT: what a word of the file means; may be repeated.")
    ] = None,
    of_model: Annotated[str, typer.Option(help="The model whose answers were labelled.")] = "",
    scorer: Annotated[str, typer.Option(help="Which score to take, if a sample has several.")] = "",
    skip_unplaced: Annotated[
        bool, typer.Option(help="Leave out and count lines that match no candidate, or are not as their format says.")
    ] = False,
    act_as: As = None,
) -> None:
    """Import labels that people gave elsewhere, marked as not blinded here: all of it or nothing."""
    from services.judging import import_labels, sources

    with opened_as(act_as) as (database, actor):
        first, *further = _run_files(files, "a file with labels")
        asked = sources.asked_of(layout, column or (), word or (), of_model, scorer, labeller_column or ())
        with progress_bar() as feed:
            line = import_labels.import_labels(
                database,
                actor,
                study,
                name=name,
                content=first.content,
                file_name=first.name,
                further=further,
                labeller=labeller,
                field=field,
                blinding=blinded,
                is_random_part=random_part,
                asked=asked,
                skip_unplaced=skip_unplaced,
                progress=feed,
            )
        console.print(line.in_words, markup=False)


@cli.command("convert")
def convert_file(
    file: Path,
    out: Annotated[Path, typer.Argument(help="The CSV file to write.")],
    judge: Annotated[str, typer.Option(help="The judge's name.")] = "judge",
    layout: Annotated[str, typer.Option("--format", help="The format, if it is not recognised.")] = "",
    column: Annotated[list[str] | None, typer.Option("--map", help="WHAT=COLUMN, or a path; may be repeated.")] = None,
    word: Annotated[list[str] | None, typer.Option("--says", help="WORD=VERDICT; may be repeated.")] = None,
    of_model: Annotated[str, typer.Option(help="The model whose answers the file judges.")] = "",
    scorer: Annotated[str, typer.Option(help="Which score to take, if a sample has several.")] = "",
) -> None:
    """Turn another program's file, of a judge or of people, into a table for python -m agreement.judge."""
    from services.errors import InputRefused, Refused
    from services.judging import converting, sources

    try:
        if not file.is_file():
            raise InputRefused(f"{file.name} is missing; name a file with verdicts.")
        if out.exists():
            raise InputRefused(f"{out} already exists; name another, or remove it.")
        asked = sources.asked_of(layout, column or (), word or (), of_model, scorer)
        lines, count, lacking = converting.converted(file.read_bytes(), file.name, asked, judge)
    except InputRefused as refusal:
        print_problems(refusal)
        raise typer.Exit(1) from None
    except Refused as refusal:
        refuse(str(refusal))
    with out.open("w", encoding="utf-8") as stream:
        stream.writelines(lines)
    console.print(f"{count} verdicts are written to {out}.{lacking}", markup=False)


@cli.command("score")
def score_answers(
    study: str,
    scorer: Annotated[str, typer.Option(help="exact_match, token_f1, option_extraction, numeric_range or own_column.")],
    name: Annotated[str, typer.Option(help="A name for this run. Default: the scorer's.")] = "",
    field: Annotated[str, typer.Option(help="The field that it fills in, as PHASE.FIELD.")] = "",
    reference: Annotated[str, typer.Option(help="The field whose references count, where they name fields.")] = "",
    setting: Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, such as threshold=0.8.")] = None,
    act_as: As = None,
) -> None:
    """Score models' answers by a rule, and store the result as a run beside those of judges."""
    from services.judging import scoring, sources

    with opened_as(act_as) as (database, actor):
        parameters = sources.settings_of(setting or ())
        with progress_bar() as feed:
            line = scoring.score_answers(
                database,
                actor,
                study,
                scorer,
                name=name,
                field=field,
                reference=reference,
                parameters=parameters,
                progress=feed,
            )
        console.print(line.in_words, markup=False)


_Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels", help="Labels made elsewhere to use instead of raters' verdicts, by name; may be repeated."
    ),
]
_Field = Annotated[
    str, typer.Option(help="The field, as PHASE.FIELD, where judges fill in several and the runs do not tell which.")
]
_Basis = Annotated[
    str,
    typer.Option(
        help="Human verdicts: majority, unanimous, adjudicated, mean, or a rater. Default: the usual one of the scale."
    ),
]


@cli.command("export")
def export_verdicts(
    study: str,
    out: Annotated[Path, typer.Argument(help="A file; a folder for alt-test.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="tidy, long (for R), alt-test, differing, coding (a study of why they differ), or without-verdict.",
        ),
    ] = "tidy",
    field: _Field = "",
    run: Annotated[list[str] | None, typer.Option(help="A run; may be repeated. Default: all.")] = None,
    labels: _Labels = None,
    act_as: As = None,
) -> None:
    """Export people's and judges' verdicts on each candidate for other programs."""
    from services.errors import InputRefused
    from services.report.calibration import exports

    with opened_as(act_as) as (database, actor):
        if out.exists():
            raise InputRefused(f"{out} already exists; name another, or remove it.")
        files = exports.export_verdicts(database, actor, study, form, field, run or (), labels or ())
        if len(files) > 1:
            out.mkdir()
        for name, pieces in files.items():
            with (out / name if len(files) > 1 else out).open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
        console.print(f"Written: {out}{': ' + ', '.join(files) if len(files) > 1 else ''}.", markup=False)


@cli.command("report")
def report_judges(
    study: str,
    field: _Field = "",
    run: Annotated[list[str] | None, typer.Option(help="A run; may be repeated. Default: all.")] = None,
    basis: _Basis = "",
    labels: _Labels = None,
    everything: Annotated[bool, typer.Option("--all-rows", help="Print all rows of each panel.")] = False,
    act_as: As = None,
) -> None:
    """Print how far judges may stand in for people in a study, panel by panel, each led by one sentence."""
    from services.report import calibration

    with opened_as(act_as) as (database, actor):
        computed = calibration.calibration_of(database, actor, study, field, run or (), basis, labels or ())
        typer.echo(calibration.in_words(computed, everything=everything))


@cli.command("certify")
def certify_judge(
    study: str,
    run: Annotated[list[str] | None, typer.Option(help="A run of the judge; may be repeated.")] = None,
    field: _Field = "",
    basis: _Basis = "",
    labels: _Labels = None,
    rubric: Annotated[Path | None, typer.Option(help="A file with the instructions by which people rated.")] = None,
    to: Annotated[
        Path, typer.Option(help="The JSON file, ending in .json, or a folder; the card is written beside it, as .txt.")
    ] = Path("judge-certificate.json"),
    act_as: As = None,
) -> None:
    """Write the certificate of a judge with one prompt, passed or not: as JSON, and as a card of one page."""
    from services.report import calibration

    with opened_as(act_as) as (database, actor):
        instructions = None if rubric is None else _text_of(rubric, "the rubric").encode()
        file = calibration.file_of(to)
        made = calibration.certify(
            database,
            actor,
            study,
            field,
            run or (),
            basis,
            instructions,
            labels or (),
        )
        file.write_text(made.document, encoding="utf-8")
        file.with_suffix(".txt").write_text(made.card, encoding="utf-8")
        typer.echo(made.card)
        console.print(f"Written: {file} and {file.with_suffix('.txt').name}", markup=False)


@cli.command("split")
def split_study(
    study: str,
    share: Annotated[float, typer.Option(help="Share of the items for test.")] = 0.3,
    strata: Annotated[
        str,
        typer.Option(
            help="What is balanced between the two parts, separated by commas: category, format, attributes of items."
        ),
    ] = "",
    act_as: As = None,
) -> None:
    """Divide the subjects of a frozen study into development and test, once: people's answers on test are sealed."""
    from services.judging import sealed_split

    names = tuple(name.strip() for name in strata.split(",") if name.strip())
    with opened_as(act_as) as (database, actor):
        line = sealed_split.make_split(database, actor, study, share, names)
        console.print(line.as_divided, markup=False)


@cli.command("open-test")
def open_test(
    study: str,
    run: Annotated[str, typer.Option(help="A run of the judge with the prompt that is opened.")],
    reason: Annotated[str, typer.Option(help="Why; it is stored with the study.")],
    basis: _Basis = "",
    labels: _Labels = None,
    act_as: As = None,
) -> None:
    """Open agreement on test subjects for one judge with one prompt, by one choice of human verdicts: no rows."""
    from services.report import calibration

    with opened_as(act_as) as (database, actor):
        opened = calibration.open_agreement(database, actor, study, run, reason, labels or (), basis)
        console.print(
            f"Agreement on test subjects is open for {opened}: panels 5, 6 and 8, and its certificate.", markup=False
        )


@cli.command("unseal")
def unseal_study(
    study: str,
    reason: Annotated[str, typer.Option(help="Why; it is stored with the study.")],
    act_as: As = None,
) -> None:
    """Include people's answers about test subjects in reports, files and the package; this cannot be undone."""
    from services.judging import sealed_split

    with opened_as(act_as) as (database, actor):
        sealed_split.unseal(database, actor, study, reason)
        console.print("The answers about test subjects are part of reports, files and package from now on.")
