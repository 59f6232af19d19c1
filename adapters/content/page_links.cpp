// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/page_links.hpp"

#include <algorithm>
#include <optional>

#include "domain/base/encoding.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

constexpr auto npos = std::string_view::npos;

/// The next target of a link in `body` from `at` on; `at` moves behind it. nullopt: no more
struct Target {
  std::string_view text;
  bool is_name = false;  ///< of a wiki link
};
std::optional<Target> next_target(std::string_view body, std::size_t& at) {
  for (at = body.find_first_of("](=[", at); at != npos; at = body.find_first_of("](=[", at + 1)) {
    const std::string_view rest = body.substr(at);
    std::size_t begin = 0;
    char close = ')';
    if (rest.starts_with("](")) {
      begin = 2;
    } else if (rest.starts_with("]: ")) {
      begin = 3;
      close = '\n';
    } else if (rest.starts_with("=\"") && body.substr(0, at).ends_with("href")) {
      begin = 2;
      close = '"';
    } else if (rest.starts_with("[[")) {
      const std::size_t end = rest.substr(0, 512).find("]]");
      if (end == npos) continue;
      at += end + 2;
      const std::string_view name = rest.substr(2, end - 2);
      return Target{name.substr(0, name.find_first_of("|#")), true};
    } else {
      continue;
    }
    const std::size_t end = rest.substr(0, 2048).find(close, begin);
    if (end == npos) continue;
    std::string_view target = utf8::trimmed(rest.substr(begin, end - begin));
    if (target.starts_with('<')) target = target.substr(1, target.find('>') - 1);
    at += begin;
    return Target{target.substr(0, target.find_first_of("#? \t")), false};
  }
  return std::nullopt;
}

}  // namespace

void PageLinks::add(std::string_view path, std::string_view id) {
  const std::string lower = ascii::to_lower(path);
  by_path_.emplace(lower, id);
  std::string_view named = lower;
  if (model::is_index_page(model::path_name(lower))) {
    named = model::path_folder(lower);
    by_path_.emplace(std::string(named), id);
  }
  const auto [entry, is_new] = by_name_.emplace(std::string(model::path_name(named)), id);
  if (!is_new && entry->second != id) entry->second.clear();
}

const std::string* PageLinks::find(std::string_view target, std::string_view folder, bool is_name) const {
  const std::string plain = ascii::to_lower(model::without_page_ending(percent_decoded(target)));
  const auto in = [](const TextMap<std::string>& map, std::string_view key) {
    const auto found = map.find(key);
    return found == map.end() || found->second.empty() ? nullptr : &found->second;
  };
  for (const std::string_view base : {folder, std::string_view()})
    if (const auto path = model::resolve_path(ascii::to_lower(base), plain))
      if (const std::string* const id = in(by_path_, *path)) return id;
  return is_name ? in(by_name_, model::path_name(plain)) : nullptr;
}

std::string PageLinks::meant(std::string_view name, std::string_view path) const {
  const std::string* const id = find(name, model::path_folder(path), true);
  return id != nullptr ? *id : std::string(name);
}

std::vector<std::string> PageLinks::linked(std::string_view body, std::string_view path, std::string_view id) const {
  std::vector<std::string> ids;
  const std::string_view folder = model::path_folder(path);
  // A page `guide/index` is published as `guide/`, and `guide/setup` often as `guide/setup/`.
  for (std::size_t at = 0; ids.size() < kMaxLinks;) {
    const auto target = next_target(body, at);
    if (!target) break;
    if (target->text.empty() || target->text.find(':') != npos || target->text.starts_with("//")) continue;
    const std::string* found = find(target->text, folder, target->is_name);
    if (found == nullptr) found = find(target->text, path, false);
    if (found != nullptr && *found != id && std::find(ids.begin(), ids.end(), *found) == ids.end())
      ids.push_back(*found);
  }
  return ids;
}

}  // namespace kbase::content
