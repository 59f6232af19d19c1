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
