// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adapters/native_index/segments/merge_parts.hpp"
#include "adapters/native_index/store/store_writer.hpp"

namespace kbase::native_index {
namespace {

using Documents = std::span<const std::uint32_t>;

/// Copies the stored texts of one source.
class TextCopier {
 public:
  TextCopier(const MergeSource& source, Documents map, StoreWriter& writer)
      : source_(source), store_(source.segment->store()), map_(map), reader_(store_), writer_(writer) {}

  /// Maps text numbers to new documents, so that texts are read in storage order.
  model::Status begin() {
    documents_.assign(store_.texts(), kNoDocument);
    for (std::uint32_t document = 0; document < map_.size(); ++document) {
      std::uint32_t& taken = documents_[store_.text_of(document)];
      if (map_[document] == kNoDocument) continue;
      if (taken != kNoDocument) return damaged_source(source_, "two documents of one text");
      taken = map_[document];
    }
    return {};
  }

  model::Status copy(const Store::Block& block) {
    const auto documents = Documents(documents_).subspan(block.first_text, block.end_text - block.first_text);
    const bool all_live = std::find(documents.begin(), documents.end(), kNoDocument) == documents.end();
    if (all_live && writer_.is_worth_copying(Store::text_bytes(block))) return writer_.copy(block, documents);
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
      if (documents[i] == kNoDocument) continue;
      const auto text = reader_.read_text(block.first_text + i);
      if (!text) return text.error().during(source_.segment->file().path().native());
      if (const auto added = writer_.add(documents[i], *text); !added) return added;
    }
    return {};
  }

 private:
  const MergeSource& source_;
  const Store& store_;
  Documents map_;
  StoreReader reader_;
  StoreWriter& writer_;
  std::vector<std::uint32_t> documents_;  // new document numbers, indexed by text number
};

}  // namespace

model::Status merge_texts(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, Timeout& timeout) {
  auto writer = StoreWriter::begin(file);
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Store& store = sources[i].segment->store();
    TextCopier copier(sources[i], map[i], *writer);
    if (const auto begun = copier.begin(); !begun) return begun;
    for (std::size_t block = 0; block < store.blocks(); ++block) {
      if (timeout.is_over(Timeout::kWork)) return cancelled();
      if (const auto copied = copier.copy(store.block(block)); !copied) return copied;
    }
  }
  return writer->finish();
}

}  // namespace kbase::native_index
