// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/temporary_opensearch_index.hpp"

/// Searches the judged collections in OpenSearch and in the native index and compares the matches and their order.
namespace kbase::tests {
namespace {

using opensearch::Json;

constexpr std::size_t kQueries = 120;  // per collection
constexpr std::size_t kPage = 10;

struct Text {
  std::string id, title, text;
};

std::vector<Text> texts_in(const std::string& file) {
  std::vector<Text> texts;
  std::string line;
  const auto add = [&] {
    const Json value = Json::parse(line);
    texts.push_back({value.at("id"), value.value("title", ""), value.at("text")});
    line.clear();
  };
  gzFile stream = gzopen(file.c_str(), "rb");
  if (stream == nullptr) return texts;
  std::array<char, 65536> buffer;
  for (int got = gzread(stream, buffer.data(), buffer.size()); got > 0;
       got = gzread(stream, buffer.data(), buffer.size()))
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got)))
      if (c == '\n')
        add();
      else
        line += c;
  gzclose(stream);
  return texts;
}

/// Returns the relevance grades by query and item.
std::map<std::string, std::map<std::string, double>> read_judgements(const std::string& file) {
  std::map<std::string, std::map<std::string, double>> grades;
  std::ifstream lines(file);
  std::string query, item;
  double grade = 0;
  while (lines >> query >> item >> grade) grades[query][item] = grade;
  return grades;
}

struct Found {
  ports::SearchResult answer;
  std::vector<std::string> ids;
};

Found run_search(ports::SearchIndex& index, const std::string& q, model::Sort sort,
                 model::FallbackBelow fallback_below) {
  const auto query = model::parse_query(q);
  ports::SearchRequest request;
  request.query = &*query;
  request.sort = sort;
  request.limit = kPage;
  request.fallback_below = fallback_below;
  ports::Call call;
  Found found;
  const auto answer = index.search(call, request, [&](const ports::SearchHit& hit) {
    found.ids.emplace_back(hit.id);
    return Visit::Continue;
  });
  EXPECT_TRUE(succeeded(answer)) << q;
  if (answer) found.answer = *answer;
  return found;
}

/// nDCG of the first ten hits (Järvelin and Kekäläinen 2002).
double ndcg(const std::vector<std::string>& ids, const std::map<std::string, double>& grades) {
  std::vector<double> best;
  for (const auto& [id, grade] : grades) best.push_back(grade);
  std::sort(best.rbegin(), best.rend());
  double gain = 0;
  double ideal = 0;
  for (std::size_t i = 0; i < kPage; ++i) {
    const double discount = std::log2(static_cast<double>(i) + 2);
    const auto grade = i < ids.size() ? grades.find(ids[i]) : grades.end();
    if (grade != grades.end()) gain += grade->second / discount;
    if (i < best.size()) ideal += best[i] / discount;
  }
  return ideal > 0 ? gain / ideal : 0;
}

class OpenSearchAndNative : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const char* const missing = missing_opensearch()) GTEST_SKIP() << missing;
    const char* const data = std::getenv("KBASE_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "KBASE_TEST_DATA contains no collections";
    folder_ = std::string(data) + "/relevance/" + GetParam() + "/";
    fixture_ = std::make_unique<TemporaryOpenSearchIndex>();
    opensearch_ = fixture_->open(clock_);
    native_index::Options options;
    options.path = temporary_.path() / "native";
    options.corrects_typos = false;
    native_ = native_index::NativeSearchIndex::open(options, files_, clock_, nullptr).value();
    const std::vector<Text> corpus = texts_in(folder_ + "corpus.jsonl.gz");
    ASSERT_FALSE(corpus.empty());
    fill(*opensearch_, corpus);
    fill(*native_, corpus);
  }

  void fill(ports::SearchIndex& index, const std::vector<Text>& corpus) {
    const auto writer = index.begin(call_, ports::SearchIndex::Build::Rebuild, model::StoreId{1});
    ASSERT_TRUE(succeeded(writer));
    std::vector<model::ItemView> items;
    std::vector<const model::ItemView*> pointers;
    items.reserve(corpus.size());
    for (const Text& each : corpus) {
      model::ItemView& item = items.emplace_back();
      item.id = each.id;
      item.title = each.title;
      item.content = each.text;
      item.category = "all";
      item.metadata.updated = model::Day(std::chrono::days(20'000));
      item.metadata.views = each.text.size() % 7;
      pointers.push_back(&item);
    }
    ASSERT_TRUE(succeeded((*writer)->put(call_, pointers)));
    ASSERT_TRUE(succeeded((*writer)->commit(call_, 1)));
  }

  std::vector<Text> queries() const {
    std::vector<Text> all;
    std::ifstream lines(folder_ + "queries.jsonl");
    for (std::string line; all.size() < kQueries && std::getline(lines, line);) {
      const Json value = Json::parse(line);
      std::string text = value.at("text");
      std::replace(text.begin(), text.end(), '"', ' ');
      if (text.size() <= model::kMaxQueryCodePoints) all.push_back({value.at("id"), {}, std::move(text)});
    }
    return all;
  }

  conformance::ManualClock clock_;
  native_index::PosixFiles files_;
  TemporaryFolder temporary_;
  std::string folder_;
  std::unique_ptr<TemporaryOpenSearchIndex> fixture_;
  std::unique_ptr<ports::SearchIndex> opensearch_, native_;
  ports::Call call_;
};

TEST_P(OpenSearchAndNative, FindTheSameItemsInNearlyTheSameOrder) {
  const auto judged = read_judgements(folder_ + "qrels.tsv");
  // OpenSearch does not find compounds by their parts.
  const bool has_compounds = std::string_view(GetParam()) == "xquad-de";
  double overlap = 0;
  double first = 0;
  double ours = 0;
  double natives = 0;
  std::size_t count = 0;
  for (const Text& query : queries()) {
    for (const model::FallbackBelow rule : {model::kDefaultFallbackBelow, model::kAlwaysAllWords}) {
      for (const model::Sort sort : {model::Sort::Date, model::Sort::Popularity}) {
        const Found a = run_search(*opensearch_, query.text, sort, rule);
        const Found b = run_search(*native_, query.text, sort, rule);
        if (has_compounds) {
          EXPECT_LE(a.answer.total, b.answer.total) << query.text;
          continue;
        }
        EXPECT_EQ(a.answer.total, b.answer.total) << query.text;
        EXPECT_EQ(a.answer.rule, b.answer.rule) << query.text;
        EXPECT_EQ(a.ids, b.ids) << query.text;
      }
    }
    const Found a = run_search(*opensearch_, query.text, model::Sort::Relevance, model::kDefaultFallbackBelow);
    const Found b = run_search(*native_, query.text, model::Sort::Relevance, model::kDefaultFallbackBelow);
    if (b.ids.empty()) continue;
    const std::set<std::string> theirs(b.ids.begin(), b.ids.end());
    const auto common = std::count_if(a.ids.begin(), a.ids.end(), [&](const auto& id) { return theirs.contains(id); });
    overlap += static_cast<double>(common) / static_cast<double>(b.ids.size());
    first += !a.ids.empty() && a.ids.front() == b.ids.front() ? 1 : 0;
    if (const auto grades = judged.find(query.id); grades != judged.end()) {
      ours += ndcg(a.ids, grades->second);
      natives += ndcg(b.ids, grades->second);
    }
    ++count;
  }
  ASSERT_GT(count, 0U);
  const auto queries = static_cast<double>(count);
  std::printf("%-10s %zu queries: of the ten best %.3f the same, the best one of %.3f; nDCG@10 %.3f, native %.3f\n",
              GetParam(), count, overlap / queries, first / queries, ours / queries, natives / queries);
  EXPECT_GT(overlap / queries, 0.85);
  EXPECT_GT(first / queries, 0.8);
  EXPECT_GT(ours / queries, natives / queries - 0.03);
}

INSTANTIATE_TEST_SUITE_P(Collections, OpenSearchAndNative,
                         testing::Values("cranfield", "cacm", "stackfaq", "xquad-en", "xquad-de", "xquad-zh"),
                         [](const auto& collection) {
                           std::string name = collection.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace kbase::tests
