// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_merger.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <string>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/store.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

/// Iterates over the ids of a source's live documents, sorted by their bytes.
class LiveIds {
 public:
  LiveIds(const MergeSource& source, std::vector<std::uint32_t>& ranks)
      : source_(&source), ids_(source.segment->columns().ids()), ranks_(&ranks) {}

  bool next() {
    while (ids_.next())
      if (!is_in(source_->deleted, ids_.document())) return true;
    return false;
  }

  std::string_view id() const { return ids_.id(); }
  std::uint32_t& rank() const { return (*ranks_)[ids_.document()]; }  ///< rank of the current document
  bool damaged() const { return ids_.damaged(); }
  const MergeSource& source() const { return *source_; }

 private:
  const MergeSource* source_;
  IdCursor ids_;
  std::vector<std::uint32_t>* ranks_;
};

/// Iterates over a source's documents that have a rank, in ascending order.
class LiveDocuments {
 public:
  LiveDocuments(const MergeSource& source, std::vector<std::uint32_t>& ranks)
      : columns_(&source.segment->columns()), ranks_(&ranks) {}

  bool next() {
    for (; next_ < ranks_->size(); ++next_) {
      if ((*ranks_)[next_] == kNoDocument) continue;
      document_ = next_++;
      return true;
    }
    return false;
  }

  /// Newest first, then by id.
  bool operator<(const LiveDocuments& other) const {
    const std::int32_t day = columns_->updated_day(document_);
    const std::int32_t other_day = other.columns_->updated_day(other.document_);
    return day != other_day ? day > other_day : rank() < other.rank();
  }

  std::uint32_t& rank() const { return (*ranks_)[document_]; }

  /// Returns the column values of the current document. Valid until the next call.
  ColumnValues values() {
    tags_.clear();
    columns_->visit_tags(document_, [this](auto tag) { tags_.push_back(columns_->tag_names().name(tag)); });
    return {columns_->category_names().name(columns_->category(document_)), tags_,
            model::Day(std::chrono::days(columns_->updated_day(document_))), columns_->views()[document_],
            columns_->languages()[document_]};
  }

 private:
  const Columns* columns_;
  std::vector<std::uint32_t>* ranks_;
  std::uint32_t next_ = 0;
  std::uint32_t document_ = 0;
  std::vector<std::string_view> tags_;
};

/// Merges the ids and columns of the sources. Ranks the ids first, so that documents are compared by numbers only.
class DocumentMerge {
 public:
  DocumentMerge(MergeSources sources, StopPoller& stop_poller) : sources_(sources), stop_poller_(stop_poller) {
    for (const MergeSource& source : sources) map_.emplace_back(source.segment->documents(), kNoDocument);
  }

  /// Sets each live document's entry in the map to the rank of its id among all sources.
  Status rank_ids() {
    const auto is_after = [](const LiveIds* a, const LiveIds* b) { return a->id() > b->id(); };
    std::priority_queue<LiveIds*, std::vector<LiveIds*>, decltype(is_after)> active(is_after);
    const auto advance = [&active](LiveIds* ids) -> Status {
      if (ids->next())
        active.push(ids);
      else if (ids->damaged())
        return corrupt_source_error(ids->source(), "ids cannot be read");
      return {};
    };
    std::deque<LiveIds> all;
    for (std::size_t i = 0; i < sources_.size(); ++i) KBASE_TRY(advance(&all.emplace_back(sources_[i], map_[i])));
    while (!active.empty()) {
      if (stop_poller_.should_stop()) return cancelled_error();
      LiveIds* const lowest = active.top();
      active.pop();
      if (lowest->id() <= last_id_ || lowest->rank() != kNoDocument)
        return corrupt_source_error(lowest->source(), "ids are out of order or not unique");
      last_id_ = lowest->id();
      ids_.add(last_id_);
      lowest->rank() = documents_++;
      KBASE_TRY(advance(lowest));
    }
    return {};
  }

  /// Replaces the ranks in the map by the new document numbers.
  Status number_documents() {
    documents_by_rank_.resize(documents_);
    const auto is_after = [](const LiveDocuments* a, const LiveDocuments* b) { return *b < *a; };
    std::priority_queue<LiveDocuments*, std::vector<LiveDocuments*>, decltype(is_after)> active(is_after);
    std::deque<LiveDocuments> all;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (LiveDocuments* const documents = &all.emplace_back(sources_[i], map_[i]); documents->next())
        active.push(documents);
    for (std::uint32_t number = 0; number < documents_; ++number) {
      if (stop_poller_.should_stop()) return cancelled_error();
      LiveDocuments* const first = active.top();
      active.pop();
      columns_.add(first->values());
      documents_by_rank_[first->rank()] = number;
      first->rank() = number;
      if (first->next()) active.push(first);
    }
    return {};
  }

  Status write(SectionFileWriter& file) {
    KBASE_TRY(columns_.write(file));
    if (stop_poller_.should_stop(StopPoller::kUnitsPerPoll)) return cancelled_error();
    KBASE_TRY(ids_.write(file, documents_by_rank_));
    if (stop_poller_.should_stop(StopPoller::kUnitsPerPoll)) return cancelled_error();
    return write_titles(file);
  }

  DocumentMap take_map() { return std::move(map_); }

 private:
  Status write_titles(SectionFileWriter& file) const {
    TitleTableWriter writer;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const TitleTable& titles = sources_[i].segment->columns().titles();
      for (std::size_t number = 0; number < titles.size(); ++number) {
        const TitleEntry entry = titles.entry(number);
        if (const std::uint32_t document = map_[i][entry.document]; document != kNoDocument)
          writer.add({entry.hash, document});
      }
    }
    return writer.write(file);
  }

  MergeSources sources_;
  StopPoller& stop_poller_;
  DocumentMap map_;
  IdTableWriter ids_;
  std::string last_id_;
  ColumnsWriter columns_;
  std::uint32_t documents_ = 0;
  std::vector<std::uint32_t> documents_by_rank_;
};

using Documents = std::span<const std::uint32_t>;

bool have_same_bytes(const TextDictionary* a, const TextDictionary* b) {
  return (a == nullptr ? std::string_view() : a->bytes()) == (b == nullptr ? std::string_view() : b->bytes());
}

/// Copies the stored texts of one source.
class TextCopier {
 public:
  TextCopier(const MergeSource& source, Documents map, StoreWriter& writer)
      : source_(source),
        store_(source.segment->store()),
        map_(map),
        reader_(store_),
        writer_(writer),
        can_copy_(have_same_bytes(store_.dictionary().get(), writer.dictionary().get())) {}

  /// Maps text numbers to new documents, so that texts are read in storage order.
  Status map_texts() {
    documents_.assign(store_.texts(), kNoDocument);
    for (std::uint32_t document = 0; document < map_.size(); ++document) {
      std::uint32_t& new_number = documents_[store_.text_number(document)];
      if (map_[document] == kNoDocument) continue;
      if (new_number != kNoDocument) return corrupt_source_error(source_, "two documents have the same text number");
      new_number = map_[document];
    }
    return {};
  }

  Status copy_block(const Store::Block& block) {
    const auto documents = Documents(documents_).subspan(block.first_text, block.end_text - block.first_text);
    if (documents.empty()) return is_copying_ ? writer_.copy(block, documents) : Status();
    const bool all_live = std::find(documents.begin(), documents.end(), kNoDocument) == documents.end();
    is_copying_ = can_copy_ && all_live && StoreWriter::is_worth_copying(Store::uncompressed_bytes(block));
    if (is_copying_) return writer_.copy(block, documents);
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
      if (documents[i] == kNoDocument) continue;
      const auto text = reader_.read_text(block.first_text + i);
      if (!text) return text.error().during(source_.segment->file().path().native());
      KBASE_TRY(writer_.add(documents[i], *text));
    }
    return {};
  }

 private:
  const MergeSource& source_;
  const Store& store_;
  Documents map_;
  StoreReader reader_;
  StoreWriter& writer_;
  bool can_copy_;                         // the blocks have the dictionary of the writer
  bool is_copying_ = false;               // the last text, of which further pieces may follow
  std::vector<std::uint32_t> documents_;  // new document numbers, indexed by text number
};

std::uint64_t text_bytes(const Segment& segment) { return segment.file().section(kStoreSection).size(); }

/// Returns the dictionary of the largest source. If that is too small for all texts together, learns a new one.
Result<std::shared_ptr<const TextDictionary>> choose_dictionary(MergeSources sources, StopPoller& stop_poller) {
  std::uint64_t bytes = 0;
  const Segment* largest = nullptr;
  for (const MergeSource& source : sources) {
    bytes += text_bytes(*source.segment);
    if (largest == nullptr || text_bytes(*source.segment) > text_bytes(*largest)) largest = source.segment;
  }
  const auto known = largest == nullptr ? nullptr : largest->store().dictionary();
  const std::size_t size = known == nullptr ? 0 : known->bytes().size();
  if (size >= TextDictionary::wanted_bytes(bytes) / 4) return known;
  constexpr std::uint64_t kExpansion = 3;  // of compressed texts, about
  TextSampler sampler(bytes * kExpansion);
  for (const MergeSource& source : sources) {
    StoreReader reader(source.segment->store());
    for (std::uint32_t text = 0; text < source.segment->store().texts(); ++text) {
      if (stop_poller.should_stop(StopPoller::kUnitsPerPoll / 4)) return cancelled_error();
      const auto read = reader.read_text(text);
      if (!read) return read.error().during(source.segment->file().path().native());
      sampler.add(*read);
    }
  }
  auto learned = sampler.learn();
  return learned == nullptr ? known : learned;
}

}  // namespace

Result<DocumentMap> merge_documents(MergeSources sources, SectionFileWriter& file, StopPoller& stop_poller) {
  DocumentMerge merge(sources, stop_poller);
  KBASE_TRY(merge.rank_ids());
  KBASE_TRY(merge.number_documents());
  KBASE_TRY(merge.write(file));
  return merge.take_map();
}

Status merge_texts(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, StopPoller& stop_poller) {
  auto dictionary = KBASE_TRY(choose_dictionary(sources, stop_poller));
  auto writer = KBASE_TRY(StoreWriter::begin(file, std::move(dictionary)));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Store& store = sources[i].segment->store();
    TextCopier copier(sources[i], map[i], writer);
    KBASE_TRY(copier.map_texts());
    for (std::size_t block = 0; block < store.blocks(); ++block) {
      if (stop_poller.should_stop(StopPoller::kUnitsPerPoll)) return cancelled_error();
      KBASE_TRY(copier.copy_block(store.block(block)));
    }
    release(sources.subspan(i, 1));
  }
  return writer.finish();
}

void release(MergeSources sources) {
  for (const MergeSource& source : sources) source.segment->file().release();
}

Error corrupt_source_error(const MergeSource& source, std::string_view what) {
  return corrupt_error(source.segment->file().path().string() + ": " + std::string(what));
}

Result<DocumentMap> merge_segments(std::span<const MergeSource> sources, SectionFileWriter& file,
                                   FunctionRef<bool()> stop) {
  for (const MergeSource& source : sources) KBASE_TRY(source.segment->file().verify(stop));
  StopPoller stop_poller(stop);
  auto map = KBASE_TRY(merge_documents(sources, file, stop_poller));
  release(sources);
  KBASE_TRY(merge_texts(sources, map, file, stop_poller));
  KBASE_TRY(merge_lists(sources, map, file, stop_poller));
  return map;
}

}  // namespace kbase::native_index
