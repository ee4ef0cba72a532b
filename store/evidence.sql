-- name: add
-- One answer of a mall, as it came; its body lies in the folder under its hash.
INSERT INTO evidence (job_id, mall, query, url, media, status, charset, outcome, kind, sha256, size_bytes, fetched_at, keep)
VALUES (%(job_id)s, %(mall)s, %(query)s, %(url)s, %(media)s, %(status)s, %(charset)s, %(outcome)s, %(kind)s, %(sha256)s,
  %(size_bytes)s, %(fetched_at)s, %(keep)s)
RETURNING evidence_id::text

-- name: of_job
-- Every answer of a search that is still known, in the order they came.
SELECT evidence_id::text, job_id::text, mall, query, url, media, status, charset, outcome, kind, sha256, size_bytes,
  fetched_at, keep
FROM evidence WHERE job_id = %s ORDER BY fetched_at, evidence_id

-- name: settle
-- The search has ended: of the pages that answered, those of these malls stay, the others may go.
UPDATE evidence SET keep = true WHERE job_id = %(job_id)s AND mall = ANY (%(malls)s) AND NOT keep

-- name: forget
-- Rows past their days, and pages whose search ended without them; the files that no row names any more.
WITH old AS (
  DELETE FROM evidence WHERE evidence_id IN (
    SELECT evidence_id FROM evidence
    WHERE (keep AND fetched_at < lps.now() - %(keep_days)s * interval '1 day')
      OR (NOT keep AND fetched_at < lps.now() - %(loose_s)s * interval '1 second')
    LIMIT %(limit)s)
  RETURNING evidence_id, sha256
)
SELECT count(*), coalesce(array_agg(DISTINCT sha256) FILTER (WHERE NOT EXISTS (
  SELECT FROM evidence e WHERE e.sha256 = old.sha256 AND e.evidence_id NOT IN (SELECT evidence_id FROM old))), '{}')
FROM old

-- name: named
-- Which of these hashes some row still names.
SELECT DISTINCT sha256 FROM evidence WHERE sha256 = ANY (%s)
