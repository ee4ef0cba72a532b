-- name: pause
-- Nothing of this queue is claimed from now on, anywhere; said again, reason and name are replaced.
WITH paused AS (
  INSERT INTO queue_pause (name, reason, who) VALUES (%(name)s, %(reason)s, %(who)s)
  ON CONFLICT (name) DO UPDATE SET reason = excluded.reason, who = excluded.who, since = lps.now()
  RETURNING name
)
INSERT INTO audit (who, action, subject, detail)
SELECT %(who)s, 'pause', name, jsonb_build_object('reason', %(reason)s::text) FROM paused

-- name: resume
-- Claim it again; the workers are told at COMMIT.
WITH resumed AS (
  DELETE FROM queue_pause WHERE name = %(name)s RETURNING name
), noted AS (
  INSERT INTO audit (who, action, subject) SELECT %(who)s, 'resume', name FROM resumed
)
SELECT pg_notify('lps', name)::text FROM resumed

-- name: paused
-- What is paused, oldest first.
SELECT name, reason, who, since FROM queue_pause ORDER BY since, name
