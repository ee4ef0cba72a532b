-- Who may do what, and what people and programs ask for: sign-in, keys, bulk files, callbacks, re-check schedules.

ALTER TABLE account
  ADD COLUMN last_login_at timestamptz,
  ADD COLUMN disabled_at timestamptz;
COMMENT ON COLUMN account.password_hash IS 'scrypt$log2 n$r$p$salt$hash; empty = only a login link signs in';
CREATE TABLE login_link (
  link_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  made_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT lps.now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_expires ON session (expires_at);
ALTER TABLE api_key
  ADD COLUMN made_by text NOT NULL DEFAULT '',
  ADD COLUMN revoked_by text;

-- Who asked for a search. Several rows of a file, and searches of people, may share one job.
ALTER TABLE job
  ADD COLUMN api_key_id bigint,
  ADD COLUMN batch_id uuid;
CREATE INDEX job_api_key ON job (api_key_id, created_at) WHERE api_key_id IS NOT NULL;
CREATE INDEX job_batch ON job (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX job_code ON job (product_code text_pattern_ops);
CREATE INDEX job_by_status ON job (status, created_at DESC, job_id DESC);
CREATE INDEX job_by_time ON job (created_at DESC, job_id DESC);

ALTER TABLE idempotency
  ALTER COLUMN job_id DROP NOT NULL,
  ADD COLUMN status int,
  ADD COLUMN answer jsonb; -- NULL while the first request is still being answered
CREATE INDEX idempotency_created ON idempotency (created_at);

ALTER TABLE batch
  ALTER COLUMN rows SET DEFAULT '[]',
  ADD COLUMN file_name text NOT NULL DEFAULT '',
  ADD COLUMN header jsonb NOT NULL DEFAULT '[]', -- the uploader's column names, in order
  ADD COLUMN columns jsonb NOT NULL DEFAULT '{}', -- which of them is what: {"product_name": 0, …}
  ADD COLUMN options jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN total int NOT NULL DEFAULT 0,
  ADD COLUMN who text NOT NULL DEFAULT '',
  ADD COLUMN api_key_id bigint,
  ADD COLUMN reason text NOT NULL DEFAULT '',
  ADD COLUMN started_at timestamptz,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT lps.now();
CREATE INDEX batch_open ON batch (created_at) WHERE state = 'running';
CREATE INDEX batch_time ON batch (created_at DESC, batch_id DESC);
CREATE TABLE batch_row (
  batch_id uuid NOT NULL REFERENCES batch ON DELETE CASCADE,
  n int NOT NULL, -- the row's number in the file as a spreadsheet shows it
  cells jsonb NOT NULL, -- every cell of the row as it was sent, in order
  product_code text NOT NULL DEFAULT '',
  product_name text NOT NULL DEFAULT '',
  specification text NOT NULL DEFAULT '',
  dedupe_key text,
  kind text NOT NULL CHECK (kind IN ('new', 'duplicate', 'fresh', 'error')),
  errors jsonb NOT NULL DEFAULT '[]',
  same_as int, -- the earlier row that asks for the same product
  job_id uuid,
  PRIMARY KEY (batch_id, n),
  CHECK ((kind = 'duplicate') = (same_as IS NOT NULL)),
  CHECK (kind = 'error' OR dedupe_key IS NOT NULL)
);
CREATE INDEX batch_row_waiting ON batch_row (batch_id, n) WHERE job_id IS NULL AND kind IN ('new', 'fresh');
CREATE INDEX batch_row_job ON batch_row (job_id) WHERE job_id IS NOT NULL;

-- Callbacks: what is to be told to whom, and every try.
ALTER TABLE outbox
  DROP CONSTRAINT IF EXISTS outbox_kind_check,
  ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('callback', 'alert', 'price')),
  ADD COLUMN event text NOT NULL DEFAULT '',
  ADD COLUMN signer text NOT NULL DEFAULT '', -- whose signing secret; the secret itself is derived, never stored
  ADD COLUMN until timestamptz; -- later tries are not made
CREATE INDEX outbox_job ON outbox (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX outbox_time ON outbox (created_at DESC, outbox_id DESC);
CREATE TABLE outbox_try (
  outbox_id uuid NOT NULL REFERENCES outbox ON DELETE CASCADE,
  try int NOT NULL,
  at timestamptz NOT NULL DEFAULT lps.now(),
  status int, -- NULL when there was no answer
  error text NOT NULL DEFAULT '',
  took_ms int NOT NULL DEFAULT 0,
  PRIMARY KEY (outbox_id, try)
);
CREATE TABLE job_callback (
  job_id uuid NOT NULL REFERENCES job ON DELETE CASCADE,
  url text NOT NULL,
  signer text NOT NULL,
  PRIMARY KEY (job_id, url, signer)
);

ALTER TABLE watch
  ADD CONSTRAINT watch_every CHECK (every_s >= 300),
  ADD COLUMN business_hours bool NOT NULL DEFAULT false, -- Monday to Friday, 09:00 to 18:00 KST
  ADD COLUMN url text NOT NULL DEFAULT '', -- told when the target is crossed; empty: the operators' webhook
  ADD COLUMN signer text NOT NULL DEFAULT '',
  ADD COLUMN side text CHECK (side IN ('below', 'above')), -- of the target, at the last price
  ADD COLUMN told_krw int, -- the price of the last message
  ADD COLUMN last_krw int,
  ADD COLUMN last_job_id uuid,
  ADD COLUMN last_at timestamptz,
  ADD COLUMN note text NOT NULL DEFAULT '', -- why the last check brought no price
  ADD COLUMN who text NOT NULL DEFAULT '',
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT lps.now();
CREATE INDEX watch_due ON watch (next_at) WHERE NOT paused;
