// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "domain/model/result.hpp"
#include "records.hpp"

/// Lines of the file; each is a JSON object. The first line is the Header. Then come batches: a line for each changed
/// record, followed by the Commit that makes them valid.
namespace jsonl {

struct Header {
  model::StoreId store_id{};
  model::Revision revision = 0;       ///< revision at which the whole file was written; 0: a new store
  model::Revision dropped_up_to = 0;  ///< see Records
};

struct Commit {
  model::Revision revision = 0;  ///< revision of the store after the batch
  model::Instant at;
  std::uint32_t checksum = 0;  ///< checksum of the lines of the batch
};

/// Return the line with its newline.
std::string line_of(const Header& header);
std::string line_of(const Record& record);
std::string line_of(const Commit& commit);

/// Parse a line. Corrupt: it is not valid.
model::Result<Header> read_header(std::string_view line);
model::Result<std::variant<RecordPtr, Commit>> read_line(std::string_view line);

/// Start of every Commit line, and of no other line.
inline constexpr std::string_view kCommitStart = R"({"commit":)";

/// Returns the CRC-32 of ISO 3309 and gzip (RFC 1952, section 8).
std::uint32_t checksum(std::string_view bytes);

}  // namespace jsonl
