// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "adapters/native_index/columns/columns_writer.hpp"
#include "adapters/native_index/columns/id_table_writer.hpp"
#include "adapters/native_index/segments/merge_parts.hpp"

namespace kbase::native_index {
namespace {

bool is_deleted(const MergeSource& source, std::uint32_t document) {
  const std::size_t word = document / 64;
  return word < source.deleted.size() && (source.deleted[word] >> (document % 64) & 1) != 0;
}

/// Iterates over the ids of a source's live documents, sorted by their bytes.
class LiveIds {
 public:
  LiveIds(const MergeSource& source, std::vector<std::uint32_t>& ranks)
      : source_(&source), ids_(source.segment->columns().ids()), ranks_(&ranks) {}

  bool next() {
    while (ids_.next())
      if (!is_deleted(*source_, ids_.document())) return true;
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
    const std::int32_t day = columns_->updated_days()[document_];
    const std::int32_t other_day = other.columns_->updated_days()[other.document_];
    return day != other_day ? day > other_day : rank() < other.rank();
  }

  std::uint32_t& rank() const { return (*ranks_)[document_]; }

  /// Returns the column values of the current document. Valid until the next call.
  ColumnValues values() {
    tags_.clear();
    for (const std::uint32_t tag : columns_->tags(document_)) tags_.push_back(columns_->tag_names().name(tag));
    return {columns_->category_names().name(columns_->categories()[document_]),
            tags_,
            model::Day(std::chrono::days(columns_->updated_days()[document_])),
            columns_->views()[document_],
            columns_->languages()[document_],
            columns_->lengths()[document_]};
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
  DocumentMerge(MergeSources sources, Timeout& timeout) : sources_(sources), timeout_(timeout) {
    for (const MergeSource& source : sources) map_.emplace_back(source.segment->documents(), kNoDocument);
  }

  /// Sets each live document's entry in the map to the rank of its id among all sources.
  model::Status rank_ids() {
    std::vector<LiveIds> active;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (const auto added = advance(active, active.insert(active.end(), LiveIds(sources_[i], map_[i]))); !added)
        return added;
    while (!active.empty()) {
      if (timeout_.is_over()) return cancelled();
      const auto least = std::min_element(active.begin(), active.end(),
                                          [](const LiveIds& a, const LiveIds& b) { return a.id() < b.id(); });
      if (least->id() <= last_id_ || least->rank() != kNoDocument)
        return damaged_source(least->source(), "ids out of order, or twice");
      last_id_ = least->id();
      ids_.add(last_id_);
      least->rank() = documents_++;
      if (const auto advanced = advance(active, least); !advanced) return advanced;
    }
    return {};
  }

  /// Replaces the ranks in the map by the new document numbers.
  model::Status number() {
    documents_by_rank_.resize(documents_);
    std::vector<LiveDocuments> active;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (LiveDocuments documents(sources_[i], map_[i]); documents.next()) active.push_back(documents);
    for (std::uint32_t number = 0; number < documents_; ++number) {
      if (timeout_.is_over()) return cancelled();
      const auto first = std::min_element(active.begin(), active.end());
      columns_.add(first->values());
      documents_by_rank_[first->rank()] = number;
      first->rank() = number;
      if (!first->next()) active.erase(first);
    }
    return {};
  }

  model::Status write(SectionFileWriter& file) {
    if (const auto written = columns_.write(file); !written) return written;
    if (timeout_.is_over(Timeout::kWork)) return cancelled();
    return ids_.write(file, documents_by_rank_);
  }

  DocumentMap take_map() { return std::move(map_); }

 private:
  static model::Status advance(std::vector<LiveIds>& active, std::vector<LiveIds>::iterator ids) {
    if (ids->next()) return {};
    if (ids->damaged()) return damaged_source(ids->source(), "ids that cannot be read");
    active.erase(ids);
    return {};
  }

  MergeSources sources_;
  Timeout& timeout_;
  DocumentMap map_;
  IdTableWriter ids_;
  std::string last_id_;
  ColumnsWriter columns_;
  std::uint32_t documents_ = 0;
  std::vector<std::uint32_t> documents_by_rank_;
};

}  // namespace

model::Result<DocumentMap> merge_documents(MergeSources sources, SectionFileWriter& file, Timeout& timeout) {
  DocumentMerge merge(sources, timeout);
  if (const auto ranked = merge.rank_ids(); !ranked) return ranked.error();
  if (const auto numbered = merge.number(); !numbered) return numbered.error();
  if (const auto written = merge.write(file); !written) return written.error();
  return merge.take_map();
}

}  // namespace kbase::native_index
