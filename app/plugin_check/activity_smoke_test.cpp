// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

constexpr std::int32_t kDay = 20'500;

std::uint64_t views_of(int tag) {
  return 100 - static_cast<std::uint64_t>(tag);
}

class ActivityStoreSmokeTest final : public SmokeTest {
 public:
  ActivityStoreSmokeTest(const kb_activity_store_v1& table, kb_activity_store* store) : table_(table), store_(store) {}

  void write(Caller& caller, int tag) override {
    {
      Turn turn(caller, "add");
      Loans& lend = turn.lend();
      const auto* journal = lend.array<std::uint8_t>(std::vector<std::uint8_t>(16, static_cast<std::uint8_t>(tag + 1)));
      const auto* counts = lend.array<kb_view_count>({{lend.text(word_of(tag)), views_of(tag), kDay, 0}});
      turn.expect_ok(table_.add(store_, turn.call(), journal, 1, counts, 1), "add succeeds");
    }
    Turn turn(caller, "set");
    Loans& lend = turn.lend();
    const auto* days = lend.array<kb_view_count>({{{nullptr, 0}, 7, kDay - 1, 0}});
    turn.expect_ok(table_.set(store_, turn.call(), lend.text("set " + word_of(tag)), days, 1), "set succeeds");
  }

  void read(Caller& caller, int tag) override {
    Turn turn(caller, "top");
    std::uint64_t views = 0;
    const std::string item = word_of(tag);
    auto sink = turn.sink<const kb_view_count*>([&](const kb_view_count* count) {
      if (text_of(count->item) == item) views += count->views;
    });
    const kb_status status = table_.top(store_, turn.call(), kDay, kDay, sink.entry, sink.data());
    if (!turn.expect_ok(status, "top succeeds")) return;
    caller.expect(views == views_of(tag), "an item has the views that were added",
                  item + " has " + std::to_string(views) + " in place of " + std::to_string(views_of(tag)));
  }

  bool stop(Caller& caller) override {
    stop_at(caller, "totals", [this](Turn& turn, auto& sink) {
      return table_.totals(store_, turn.call(), 0, sink.entry, sink.data(),
                           turn.lend().template array<std::uint64_t>({0}));
    });
    stop_at(caller, "top", [this](Turn& turn, auto& sink) {
      return table_.top(store_, turn.call(), 0, kDay, sink.entry, sink.data());
    });
    stop_at(caller, "daily", [this](Turn& turn, auto& sink) {
      return table_.daily(store_, turn.call(), 0, kDay, sink.entry, sink.data());
    });
    stop_at(caller, "days",
            [this](Turn& turn, auto& sink) { return table_.days(store_, turn.call(), sink.entry, sink.data()); });
    if (KB_HAS(&table_, snapshot) && table_.snapshot != nullptr)
      stop_at(caller, "snapshot", [this](Turn& turn, auto& sink) {
        const auto no_journal = [](void*, const kb_journal_mark*) -> std::int32_t { return 0; };
        return table_.snapshot(store_, turn.call(), no_journal, sink.entry, sink.data());
      });
    return true;
  }

 private:
  template <class Ask>
  static void stop_at(Caller& caller, std::string_view function, Ask ask) {
    Turn turn(caller, function);
    auto sink = turn.stopping_sink<const kb_view_count*>();
    expect_stopped(caller, turn, sink, ask(turn, sink));
  }

  const kb_activity_store_v1& table_;
  kb_activity_store* store_;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_activity_store_v1& table, kb_activity_store* store) {
  return std::make_unique<ActivityStoreSmokeTest>(table, store);
}

}  // namespace kbase::plugin_check
