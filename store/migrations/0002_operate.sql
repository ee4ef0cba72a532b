-- Operating the queue: draining a worker, how many and how often across all machines a mall is asked, fast numbers.

ALTER TABLE worker ADD COLUMN drain_by text; -- who asked it to finish what it has and end

-- When the next request to a mall may begin; one row a mall, each turn taken by one UPDATE.
CREATE TABLE mall_turn (
  mall text PRIMARY KEY,
  next_at timestamptz NOT NULL DEFAULT lps.now()
);

-- Who reads a mall now. A slot is free when its holder no longer runs under that fence: nobody has to give it back.
CREATE TABLE mall_slot (
  mall text NOT NULL,
  n int NOT NULL CHECK (n >= 1),
  message_id uuid,
  fence bigint,
  PRIMARY KEY (mall, n)
);

-- Counted by an index-only scan, however long the results are.
CREATE INDEX job_status ON job (status);
CREATE INDEX audit_subject ON audit (subject, audit_id);
