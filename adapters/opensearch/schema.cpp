// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/schema.hpp"

#include "adapters/text/analyzer.hpp"

namespace kbase::opensearch {
namespace {

// Maximum length of one word with all its names: a version such as 1.2.3 has about twelve names.
constexpr int kMaxNamesLength = 8192;

// Maximum length in characters of a tag for filters and facets: Lucene's limit is 32,766 bytes.
constexpr int kMaxTagLength = 8191;

/// Returns the analyzer that splits the streams of token_stream.hpp.
Json analysis() {
  return {{"tokenizer", {{"words", {{"type", "whitespace"}, {"max_token_length", kMaxNamesLength}}}}},
          {"filter",
           {{"names",
             {{"type", "pattern_capture"}, {"preserve_original", false}, {"patterns", Json::array({"([^|]+)"})}}}}},
          {"analyzer", {{"words", {{"type", "custom"}, {"tokenizer", "words"}, {"filter", Json::array({"names"})}}}}}};
}

Json properties() {
  const Json keyword = {{"type", "keyword"}};
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
          {"tags", {{"type", "keyword"}, {"ignore_above", kMaxTagLength}}},
          {"content", stored},
          {"imported", {{"type", "long"}, {"index", false}, {"doc_values", false}}},
          {"state", {{"type", "object"}, {"enabled", false}}},
          {"text", {{"type", "text"}, {"analyzer", "words"}, {"index_options", "positions"}, {"norms", false}}},
          {"words", ranking},
          {"exact", ranking}};
}

}  // namespace

std::string settings_of(const Options& options) {
  return "opensearch format " + std::to_string(kFormatVersion) + " analysis " + std::to_string(text::kAnalysisVersion) +
         " language " + options.language;
}

std::string alias_of(const Options& options) {
  return options.index + "-f" + std::to_string(kFormatVersion) + "-a" + std::to_string(text::kAnalysisVersion) + "-" +
         options.language;
}

Json new_index(const Options& options, const std::string& write_alias) {
  Json index = {
      // A refresh publishes one snapshot per shard; several shards would publish several.
      {"number_of_shards", 1},
      // Only the end of a batch publishes; a timed refresh would show an incomplete batch.
      {"refresh_interval", "-1"},
      {"max_result_window", kMostMatches},
      // The ranking parameters of the native index.
      {"similarity", {{"words", {{"type", "BM25"}, {"k1", 1.6}, {"b", 0.65}}}}},
      {"analysis", analysis()},
  };
  if (options.replicas)
    index["number_of_replicas"] = *options.replicas;
  else
    index["auto_expand_replicas"] = "0-1";
  return {{"settings", {{"index", std::move(index)}}},
          {"mappings",
           {{"dynamic", "strict"},
            {"_meta", {{"kbase", settings_of(options)}}},
            // They can be recomputed from the texts.
            {"_source", {{"excludes", Json::array({"text", "words", "exact"})}}},
            {"properties", properties()}}},
          {"aliases", {{write_alias, Json::object()}}}};
}

}  // namespace kbase::opensearch
