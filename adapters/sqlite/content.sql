-- SPDX-License-Identifier: Apache-2.0
-- The key of items, categories and tombstones is the revision of their last change. Each revision belongs to one
-- record, so the changes feed is a scan in key order, and a replaced record moves to the end. Days are counted from
-- 1970-01-01, instants are milliseconds since then. Lists of strings are packed, see text_list. The content is the
-- last column: SQLite reads a row only up to the last requested column, so a list of summaries reads none of the pages
-- of a long content. (A separate table for the contents made the import 30 % slower and reading an item 20 % slower,
-- and lists no faster.)
--
-- The writer keeps the counts (items, views, additions) up to date, so no query counts rows.

-- Version 1

CREATE TABLE store (
  lineage BLOB NOT NULL,
  revision INTEGER NOT NULL,
  dropped INTEGER NOT NULL,        -- the newest revision whose tombstone was dropped
  items INTEGER NOT NULL,
  categories INTEGER NOT NULL,
  views INTEGER NOT NULL
);
CREATE TABLE categories (
  revision INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  icon TEXT NOT NULL,
  subcategories BLOB NOT NULL,
  items INTEGER NOT NULL,
  views INTEGER NOT NULL
);
CREATE INDEX categories_by_name ON categories (name, id);
CREATE TABLE items (
  revision INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  views INTEGER NOT NULL,
  title TEXT NOT NULL,
  lead TEXT NOT NULL,
  tags BLOB NOT NULL,
  author TEXT NOT NULL,
  further TEXT NOT NULL,
  related BLOB NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX items_by_day ON items (updated DESC, created DESC, id);
CREATE INDEX items_by_category ON items (category, updated DESC, created DESC, id);
CREATE TABLE additions (
  day INTEGER PRIMARY KEY,
  items INTEGER NOT NULL           -- number of items created on that day
);
CREATE TABLE tombstones (
  revision INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,           -- 0: item, 1: category
  id TEXT NOT NULL,
  removed INTEGER NOT NULL,
  UNIQUE (id, kind)
);

-- Version 2

-- The name of the instance that owns the file. Empty until an instance claims the file.
CREATE TABLE instance (name TEXT NOT NULL);

-- Version 3

-- The table is written again, so that the content stays the last column.
CREATE TABLE described_items (
  revision INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  views INTEGER NOT NULL,
  title TEXT NOT NULL,
  lead TEXT NOT NULL,
  tags BLOB NOT NULL,
  author TEXT NOT NULL,
  further TEXT NOT NULL,
  url TEXT NOT NULL,
  language TEXT NOT NULL,
  version TEXT NOT NULL,
  summary TEXT NOT NULL,
  aliases BLOB NOT NULL,
  format TEXT NOT NULL,
  sections BLOB NOT NULL,
  source TEXT NOT NULL,            -- name of the source that brought the item; empty: an earlier version of kbase
  related BLOB NOT NULL,
  content TEXT NOT NULL
);
INSERT INTO described_items
  SELECT revision, id, category, created, updated, views, title, lead, tags, author, further, '', '', '', '', x'', '',
    x'', '', related, content FROM items ORDER BY revision;
DROP TABLE items;
ALTER TABLE described_items RENAME TO items;
CREATE INDEX items_by_day ON items (updated DESC, created DESC, id);
CREATE INDEX items_by_category ON items (category, updated DESC, created DESC, id);

-- Version 4

CREATE TABLE synonyms (
  number INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,            -- the word of a query; empty: each of the words
  words BLOB NOT NULL,
  source TEXT NOT NULL             -- name of the source that brought them
);
