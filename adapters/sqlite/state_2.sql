-- SPDX-License-Identifier: Apache-2.0
-- Requests by key and day. Includes keys that are in the configuration and not in `keys`.
CREATE TABLE key_days (
  id TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (id, day)
) WITHOUT ROWID;
