// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/matching.hpp"

#include <algorithm>
#include <utility>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Returns an upper bound for the number of a disjunction's documents in a window.
std::uint32_t max_documents(const Disjunction& lists, std::uint32_t window) {
  std::uint32_t size = 0;
  for (const PostingList& list : lists) size += list.window_numbered(window).count();
  return size;
}

/// Up to this many lists and documents, merging the documents is cheaper than a set of the window.
constexpr std::size_t kFewLists = 4;
constexpr std::uint32_t kFewDocuments = 2'048;
static_assert(kFewDocuments <= format::kBitmapPostings, "no window with few documents is a bitmap");

/// Returns the number of ascending documents below `document`, by an exponential search.
std::size_t count_below(std::span<const std::uint16_t> documents, std::uint16_t document) {
  std::size_t end = 1;
  while (end < documents.size() && documents[end] < document) end *= 2;
  const auto first = documents.begin() + static_cast<std::ptrdiff_t>(end / 2);
  const auto last = documents.begin() + static_cast<std::ptrdiff_t>(std::min(end + 1, documents.size()));
  return static_cast<std::size_t>(std::lower_bound(first, last, document) - documents.begin());
}

bool are_few(std::span<const Window> windows) {
  std::uint32_t documents = 0;
  for (const Window& each : windows) documents += each.count();
  return windows.size() <= kFewLists && documents <= kFewDocuments;
}

/// Minimum lists of a word for gather_occurrences(). A prefix may expand to thousands of words, each in few documents.
constexpr std::size_t kManyLists = 8;

}  // namespace

std::uint64_t Matcher::count(const Matching& matching, std::uint32_t windows) {
  std::uint64_t total = 0;
  for (std::uint32_t window = 0; window < windows; ++window) total += match(matching, window).count();
  return total;
}

const WindowMatches& Matcher::match(const Matching& matching, std::uint32_t window) {
  order_.clear();
  for (const Disjunction& each : matching.required) order_.push_back(&each);
  if (!matching.any.empty()) order_.push_back(&matching.any);
  matches_.is_set_ = false;
  matches_.count_ = 0;
  std::sort(order_.begin(), order_.end(), [&](const Disjunction* a, const Disjunction* b) {
    return max_documents(*a, window) < max_documents(*b, window);
  });
  if (order_.empty())
    start_with_all(matching.documents, window);
  else
    start_with(*order_[0], window);
  for (std::size_t i = 1; i < order_.size(); ++i) intersect(*order_[i], window);
  exclude(matching.excluded, window);
  exclude_deleted(matching.deleted, window);
  exclude_outside(matching, window);
  update_count();
  return matches_;
}

void Matcher::start_with(const Disjunction& first, std::uint32_t window) {
  open(first, window);
  matches_.is_set_ = windows_.size() == 1 ? windows_.front().is_bitmap() : !are_few(windows_);
  if (matches_.is_set_) {
    unite(matches_.set_);
    return;
  }
  matches_.documents_.clear();
  for (const Window& each : windows_) merge(each.array());
}

void Matcher::start_with_all(std::uint32_t documents, std::uint32_t window) {
  const std::uint64_t before = std::uint64_t{window} * kWindowDocuments;
  const std::uint64_t here = documents <= before ? 0 : std::min<std::uint64_t>(documents - before, kWindowDocuments);
  matches_.is_set_ = true;
  matches_.set_.clear();
  auto& words = matches_.set_.words;
  std::fill_n(words.begin(), here / 64, ~std::uint64_t{0});
  if (here % 64 != 0) words[here / 64] = (std::uint64_t{1} << (here % 64)) - 1;
}

void Matcher::intersect(const Disjunction& other, std::uint32_t window) {
  if (!matches_.is_set_ && matches_.count_ == 0) return;
  open(other, window);
  if (matches_.is_set_ && windows_.size() == 1) {
    windows_.front().intersect_into(matches_.set_.words.data());
  } else if (matches_.is_set_) {
    unite(other_);
    kernels().intersect(matches_.set_.words.data(), other_.words.data());
  } else if (windows_.size() <= kFewLists) {
    before_.swap(matches_.documents_);
    const std::span<const std::uint16_t> before(before_.data(), matches_.count_);
    matches_.documents_.clear();
    matches_.count_ = 0;
    scratch_.resize(before.size());
    for (const Window& each : windows_) merge(each.intersect(before, scratch_.data()));
  } else {
    unite(other_);
    std::uint16_t* const documents = matches_.documents_.data();
    matches_.count_ =
        static_cast<std::uint32_t>(kernels().filter(other_.words.data(), documents, matches_.count_, documents));
  }
}

void Matcher::exclude(const Disjunction& other, std::uint32_t window) {
  for (const PostingList& list : other) {
    const Window without = list.window_numbered(window);
    if (without.count() == 0) continue;
    if (matches_.is_set_) {
      without.subtract_from(matches_.set_.words.data());
      continue;
    }
    std::uint16_t* const begin = matches_.documents_.data();
    std::uint16_t* const end = begin + matches_.count_;
    matches_.count_ = static_cast<std::uint32_t>(
        std::remove_if(begin, end, [&](std::uint16_t document) { return without.contains(document); }) - begin);
  }
}

void Matcher::exclude_deleted(std::span<const std::uint64_t> deleted, std::uint32_t window) {
  const std::size_t first = std::size_t{window} * kWindowWords;
  if (deleted.size() <= first) return;
  const auto words = deleted.subspan(first, std::min<std::size_t>(kWindowWords, deleted.size() - first));
  if (matches_.is_set_) {
    for (std::size_t i = 0; i < words.size(); ++i) matches_.set_.words[i] &= ~words[i];
    return;
  }
  std::uint16_t* const begin = matches_.documents_.data();
  std::uint16_t* const end = begin + matches_.count_;
  const auto is_deleted = [&](std::uint16_t document) {
    return document / 64U < words.size() && (words[document / 64] >> (document % 64) & 1) != 0;
  };
  matches_.count_ = static_cast<std::uint32_t>(std::remove_if(begin, end, is_deleted) - begin);
}

void Matcher::exclude_outside(const Matching& matching, std::uint32_t window) {
  const std::uint64_t before = std::uint64_t{window} * kWindowDocuments;
  const auto in_window = [before](std::uint32_t document) {
    return document <= before ? 0 : std::min<std::uint64_t>(document - before, kWindowDocuments);
  };
  const std::uint64_t begin = in_window(matching.begin);
  const std::uint64_t end = in_window(matching.end);
  if (begin == 0 && end == kWindowDocuments) return;
  if (!matches_.is_set_) {
    std::uint16_t* const documents = matches_.documents_.data();
    const auto is_outside = [&](std::uint16_t document) { return document < begin || document >= end; };
    matches_.count_ =
        static_cast<std::uint32_t>(std::remove_if(documents, documents + matches_.count_, is_outside) - documents);
    return;
  }
  // Returns the mask of the bits of word `word` that precede bit `document` of the window.
  const auto bits_before = [](std::uint64_t document, std::size_t word) -> std::uint64_t {
    if (document <= word * 64) return 0;
    return document - word * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (document - word * 64)) - 1;
  };
  auto& words = matches_.set_.words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= bits_before(end, i) & ~bits_before(begin, i);
}

/// Sets `windows_` to those with documents, since many words have no document in the window.
void Matcher::open(const Disjunction& lists, std::uint32_t window) {
  windows_.clear();
  for (const PostingList& list : lists)
    if (const Window here = list.window_numbered(window); here.count() > 0) windows_.push_back(here);
}

/// Adds documents to the listed matches. Copies the longer list in runs, since the other one often is far shorter.
void Matcher::merge(std::span<const std::uint16_t> documents) {
  std::vector<std::uint16_t>& matches = matches_.documents_;
  std::span<const std::uint16_t> shorter = documents, longer = matches;
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  merged_.clear();
  for (const std::uint16_t document : shorter) {
    const auto run = longer.first(count_below(longer, document));
    merged_.insert(merged_.end(), run.begin(), run.end());
    merged_.push_back(document);
    longer = longer.subspan(run.size());
    if (!longer.empty() && longer.front() == document) longer = longer.subspan(1);
  }
  merged_.insert(merged_.end(), longer.begin(), longer.end());
  matches.swap(merged_);
  matches_.count_ = static_cast<std::uint32_t>(matches.size());
}

void Matcher::unite(WindowSet& set) const {
  set.clear();
  for (const Window& each : windows_) each.unite_into(set.words.data());
}

void Matcher::update_count() {
  if (matches_.is_set_) matches_.count_ = kernels().count(matches_.set_.words.data());
}

MemoryPostingList PhraseFinder::find(std::span<const Disjunction> words, std::uint32_t windows) {
  found_.clear();
  Matching all;
  all.required.assign(words.begin(), words.end());
  for (std::uint32_t window = 0; window < windows; ++window) {
    const WindowMatches& matches = matcher_.match(all, window);
    if (matches.count() == 0) continue;
    std::span<const std::uint16_t> documents = matches.documents();
    if (matches.is_set()) {
      listed_.resize(kWindowDocuments);
      documents = {listed_.data(), kernels().list(matches.set().words.data(), kWindowWords, 0, listed_.data())};
    }
    open(words, window);
    for (Word& word : words_)
      if (word.lists.size() >= kManyLists) gather_occurrences(word, documents);
    for (const std::uint16_t document : documents)
      if (contains_phrase(document)) found_.add(window * kWindowDocuments + document, 1);
  }
  return MemoryPostingList(found_);
}

void PhraseFinder::open(std::span<const Disjunction> words, std::uint32_t window) {
  words_.resize(words.size());
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words_[i].offset = i;
    words_[i].documents = 0;
    words_[i].lists.clear();
    words_[i].occurrences.clear();
    words_[i].next_occurrence = 0;
    for (const PostingList& list : words[i]) {
      const Window here = list.window_numbered(window);
      if (here.count() > 0) words_[i].lists.emplace_back(here);
      words_[i].documents += here.count();
    }
  }
  has_one_list_each_ =
      std::all_of(words_.begin(), words_.end(), [](const Word& word) { return word.lists.size() == 1; });
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.documents < b.documents; });
}

void PhraseFinder::gather_occurrences(Word& word, std::span<const std::uint16_t> documents) {
  candidates_.clear();
  for (const std::uint16_t document : documents) candidates_.insert(document);
  for (std::uint32_t i = 0; i < word.lists.size(); ++i)
    for (WindowCursor list = word.lists[i]; list.document() != WindowCursor::kEnd; list.next())
      if (const auto document = static_cast<std::uint16_t>(list.document()); candidates_.contains(document))
        word.occurrences.push_back({document, i});
  std::sort(word.occurrences.begin(), word.occurrences.end());
}

/// Returns whether the phrase occurs in `document`. Must be called with ascending documents.
bool PhraseFinder::contains_phrase(std::uint16_t document) {
  if (has_one_list_each_) return contains_words_of_one_list(document);
  read_positions(words_[0], document);
  starts_.clear();
  for (const std::uint32_t position : positions_)
    if (position >= words_[0].offset) starts_.push_back(position - words_[0].offset);
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (starts_.empty()) return false;
    filter_starts_by_word(words_[i], document);
  }
  return !starts_.empty();
}

/// Moves all words forward to the first start that they share.
bool PhraseFinder::contains_words_of_one_list(std::uint16_t document) {
  for (Word& word : words_) {
    word.reader = find_positions(word.lists.front(), document);
    if (!word.reader.next(word.position)) return false;
  }
  std::uint32_t start = 0;
  std::size_t agreed = 0;
  for (std::size_t i = 0; agreed < words_.size(); i = i + 1 < words_.size() ? i + 1 : 0) {
    Word& word = words_[i];
    while (word.position < start + word.offset)
      if (!word.reader.next(word.position)) return false;
    agreed = word.position == start + word.offset ? agreed + 1 : 1;
    start = word.position - word.offset;
  }
  return true;
}

void PhraseFinder::filter_starts_by_word(Word& word, std::uint16_t document) {
  if (word.lists.size() == 1) {
    // Reads the positions of a frequent word only up to the last candidate.
    PositionReader reader = find_positions(word.lists.front(), document);
    filter_starts(word.offset, [&reader](std::uint32_t& position) { return reader.next(position); });
    return;
  }
  read_positions(word, document);
  filter_starts(word.offset, [next = positions_.begin(), this](std::uint32_t& position) mutable {
    if (next == positions_.end()) return false;
    position = *next++;
    return true;
  });
}

/// Keeps the phrase starts for which `next`, which returns ascending positions, returns start + offset.
template <class Next> void PhraseFinder::filter_starts(std::uint32_t offset, Next next) {
  std::size_t count = 0;
  std::uint32_t position = 0;
  bool has_position = next(position);
  for (const std::uint32_t start : starts_) {
    while (has_position && position < start + offset) has_position = next(position);
    if (!has_position) break;
    if (position == start + offset) starts_[count++] = start;
  }
  starts_.resize(count);
}

void PhraseFinder::read_positions(Word& word, std::uint16_t document) {
  positions_.clear();
  if (word.lists.size() < kManyLists) {
    for (WindowCursor& list : word.lists) append_list_positions(list, document);
  } else {
    const auto is_before = [&] {
      return word.next_occurrence < word.occurrences.size() &&
             word.occurrences[word.next_occurrence].document < document;
    };
    while (is_before()) ++word.next_occurrence;
    for (std::size_t i = word.next_occurrence; i < word.occurrences.size() && word.occurrences[i].document == document;
         ++i)
      append_list_positions(word.lists[word.occurrences[i].list], document);
  }
  if (word.lists.size() > 1) std::sort(positions_.begin(), positions_.end());
}

void PhraseFinder::append_list_positions(WindowCursor& list, std::uint16_t document) {
  PositionReader reader = find_positions(list, document);
  for (std::uint32_t position = 0; reader.next(position);) positions_.push_back(position);
}

/// Returns an empty reader if the document is not in the list.
PositionReader PhraseFinder::find_positions(WindowCursor& list, std::uint16_t document) {
  if (list.document() < document) list.next_at_or_after(document);
  return list.document() == document ? list.positions() : PositionReader();
}

}  // namespace kbase::native_index
