-- name: add
-- A file that was read; nothing is searched yet.
INSERT INTO batch (name, state, file_name, header, columns, options, total, who, api_key_id)
VALUES (%(name)s, 'preview', %(file_name)s, %(header)s, %(columns)s, %(options)s, %(total)s, %(who)s, %(api_key_id)s)
RETURNING batch_id::text

-- name: add_rows
-- Its rows.
INSERT INTO batch_row (batch_id, n, cells, product_code, product_name, specification, dedupe_key, kind, errors, same_as,
  job_id) VALUES %s

-- name: answered
-- Which of these products have a fresh complete answer, or are known to be absent: key and the job that says so.
SELECT DISTINCT ON (dedupe_key) dedupe_key, job_id::text FROM job
WHERE status = 3 AND dedupe_key = ANY (%(keys)s) AND (
  (result->'complete' = 'true' AND finished_at > lps.now() - %(fresh_s)s * interval '1 second')
  OR EXISTS (SELECT FROM search_negative n WHERE n.key = dedupe_key AND n.until > lps.now()))
ORDER BY dedupe_key, finished_at DESC

-- name: one
-- One batch with what became of its rows.
SELECT b.batch_id::text, b.name, b.state, b.file_name, b.header, b.columns, b.options, b.total, b.who, b.api_key_id,
  b.reason, b.created_at, b.started_at, b.finished_at, b.updated_at, c.counts
FROM batch b CROSS JOIN LATERAL (
  SELECT jsonb_build_object('new', count(*) FILTER (WHERE kind = 'new'), 'duplicate', count(*) FILTER (WHERE kind = 'duplicate'),
    'fresh', count(*) FILTER (WHERE kind = 'fresh'), 'error', count(*) FILTER (WHERE kind = 'error'),
    'waiting', count(*) FILTER (WHERE kind = 'new' AND r.job_id IS NULL),
    'searching', count(*) FILTER (WHERE j.status IN (1, 2)),
    'done', count(*) FILTER (WHERE kind IN ('new', 'fresh') AND j.status = 3),
    'failed', count(*) FILTER (WHERE kind = 'new' AND j.status IN (4, 5)),
    'found', count(*) FILTER (WHERE kind IN ('new', 'fresh') AND j.result->>'outcome' = 'found')) AS counts
  FROM batch_row r LEFT JOIN job j ON j.job_id = r.job_id WHERE r.batch_id = b.batch_id) c
WHERE b.batch_id = %s

-- name: listed
-- A page of batches, the newest first.
SELECT batch_id::text, name, state, file_name, total, who, created_at, started_at, finished_at FROM batch
WHERE %(before)s::uuid IS NULL OR (created_at, batch_id) <
  (SELECT created_at, batch_id FROM batch WHERE batch_id = %(before)s::uuid)
ORDER BY created_at DESC, batch_id DESC LIMIT %(limit)s

-- name: rows
-- A page of rows in the order of the file, each with its search; a duplicate shows that of its first row.
SELECT r.n, r.cells, r.product_code, r.product_name, r.specification, r.kind, r.errors, r.same_as, j.job_id::text,
  j.status, j.result->>'outcome', j.result->'lowest', j.result->>'complete', j.finished_at, j.error
FROM batch_row r
LEFT JOIN batch_row f ON f.batch_id = r.batch_id AND f.n = r.same_as
LEFT JOIN job j ON j.job_id = coalesce(r.job_id, f.job_id)
WHERE r.batch_id = %(batch_id)s AND r.n > %(after)s AND (%(kind)s::text IS NULL OR r.kind = %(kind)s)
ORDER BY r.n LIMIT %(limit)s

-- name: hold
-- Take the batch for this transaction: state and options.
SELECT state, options, who, api_key_id FROM batch WHERE batch_id = %s FOR UPDATE

-- name: move
-- A state follows another, once.
UPDATE batch SET state = %(to)s, reason = %(reason)s, updated_at = lps.now(),
  started_at = CASE WHEN %(to)s = 'running' THEN coalesce(started_at, lps.now()) ELSE started_at END,
  finished_at = CASE WHEN %(to)s IN ('done', 'cancelled') THEN lps.now() END
WHERE batch_id = %(batch_id)s AND state = ANY (%(of)s)

-- name: searching
-- How many searches of this batch are under way.
SELECT count(*) FROM job WHERE batch_id = %s AND status IN (1, 2)

-- name: waiting
-- The next rows to search.
SELECT n, product_code, product_name, specification FROM batch_row
WHERE batch_id = %s AND job_id IS NULL AND kind IN ('new', 'fresh') ORDER BY n LIMIT %s

-- name: assign
-- The search of a row.
UPDATE batch_row SET job_id = %s WHERE batch_id = %s AND n = %s

-- name: running
-- Batches that are under way.
SELECT batch_id::text FROM batch WHERE state = 'running' ORDER BY created_at

-- name: has_open_rows
-- Whether a row waits for a search, its own or one it has joined.
SELECT EXISTS (SELECT FROM batch_row r JOIN job j USING (job_id) WHERE r.batch_id = %s AND j.status IN (1, 2))

-- name: open_jobs
-- Searches of a batch that are under way.
SELECT job_id::text FROM job WHERE batch_id = %s AND status IN (1, 2)

-- name: typical
-- What a search cost (USD) and took (s), by the last 200.
SELECT count(*), coalesce(avg((result->'metrics'->'cost'->>'total_usd')::float8), 0),
  coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - created_at)::float8), 0)
FROM (SELECT result, finished_at, created_at FROM job WHERE status = 3 ORDER BY finished_at DESC LIMIT 200) last
