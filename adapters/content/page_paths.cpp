// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/page_paths.hpp"

#include <algorithm>
#include <array>

#include "domain/base/text.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

constexpr auto npos = std::string_view::npos;

/// Languages into which documentation is translated (ISO 639-1). Other codes are also names of folders: `as`, `is`,
/// `io`.
constexpr std::array<std::string_view, 41> kLanguages = {
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr",
    "gl", "he", "hi", "hr", "hu", "hy", "it", "ja", "ka", "ko", "lt", "lv", "ms", "nl",
    "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk", "zh"};

bool is_language_name(std::string_view name) {
  const std::string lower = ascii::to_lower(name);
  const std::string_view language = std::string_view(lower).substr(0, lower.find_first_of("-_"));
  if (!std::binary_search(kLanguages.begin(), kLanguages.end(), language)) return false;
  const std::string_view region = std::string_view(lower).substr(std::min(language.size() + 1, lower.size()));
  const bool is_script = region == "hans" || region == "hant";
  return lower.size() == 2 || is_script ||
         (region.size() == 2 && std::all_of(region.begin(), region.end(), ascii::is_letter));
}

/// Returns the language tag that a name stands for, "pt-BR" for "pt_BR"; empty: it is not that of a language.
std::string language_tag(std::string_view name) {
  std::string tag(is_language_name(name) ? name : std::string_view());
  std::replace(tag.begin(), tag.end(), '_', '-');
  return tag;
}

/// "v3.5", "3.5.x", "version-1.2.0"; a number alone is no version.
bool is_version_folder(std::string_view name) {
  if (name.starts_with("version-")) return name.size() > 8;
  const bool has_mark = name.starts_with('v');
  if (has_mark) name.remove_prefix(1);
  if (name.empty() || !ascii::is_digit(name.front())) return false;
  if (name.ends_with(".x")) name.remove_suffix(2);
  const bool has_dot = name.find('.') != npos;
  return (has_mark || has_dot) && name.find_first_not_of("0123456789.") == npos;
}

}  // namespace

PathFacts facts_of(std::string_view path) {
  PathFacts facts;
  for (std::string_view rest = model::path_folder(path); !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (facts.language.empty()) facts.language = language_tag(folder);
    if (!is_version_folder(folder)) continue;
    facts.version = folder.starts_with("version-") ? folder.substr(8) : folder;
  }
  // "start.de" is the German page "start".
  const std::string_view name = model::path_name(path);
  const std::size_t dot = name.rfind('.');
  if (facts.language.empty() && dot != npos && dot != 0) facts.language = language_tag(name.substr(dot + 1));
  return facts;
}

}  // namespace kbase::content
