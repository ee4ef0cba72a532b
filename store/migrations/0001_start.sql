-- The whole schema as it starts: the queue, the search, what was learnt, what was spent, who may do what.

CREATE SCHEMA IF NOT EXISTS lps;

-- One clock for every lease, eta and deadline; tests replace this function to move time.
CREATE FUNCTION lps.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT statement_timestamp()';

CREATE TABLE lps.origin (
  only_one bool PRIMARY KEY DEFAULT true CHECK (only_one),
  origin text NOT NULL CHECK (origin IN ('live', 'sandbox'))
);

-- dramatiq-pg's own schema (a test compares it with generate_init_sql), then LPS's columns.
CREATE SCHEMA IF NOT EXISTS dramatiq;
CREATE TYPE dramatiq.state AS ENUM ('queued', 'consumed', 'rejected', 'done');
CREATE TABLE dramatiq.queue (
  message_id uuid PRIMARY KEY,
  queue_name text NOT NULL DEFAULT 'default',
  state dramatiq.state NOT NULL,
  mtime timestamptz NOT NULL DEFAULT now(),
  message jsonb,
  result jsonb,
  result_ttl timestamptz,
  priority smallint NOT NULL DEFAULT 0,
  eta timestamptz NOT NULL DEFAULT lps.now(),
  owner uuid,
  fence bigint NOT NULL DEFAULT 0,
  lease_until timestamptz,
  attempts int NOT NULL DEFAULT 0,
  last_error text,
  enqueued_at timestamptz NOT NULL DEFAULT lps.now(),
  CHECK ((state = 'consumed') = (owner IS NOT NULL AND lease_until IS NOT NULL))
);
ALTER TABLE dramatiq.queue SET
  (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX queue_ready ON dramatiq.queue (queue_name, priority, eta) WHERE state = 'queued';
CREATE INDEX queue_lease ON dramatiq.queue (lease_until) WHERE state = 'consumed';
CREATE INDEX queue_final ON dramatiq.queue (state, mtime) WHERE state IN ('done', 'rejected');

CREATE TABLE queue_pause (
  name text PRIMARY KEY, -- a queue, which is also a mall
  reason text NOT NULL,
  who text NOT NULL,
  since timestamptz NOT NULL DEFAULT lps.now()
);

CREATE TABLE worker (
  worker_id uuid PRIMARY KEY,
  host text NOT NULL,
  pid int NOT NULL,
  queues text[] NOT NULL,
  running jsonb NOT NULL DEFAULT '[]',
  rss_bytes bigint NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL DEFAULT lps.now(),
  seen_at timestamptz NOT NULL DEFAULT lps.now(),
  stopped_at timestamptz
);

CREATE TABLE job (
  job_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  type smallint NOT NULL DEFAULT 1 CHECK (type IN (1, 2)), -- 1 search, 2 outbox
  status smallint NOT NULL DEFAULT 1 CHECK (status BETWEEN 1 AND 5), -- 1 PENDING 2 RUNNING 3 DONE 4 DEAD 5 CANCELLED
  product_code text NOT NULL,
  product_name text NOT NULL,
  specification text NOT NULL DEFAULT '',
  options jsonb NOT NULL DEFAULT '{}',
  round smallint NOT NULL DEFAULT 0,
  dedupe_key text NOT NULL,
  priority smallint NOT NULL DEFAULT 0,
  deadline_at timestamptz NOT NULL,
  result jsonb,
  error text,
  trace_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  started_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT lps.now(),
  finished_at timestamptz,
  CHECK ((status IN (3, 4, 5)) = (finished_at IS NOT NULL)),
  CHECK (status <> 3 OR result IS NOT NULL),
  CHECK (status <> 4 OR error IS NOT NULL)
);
CREATE UNIQUE INDEX job_active ON job (dedupe_key) WHERE status IN (1, 2);
CREATE INDEX job_open ON job (status, created_at) WHERE status IN (1, 2);
CREATE INDEX job_deadline ON job (deadline_at) WHERE status IN (1, 2);
CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX job_created ON job (created_at DESC);
CREATE INDEX job_product ON job (product_code, created_at DESC);
CREATE INDEX job_fresh ON job (dedupe_key, finished_at DESC) WHERE status = 3;

CREATE TABLE job_source (
  job_id uuid NOT NULL REFERENCES job ON DELETE CASCADE,
  mall text NOT NULL,
  round smallint NOT NULL DEFAULT 0,
  outcome text, -- NULL while it is being read
  kind text NOT NULL DEFAULT '',
  error text NOT NULL DEFAULT '',
  offers jsonb NOT NULL DEFAULT '[]',
  metrics jsonb NOT NULL DEFAULT '{}',
  fence bigint NOT NULL DEFAULT 0,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (job_id, mall),
  CHECK ((outcome IS NULL) = (finished_at IS NULL)),
  CHECK (outcome IS NULL OR outcome IN ('ok', 'empty', 'blocked', 'not_rendered', 'drift', 'unknown_page',
    'proxy_auth', 'proxy_dead', 'net', 'deadline', 'paused', 'disabled'))
);

CREATE TABLE attempt (
  attempt_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id uuid,
  stage text NOT NULL,
  mall text,
  round smallint NOT NULL DEFAULT 0,
  try smallint NOT NULL,
  message_id uuid NOT NULL,
  worker text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT lps.now(),
  outcome text NOT NULL, -- done, retry, dead, lost, released, or a source outcome
  error_type text,
  error text
);
CREATE INDEX attempt_job ON attempt (job_id, attempt_id);
CREATE INDEX attempt_time ON attempt (ended_at);

CREATE TABLE offer_verdict (
  job_id uuid NOT NULL REFERENCES job ON DELETE CASCADE,
  n int NOT NULL,
  mall text NOT NULL,
  rank int NOT NULL,
  offer jsonb NOT NULL,
  verdict text NOT NULL CHECK (verdict IN ('same', 'different', 'unsure')),
  reason text NOT NULL,
  confidence real NOT NULL,
  source text NOT NULL CHECK (source IN ('rule', 'ai', 'cache', 'person')),
  effective_price_krw int,
  shipping_known bool NOT NULL,
  unit_price text,
  matched text[] NOT NULL DEFAULT '{}',
  missing text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (job_id, n)
);

CREATE TABLE match_decision (
  key text PRIMARY KEY,
  spec text NOT NULL,
  title text NOT NULL,
  verdict text CHECK (verdict IN ('same', 'different', 'unsure')), -- NULL while it is being asked
  reason text,
  confidence real,
  source text CHECK (source IN ('rule', 'ai', 'person')),
  who text,
  model text,
  cost_usd numeric(12, 8) NOT NULL DEFAULT 0,
  asked_by uuid,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT lps.now()
);

CREATE TABLE price_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id uuid NOT NULL UNIQUE, -- one row a search, whatever happens
  product_code text NOT NULL,
  triggered_at timestamptz NOT NULL DEFAULT lps.now(),
  naver_lowest int,
  coupang_lowest int,
  final_lowest int NOT NULL,
  final_source text NOT NULL,
  by_mall jsonb NOT NULL
);
CREATE INDEX price_history_product ON price_history (product_code, triggered_at);

CREATE TABLE search_negative (
  key text PRIMARY KEY,
  until timestamptz NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now()
);

CREATE TABLE bot_detection (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id uuid,
  mall text NOT NULL,
  marker text NOT NULL,
  ip text NOT NULL,
  ip_request_no int NOT NULL,
  at timestamptz NOT NULL DEFAULT lps.now()
);
CREATE INDEX bot_detection_at ON bot_detection (at);

CREATE TABLE crawl_session (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mall text NOT NULL,
  ip text NOT NULL,
  start timestamptz NOT NULL DEFAULT lps.now(),
  ended_at timestamptz,
  requests int NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  end_reason text,
  CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);
CREATE INDEX crawl_session_ended ON crawl_session (ended_at);

CREATE TABLE proxy_port (
  host text NOT NULL,
  port int NOT NULL,
  generation int NOT NULL DEFAULT 0,
  lease_owner uuid,
  lease_until timestamptz,
  uses int NOT NULL DEFAULT 0,
  errors int NOT NULL DEFAULT 0,
  cooldown_until jsonb NOT NULL DEFAULT '{}', -- per mall
  last_ip text,
  last_used timestamptz,
  PRIMARY KEY (host, port)
);

CREATE TABLE spend (
  spend_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  job_id uuid,
  kind text NOT NULL CHECK (kind IN ('ai', 'proxy')),
  stage text NOT NULL,
  api_key_id bigint,
  reserved_usd numeric(12, 8) NOT NULL CHECK (reserved_usd >= 0),
  settled_usd numeric(12, 8) CHECK (settled_usd >= 0),
  detail jsonb NOT NULL DEFAULT '{}',
  reserved_at timestamptz NOT NULL DEFAULT lps.now(),
  settled_at timestamptz,
  CHECK ((settled_usd IS NULL) = (settled_at IS NULL))
);
CREATE INDEX spend_job ON spend (job_id);
CREATE INDEX spend_open ON spend (reserved_at) WHERE settled_at IS NULL;

CREATE TABLE budget (
  scope text NOT NULL, -- day, hour, job, key
  name text NOT NULL,
  cap_usd numeric(12, 8) NOT NULL,
  used_usd numeric(12, 8) NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, name),
  CHECK (used_usd <= cap_usd)
);

CREATE TABLE alert_state (
  rule text NOT NULL,
  labels text NOT NULL DEFAULT '',
  state text NOT NULL CHECK (state IN ('ok', 'pending', 'firing', 'unknown')),
  value double precision,
  peak double precision,
  since timestamptz NOT NULL DEFAULT lps.now(),
  last_notified timestamptz,
  silenced_until timestamptz,
  silence_reason text,
  PRIMARY KEY (rule, labels)
);
CREATE TABLE alert_delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule text NOT NULL,
  labels text NOT NULL DEFAULT '',
  event text NOT NULL,
  status int,
  answer text,
  at timestamptz NOT NULL DEFAULT lps.now()
);

CREATE TABLE outbox (
  outbox_id uuid PRIMARY KEY,
  job_id uuid,
  kind text NOT NULL CHECK (kind IN ('callback', 'alert')),
  url text NOT NULL,
  body jsonb NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  status int,
  answer text,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  sent_at timestamptz,
  failed_at timestamptz
);
CREATE INDEX outbox_open ON outbox (created_at) WHERE sent_at IS NULL AND failed_at IS NULL;

CREATE TABLE account (
  account_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'buyer', 'operator', 'admin')),
  failures int NOT NULL DEFAULT 0,
  locked_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT lps.now()
);
CREATE TABLE session (
  session_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  csrf text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  expires_at timestamptz NOT NULL
);
CREATE TABLE api_key (
  api_key_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  prefix text NOT NULL UNIQUE,
  key_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  daily_quota int,
  daily_budget_usd numeric(12, 8),
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

CREATE TABLE watch (
  watch_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_code text NOT NULL UNIQUE,
  product_name text NOT NULL,
  specification text NOT NULL DEFAULT '',
  target_krw int,
  every_s int NOT NULL,
  direction text NOT NULL DEFAULT 'both' CHECK (direction IN ('down', 'up', 'both')),
  next_at timestamptz NOT NULL,
  paused bool NOT NULL DEFAULT false
);
CREATE TABLE evidence (
  evidence_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  job_id uuid NOT NULL,
  mall text NOT NULL,
  url text NOT NULL,
  sha256 text NOT NULL,
  size_bytes int NOT NULL,
  fetched_at timestamptz NOT NULL
);
CREATE INDEX evidence_job ON evidence (job_id);
CREATE TABLE batch (
  batch_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  state text NOT NULL CHECK (state IN ('preview', 'running', 'paused', 'done', 'cancelled')),
  rows jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  finished_at timestamptz
);
CREATE TABLE idempotency (
  key text PRIMARY KEY,
  request_hash text NOT NULL,
  job_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now()
);
CREATE UNLOGGED TABLE rate (
  key text NOT NULL,
  window_start timestamptz NOT NULL,
  n int NOT NULL,
  PRIMARY KEY (key, window_start)
);
CREATE TABLE rollup (
  hour timestamptz NOT NULL,
  name text NOT NULL,
  label text NOT NULL DEFAULT '',
  n bigint NOT NULL,
  total double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, name, label)
);
CREATE TABLE audit (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  who text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  at timestamptz NOT NULL DEFAULT lps.now()
);
