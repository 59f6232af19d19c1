// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

class ItemStoreSmokeTest final : public SmokeTest {
 public:
  ItemStoreSmokeTest(const kb_item_store_v1& table, kb_item_store* store) : table_(table), store_(store) {}

  void write(Caller& caller, int tag) override {
    kb_item_writer* const writer = begin(caller);
    if (writer == nullptr) return;
    bool is_whole = put_category(caller, writer, tag);
    is_whole = is_whole && put(caller, writer, tag, "");
    is_whole = is_whole && put(caller, writer, tag, " second");
    if (!is_whole || !commit(caller, writer)) abort(caller, writer);
  }

  void read(Caller& caller, int tag) override {
    {
      Turn turn(caller, "get");
      auto sink = turn.sink<const kb_item*>([&](const kb_item* item) { judge(caller, *item, tag); });
      const kb_status status = table_.get(store_, turn.call(), turn.lend().text(word_of(tag)), sink.entry, sink.data());
      turn.expect_ok(status, "get has the item that was put");
    }
    Turn turn(caller, "recent");
    const kb_view* category = turn.lend().array<kb_view>({turn.lend().text(category_of(tag))});
    auto sink = turn.sink<const kb_item*>();
    const kb_status status = table_.recent(store_, turn.call(), category, 0, 10, sink.entry, sink.data());
    if (!turn.expect_ok(status, "recent succeeds")) return;
    caller.expect(sink.rows() == 2, "a category has its own items", std::to_string(sink.rows()) + " in place of 2");
  }

  bool stop(Caller& caller) override {
    stop_items(caller, "summaries", [this](Turn& turn, auto& sink) {
      Loans& lend = turn.lend();
      const kb_view* ids = lend.array<kb_view>({lend.text(word_of(0)), lend.text(word_of(1))});
      return table_.summaries(store_, turn.call(), ids, 2, sink.entry, sink.data());
    });
    stop_items(caller, "recent", [this](Turn& turn, auto& sink) {
      return table_.recent(store_, turn.call(), nullptr, 0, 10, sink.entry, sink.data());
    });
    {
      Turn turn(caller, "categories");
      auto sink = turn.stopping_sink<const kb_category*>();
      expect_stopped(caller, turn, sink, table_.categories(store_, turn.call(), 0, 10, sink.entry, sink.data()));
    }
    Turn turn(caller, "changes");
    auto sink = turn.stopping_sink<const kb_change*>();
    auto* up_to = turn.lend().array<std::uint64_t>({0});
    expect_stopped(caller, turn, sink, table_.changes(store_, turn.call(), 0, sink.entry, sink.data(), up_to));
    return true;
  }

  void contend(Caller& patient, Caller& impatient) override {
    if ((table_.capabilities & KB_ITEM_STORE_CAN_WAIT) != 0 && table_.wait != nullptr) {
      Turn turn(impatient, "wait");
      table_.wait(store_, turn.call(), UINT64_MAX);
    }
    kb_item_writer* const held = begin(patient);
    if (held == nullptr) return;
    if (kb_item_writer* const second = begin(impatient)) abort(impatient, second);
    abort(patient, held);
  }

 private:
  static std::string category_of(int tag) { return "category " + word_of(tag); }
  static std::string content_of(int tag) {
    std::string content;
    while (content.size() < 5000) content += word_of(tag) + ' ';
    return content;
  }

  kb_item_writer* begin(Caller& caller) {
    Turn turn(caller, "begin");
    kb_item_writer** writer = turn.lend().array<kb_item_writer*>({nullptr});
    const kb_status status = table_.begin(store_, turn.call(), writer);
    return turn.expect_ok(status, "begin succeeds while there is no other batch") ? *writer : nullptr;
  }

  bool put_category(Caller& caller, kb_item_writer* writer, int tag) {
    Turn turn(caller, "put_category");
    Loans& lend = turn.lend();
    kb_category category{};
    category.id = lend.text(category_of(tag));
    category.name = lend.text("Name of " + word_of(tag));
    category.description = lend.text("");
    category.icon = lend.text("*");
    return turn.expect_ok(table_.put_category(writer, turn.call(), lend.object(category)), "put_category succeeds");
  }

  bool put(Caller& caller, kb_item_writer* writer, int tag, const std::string& suffix) {
    Turn turn(caller, "put");
    Loans& lend = turn.lend();
    kb_item item{};
    item.id = lend.text(word_of(tag) + suffix);
    item.title = lend.text("Title of " + word_of(tag));
    item.category = lend.text(category_of(tag));
    item.lead = lend.text("Lead of " + word_of(tag));
    item.tags = lend.array<kb_view>({lend.text("first tag"), lend.text(word_of(tag))});
    item.tag_count = 2;
    item.author = lend.text("");
    item.created_day = item.updated_day = 20'000 + tag;
    item.content = lend.text(content_of(tag));
    item.related = lend.array<kb_view>({lend.text("elsewhere")});
    item.related_count = 1;
    const kb_item* const* items = lend.array<const kb_item*>({lend.object(item)});
    return turn.expect_ok(table_.put(writer, turn.call(), items, 1), "put succeeds");
  }

  bool commit(Caller& caller, kb_item_writer* writer) {
    Turn turn(caller, "commit");
    auto* revision = turn.lend().array<std::uint64_t>({0});
    return turn.expect_ok(table_.commit(writer, turn.call(), revision), "commit succeeds");
  }

  void abort(Caller& caller, kb_item_writer* writer) {
    Turn turn(caller, "abort");
    table_.abort(writer, turn.call());
  }

  static void judge(Caller& caller, const kb_item& item, int tag) {
    const bool is_same = text_of(item.id) == word_of(tag) && text_of(item.title) == "Title of " + word_of(tag) &&
                         text_of(item.category) == category_of(tag) && text_of(item.content) == content_of(tag) &&
                         item.tag_count == 2 && text_of(item.tags[1]) == word_of(tag) && item.related_count == 1 &&
                         item.created_day == 20'000 + tag;
    caller.expect(is_same, "an item is lent as it was put",
                  "id " + std::string(text_of(item.id)) + ", title " + std::string(text_of(item.title)) +
                      " and content of " + std::to_string(item.content.size) + " bytes");
  }

  template <class Ask>
  static void stop_items(Caller& caller, std::string_view function, Ask ask) {
    Turn turn(caller, function);
    auto sink = turn.stopping_sink<const kb_item*>();
    expect_stopped(caller, turn, sink, ask(turn, sink));
  }

  const kb_item_store_v1& table_;
  kb_item_store* store_;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_item_store_v1& table, kb_item_store* store) {
  return std::make_unique<ItemStoreSmokeTest>(table, store);
}

}  // namespace kbase::plugin_check
