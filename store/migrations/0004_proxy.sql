-- Leases of proxy ports, sessions of addresses, breakers and daily counts of malls.

-- A port's address lasts as long as its session; `visitor` numbers the addresses over all ports, for browser profiles.
ALTER TABLE proxy_port
  ADD COLUMN session text NOT NULL DEFAULT '', -- id that the login names; empty = the next lease is a new address
  ADD COLUMN session_since timestamptz,
  ADD COLUMN visitor bigint NOT NULL DEFAULT 0,
  ADD COLUMN lease_mall text,
  ADD COLUMN lease_worker text,
  ADD COLUMN strikes jsonb NOT NULL DEFAULT '{}', -- per mall, '*' the port itself: rests in a row, which double
  ADD COLUMN last_error text;
CREATE SEQUENCE proxy_visitor;

ALTER TABLE crawl_session
  ADD COLUMN lease uuid UNIQUE,
  ADD COLUMN host text,
  ADD COLUMN port int,
  ADD COLUMN generation int,
  ADD COLUMN budget int; -- requests it was allowed
CREATE INDEX crawl_session_open ON crawl_session (lease) WHERE ended_at IS NULL;

-- A mall that refused too often: nobody asks it until `until`, then one probe does.
CREATE TABLE mall_breaker (
  mall text PRIMARY KEY,
  opened_at timestamptz NOT NULL DEFAULT lps.now(),
  until timestamptz NOT NULL,
  strikes int NOT NULL DEFAULT 1,
  probe uuid,
  probe_until timestamptz
);

-- Pages asked of a mall in a day of Korean time.
CREATE TABLE mall_day (
  mall text NOT NULL,
  day date NOT NULL,
  pages int NOT NULL,
  PRIMARY KEY (mall, day)
);
