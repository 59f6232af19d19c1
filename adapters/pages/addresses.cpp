// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/addresses.hpp"

#include <algorithm>

#include "domain/base/encoding.hpp"

namespace kbase::pages {
namespace {

/// Returns the id as segments of a path: its slashes separate them. A segment of dots alone would be resolved by
/// browsers.
std::string path_of(std::string_view id) {
  std::string path;
  for (bool is_first = true; is_first || !id.empty(); is_first = false) {
    const std::size_t end = std::min(id.find('/'), id.size());
    const std::string_view segment = id.substr(0, end);
    path += '/';
    if (segment == "." || segment == "..")
      for (const char dot : segment) append_percent_escape(path, static_cast<unsigned char>(dot));
    else
      path += percent_encode(segment);
    id.remove_prefix(std::min(end + 1, id.size()));
  }
  return path;
}

/// Appends parameters to an address.
class Query {
 public:
  explicit Query(std::string address) : address_(std::move(address)) {}

  Query& add(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      address_.append(is_first_ ? "?" : "&").append(name).append("=").append(percent_encode(value));
      is_first_ = false;
    }
    return *this;
  }
  Query& add_page(std::uint64_t page) { return page == 1 ? *this : add("page", std::to_string(page)); }

  std::string take() { return std::move(address_); }

 private:
  std::string address_;
  bool is_first_ = true;
};

}  // namespace

Question tag_question(std::string_view tag) {
  Question question;
  question.q = '"';
  for (const char c : tag) question.q += c == '"' ? ' ' : c;
  question.q += '"';
  question.tags.emplace_back(tag);
  return question;
}

std::string anchor_address(std::string_view anchor) {
  return anchor.empty() ? std::string() : '#' + percent_encode(anchor);
}

std::string item_address(std::string_view id, std::string_view anchor, std::string_view search_id) {
  std::string address = "/item" + path_of(id);
  if (!search_id.empty()) address.append("?from=search:").append(search_id);
  return address + anchor_address(anchor);
}

std::string category_address(std::string_view id, std::uint64_t page) {
  return Query("/category" + path_of(id)).add_page(page).take();
}

std::string search_address(const Question& question) {
  Query address("/search");
  address.add("q", question.q);
  for (const std::string& category : question.categories) address.add("category", category);
  for (const std::string& tag : question.tags) address.add("tag", tag);
  for (const std::string& language : question.languages) address.add("language", language);
  for (const std::string& version : question.versions) address.add("version", version);
  return address.add("sort", question.sort == model::Sort::Relevance ? "" : name_of(question.sort, kSortNames))
      .add_page(question.page)
      .take();
}

}  // namespace kbase::pages
