// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_writer.hpp"

#include <bit>
#include <string>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/segments/segment.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;

}  // namespace

Status write_info(SectionFileWriter& file, const ImpactScale& scale) {
  std::string info;
  ByteWriter(info).u32(std::bit_cast<std::uint32_t>(scale.pivot()));
  if (const auto begun = file.begin(kInfoSection); !begun) return begun;
  return file.append(info);
}

ListWriter::ListWriter(SectionFileWriter& file)
    : file_(file), positions_(file, kPositionsSection), terms_(file, kDictionarySection), dictionary_(encoded_terms_) {}

Status ListWriter::begin() { return file_.begin(kPostingsSection); }

Status ListWriter::end_term(std::string_view term, bool is_word) {
  if (postings_.term().empty()) return {};
  const auto documents = static_cast<std::uint32_t>(postings_.term().documents().size());
  dictionary_.add(term, {documents, postings_.finish_term(), is_word});
  if (postings_.pending_bytes() >= kFlushBytes)
    if (const auto flushed = flush_lists(); !flushed) return flushed;
  return encoded_terms_.size() < kFlushBytes ? Status() : flush_terms();
}

Status ListWriter::finish(FunctionRef<bool()> stop) {
  if (const auto flushed = flush_lists(); !flushed) return flushed;
  dictionary_.finish();
  if (const auto flushed = flush_terms(); !flushed) return flushed;
  if (const auto written = positions_.write(stop); !written) return written;
  return terms_.write(stop);
}

Status ListWriter::flush_lists() {
  const PostingWriter::Output output = postings_.take_output();
  if (const auto appended = positions_.append(as_text(output.positions)); !appended) return appended;
  return file_.append(as_text(output.postings));
}

Status ListWriter::flush_terms() {
  const auto appended = terms_.append(encoded_terms_);
  encoded_terms_.clear();
  return appended;
}

}  // namespace kbase::native_index
