"""`protocol.yaml` in either language, as phases with everything written out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from exchange.refusal import Problems
from exchange.study_folder.protocol_file import document_of, parse_protocol
from exchange.study_folder.study_language import lists_phases, study_of
from protocol.language.expansion import Expansion
from protocol.language.first import expand_first


def read_study(file: Path, version: str, list_folders: Sequence[Path]) -> Expansion:
    """Read a protocol and write out everything that it leaves implicit.

    Parameters
    ----------
    file
        The `protocol.yaml`.
    version
        The version of the program that expands it.
    list_folders
        The folders of the shared lists that it may name.

    Raises
    ------
    InputRefused
        With everything that is wrong.
    """
    problems = Problems()
    text, document = document_of(file, problems)
    problems.refuse()
    if not lists_phases(document):
        return expand_first(parse_protocol(text, file.name), version)
    study = study_of(document, file.name, version, list_folders, problems)
    problems.refuse()
    assert study.whole is not None
    return study.whole


def lists_its_phases(file: Path) -> bool:
    """Return whether a protocol that `read_study` has read is written in the language that lists phases."""
    return lists_phases(document_of(file, Problems())[1])
