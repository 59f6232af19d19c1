// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

ports::ActivityStore& of(kb_activity_store* store) noexcept {
  return port_of<ports::ActivityStore>(store);
}

/// Passes each kind of row that a port reports to the C sink.
class Counts : public Sink<kb_view_count_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::ItemViews& row) { return tell({view_of(row.item), row.views, 0, 0}); }
  model::Visit operator()(const ports::DayViews& row) { return tell({{}, row.views, number_of(row.day), 0}); }
  model::Visit operator()(const ports::ViewIncrement& row) {
    return tell({view_of(row.item), row.views, number_of(row.day), 0});
  }

 private:
  model::Visit tell(const kb_view_count& count) { return lend(&count); }
};

kb_status add(kb_activity_store* store, kb_call* call, const std::uint8_t journal[16], std::uint64_t sequence,
              const kb_view_count* counts, std::size_t count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    ports::JournalId id;
    std::copy_n(journal, id.size(), id.begin());
    std::vector<ports::ViewIncrement> increments;
    increments.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      increments.push_back({text_of(counts[i].item), day_of(counts[i].day), counts[i].views});
    return ended(call, of(store).add(inner, id, sequence, increments));
  });
}

kb_status set(kb_activity_store* store, kb_call* call, kb_view item, const kb_view_count* days,
              std::size_t day_count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    std::vector<ports::DayViews> counts;
    counts.reserve(day_count);
    for (std::size_t i = 0; i < day_count; ++i) counts.push_back({day_of(days[i].day), days[i].views});
    return ended(call, of(store).set(inner, text_of(item), counts));
  });
}

kb_status revision(kb_activity_store* store, kb_call* call, std::uint64_t* out) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).revision(inner), out); });
}

kb_status totals(kb_activity_store* store, kb_call* call, std::uint64_t after, kb_view_count_sink sink, void* data,
                 std::uint64_t* up_to) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Counts counts(sink, data);
    return ended(call, of(store).totals(inner, after, counts), up_to, counts);
  });
}

kb_status top(kb_activity_store* store, kb_call* call, std::int32_t first, std::int32_t last, kb_view_count_sink sink,
              void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Counts counts(sink, data);
    return ended(call, of(store).top(inner, day_of(first), day_of(last), counts), counts);
  });
}

kb_status daily(kb_activity_store* store, kb_call* call, std::int32_t first, std::int32_t last, kb_view_count_sink sink,
                void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Counts counts(sink, data);
    return ended(call, of(store).daily(inner, day_of(first), day_of(last), counts), counts);
  });
}

kb_status days(kb_activity_store* store, kb_call* call, kb_view_count_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Counts counts(sink, data);
    return ended(call, of(store).days(inner, counts), counts);
  });
}

class Journals : public Sink<kb_journal_mark_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::JournalMark& mark) {
    auto row = sized<kb_journal_mark>();
    row.sequence = mark.sequence;
    std::copy(mark.journal.begin(), mark.journal.end(), row.journal);
    return lend(&row);
  }
};

kb_status snapshot(kb_activity_store* store, kb_call* call, kb_journal_mark_sink journals, kb_view_count_sink counts,
                   void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Journals marks(journals, data);
    Counts rows(counts, data);
    const auto told = of(store).snapshot(inner, marks, rows);
    return marks.stopped() ? ended(call, told, marks) : ended(call, told, rows);
  });
}

}  // namespace

constinit const kb_activity_store_v1 InC<ports::ActivityStore>::kCalls = {
    .struct_size = sizeof(kb_activity_store_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health_by_revision<ports::ActivityStore>,
    .add = add,
    .set = set,
    .revision = revision,
    .totals = totals,
    .top = top,
    .daily = daily,
    .days = days,
    .snapshot = snapshot,
};

}  // namespace kbase::sdk
