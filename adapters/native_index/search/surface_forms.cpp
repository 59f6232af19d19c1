// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/surface_forms.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/details.hpp"
#include "adapters/native_index/store/store.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kItems = 4;             // that are read
constexpr std::size_t kMaxBytes = 16 * 1024;  // of the content of an item
constexpr std::size_t kMaxOccurrences = 16;   // in an item

/// Counts the forms of one word.
class FormCounter {
 public:
  FormCounter(text::Analyzer& analyzer, std::string_view word) : analyzer_(analyzer), word_(word) { prefix_.add(word); }

  void count_in(std::string_view text, text::Language language) {
    std::size_t left = kMaxOccurrences;
    analyzer_.find(text, language, prefix_, [&](const text::Token& token) {
      if (token.exact != word_) return Visit::Continue;
      auto& counts = token.role == text::Token::Role::Joined ? joined_counts_ : counts_;
      ++counts[std::string(text.substr(token.begin, token.end - token.begin))];
      return --left == 0 ? Visit::Stop : Visit::Continue;
    });
  }

  /// The most frequent form of a word, else of words that a mark joins; of several, one in lower case.
  std::string most_frequent() const {
    const std::pair<const std::string, std::size_t>* best = nullptr;
    for (const auto& each : counts_.empty() ? joined_counts_ : counts_)
      if (best == nullptr || each.second >= best->second) best = &each;
    return best == nullptr ? std::string(word_) : best->first;
  }

 private:
  text::Analyzer& analyzer_;
  std::string_view word_;
  text::PrefixSet prefix_;
  std::map<std::string, std::size_t> counts_;         // capitals come first
  std::map<std::string, std::size_t> joined_counts_;  // of words that marks join
};

/// An item of the snapshot.
struct Document {
  const LiveSegment* live;
  std::uint32_t number;
};

/// Adds the newest items of a list that were not deleted, at most `most`.
void append_newest(const PostingList& list, const LiveSegment& live, std::size_t most,
                   std::vector<Document>& documents) {
  std::size_t left = most;
  for (std::uint32_t i = 0; i < list.windows(); ++i) {
    const Window window = list.window(i);
    for (WindowCursor cursor(window); cursor.document() != WindowCursor::kEnd; cursor.next()) {
      const std::uint32_t document = window.number() * kWindowDocuments + cursor.document();
      if (document >= live.segment->documents()) return;  // damaged
      if (live.deleted->size() > 0 && live.deleted->contains(document)) continue;
      documents.push_back({&live, document});
      if (--left == 0) return;
    }
  }
}

/// Returns the newest items with the term, at most `most`, whatever the segments are.
std::vector<Document> newest_items(const Snapshot& snapshot, const std::string& term, std::size_t most) {
  std::vector<Document> documents;
  for (const LiveSegment& live : snapshot.segments) append_newest(live.segment->find_list(term), live, most, documents);
  std::sort(documents.begin(), documents.end(), [](const Document& a, const Document& b) {
    const std::int32_t one = a.live->segment->columns().updated_day(a.number);
    const std::int32_t other = b.live->segment->columns().updated_day(b.number);
    IdBuffer id, other_id;
    return one != other ? one > other
                        : a.live->segment->columns().ids().id(a.number, id) <
                              b.live->segment->columns().ids().id(b.number, other_id);
  });
  documents.resize(std::min(documents.size(), most));
  return documents;
}

/// Counts the forms that an item has.
Status count_forms(const Document& item, FormCounter& forms) {
  const Segment& segment = *item.live->segment;
  StoreReader reader(segment.store());
  const auto text = KBASE_TRY(reader.read(item.number));
  const auto language = static_cast<text::Language>(segment.columns().languages()[item.number]);
  if (Details details; unpack_details(text.details, details)) forms.count_in(details.title, language);
  forms.count_in(text.content.substr(0, kMaxBytes), language);
  return {};
}

}  // namespace

Result<std::string> find_surface_form(const Snapshot& snapshot, text::Analyzer& analyzer, std::string_view word) {
  FormCounter forms(analyzer, word);
  std::vector<Document> items = newest_items(snapshot, std::string(1, kExactMark).append(word), kItems);
  if (items.empty()) items = newest_items(snapshot, std::string(word), kItems);
  for (const Document& item : items) KBASE_TRY(count_forms(item, forms));
  return forms.most_frequent();
}

}  // namespace kbase::native_index
