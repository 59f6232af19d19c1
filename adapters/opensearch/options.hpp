// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kbase::opensearch {

struct Options {
  /// URL of OpenSearch, with a path if a proxy serves it below one. Its data can be rebuilt at any time.
  std::string url = "http://127.0.0.1:9200";

  /// User and password of the security plugin. Empty: no credentials are sent.
  std::string username;
  std::string password;

  /// API key of a hosted service, sent as `Authorization: ApiKey ...` instead. Empty: none is sent.
  std::string api_key;

  /// Prefix of all index names; instances that share an OpenSearch need different ones. Lower case letters, digits,
  /// `-`, `_` and `.`, as OpenSearch requires.
  std::string index = "kbase-items";

  /// Language of the stemmer: `auto` (detected per item), `none` (no stemming) or an ISO 639-1 code. A different
  /// language uses a different index, which is built while the old one stays in use.
  std::string language = "auto";

  /// Number of replicas of the index. Absent: one, if there is a second node.
  std::optional<std::uint32_t> replicas;

  /// Size of a request in bytes. Larger is faster up to some megabytes and uses more of OpenSearch's memory. A larger
  /// item is sent alone.
  std::size_t bulk_bytes = std::size_t{2} << 20;

  /// Folder of the unnamed file that stores a batch until its commit. Created with the first batch.
  std::filesystem::path spool = std::filesystem::temp_directory_path();
};

}  // namespace kbase::opensearch
