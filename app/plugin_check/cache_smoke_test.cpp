// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

constexpr std::uint64_t kHour = 3'600'000;

class CacheSmokeTest final : public SmokeTest {
 public:
  CacheSmokeTest(const kb_cache_v1& table, kb_cache* cache) : table_(table), cache_(cache) {}

  void write(Caller& caller, int tag) override {
    put(caller, key_of(tag), value_of(tag));
    put(caller, "gone " + key_of(tag), "gone");
    {
      Turn turn(caller, "erase");
      turn.expect_ok(table_.erase(cache_, turn.call(), turn.lend().text("gone " + key_of(tag))), "erase succeeds");
    }
    Turn turn(caller, "get");
    auto sink = turn.sink<kb_view>();
    const kb_status status =
        table_.get(cache_, turn.call(), turn.lend().text("gone " + key_of(tag)), sink.entry, sink.data());
    caller.expect(status == KB_NOT_FOUND && sink.rows() == 0, "no value of an erased key is lent", turn.told(status));
  }

  void read(Caller& caller, int tag) override {
    Turn turn(caller, "get");
    const std::string wanted = value_of(tag);
    auto sink = turn.sink<kb_view>([&](kb_view value) {
      caller.expect(text_of(value) == wanted, "a value is lent as it was put", seen(text_of(value), wanted));
    });
    const kb_status status = table_.get(cache_, turn.call(), turn.lend().text(key_of(tag)), sink.entry, sink.data());
    caller.expect(status == KB_OK || status == KB_NOT_FOUND, "get finds the value or misses", turn.told(status));
    caller.expect(sink.rows() == (status == KB_OK ? 1 : 0), "a value is lent once, and none at a miss",
                  turn.told(status) + " and lent " + std::to_string(sink.rows()));
  }

  bool stop(Caller& caller) override {
    Turn turn(caller, "get");
    auto sink = turn.stopping_sink<kb_view>();
    const kb_status status = table_.get(cache_, turn.call(), turn.lend().text(key_of(0)), sink.entry, sink.data());
    caller.expect(status >= KB_OK, "a sink that says stop is no failure", turn.told(status));
    return true;
  }

 private:
  static std::string key_of(int tag) { return "key " + word_of(tag); }
  static std::string value_of(int tag) {
    std::string value;
    while (value.size() < 5000) value += word_of(tag) + ' ';
    return value;
  }
  static std::string seen(std::string_view value, std::string_view wanted) {
    if (value.size() != wanted.size())
      return std::to_string(value.size()) + " bytes in place of " + std::to_string(wanted.size());
    return "other bytes in place of the value's";
  }

  void put(Caller& caller, const std::string& key, const std::string& value) {
    Turn turn(caller, "put");
    Loans& lend = turn.lend();
    turn.expect_ok(table_.put(cache_, turn.call(), lend.text(key), lend.text(value), kHour), "put succeeds");
  }

  const kb_cache_v1& table_;
  kb_cache* cache_;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_cache_v1& table, kb_cache* cache) {
  return std::make_unique<CacheSmokeTest>(table, cache);
}

}  // namespace kbase::plugin_check
