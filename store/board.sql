-- name: counts
-- What waits and runs, all of it; what is dead, up to a cap. Each part has its index.
SELECT
  (SELECT count(*) FROM job WHERE status = 1)::int,
  (SELECT count(*) FROM job WHERE status = 2)::int,
  (SELECT count(*) FROM (SELECT FROM job WHERE status = 4 LIMIT %(cap)s) dead)::int,
  (SELECT count(*) FROM (SELECT FROM dramatiq.queue WHERE state = 'rejected' LIMIT %(cap)s) dead)::int,
  count(*) FILTER (WHERE lease_until >= lps.now() AND mtime < lps.now() - %(stuck_s)s * interval '1 second')::int,
  count(*) FILTER (WHERE lease_until < lps.now())::int
FROM dramatiq.queue WHERE state = 'consumed'

-- name: hour
-- How the tries of each stage ended in the last hour, and how long they took, milliseconds.
SELECT stage, count(*)::int, count(*) FILTER (WHERE good)::int, count(*) FILTER (WHERE outcome = 'retry')::int,
  count(*) FILTER (WHERE outcome = 'blocked')::int,
  count(*) FILTER (WHERE NOT good AND outcome NOT IN ('retry', 'blocked', 'released', 'lost', 'skipped'))::int,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY took)::float8, percentile_cont(0.95) WITHIN GROUP (ORDER BY took)::float8,
  max(ended_at) FILTER (WHERE good)
FROM (SELECT stage, outcome, outcome IN ('done', 'ok', 'empty') AS good, ended_at,
    extract(epoch FROM ended_at - started_at) * 1000 AS took
  FROM attempt WHERE ended_at > lps.now() - interval '1 hour' AND try > 0) AS tries
GROUP BY stage

-- name: finished
-- Searches that ended in the last hour, by five minutes, the oldest first.
SELECT slot.ago, coalesce(job.done, 0)::int, coalesce(job.dead, 0)::int
FROM generate_series(%s - 1, 0, -1) AS slot (ago)
LEFT JOIN (
  SELECT least(11, floor(extract(epoch FROM lps.now() - finished_at) / 300))::int AS ago,
    count(*) FILTER (WHERE status = 3) AS done, count(*) FILTER (WHERE status = 4) AS dead
  FROM job WHERE finished_at > lps.now() - interval '1 hour' GROUP BY 1
) job ON job.ago = slot.ago
ORDER BY slot.ago DESC

-- name: blocks
-- Malls that refused us in the last hour, with the sign of the last refusal.
SELECT mall, count(*)::int, max(at), (array_agg(marker ORDER BY at DESC))[1]
FROM bot_detection WHERE at > lps.now() - interval '1 hour' GROUP BY mall ORDER BY count(*) DESC

-- name: spent
-- What today and this hour (Korean time) have cost: an open payment counts at its worst case.
SELECT coalesce(sum(usd), 0), coalesce(sum(usd) FILTER (WHERE this_hour), 0),
  coalesce(sum(usd) FILTER (WHERE kind = 'ai'), 0), coalesce(sum(usd) FILTER (WHERE kind = 'proxy'), 0),
  coalesce(sum(usd) FILTER (WHERE open), 0)
FROM (SELECT kind, coalesce(settled_usd, reserved_usd) AS usd, settled_at IS NULL AS open,
    reserved_at >= date_trunc('hour', lps.now()) AS this_hour
  FROM spend
  WHERE reserved_at >= date_trunc('day', lps.now() AT TIME ZONE 'Asia/Seoul') AT TIME ZONE 'Asia/Seoul') AS today

-- name: sessions
-- The newest stretches of crawling.
SELECT mall, ip, start, ended_at, requests, bytes, end_reason FROM crawl_session ORDER BY id DESC LIMIT %s
