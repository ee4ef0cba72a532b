-- Counters that survive restarts and retention: what happened up to `folded_to` is added up by the hour in `rollup`.
CREATE TABLE rollup_clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  folded_to timestamptz NOT NULL
);

-- Everything that is counted, one row a happening: what it is, its label, when, and its amount.
CREATE VIEW happening AS
SELECT 'attempt' AS name, stage || '/' || outcome AS label, ended_at AS at,
  extract(epoch FROM ended_at - started_at)::float8 AS amount FROM attempt WHERE try > 0
UNION ALL
SELECT 'took', stage || '/' || (SELECT le FROM unnest(ARRAY['0.01', '0.05', '0.1', '0.5', '1', '2.5', '5', '15', '60', '+Inf']::text[])
    WITH ORDINALITY AS b (le, n) WHERE b.le = '+Inf' OR extract(epoch FROM ended_at - started_at) <= b.le::float8 ORDER BY n LIMIT 1),
  ended_at, 0 FROM attempt WHERE try > 0
UNION ALL
SELECT 'job', CASE status WHEN 3 THEN coalesce(result->>'outcome', 'done') WHEN 4 THEN 'dead' ELSE 'cancelled' END, finished_at, 0
FROM job WHERE finished_at IS NOT NULL
UNION ALL
SELECT 'block', mall, at, 0 FROM bot_detection
UNION ALL
SELECT 'cost', kind, settled_at, settled_usd::float8 FROM spend WHERE settled_at IS NOT NULL
UNION ALL
SELECT 'notice', outcome, at, 0 FROM alert_delivery;

CREATE INDEX spend_settled ON spend (settled_at) WHERE settled_at IS NOT NULL;
