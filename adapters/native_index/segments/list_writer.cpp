// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/list_writer.hpp"

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

}  // namespace

ListWriter::ListWriter(SectionFileWriter& file)
    : file_(file), positions_(file, kPositionsSection), terms_(file, kDictionarySection), dictionary_(encoded_terms_) {}

model::Status ListWriter::begin() {
  return file_.begin(kPostingsSection);
}

model::Status ListWriter::end_term(std::string_view term, bool is_word) {
  if (postings_.term().empty()) return {};
  const auto documents = static_cast<std::uint32_t>(postings_.term().documents().size());
  dictionary_.add(term, {documents, postings_.finish_term(), is_word});
  if (postings_.pending_bytes() >= kPieceBytes)
    if (const auto flushed = flush_lists(); !flushed) return flushed;
  return encoded_terms_.size() < kPieceBytes ? model::Status() : flush_terms();
}

model::Status ListWriter::finish(model::FunctionRef<bool()> stop) {
  if (const auto flushed = flush_lists(); !flushed) return flushed;
  dictionary_.finish();
  if (const auto flushed = flush_terms(); !flushed) return flushed;
  if (const auto written = positions_.write(stop); !written) return written;
  return terms_.write(stop);
}

model::Status ListWriter::flush_lists() {
  const PostingWriter::Pieces pieces = postings_.take();
  if (const auto appended = positions_.append(as_text(pieces.positions)); !appended) return appended;
  return file_.append(as_text(pieces.postings));
}

model::Status ListWriter::flush_terms() {
  const auto appended = terms_.append(encoded_terms_);
  encoded_terms_.clear();
  return appended;
}

}  // namespace kbase::native_index
