// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/corpus.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace kbase::tests {
namespace {

using nlohmann::json;

json completed_item(json item) {
  const json defaults = {
      {"content", ""},  {"tags", json::array()}, {"related", json::array()}, {"metadata", json::object()},
      {"url", nullptr}, {"summary", ""},         {"aliases", json::array()}, {"language", ""},
      {"version", ""},  {"format", "markdown"},  {"sections", json::array()}};
  for (const auto& [name, value] : defaults.items())
    if (!item.contains(name)) item[name] = value;
  if (!item["metadata"].contains("author")) item["metadata"]["author"] = "";
  if (!item["metadata"].contains("views")) item["metadata"]["views"] = 0;
  return item;
}

json completed_category(json category) {
  category.erase("type");
  for (const char* text : {"description", "icon"})
    if (!category.contains(text)) category[text] = "";
  if (!category.contains("name")) category["name"] = category["id"];
  if (!category.contains("subcategories")) category["subcategories"] = json::array();
  category["item_count"] = 0;
  return category;
}

}  // namespace

Corpus Corpus::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Corpus corpus;
  for (std::string line; std::getline(in, line);) {
    json record = json::parse(line);
    if (record.value("type", "item") == "category")
      corpus.categories_.push_back(completed_category(std::move(record)));
    else
      corpus.items_.push_back(completed_item(std::move(record)));
  }
  for (const json& item : corpus.items_) {
    auto& categories = corpus.categories_;
    auto found = std::find_if(categories.begin(), categories.end(),
                              [&](const json& category) { return category["id"] == item["category"]; });
    if (found == categories.end()) found = categories.insert(found, completed_category({{"id", item["category"]}}));
    (*found)["item_count"] = (*found)["item_count"].get<int>() + 1;
  }
  return corpus;
}

const json& Corpus::item(const std::string& id) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const json& item) { return item["id"] == id; });
  if (found == items_.end()) throw std::runtime_error("no item " + id + " in the corpus");
  return *found;
}

Ids Corpus::ordered(const std::string& category, const std::function<bool(const json&, const json&)>& before) const {
  std::vector<const json*> chosen;
  for (const json& item : items_)
    if (category.empty() || item["category"] == category) chosen.push_back(&item);
  std::sort(chosen.begin(), chosen.end(), [&](const json* a, const json* b) {
    if (before(*a, *b) || before(*b, *a)) return before(*a, *b);
    return a->at("id").get<std::string>() < b->at("id").get<std::string>();
  });
  Ids ids;
  for (const json* item : chosen) ids.push_back(item->at("id"));
  return ids;
}

std::filesystem::path fixture_corpus_file() { return std::filesystem::path(KBASE_E2E_FOLDER) / "corpus.jsonl"; }

const Corpus& fixture_corpus() {
  static const Corpus corpus = Corpus::read(fixture_corpus_file());
  return corpus;
}

bool newer(const json& a, const json& b) {
  const auto key = [](const json& item) {
    // The import sets today's date for items without dates. It sorts after all other dates except future ones.
    return std::pair(item["metadata"].value("updated", "2900-01-01"), item["metadata"].value("created", "2900-01-01"));
  };
  return key(a) > key(b);
}

bool more_viewed(const json& a, const json& b) {
  return a["metadata"]["views"].get<int>() > b["metadata"]["views"].get<int>();
}

Ids ids_of(const json& list) {
  Ids ids;
  for (const json& entry : list) ids.push_back(entry.at("id"));
  return ids;
}

}  // namespace kbase::tests
