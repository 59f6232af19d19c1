// SPDX-License-Identifier: Apache-2.0
#include "app/config/expansion.hpp"

#include <algorithm>
#include <utility>

#include "domain/model/utf8.hpp"

namespace kbase::config {
namespace {

constexpr std::string_view kOpen = "${";
constexpr std::string_view kLiteralOpen = "$${";
constexpr std::string_view kDefaultMark = ":-";
constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/// Returns the value for the text between the braces.
model::Result<std::string> value_of(std::string_view inside, const Environment& environment) {
  const std::size_t mark = inside.find(kDefaultMark);
  const std::string name(inside.substr(0, mark));
  if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string::npos)
    return model::invalid_argument({},
                                   "'" + name + "' is no name of an environment variable ('$${' is a literal '${')");
  auto value = environment(name);
  if (mark != std::string_view::npos && (!value || value->empty()))
    return std::string(inside.substr(mark + kDefaultMark.size()));
  if (!value) return model::invalid_argument({}, "the environment variable " + name + " is not set");
  if (!model::utf8::is_valid(*value))
    return model::invalid_argument({}, "the environment variable " + name + " is not valid UTF-8");
  return *std::move(value);
}

}  // namespace

model::Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment) {
  if (text.find(kOpen) == std::string_view::npos) return std::optional<std::string>();
  std::string expanded;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find(kOpen), text.size());
    if (open > 0 && text.substr(open - 1).starts_with(kLiteralOpen)) {
      expanded.append(text.substr(0, open - 1)).append(kOpen);
      text.remove_prefix(open + kOpen.size());
      continue;
    }
    expanded.append(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return model::invalid_argument({}, "'${' is not closed by '}'");
    auto value = value_of(text.substr(kOpen.size(), close - kOpen.size()), environment);
    if (!value) return value.error();
    expanded += *value;
    text.remove_prefix(close + 1);
  }
  return std::optional(std::move(expanded));
}

std::string without_expansion(std::string_view text) {
  std::string literal;
  for (std::size_t open = text.find(kOpen); open != std::string_view::npos; open = text.find(kOpen)) {
    literal.append(text.substr(0, open)).append(kLiteralOpen);
    text.remove_prefix(open + kOpen.size());
  }
  return literal.append(text);
}

}  // namespace kbase::config
