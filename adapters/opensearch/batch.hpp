// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/server.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {

/// Sends whole documents to one index, some megabytes per request, one request at a time and so in order. Each document
/// has a version and never replaces a newer one (version_type external_gte), so sending a document twice or late does
/// no harm. Documents that OpenSearch rejected as overloaded are sent again, and so are lost requests. Not thread-safe.
class BulkWriter {
 public:
  /// `alias`: write alias of the index. It is removed together with the index, so a late write cannot create the index
  /// again.
  BulkWriter(const Server& server, const std::string& alias, std::size_t max_bytes);

  /// Adds a document. Sends the full request first if needed, without waiting for the response; call wait() before
  /// `call` ends. Errors: those of the previous request.
  Status add(ports::Call& call, const BulkDocument& lines, std::uint64_t version);

  /// Sends the remaining documents.
  Status send(ports::Call& call);

  /// Waits for the response to the request in progress. Conflict: a stored document is newer, or the index was removed.
  Status wait(ports::Call& call);

 private:
  void begin(ports::Call& call);
  Status check_items(const Json& response, bool& is_busy) const;

  const Server& server_;
  const std::string path_;
  const std::size_t max_bytes_;
  std::string next_;                                 // request being filled
  std::size_t documents_ = 0;                        // number of documents in it
  std::string sent_;                                 // request in progress
  std::unique_ptr<Server::PendingRequest> pending_;  // null: no request in progress
};

/// Documents of a batch until its commit, in an unnamed file that disappears with the process. Not thread-safe.
class Spool {
 public:
  /// Creates the folder if it is missing. Unavailable: the folder, or a file in it, cannot be created.
  static Result<Spool> open(const std::filesystem::path& folder);

  /// Unavailable: the disk is full.
  Status add(const BulkDocument& lines);

  /// Passes every document to the visitor once, in order. Stops at the first error of the visitor.
  Status read(FunctionRef<Status(const BulkDocument&)> visitor);

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  explicit Spool(std::FILE* file, std::filesystem::path folder) : file_(file), folder_(std::move(folder)) {}

  Error io_error(std::string_view operation) const;

  std::unique_ptr<std::FILE, FileCloser> file_;
  std::filesystem::path folder_;
};

}  // namespace kbase::opensearch
