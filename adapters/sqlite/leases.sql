-- SPDX-License-Identifier: Apache-2.0

-- Version 1

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL           -- milliseconds since 1970
) WITHOUT ROWID;
