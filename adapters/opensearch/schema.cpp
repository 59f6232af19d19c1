// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/schema.hpp"

#include "adapters/text/analyzer.hpp"

namespace kbase::opensearch {
namespace {

// Of one word with all its names: a version such as 1.2.3 has a dozen.
constexpr int kMaxNamesLength = 8192;

// Characters of a tag that can be filtered by and counted: Lucene takes 32,766 bytes.
constexpr int kMaxTagLength = 8191;

/// Takes apart what token_stream writes.
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
      // What one refresh publishes of one shard is one snapshot; of several it would be several.
      {"number_of_shards", 1},
      // Only a batch's end publishes; a refresh by the clock would show half of one.
      {"refresh_interval", "-1"},
      {"max_result_window", kMostMatches},
      // As the native index ranks.
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
            // They are read again from the texts, not from what was made of them.
            {"_source", {{"excludes", Json::array({"text", "words", "exact"})}}},
            {"properties", properties()}}},
          {"aliases", {{write_alias, Json::object()}}}};
}

}  // namespace kbase::opensearch
