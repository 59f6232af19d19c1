// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kbase::fts5 {

/// SQLite's result code as an Error; `detail` has what SQLite says. Corrupt means that the file is damaged.
model::Error failure(sqlite3* db, int code, std::string_view doing);

/// A prepared statement, reset and used again and again. Parameters count from 1, columns from 0. One thread at a time.
class Statement {
 public:
  Statement() = default;

  /// The text has to live until the next step that follows a reset.
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  Statement& bind_pointer(int index, void* pointer, const char* type);

  /// Whether there is a row.
  model::Result<bool> step();
  /// Steps to the end and resets.
  model::Status run();
  void reset();

  std::int64_t number(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  ///< a loan until the next step or reset

  sqlite3_stmt* handle() const { return statement_.get(); }

 private:
  friend class Database;
  struct Deleter {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Deleter> statement_;
};

/// A connection to one database file, with kbase's tokenizer and ranking function. One thread at a time.
class Database {
 public:
  enum class Mode { Read, Write, Create };

  static model::Result<Database> open(const std::filesystem::path& file, Mode mode);

  model::Status execute(const std::string& sql);
  model::Result<Statement> prepare(std::string_view sql);
  /// The one number that the statement answers; 0 without a row.
  model::Result<std::int64_t> number(std::string_view sql);

  sqlite3* handle() const { return db_.get(); }

 private:
  struct Deleter {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Deleter> db_;
};

}  // namespace kbase::fts5
