"""Read a protocol back in plain sentences before it is imported or frozen."""

from __future__ import annotations

from pathlib import Path

from db import Database
from db.base import stored_id
from exchange.study_folder.listed_folder import Expanding
from exchange.study_folder.study_file import lists_its_phases, read_study
from protocol.language.computed import not_computed
from protocol.language.first import expand_first
from protocol.language.sentences import Paragraph, explained
from services.installation.version import SOFTWARE_VERSION
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import frozen_facts
from services.studies.folders.measuring import extent_of

# Rubrics, anchors and taxonomies that several studies share.
SHARED_LISTS = Path(__file__).resolve().parents[3] / "studies" / "lists"

AUDIT = (
    "'manage.py blinding-audit STUDY' searches every screen that a rater gets for what these phases do not show: "
    "texts of the tables may give it away."
)

# How a protocol that lists its phases is expanded here.
EXPANDING = Expanding(SOFTWARE_VERSION, (SHARED_LISTS,), extent_of)


def explain(path: Path) -> list[Paragraph]:
    """Explain the protocol of a study folder, or a protocol file alone: a paragraph for each phase.

    Raises
    ------
    InputRefused
        With everything that is wrong in the protocol.
    """
    file = path / "protocol.yaml" if path.is_dir() else path
    study = read_study(file, SOFTWARE_VERSION, (file.parent / "lists", SHARED_LISTS))
    # A protocol of the first language has its own report, which computes everything that its plan can name.
    lacking = tuple(not_computed(study)) if lists_its_phases(file) else ()
    return [*explained(study, lacking=lacking), Paragraph("After the freeze", (AUDIT,))]


def explain_study(database: Database, actor: Actor, study_key: str) -> list[Paragraph]:
    """Explain, for admins, the protocol of an imported study: a paragraph for each phase."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        listed = frozen_facts.expansion_of(session, study_id)
        if listed is not None:
            return explained(listed, lacking=tuple(not_computed(listed)))
        return explained(expand_first(frozen_facts.protocol_of(session, study_id), SOFTWARE_VERSION))
