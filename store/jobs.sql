-- name: submit
-- A new search, unless the same product is already being searched (then no row).
INSERT INTO job (product_code, product_name, specification, dedupe_key, priority, deadline_at, trace_id, options,
  api_key_id, batch_id)
VALUES (%(code)s, %(name)s, %(specification)s, %(key)s, %(priority)s,
  lps.now() + %(deadline_s)s * interval '1 second', %(trace_id)s, %(options)s,
  %(api_key_id)s, %(batch_id)s)
ON CONFLICT (dedupe_key) WHERE status IN (1, 2) DO NOTHING
RETURNING job_id::text

-- name: active
-- The search of this product that is under way.
SELECT * FROM job WHERE dedupe_key = %s AND status IN (1, 2)

-- name: fresh
-- The newest complete answer for this product, young enough to be given again.
SELECT * FROM job WHERE dedupe_key = %s AND status = 3 AND result->'complete' = 'true'
  AND finished_at > lps.now() - %s * interval '1 second'
ORDER BY finished_at DESC LIMIT 1

-- name: latest
-- The newest finished answer for this product, however old.
SELECT * FROM job WHERE dedupe_key = %s AND status = 3 ORDER BY finished_at DESC LIMIT 1

-- name: get
-- One job.
SELECT * FROM job WHERE job_id = %s

-- name: stamp
-- What changes whenever a search, one of its malls or a try of a stage does: one row, nothing of it decoded.
SELECT concat_ws(' ', j.status, j.round, extract(epoch FROM j.updated_at),
  (SELECT string_agg(concat(s.mall, s.round, s.outcome), ',' ORDER BY s.mall) FROM job_source s WHERE s.job_id = j.job_id),
  (SELECT max(a.attempt_id) FROM attempt a WHERE a.job_id = j.job_id))
FROM job j WHERE j.job_id = %s

-- name: batch_of
-- The file that a search belongs to.
SELECT batch_id::text FROM job WHERE job_id = %s

-- name: recent
-- The newest jobs.
SELECT * FROM job ORDER BY created_at DESC LIMIT %s

-- name: of_product
-- The newest searches of one product.
SELECT * FROM job WHERE product_code = %s ORDER BY created_at DESC LIMIT %s

-- name: lock
-- Take the row for this transaction, so that of two sources that finish at once the second sees the first; no row: final.
SELECT round, priority FROM job WHERE job_id = %s AND status IN (1, 2) FOR NO KEY UPDATE

-- name: advance
-- The next round begins, once.
UPDATE job SET round = round + 1, updated_at = lps.now()
WHERE job_id = %s AND round = %s AND status IN (1, 2) RETURNING round

-- name: finish
-- PENDING or RUNNING becomes DONE, once.
UPDATE job SET status = 3, result = %s, error = NULL, finished_at = lps.now(), updated_at = lps.now()
WHERE job_id = %s AND status IN (1, 2)

-- name: die
-- PENDING or RUNNING becomes DEAD, once.
UPDATE job SET status = 4, result = %s, error = %s, finished_at = lps.now(), updated_at = lps.now()
WHERE job_id = %s AND status IN (1, 2)

-- name: cancel
-- PENDING or RUNNING becomes CANCELLED, once.
UPDATE job SET status = 5, error = %s, finished_at = lps.now(), updated_at = lps.now()
WHERE job_id = %s AND status IN (1, 2)

-- name: overdue
-- Searches past their deadline that still wait for a source, each for one reaper only.
SELECT job_id::text FROM job WHERE status IN (1, 2) AND deadline_at < lps.now()
  AND EXISTS (SELECT FROM job_source s WHERE s.job_id = job.job_id AND s.outcome IS NULL)
ORDER BY deadline_at LIMIT %s FOR NO KEY UPDATE SKIP LOCKED

-- name: hold
-- One job of whatever status, held until the transaction ends.
SELECT * FROM job WHERE job_id = %s FOR NO KEY UPDATE

-- name: reopen
-- DEAD or DONE becomes RUNNING again, with time to end in; one that runs gets that time too.
UPDATE job SET status = 2, result = NULL, error = NULL, finished_at = NULL, updated_at = lps.now(),
  round = round + %(rounds)s,
  deadline_at = greatest(deadline_at, lps.now() + %(seconds)s * interval '1 second')
WHERE job_id = %(job_id)s AND status IN (1, 2, 3, 4)
RETURNING round
