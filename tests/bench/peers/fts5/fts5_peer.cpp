// SPDX-License-Identifier: Apache-2.0
// SQLite FTS5 as a peer in the search engine benchmark. Porter stemming, no accent folding. One scan produces both
// the page and the total, which is faster than two statements.
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/bench/peers/line_peer.hpp"

namespace {

using kbase::bench::Answer;
using kbase::bench::Request;
using kbase::bench::WallWatch;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

class Database {
 public:
  explicit Database(const std::string& folder) { check(sqlite3_open((folder + "/items.db").c_str(), &database_)); }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
      throw std::runtime_error(sqlite3_errmsg(database_));
  }
  void run(const char* sql) const { check(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }
  Statement prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr));
    return {statement, &sqlite3_finalize};
  }
  bool step(const Statement& statement) const {
    const int code = sqlite3_step(statement.get());
    check(code);
    return code == SQLITE_ROW;
  }

 private:
  sqlite3* database_ = nullptr;
};

void bind(const Statement& statement, int index, const std::string& text) {
  sqlite3_bind_text(statement.get(), index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

class Fts5Peer {
 public:
  static std::string version() { return std::string("SQLite FTS5 ") + sqlite3_libversion(); }

  static void index(const std::string& items, const std::string& folder) {
    const Database database(folder);
    database.run("PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -262144");
    database.run(
        "CREATE VIRTUAL TABLE items USING fts5(title, tags, content, prefix = '3 4 5', tokenize = 'porter unicode61')");
    database.run("INSERT INTO items(items, rank) VALUES ('hashsize', 268435456)");
    database.run("INSERT INTO items(items, rank) VALUES ('rank', 'bm25(2.0, 1.0, 1.0)')");
    database.run("BEGIN");
    const Statement put = database.prepare("INSERT INTO items(rowid, title, tags, content) VALUES (?, ?, ?, ?)");
    sqlite3_int64 number = 0;
    kbase::bench::each_item(items, [&](const std::vector<std::string>& texts) {
      sqlite3_bind_int64(put.get(), 1, number++);
      for (int i = 0; i < 3; ++i) bind(put, i + 2, texts[static_cast<std::size_t>(i)]);
      database.step(put);
      sqlite3_reset(put.get());
    });
    database.run("COMMIT");
    database.run("INSERT INTO items(items) VALUES ('optimize')");
    database.run("VACUUM");
  }

  explicit Fts5Peer(const std::string& folder) : database_(folder) {
    database_.run("PRAGMA mmap_size = 4294967296; PRAGMA cache_size = -65536; PRAGMA query_only = 1");
  }

  Answer answer(const Request& request) const {
    if (request.counts()) return count(request);
    const Answer page = rows_of(best_, request);
    if (!request.makes_excerpts()) return page;
    Answer excerpts = rows_of(excerpts_, request);  // the same statement with excerpts: the difference is their cost
    excerpts.total = excerpts.hits.size();
    excerpts.elapsed = std::max(excerpts.elapsed - page.elapsed, std::chrono::nanoseconds(0));
    return excerpts;
  }

 private:
  /// Returns the query in FTS5 syntax: "a" AND "b", "a" OR "b", "a b", "a"*.
  static std::string match(const Request& request) {
    const bool side_by_side = request.mode == "phrase";
    const char* between = side_by_side ? " " : request.mode == "or" ? "\" OR \"" : "\" AND \"";
    std::string text = "\"";
    for (const std::string& word : request.words) text.append(text.size() == 1 ? "" : between).append(word);
    return text + (request.mode == "prefix" ? "\"*" : "\"");
  }

  Answer rows_of(const Statement& statement, const Request& request) const {
    const WallWatch watch;
    Answer answer;
    const std::string text = match(request);
    bind(statement, 1, text);
    sqlite3_bind_int64(statement.get(), 2, static_cast<sqlite3_int64>(request.best));
    while (database_.step(statement))
      answer.hits.push_back(static_cast<std::uint64_t>(sqlite3_column_int64(statement.get(), 0)));
    sqlite3_reset(statement.get());
    answer.elapsed = watch.elapsed();
    return answer;
  }

  Answer count(const Request& request) const {
    using Ranked = std::pair<double, std::uint64_t>;  // lower is better
    const WallWatch watch;
    Answer answer;
    const std::string text = match(request);
    std::vector<Ranked> best;  // heap with the worst at the top
    bind(every_, 1, text);
    for (; database_.step(every_); ++answer.total) {
      const Ranked found{sqlite3_column_double(every_.get(), 1),
                         static_cast<std::uint64_t>(sqlite3_column_int64(every_.get(), 0))};
      if (best.size() == request.best) {
        if (!(found < best.front())) continue;
        std::pop_heap(best.begin(), best.end());
        best.pop_back();
      }
      best.push_back(found);
      std::push_heap(best.begin(), best.end());
    }
    sqlite3_reset(every_.get());
    std::sort_heap(best.begin(), best.end());
    for (const Ranked& each : best) answer.hits.push_back(each.second);
    answer.elapsed = watch.elapsed();
    return answer;
  }

  const Database database_;
  const Statement every_ = database_.prepare("SELECT rowid, bm25(items, 2.0, 1.0, 1.0) FROM items WHERE items MATCH ?");
  const Statement best_ = database_.prepare("SELECT rowid FROM items WHERE items MATCH ? ORDER BY rank LIMIT ?");
  const Statement excerpts_ = database_.prepare(
      "SELECT rowid, snippet(items, 2, '<b>', '</b>', '...', 32) FROM items WHERE items MATCH ? ORDER BY rank LIMIT ?");
};

}  // namespace

int main(int count, char** arguments) { return kbase::bench::run_peer<Fts5Peer>({arguments + 1, arguments + count}); }
