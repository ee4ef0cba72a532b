-- name: neighbours
-- The other worker processes of this machine that have not said goodbye.
SELECT worker_id::text, pid, pid_started FROM worker
WHERE machine = %(machine)s AND stopped_at IS NULL AND worker_id <> %(worker_id)s

-- name: give_up
-- What these held is over now; rows in other hands are just being ended, and looked at again with the next beat.
UPDATE dramatiq.queue SET lease_until = lps.now() - interval '1 millisecond' WHERE message_id IN (
  SELECT message_id FROM dramatiq.queue WHERE state = 'consumed' AND owner = ANY (%(workers)s::uuid[])
    AND lease_until >= lps.now()
  FOR UPDATE SKIP LOCKED
)

-- name: bury
-- These are gone, unless something is still in their name.
UPDATE worker w SET stopped_at = lps.now(), running = '[]'
WHERE worker_id = ANY (%(workers)s::uuid[]) AND stopped_at IS NULL AND NOT EXISTS (
  SELECT FROM dramatiq.queue q WHERE q.state = 'consumed' AND q.owner = w.worker_id AND q.lease_until >= lps.now())

-- name: silent
-- Processes of this machine's workers that have not been heard of for so long.
SELECT pid, pid_started FROM worker
WHERE machine = %(machine)s AND stopped_at IS NULL AND seen_at < lps.now() - %(silent_s)s * interval '1 second'
