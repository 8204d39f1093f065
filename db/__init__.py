"""The tables, the engine and the migrations."""

from db.audit import AuditEvent
from db.base import Base, new_public_id, now
from db.engine import Database, database_from_environment, make_engine
from db.frozen import (
    Freeze,
    FreezeItem,
    PhaseClosing,
    PhaseOpening,
    PooledAnswer,
    StudyEvent,
    StudyVersion,
    Thaw,
    WithdrawnUnit,
)
from db.judging import CalibrationLook, JudgeImport, JudgeRun, JudgeVerdict, OpenedBasis, SealedSplit, SplitOpening
from db.labels import ImportedLabel, LabelImport, LabelReservation
from db.maintenance import Lease, Verification
from db.many import add_many, insert_many, insert_with_keys
from db.people import Acknowledgement, Credential, Invitation, LoginSession, Membership, Person, SignInTry
from db.reading import (
    Adjudication,
    Assignment,
    Display,
    Draft,
    Flag,
    PracticeResult,
    Reopening,
    ReviewTask,
    TechnicalFailure,
    Verdict,
    ViewingTrace,
)
from db.study import Candidate, CandidatePair, Case, Item, Overlay, PoolFile, ProtocolRecord, Reference, Study, Volume
from db.waiting import Unavailable

__all__ = [
    "Acknowledgement",
    "Adjudication",
    "Assignment",
    "AuditEvent",
    "Base",
    "CalibrationLook",
    "Candidate",
    "CandidatePair",
    "Case",
    "Credential",
    "Database",
    "Display",
    "Draft",
    "Flag",
    "Freeze",
    "FreezeItem",
    "ImportedLabel",
    "Invitation",
    "Item",
    "JudgeImport",
    "JudgeRun",
    "JudgeVerdict",
    "LabelImport",
    "LabelReservation",
    "Lease",
    "LoginSession",
    "Membership",
    "OpenedBasis",
    "Overlay",
    "Person",
    "PhaseClosing",
    "PhaseOpening",
    "PoolFile",
    "PooledAnswer",
    "PracticeResult",
    "ProtocolRecord",
    "Reference",
    "Reopening",
    "ReviewTask",
    "SealedSplit",
    "SignInTry",
    "SplitOpening",
    "Study",
    "StudyEvent",
    "StudyVersion",
    "TechnicalFailure",
    "Thaw",
    "Unavailable",
    "Verdict",
    "Verification",
    "ViewingTrace",
    "Volume",
    "WithdrawnUnit",
    "add_many",
    "database_from_environment",
    "insert_many",
    "insert_with_keys",
    "make_engine",
    "new_public_id",
    "now",
]
