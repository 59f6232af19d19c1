// SPDX-License-Identifier: Apache-2.0
// Cost of a call through the plugin boundary, compared with the C++ virtual call that it replaces. The same port with
// prepared results is called directly, and through proxy, table and guarded entry.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>

#include "adapters/system/stderr_log.hpp"
#include "adapters/system/system_crypto.hpp"
#include "app/plugin_host/host_table.hpp"
#include "plugins/sdk/plugin.hpp"

namespace kbase::bench {
namespace {

constexpr std::string_view kText = "A page of content that is never copied, only passed by view.";
constexpr std::string_view kTags[] = {"red", "green", "blue"};
constexpr std::string_view kRelated[] = {"next", "before"};

model::ItemView made_item() {
  model::ItemView item;
  item.id = "an-item";
  item.title = item.excerpt = item.content = kText;
  item.category = "shelf";
  item.tags = kTags;
  item.related = kRelated;
  item.metadata.author = "somebody";
  return item;
}

ports::SearchHit made_hit() {
  ports::SearchHit hit;
  hit.id = "an-item";
  hit.title = hit.excerpt = kText;
  hit.category = "shelf";
  hit.relevance = 0.5;
  return hit;
}

class StillItems final : public ports::ItemStore {
 public:
  Capabilities capabilities() const override { return {}; }
  model::StoreId store_id() const override { return {}; }
  Result<model::Revision> revision(ports::Call&) override { return model::Revision{7}; }
  Status get(ports::Call&, std::string_view, ports::ItemVisitor visitor) override {
    visitor(item_);
    return {};
  }
  Status summaries(ports::Call&, std::span<const std::string_view>, ports::SummaryVisitor) override { return {}; }
  Status recent(ports::Call&, std::optional<std::string_view>, ports::Slice slice,
                ports::SummaryVisitor visitor) override {
    for (std::uint64_t i = 0; i < slice.limit; ++i) visitor(item_);
    return {};
  }
  Status category(ports::Call&, std::string_view, ports::CategoryVisitor) override { return {}; }
  Status categories(ports::Call&, ports::Slice, ports::CategoryVisitor) override { return {}; }
  Result<ports::StoreTotals> totals(ports::Call&, model::Day) override { return ports::StoreTotals(); }
  Status category_views(ports::Call&, Visitor<ports::CategoryViews>) override { return {}; }
  Result<model::Revision> changes(ports::Call&, model::Revision, ports::ChangeVisitor) override {
    return model::Revision{7};
  }
  Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call&) override { return Error{ErrorCode::Unsupported}; }
  Status health(ports::Call&) override { return {}; }

 private:
  const model::ItemView item_ = made_item();
};

class StillIndex final : public ports::SearchIndex {
 public:
  Capabilities capabilities() const override { return {}; }
  std::string_view fingerprint() const override { return "still"; }
  Result<ports::SearchResult> search(ports::Call&, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override {
    for (std::uint64_t i = 0; i < request.limit; ++i) visitor(hit_);
    ports::SearchResult answer;
    answer.total = request.limit;
    return answer;
  }
  Result<ports::IndexState> state(ports::Call&) override { return ports::IndexState(); }
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call&, Build, const model::StoreId&) override {
    return Error{ErrorCode::Unsupported};
  }
  Status set_views(ports::Call&, std::span<const ports::ItemViews>, model::ViewsRevision) override { return {}; }
  Status verify(ports::Call&) override { return {}; }
  Status health(ports::Call&) override { return {}; }

 private:
  const ports::SearchHit hit_ = made_hit();
};

sdk::Opened<ports::ItemStore> open_items(sdk::Setup&) {
  return std::shared_ptr<ports::ItemStore>(std::make_shared<StillItems>());
}
sdk::Opened<ports::SearchIndex> open_index(sdk::Setup&) {
  return std::shared_ptr<ports::SearchIndex>(std::make_shared<StillIndex>());
}
const auto kItems = sdk::table<ports::ItemStore, open_items>({});
const auto kIndex = sdk::table<ports::SearchIndex, open_index>({});

/// Both ports, called directly and through the boundary.
struct Ports {
  system::SystemClock clock;
  system::StderrLog log{clock, ports::LogLevel::Info, system::StderrLog::Format::Text};
  plugin_host::HostTable host{"org.kbase.bench", "bench", {clock, log, nullptr}};
  std::unique_ptr<ports::ItemStore> items_here = std::make_unique<StillItems>();
  std::unique_ptr<ports::ItemStore> items_there = plugin_host::open_port<ports::ItemStore>(kItems, host, "{}").value();
  std::unique_ptr<ports::SearchIndex> index_here = std::make_unique<StillIndex>();
  std::unique_ptr<ports::SearchIndex> index_there =
      plugin_host::open_port<ports::SearchIndex>(kIndex, host, "{}").value();
};

Ports& all() {
  static Ports ports;
  return ports;
}

void empty_call(benchmark::State& state, ports::ItemStore* store) {
  benchmark::DoNotOptimize(store);
  for (auto _ : state) {
    ports::Call call;
    benchmark::DoNotOptimize(store->revision(call));
  }
}

void item_read(benchmark::State& state, ports::ItemStore* store) {
  benchmark::DoNotOptimize(store);
  std::size_t bytes = 0;
  for (auto _ : state) {
    ports::Call call;
    const auto visitor = [&](const model::ItemView& item) {
      bytes += item.content.size() + item.tags.size();
      return Visit::Continue;
    };
    benchmark::DoNotOptimize(store->get(call, "an-item", visitor));
  }
  benchmark::DoNotOptimize(bytes);
}

void search(benchmark::State& state, ports::SearchIndex* index, const model::QueryNode* query) {
  benchmark::DoNotOptimize(index);
  std::size_t bytes = 0;
  for (auto _ : state) {
    ports::Call call;
    ports::SearchRequest request;
    request.query = query;
    request.limit = 20;
    const auto visitor = [&](const ports::SearchHit& hit) {
      bytes += hit.excerpt.size() + hit.title.size();
      return Visit::Continue;
    };
    benchmark::DoNotOptimize(index->search(call, request, visitor));
  }
  benchmark::DoNotOptimize(bytes);
}

const Result<model::QueryNode> kQuery = model::parse_query("a few \"plain words\" -here");

BENCHMARK_CAPTURE(empty_call, here, all().items_here.get());
BENCHMARK_CAPTURE(empty_call, through_the_boundary, all().items_there.get());
BENCHMARK_CAPTURE(item_read, here, all().items_here.get());
BENCHMARK_CAPTURE(item_read, through_the_boundary, all().items_there.get());
BENCHMARK_CAPTURE(search, twenty_hits_here, all().index_here.get(), nullptr);
BENCHMARK_CAPTURE(search, twenty_hits_through_the_boundary, all().index_there.get(), nullptr);
BENCHMARK_CAPTURE(search, query_and_twenty_hits_here, all().index_here.get(), &*kQuery);
BENCHMARK_CAPTURE(search, query_and_twenty_hits_through_the_boundary, all().index_there.get(), &*kQuery);

}  // namespace
}  // namespace kbase::bench

BENCHMARK_MAIN();
