-- Senders need not notify a queue for which nobody waits: the lock of every COMMIT with a notification is global.

-- Whether nobody waits for a notification of this queue. Whoever waits holds "lps waits", shared, and had "lps sends" for
-- itself alone before (tasks/queue/idle.py). Who is told true holds a share of "lps sends" until its COMMIT: who begins to
-- wait meanwhile does so after it, and then looks at the queue once more. "lps waits" is only probed here.
CREATE FUNCTION lps.unheard(queue text) RETURNS bool LANGUAGE sql VOLATILE AS $$
  SELECT CASE
    WHEN NOT pg_try_advisory_xact_lock_shared(hashtextextended('lps sends ' || queue, 0)) THEN false
    WHEN pg_try_advisory_lock(hashtextextended('lps waits ' || queue, 0))
      THEN pg_advisory_unlock(hashtextextended('lps waits ' || queue, 0))
    ELSE false
  END
$$;

-- Which process of which machine a worker is, so that its neighbours know it was killed before its lease is over.
ALTER TABLE worker ADD COLUMN machine text, ADD COLUMN pid_started bigint;
