-- The parts of a PostgreSQL schema as rows of kind, name, table and part, which db/schema.py compares. Left out are
-- objects of extensions, settings that only affect speed (storage parameters, statistics targets), and the order of
-- columns. Definitions are PostgreSQL's own, without the schema's name if it comes first on the search path.
WITH here AS (
    SELECT oid FROM pg_namespace WHERE nspname = current_schema()
), standing AS (
    SELECT DISTINCT d.classid, d.objid FROM pg_depend d JOIN here ON d.refobjid = here.oid
    WHERE d.refclassid = 'pg_namespace'::regclass AND d.deptype = 'n' AND NOT EXISTS (
        SELECT FROM pg_depend e WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e'
    )
), relation AS (
    SELECT c.* FROM pg_class c JOIN standing s ON s.classid = 'pg_class'::regclass AND s.objid = c.oid
), held AS (
    SELECT * FROM relation WHERE relkind = 'r'
), columns_of_index AS (
    SELECT i.indexrelid, string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) AS named,
        -- The most that a row can bring into the index, in bytes.
        sum(CASE WHEN a.attlen > 0 THEN a.attlen
            WHEN a.atttypid = 'varchar'::regtype AND a.atttypmod > 4 THEN 4 * (a.atttypmod - 4)
            ELSE 1000000 END) AS width
    FROM pg_index i JOIN held ON held.oid = i.indrelid
    CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    GROUP BY i.indexrelid
)
SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
        WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' ELSE 'relation' END AS kind,
    relname AS name, '' AS table_name, NULL AS part
FROM relation WHERE relkind <> 'S'
UNION ALL
SELECT 'table', relname, '', flag.name FROM held LEFT JOIN pg_am am ON am.oid = relam
CROSS JOIN LATERAL (VALUES
    (relpersistence <> 'p', 'UNLOGGED'),
    (relrowsecurity, 'ROW LEVEL SECURITY'),
    (relforcerowsecurity, 'FORCE ROW LEVEL SECURITY'),
    (relispartition, 'PARTITION'),
    (reloftype <> 0, 'OF A TYPE'),
    (am.amname <> 'heap', 'USING ' || am.amname)
) AS flag (is_set, name) WHERE flag.is_set
UNION ALL
SELECT 'table', relname, '', concat_ws(' ',
    quote_ident(a.attname),
    format_type(a.atttypid, a.atttypmod),
    'COLLATE ' || CASE WHEN a.attcollation <> t.typcollation
        THEN (SELECT quote_ident(collname) FROM pg_collation WHERE oid = a.attcollation) END,
    CASE WHEN a.attgenerated <> '' THEN 'GENERATED ' || a.attgenerated::text WHEN a.attidentity <> ''
        THEN 'IDENTITY ' || a.attidentity::text WHEN d.oid IS NOT NULL THEN 'DEFAULT' END,
    pg_get_expr(d.adbin, d.adrelid),
    CASE WHEN a.attnotnull THEN 'NOT NULL' END)
FROM held JOIN pg_attribute a ON a.attrelid = held.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = held.oid AND d.adnum = a.attnum
UNION ALL
-- From PostgreSQL 18 on, NOT NULL is also a constraint, but the column already says so.
SELECT 'table', relname, '', 'CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(c.oid)
FROM held JOIN pg_constraint c ON c.conrelid = held.oid AND (c.contype NOT IN ('n', 't') OR NOT c.convalidated)
UNION ALL
SELECT 'table', relname, '', 'REFERENCED BY ' || c.conrelid::regclass
FROM held JOIN pg_constraint c ON c.confrelid = held.oid AND c.conrelid NOT IN (SELECT oid FROM held)
UNION ALL
SELECT 'table', relname, '', 'INHERITS ' || inhparent::regclass FROM held JOIN pg_inherits ON inhrelid = held.oid
UNION ALL
SELECT 'table', relname, '', 'INHERITED BY ' || inhrelid::regclass FROM held JOIN pg_inherits ON inhparent = held.oid
UNION ALL
SELECT DISTINCT 'table', relname, '', 'WITHOUT THE TRIGGERS OF ' || quote_ident(c.conname)
FROM held JOIN pg_trigger t ON t.tgrelid = held.oid AND t.tgisinternal AND t.tgenabled NOT IN ('O', 'A')
JOIN pg_constraint c ON c.oid = t.tgconstraint
UNION ALL
-- An index is plain if it changes no row and refuses none, that is, a B-tree on columns that always fit its pages.
SELECT CASE WHEN i.indisunique THEN 'unique index'
        WHEN columns_of_index.width <= 2000 AND regexp_replace(
            pg_get_indexdef(i.indexrelid, 0, true), ' (DESC|NULLS FIRST|NULLS LAST)(?=[, )])', '', 'g'
        ) = format('CREATE INDEX %I ON %s USING btree (%s)', x.relname, held.oid::regclass, columns_of_index.named)
        THEN 'plain index' ELSE 'index' END,
    x.relname, held.relname,
    pg_get_indexdef(i.indexrelid, 0, true)
        || CASE WHEN i.indisvalid AND i.indisready AND i.indislive THEN '' ELSE ' (INVALID)' END
FROM held JOIN pg_index i ON i.indrelid = held.oid JOIN pg_class x ON x.oid = i.indexrelid
LEFT JOIN columns_of_index ON columns_of_index.indexrelid = i.indexrelid
WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))
UNION ALL
SELECT 'trigger', tgname, relname,
    pg_get_triggerdef(t.oid, true) || CASE WHEN t.tgenabled IN ('O', 'A') THEN '' ELSE ' (switched off)' END
FROM held JOIN pg_trigger t ON t.tgrelid = held.oid AND NOT t.tgisinternal
UNION ALL
SELECT 'rule', rulename, relname, pg_get_ruledef(r.oid) FROM held JOIN pg_rewrite r ON r.ev_class = held.oid
UNION ALL
SELECT 'policy', polname, relname, NULL FROM held JOIN pg_policy ON polrelid = held.oid
UNION ALL
SELECT 'sequence', s.relname, coalesce(owner.relname, ''), concat_ws(' ',
    CASE WHEN s.relpersistence <> 'p' THEN 'UNLOGGED' END,
    format_type(q.seqtypid, NULL), 'START', q.seqstart, 'INCREMENT', q.seqincrement, 'FROM', q.seqmin, 'TO', q.seqmax,
    'CACHE', q.seqcache, CASE WHEN q.seqcycle THEN 'CYCLE' END, 'OWNED BY ' || quote_ident(a.attname))
FROM relation s JOIN pg_sequence q ON q.seqrelid = s.oid
LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype IN ('a', 'i')
    AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0
LEFT JOIN pg_class owner ON owner.oid = d.refobjid
LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
UNION ALL
SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', '', concat_ws(' ',
    'RETURNS', format_type(p.prorettype, NULL), 'LANGUAGE', l.lanname, p.prokind, p.provolatile,
    CASE WHEN p.prosecdef THEN 'SECURITY DEFINER' END, CASE WHEN p.proisstrict THEN 'STRICT' END,
    'SET ' || array_to_string(p.proconfig, ', '), 'AS', p.prosrc)
FROM pg_proc p JOIN standing s ON s.classid = 'pg_proc'::regclass AND s.objid = p.oid
JOIN pg_language l ON l.oid = p.prolang
UNION ALL
SELECT o.type, o.identity, '', NULL FROM standing s CROSS JOIN LATERAL pg_identify_object(s.classid, s.objid, 0) o
WHERE s.classid NOT IN ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_extension'::regclass)
