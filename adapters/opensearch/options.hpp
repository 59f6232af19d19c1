// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kbase::opensearch {

struct Options {
  /// Where OpenSearch answers, with a path where a proxy keeps it below one. What it holds may be thrown away.
  std::string url = "http://127.0.0.1:9200";

  /// A user of the security plugin and its password. Empty: no password is sent.
  std::string username;
  std::string password;

  /// What a hosted service takes in their place, sent as `Authorization: ApiKey ...`. Empty: none is sent.
  std::string api_key;

  /// What the names of indices begin with; bases that share an OpenSearch need different ones. Lower case letters,
  /// digits, `-`, `_` and `.`, as OpenSearch wants them.
  std::string index = "kbase-items";

  /// The language whose stemmer the items' words go through: `auto` (detected item by item), `none` (words match as
  /// they are written) or an ISO 639-1 code. Another one is another index, which is built beside the old one.
  std::string language = "auto";

  /// How many further copies of the index OpenSearch keeps. Absent: one, where there is a second node for it.
  std::optional<std::uint32_t> replicas;

  /// How much text goes in one request, in bytes. More is faster up to some megabytes, and takes more of OpenSearch's
  /// memory at once; a single larger item goes alone.
  std::size_t bulk_bytes = std::size_t{2} << 20;

  /// The folder where a batch waits on disk for its commit, in a file without a name. Made with the first batch.
  std::filesystem::path spool = std::filesystem::temp_directory_path();
};

}  // namespace kbase::opensearch
