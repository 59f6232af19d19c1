// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "domain/model/result.hpp"
#include "records.hpp"

/// The lines of the file, each a JSON object. The first is the Header; then come batches: a line for each changed
/// record and the Commit that makes them count.
namespace jsonl {

struct Header {
  model::StoreId store_id{};
  model::Revision revision = 0;       ///< up to which the file was written as a whole; 0: a new store
  model::Revision dropped_up_to = 0;  ///< see Records
};

struct Commit {
  model::Revision revision = 0;  ///< the store's, after the batch
  model::Instant at;
  std::uint32_t checksum = 0;  ///< of the batch's lines
};

/// With their newline.
std::string line_of(const Header& header);
std::string line_of(const Record& record);
std::string line_of(const Commit& commit);

/// Corrupt: the line is no such thing.
model::Result<Header> read_header(std::string_view line);
model::Result<std::variant<RecordPtr, Commit>> read_line(std::string_view line);

/// How every line of a Commit begins, and no other.
inline constexpr std::string_view kCommitStart = R"({"commit":)";

/// CRC-32 as in ISO 3309 and gzip (RFC 1952 section 8).
std::uint32_t checksum(std::string_view bytes);

}  // namespace jsonl
