// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/server.hpp"

namespace kbase::opensearch {

/// Sends whole documents to one index, some megabytes per request, one request at a time and so in order. Each document
/// has a version and never replaces a newer one (version_type external_gte), so sending a document twice or late does
/// no harm. Documents that OpenSearch rejected as overloaded are sent again, and so are lost requests. Not thread-safe.
class Bulk {
 public:
  /// `alias`: write alias of the index. It is removed together with the index, so a late write cannot create the index
  /// again.
  Bulk(const Server& server, const std::string& alias, std::size_t most_bytes);

  /// Adds a document. Sends the full request first if needed, without waiting for the response; call wait() before
  /// `call` ends. Errors: those of the previous request.
  model::Status add(ports::Call& call, const Lines& lines, std::uint64_t version);

  /// Sends the remaining documents.
  model::Status send(ports::Call& call);

  /// Waits for the response to the request in progress. Conflict: a stored document is newer, or the index was removed.
  model::Status wait(ports::Call& call);

 private:
  void begin(ports::Call& call);
  model::Status judge(const Json& answer, bool& is_busy) const;

  const Server& server_;
  const std::string path_;
  const std::size_t most_bytes_;
  std::string next_;                          // request being filled
  std::size_t documents_ = 0;                 // number of documents in it
  std::string sent_;                          // request in progress
  std::unique_ptr<Server::Pending> pending_;  // null: no request in progress
};

}  // namespace kbase::opensearch
