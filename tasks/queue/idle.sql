-- name: wait
-- This session waits for notifications of these queues. Nobody is about to send to them unheard then: what was sent so
-- is there to be seen.
BEGIN;
SET LOCAL lock_timeout = '20ms';
SELECT pg_advisory_xact_lock(hashtextextended('lps sends ' || name, 0)) FROM unnest(%(queues)s::text[]) AS name;
SELECT pg_advisory_lock_shared(hashtextextended('lps waits ' || name, 0)) FROM unnest(%(queues)s::text[]) AS name;
COMMIT

-- name: stay
-- A sender's transaction took too long: nothing of the above is kept.
ROLLBACK;
SELECT pg_advisory_unlock_shared(hashtextextended('lps waits ' || name, 0)) FROM unnest(%(queues)s::text[]) AS name

-- name: leave
-- It looks at these by itself for now.
SELECT pg_advisory_unlock_shared(hashtextextended('lps waits ' || name, 0)) FROM unnest(%(queues)s::text[]) AS name
