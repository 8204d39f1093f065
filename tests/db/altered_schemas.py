"""Changes of a PostgreSQL schema by which results change, rows are refused or code runs, and how each is named."""

from __future__ import annotations

_STUDY, _VERDICT = "The table 'study' was altered", "The table 'verdict' was altered"
_INDEX = "ix_verification_study_id"
_FUNCTION = "CREATE FUNCTION forge() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
_CASTING = "CREATE FUNCTION casting(varchar) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';"

# What a dump brings along.
ALTERED = {
    "a default": (
        "ALTER TABLE study ALTER COLUMN key SET DEFAULT 'evil'",
        f"{_STUDY} \\(gone: key .*; new: key .*evil",
    ),
    "no default": ("ALTER TABLE study ALTER COLUMN is_demo DROP DEFAULT", _STUDY),
    "a generated column": (
        "ALTER TABLE study ADD more integer GENERATED ALWAYS AS (1) STORED",
        f"{_STUDY} \\(new: more",
    ),
    "an identity column": ("ALTER TABLE study ADD more integer GENERATED ALWAYS AS IDENTITY", f"{_STUDY} \\(new: more"),
    "a column": ("ALTER TABLE study ADD more integer NOT NULL DEFAULT 1", f"{_STUDY} \\(new: more integer DEFAULT 1"),
    "no column": ("ALTER TABLE person DROP COLUMN is_demo", r"The table 'person' was altered \(gone: is_demo"),
    "another name of a column": (
        "ALTER TABLE display RENAME COLUMN viewport TO other",
        r"gone: viewport .* new: other",
    ),
    "values that may lack": ("ALTER TABLE study ALTER COLUMN salt DROP NOT NULL", _STUDY),
    "values that may not lack": ("ALTER TABLE study ALTER COLUMN removed_at SET NOT NULL", _STUDY),
    "a shorter type": ("ALTER TABLE study ALTER COLUMN key TYPE varchar(3)", _STUDY),
    "another type": ("ALTER TABLE verdict ALTER COLUMN active_ms TYPE smallint", _VERDICT),
    "another collation": ('ALTER TABLE study ALTER COLUMN key TYPE varchar(80) COLLATE "POSIX"', f"{_STUDY}.*COLLATE"),
    "an exclusion": ("ALTER TABLE study ADD CONSTRAINT more EXCLUDE USING btree (title WITH =)", f"{_STUDY}.*EXCLUDE"),
    "a check": (
        "ALTER TABLE verdict ADD CONSTRAINT more CHECK (length(comment) < 10)",
        f"{_VERDICT}.*new: CONSTRAINT more",
    ),
    "another check": (
        (
            "ALTER TABLE assignment DROP CONSTRAINT ck_assignment_kind, "
            "ADD CONSTRAINT ck_assignment_kind CHECK (kind IN ('items', 'other'))"
        ),
        "The table 'assignment' was altered",
    ),
    "another check on a number": (
        (
            "ALTER TABLE overlay DROP CONSTRAINT ck_overlay_opacity, "
            "ADD CONSTRAINT ck_overlay_opacity CHECK (opacity > 0 AND opacity < 1)"
        ),
        "The table 'overlay' was altered",
    ),
    "no check": ("ALTER TABLE assignment DROP CONSTRAINT ck_assignment_step", "The table 'assignment' was altered"),
    "no unique constraint": (
        "ALTER TABLE adjudication DROP CONSTRAINT uq_adjudication_task_id",
        "'adjudication' was altered",
    ),
    "a unique constraint": ("ALTER TABLE draft ADD UNIQUE (sequence)", "The table 'draft' was altered"),
    "a later unique constraint": (
        (
            "ALTER TABLE study DROP CONSTRAINT uq_study_key, "
            "ADD CONSTRAINT uq_study_key UNIQUE (key) DEFERRABLE INITIALLY DEFERRED"
        ),
        _STUDY,
    ),
    "no foreign key": ("ALTER TABLE verdict DROP CONSTRAINT fk_verdict_assignment_id_assignment", _VERDICT),
    "a foreign key": (
        "ALTER TABLE lease ADD FOREIGN KEY (name) REFERENCES study (key)",
        "The table 'lease' was altered",
    ),
    "rows that go along": (
        (
            "ALTER TABLE verdict DROP CONSTRAINT fk_verdict_assignment_id_assignment, "
            "ADD CONSTRAINT fk_verdict_assignment_id_assignment FOREIGN KEY (assignment_id) REFERENCES assignment (id) "
            "ON DELETE CASCADE"
        ),
        f"{_VERDICT}.*new: CONSTRAINT fk_verdict_assignment_id",
    ),
    "a table": (
        "CREATE TABLE more (id serial PRIMARY KEY)",
        r"^\. The table 'more' does not belong to this database\.$",
    ),
    "a table that inherits": (
        "CREATE TABLE more () INHERITS (draft)",
        "The table 'draft' was altered .*INHERITED BY more",
    ),
    "a table that refers to another": (
        "CREATE TABLE more (id integer REFERENCES draft (assignment_id))",
        "The table 'more' does not belong",
    ),
    "a table that is divided": (
        "CREATE TABLE more (id integer) PARTITION BY RANGE (id)",
        "The partitioned table 'more'",
    ),
    "a sequence": ("CREATE SEQUENCE more", "The sequence 'more' does not belong"),
    "another sequence": (
        "ALTER SEQUENCE study_id_seq MAXVALUE 5 CYCLE",
        "The sequence 'study_id_seq' on 'study' was altered",
    ),
    "no table": ("DROP TABLE lease", r"^\. The table 'lease' is gone\.$"),
    "a table that is lost in a crash": ("ALTER TABLE display SET UNLOGGED", "UNLOGGED"),
    "row level security for its owner": (
        "ALTER TABLE verdict FORCE ROW LEVEL SECURITY",
        f"{_VERDICT}.*FORCE ROW LEVEL",
    ),
    "no trigger": (
        "DROP TRIGGER verdict_append_only ON verdict",
        "The trigger 'verdict_append_only' on 'verdict' is gone",
    ),
    "a trigger that is off": (
        "ALTER TABLE flag DISABLE TRIGGER flag_append_only",
        "'flag_append_only' on 'flag' was altered",
    ),
    "triggers that are off": ("ALTER TABLE flag DISABLE TRIGGER ALL", "'flag_append_only' on 'flag' was altered"),
    "another trigger": (
        (
            "DROP TRIGGER flag_append_only ON flag; CREATE TRIGGER flag_append_only BEFORE DELETE OR UPDATE ON flag "
            "FOR EACH ROW WHEN (OLD.id < 0) EXECUTE FUNCTION refuse_change()"
        ),
        "'flag_append_only' on 'flag' was altered",
    ),
    "a trigger": (
        "CREATE TRIGGER more AFTER UPDATE ON login_session FOR EACH ROW EXECUTE FUNCTION refuse_change()",
        "The trigger 'more' on 'login_session' does not belong",
    ),
    "a name with the schema in it": (
        'CREATE TRIGGER "public.more" AFTER UPDATE ON draft FOR EACH ROW EXECUTE FUNCTION refuse_change()',
        r"The trigger 'public\.more' on 'draft' does not belong",
    ),
    "no index": (f"DROP INDEX {_INDEX}", f"The plain index '{_INDEX}' on 'verification' is gone"),
    "no unique index": ("DROP INDEX uq_verdict_root", "The unique index 'uq_verdict_root' on 'verdict' is gone"),
    "a unique index for fewer rows": (
        (
            "DROP INDEX uq_verdict_root; CREATE UNIQUE INDEX uq_verdict_root ON verdict (assignment_id) "
            "WHERE supersedes_id IS NULL AND id < 0"
        ),
        "The unique index 'uq_verdict_root' on 'verdict' was altered",
    ),
    "a unique index": (
        "CREATE UNIQUE INDEX more ON draft (sequence)",
        "The unique index 'more' on 'draft' does not belong",
    ),
    "a unique index on few rows": (
        "CREATE UNIQUE INDEX more ON draft (sequence) WHERE sequence > 1",
        "The unique index 'more' on 'draft' does not belong",
    ),
    "a unique index on an expression": (
        "CREATE UNIQUE INDEX more ON verdict (lower(receipt))",
        "The unique index 'more' on 'verdict' does not belong",
    ),
    "an index on an expression": (
        "CREATE INDEX more ON draft (lower(answers::text))",
        "The index 'more' on 'draft' does not belong",
    ),
    "an index on some rows": (
        "CREATE INDEX more ON draft (sequence) WHERE 1 / sequence > 0",
        "The index 'more' on 'draft'",
    ),
    "an index on long texts": (
        "CREATE INDEX more ON verdict (comment)",
        "The index 'more' on 'verdict' does not belong",
    ),
    "an index with another collation": (
        'CREATE INDEX more ON study (key COLLATE "POSIX")',
        "The index 'more' on 'study'",
    ),
    "an index of another kind": ("CREATE INDEX more ON study USING hash (key)", "The index 'more' on 'study'"),
    "an index that holds more": ("CREATE INDEX more ON study (key) INCLUDE (title)", "The index 'more' on 'study'"),
    **{
        f"an index of ours {what}": (
            f"DROP INDEX {_INDEX}; CREATE INDEX {_INDEX} ON verification {columns}",
            f"'{_INDEX}' on 'verification' (was altered|does not belong)",
        )
        for what, columns in {
            "in another order": "(study_id DESC)",
            "of another kind": "USING hash (study_id)",
            "that holds more": "(study_id) INCLUDE (files_checked)",
            "on another column": "(files_checked)",
        }.items()
    },
}

# What a dump does not bring along, or the list of its contents already shows.
ALTERED_IN_PLACE = {
    "a check of what comes": (
        "ALTER TABLE verdict ADD CONSTRAINT more CHECK (false) NOT VALID",
        f"{_VERDICT}.*NOT VALID",
    ),
    "row level security": ("ALTER TABLE verdict ENABLE ROW LEVEL SECURITY", rf"{_VERDICT} \(new: ROW LEVEL SECURITY\)"),
    "a function": (
        "CREATE FUNCTION forge() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        r"The function 'forge\(\)' does not",
    ),
    "another function": (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        r"The function 'refuse_change\(\)' was altered",
    ),
    "a function as its owner": ("ALTER FUNCTION refuse_change() SECURITY DEFINER", r"'refuse_change\(\)' was altered"),
    "a function with settings": (
        "ALTER FUNCTION refuse_change() SET search_path = other",
        r"'refuse_change\(\)' was altered",
    ),
    "a function of another trigger": (
        f"{_FUNCTION} CREATE TRIGGER more BEFORE INSERT ON verdict FOR EACH ROW EXECUTE FUNCTION forge()",
        r"function 'forge\(\)' does not.*trigger 'more' on 'verdict' does not",
    ),
    "foreign keys that are off": (
        "ALTER TABLE draft DISABLE TRIGGER ALL",
        "'draft' was altered .*WITHOUT THE TRIGGERS OF fk_",
    ),
    "a rule": (
        "CREATE RULE more AS ON UPDATE TO draft DO ALSO DELETE FROM lease",
        "The rule 'more' on 'draft' does not",
    ),
    "a policy": ("CREATE POLICY more ON verdict USING (false)", "The policy 'more' on 'verdict' does not belong"),
    "a view": ("CREATE VIEW more AS SELECT * FROM person", "The view 'more' does not belong"),
    "a view in the place of a table": (
        "ALTER TABLE draft RENAME TO more; CREATE VIEW draft AS SELECT * FROM more",
        "The table 'draft' is gone.*The table 'more' does not.*The view 'draft' does not",
    ),
    "a materialized view": (
        "CREATE MATERIALIZED VIEW more AS SELECT 1",
        "The materialized view 'more' does not belong",
    ),
    "a type": ("CREATE DOMAIN more AS integer CHECK (value > 0)", r"The type 'public\.more' does not belong"),
    "an operator": (
        f"{_CASTING} CREATE OPERATOR + (rightarg = varchar, function = casting)",
        "The operator 'public.*does not belong",
    ),
    "a table elsewhere that refers to ours": (
        "CREATE SCHEMA other; CREATE TABLE other.more (id integer REFERENCES study (id))",
        rf"{_STUDY} \(new: REFERENCED BY other\.more\)",
    ),
    "a table elsewhere that inherits from ours": (
        "CREATE SCHEMA other; CREATE TABLE other.more () INHERITS (study)",
        rf"{_STUDY} \(new: INHERITED BY other\.more\)",
    ),
}

# What an administrator may do for speed, or for the server.
HARMLESS = {
    "an index": "CREATE INDEX more ON draft (sequence)",
    "an index with a name in quotes": 'CREATE INDEX "more-and-more" ON draft (sequence)',
    "an index on two columns": "CREATE INDEX more ON study (key, created_at)",
    "an index in another order": "CREATE INDEX more ON study (created_at DESC NULLS LAST, key)",
    "an extension": "CREATE EXTENSION pg_trgm",
    "a privilege": "GRANT SELECT ON study TO PUBLIC",
    "a comment": "COMMENT ON TABLE study IS 'Studies'",
    "room in pages": "ALTER TABLE verdict SET (fillfactor = 80)",
    "finer statistics": "ALTER TABLE verdict ALTER COLUMN receipt SET STATISTICS 1000",
    "a trigger that also acts on a replica": "ALTER TABLE verdict ENABLE ALWAYS TRIGGER verdict_append_only",
}
