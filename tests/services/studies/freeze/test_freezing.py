"""A freeze fixes a study once; verify finds whatever was changed since, and the sample says how it was drawn."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

from db import AuditEvent, Candidate, Database, Freeze, FreezeItem, Reference, Study, StudyEvent, Volume
from services.errors import Conflict, NotAllowed, NotFound
from services.people import identity
from services.progress import data_lock
from services.record import verification
from services.studies import catalogue
from services.studies.folders import importing
from services.studies.freeze import before_freeze, freezing
from services.studies.freeze.freezing import Frozen
from services.studies.volumes import volume_store
from tests.situations import (
    CANDIDATES,
    CASES,
    ITEMS,
    PROTOCOL,
    Situation,
    imported_study,
    open_study,
    signed_in,
    write_study_folder,
    write_table,
)


def canonical_sha256(value: Any) -> str:
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()


def with_sql(situation: Situation, statements: Iterable[str]) -> None:
    """Change the database as somebody who may write its file can."""
    with situation.database.engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def problems_of(situation: Situation) -> list[str]:
    return verification.verify_study(situation.database, "tiny")


def manifest_of(situation: Situation) -> dict[str, Any]:
    frozen = freezing.freeze_of(situation.database, situation.admin, "tiny")
    assert frozen is not None
    return frozen.manifest


# ---- the manifest ----------------------------------------------------------------------------------------------------


def test_the_hash_of_the_manifest_is_that_of_its_canonical_json(opened: Situation) -> None:
    frozen = freezing.freeze_of(opened.database, opened.admin, "tiny")

    assert frozen is not None
    assert frozen.sha256 == canonical_sha256(frozen.manifest)
    with opened.database.read_only() as session:
        stored = session.exec(select(Freeze)).one()
    assert hashlib.sha256(stored.manifest_json.encode()).hexdigest() == frozen.sha256


def test_every_hash_of_the_manifest_can_be_recomputed_from_the_study_folder(opened: Situation) -> None:
    manifest = manifest_of(opened)
    options = {"yes_no": "yes=Yes|no=No", "open": ""}

    def listed(kind: str, written: str) -> list[dict[str, str]]:
        pairs = [part.split("=") for part in options.get(kind, written).split("|") if part]
        return [{"id": option, "text": shown} for option, shown in pairs]

    assert manifest["items"] == {
        key: canonical_sha256(
            [key, case, category, kind, grounding, kind, f"Prompt of {key}?", listed(kind, written),
             sequences.split("|"), prior == "true"]
        )
        for key, case, category, kind, grounding, written, sequences, prior, _, _ in ITEMS
    }  # fmt: skip
    assert manifest["cases"] == {
        case: canonical_sha256([case, subject, f"Vignette of {case}", 50]) for case, subject in CASES
    }
    assert manifest["candidates"] == {row[0]: canonical_sha256(list(row)) for row in CANDIDATES}


def test_the_manifest_names_volumes_by_the_hash_of_their_prepared_bytes(opened: Situation) -> None:
    manifest = manifest_of(opened)

    for volume in manifest["volumes"].values():
        content = volume_store.path_of(opened.database, volume["sha256"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == volume["sha256"]
    assert len(manifest["volumes"]) == 9


def test_the_manifest_covers_protocol_and_analysis_plan(opened: Situation) -> None:
    with opened.database.engine.connect() as connection:
        protocol = connection.execute(text("SELECT canonical_json FROM protocol")).scalar_one()

    manifest = manifest_of(opened)

    assert manifest["protocol_sha256"] == hashlib.sha256(protocol.encode()).hexdigest()
    assert manifest["analysis_plan_sha256"] == canonical_sha256(json.loads(protocol)["analysis"])
    assert json.loads(protocol)["analysis"]["resamples"] == PROTOCOL["analysis"]["resamples"]


def test_references_are_in_the_manifest_under_one_salted_hash_only(opened: Situation) -> None:
    with opened.database.read_only() as session:
        salt = session.exec(select(Study.salt)).one()
    content = [[row[0], row[8].split("|"), None, None, row[9]] for row in ITEMS]
    written = json.dumps(content, sort_keys=True, separators=(",", ":"))

    manifest = manifest_of(opened)

    keyed = manifest["references_and_baselines_keyed_sha256"]
    assert keyed == hmac.new(bytes.fromhex(salt), written.encode(), hashlib.sha256).hexdigest()
    assert keyed != hashlib.sha256(written.encode()).hexdigest()
    text_of_manifest = json.dumps(manifest)
    assert salt not in text_of_manifest
    assert "arachnoid" not in text_of_manifest
    for row in ITEMS:
        for guessed in (row[8], row[9], [row[8]], row[8].split("|"), [row[0], row[8]]):
            assert canonical_sha256(guessed) not in text_of_manifest


# ---- once ------------------------------------------------------------------------------------------------------------


def test_a_study_is_frozen_once(opened: Situation) -> None:
    with pytest.raises(Conflict, match="already frozen"):
        freezing.freeze_study(opened.database, opened.admin, "tiny")


def test_of_several_freezes_at_once_one_counts(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")

    def try_it(_: int) -> Frozen | Conflict:
        try:
            return freezing.freeze_study(database, situation.admin, "tiny")
        except Conflict as refusal:
            return refusal

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(try_it, range(4)))

    assert sum(isinstance(outcome, Frozen) for outcome in outcomes) == 1
    with database.read_only() as session:
        assert len(session.exec(select(Freeze)).all()) == 1


def test_only_the_admin_freezes(imported: Situation) -> None:
    for other in (*imported.raters, imported.reviewer):
        with pytest.raises(NotAllowed):
            freezing.freeze_study(imported.database, other, "tiny")


def test_a_freeze_is_refused_when_a_volume_is_damaged_and_nothing_is_frozen(imported: Situation) -> None:
    with imported.database.read_only() as session:
        volume = session.exec(select(Volume).where(Volume.key == "c1-t2")).one()
    volume_store.path_of(imported.database, volume.sha256).write_bytes(b"damaged")

    with pytest.raises(Conflict, match="volume 'c1-t2' is missing or damaged"):
        freezing.freeze_study(imported.database, imported.admin, "tiny")

    assert freezing.freeze_of(imported.database, imported.admin, "tiny") is None


def test_the_freeze_opens_the_study_and_is_in_the_audit_chain(imported: Situation) -> None:
    assert catalogue.study_line(imported.database, imported.admin, "tiny").state == "draft"

    frozen = freezing.freeze_study(imported.database, imported.admin, "tiny")

    assert catalogue.study_line(imported.database, imported.admin, "tiny").state == "open"
    with imported.database.read_only() as session:
        assert session.exec(select(StudyEvent.kind)).all() == ["open"]
        last = session.exec(select(AuditEvent).where(AuditEvent.action == "study frozen")).one()
    assert last.detail["manifest_sha256"] == frozen.sha256


# ---- verify ----------------------------------------------------------------------------------------------------------


def test_an_untouched_study_verifies(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    assert problems_of(situation) == []


def test_a_study_that_is_not_frozen_has_nothing_to_verify(imported: Situation) -> None:
    with pytest.raises(NotFound, match="not frozen"):
        problems_of(imported)


A_LATER_REFERENCE = (
    "INSERT INTO reference (item_id, version, accepted, text_only_answer, provenance, created_at) "
    "SELECT item_id, 2, '[\"no\"]', '', '', created_at FROM reference WHERE item_id = 1"
)
ANOTHER_PLAN = "UPDATE protocol SET canonical_json = replace(canonical_json, '\"resamples\":400', '\"resamples\":401')"


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE item SET prompt = 'Another?' WHERE key = 'i2'", "items i2."),
        ("UPDATE item SET options = '[]' WHERE key = 'i4'", "items i4."),
        ("UPDATE study_case SET subject = 'subject-2' WHERE key = 'c1'", "cases c1."),
        ("UPDATE candidate SET answer = 'Yes.' WHERE key = 'k2'", "candidates k2."),
        ("UPDATE candidate SET model = 'model-a' WHERE key = 'k2'", "candidates k2."),
        ("UPDATE candidate SET key = 'k9' WHERE key = 'k5'", "candidates k5, k9."),
        ("UPDATE volume SET label = 'T2' WHERE key = 'c1-t1'", "volumes c1-t1."),
        ("UPDATE volume SET acquired = '2020-01-01' WHERE key = 'c1-p'", "volumes c1-p."),
        ("UPDATE volume SET sha256 = replace(sha256, 'a', 'b') WHERE key = 'c1-p'", "volumes c1-p."),
        (ANOTHER_PLAN, "protocol_sha256."),
        (ANOTHER_PLAN, "analysis_plan_sha256."),
        ("UPDATE reference SET accepted = '[\"no\"]' WHERE item_id = 1", "references_and_baselines_keyed_sha256."),
        ("UPDATE reference SET text_only_answer = 'no' WHERE item_id = 1", "references_and_baselines_keyed_sha256."),
        (A_LATER_REFERENCE, "The reference of item 'i1' was given a new version after the freeze."),
        (
            "UPDATE freeze SET manifest_json = replace(manifest_json, 'tiny', 'tidy')",
            "The stored manifest does not have the SHA-256 that was frozen with it.",
        ),
        ("UPDATE audit_event SET person_id = NULL WHERE id = 3", "Audit event 3 does not match the hash chain."),
    ],
)
def test_verify_finds_what_was_changed(opened: Situation, statement: str, problem: str) -> None:
    triggers = [f"DROP TRIGGER {table}_no_update" for table in ("reference", "freeze", "audit_event")]

    with_sql(opened, [*triggers, statement])

    wanted = problem if problem[0].isupper() else f"Changed since the freeze: {problem}"
    assert wanted in problems_of(opened)


@pytest.mark.parametrize("damage", ["changed", "missing", "another volume in its place"])
def test_verify_finds_a_volume_file_that_is_not_what_it_was(opened: Situation, damage: str) -> None:
    with opened.database.read_only() as session:
        volumes = {volume.key: volume.sha256 for volume in session.exec(select(Volume))}
    file = volume_store.path_of(opened.database, volumes["c3-t1"])
    if damage == "missing":
        file.unlink()
    elif damage == "changed":
        content = bytearray(file.read_bytes())
        content[-9] ^= 1
        file.write_bytes(content)
    else:
        file.write_bytes(volume_store.path_of(opened.database, volumes["c1-t1"]).read_bytes())

    assert problems_of(opened) == ["The prepared file of volume 'c3-t1' is missing or damaged."]


def test_a_study_verifies_after_work_has_been_done_in_it(opened: Situation) -> None:
    data_lock.take_interim_look(opened.database, opened.admin, "tiny", "to try the report")
    data_lock.close_study(opened.database, opened.admin, "tiny")

    assert problems_of(opened) == []


def test_only_the_admin_verifies_on_a_page(opened: Situation) -> None:
    assert verification.verify_for_admin(opened.database, opened.admin, "tiny") == []
    with pytest.raises(NotAllowed):
        verification.verify_for_admin(opened.database, opened.raters[0], "tiny")


# ---- the sample that raters score ------------------------------------------------------------------------------------


def freeze_candidates(database: Database, folder: Path, per_model: dict[str, int], sample: int) -> None:
    """Freeze the tiny study with as many candidates of each model as told."""
    write_study_folder(folder, {"scoring": {**PROTOCOL["scoring"], "sample": sample}})
    rows = [(f"{model}-{n}", "i1", model, "x") for model, count in per_model.items() for n in range(count)]
    write_table(folder / "candidates.csv", "candidate,item,model,answer", rows)
    identity.ensure_owner(database, "admin", "Ada Admin")
    admin = signed_in(database, "admin")
    importing.import_study(database, admin, folder)
    freezing.freeze_study(database, admin, "tiny")


@pytest.mark.parametrize(
    ("per_model", "sample"),
    [({"a": 30, "b": 30}, 40), ({"a": 31, "b": 17, "c": 12}, 25), ({"a": 7, "b": 7, "c": 7}, 10), ({"a": 9}, 9)],
)
def test_the_sample_has_its_size_is_shared_among_models_and_knows_its_probabilities(
    sqlite_database: Database, tmp_path: Path, per_model: dict[str, int], sample: int
) -> None:
    freeze_candidates(sqlite_database, tmp_path / "study", per_model, sample)

    with sqlite_database.read_only() as session:
        rows = session.exec(
            select(FreezeItem, Candidate.model).join(Candidate, Candidate.id == FreezeItem.candidate_id)
        ).all()

    drawn = Counter(model for _, model in rows)
    pool = sum(per_model.values())
    assert sum(drawn.values()) == sample
    assert len({row.candidate_id for row, _ in rows}) == sample
    for model, size in per_model.items():
        assert abs(drawn[model] - sample * size / pool) < 1
        of_model = [row for row, its_model in rows if its_model == model]
        assert {row.stratum for row in of_model} == {f"model {model}"}
        # Each drawn candidate stands for 1/p of its stratum: together for all of it (Horvitz and Thompson).
        assert sum(1 / row.inclusion_probability for row in of_model) == pytest.approx(size)


def test_all_items_are_frozen_with_certainty_in_the_stratum_of_their_category(opened: Situation) -> None:
    with opened.database.read_only() as session:
        rows = session.exec(select(FreezeItem).where(FreezeItem.candidate_id == None)).all()  # noqa: E711

    assert [row.inclusion_probability for row in rows] == [1.0] * 6
    assert Counter(row.stratum for row in rows) == {"presence": 2, "side": 2, "change": 1, "name": 1}


def test_the_manifest_tells_the_sample_with_its_probabilities_and_the_freeze_how_it_was_drawn(
    opened: Situation,
) -> None:
    sample = manifest_of(opened)["scoring_sample"]

    assert len(sample) == 4
    assert set(sample) <= {row[0] for row in CANDIDATES}
    assert set(sample.values()) == {2 / 3}
    with opened.database.read_only() as session:
        freeze = session.exec(select(Freeze)).one()
    assert (freeze.seed, freeze.method) == (7, "all items; 4 candidates drawn at random within each model")


def test_a_study_without_scoring_has_no_sample(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study", {"scoring": None})

    assert manifest_of(situation)["scoring_sample"] == {}
    with sqlite_database.read_only() as session:
        assert session.exec(select(Freeze.method)).one() == "all items"


def test_the_references_of_a_frozen_study_are_those_that_were_imported(opened: Situation) -> None:
    with opened.database.read_only() as session:
        stored = session.exec(select(Reference.accepted).order_by(Reference.item_id)).all()

    assert stored == [row[8].split("|") for row in ITEMS]


def test_who_freezes_is_told_how_many_subjects_stand_behind_the_intervals(imported: Situation) -> None:
    standing = before_freeze.standing_of(imported.database, imported.admin, "tiny")

    assert (standing.items, standing.cases, standing.subjects) == (6, 3, 3)
    assert standing.sentence == (
        "6 items about 3 cases of 3 subjects: intervals are clustered by subject, so 3 subjects support them. "
        "With so few, intervals may be undefined, and those given are likely to be too narrow."
    )


def test_a_seed_of_64_bits_is_frozen(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study", {"seed": 2**63 - 1})

    assert freezing.freeze_study(database, situation.admin, "tiny").sha256
