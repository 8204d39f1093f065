"""Read a file of verdicts, our own or another program's, as rows that name candidates of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from db import Database
from db.base import stored_id
from exchange.foreign.layout import CONFIDENCES, Asked, Layout, Source
from exchange.foreign.reading import Gap, layout_of
from exchange.judge_pairs import Order, Pairs, PairTable
from exchange.judge_verdicts import JudgeRow, JudgeTable, require_readable
from exchange.refusal import MOST_NOTED, InputRefused, Problems, listed, shown
from protocol.scales import JudgeScale
from services.errors import Conflict, counted
from services.judging.foreign_rows import ForeignLines, Unplaced, rows_of
from services.judging.named_models import unused_in_words
from services.judging.placing import Places, places_of
from services.people.identity import Actor
from services.people.permission import require_role

# Of the lines left out, at most this many are stored with their reasons.
LISTED = 20
SKIP_ROWS = "Skip rows that match no candidate, or are not as their format says"
"""The page's checkbox for what the commands call --skip-unplaced."""


class RunFile(NamedTuple):
    """A file: its name, which indicates the format, and its content."""

    name: str
    content: bytes


class PairsAsked(NamedTuple):
    """The pairs of a study, and which order of a file's lines is read; None for all lines."""

    pairs: Pairs
    only: Order | None


@dataclass(frozen=True)
class Verdicts:
    """What a file says about candidates of a study.

    Attributes
    ----------
    rows
        Rows by author: under an empty name for a judge, otherwise under each person's own. Rows can be iterated
        several times.
    problems
        What is wrong with the file; for our own tables complete once the rows have been iterated. If there are any,
        nothing is stored.
    layout
        Key of the foreign layout; empty for our own tables.
    identity
        What the file itself says about the judge.
    unplaced, left_out
        The first lines left out because an admin allowed it, and how many there are in all.
    gaps
        For a foreign file, mapped columns and paths that some rows lack, by what they are mapped to.
    unit
        The noun with which its rows are numbered, such as "line".
    stopped
        What is stored of files that say that their evaluation did not run to its end.
    """

    rows: Mapping[str, Iterable[JudgeRow]]
    problems: Problems
    layout: str = ""
    identity: Mapping[str, str] = field(default_factory=dict)
    unplaced: Sequence[Unplaced] = ()
    left_out: int = 0
    gaps: Mapping[str, Gap] = field(default_factory=dict)
    unit: str = "line"
    stopped: Sequence[Mapping[str, str]] = ()

    @property
    def stored(self) -> dict[str, Any]:
        """What is stored about the file with a run, leaving out what does not apply."""
        said = {
            "layout": self.layout,
            "lacking": stored_gaps(self.gaps, self.unit),
            "stopped": list(self.stopped),
        }
        return {key: value for key, value in said.items() if value}


def leaving_out(lines: str = "such lines") -> str:
    """Return the way out of an import that is refused because of some lines."""
    return f"leave out {lines} (“{SKIP_ROWS}” on the page, --skip-unplaced of the command)"


def unread_in_words(parameters: Mapping[str, Any]) -> str:
    """Return what was not read of a file, from what is stored with its import; empty if everything was."""
    unplaced = int(parameters.get("unplaced", {}).get("rows", 0))
    words = f" {counted(unplaced, 'line')} of the file could not be placed." if unplaced else ""
    words += unused_in_words(parameters.get("unused_models", ()))
    words += stopped_in_words(parameters.get("stopped", ()))
    columns = parameters.get("columns", {})
    return words + "".join(
        lacking_in_words(name, columns[name], gap) for name, gap in parameters.get("lacking", {}).items()
    )


def stopped_in_words(stopped: Iterable[Mapping[str, str]]) -> str:
    """Return a sentence on each file whose evaluation did not run to its end, from what is stored about them."""
    return "".join(
        f" {of_file['file']} says that its evaluation did not run to its end (status '{of_file['status']}'): it holds "
        f"{of_file['holds']}, and others may be missing."
        for of_file in stopped
    )


def stored_stopped(name: str, status: str, count: int, unit: str) -> list[dict[str, str]]:
    """Return what is stored about a file whose evaluation did not run to its end; empty of any other."""
    return [{"file": name, "status": shown(status, 40), "holds": counted(count, unit)}] if status else []


def lacking_in_words(name: str, path: str, gap: Mapping[str, Any]) -> str:
    """Return a sentence on rows that lack a mapped column, from what is stored about them."""
    unit = str(gap["first"]).partition(" ")[0]
    verb = "has" if gap["rows"] == 1 else "have"
    return (
        f" {counted(gap['rows'], unit)} {verb} no '{shown(path)}', mapped to {name}, {gap['first']} first: check "
        "whether the file calls it so everywhere."
    )


def stored_gaps(gaps: Mapping[str, Gap], unit: str) -> dict[str, dict[str, Any]]:
    """Return what is stored about mapped columns that some rows lack."""
    return {name: {"rows": gap.rows, "first": f"{unit} {gap.first}"} for name, gap in gaps.items() if gap.rows}


def stored_unplaced(unplaced: Sequence[Unplaced], count: int) -> dict[str, Any]:
    """Return what is stored with a run about lines that were left out; empty if none were.

    Parameters
    ----------
    unplaced
        The first of these lines, at least as many as are listed.
    """
    if not count:
        return {}
    examples = [f"{line.place}: {line.because}" for line in unplaced[:LISTED]]
    return {"unplaced": {"rows": count, "examples": examples}}


def asked_of(
    layout: str = "",
    columns: Sequence[str] = (),
    says: Sequence[str] = (),
    of_model: str = "",
    scorer: str = "",
    labellers: Sequence[str] = (),
    confidence_of: str = "",
) -> Asked:
    """Return what an admin specifies about a file, from what was typed.

    Parameters
    ----------
    columns
        Each as WHAT=COLUMN.
    says
        Each as WORD=VERDICT.
    labellers
        The columns of the people who labelled, one each.
    confidence_of
        What the file's confidences refer to; empty if the format says it, or there are none.

    Raises
    ------
    Conflict
        An entry has no equals sign, nothing before it, or specifies something twice; or `confidence_of` is unknown.
    """
    if confidence_of and confidence_of not in CONFIDENCES:
        raise Conflict(
            f"The confidence is said to be of '{shown(confidence_of, 40)}', expected {' or '.join(CONFIDENCES)}; "
            "correct it or leave it out."
        )
    people = tuple(dict.fromkeys(name.strip() for name in labellers if name.strip()))
    return Asked(
        layout,
        _pairs("column", columns),
        _pairs("word", says),
        of_model,
        scorer,
        labellers=people,
        confidence_of=confidence_of,
    )


def settings_of(written: Sequence[str]) -> dict[str, str]:
    """Return the settings for a scorer, each written as NAME=VALUE.

    Raises
    ------
    Conflict
        As for `asked_of`.
    """
    return _pairs("setting", written)


def _pairs(noun: str, written: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in filter(str.strip, written):
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name or name in pairs:
            expected = {"column": "WHAT=COLUMN", "word": "WORD=VERDICT"}.get(noun, "NAME=VALUE")
            raise Conflict(f"The {noun} '{shown(text)}' is not {expected}, or names something twice; correct it.")
        pairs[name] = value
    return pairs


def read_files(
    database: Database,
    actor: Actor,
    study_key: str,
    files: Sequence[RunFile],
    scale: JudgeScale,
    asked: Asked,
    problems: Problems,
    *,
    skip_unplaced: bool,
    pairs: PairsAsked | None = None,
) -> list[Verdicts]:
    """Read several files in the same way, each in its own layout; a foreign layout is recognised from its content.

    Parameters
    ----------
    problems
        Collects what is wrong with any of them.
    skip_unplaced
        Whether lines of a foreign file that cannot be placed, or are not as its format says, are left out and counted;
        otherwise the file is refused and they are reported. For our own tables, whose lines name keys, the later
        comparison of keys reports them.
    pairs
        The pairs of the study, if pairs of answers are judged; those are read from our own tables only.

    Raises
    ------
    InputRefused
        One of them cannot be read at all.
    """
    for file in files:
        require_readable(file.content, file.name)
    if pairs is not None:
        tables = [
            PairTable(file.content, file.name, scale, pairs.pairs, problems, asked.says, asked.columns, pairs.only)
            for file in files
        ]
        return [Verdicts({"": table}, problems, unit=table.unit) for table in tables]
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
    sources = [Source(file.content, shown(file.name, 80)) for file in files]
    layouts = [layout_of(source, asked) for source in sources]
    places: Places | None = None
    foreign: dict[str, ForeignLines] = {}
    most_reasons = LISTED if skip_unplaced else MOST_NOTED
    for source, layout in zip(sources, layouts, strict=True):
        if layout is None:
            continue
        if places is None:
            with database.read_only() as session:
                places = places_of(session, study_id)
        foreign[source.name] = ForeignLines(
            source, layout, asked, scale, places, problems, most_reasons=most_reasons, skip_unplaced=skip_unplaced
        )
    # What the study says about its candidates is no longer needed, and takes more memory than the rest.
    del places
    return [
        Verdicts({"": JudgeTable(file.content, file.name, scale, problems, asked.says)}, problems)
        if layout is None
        else _of_foreign(foreign[source.name], file.name, source, layout, scale, problems, skip_unplaced)
        for file, source, layout in zip(files, sources, layouts, strict=True)
    ]


def _of_foreign(
    lines: ForeignLines,
    file_name: str,
    source: Source,
    layout: Layout,
    scale: JudgeScale,
    problems: Problems,
    skip_unplaced: bool,
) -> Verdicts:
    if lines.left_out and not skip_unplaced:
        problems.take(_refused(lines, source.name))
    if not lines.parties and not problems.count:
        first = f"{lines.unplaced[0].place}: {lines.unplaced[0].because}" if lines.unplaced else ""
        why = f": {counted(lines.left_out, 'line')} could not be placed, {first}" if first else ""
        raise InputRefused(f"{source.name} holds no verdicts on candidates of the study{why}.")
    return Verdicts(
        rows_of(lines, file_name, scale, problems),
        problems,
        layout.key,
        lines.identity,
        lines.unplaced[:LISTED],
        lines.left_out,
        lines.gaps,
        lines.unit,
        stored_stopped(source.name, lines.stopped, len(lines), lines.unit),
    )


def of_a_judge(read: Verdicts) -> Iterable[JudgeRow]:
    """Return a judge's verdicts.

    Raises
    ------
    InputRefused
        They are people's labels.
    """
    people = sorted(party for party in read.rows if party)
    if people:
        raise InputRefused(
            f"The file holds labels of people ({listed(people)}), and no verdicts of a judge. They were not given "
            "blind here: bring them in by 'judge import-labels', which marks them so."
        )
    return read.rows.get("", ())


def _refused(lines: ForeignLines, name: str) -> InputRefused:
    """Return the refusal that lists the lines without a candidate."""
    reasons = Problems()
    for line in lines.unplaced:
        reasons.add(name, line.place, f"{line.because}; correct it, or {leaving_out()}.")
    reasons.count = lines.left_out
    return reasons.refusal()
