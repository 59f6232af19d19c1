// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

Result<ImpactScale> read_info(const SectionFile& file) {
  KBASE_TRY(file.verify(kInfoSection));
  ByteReader info(file.section(kInfoSection));
  const auto pivot = std::bit_cast<float>(info.u32());
  if (info.failed() || !info.at_end() || !std::isfinite(pivot) || pivot < 1)
    return corrupt_error(file.path().string() + " has an invalid impact scale");
  return ImpactScale(pivot);
}

}  // namespace

Result<std::shared_ptr<const Segment>> Segment::open(Files& files, const std::filesystem::path& path) {
  auto file = KBASE_TRY(SectionFile::open(files, path, kSegmentFormat));
  const auto scale = KBASE_TRY(read_info(*file));
  auto columns = Columns::open(*file);
  if (!columns) return columns.error().during(path.native());
  auto dictionary = Dictionary::open(file->section(kDictionarySection));
  if (!dictionary) return dictionary.error().during(path.native());
  auto store = Store::open(file->section(kStoreSection));
  if (!store) return store.error().during(path.native());
  if (store->documents() != columns->documents())
    return corrupt_error(path.native() + ": the numbers of texts and columns differ");
  return std::shared_ptr<const Segment>(
      new Segment(std::move(file), scale.pivot(), *std::move(columns), *std::move(dictionary), *std::move(store)));
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

PostingList Segment::find_list(std::string_view term) const {
  const auto entry = dictionary_.find(term);
  return entry ? list(*entry) : PostingList();
}

}  // namespace kbase::native_index
