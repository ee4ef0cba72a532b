-- name: take
-- Pairs that nobody has asked about, that we had before we were killed, or whose asker's time is over, become ours; in
-- one order, so that two never wait for each other.
INSERT INTO match_decision AS d (key, pair, name, spec, title, version, model, asked_by, lease_until)
SELECT key, pair, name, spec, title, version, %(model)s, %(me)s, lps.now() + %(lease_s)s * interval '1 second'
FROM unnest(%(keys)s::text[], %(pairs)s::text[], %(names)s::text[], %(specs)s::text[], %(titles)s::text[],
  %(versions)s::text[]) AS wanted (key, pair, name, spec, title, version)
ORDER BY key
ON CONFLICT (key) DO UPDATE SET asked_by = excluded.asked_by, lease_until = excluded.lease_until
WHERE d.verdict IS NULL AND (d.lease_until < lps.now() OR d.asked_by = excluded.asked_by)
RETURNING key

-- name: known
-- What was decided about these pairs by these versions.
SELECT key, verdict, reason, confidence, source, version, cost_usd FROM match_decision
WHERE key = ANY (%s) AND verdict IS NOT NULL

-- name: keep
-- A model's verdicts, for pairs that are still the caller's to ask.
UPDATE match_decision d SET verdict = said.verdict, reason = said.reason, confidence = said.confidence, source = 'ai',
  cost_usd = said.cost_usd, decided_at = lps.now(), lease_until = NULL
FROM unnest(%(keys)s::text[], %(verdicts)s::text[], %(reasons)s::text[], %(confidences)s::real[],
  %(costs)s::numeric[]) AS said (key, verdict, reason, confidence, cost_usd)
WHERE d.key = said.key AND d.asked_by = %(me)s AND d.verdict IS NULL

-- name: give_back
-- Pairs the caller will not ask about after all: anyone may now.
DELETE FROM match_decision WHERE key = ANY (%(keys)s) AND asked_by = %(me)s AND verdict IS NULL

-- name: corrections
-- What people said of these pairs, whatever the versions.
SELECT pair, verdict, reason, confidence, source, version, cost_usd, who, why FROM match_decision
WHERE source = 'person' AND pair = ANY (%s)

-- name: correct
-- A person's word on a pair takes the place of whatever a person said before.
INSERT INTO match_decision (key, pair, name, spec, title, version, verdict, reason, confidence, source, who, why,
  decided_at)
VALUES ('person ' || %(pair)s, %(pair)s, %(name)s, %(spec)s, %(title)s, 'person', %(verdict)s, %(reason)s, 1, 'person',
  %(who)s, %(why)s, lps.now())
ON CONFLICT (key) DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason, who = excluded.who,
  why = excluded.why, decided_at = excluded.decided_at

-- name: labelled
-- Every pair that a person decided, as a labelled case, with what was said of it before.
SELECT p.name, p.spec, p.title, p.verdict, p.reason, p.who, p.why, p.decided_at,
  (SELECT d.verdict FROM match_decision d WHERE d.pair = p.pair AND d.source = 'ai' ORDER BY d.decided_at DESC LIMIT 1)
FROM match_decision p WHERE p.source = 'person' ORDER BY p.decided_at, p.key

-- name: record_round
-- What decided this round of a search; a round that runs twice says it once.
INSERT INTO match_round (job_id, round, mode, why, open, asked, cached, took_ms, version)
VALUES (%(job_id)s, %(round)s, %(mode)s, %(why)s, %(open)s, %(asked)s, %(cached)s, %(took_ms)s, %(version)s)
ON CONFLICT (job_id, round) DO UPDATE SET mode = excluded.mode, why = excluded.why, open = excluded.open,
  asked = excluded.asked, cached = excluded.cached, took_ms = excluded.took_ms, version = excluded.version

-- name: rounds
-- Every match round of a search, in order.
SELECT round, mode, why, open, asked, cached, took_ms, version FROM match_round WHERE job_id = %s ORDER BY round
