// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/server.hpp"

namespace kbase::opensearch {

/// Whole documents on their way into one index, some megabytes a request, one request at a time and so in their order.
/// Each has a version, and takes no place of a newer one (version_type external_gte): whatever is sent twice, or late,
/// changes nothing. So what OpenSearch has no room for is sent again, and what was lost on its way too. One thread.
class Bulk {
 public:
  /// `alias` is the one that the index is written under: with the index it is gone too, and nothing makes it anew.
  Bulk(const Server& server, const std::string& alias, std::size_t most_bytes);

  /// Adds a document; sends a request without waiting for its answer where it is full. The call has to see wait()
  /// before it ends. Errors: those of the request before.
  model::Status add(ports::Call& call, const Lines& lines, std::uint64_t version);

  /// Sends what is left.
  model::Status send(ports::Call& call);

  /// Waits for the answer under way. Conflict: a document is newer than ours, or the index was removed.
  model::Status wait(ports::Call& call);

 private:
  void begin(ports::Call& call);
  model::Status judge(const Json& answer, bool& is_busy) const;

  const Server& server_;
  const std::string path_;
  const std::size_t most_bytes_;
  std::string next_;                          // being filled
  std::size_t documents_ = 0;                 // in it
  std::string sent_;                          // under way
  std::unique_ptr<Server::Pending> pending_;  // null: nothing is
};

}  // namespace kbase::opensearch
