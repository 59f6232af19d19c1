// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/id_table_writer.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "adapters/native_index/columns/column_sections.hpp"
#include "adapters/native_index/files/bytes.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {
namespace {

std::size_t shared_bytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

void IdTableWriter::add(std::string_view id) {
  assert(!id.empty() && id.size() <= model::kMaxIdBytes && last_id_ < id);
  const bool is_first = ids_ % kIdsPerBlock == 0;
  if (is_first) starts_.push_back(static_cast<std::uint32_t>(blocks_.size()));
  const std::size_t shared = is_first ? 0 : shared_bytes(last_id_, id);
  ByteWriter writer(blocks_);
  writer.varint(shared);
  writer.varint(id.size() - shared);
  writer.bytes(id.substr(shared));
  last_id_ = id;
  ++ids_;
}

model::Status IdTableWriter::write(SectionFileWriter& file, std::span<const std::uint32_t> documents) {
  assert(documents.size() == ids_);
  if (blocks_.size() > std::numeric_limits<std::uint32_t>::max())
    return model::Error{
        model::ErrorCode::Unsupported, "The ids of a part of the search index take more than 4 GiB.", {}, {}, {}};
  starts_.push_back(static_cast<std::uint32_t>(blocks_.size()));
  std::vector<std::uint32_t> ranks(documents.size());
  for (std::uint32_t rank = 0; rank < documents.size(); ++rank) ranks[documents[rank]] = rank;
  if (const auto done = write_section(file, kIdsSection, blocks_); !done) return done;
  if (const auto done = write_section(file, kIdStartsSection, starts_); !done) return done;
  if (const auto done = write_section(file, kIdRanksSection, ranks); !done) return done;
  return write_section(file, kIdDocumentsSection, as_text(std::as_bytes(documents)));
}

}  // namespace kbase::native_index
