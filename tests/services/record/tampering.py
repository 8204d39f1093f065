"""What somebody who has the database file could do to it, by name; the guards are lifted and put back elsewhere."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from db import Database

Act = Callable[[sqlite3.Connection], None]
ROOT = "(SELECT min(v.id) FROM verdict v JOIN assignment a ON a.id = v.assignment_id WHERE a.phase = 'reading')"
NEXT = f"(SELECT min(id) FROM verdict WHERE id > {ROOT})"
JOINED = "'2026-01-01 00:00:00.000000'"


def sql(*statements: str) -> Act:
    """Return an act of statements, each of which must change something."""

    def act(connection: sqlite3.Connection) -> None:
        for statement in statements:
            changed = connection.execute(statement).rowcount
            assert changed != 0, f"changed nothing: {statement}"

    return act


def change_copy(folder: Path, *statements: str, guards_back: bool = True) -> None:
    """Change the SQLite database in a backup outside the program, as anybody with the file can.

    The triggers are lifted before; put back afterwards, they hide that.
    """
    with closing(sqlite3.connect(folder / "blindread.db")) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            connection.execute(statement)
        for _, made in triggers if guards_back else []:
            connection.execute(made)
        connection.commit()


def exchanged(table: str, column: str, first: str, second: str) -> Act:
    """Return the act of exchanging one column between two rows; unique columns go by a third value."""

    def act(connection: sqlite3.Connection) -> None:
        first_id, second_id = (connection.execute(f"SELECT {row}").fetchone()[0] for row in (first, second))
        values = [connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()[0]
                  for row in (first_id, second_id)]  # fmt: skip
        assert first_id != second_id and values[0] != values[1]
        unused = -1 if isinstance(values[0], int) else "-"
        for row, value in ((first_id, unused), (second_id, values[0]), (first_id, values[1])):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))

    return act


def link_hash(row: tuple[object, ...]) -> str:
    """Return the hash of an audit event, as anybody can compute it."""
    previous, at, person, study, action, detail = row
    content = [previous, str(at).replace(" ", "T") + "+00:00", person, study, action, json.loads(str(detail))]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def relink(connection: sqlite3.Connection, since: int) -> None:
    """Compute the hashes of the chain anew from one event to its end."""
    previous = connection.execute("SELECT hash FROM audit_event WHERE id < ? ORDER BY id DESC", (since,)).fetchone()[0]
    rows = connection.execute(
        "SELECT id, at, person_id, study_id, action, detail FROM audit_event WHERE id >= ? ORDER BY id", (since,)
    ).fetchall()
    for key, *rest in rows:
        new = link_hash((previous, *rest))
        connection.execute("UPDATE audit_event SET previous_hash = ?, hash = ? WHERE id = ?", (previous, new, key))
        previous = new


def _content_hash(fields: str) -> str:
    content = [json.loads(fields), None, "", None]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _answer_with_its_hash(connection: sqlite3.Connection) -> None:
    fields = json.dumps({"answer": "forged"})
    connection.execute(
        f"UPDATE verdict SET fields = ?, content_sha256 = ? WHERE id = {ROOT}", (fields, _content_hash(fields))
    )


def _answer_with_its_hash_and_its_event(connection: sqlite3.Connection) -> None:
    """Rewrite the answer, its hash and the event that holds it, but not the links after it."""
    _answer_with_its_hash(connection)
    receipt, content = connection.execute(f"SELECT receipt, content_sha256 FROM verdict WHERE id = {ROOT}").fetchone()
    key, detail = connection.execute(
        "SELECT id, detail FROM audit_event WHERE detail LIKE ? ORDER BY id", (f'%"{receipt}"%',)
    ).fetchone()
    changed = json.loads(detail) | {"content_sha256": content}
    changed["rows"].pop("verdict")
    connection.execute("UPDATE audit_event SET detail = ? WHERE id = ?", (json.dumps(changed), key))
    row = connection.execute(
        "SELECT previous_hash, at, person_id, study_id, action, detail FROM audit_event WHERE id = ?", (key,)
    ).fetchone()
    connection.execute("UPDATE audit_event SET hash = ? WHERE id = ?", (link_hash(row), key))


def _reference_with_its_manifest(connection: sqlite3.Connection) -> None:
    """Change a reference, and rewrite the manifest and its hash so that they fit each other again."""
    salt = bytes.fromhex(connection.execute("SELECT salt FROM study WHERE key = 'tiny'").fetchone()[0])
    connection.execute("UPDATE reference SET accepted = '[\"no\"]' WHERE id = (SELECT min(id) FROM reference)")
    content = [
        [key, json.loads(accepted), low, high, text, *([explanation] if explanation else [])]
        for key, accepted, low, high, text, explanation in connection.execute(
            "SELECT i.key, r.accepted, r.low, r.high, r.text_only_answer, r.explanation "
            "FROM reference r JOIN item i ON i.id = r.item_id ORDER BY i.key"
        )
    ]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    manifest = json.loads(connection.execute("SELECT manifest_json FROM freeze").fetchone()[0])
    manifest["references_and_baselines_keyed_sha256"] = hmac.new(salt, canonical.encode(), hashlib.sha256).hexdigest()
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    connection.execute(
        "UPDATE freeze SET manifest_json = ?, sha256 = ?", (text, hashlib.sha256(text.encode()).hexdigest())
    )


def _cut_off(connection: sqlite3.Connection) -> None:
    """Take the last event out of the chain together with the row that it recorded, as if it had never been."""
    key, action = connection.execute("SELECT id, action FROM audit_event ORDER BY id DESC").fetchone()
    assert action == "study interim"
    connection.execute("DELETE FROM audit_event WHERE id = ?", (key,))
    connection.execute("DELETE FROM study_event WHERE kind = 'interim'")


def _last_event_rewritten(connection: sqlite3.Connection) -> None:
    """Change the last row and the event that recorded it, whose hash no later event holds."""
    key, detail = connection.execute("SELECT id, detail FROM audit_event ORDER BY id DESC").fetchone()
    connection.execute("UPDATE study_event SET reason = 'another reason' WHERE kind = 'interim'")
    changed = json.loads(detail) | {"reason": "another reason"}
    changed["rows"] = _seal_on_interim(connection)
    connection.execute("UPDATE audit_event SET detail = ? WHERE id = ?", (json.dumps(changed), key))
    relink(connection, key)


def _seal_on_interim(connection: sqlite3.Connection) -> dict[str, list[str]]:
    row = list(
        connection.execute(
            "SELECT id, study_id, kind, reason, person_id, at FROM study_event WHERE kind = 'interim'"
        ).fetchone()
    )
    row[-1] = str(row[-1]).replace(" ", "T") + "+00:00"
    text = json.dumps(["study_event", [row]], sort_keys=True, separators=(",", ":"))
    return {"study_event": [str(row[0]), hashlib.sha256(text.encode()).hexdigest()]}


def _whole_chain_rewritten(connection: sqlite3.Connection) -> None:
    """Take a member's consent away with the event that recorded it, and compute every later link anew."""
    key = connection.execute("SELECT id FROM audit_event WHERE action = 'instructions acknowledged'").fetchone()[0]
    connection.execute("DELETE FROM acknowledgement")
    connection.execute("DELETE FROM audit_event WHERE id = ?", (key,))
    relink(connection, key)


def past_the_guards(database: Database, *changes: str) -> None:
    """Change the file of a SQLite database with its triggers and foreign keys lifted, and put the triggers back."""
    with closing(sqlite3.connect(str(database.engine.url.database))) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for change in changes:
            connection.execute(change)
        for _, statement in triggers:
            # Not those of a table that is gone.
            with suppress(sqlite3.OperationalError):
                connection.execute(statement)
        connection.commit()


RATERS = tuple(f"(SELECT id FROM membership WHERE pseudonym = 'Rater {number}')" for number in (1, 2))
FIRST_OF_RATER_1, LAST_OF_RATER_1 = (
    "(SELECT id FROM assignment WHERE phase = 'reading' AND membership_id = "
    f"{RATERS[0]} ORDER BY position {order} LIMIT 1)"
    for order in ("ASC", "DESC")
)
OLDEST_TASK = "(SELECT min(id) FROM review_task)"

# By name: what is done to the file; all of these are found although no audit head was kept.
DETECTED: dict[str, Act] = {
    # what was answered
    "an answer": sql(f"UPDATE verdict SET fields = '{{\"answer\":\"no\"}}' WHERE id = {ROOT}"),
    "an answer with its hash": _answer_with_its_hash,
    "an answer with its hash and its audit event": _answer_with_its_hash_and_its_event,
    "a comment": sql(f"UPDATE verdict SET comment = 'Another.' WHERE id = {ROOT}"),
    "not assessable taken for an answer": sql(f"UPDATE verdict SET not_assessable = 'quality' WHERE id = {ROOT}"),
    "the verdicts of two items exchanged": exchanged("verdict", "receipt", ROOT, NEXT),
    "the contents of two verdicts exchanged": sql(
        f"UPDATE verdict SET fields = (SELECT fields FROM verdict WHERE id = {NEXT}), content_sha256 = "
        f"(SELECT content_sha256 FROM verdict WHERE id = {NEXT}), receipt = '2222-2222' WHERE id = {ROOT}"
    ),
    "a verdict on another assignment": sql(
        "UPDATE verdict SET assignment_id = (SELECT a.id FROM assignment a WHERE a.phase = 'scoring' LIMIT 1) "
        "WHERE id = (SELECT max(id) FROM verdict)"
    ),
    "a verdict of another login session": sql(f"UPDATE verdict SET login_session_id = 1 WHERE id = {ROOT}"),
    "when it was shown": sql(f"UPDATE verdict SET shown_at = '2026-01-01 00:00:00.000000' WHERE id = {ROOT}"),
    "when it was submitted": sql(f"UPDATE verdict SET submitted_at = '2031-01-01 00:00:00.000000' WHERE id = {ROOT}"),
    "how long was read": sql(f"UPDATE verdict SET active_ms = active_ms + 60000 WHERE id = {ROOT}"),
    "how long was idled": sql(f"UPDATE verdict SET idle_ms = idle_ms + 60000 WHERE id = {ROOT}"),
    "what it was read with": sql(f"UPDATE verdict SET renderer = 'another', viewport = '1x1' WHERE id = {ROOT}"),
    "which release took it": sql(f"UPDATE verdict SET software_version = '9.9' WHERE id = {ROOT}"),
    "under which freeze it was read": sql(f"UPDATE verdict SET freeze_sha256 = 'f' WHERE id = {ROOT}"),
    "by which rule it is proved": sql(f"UPDATE verdict SET hash_rule = 1 WHERE id = {ROOT}"),
    "a revision undone": sql(
        "DELETE FROM flag WHERE verdict_id IN (SELECT id FROM verdict WHERE supersedes_id IS NOT NULL)",
        "DELETE FROM verdict WHERE supersedes_id IS NOT NULL",
    ),
    "a revision taken for a first verdict": sql(
        "UPDATE verdict SET supersedes_id = NULL, assignment_id = "
        "(SELECT a.id FROM assignment a WHERE a.phase = 'scoring' LIMIT 1) WHERE supersedes_id IS NOT NULL"
    ),
    "a verdict removed": sql("DELETE FROM verdict WHERE id = (SELECT max(id) FROM verdict)"),
    "a verdict added": sql(
        "INSERT INTO verdict SELECT (SELECT max(id) + 1 FROM verdict), "
        "(SELECT id FROM assignment WHERE phase = 'scoring' LIMIT 1), NULL, fields, not_assessable, comment, shown_at, "
        "submitted_at, active_ms, idle_ms, load_ms, renderer, viewport, software_version, freeze_sha256, '2222-2222', "
        f"'k', content_sha256, login_session_id, 1 FROM verdict WHERE id = {ROOT}"
    ),
    "a flag's note": sql("UPDATE flag SET note = 'Another.'"),
    "a flag removed": sql("DELETE FROM flag WHERE id = (SELECT min(id) FROM flag)"),
    "a flag added": sql(
        f"INSERT INTO flag (id, verdict_id, kind, note, created_at) VALUES (900, (SELECT max(id) FROM verdict), "
        f"'prompt', '', {JOINED})"
    ),
    "what was looked at": sql("UPDATE viewing_trace SET trace = '{}'"),
    "what was looked at removed": sql("DELETE FROM viewing_trace"),
    "a display": sql("UPDATE display SET load_ms = load_ms + 1 WHERE id = (SELECT min(id) FROM display)"),
    "a display removed": sql("DELETE FROM display WHERE id = (SELECT min(id) FROM display)"),
    "a technical failure's reason": sql("UPDATE technical_failure SET reason = 'Another.'"),
    "a technical failure removed": sql("DELETE FROM technical_failure"),
    "a technical failure added": sql(
        "INSERT INTO technical_failure (id, assignment_id, reason, created_at) VALUES (900, "
        f"(SELECT id FROM assignment WHERE phase = 'scoring' LIMIT 1), 'forged', {JOINED})"
    ),
    "a practice result": sql("UPDATE practice_result SET passed = NOT passed"),
    # who read what
    "an assignment of another item": exchanged(
        "assignment", "item_id", FIRST_OF_RATER_1, LAST_OF_RATER_1,
    ),
    "an assignment of another rater": sql(
        f"UPDATE assignment SET membership_id = {RATERS[1]}, position = 99, pass_number = 2 "
        f"WHERE id = {FIRST_OF_RATER_1}"
    ),
    "the order of options": sql(
        "UPDATE assignment SET option_order = '[\"none\",\"left\",\"right\",\"both\"]' WHERE phase = 'reading' AND "
        "option_order LIKE '%left%'"
    ),
    "the order of reading": exchanged(
        "assignment", "position", FIRST_OF_RATER_1,
        LAST_OF_RATER_1,
    ),
    "an assignment added": sql(
        "INSERT INTO assignment (id, public_id, study_id, membership_id, item_id, phase, kind, step, pass_number, "
        "position, option_order, created_at) SELECT 900, 'x', study_id, membership_id, item_id, phase, kind, step, 2, "
        f"99, option_order, created_at FROM assignment WHERE id = {FIRST_OF_RATER_1}"
    ),
    "two pseudonyms exchanged": exchanged("membership", "pseudonym", *RATERS),
    "two members' persons exchanged": exchanged("membership", "person_id", *RATERS),
    "a rater taken for a reviewer": sql("UPDATE membership SET role = 'reviewer' WHERE pseudonym = 'Rater 2'"),
    "a rater's specialty": sql("UPDATE membership SET specialty = 'Neuroradiology' WHERE pseudonym = 'Rater 1'"),
    "a rater taken out of the study": sql(f"UPDATE membership SET removed_at = {JOINED} WHERE pseudonym = 'Rater 2'"),
    "a consent's text": sql("UPDATE acknowledgement SET text_sha256 = 'x'"),
    "a consent removed": sql("DELETE FROM acknowledgement"),
    "a consent added": sql(
        "INSERT INTO acknowledgement (id, membership_id, phase, text_sha256, acknowledged_at) VALUES "
        f"(900, {RATERS[1]}, 'reading', 'x', {JOINED})"
    ),
    # what was frozen
    "a reference": sql("UPDATE reference SET accepted = '[\"no\"]' WHERE id = (SELECT min(id) FROM reference)"),
    "a reference with manifest and hash": _reference_with_its_manifest,
    "where a reference comes from": sql("UPDATE reference SET provenance = 'invented'"),
    "a further version of a reference": sql(
        "INSERT INTO reference (id, item_id, version, accepted, text_only_answer, provenance, explanation, created_at) "
        f"SELECT 900, item_id, 2, '[\"no\"]', '', '', '', {JOINED} FROM reference LIMIT 1"
    ),
    "two items exchanged, key and all": exchanged(
        "item", "key",
        "(SELECT min(id) FROM item)",
        "(SELECT max(id) FROM item)",
    ),
    "a case's note": sql("UPDATE study_case SET note = 'Another.'"),
    "a model's name": exchanged(
        "candidate", "model",
        "(SELECT min(id) FROM candidate)",
        "(SELECT min(id) + 1 FROM candidate)",
    ),
    "an inclusion probability": sql(
        "UPDATE freeze_item SET inclusion_probability = 0.5 WHERE candidate_id IS NOT "
        "NULL"
    ),
    "a candidate taken out of the sample": sql(
        "DELETE FROM freeze_item WHERE id = (SELECT max(id) FROM freeze_item)"
    ),
    "how the sample was drawn": sql("UPDATE freeze SET method = 'by hand', seed = 99"),
    "by which rule was drawn": sql("UPDATE freeze SET draw_rule = 1"),
    "simulated readers passed off as real": sql("UPDATE study SET simulated_readers = NOT simulated_readers"),
    "the study's secret": sql("UPDATE study SET salt = 'ab' || substr(salt, 3)"),
    "the resamples of the analysis plan": sql(
        "UPDATE protocol SET canonical_json = replace(canonical_json, '\"resamples\":400', '\"resamples\":50')"
    ),
    # reviewers, judges, events
    "why an item is in the queue": sql(
        f"UPDATE review_task SET origin = CASE origin WHEN 'control' THEN 'flag' ELSE 'control' END "
        f"WHERE id = {OLDEST_TASK}"
    ),
    "the order of opinions": sql(f"UPDATE review_task SET opinion_order = '[901,900]' WHERE id = {OLDEST_TASK}"),
    "a task taken out of the queue": sql("DELETE FROM review_task WHERE id = (SELECT max(id) FROM review_task)"),
    "a decision": sql("UPDATE adjudication SET decision = '{\"answer\":\"no\"}'"),
    "a decision's reason": sql("UPDATE adjudication SET reason = 'Another.'"),
    "the opinions a decision rests on": sql("UPDATE adjudication SET opinions_shown = '[1]'"),
    "a decision removed": sql("DELETE FROM adjudication"),
    "a judge's verdict": sql("UPDATE judge_verdict SET verdict = 'incorrect' WHERE verdict = 'correct'"),
    "a judge's error taken for a verdict": sql(
        "UPDATE judge_verdict SET verdict = 'correct', error = NULL WHERE verdict IS "
        "NULL"
    ),
    "a judge's verdict removed": sql("DELETE FROM judge_verdict WHERE id = (SELECT max(id) FROM judge_verdict)"),
    "a judge's name": sql("UPDATE judge_run SET judge = 'another'"),
    "a judge's run removed": sql("DELETE FROM judge_verdict", "DELETE FROM judge_run"),
    "an event of the study": sql("UPDATE study_event SET kind = 'interim' WHERE kind = 'open'"),
    "the reason of an event": sql("UPDATE study_event SET reason = 'Another.' WHERE kind = 'interim'"),
    "an interim look hidden": sql("DELETE FROM study_event WHERE kind = 'interim'"),
    "a data lock added": sql(
        f"INSERT INTO study_event (id, study_id, kind, reason, at) VALUES (900, 1, 'close', '', {JOINED})"
    ),
    # the chain and the guards
    "who did it": sql("UPDATE audit_event SET person_id = 1 WHERE action = 'verdict'"),
    "an audit event removed": sql("DELETE FROM audit_event WHERE action = 'technical failure'"),
    "an audit event added": sql(
        "INSERT INTO audit_event (id, at, action, detail, previous_hash, hash) "
        f"VALUES (9000, {JOINED}, 'forged', '{{}}', 'x', 'y')"
    ),
    "a trigger dropped": sql("DROP TRIGGER verdict_no_update"),
    "a trigger that does nothing": sql(
        "DROP TRIGGER flag_no_delete", "CREATE TRIGGER flag_no_delete BEFORE DELETE ON flag BEGIN SELECT 1; END"
    ),
    "a trigger that forges": sql(
        "CREATE TRIGGER forging AFTER INSERT ON draft BEGIN UPDATE draft SET answers = '{}'; END"
    ),
    "two first verdicts made possible": sql("DROP INDEX uq_verdict_root"),
}  # fmt: skip

# What is done to the guards themselves: they are not put back afterwards.
GUARDS = (
    "a trigger dropped",
    "a trigger that does nothing",
    "a trigger that forges",
    "two first verdicts made possible",
)

# Not found without a head of the chain that was kept; the first three are found with one.
KNOWN: dict[str, Act] = {
    "the chain rewritten from some event to its end": _whole_chain_rewritten,
    "the last event cut off with its row": _cut_off,
    "the last event rewritten with its row": _last_event_rewritten,
    "a draft": sql("UPDATE draft SET answers = '{}'"),
    "a person's name": sql("UPDATE person SET name = 'Somebody else'"),
    "a display added": sql(
        "INSERT INTO display (id, assignment_id, login_session_id, shown_at, load_ms, renderer, viewport) "
        f"SELECT 900, assignment_id, login_session_id, {JOINED}, 1, 'x', 'y' FROM display LIMIT 1"
    ),
}  # fmt: skip
DETECTED_WITH_A_HEAD = tuple(KNOWN)[:3]
