// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/surface_forms.hpp"

#include <cstdint>
#include <map>

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

/// Returns the first documents of a list that were not deleted, at most `most`.
std::vector<std::uint32_t> first_documents(const PostingList& list, const DocumentSet& deleted, std::size_t most) {
  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < list.windows(); ++i) {
    const Window window = list.window(i);
    for (WindowCursor cursor(window); cursor.document() != WindowCursor::kEnd; cursor.next()) {
      if (documents.size() == most) return documents;
      const std::uint32_t document = window.number() * kWindowDocuments + cursor.document();
      if (deleted.size() == 0 || !deleted.contains(document)) documents.push_back(document);
    }
  }
  return documents;
}

}  // namespace

Result<std::string> find_surface_form(const Snapshot& snapshot, text::Analyzer& analyzer, std::string_view word) {
  FormCounter forms(analyzer, word);
  std::size_t left = kItems;
  Details details;
  for (const LiveSegment& live : snapshot.segments) {
    PostingList list = live.segment->find_list(std::string(1, kExactMark).append(word));
    if (list.documents() == 0) list = live.segment->find_list(word);
    StoreReader reader(live.segment->store());
    for (const std::uint32_t document : first_documents(list, *live.deleted, left)) {
      const auto text = KBASE_TRY(reader.read(document));
      const auto language = static_cast<text::Language>(live.segment->columns().languages()[document]);
      if (unpack_details(text.details, details)) forms.count_in(details.title, language);
      forms.count_in(text.content.substr(0, kMaxBytes), language);
      --left;
    }
    if (left == 0) break;
  }
  return forms.most_frequent();
}

}  // namespace kbase::native_index
