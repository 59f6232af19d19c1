// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment.hpp"

#include <utility>

#include "adapters/native_index/segments/segment_format.hpp"
#include "adapters/native_index/segments/segment_info.hpp"

namespace kbase::native_index {

model::Result<std::shared_ptr<const Segment>> Segment::open(Files& files, const std::filesystem::path& path) {
  auto file = SectionFile::open(files, path, kSegmentFormat);
  if (!file) return file.error();
  const auto scale = read_info(**file);
  if (!scale) return scale.error();
  auto columns = Columns::open(**file);
  if (!columns) return columns.error().during(path.native());
  auto dictionary = Dictionary::open((*file)->section(kDictionarySection));
  if (!dictionary) return dictionary.error().during(path.native());
  auto store = Store::open((*file)->section(kStoreSection));
  if (!store) return store.error().during(path.native());
  if (store->documents() != columns->documents())
    return damaged(path.native() + ": texts and columns differ in number");
  return std::shared_ptr<const Segment>(
      new Segment(*std::move(file), scale->pivot(), *std::move(columns), *std::move(dictionary), *std::move(store)));
}

Segment::Segment(std::shared_ptr<const SectionFile> file, float pivot, Columns columns, Dictionary dictionary,
                 Store store)
    : file_(std::move(file)),
      pivot_(pivot),
      columns_(std::move(columns)),
      dictionary_(std::move(dictionary)),
      store_(std::move(store)),
      postings_(file_->section(kPostingsSection)),
      positions_(file_->section(kPositionsSection)) {}

PostingList Segment::list(const TermEntry& entry) const {
  const auto list = PostingList::open(postings_, entry.postings, positions_);
  return list ? *list : PostingList();
}

PostingList Segment::list_of(std::string_view term) const {
  const auto entry = dictionary_.find(term);
  return entry ? list(*entry) : PostingList();
}

}  // namespace kbase::native_index
