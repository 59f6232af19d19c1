// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/matching.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

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

/// Minimum lists of a word for gather_occurrences(). A prefix may expand to thousands of words, each in few documents.
constexpr std::size_t kManyLists = 8;

}  // namespace

const WindowMatches& Matcher::match(const Matching& matching, std::uint32_t window) {
  matches_.is_set_ = false;
  matches_.documents_ = {};
  matches_.count_ = 0;
  is_counted_ = true;
  windows_.clear();
  operands_.clear();
  for (const Disjunction& each : matching.required) open(each, window);
  if (!matching.any.empty()) open(matching.any, window);
  if (std::any_of(operands_.begin(), operands_.end(), [](const Operand& each) { return each.documents == 0; }))
    return matches_;
  std::sort(operands_.begin(), operands_.end(),
            [](const Operand& a, const Operand& b) { return a.documents < b.documents; });
  if (operands_.empty())
    start_with_all(matching.documents, window);
  else
    start_with(operands_.front());
  for (std::size_t i = 1; i < operands_.size(); ++i) intersect(operands_[i]);
  exclude(matching.excluded, window);
  exclude_deleted(matching.deleted, window);
  exclude_outside(matching, window);
  if (!matches_.is_set_)
    matches_.count_ = static_cast<std::uint32_t>(matches_.documents_.size());
  else if (!is_counted_)
    matches_.count_ = kernels().count(matches_.set_.words.data());
  return matches_;
}

/// Adds an operand. Many words have no document in the window.
void Matcher::open(const Disjunction& lists, std::uint32_t window) {
  Operand operand{windows_.size(), 0, 0};
  for (const PostingList& list : lists) {
    const Window here = list.window_numbered(window);
    if (here.count() == 0) continue;
    windows_.push_back(here);
    operand.documents += here.count();
  }
  operand.end = windows_.size();
  operands_.push_back(operand);
}

void Matcher::start_with(const Operand& first) {
  const std::span<const Window> lists = windows(first);
  const bool is_one = lists.size() == 1;
  matches_.is_set_ = is_one ? lists[0].is_bitmap() : lists.size() > kFewLists || first.documents > kFewDocuments;
  if (matches_.is_set_) {
    unite(lists, matches_.set_);
    matches_.count_ = first.documents;
    is_counted_ = is_one;
    return;
  }
  matches_.documents_ = lists[0].array();
  for (const Window& each : lists.subspan(1)) merge(each.array());
}

void Matcher::start_with_all(std::uint32_t documents, std::uint32_t window) {
  const std::uint64_t before = std::uint64_t{window} * kWindowDocuments;
  const std::uint64_t here = documents <= before ? 0 : std::min<std::uint64_t>(documents - before, kWindowDocuments);
  matches_.is_set_ = true;
  matches_.set_.clear();
  matches_.count_ = static_cast<std::uint32_t>(here);
  auto& words = matches_.set_.words;
  std::fill_n(words.begin(), here / 64, ~std::uint64_t{0});
  if (here % 64 != 0) words[here / 64] = (std::uint64_t{1} << (here % 64)) - 1;
}

void Matcher::intersect(const Operand& operand) {
  const std::span<const Window> lists = windows(operand);
  if (matches_.is_set_) {
    is_counted_ = false;
    if (lists.size() == 1) return lists[0].intersect_into(matches_.set_.words.data());
    unite(lists, other_);
    kernels().intersect(matches_.set_.words.data(), other_.words.data());
    return;
  }
  const std::span<const std::uint16_t> documents = matches_.documents_;
  if (documents.empty()) return;
  if (lists.size() == 1) {
    Documents& out = next_buffer();
    out.resize(documents.size());
    matches_.documents_ = lists[0].intersect(documents, out.data());
  } else if (lists.size() <= kFewLists) {
    scratch_.resize(documents.size() * lists.size());
    std::array<std::span<const std::uint16_t>, kFewLists> parts;
    for (std::size_t i = 0; i < lists.size(); ++i)
      parts[i] = lists[i].intersect(documents, scratch_.data() + i * documents.size());
    matches_.documents_ = {};
    for (std::size_t i = 0; i < lists.size(); ++i) merge(parts[i]);
  } else {
    unite(lists, other_);
    Documents& out = next_buffer();
    out.resize(documents.size());
    matches_.documents_ = {out.data(),
                           kernels().filter(other_.words.data(), documents.data(), documents.size(), out.data())};
  }
}

void Matcher::exclude(const Disjunction& other, std::uint32_t window) {
  for (const PostingList& list : other) {
    const Window without = list.window_numbered(window);
    if (without.count() == 0) continue;
    if (matches_.is_set_) {
      without.subtract_from(matches_.set_.words.data());
      is_counted_ = false;
    } else {
      keep_documents([&](std::uint16_t document) { return !without.contains(document); });
    }
  }
}

void Matcher::exclude_deleted(std::span<const std::uint64_t> deleted, std::uint32_t window) {
  const std::size_t first = std::size_t{window} * kWindowWords;
  if (deleted.size() <= first) return;
  const auto words = deleted.subspan(first, std::min<std::size_t>(kWindowWords, deleted.size() - first));
  if (matches_.is_set_) {
    for (std::size_t i = 0; i < words.size(); ++i) matches_.set_.words[i] &= ~words[i];
    is_counted_ = false;
    return;
  }
  keep_documents([&](std::uint16_t document) { return !is_in(words, document); });
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
    keep_documents([&](std::uint16_t document) { return document >= begin && document < end; });
    return;
  }
  // Returns the mask of the bits of word `word` that precede bit `document` of the window.
  const auto bits_before = [](std::uint64_t document, std::size_t word) -> std::uint64_t {
    if (document <= word * 64) return 0;
    return document - word * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (document - word * 64)) - 1;
  };
  auto& words = matches_.set_.words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= bits_before(end, i) & ~bits_before(begin, i);
  is_counted_ = false;
}

template <class IsKept> void Matcher::keep_documents(IsKept is_kept) {
  const std::span<const std::uint16_t> documents = matches_.documents_;
  Documents& out = next_buffer();
  out.resize(documents.size());
  std::size_t count = 0;
  for (const std::uint16_t document : documents) {
    out[count] = document;
    count += is_kept(document) ? 1 : 0;
  }
  matches_.documents_ = {out.data(), count};
}

/// Adds documents to the listed ones. Copies the longer list in runs, since the other one often is far shorter.
void Matcher::merge(std::span<const std::uint16_t> documents) {
  if (documents.empty()) return;
  std::span<const std::uint16_t> shorter = documents, longer = matches_.documents_;
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  Documents& out = next_buffer();
  out.clear();
  for (const std::uint16_t document : shorter) {
    const auto run = longer.first(count_below(longer, document));
    out.insert(out.end(), run.begin(), run.end());
    out.push_back(document);
    longer = longer.subspan(run.size());
    if (!longer.empty() && longer.front() == document) longer = longer.subspan(1);
  }
  out.insert(out.end(), longer.begin(), longer.end());
  matches_.documents_ = out;
}

void Matcher::unite(std::span<const Window> windows, WindowSet& set) {
  if (windows.size() == 1 && windows[0].is_bitmap()) {
    std::copy_n(windows[0].words(), kWindowWords, set.words.begin());
    return;
  }
  set.clear();
  for (const Window& each : windows) each.unite_into(set.words.data());
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
      if (contains_phrase(document)) found_.add_common(window * kWindowDocuments + document);
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
  std::uint64_t start = 0;  // of the phrase
  std::size_t agreed = 0;   // the words before this one occur there
  std::size_t opened = 0;   // the words before this one are at the document
  while (agreed < words_.size()) {
    Word& word = words_[agreed];
    if (agreed == opened) {
      open_readers(word, document);
      ++opened;
    }
    const std::optional<std::uint32_t> position = find_position(word, start + word.offset);
    if (!position) return false;
    const bool is_at_start = *position == start + word.offset;
    start = *position - word.offset;
    // Every other word must occur at a new start, the rarest first.
    agreed = is_at_start ? agreed + 1 : agreed == 0 ? 1 : 0;
  }
  return true;
}

/// Returns the first position of the word that is at least `position`, which must not be less than in the last call.
std::optional<std::uint32_t> PhraseFinder::find_position(Word& word, std::uint64_t position) {
  std::optional<std::uint32_t> first;
  for (Reader& reader : word.readers) {
    while (!reader.is_at_end && reader.position < position) reader.is_at_end = !reader.positions.next(reader.position);
    if (!reader.is_at_end && (!first || reader.position < *first)) first = reader.position;
  }
  return first;
}

/// Opens the positions of the word in the document.
void PhraseFinder::open_readers(Word& word, std::uint16_t document) {
  word.readers.clear();
  if (word.lists.size() < kManyLists) {
    for (WindowCursor& list : word.lists) open_reader(word, list, document);
    return;
  }
  const auto is_before = [&] {
    return word.next_occurrence < word.occurrences.size() && word.occurrences[word.next_occurrence].document < document;
  };
  while (is_before()) ++word.next_occurrence;
  for (std::size_t i = word.next_occurrence; i < word.occurrences.size() && word.occurrences[i].document == document;
       ++i)
    open_reader(word, word.lists[word.occurrences[i].list], document);
}

/// Opens the positions of a list of the word if it has the document.
void PhraseFinder::open_reader(Word& word, WindowCursor& list, std::uint16_t document) {
  if (list.document() < document) list.next_at_or_after(document);
  if (list.document() != document) return;
  Reader& reader = word.readers.emplace_back();
  reader.positions = list.positions();
  reader.is_at_end = !reader.positions.next(reader.position);
}

}  // namespace kbase::native_index
