// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/robots.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::web {
namespace {

constexpr std::size_t kMaxBytes = 512U << 10U;
constexpr std::chrono::seconds kMaxDelay{60};

struct Line {
  std::string key;
  std::string_view value;
};

std::optional<Line> next_line(std::string_view& text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto trim = [](std::string_view part) {
      const std::size_t begin = std::min(part.find_first_not_of(" \t"), part.size());
      return part.substr(begin, part.find_last_not_of(" \t") + 1 - begin);
    };
    return Line{ascii::to_lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1))};
  }
  return std::nullopt;
}

/// The product token at the start of a user agent's name, in lower case.
std::string product_of(std::string_view agent) {
  const auto is_part = [](char c) { return ascii::is_letter(c) || c == '-' || c == '_'; };
  return ascii::to_lower(
      agent.substr(0, static_cast<std::size_t>(std::find_if_not(agent.begin(), agent.end(), is_part) - agent.begin())));
}

/// Whether a rule's pattern matches the start of `target`: `*` matches any characters, and a final `$` the end. The
/// time is at most the product of both lengths.
bool matches(std::string_view pattern, std::string_view target) {
  const bool is_whole = pattern.ends_with('$');
  if (is_whole) pattern.remove_suffix(1);
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resumed = 0;  // last `*`, and where the rest of the pattern began
  for (;;) {
    if (p == pattern.size() && (!is_whole || t == target.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = t;
    } else if (p < pattern.size() && t < target.size() && pattern[p] == target[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && resumed < target.size()) {
      p = star + 1;
      t = ++resumed;
    } else {
      return false;
    }
  }
}

/// Returns the text with percent escapes of unreserved characters decoded and the others in upper case, so that equal
/// paths are equal texts (RFC 9309, section 2.2.2).
std::string normal(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto escaped = percent_escape_at(text, i);
    if (!escaped && byte < 0x80) {
      plain += text[i];
      continue;
    }
    const unsigned char code = escaped.value_or(byte);
    const char c = static_cast<char>(code);
    if (ascii::is_alphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos)
      plain += c;
    else
      append_percent_escape(plain, code);
    if (escaped) i += 2;
  }
  return plain;
}

}  // namespace

Robots::Robots(std::string_view text, std::string_view product) {
  std::string_view rest = text.substr(0, kMaxBytes);
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  struct Group {
    std::vector<Rule> rules;
    std::chrono::milliseconds delay{0};
  };
  Group own, all;
  bool has_own = false, is_own = false, is_all = false, is_in_rules = true;
  while (const auto line = next_line(rest)) {
    if (line->key == "sitemap") sitemaps_.emplace_back(line->value);
    if (line->key == "user-agent") {
      if (std::exchange(is_in_rules, false)) is_own = is_all = false;
      is_all = is_all || line->value == "*";
      is_own = is_own || product_of(line->value) == product;
      has_own = has_own || is_own;
      continue;
    }
    const bool allows = line->key == "allow";
    if (!allows && line->key != "disallow" && line->key != "crawl-delay") continue;
    is_in_rules = true;
    for (auto& [group, applies] : {std::pair<Group&, bool>{own, is_own}, {all, is_all}}) {
      if (!applies) continue;
      if (line->key == "crawl-delay") {
        double seconds = 0;
        std::from_chars(line->value.data(), line->value.data() + line->value.size(), seconds);
        const double most = std::chrono::duration<double>(kMaxDelay).count();
        if (!(seconds >= 0)) seconds = 0;  // also if it is not a number
        group.delay = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, most) * 1000));
      } else if (!line->value.empty()) {
        group.rules.push_back({normal(line->value), allows});
      }
    }
  }
  Group& chosen = has_own ? own : all;
  rules_ = std::move(chosen.rules);
  delay_ = chosen.delay;
}

bool Robots::allows(std::string_view target) const {
  const std::string plain = normal(target);
  const Rule* decisive = nullptr;
  for (const Rule& rule : rules_) {
    if (!matches(rule.pattern, plain)) continue;
    const bool is_longer = decisive == nullptr || rule.pattern.size() > decisive->pattern.size();
    const bool is_equal = decisive != nullptr && rule.pattern.size() == decisive->pattern.size();
    if (is_longer || (is_equal && rule.allows)) decisive = &rule;
  }
  return decisive == nullptr || decisive->allows;
}

}  // namespace kbase::web
