"""Import the verdicts of LLM judges on the candidates of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from sqlmodel import Session, col, select

from db import Database, JudgeRun, queries
from db.base import stored_id
from exchange.file_format import endings_in_words
from exchange.foreign.layout import CONFIDENCES, OF_ITSELF, Asked
from exchange.foreign.reading import OF_OTHERS
from exchange.formats import FOREIGN_VERDICTS, JUDGE_VERDICTS
from exchange.judge_pairs import Order
from exchange.refusal import shown
from protocol.language.judged import judged_fields
from protocol.scales import JudgeScale
from services.errors import Conflict, counted, require_length, require_name
from services.judging.asked_fields import fields_on_pairs, named_or_only, scale_asked
from services.judging.candidate_keys import CandidateKeys, candidate_keys, replaced_candidates
from services.judging.judged_pairs import doubled_says, order_in_words, pairs_asked, pairs_of
from services.judging.named_models import models_of
from services.judging.placed_rows import PlacedRows, placed_rows
from services.judging.prompt_texts import require_no_test_texts
from services.judging.run_files import ReadRun, read_run, sha256_of
from services.judging.run_identity import require_for_development, require_own_name, require_prompt_of_version
from services.judging.run_rows import parameters_of, values_of
from services.judging.slices import (
    AsFrozen,
    Progress,
    cleared_in_words,
    how_frozen,
    importing,
    require_as_frozen,
    unheard,
)
from services.judging.sources import RunFile, unread_in_words
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies import frozen_facts
from services.studies.folders.unfinished_imports import VERDICTS

# What a judge's file may be: formats and file name endings, in words and for file choosers.
FORMATS_IN_WORDS = " or ".join(file_format.name for file_format in JUDGE_VERDICTS)
ENDINGS_IN_WORDS = endings_in_words(JUDGE_VERDICTS)
# Other programs also store theirs as JSON and in archives.
ENDINGS = (*(ending for file_format in JUDGE_VERDICTS for ending in file_format.endings), *OF_OTHERS)
LAYOUTS = {layout.key: layout.name for layout in FOREIGN_VERDICTS}
# What the confidences in a file can refer to, in words.
CONFIDENCES_OF = dict(CONFIDENCES)
_LONGEST_PROMPT = 100_000
_CORRECTNESS = "correct or incorrect"


@dataclass(frozen=True)
class Identity:
    """What made a run: a model with its prompt, settings and day.

    Attributes
    ----------
    model
        The provider's model string.
    prompt
        The text of the prompt, as it was sent.
    prompt_version
        Its authors' name for the version.
    settings
        The model's parameters, in words: "temperature 0, seed 1".
    made_on
        The day, as YYYY-MM-DD.
    sample
        Number of the sample, if one judge with one prompt was run several times.
    examples
        Keys of the items that the prompt uses as examples: of development subjects, if the study is divided.
    """

    model: str = ""
    prompt: str = ""
    prompt_version: str = ""
    settings: str = ""
    made_on: str = ""
    sample: int | None = None
    examples: tuple[str, ...] = ()

    @property
    def stored(self) -> dict[str, Any]:
        """What is stored with the run: only the parts that were given, and the hash of the prompt with its text."""
        said = {key: value for key, value in asdict(self).items() if value not in ("", None, ())}
        if self.examples:
            said["examples"] = list(self.examples)
        if self.prompt:
            # Imported here because the statistics packages take as much memory as 400,000 verdicts being imported.
            from agreement.judge.certificate import text_sha256

            said["prompt_sha256"] = text_sha256(self.prompt.encode())
        return said

    def with_file(self, said: Mapping[str, str]) -> Identity:
        """Return the identity, with gaps filled from what the run's file says about itself.

        Raises
        ------
        Conflict
            The file names another model.
        """
        named = said.get("model", "")
        if self.model and named and self.model != named:
            raise Conflict(
                f"The file says that its judge is '{shown(named)}', and the model string is given as "
                f"'{shown(self.model)}'; correct it or leave it out."
            )
        return replace(
            self,
            model=self.model or named,
            prompt=self.prompt or said.get("prompt", ""),
            made_on=self.made_on or said.get("made_on", ""),
        )


UNKNOWN = Identity()


@dataclass(frozen=True)
class JudgeRunLine:
    """One run, without any verdict: counts only.

    `field` is the study's field that the run fills in, as named at the import; empty for correctness. `says` is the
    same in the words of the study, also if it was not named.
    """

    name: str
    judge: str
    candidates: int
    unresolved: int
    not_judged: int
    source_sha256: str
    field: str = ""
    model: str = ""
    prompt_version: str = ""
    prompt_sha256: str = ""
    says: str = _CORRECTNESS
    # What was not read of the file: lines that fit no candidate or several, and mapped columns that some rows lack.
    unread: str = ""
    # Verdicts left by earlier, incomplete imports; known only to the import that cleared them.
    cleared: int = 0
    files: int = 1
    # What was judged: "candidate" or "pair".
    unit: str = "candidate"
    # Of the verdicts, how many are *excluded*; counted by the import alone.
    excluded: int = 0

    @property
    def judged(self) -> int:
        """How many candidates have a verdict."""
        return self.candidates - self.unresolved

    @property
    def in_words(self) -> str:
        """How many candidates have a verdict, how many a line without one, and how many neither."""
        pool = self.candidates + self.not_judged
        cleared = cleared_in_words(self.cleared, VERDICTS)
        source, of_all = ("", "the file") if self.files == 1 else (f" from {self.files} files", "all of them")
        excluded = f" ({self.excluded:,} of them excluded)" if self.excluded else ""
        return (
            f"Run '{self.name}' is imported{source}: {self.judged:,} of {counted(pool, self.unit)} "
            f"judged{excluded}, {self.unresolved:,} without a verdict, {self.not_judged:,} missing from {of_all}."
            f"{self.unread}{cleared}"
        )


def import_judge_verdicts(
    database: Database,
    actor: Actor,
    study_key: str,
    *,
    name: str,
    judge: str,
    content: bytes,
    file_name: str,
    further: Sequence[RunFile] = (),
    scale: JudgeScale | None = None,
    field: str = "",
    identity: Identity = UNKNOWN,
    asked: Asked = OF_ITSELF,
    skip_unplaced: bool = False,
    only_order: Order | None = None,
    progress: Progress = unheard,
) -> JudgeRunLine:
    """Store a judge's verdicts, joined to the candidates by item and candidate key; all of the files or nothing.

    They are stored slice by slice, and nobody sees any of them before the run itself is stored at the end.

    Parameters
    ----------
    further
        The other files of a run that comes in pieces: no candidate may be judged twice in all of them together.
    scale
        The scale of the verdicts; None for that of the field.
    field
        In a study that lists its phases, the field that the judge fills in, as PHASE.FIELD; empty if it is the only
        one, or if the judge says correct or incorrect for each candidate.
    asked
        For another program's file, what its columns and words mean beyond what the file says itself.
    skip_unplaced
        Whether lines that match no candidate of the study are left out and counted, instead of refusing the file.
    only_order
        For pairs, the order whose lines are read, if each pair was judged in both; None for all lines.
    progress
        Called with the progress: done, out of how much, and what is being done.

    Raises
    ------
    InputRefused
        A file is malformed, names a candidate that the study lacks or a model other than the one that answered, or
        judges a candidate twice; the offenders are listed.
    Conflict
        The files are not pieces of one run, the study is not frozen or already holds this run, or a declared example
        is not an item of a development subject; or somebody else is importing the run at this moment.
    """
    name, judge = require_name("The name of the run", name, 80), require_name("The name of the judge", judge, 120)
    field = named_or_only(database, actor, study_key, field)
    _require_plausible(identity)
    scale = scale or scale_asked(database, actor, study_key, field)
    asked = replace(asked, field=field.rpartition(".")[2])
    files = (RunFile(file_name, content), *further)
    source_sha256 = sha256_of(files)
    pairs = pairs_asked(database, actor, study_key, field, asked, only_order)
    read = read_run(database, actor, study_key, files, scale, asked, skip_unplaced=skip_unplaced, pairs=pairs)
    identity = identity.with_file(read.identity)
    lines = max(sum(file.content.count(b"\n") for file in files), 1)
    on_candidates = _on_candidates(
        database, actor, study_key, name, source_sha256, identity, read,
        in_pairs=pairs is not None, only_order=only_order, skip_unplaced=skip_unplaced,
        feed=lambda done: progress(min(done, lines), 2 * lines, "Checking the verdicts"),
    )  # fmt: skip
    study_id, placed = on_candidates.study_id, on_candidates.placed
    run = JudgeRun(
        study_id=study_id,
        name=name,
        judge=judge or name,
        source_sha256=source_sha256,
        parameters=parameters_of(read, placed, field, identity.stored, asked, only_order),
        scale=list(scale.names),
        hash_rule=proofs.RULE,
    )
    require = _refusing(actor, study_key, run, identity, on_candidates.as_frozen)
    with importing(database, VERDICTS, study_id, name, require, progress) as slices:
        slices.store(
            values_of(read.rows, placed),
            lambda done: progress(lines + min(done, lines), 2 * lines, "Storing the verdicts"),
        )
        said = {"person_id": actor.person_id, "run": run.name, "source_sha256": source_sha256}
        slices.publish(run, require, "judge verdicts imported", **said)
    progress(2 * lines, 2 * lines, "The verdicts are imported")
    line = _line(run, placed.stored, placed.errors, on_candidates.pool - placed.stored, slices.cleared, placed.excluded)
    return line if pairs is None else replace(line, unit="pair")


@dataclass(frozen=True)
class _OnCandidates:
    """The rows of a run on a study's candidates, how it was frozen meanwhile, and how many are to be judged."""

    study_id: int
    as_frozen: AsFrozen
    pool: int
    placed: PlacedRows


def _on_candidates(
    database: Database,
    actor: Actor,
    study_key: str,
    name: str,
    source_sha256: str,
    identity: Identity,
    read: ReadRun,
    *,
    in_pairs: bool,
    only_order: Order | None,
    skip_unplaced: bool,
    feed: Callable[[int], None],
) -> _OnCandidates:
    """Find the candidate, or pair, of each row of a run; refuse it if the study does not accept it."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        require_in_study(session, acts.IMPORT_RUN, study)
        _require_new(session, study_id, name, source_sha256)
        require_for_development(session, study_id, identity.examples)
        require_no_test_texts(session, study_id, identity.prompt)
        as_frozen = how_frozen(session, study_id)
        newer = replaced_candidates(session, study_id)
        # Lines about candidates that a version replaced are refused below, so every line is about a current answer.
        keys, pool = _to_be_judged(session, study_id, in_pairs=in_pairs)
    placed = placed_rows(
        read.rows,
        keys,
        newer,
        read.name,
        read.problems,
        models_of(database, study_id),
        skip_unplaced=skip_unplaced,
        feed=feed,
        **({"doubled_says": doubled_says(only_order), "unit": "pair"} if in_pairs else {}),
    )
    return _OnCandidates(study_id, as_frozen, pool, placed)


def _refusing(
    actor: Actor, study_key: str, run: JudgeRun, identity: Identity, as_frozen: AsFrozen
) -> Callable[[Session], None]:
    """Return what refuses a run if the study does not accept it, or no longer does."""

    def require(session: Session) -> None:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.IMPORT_RUN, study)
        _require_new(session, run.study_id, run.name, run.source_sha256)
        require_for_development(session, run.study_id, identity.examples)
        require_own_name(session, run)
        require_prompt_of_version(session, run)
        require_as_frozen(session, run.study_id, as_frozen, "the verdicts were imported")

    return require


def _to_be_judged(session: Session, study_id: int, *, in_pairs: bool) -> tuple[CandidateKeys, int]:
    """Return the keys that a line may name, and how many of them are to be judged."""
    if in_pairs:
        return pairs_of(session, study_id)[1], queries.count_pairs_to_be_judged(session, study_id)
    return candidate_keys(session, study_id), queries.count_to_be_judged(session, study_id)


def _require_plausible(identity: Identity) -> None:
    require_length("The model string", identity.model, 200)
    require_length("The prompt", identity.prompt, _LONGEST_PROMPT)
    require_length("The version of the prompt", identity.prompt_version, 80)
    require_length("The settings", identity.settings, 500)
    if identity.made_on:
        try:
            date.fromisoformat(identity.made_on)
        except ValueError:
            raise Conflict(f"The date is '{shown(identity.made_on)}', expected YYYY-MM-DD; correct it.") from None
    if identity.sample is not None and identity.sample < 1:
        raise Conflict(f"The number of the sample is {identity.sample}, expected 1 or more; correct it.")


def judge_runs_of(database: Database, actor: Actor, study_key: str) -> list[JudgeRunLine]:
    """Return the runs of a study, for its admins."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        lines = queries.lines_of_runs(session, stored_id(study.id))
        on_pairs = fields_on_pairs(session, stored_id(study.id))
        runs = session.exec(select(JudgeRun).where(JudgeRun.study_id == study.id).order_by(col(JudgeRun.id))).all()
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        known = {} if expansion is None else judged_fields(expansion)
        # A run without a field covers all of these, as it does in its calibration.
        unnamed = ", ".join(name for name, asked in known.items() if asked.type == "correctness") or _CORRECTNESS
        every = [_line(run, *lines[stored_id(run.id)][:3]) for run in runs]
        return [
            replace(line, says=line.field or unnamed, unit="pair" if line.field in on_pairs else line.unit)
            for line in every
        ]


def _line(
    run: JudgeRun, judged: int, unresolved: int, not_judged: int, cleared: int = 0, excluded: int = 0
) -> JudgeRunLine:
    said = {key: str(run.parameters.get(key, "")) for key in ("field", "model", "prompt_version", "prompt_sha256")}
    return JudgeRunLine(
        run.name,
        run.judge,
        judged,
        unresolved,
        not_judged,
        run.source_sha256,
        **said,
        unread=unread_in_words(run.parameters) + order_in_words(run.parameters),
        cleared=cleared,
        files=len(run.parameters.get("files", ())) or 1,
        excluded=excluded,
    )


def _require_new(session: Session, study_id: int, name: str, source_sha256: str) -> None:
    """Refuse a name that another run has; equal files are allowed, as from a run repeated at temperature 0."""
    if not name:
        raise Conflict("The run has no name; give it a name that distinguishes it from other runs.")
    run = session.exec(select(JudgeRun).where(JudgeRun.study_id == study_id, JudgeRun.name == name)).first()
    if run is None:
        return
    if run.source_sha256 == source_sha256:
        raise Conflict(f"This has already been imported as run '{run.name}'; nothing was changed.")
    raise Conflict(f"A run '{run.name}' already exists in this study; choose another name.")
