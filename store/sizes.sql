-- name: sizes
-- Each table with its indexes, the largest first: bytes, and rows as the server estimates them.
SELECT n.nspname || '.' || c.relname, pg_total_relation_size(c.oid), greatest(c.reltuples, 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname IN ('public', 'dramatiq') ORDER BY 2 DESC, 1

-- name: jobs
-- Searches that ended long ago, with their sources, verdicts and rounds.
DELETE FROM job WHERE job_id IN (
  SELECT job_id FROM job WHERE finished_at < lps.now() - %(days)s * interval '1 day' ORDER BY finished_at LIMIT %(most)s)

-- name: blocks
-- Refusals of long ago.
DELETE FROM bot_detection WHERE at < lps.now() - %(days)s * interval '1 day'

-- name: sessions
-- Crawl sessions of long ago.
DELETE FROM crawl_session WHERE ended_at < lps.now() - %(days)s * interval '1 day'

-- name: spend
-- Settled payments of long ago; the hourly sums stay.
DELETE FROM spend WHERE settled_at < lps.now() - %(days)s * interval '1 day'

-- name: decisions
-- Paid decisions that nobody asked for in that time; what a person decided stays.
DELETE FROM match_decision WHERE source <> 'person' AND decided_at < lps.now() - %(days)s * interval '1 day'

-- name: negatives
-- Products whose absence is no longer believed.
DELETE FROM search_negative WHERE until < lps.now() - interval '7 days'

-- name: letters
-- Callbacks of long ago with their tries.
DELETE FROM outbox WHERE kind <> 'alert' AND created_at < lps.now() - %(days)s * interval '1 day'
  AND (sent_at IS NOT NULL OR failed_at IS NOT NULL)

-- name: audit
-- Who did what, long ago.
DELETE FROM audit WHERE at < lps.now() - %(days)s * interval '1 day'
