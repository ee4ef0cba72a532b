-- name: purge
-- At most n finished rows older than so many days; rows in other hands are left for the next time.
DELETE FROM dramatiq.queue WHERE message_id IN (
  SELECT message_id FROM dramatiq.queue
  WHERE state = %(state)s::dramatiq.state AND mtime < lps.now() - %(days)s * interval '1 day'
  ORDER BY mtime LIMIT %(n)s FOR UPDATE SKIP LOCKED
)

-- name: forget_attempts
-- At most n tries older than so many days.
DELETE FROM attempt WHERE attempt_id IN (
  SELECT attempt_id FROM attempt WHERE ended_at < lps.now() - %(days)s * interval '1 day' ORDER BY ended_at LIMIT %(n)s
)

-- name: forget_workers
-- At most n processes that stopped, or were last heard of, so many days ago.
DELETE FROM worker WHERE worker_id IN (
  SELECT worker_id FROM worker WHERE seen_at < lps.now() - %(days)s * interval '1 day' LIMIT %(n)s
)

-- name: stats
-- Per queue what waits, is delayed, runs and is dead; each part has its partial index, finished rows are not read.
SELECT queue_name, sum(ready)::int, sum(delayed)::int, sum(running)::int, sum(dead)::int,
  coalesce(max(oldest_s), 0)::float8
FROM (
  SELECT queue_name, count(*) FILTER (WHERE eta <= lps.now()) AS ready,
    count(*) FILTER (WHERE eta > lps.now()) AS delayed, 0 AS running, 0 AS dead,
    greatest(0, extract(epoch FROM lps.now() - min(eta))) AS oldest_s
  FROM dramatiq.queue WHERE state = 'queued' GROUP BY queue_name
  UNION ALL
  SELECT queue_name, 0, 0, count(*), 0, 0 FROM dramatiq.queue WHERE state = 'consumed' GROUP BY queue_name
  UNION ALL
  SELECT queue_name, 0, 0, 0, count(*), 0 FROM dramatiq.queue WHERE state = 'rejected' GROUP BY queue_name
) part
GROUP BY queue_name ORDER BY queue_name
