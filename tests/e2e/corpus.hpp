// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kbase::tests {

using Ids = std::vector<std::string>;

/// Imported content as its source file has it. Expected results are computed from it.
class Corpus {
 public:
  /// Reads JSON Lines and adds the members that an import adds (docs/content/json-lines.md), except dates.
  static Corpus read(const std::filesystem::path& file);

  const std::vector<nlohmann::json>& items() const { return items_; }
  /// Categories with a record of their own, and categories that only items name.
  const std::vector<nlohmann::json>& categories() const { return categories_; }

  const nlohmann::json& item(const std::string& id) const;

  /// Returns the ids of the items of `category` (empty: all) in the order of `before`; ties are ordered by id.
  Ids ordered(const std::string& category,
              const std::function<bool(const nlohmann::json&, const nlohmann::json&)>& before) const;

 private:
  std::vector<nlohmann::json> items_;
  std::vector<nlohmann::json> categories_;
};

/// Hand-written corpus of this suite.
const Corpus& fixture_corpus();
std::filesystem::path fixture_corpus_file();

/// Sort orders of docs/guide/popular-and-recent.md.
bool newer(const nlohmann::json& a, const nlohmann::json& b);
bool more_viewed(const nlohmann::json& a, const nlohmann::json& b);

/// Returns the `id` of each entry of a list.
Ids ids_of(const nlohmann::json& list);

}  // namespace kbase::tests
