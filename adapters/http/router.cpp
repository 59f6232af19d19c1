// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/router.hpp"

#include <algorithm>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kCommonSegments = 6;

/// Returns the segments of a path. Ignores the first slash and one trailing slash.
std::vector<std::string_view> split_path(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> segments;
  if (path.empty()) return segments;
  segments.reserve(kCommonSegments);
  for (;;) {
    const std::size_t end = path.find('/');
    segments.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return segments;
    path.remove_prefix(end + 1);
  }
}

bool is_parameter(std::string_view pattern_segment) { return pattern_segment.starts_with('{'); }

bool matches_segment(std::string_view segment, std::string_view pattern_segment) {
  return is_parameter(pattern_segment) ? !segment.empty() : decodes_to(segment, pattern_segment);
}

}  // namespace

Router::Router(std::string_view base_path, std::span<const Route> routes) {
  for (const std::string_view segment : split_path(base_path)) base_.emplace_back(segment);
  for (const Route& route : routes) patterns_.push_back({&route, split_path(route.pattern)});
}

RouteMatch Router::match(std::string_view target) const {
  const Target target_parts = split_target(target);
  RouteMatch match;
  match.query = target_parts.query;
  match.is_server_wide = target_parts.path == "*" || target.empty();  // empty: "http://host" (RFC 9112 section 3.2.4)
  if (!target_parts.path.empty() && !target_parts.path.starts_with('/')) return match;

  const std::vector<std::string_view> segments = split_path(target_parts.path);
  if (segments.size() < base_.size() || !std::equal(base_.begin(), base_.end(), segments.begin(),
                                                    [](const auto& plain, auto raw) { return decodes_to(raw, plain); }))
    return match;
  match.is_below_base = true;
  const std::span<const std::string_view> relative = std::span(segments).subspan(base_.size());
  for (const Pattern& pattern : patterns_) {
    if (!std::equal(relative.begin(), relative.end(), pattern.segments.begin(), pattern.segments.end(),
                    matches_segment))
      continue;
    match.route = pattern.route;
    const auto parameter = std::find_if(pattern.segments.begin(), pattern.segments.end(), is_parameter);
    if (parameter != pattern.segments.end())
      match.segment = *(relative.begin() + (parameter - pattern.segments.begin()));
    return match;
  }
  return match;
}

}  // namespace kbase::http
