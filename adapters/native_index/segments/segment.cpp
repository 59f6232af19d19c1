// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;

}  // namespace

Result<std::shared_ptr<const Segment>> Segment::open(Files& files, const std::filesystem::path& path) {
  auto file = KBASE_TRY(SectionFile::open(files, path, kSegmentFormat));
  auto columns = Columns::open(*file);
  if (!columns) return columns.error().during(path.native());
  auto dictionary = Dictionary::open(file->section(kDictionarySection));
  if (!dictionary) return dictionary.error().during(path.native());
  auto store = Store::open(file->section(kStoreSection), file->section(kTextDictionarySection));
  if (!store) return store.error().during(path.native());
  if (store->documents() != columns->documents())
    return corrupt_error(path.native() + ": the numbers of texts and columns differ");
  const auto words = WordDocuments::open(as_text(file->section(kWordSection)));
  if (!words) return words.error().during(path.native());
  return std::shared_ptr<const Segment>(
      new Segment(std::move(file), *std::move(columns), *std::move(dictionary), *std::move(store), *words));
}

Segment::Segment(std::shared_ptr<const SectionFile> file, Columns columns, Dictionary dictionary, Store store,
                 const WordDocuments& words)
    : file_(std::move(file)),
      columns_(std::move(columns)),
      dictionary_(std::move(dictionary)),
      store_(std::move(store)),
      words_(words),
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

const WordPartsIndex& Segment::word_parts() const {
  std::call_once(word_parts_once_, [this] {
    word_parts_.emplace(dictionary_);
    are_word_parts_built_ = true;
  });
  return *word_parts_;
}

TitleHash hash_title(std::string_view words) {
  return XXH3_64bits(words.data(), words.size()) >> (64 - kTitleHashBits);
}

ListWriter::ListWriter(SectionFileWriter& file, std::uint64_t max_offset)
    : file_(file),
      max_offset_(max_offset),
      positions_(file, kPositionsSection),
      terms_(file, kDictionarySection),
      words_(file),
      dictionary_(encoded_terms_) {}

Status ListWriter::begin() { return file_.begin(kPostingsSection); }

Status ListWriter::end_term(std::string_view term) {
  if (postings_.term().empty()) return {};
  if (std::max<std::uint64_t>(postings_.term().positions().size(), dictionary_.written()) > max_offset_)
    return Error{ErrorCode::Unsupported, "the search index has too many words for one segment"};
  const auto documents = static_cast<std::uint32_t>(postings_.term().documents().size());
  const std::uint64_t postings = postings_.finish_term();
  const auto is_word = KBASE_TRY(words_.end_list(postings));
  dictionary_.add(term, {documents, postings, is_word});
  if (postings_.pending_bytes() >= kFlushBytes) KBASE_TRY(flush_lists());
  return encoded_terms_.size() < kFlushBytes ? Status() : flush_terms();
}

Status ListWriter::finish(FunctionRef<bool()> stop) {
  KBASE_TRY(flush_lists());
  dictionary_.finish();
  KBASE_TRY(flush_terms());
  KBASE_TRY(positions_.write(stop));
  KBASE_TRY(terms_.write(stop));
  return words_.finish(stop);
}

Status ListWriter::flush_lists() {
  const PostingWriter::Output output = postings_.take_output();
  KBASE_TRY(positions_.append(as_text(output.positions)));
  return file_.append(as_text(output.postings));
}

Status ListWriter::flush_terms() {
  const auto appended = terms_.append(encoded_terms_);
  encoded_terms_.clear();
  return appended;
}

}  // namespace kbase::native_index
