// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/glob.hpp"

#include <algorithm>

namespace kbase::content {
namespace {

constexpr auto npos = std::string_view::npos;

/// Reads the class at the start of `pattern`, "[a-z]", and returns whether it contains `c`; `length` is that of the
/// class, or 0 if it has no end.
bool matches_class(std::string_view pattern, char c, std::size_t& length) {
  const std::size_t end = pattern.find(']', 2);
  length = end == npos ? 0 : end + 1;
  if (length == 0) return false;
  std::string_view members = pattern.substr(1, end - 1);
  const bool is_negated = members.front() == '!' || members.front() == '^';
  if (is_negated) members.remove_prefix(1);
  bool is_member = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 2 < members.size() && members[i + 1] == '-') {
      is_member = is_member || (members[i] <= c && c <= members[i + 2]);
      i += 2;
    } else {
      is_member = is_member || members[i] == c;
    }
  }
  return is_member != is_negated;
}

/// Matches one segment. Keeps only the last star, which suffices: an earlier one never needs to take more.
bool matches_segment(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = npos, after_star = 0;
  while (t < text.size()) {
    std::size_t length = 1;
    const bool is_class = p < pattern.size() && pattern[p] == '[';
    const bool is_member = is_class && matches_class(pattern.substr(p), text[t], length);
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || is_member || (!(is_class && length > 0) && pattern[p] == text[t]))) {
      p += std::max<std::size_t>(is_member ? length : 1, 1);
      ++t;
    } else if (star != npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == npos;
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  for (;;) {
    const std::size_t end = path.find('/');
    segments.push_back(path.substr(0, end));
    if (end == npos) return segments;
    path.remove_prefix(end + 1);
  }
}

std::string_view trimmed_end(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  const auto patterns = split(pattern), segments = split(path);
  // reached[i]: the patterns so far can match the first i segments.
  std::vector<bool> reached(segments.size() + 1);
  reached[0] = true;
  for (const std::string_view each : patterns) {
    std::vector<bool> next(segments.size() + 1);
    for (std::size_t i = 0; i <= segments.size(); ++i) {
      if (each == "**")
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      else if (i > 0)
        next[i] = reached[i - 1] && matches_segment(each, segments[i - 1]);
    }
    reached = std::move(next);
  }
  return reached.back();
}

bool is_selected(const std::vector<std::string>& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    while (pattern.starts_with("./")) pattern.remove_prefix(2);
    if (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (matches_glob(pattern, path) || matches_glob(std::string(pattern) + "/**", path)) return true;
    if (pattern.find('/') != npos) return false;
    const auto segments = split(path);
    return std::any_of(segments.begin(), segments.end(),
                       [&](std::string_view segment) { return matches_segment(pattern, segment); });
  });
}

IgnoreRules::IgnoreRules(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed_end(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    rule.is_negated = line.front() == '!';
    if (rule.is_negated || line.starts_with("\\!") || line.starts_with("\\#")) line.remove_prefix(1);
    rule.folders_only = line.ends_with('/');
    if (rule.folders_only) line.remove_suffix(1);
    rule.is_anchored = line.find('/') != npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rule.pattern = line;
    rules_.push_back(std::move(rule));
  }
}

IgnoreRules::Verdict IgnoreRules::verdict(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->folders_only && !is_folder) continue;
    if (rule->is_anchored ? matches_glob(rule->pattern, path) : matches_segment(rule->pattern, name))
      return rule->is_negated ? Verdict::Kept : Verdict::Ignored;
  }
  return Verdict::None;
}

}  // namespace kbase::content
