// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/shrinking.hpp"

#include <algorithm>

namespace kbase::tests {
namespace {

constexpr std::size_t kMostAttempts = 5'000;
constexpr std::size_t kMostChanges = 20'000'000;  // limit for all attempts together

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t end = text.find(' ');
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text.append(i == 0 ? "" : " ").append(words[i]);
  return text;
}

class Shrinking {
 public:
  Shrinking(History history, FunctionRef<bool(const History&)> fails) : history_(std::move(history)), fails_(fails) {}

  History run() {
    do {
      progress_ = false;
      remove_elements([](History& history) -> History& { return history; });
      for (std::size_t step = 0; step < history_.size(); ++step) {
        if (std::holds_alternative<Batch>(history_[step])) shrink_batch(step);
        if (std::holds_alternative<CountedViews>(history_[step]))
          remove_elements([step](History & history) -> auto& { return std::get<CountedViews>(history[step]).totals; });
        if (std::holds_alternative<SampleSearch>(history_[step])) shrink_search(step);
      }
    } while (progress_ && !is_limit_reached());
    return std::move(history_);
  }

 private:
  void shrink_batch(std::size_t step) {
    remove_elements([step](History & history) -> auto& { return std::get<Batch>(history[step]).changes; });
    simplify(
        [step](History & history) -> auto& { return std::get<Batch>(history[step]).together; }, std::size_t{1});
    simplify(
        [step](History & history) -> auto& { return std::get<Batch>(history[step]).committed; }, true);
    for (std::size_t i = 0; i < std::get<Batch>(history_[step]).changes.size(); ++i) {
      const auto item = [step, i](History& history) -> SampleItem& {
        return std::get<Batch>(history[step]).changes[i].item;
      };
      remove_words([item](History & history) -> auto& { return item(history).title; });
      remove_words([item](History & history) -> auto& { return item(history).content; });
      remove_elements([item](History & history) -> auto& { return item(history).tags; });
      for (std::size_t tag = 0; tag < item(history_).tags.size(); ++tag)
        remove_words([ item, tag ](History & history) -> auto& { return item(history).tags[tag]; });
      simplify(
          [item](History & history) -> auto& { return item(history).updated; }, 20'000);
      simplify(
          [item](History & history) -> auto& { return item(history).views; }, std::uint64_t{0});
      simplify(
          [item](History & history) -> auto& { return item(history).category; }, std::string("red"));
    }
  }

  void shrink_search(std::size_t step) {
    const auto search = [step](History& history) -> SampleSearch& { return std::get<SampleSearch>(history[step]); };
    const SampleSearch simple;
    simplify(
        [search](History & history) -> auto& { return search(history).category; }, simple.category);
    simplify(
        [search](History & history) -> auto& { return search(history).tag; }, simple.tag);
    simplify(
        [search](History & history) -> auto& { return search(history).updated_from; }, simple.updated_from);
    simplify(
        [search](History & history) -> auto& { return search(history).updated_to; }, simple.updated_to);
    simplify(
        [search](History & history) -> auto& { return search(history).sort; }, simple.sort);
    simplify(
        [search](History & history) -> auto& { return search(history).offset; }, simple.offset);
    simplify(
        [search](History & history) -> auto& { return search(history).limit; }, simple.limit);
    simplify(
        [search](History & history) -> auto& { return search(history).fallback_below; }, simple.fallback_below);
    remove_elements([search](History & history) -> auto& { return search(history).synonyms; });
    if (!search(history_).q.empty()) remove_words([search](History & history) -> auto& { return search(history).q; });
  }

  bool is_limit_reached() const { return attempts_ >= kMostAttempts || changes_ >= kMostChanges; }

  bool accept(History candidate) {
    if (is_limit_reached()) return false;
    ++attempts_;
    changes_ += changes_in(candidate);
    if (!fails_(candidate)) return false;
    history_ = std::move(candidate);
    progress_ = true;
    return true;
  }

  template <class Part, class Value> void simplify(Part part, const Value& value) {
    if (part(history_) == value) return;
    History candidate = history_;
    part(candidate) = value;
    accept(std::move(candidate));
  }

  /// Removes as many elements of a list as possible: halves, then quarters, down to single elements. Starts at the end,
  /// because everything after a failure can be removed at once.
  template <class List> void remove_elements(List list) {
    for (std::size_t size = list(history_).size(); size > 0; size /= 2)
      for (std::size_t end = list(history_).size(); end > 0; end -= std::min(end, size)) {
        History candidate = history_;
        auto& elements = list(candidate);
        const auto at = [&](std::size_t i) { return elements.begin() + static_cast<std::ptrdiff_t>(i); };
        elements.erase(at(end - std::min(end, size)), at(end));
        accept(std::move(candidate));
      }
  }

  /// Removes as many words of a text as possible.
  template <class Text> void remove_words(Text text) {
    std::vector<std::string> words = words_of(text(history_));
    for (std::size_t size = words.size(); size > 0; size /= 2)
      for (std::size_t end = words.size(); end > 0; end -= std::min(end, size)) {
        std::vector<std::string> fewer = words;
        const auto at = [&](std::size_t i) { return fewer.begin() + static_cast<std::ptrdiff_t>(i); };
        fewer.erase(at(end - std::min(end, size)), at(end));
        History candidate = history_;
        if (text(candidate).empty()) return;
        text(candidate) = joined(fewer);
        if (accept(std::move(candidate))) words = std::move(fewer);
      }
  }

  History history_;
  FunctionRef<bool(const History&)> fails_;
  std::size_t attempts_ = 0;
  std::size_t changes_ = 0;
  bool progress_ = false;
};

}  // namespace

History shrunk(History history, FunctionRef<bool(const History&)> fails) {
  return Shrinking(std::move(history), fails).run();
}

}  // namespace kbase::tests
