// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

class SearchIndexSmokeTest final : public SmokeTest {
 public:
  SearchIndexSmokeTest(const kb_search_index_v1& table, kb_search_index* index) : table_(table), index_(index) {}

  /// The first batch builds the index; each further one updates it.
  void write(Caller& caller, int tag) override {
    kb_index_writer* const writer = begin(caller, revision_ == 0 ? KB_BUILD_REBUILD : KB_BUILD_UPDATE);
    if (writer == nullptr) return;
    if (!put(caller, writer, tag, "") || !put(caller, writer, tag, " second") || !commit(caller, writer))
      return abort(caller, writer);
    ++revision_;
  }

  void read(Caller& caller, int tag) override {
    Turn turn(caller, "search");
    Loans& lend = turn.lend();
    auto sink = turn.sink<const kb_hit*>([&](const kb_hit* hit) {
      caller.expect(text_of(hit->id).starts_with(word_of(tag)) && text_of(hit->title) == "Title of " + word_of(tag),
                    "a hit shows the item that has the word", "it shows " + std::string(text_of(hit->id)));
    });
    kb_search_answer* const answer = lend.object(kb_search_answer{});
    const kb_status status =
        table_.search(index_, turn.call(), request(lend, word_of(tag)), sink.entry, correction, sink.data(), answer);
    if (!turn.expect_ok(status, "search succeeds")) return;
    caller.expect(answer->total == 2 && sink.rows() == 2, "a search finds both items that have its word",
                  "total " + std::to_string(answer->total) + " with " + std::to_string(sink.rows()) + " hits");
  }

  bool stop(Caller& caller) override {
    Turn turn(caller, "search");
    Loans& lend = turn.lend();
    auto sink = turn.stopping_sink<const kb_hit*>();
    kb_search_answer* const answer = lend.object(kb_search_answer{});
    expect_stopped(
        caller, turn, sink,
        table_.search(index_, turn.call(), request(lend, word_of(0)), sink.entry, correction, sink.data(), answer));
    return true;
  }

  void contend(Caller& patient, Caller& impatient) override {
    kb_index_writer* const held = begin(patient, KB_BUILD_REBUILD);
    if (held == nullptr) return;
    if (kb_index_writer* const second = begin(impatient, KB_BUILD_REBUILD)) abort(impatient, second);
    abort(patient, held);
  }

 private:
  static constexpr std::array<std::uint8_t, 16> kLineage{'k', 'b', 'a', 's', 'e'};

  static void correction(void*, kb_view, kb_view) {}

  static const kb_search_request* request(Loans& lend, const std::string& word) {
    kb_query_node child{};
    child.kind = KB_QUERY_WORD;
    child.text = lend.text(word);
    kb_query_node root{};
    root.kind = KB_QUERY_ALL_OF;
    root.first_child = lend.object(child);
    kb_search_request request{};
    request.sort = KB_SORT_RELEVANCE;
    request.query = lend.object(root);
    request.limit = 10;
    request.fallback_below = KB_FALLBACK_NEVER;
    return lend.object(request);
  }

  kb_index_writer* begin(Caller& caller, std::int32_t build) {
    Turn turn(caller, "begin");
    Loans& lend = turn.lend();
    const auto* lineage = lend.array<std::uint8_t>({kLineage.begin(), kLineage.end()});
    kb_index_writer** writer = lend.array<kb_index_writer*>({nullptr});
    const kb_status status = table_.begin(index_, turn.call(), build, lineage, writer);
    return turn.expect_ok(status, "begin succeeds while there is no other batch") ? *writer : nullptr;
  }

  bool put(Caller& caller, kb_index_writer* writer, int tag, const std::string& suffix) {
    Turn turn(caller, "put");
    Loans& lend = turn.lend();
    kb_item item{};
    item.id = lend.text(word_of(tag) + suffix);
    item.title = lend.text("Title of " + word_of(tag));
    item.category = lend.text("category");
    item.lead = lend.text("");
    item.tags = lend.array<kb_view>({lend.text("tag")});
    item.tag_count = 1;
    item.author = lend.text("");
    item.created_day = item.updated_day = 20'000 + tag;
    item.content = lend.text("A text in which " + word_of(tag) + " stands.");
    const kb_item* const* items = lend.array<const kb_item*>({lend.object(item)});
    return turn.expect_ok(table_.put(writer, turn.call(), items, 1), "put succeeds");
  }

  bool commit(Caller& caller, kb_index_writer* writer) {
    Turn turn(caller, "commit");
    return turn.expect_ok(table_.commit(writer, turn.call(), revision_ + 1), "commit succeeds");
  }

  void abort(Caller& caller, kb_index_writer* writer) {
    Turn turn(caller, "abort");
    table_.abort(writer, turn.call());
  }

  const kb_search_index_v1& table_;
  kb_search_index* index_;
  std::uint64_t revision_ = 0;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_search_index_v1& table, kb_search_index* index) {
  return std::make_unique<SearchIndexSmokeTest>(table, index);
}

}  // namespace kbase::plugin_check
