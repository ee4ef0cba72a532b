-- name: lock
-- One migration at a time on a database; the lock ends with the transaction.
SET LOCAL lock_timeout = '15s'; SELECT pg_advisory_xact_lock(7065891)

-- name: encoding
-- What the database can store.
SELECT current_setting('server_encoding')

-- name: create_ledger
-- What has run.
CREATE TABLE IF NOT EXISTS lps_migration (
  number int PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, at timestamptz NOT NULL DEFAULT now())

-- name: ledger_exists
-- NULL when the schema has never been made.
SELECT to_regclass('lps_migration')

-- name: applied
-- Every migration that ran.
SELECT number, name, sha256 FROM lps_migration

-- name: record
-- One migration ran.
INSERT INTO lps_migration (number, name, sha256) VALUES (%s, %s, %s)

-- name: stamp_origin
-- A database belongs to one world for ever.
INSERT INTO lps.origin (origin) VALUES (%s) ON CONFLICT DO NOTHING

-- name: origin
-- Which world this database belongs to.
SELECT origin FROM lps.origin
