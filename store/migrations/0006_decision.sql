-- Deciding and paying: caps kept by conditional writes, paid decisions remembered, people's corrections above them.

-- A settled sum may end above what was reserved (the provider's usage is the truth), so the cap binds reservations only.
ALTER TABLE budget
  DROP CONSTRAINT budget_check,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT lps.now();
ALTER TABLE spend
  ADD COLUMN budgets text[] NOT NULL DEFAULT '{}', -- "scope name" of every budget it was reserved against
  ADD COLUMN leaked bool NOT NULL DEFAULT false; -- settled at its worst case, because whoever reserved it never came back
CREATE INDEX spend_leaked ON spend (settled_at) WHERE leaked;
CREATE INDEX spend_time ON spend (reserved_at);

ALTER TABLE match_decision
  ADD COLUMN pair text NOT NULL DEFAULT '', -- of specification and title alone, whatever the versions
  ADD COLUMN name text NOT NULL DEFAULT '',
  ADD COLUMN version text NOT NULL DEFAULT '', -- "gate 1 prompt 1 model"
  ADD COLUMN why text NOT NULL DEFAULT '', -- a person's reason, in words
  ADD COLUMN decided_at timestamptz;
CREATE INDEX match_decision_pair ON match_decision (pair) WHERE source = 'person';

ALTER TABLE offer_verdict
  ADD COLUMN cost_usd numeric(12, 8) NOT NULL DEFAULT 0, -- this offer's share of the call that judged it
  ADD COLUMN version text NOT NULL DEFAULT '',
  ADD COLUMN note text NOT NULL DEFAULT ''; -- who corrected it and why, or why it was not asked about

-- What decided each match round of a search, and why no model did.
CREATE TABLE match_round (
  job_id uuid NOT NULL REFERENCES job ON DELETE CASCADE,
  round smallint NOT NULL,
  mode text NOT NULL CHECK (mode IN ('rules', 'ai')),
  why text NOT NULL,
  open int NOT NULL, -- offers that the rules left open
  asked int NOT NULL,
  cached int NOT NULL,
  took_ms int NOT NULL,
  version text NOT NULL,
  at timestamptz NOT NULL DEFAULT lps.now(),
  PRIMARY KEY (job_id, round)
);
