-- Alerts: the state of every rule, silences, what happened when, and each delivery of a notice. The two tables that the
-- first schema had for this were never written.

DROP TABLE alert_state;
DROP TABLE alert_delivery;

CREATE TABLE alert_state (
  rule text NOT NULL,
  labels text NOT NULL DEFAULT '', -- what the rule measured apart: a mall, a queue, a host
  state text NOT NULL CHECK (state IN ('ok', 'pending', 'firing', 'unknown')),
  since timestamptz NOT NULL,
  value double precision NOT NULL DEFAULT 0,
  limit_value double precision NOT NULL DEFAULT 0,
  peak double precision NOT NULL DEFAULT 0, -- the worst since it fires
  text text NOT NULL DEFAULT '',
  clear_since timestamptz, -- firing, and below its limit since then
  unknown_since timestamptz, -- cannot be measured since then
  notices int NOT NULL DEFAULT 0, -- told how often since it fires
  last_notified timestamptz,
  notice uuid, -- what told of it first
  evaluated_at timestamptz NOT NULL,
  PRIMARY KEY (rule, labels)
);

CREATE TABLE alert_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule text NOT NULL,
  labels text NOT NULL,
  event text NOT NULL CHECK (event IN ('pending', 'fired', 'repeated', 'resolved', 'unknown', 'known')),
  value double precision NOT NULL,
  text text NOT NULL,
  notice uuid,
  at timestamptz NOT NULL
);
CREATE INDEX alert_event_at ON alert_event (at);

CREATE TABLE alert_silence (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule text NOT NULL,
  labels text NOT NULL DEFAULT '*', -- '*': whatever it measures apart
  until timestamptz NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  who text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  CHECK (until > created_at)
);

CREATE TABLE alert_delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  notice uuid NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('sent', 'retry', 'failed', 'dropped')),
  status int, -- HTTP; null when nothing answered
  answer text NOT NULL DEFAULT '',
  took_ms int NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT lps.now()
);
CREATE INDEX alert_delivery_at ON alert_delivery (at);

-- One row: which minute was evaluated last, and by whom. The row's lock lets one evaluation in at a time.
CREATE TABLE alert_clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  tick timestamptz NOT NULL,
  evaluated_at timestamptz NOT NULL,
  clock_at timestamptz, -- when the scheduler's own tick was evaluated last
  rules int NOT NULL DEFAULT 0,
  unknown int NOT NULL DEFAULT 0,
  ping_status int,
  pinged_at timestamptz
);

-- The oldest message of each queue and priority that may run, one index probe each however many wait.
CREATE VIEW queue_oldest AS
WITH RECURSIVE pair AS (
  (SELECT queue_name, priority FROM dramatiq.queue WHERE state = 'queued' ORDER BY queue_name, priority LIMIT 1)
  UNION ALL
  SELECT next.queue_name, next.priority FROM pair
  CROSS JOIN LATERAL (
    SELECT q.queue_name, q.priority FROM dramatiq.queue q
    WHERE q.state = 'queued' AND (q.queue_name, q.priority) > (pair.queue_name, pair.priority)
    ORDER BY q.queue_name, q.priority LIMIT 1
  ) next
)
SELECT pair.queue_name, pair.priority, first.eta FROM pair
CROSS JOIN LATERAL (
  SELECT q.eta FROM dramatiq.queue q
  WHERE q.state = 'queued' AND q.queue_name = pair.queue_name AND q.priority = pair.priority
  ORDER BY q.eta LIMIT 1
) first
WHERE NOT EXISTS (SELECT FROM queue_pause WHERE name = pair.queue_name);
