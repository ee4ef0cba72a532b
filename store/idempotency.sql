-- name: begin
-- The first request under this key; no row when one came before, unless that one was never answered.
INSERT INTO idempotency AS i (key, request_hash) VALUES (%s, %s)
ON CONFLICT (key) DO UPDATE SET request_hash = excluded.request_hash, created_at = lps.now()
  WHERE i.answer IS NULL AND i.created_at < lps.now() - interval '1 minute'
RETURNING true

-- name: known
-- What the request before was, and what was answered.
SELECT request_hash, status, answer FROM idempotency WHERE key = %s

-- name: finish
-- The answer, for whoever sends the same again.
UPDATE idempotency SET status = %s, answer = %s WHERE key = %s

-- name: forget
-- The request was refused: it may be mended and sent again.
DELETE FROM idempotency WHERE key = %s AND answer IS NULL

-- name: prune
-- Answers older than a day.
DELETE FROM idempotency WHERE created_at < lps.now() - interval '1 day'
