// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

constexpr std::int32_t kDay = 20'500;

class KeyStoreSmokeTest final : public SmokeTest {
 public:
  KeyStoreSmokeTest(const kb_key_store_v1& table, kb_key_store* store) : table_(table), store_(store) {}

  void write(Caller& caller, int tag) override {
    create(caller, tag);
    if (!keeps_usage()) return;
    Turn turn(caller, "add_usage");
    Loans& lend = turn.lend();
    const kb_key_usage row{0, kDay, lend.text(word_of(tag)), requests_of(tag)};
    const auto* usage = lend.array<const kb_key_usage*>({lend.object(row)});
    turn.expect_ok(table_.add_usage(store_, turn.call(), usage, 1), "add_usage succeeds");
  }

  void read(Caller& caller, int tag) override {
    find(caller, tag);
    if (keeps_usage()) read_usage(caller, tag);
    if (KB_HAS(&table_, last_used) && table_.last_used != nullptr) read_last_use(caller, tag);
    if (KB_HAS(&table_, forget_usage) && table_.forget_usage != nullptr) forget(caller);
  }

  bool stop(Caller& caller) override {
    {
      Turn turn(caller, "list");
      auto sink = turn.stopping_sink<const kb_key*>();
      expect_stopped(caller, turn, sink, table_.list(store_, turn.call(), sink.entry, sink.data()));
    }
    if (!keeps_usage()) return true;
    Turn turn(caller, "usage");
    auto sink = turn.stopping_sink<const kb_key_usage*>();
    expect_stopped(caller, turn, sink, table_.usage(store_, turn.call(), 0, kDay, sink.entry, sink.data()));
    return true;
  }

 private:
  static std::uint64_t requests_of(int tag) { return 100 + static_cast<std::uint64_t>(tag); }

  bool keeps_usage() const { return KB_HAS(&table_, usage) && table_.add_usage != nullptr && table_.usage != nullptr; }

  void create(Caller& caller, int tag) {
    Turn turn(caller, "create_key");
    Loans& lend = turn.lend();
    kb_key key{};
    key.scopes = KB_SCOPE_READ;
    key.id = lend.text(word_of(tag));
    key.name = lend.text("name of " + word_of(tag));
    key.plan = lend.text("public");
    std::memset(key.digest, tag + 1, sizeof key.digest);
    key.expires = KB_NEVER;
    key.created = 1'770'000'000'000;
    turn.expect_ok(table_.create_key(store_, turn.call(), lend.object(key)), "create_key succeeds");
  }

  void find(Caller& caller, int tag) {
    {
      Turn turn(caller, "find");
      const auto* digest =
          turn.lend().array<std::uint8_t>(std::vector<std::uint8_t>(32, static_cast<std::uint8_t>(tag + 1)));
      auto sink = key_sink(turn, caller, tag);
      const kb_status status = table_.find(store_, turn.call(), digest, sink.entry, sink.data());
      turn.expect_ok(status, "find has the key that was created");
    }
    Turn turn(caller, "get");
    auto sink = key_sink(turn, caller, tag);
    const kb_status status = table_.get(store_, turn.call(), turn.lend().text(word_of(tag)), sink.entry, sink.data());
    turn.expect_ok(status, "get has the key that was created");
  }

  void read_usage(Caller& caller, int tag) {
    Turn turn(caller, "usage");
    std::uint64_t requests = 0;
    const std::string id = word_of(tag);
    auto sink = turn.sink<const kb_key_usage*>([&](const kb_key_usage* usage) {
      if (text_of(usage->id) == id) requests += usage->requests;
    });
    if (!turn.expect_ok(table_.usage(store_, turn.call(), kDay, kDay, sink.entry, sink.data()), "usage succeeds"))
      return;
    caller.expect(requests == requests_of(tag), "a key has the requests that were added",
                  id + " has " + std::to_string(requests) + " in place of " + std::to_string(requests_of(tag)));
  }

  void read_last_use(Caller& caller, int tag) {
    Turn turn(caller, "last_used");
    std::int32_t day = 0;
    const kb_view id = turn.lend().text(word_of(tag));
    if (!turn.expect_ok(table_.last_used(store_, turn.call(), id, &day), "last_used finds a key that was used")) return;
    caller.expect(day == kDay, "the last use of a key is the last day with requests",
                  word_of(tag) + " was used on day " + std::to_string(day) + " in place of " + std::to_string(kDay));
  }

  /// Deletes only days without counts, so that other threads still find what they added.
  void forget(Caller& caller) {
    Turn turn(caller, "forget_usage");
    turn.expect_ok(table_.forget_usage(store_, turn.call(), kDay), "forget_usage succeeds");
  }

  static Sink<const kb_key*> key_sink(Turn& turn, Caller& caller, int tag) {
    return turn.sink<const kb_key*>([&caller, tag](const kb_key* key) {
      caller.expect(text_of(key->id) == word_of(tag) && text_of(key->name) == "name of " + word_of(tag) &&
                        text_of(key->plan) == "public" && key->digest[31] == tag + 1,
                    "a key is lent as it was created",
                    "id " + std::string(text_of(key->id)) + ", name " + std::string(text_of(key->name)));
    });
  }

  const kb_key_store_v1& table_;
  kb_key_store* store_;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_key_store_v1& table, kb_key_store* store) {
  return std::make_unique<KeyStoreSmokeTest>(table, store);
}

}  // namespace kbase::plugin_check
