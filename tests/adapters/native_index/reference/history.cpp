// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/history.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

#include "adapters/text/language.hpp"

namespace kbase::tests {
namespace {

using Build = ports::SearchIndex::Build;

/// Histories with this many items are short, because the reference is slow.
constexpr std::uint64_t kManyItems = 1'000;

/// Approximate number of items in an index. Rarely larger than the blocks, spans and windows into which an engine
/// divides its lists.
std::uint64_t random_size(Chance& chance) {
  if (chance.one_in(2'000)) return 150'000;
  if (chance.one_in(400)) return 6'000;
  if (chance.one_in(12)) return 300;
  return chance.one_of(std::array<std::uint64_t, 3>{3, 12, 40});
}

class HistoryMaker {
 public:
  explicit HistoryMaker(std::uint64_t seed) : chance_(seed), size_(random_size(chance_)), corpus_(chance_, size_) {}

  History make() {
    fill();
    for (std::uint64_t steps = chance_.between(1, size_ < kManyItems ? 12 : 2); steps > 0; --steps) {
      history_.push_back(step());
      for (std::uint64_t searches = chance_.between(2, 8); searches > 0; --searches)
        history_.emplace_back(corpus_.search());
    }
    return std::move(history_);
  }

 private:
  void fill() {
    history_.emplace_back(batch(Build::Rebuild, chance_.one_in(20) ? 0 : size_));
    for (std::uint64_t more = chance_.below(3); more > 0; --more)
      history_.emplace_back(batch(Build::Update, chance_.below(size_)));
  }

  Step step() {
    switch (chance_.below(10)) {
      case 0: return Reopening{};
      case 1: return Verification{};
      case 2: return Merging{};
      case 3: return counted_views();
      case 4: return batch(Build::Rebuild, chance_.below(size_ + 1));
      default: return batch(Build::Update, chance_.below(chance_.one_in(2) ? 4 : size_ / 2 + 1));
    }
  }

  Batch batch(Build build, std::uint64_t changes) {
    Batch batch;
    batch.build = build;
    batch.together = chance_.one_of(std::array<std::size_t, 3>{1, 3, 1'000});
    batch.committed = !chance_.one_in(6);
    const std::uint64_t removal_odds = build == Build::Rebuild ? 20 : chance_.between(1, 6);
    for (; changes > 0; --changes) {
      Batch::Change change;
      change.removed = chance_.one_in(removal_odds);
      if (change.removed)
        change.item.id = corpus_.id();
      else
        change.item = corpus_.item();
      batch.changes.push_back(std::move(change));
    }
    return batch;
  }

  CountedViews counted_views() {
    CountedViews views;
    for (std::uint64_t items = chance_.between(1, 4); items > 0; --items)
      views.totals.emplace_back(corpus_.id(), chance_.below(5));
    return views;
  }

  Chance chance_;
  std::uint64_t size_;
  RandomCorpus corpus_;
  History history_;
};

/// Returns `text` as a C++ string literal.
std::string literal(std::string_view text) {
  std::ostringstream out;
  out << '"' << std::hex << std::setfill('0');
  for (const char c : text) {
    if (c == '"' || c == '\\') out << '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out << "\\x" << std::setw(2) << static_cast<unsigned>(c);
    else
      out << c;
  }
  out << '"';
  return out.str();
}

std::string describe(const Batch::Change& change) {
  std::ostringstream out;
  const SampleItem& item = change.item;
  if (change.removed) {
    out << "  remove " << literal(item.id) << '\n';
    return out.str();
  }
  out << "  put " << literal(item.id) << " title " << literal(item.title) << " tags [";
  for (const std::string& tag : item.tags) out << (&tag == item.tags.data() ? "" : ", ") << literal(tag);
  out << "] content " << literal(item.content) << " category " << item.category << " updated " << item.updated
      << " views " << item.views << " language " << literal(item.language) << " version " << literal(item.version)
      << " (text in " << text::name_of(text::detect_language(item.title, item.content)) << ")\n";
  return out.str();
}

std::string describe(const Batch& batch) {
  std::ostringstream out;
  out << (batch.build == Build::Rebuild ? "rebuild" : "update") << ", " << batch.together << " to a call\n";
  for (const Batch::Change& change : batch.changes) out << describe(change);
  out << (batch.committed ? "commit\n" : "drop\n");
  return out.str();
}

std::string describe(const CountedViews& views) {
  std::string text = "counted views:";
  for (const auto& [id, count] : views.totals) text += ' ' + literal(id) + ' ' + std::to_string(count);
  return text + '\n';
}

std::string describe(const Reopening&) { return "reopen\n"; }

std::string describe(const Merging&) { return "merge\n"; }

std::string describe(const Verification&) { return "verify\n"; }

std::string describe(const SampleSearch& search) {
  std::ostringstream out;
  out << "search ";
  if (search.q.empty())
    out << "everything";
  else
    out << literal(search.q);
  for (const std::string& synonym : search.synonyms) out << ", synonym " << literal(synonym);
  out << " by " << std::array{"relevance", "date", "popularity"}[static_cast<std::size_t>(search.sort)];
  if (search.category) out << ", category " << *search.category;
  if (search.tag) out << ", tag " << literal(*search.tag);
  if (search.language) out << ", language " << *search.language;
  if (search.version) out << ", version " << *search.version;
  if (search.updated_from) out << ", from day " << *search.updated_from;
  if (search.updated_to) out << ", to day " << *search.updated_to;
  out << ", offset " << search.offset << ", limit " << search.limit;
  if (search.fallback_below == model::kAlwaysAnyWord)
    out << ", always any word\n";
  else
    out << ", any word below " << search.fallback_below << '\n';
  return out.str();
}

}  // namespace

History random_history(std::uint64_t seed) { return HistoryMaker(seed).make(); }

std::size_t changes_in(const History& history) {
  std::size_t changes = 0;
  for (const Step& step : history)
    if (const auto* batch = std::get_if<Batch>(&step)) changes += batch->changes.size();
  return changes;
}

std::size_t searches_in(const History& history) {
  return static_cast<std::size_t>(std::count_if(
      history.begin(), history.end(), [](const Step& step) { return std::holds_alternative<SampleSearch>(step); }));
}

std::string describe(const History& history) {
  std::string text;
  for (const Step& step : history) text += std::visit([](const auto& each) { return describe(each); }, step);
  return text;
}

}  // namespace kbase::tests
