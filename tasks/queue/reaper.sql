-- name: lead
-- One reaper at a time in the whole cluster; the others have nothing to add.
SELECT pg_try_advisory_xact_lock(hashtextextended('lps reap', 0))

-- name: expired
-- Leases that ran out, locked for this transaction: their workers are gone, stopped or cut off.
SELECT q.message_id::text, q.message::text, q.fence, q.attempts, q.mtime, q.queue_name,
  coalesce(w.host || ':' || w.pid, q.owner::text)
FROM dramatiq.queue q LEFT JOIN worker w ON w.worker_id = q.owner
WHERE q.state = 'consumed' AND q.lease_until < lps.now()
ORDER BY q.lease_until LIMIT %(limit)s
FOR UPDATE OF q SKIP LOCKED

-- name: postpone
-- This row could not be reaped: try it again after a lease, and let the others pass.
UPDATE dramatiq.queue SET lease_until = lps.now() + %(lease_s)s * interval '1 second'
WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
