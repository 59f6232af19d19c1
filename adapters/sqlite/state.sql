-- SPDX-License-Identifier: Apache-2.0
-- Days are counted from 1970-01-01, instants are milliseconds since then. `viewed.views` and `days` are sums of
-- `item_days`, updated with it. An item whose views were set to 0 stays in `viewed`, so that `totals` can report the
-- change.

-- Version 1

CREATE TABLE state (
  views_revision INTEGER NOT NULL,
  keys_revision INTEGER NOT NULL
);
CREATE TABLE viewed (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  views INTEGER NOT NULL,
  revision INTEGER NOT NULL        -- the views_revision of the last change
);
CREATE INDEX viewed_by_revision ON viewed (revision);
CREATE TABLE item_days (
  item INTEGER NOT NULL,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  PRIMARY KEY (item, day)
) WITHOUT ROWID;
CREATE INDEX item_days_by_day ON item_days (day, item, views);
CREATE TABLE days (
  day INTEGER PRIMARY KEY,
  views INTEGER NOT NULL
);
CREATE TABLE journals (
  id BLOB PRIMARY KEY,
  sequence INTEGER NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  previous_digest BLOB,
  previous_expires INTEGER NOT NULL,
  expires INTEGER,
  scopes INTEGER NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX keys_by_previous_digest ON keys (previous_digest) WHERE previous_digest IS NOT NULL;

-- Version 2

-- Requests by key and day. Includes keys that are in the configuration and not in `keys`.
CREATE TABLE key_days (
  id TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (id, day)
) WITHOUT ROWID;

-- Version 3

-- The name of the instance that owns the file. Empty until an instance claims the file.
CREATE TABLE instance (name TEXT NOT NULL);

-- Version 4

ALTER TABLE keys ADD COLUMN account TEXT NOT NULL DEFAULT '';     -- the owner; empty: none
ALTER TABLE keys ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
CREATE INDEX keys_by_account ON keys (account) WHERE account <> '';
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL,
  state INTEGER NOT NULL,
  created INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sign_in_tokens (
  digest BLOB PRIMARY KEY,
  email TEXT NOT NULL,
  signs_up INTEGER NOT NULL,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
  digest BLOB PRIMARY KEY,
  account TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  client BLOB NOT NULL,
  created INTEGER NOT NULL,
  due INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  recipient BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX mails_by_email ON mails (email);
CREATE INDEX mails_by_recipient ON mails (recipient, created);
CREATE INDEX mails_by_client ON mails (client, created) WHERE kind = 0;
CREATE INDEX mails_by_due ON mails (due, id) WHERE state = 0;
CREATE TABLE queries (
  query TEXT NOT NULL,
  day INTEGER NOT NULL,
  searches INTEGER NOT NULL,
  without_result INTEGER NOT NULL,
  with_click INTEGER NOT NULL,
  PRIMARY KEY (query, day)
) WITHOUT ROWID;
CREATE INDEX queries_by_day ON queries (day);
CREATE TABLE feedback (
  item TEXT NOT NULL,
  day INTEGER NOT NULL,
  reader BLOB NOT NULL,                            -- zeros: forgotten
  is_helpful INTEGER NOT NULL,
  comment TEXT NOT NULL
);
CREATE UNIQUE INDEX feedback_by_reader ON feedback (day, item, reader) WHERE reader <> zeroblob(16);
