-- What the pages of a mall say of themselves by the hour, malls that no longer read, and what is kept as evidence.

-- Of so many cards, how many had the field; for `price_krw` the sum of median prices over so many readings.
CREATE TABLE page_health (
  hour timestamptz NOT NULL,
  mall text NOT NULL,
  field text NOT NULL,
  cards bigint NOT NULL CHECK (cards >= 0),
  had double precision NOT NULL CHECK (had >= 0),
  PRIMARY KEY (mall, field, hour)
);

-- A mall whose pages changed: open until `ended_at` is set. The rule `drift` rings while a row is open.
CREATE TABLE mall_drift (
  mall text NOT NULL,
  sign text NOT NULL, -- what changed: a field, or the outcome that came instead of offers
  text text NOT NULL,
  value double precision NOT NULL DEFAULT 0, -- as it is now, 0…1 for a share
  usual double precision NOT NULL DEFAULT 0, -- as it was over the week before
  paused bool NOT NULL DEFAULT false, -- whether the mall was held back for it
  since timestamptz NOT NULL DEFAULT lps.now(),
  seen_at timestamptz NOT NULL DEFAULT lps.now(),
  ended_at timestamptz,
  PRIMARY KEY (mall, sign)
);
CREATE INDEX mall_drift_open ON mall_drift (mall) WHERE ended_at IS NULL;

-- One row an answer; the body lies in the folder under its hash, once for all rows that have it.
ALTER TABLE evidence
  ALTER COLUMN job_id DROP NOT NULL, -- a canary's page belongs to no search
  ALTER COLUMN size_bytes TYPE bigint,
  ADD COLUMN query text NOT NULL DEFAULT '',
  ADD COLUMN media text NOT NULL DEFAULT 'page' CHECK (media IN ('page', 'screenshot')),
  ADD COLUMN status int,
  ADD COLUMN charset text,
  ADD COLUMN outcome text NOT NULL DEFAULT '',
  ADD COLUMN kind text NOT NULL DEFAULT '',
  ADD COLUMN keep bool NOT NULL DEFAULT true; -- false: only until its search has ended
CREATE INDEX evidence_file ON evidence (sha256);
CREATE INDEX evidence_old ON evidence (keep, fetched_at);
