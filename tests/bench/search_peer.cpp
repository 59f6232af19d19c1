// SPDX-License-Identifier: Apache-2.0
// The search engine as a separate program, for comparison with other engines: indexes a file of items and answers one
// query per line. A runner uses this protocol with every engine:
//   version | index ITEMS FOLDER | query FOLDER
// ITEMS has one item per line: title TAB tags TAB content. A request is OP TAB MODE TAB K TAB words, an answer is
// TOTAL TAB NANOSECONDS TAB HITS. Operations: count (the K best and the total), top (the K best), snip (excerpts of
// the K best). Modes: and, or, phrase, term, prefix and typo (a word that is in no item and is corrected). The folder
// peers/ has other engines that use the protocol. Extensions that only kbase has:
//   open FOLDER  prints the nanoseconds until the index can be searched
//   date, views  operations: the K newest or most viewed and the total
//   category     operation: count in one of the ten categories
//   rule         mode: the server's default: all words, else any word, with mistyped words corrected
// KBASE_PEER_LANGUAGE sets the index's language, KBASE_PEER_THREADS the number of indexing threads.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/native_search_index.hpp"
#include "adapters/native_index/search/search.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/bench/peers/line_peer.hpp"
#include "tests/bench/tool.hpp"

namespace {

using namespace kbase;
using bench::fail;
using bench::require;
using bench::split_fields;
using native_index::NativeSearchIndex;
using native_index::Search;

// Values derived from an item's number, for the kbase-only operations.
constexpr std::uint64_t kCategories = 10;
constexpr std::string_view kFilterCategory = "category-3";

std::string category_of(std::uint64_t number) { return "category-" + std::to_string(number % kCategories); }

/// Returns the tags of a text in which " ; " separates them.
std::vector<std::string_view> tags_of(std::string_view text) {
  constexpr std::string_view kSeparator = " ; ";
  std::vector<std::string_view> tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kSeparator), text.size());
    tags.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kSeparator.size(), text.size()));
  }
  return tags;
}

/// A pseudo-random order that differs from the numbers' order.
std::uint64_t views_of(std::uint64_t number) { return number * 2'654'435'761 % 1'000'003; }

class Peer {
 public:
  explicit Peer(const char* folder) {
    native_index::Options options;
    options.path = folder;
    options.merges = false;
    if (const char* language = std::getenv("KBASE_PEER_LANGUAGE")) options.language = language;
    if (const char* threads = std::getenv("KBASE_PEER_THREADS")) options.threads = std::stoul(threads);
    index_ = require(NativeSearchIndex::open(options, files_, clock_, nullptr));
  }

  void index(const char* items) {
    ports::Call call;
    auto writer = require(index_->begin(call, ports::SearchIndex::Build::Rebuild, {}));
    std::ifstream lines(items);
    std::string line;
    for (std::uint64_t number = 0; std::getline(lines, line); ++number) {
      const std::vector<std::string> texts = split_fields(line, 3);
      const std::string id = std::to_string(number);
      const std::string category = category_of(number);
      const std::vector<std::string_view> tags = tags_of(texts[1]);
      model::ItemView item;
      item.id = id;
      item.category = category;
      item.title = texts[0];
      item.tags = tags;
      item.content = texts[2];
      // The day decreases with the number, so the order by date is the item order of the other engines.
      item.metadata.updated = model::Day(std::chrono::days(1'000'000 - static_cast<int>(number)));
      item.metadata.views = views_of(number);
      const model::ItemView* const batch[] = {&item};
      require(writer->put(call, batch));
    }
    require(writer->commit(call, 1));
    writer.reset();
    require(index_->merge_all());
    std::uint64_t text = 0;
    for (const auto& live : index_->snapshot()->segments)
      text += live.segment->file().section(native_index::kStoreSection).size();
    std::cout << "text_bytes " << text << '\n';
  }

  /// Exits the program if nothing was indexed.
  std::shared_ptr<const native_index::Snapshot> snapshot() {
    auto snapshot = index_->snapshot();
    if (!snapshot) fail({ErrorCode::Unavailable, "No index was built with these settings."});
    return snapshot;
  }

  void answer() {
    for (std::string line; std::getline(std::cin, line);) answer(split_fields(line, 4));
  }

 private:
  void answer(const std::vector<std::string>& request) {
    const bool with_excerpts = request[0] == "snip";
    const auto snapshot = this->snapshot();
    const auto start = std::chrono::steady_clock::now();
    const bool use_defaults = request[1] == "rule";
    const model::QueryNode query = tree(request[1], request[3]);
    ports::SearchRequest search_request;
    search_request.query = &query;
    search_request.limit = std::stoul(request[2]);
    search_request.fallback_below = use_defaults ? model::kDefaultFallbackBelow : model::kAlwaysAllWords;
    if (request[0] == "date") search_request.sort = model::Sort::Date;
    if (request[0] == "views") search_request.sort = model::Sort::Popularity;
    if (request[0] == "category") search_request.filter.category = kFilterCategory;
    const ports::Call call;
    Search search(*snapshot, workspace_, search_request, call, clock_,
                  {.counts_total = request[0] != "top", .corrects_typos = use_defaults || request[1] == "typo"});
    const ports::SearchResult answer = require(search.find());
    const auto found = std::chrono::steady_clock::now();
    std::uint64_t excerpts = 0;
    if (with_excerpts)
      require(search.visit_page([&excerpts](const ports::SearchHit& hit) {
        excerpts += hit.excerpt.empty() ? 0 : 1;
        return Visit::Continue;
      }));
    const auto end = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds elapsed = with_excerpts ? end - found : found - start;
    std::cout << (with_excerpts ? excerpts : request[0] == "top" ? 0 : answer.total) << '\t' << elapsed.count() << '\t';
    native_index::IdBuffer id;
    const char* comma = "";
    for (const native_index::Hit& hit : search.page()) {
      std::cout << comma << snapshot->segments[hit.segment].segment->columns().ids().id(hit.document, id);
      comma = ",";
    }
    std::cout << std::endl;
  }

  static model::QueryNode tree(const std::string& mode, const std::string& words) {
    using Kind = model::QueryNode::Kind;
    model::QueryNode root;
    if (mode == "phrase" || mode == "prefix") {
      root.children.push_back({mode == "phrase" ? Kind::Phrase : Kind::Prefix, words, {}});
      return root;
    }
    std::vector<model::QueryNode> nodes;
    for (const std::string& word : bench::words_of(words)) nodes.push_back({Kind::Word, word, {}});
    if (mode == "or")
      root.children.push_back({Kind::AnyOf, {}, std::move(nodes)});
    else
      root.children = std::move(nodes);
    return root;
  }

  native_index::PosixFiles files_;
  system::SystemClock clock_;
  std::unique_ptr<NativeSearchIndex> index_;
  native_index::Workspace workspace_;
};

void print_opening(const char* folder) {
  const auto start = std::chrono::steady_clock::now();
  Peer peer(folder);
  peer.snapshot();
  std::cout << std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  const std::string command = count > 1 ? arguments[1] : "";
  if (command == "version")
    std::cout << "kbase " KBASE_VERSION ", native\n";
  else if (command == "index" && count == 4)
    Peer(arguments[3]).index(arguments[2]);
  else if (command == "query" && count == 3)
    Peer(arguments[2]).answer();
  else if (command == "open" && count == 3)
    print_opening(arguments[2]);
  else {
    std::cerr << "usage: search_peer version | index ITEMS FOLDER | query FOLDER | open FOLDER\n";
    return 2;
  }
  return 0;
}
