-- name: open_sources
-- These malls are being read in this round; one that was read in an earlier round is opened again.
INSERT INTO job_source (job_id, mall, round)
SELECT %(job_id)s, mall, %(round)s FROM unnest(%(malls)s) AS mall
ON CONFLICT (job_id, mall) DO UPDATE SET round = excluded.round, outcome = NULL, kind = '', error = '',
  offers = '[]', metrics = '{}', started_at = NULL, finished_at = NULL
WHERE job_source.round < excluded.round

-- name: skip_source
-- A mall that is not asked at all: disabled or paused.
INSERT INTO job_source (job_id, mall, round, outcome, kind, error, finished_at)
VALUES (%(job_id)s, %(mall)s, %(round)s, %(outcome)s, %(kind)s, %(error)s, lps.now())
ON CONFLICT (job_id, mall) DO NOTHING

-- name: begin_source
-- The stage of a mall takes up its work: the job and, when the mall is still to be read, its round.
WITH job AS (
  UPDATE job SET status = 2, started_at = coalesce(started_at, lps.now()), updated_at = lps.now()
  WHERE job_id = %(job_id)s AND status IN (1, 2) RETURNING *
), source AS (
  UPDATE job_source SET started_at = coalesce(started_at, lps.now())
  WHERE job_id = %(job_id)s AND mall = %(mall)s AND outcome IS NULL RETURNING round, started_at
)
SELECT source.round, job.product_code, job.product_name, job.specification, job.trace_id,
  extract(epoch FROM job.deadline_at - lps.now())::float8, extract(epoch FROM lps.now() - source.started_at)::float8
FROM job, source

-- name: close_source
-- The mall has been read, or cannot be: only an open source, once. A second look that fails leaves what the first one saw.
UPDATE job_source SET outcome = CASE WHEN kept THEN 'ok' ELSE %(outcome)s END,
  kind = %(kind)s, error = %(error)s, offers = CASE WHEN kept THEN offers ELSE %(offers)s END,
  metrics = %(metrics)s::jsonb
    || jsonb_build_object('bytes', %(bytes)s + coalesce((metrics->>'bytes')::bigint, 0)),
  fence = %(fence)s, finished_at = lps.now()
FROM (
  SELECT looked_again AND offers <> '[]' AND NOT %(answered)s AS kept FROM job_source
  WHERE job_id = %(job_id)s AND mall = %(mall)s
) before
WHERE job_id = %(job_id)s AND mall = %(mall)s AND outcome IS NULL

-- name: look_again
-- A mall whose price is too good to be true is read once more in this search; what it said stays until it answers.
UPDATE job_source SET round = %(round)s, outcome = NULL, looked_again = true, started_at = NULL, finished_at = NULL
WHERE job_id = %(job_id)s AND mall = ANY (%(malls)s) AND outcome = 'ok' AND NOT looked_again
RETURNING mall

-- name: reopen_source
-- A mall that failed is read once more: only one that has not answered meanwhile.
UPDATE job_source SET round = %(round)s, outcome = NULL, kind = '', error = '', offers = '[]', metrics = '{}',
  started_at = NULL, finished_at = NULL
WHERE job_id = %(job_id)s AND mall = %(mall)s AND outcome NOT IN ('ok', 'empty')

-- name: asked
-- Whether any of these malls was asked, or left out with a reason, in whatever round.
SELECT EXISTS (SELECT FROM job_source WHERE job_id = %(job_id)s AND mall = ANY (%(malls)s))

-- name: waiting
-- How many malls are still being read.
SELECT count(*) FROM job_source WHERE job_id = %s AND outcome IS NULL

-- name: sources
-- Every mall of a job with what it answered.
SELECT mall, round, outcome, kind, error, offers, metrics FROM job_source WHERE job_id = %s
ORDER BY array_position(ARRAY['naver', 'coupang', 'gmarket', 'auction', 'st11'], mall)

-- name: outline
-- Every mall of a job with what it answered, its offers only counted.
SELECT mall, round, outcome, kind, error, jsonb_array_length(offers), metrics FROM job_source WHERE job_id = %s
ORDER BY array_position(ARRAY['naver', 'coupang', 'gmarket', 'auction', 'st11'], mall)

-- name: open_malls
-- The malls still being read, with whether an operator holds them back.
SELECT s.mall, p.reason FROM job_source s LEFT JOIN queue_pause p ON p.name = s.mall
WHERE s.job_id = %s AND s.outcome IS NULL

-- name: held_back
-- Malls that an operator holds back and that wait for it: nobody reads them now; each for one reaper only.
SELECT s.job_id::text, s.mall, p.reason FROM queue_pause p JOIN job_source s ON s.mall = p.name JOIN job USING (job_id)
WHERE s.outcome IS NULL AND job.status IN (1, 2) AND NOT EXISTS (
  SELECT FROM dramatiq.queue q
  WHERE q.state = 'consumed' AND q.queue_name = s.mall AND q.message->'args'->>0 = s.job_id::text)
ORDER BY job.created_at LIMIT %s FOR NO KEY UPDATE OF job SKIP LOCKED

-- name: forget_decisions
-- A later round decides anew.
DELETE FROM offer_verdict WHERE job_id = %s

-- name: decide
-- The verdicts of a match round.
INSERT INTO offer_verdict (job_id, n, mall, rank, offer, verdict, reason, confidence, source, effective_price_krw,
  shipping_known, unit_price, matched, missing, version, cost_usd, note) VALUES %s

-- name: decisions
-- Every offer of a job with its verdict, in the order they were decided.
SELECT offer, verdict, reason, confidence, source, effective_price_krw, shipping_known, unit_price, matched, missing,
  version, cost_usd, note
FROM offer_verdict WHERE job_id = %s ORDER BY n
