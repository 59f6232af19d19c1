// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/sqlite/if_missing.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::sqlite {

class Database;

/// What a server keeps beside the content, in one SQLite file on a local disk: the counted views and the keys. Apart
/// from content.db, so that a view never waits for an import. Shared by any number of processes of one machine.
///
/// Thread-safety: any thread. It outlives the stores it lends.
class StateDatabase {
 public:
  struct Options {
    /// The file. Relative paths are the process's; missing folders are made with it.
    std::filesystem::path path = "data/state.db";
    IfMissing if_missing = IfMissing::Create;
    /// Whose file this is; a file of another instance is refused. Empty: anybody's.
    std::string instance = {};
    /// Connections that read at the same time; one more call waits for a free one, up to five seconds.
    unsigned readers = 2;
    /// Memory for pages of the file, shared out among the readers and the writer, taken as it is used.
    std::size_t cache_bytes = std::size_t{6} << 20;
  };

  /// `clock` outlives the database. Errors as SqliteItemStore::open.
  static model::Result<std::unique_ptr<StateDatabase>> open(const Options& options, const ports::Clock& clock);
  ~StateDatabase();

  /// Whether open() made the file.
  bool created() const;

  ports::ActivityStore& activity() { return *activity_; }
  ports::ApiKeyStore& api_keys() { return *api_keys_; }

 private:
  explicit StateDatabase(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  std::unique_ptr<ports::ActivityStore> activity_;
  std::unique_ptr<ports::ApiKeyStore> api_keys_;
};

}  // namespace kbase::sqlite
