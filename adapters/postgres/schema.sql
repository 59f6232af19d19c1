-- SPDX-License-Identifier: Apache-2.0
-- Strings are bytea: they can contain NUL, which the type text cannot. Their order is that of the bytes, independent of
-- the collation of the database, so a locale update of the system cannot corrupt an index. To read one:
-- convert_from(title, 'UTF8').
--
-- The writer keeps the counts (items, views, additions) up to date, so no query counts rows. `viewed` and `days` are
-- sums of `item_days`. An item whose views were set to 0 stays in `viewed`, so that the change can be reported. Rows of
-- `viewed` and `item_days` change with each count: their pages have free space for it, and no index contains the views
-- of a day.
--
-- Migrations only add; new columns have defaults. They must not disturb a server that knows only an earlier version,
-- whether it runs or restarts.

-- Version 1.0

CREATE TABLE schema_version (major smallint NOT NULL, minor smallint NOT NULL);
INSERT INTO schema_version VALUES (1, 0);

CREATE TABLE store (
  lineage bytea NOT NULL,
  instance bytea NOT NULL,                 -- the name of the server group that uses the store
  revision bigint NOT NULL DEFAULT 0,
  proof bytea NOT NULL DEFAULT '',         -- proof of the batch that made the revision
  unproved bigint NOT NULL DEFAULT 0,      -- the newest revision whose proof was dropped
  dropped bigint NOT NULL DEFAULT 0,       -- the newest revision whose tombstone was dropped
  items bigint NOT NULL DEFAULT 0,
  categories bigint NOT NULL DEFAULT 0,
  views bigint NOT NULL DEFAULT 0
);
CREATE TABLE categories (
  revision bigint NOT NULL UNIQUE,
  id bytea PRIMARY KEY,
  name bytea NOT NULL,
  description bytea NOT NULL,
  icon bytea NOT NULL,
  subcategories bytea[] NOT NULL,
  items bigint NOT NULL DEFAULT 0,
  views bigint NOT NULL DEFAULT 0
);
CREATE INDEX categories_by_name ON categories (name, id);
CREATE TABLE items (
  revision bigint NOT NULL UNIQUE,
  id bytea PRIMARY KEY,
  category bytea NOT NULL,
  created date NOT NULL,
  updated date NOT NULL,
  views bigint NOT NULL,
  title bytea NOT NULL,
  lead bytea NOT NULL,
  tags bytea[] NOT NULL,
  author bytea NOT NULL,
  further bytea NOT NULL,
  related bytea[] NOT NULL,
  content bytea NOT NULL
);
CREATE INDEX items_by_day ON items (updated DESC, created DESC, id);
CREATE INDEX items_by_category ON items (category, updated DESC, created DESC, id);
CREATE TABLE additions (
  day date PRIMARY KEY,
  items bigint NOT NULL                    -- number of items created on that day
);
CREATE TABLE tombstones (
  revision bigint PRIMARY KEY,
  kind smallint NOT NULL,                  -- 0: item, 1: category
  id bytea NOT NULL,
  removed timestamptz NOT NULL,
  UNIQUE (id, kind)
);
CREATE INDEX tombstones_by_age ON tombstones (removed);
CREATE TABLE batches (
  revision bigint PRIMARY KEY,             -- the last revision that the batch made
  proof bytea NOT NULL,                    -- random: a lost batch and another one may have the same revision
  committed timestamptz NOT NULL
);
CREATE INDEX batches_by_age ON batches (committed);
CREATE TABLE leases (
  name bytea PRIMARY KEY,
  owner bytea NOT NULL,
  until timestamptz NOT NULL
);

CREATE TABLE views_state (revision bigint NOT NULL);
INSERT INTO views_state VALUES (0);
CREATE TABLE viewed (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id bytea NOT NULL UNIQUE,
  views bigint NOT NULL,
  revision bigint NOT NULL                 -- revision of views_state at the last change
) WITH (fillfactor = 70);
CREATE INDEX viewed_by_revision ON viewed (revision);
CREATE TABLE item_days (
  item bigint NOT NULL,
  day date NOT NULL,
  views bigint NOT NULL,
  PRIMARY KEY (item, day)
) WITH (fillfactor = 70);
CREATE INDEX item_days_by_day ON item_days (day, item);
CREATE TABLE days (
  day date PRIMARY KEY,
  views bigint NOT NULL
);
CREATE TABLE journals (
  id bytea PRIMARY KEY,
  sequence bigint NOT NULL,
  used timestamptz NOT NULL
);

CREATE TABLE keys_state (revision bigint NOT NULL);
INSERT INTO keys_state VALUES (0);
CREATE TABLE keys (
  id bytea PRIMARY KEY,
  name bytea NOT NULL,
  plan bytea NOT NULL,
  digest bytea NOT NULL UNIQUE,
  previous_digest bytea,
  previous_expires timestamptz NOT NULL,
  expires timestamptz,
  scopes smallint NOT NULL,
  created timestamptz NOT NULL,
  revoked smallint NOT NULL
);
CREATE INDEX keys_by_previous_digest ON keys (previous_digest) WHERE previous_digest IS NOT NULL;
CREATE TABLE key_days (
  id bytea NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (id, day)
);

-- Version 1.1

ALTER TABLE store ADD COLUMN timeline bytea NOT NULL DEFAULT '';      -- last known timeline of the write-ahead log
ALTER TABLE views_state ADD COLUMN anew bigint NOT NULL DEFAULT 0;    -- readers with an older revision read everything

-- Version 1.2

-- A server of version 1.1 reads the columns of its version and, in a COPY, writes them; the others get their defaults.
ALTER TABLE items
  ADD COLUMN url bytea NOT NULL DEFAULT '',
  ADD COLUMN language bytea NOT NULL DEFAULT '',
  ADD COLUMN version bytea NOT NULL DEFAULT '',
  ADD COLUMN summary bytea NOT NULL DEFAULT '',
  ADD COLUMN aliases bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN format bytea NOT NULL DEFAULT '',
  ADD COLUMN sections bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN source bytea NOT NULL DEFAULT '';                        -- name of the source that brought the item

-- Version 1.3

CREATE TABLE synonyms (
  number bigint PRIMARY KEY,
  origin bytea NOT NULL,                                              -- the word of a query; empty: each of the words
  words bytea[] NOT NULL,
  source bytea NOT NULL                                               -- name of the source that brought them
);

-- Version 1.4

ALTER TABLE keys
  ADD COLUMN account bytea NOT NULL DEFAULT '',                       -- the owner; empty: none
  ADD COLUMN suspended smallint NOT NULL DEFAULT 0;
CREATE INDEX keys_by_account ON keys (account) WHERE account <> '';
CREATE TABLE accounts (
  id bytea PRIMARY KEY,
  email bytea NOT NULL UNIQUE,
  plan bytea NOT NULL,
  state smallint NOT NULL,
  created timestamptz NOT NULL
);
CREATE TABLE sign_in_tokens (
  digest bytea PRIMARY KEY,
  email bytea NOT NULL,
  signs_up smallint NOT NULL,
  expires timestamptz NOT NULL
);
CREATE TABLE sessions (
  digest bytea PRIMARY KEY,
  account bytea NOT NULL,
  created timestamptz NOT NULL,
  expires timestamptz NOT NULL
);
CREATE TABLE mails (
  id bytea PRIMARY KEY,
  email bytea NOT NULL,
  kind smallint NOT NULL,
  state smallint NOT NULL,
  client bytea NOT NULL,
  created timestamptz NOT NULL,
  due timestamptz NOT NULL,
  attempts bigint NOT NULL,
  recipient bytea NOT NULL
);
CREATE INDEX mails_by_email ON mails (email);
CREATE INDEX mails_by_recipient ON mails (recipient, created);
CREATE INDEX mails_by_client ON mails (client, created) WHERE kind = 0;
CREATE INDEX mails_by_due ON mails (due, id) WHERE state = 0;
CREATE TABLE queries (
  query bytea NOT NULL,
  day date NOT NULL,
  searches bigint NOT NULL,
  without_result bigint NOT NULL,
  with_click bigint NOT NULL,
  PRIMARY KEY (query, day)
);
CREATE INDEX queries_by_day ON queries (day);
CREATE TABLE feedback (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item bytea NOT NULL,
  day date NOT NULL,
  reader bytea NOT NULL,                                              -- zeros: forgotten
  is_helpful smallint NOT NULL,
  comment bytea NOT NULL
);
CREATE UNIQUE INDEX feedback_by_reader ON feedback (day, item, reader)
  WHERE reader <> '\x00000000000000000000000000000000';
