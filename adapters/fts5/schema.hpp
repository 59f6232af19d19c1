// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/fts5/database.hpp"
#include "adapters/text/language.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::fts5 {

/// Grows with every change of the tables below; a database of another format is built anew.
inline constexpr int kFormatVersion = 3;

// item     what orders, filters and counts matches, narrow, so that a look-up touches little
// body     what a hit shows; with the tags, what has to be known again to take an item out of `words`
// words    the FTS5 table, contentless, of token streams
// vocabulary the terms of `words`, as FTS5 has them: a view, which holds nothing
// language how many items are in each language
// meta     the one row of what the index is
inline constexpr const char* kCreateTables = R"(
  CREATE TABLE item(key INTEGER PRIMARY KEY, id TEXT NOT NULL, category TEXT NOT NULL, tags TEXT NOT NULL,
                    updated INTEGER NOT NULL, views INTEGER NOT NULL);
  CREATE UNIQUE INDEX item_by_id ON item(id);
  CREATE TABLE body(key INTEGER PRIMARY KEY, language TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(title, tags, content, content='', tokenize='kbase');
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
  CREATE TABLE language(code TEXT PRIMARY KEY, items INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta(one INTEGER PRIMARY KEY CHECK (one = 1), settings TEXT NOT NULL, lineage BLOB NOT NULL,
                    revision INTEGER NOT NULL, documents INTEGER NOT NULL);
)";

/// Made when the rows are in, which is faster.
inline constexpr const char* kCreateOrders = R"(
  CREATE INDEX item_by_date ON item(updated DESC, id);
  CREATE INDEX item_by_category ON item(category, updated DESC, id);
)";

/// What a snapshot says of itself.
struct Contents {
  ports::IndexState state;                ///< without the counted views
  std::vector<text::Language> languages;  ///< in which the words of a query are stemmed
};

/// Reads them; `complete` is false where the database was made with other settings.
class ContentsReader {
 public:
  static model::Result<ContentsReader> prepare(Database& database);

  model::Result<Contents> read(std::string_view settings);

 private:
  Statement meta_;
  Statement languages_;
};

}  // namespace kbase::fts5
