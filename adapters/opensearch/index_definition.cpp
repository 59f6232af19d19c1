// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/text/analyzer.hpp"

// Settings and mappings of an index.
namespace kbase::opensearch {
namespace {

// Maximum length of one word with all its names: a version such as 1.2.3 has about twelve names.
constexpr int kMaxNamesLength = 8192;

// Maximum length in characters of a tag for filters and facets, and of a title that a query can equal: Lucene's limit
// is 32,766 bytes.
constexpr int kMaxKeywordLength = 8191;

/// Returns the analyzer that splits the streams of document.hpp.
Json analysis() {
  return {{"tokenizer", {{"words", {{"type", "whitespace"}, {"max_token_length", kMaxNamesLength}}}}},
          {"filter",
           {{"names",
             {{"type", "pattern_capture"}, {"preserve_original", false}, {"patterns", Json::array({"([^|]+)"})}}}}},
          {"analyzer", {{"words", {{"type", "custom"}, {"tokenizer", "words"}, {"filter", Json::array({"names"})}}}}}};
}

/// Returns the scores of the native index, see its scoring.hpp: BM25 in OpenSearch depends on the mean length of all
/// items. There, a pair of characters is shorter than a word; here it is one.
Json similarity() {
  constexpr const char* kWeight =
      "return query.boost * Math.pow(Math.log(1 + (field.docCount - term.docFreq + 0.5) / (term.docFreq + 0.5)), 1.1);";
  constexpr const char* kScore = "return weight * doc.freq / (doc.freq + Math.sqrt(doc.length / 25.0));";
  return {{"type", "scripted"}, {"weight_script", {{"source", kWeight}}}, {"script", {{"source", kScore}}}};
}

Json properties() {
  const Json keyword = {{"type", "keyword"}};
  const Json long_keyword = {{"type", "keyword"}, {"ignore_above", kMaxKeywordLength}};
  const Json whole = {{"type", "long"}};
  const Json stored = {{"type", "text"}, {"index", false}};
  const Json ranking = {{"type", "text"}, {"analyzer", "words"}, {"index_options", "freqs"}, {"similarity", "words"}};
  return {{"kind", keyword},
          {"id", keyword},
          {"category", keyword},
          {"updated", whole},
          {"bytes", whole},
          {"views", whole},
          {"language", keyword},
          {"removed", whole},
          {"title", stored},
          {"tags", long_keyword},
          {"languages", keyword},
          {"version", long_keyword},
          {"content", stored},
          {"details", {{"type", "object"}, {"enabled", false}}},
          {"imported", {{"type", "long"}, {"index", false}, {"doc_values", false}}},
          {"state", {{"type", "object"}, {"enabled", false}}},
          {"text", {{"type", "text"}, {"analyzer", "words"}, {"index_options", "positions"}, {"norms", false}}},
          {"titles", {{"type", "keyword"}, {"ignore_above", kMaxKeywordLength}, {"doc_values", false}}},
          {"title_words", ranking},
          {"words", ranking},
          {"exact", ranking}};
}

}  // namespace

std::string describe_settings(const Options& options) {
  return "opensearch format " + std::to_string(kFormatVersion) + " analysis " + std::to_string(text::kAnalysisVersion) +
         " language " + options.language;
}

std::string make_alias(const Options& options) {
  return options.index + "-f" + std::to_string(kFormatVersion) + "-a" + std::to_string(text::kAnalysisVersion) + "-" +
         options.language;
}

Json make_index_definition(const Options& options, const std::string& write_alias) {
  Json index = {
      // A refresh publishes one snapshot per shard; several shards would publish several.
      {"number_of_shards", 1},
      // Only the end of a batch publishes; a timed refresh would show an incomplete batch.
      {"refresh_interval", "-1"},
      {"max_result_window", kMaxMatches},
      {"max_inner_result_window", kMaxMatches},
      {"similarity", {{"words", similarity()}}},
      {"analysis", analysis()},
  };
  if (options.replicas)
    index["number_of_replicas"] = *options.replicas;
  else
    index["auto_expand_replicas"] = "0-1";
  return {{"settings", {{"index", std::move(index)}}},
          {"mappings",
           {{"dynamic", "strict"},
            {"_meta", {{"kbase", describe_settings(options)}}},
            // They can be recomputed from the texts.
            {"_source", {{"excludes", Json::array({"text", "titles", "title_words", "words", "exact"})}}},
            {"properties", properties()}}},
          {"aliases", {{write_alias, Json::object()}}}};
}

}  // namespace kbase::opensearch
