-- name: tables
-- Every table of ours with its columns, parents before their children; what only lives on this machine is left out.
WITH RECURSIVE mine AS (
  SELECT c.oid, n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname IN ('public', 'dramatiq')
    AND c.relname NOT IN ('lps_migration', 'worker')
), depth AS (
  SELECT oid, 0 AS level FROM mine
  UNION
  SELECT k.conrelid, depth.level + 1 FROM pg_constraint k JOIN depth ON depth.oid = k.confrelid
  WHERE k.contype = 'f' AND k.conrelid <> k.confrelid AND depth.level < 20
)
SELECT mine.schema, mine.name, (
  SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
  WHERE a.attrelid = mine.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
FROM mine JOIN (SELECT oid, max(level) AS level FROM depth GROUP BY oid) AS deepest ON deepest.oid = mine.oid
ORDER BY deepest.level, mine.schema, mine.name

-- name: snapshot
-- Everything is read as it was at one moment.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0

-- name: dump
-- One table's rows.
COPY {table} ({columns}) TO STDOUT

-- name: load
-- One table's rows; nothing in them is ever run.
COPY {table} ({columns}) FROM STDIN

-- name: empty
-- What a migration has put there makes room for what was kept.
DELETE FROM {table}

-- name: rows
-- Whether a database is in use already.
SELECT count(*) FROM (SELECT FROM job LIMIT 1) AS any_job

-- name: identities
-- Columns that number themselves.
SELECT n.nspname, c.relname, a.attname FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attidentity <> '' AND c.relkind = 'r' AND n.nspname IN ('public', 'dramatiq') ORDER BY 1, 2

-- name: continue_at
-- Numbering goes on after the highest.
SELECT setval(pg_get_serial_sequence('{table}', '{column}'), (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)

-- name: patient
-- A large table may take its time.
SET LOCAL statement_timeout = 0

-- name: sequences
-- Counters that belong to no column.
SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND n.nspname IN ('public', 'dramatiq')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')) ORDER BY 1

-- name: counter
-- How far one is.
SELECT last_value FROM {table}

-- name: count_on
-- It goes on from there.
SELECT setval('{table}', %s)
