// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kbase::tests {

using Ids = std::vector<std::string>;

/// The content that is imported, as its source says it: what the answers are compared with.
class Corpus {
 public:
  /// Reads JSON Lines; the members that an import adds (docs/content/json-lines.md) are added, save dates.
  static Corpus read(const std::filesystem::path& file);

  const std::vector<nlohmann::json>& items() const { return items_; }
  /// Those with a line of their own and those only named by items.
  const std::vector<nlohmann::json>& categories() const { return categories_; }

  const nlohmann::json& item(const std::string& id) const;

  /// The ids of the items of one category (empty: all), in the order that `before` says; ties by id.
  Ids ordered(const std::string& category,
              const std::function<bool(const nlohmann::json&, const nlohmann::json&)>& before) const;

 private:
  std::vector<nlohmann::json> items_;
  std::vector<nlohmann::json> categories_;
};

/// The hand-written corpus of this suite.
const Corpus& fixture_corpus();
std::filesystem::path fixture_corpus_file();

/// The orders of docs/guide/popular-and-recent.md.
bool newer(const nlohmann::json& a, const nlohmann::json& b);
bool more_viewed(const nlohmann::json& a, const nlohmann::json& b);

/// The `id` of each entry of a list.
Ids ids_of(const nlohmann::json& list);

}  // namespace kbase::tests
