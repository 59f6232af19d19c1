// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/language.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// A set of documents of one segment, such as the deleted ones. Thread-safe once it no longer changes.
class DocumentSet {
 public:
  DocumentSet() = default;
  explicit DocumentSet(std::uint32_t documents)
      : words_((documents + std::size_t{kWindowDocuments - 1}) / kWindowDocuments * kWindowWords) {}

  /// Restores a set from words(). The caller must rule out documents past the segment's end.
  explicit DocumentSet(std::vector<std::uint64_t> words) : words_(std::move(words)) {
    for (const std::uint64_t word : words_) size_ += static_cast<std::uint32_t>(__builtin_popcountll(word));
  }

  /// Returns false if the document was already in the set.
  bool insert(std::uint32_t document) {
    std::uint64_t& word = words_[document / 64];
    const std::uint64_t bit = std::uint64_t{1} << (document % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++size_;
    return true;
  }

  bool contains(std::uint32_t document) const { return is_in(words_, document); }
  std::uint32_t size() const { return size_; }

  /// One bit per document, starting with the lowest, in whole windows.
  std::span<const std::uint64_t> words() const { return words_; }

  /// Visits the documents in ascending order.
  template <class Visitor> void for_each(const Visitor& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t size_ = 0;
};

/// Returns the number of documents in the list that are not deleted.
inline std::uint32_t count_live(const PostingList& list, const DocumentSet& deleted) {
  return list.documents() - (deleted.size() == 0 ? 0 : list.count_in(deleted.words()));
}

/// View counts of a segment's documents (imported plus counted), with sets of the most viewed documents, so that a
/// search sorted by views does not visit all matches. Immutable. Thread-safe.
class ViewCounts {
 public:
  /// All documents with at least `min_views` views: about one in 4, 16, 64 or 256 of the segment.
  struct Tier {
    std::uint64_t min_views = 0;
    DocumentSet documents;
  };

  /// `views` is indexed by document.
  explicit ViewCounts(std::vector<std::uint64_t> views);

  std::uint64_t count(std::uint32_t document) const { return views_[document]; }
  const std::vector<std::uint64_t>& all() const { return views_; }

  /// The most viewed tier first. If many documents have equal counts, a tier may be missing or larger.
  std::span<const Tier> tiers() const { return tiers_; }

 private:
  std::vector<std::uint64_t> views_;
  std::vector<Tier> tiers_;
};

/// Returns the sum, saturated at the maximum.
constexpr std::uint64_t add_views(std::uint64_t imported, std::uint64_t counted) {
  return imported > ~counted ? ~std::uint64_t{0} : imported + counted;
}

/// A segment as of one commit.
struct LiveSegment {
  std::uint64_t number = 0;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const DocumentSet> deleted;  ///< never null
  std::shared_ptr<const ViewCounts> views;     ///< never null in a published snapshot

  std::uint32_t documents() const { return segment->documents() - deleted->size(); }
};

/// Whether a document that is not deleted contains the term as a word.
bool has_live_word(const LiveSegment& live, const TermEntry& entry);

/// Immutable state of the index, which a search runs on. Its files stay readable as long as the object lives.
struct Snapshot {
  std::string settings;
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  std::vector<LiveSegment> segments;
  std::uint64_t documents = 0;                  ///< not deleted
  std::vector<text::Language> languages;        ///< in which query words are stemmed
  std::vector<text::Language> other_languages;  ///< in which only items are stemmed
};

/// Computes the members that depend on the segments: document count and languages.
void count_documents(Snapshot& snapshot);

/// A segment of a commit, and its deleted documents.
struct SegmentRecord {
  std::uint64_t number = 0;  ///< number in the file's name
  DocumentSet deleted;
};

/// Content of a commit. The manifest is the only file of the index that is ever replaced; replacement is atomic.
struct Manifest {
  std::string settings;  ///< all inputs besides the items that determine the content of the index
  model::StoreId store_id{};
  model::Revision revision = 0;
  std::uint64_t next_segment = 1;
  std::vector<SegmentRecord> segments;
};

/// Includes a checksum.
std::string encode_manifest(const Manifest& manifest);

/// Decodes untrusted bytes. Errors: Corrupt; Unsupported if the format is another one.
Result<Manifest> decode_manifest(std::span<const std::byte> bytes);

}  // namespace kbase::native_index
