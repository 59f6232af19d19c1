// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/router.hpp"

#include <algorithm>

#include "adapters/http/uri.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kCommonSegments = 6;

/// Returns the segments of a path. Ignores the first slash and one trailing slash.
std::vector<std::string_view> segments_of(std::string_view path) {
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

bool is_parameter(std::string_view pattern_segment) {
  return pattern_segment.starts_with('{');
}

bool fits(std::string_view segment, std::string_view pattern_segment) {
  return is_parameter(pattern_segment) ? !segment.empty() : decodes_to(segment, pattern_segment);
}

}  // namespace

std::optional<Method> method_named(std::string_view name) {
  if (name == "GET") return Method::Get;
  if (name == "HEAD") return Method::Head;
  if (name == "POST") return Method::Post;
  if (name == "OPTIONS") return Method::Options;
  return std::nullopt;
}

Router::Router(std::string_view base_path, std::span<const Route> routes) {
  for (const std::string_view segment : segments_of(base_path)) base_.emplace_back(segment);
  for (const Route& route : routes) patterns_.push_back({&route, segments_of(route.pattern)});
}

RouteMatch Router::match(std::string_view target) const {
  const Target parts = split_target(target);
  RouteMatch match;
  match.query = parts.query;
  match.is_server_wide = parts.path == "*" || target.empty();  // empty: "http://host" (RFC 9112 section 3.2.4)
  if (!parts.path.empty() && !parts.path.starts_with('/')) return match;

  const std::vector<std::string_view> segments = segments_of(parts.path);
  if (segments.size() < base_.size() || !std::equal(base_.begin(), base_.end(), segments.begin(),
                                                    [](const auto& plain, auto raw) { return decodes_to(raw, plain); }))
    return match;
  match.is_below_base = true;
  const std::span<const std::string_view> rest = std::span(segments).subspan(base_.size());
  for (const Pattern& pattern : patterns_) {
    if (!std::equal(rest.begin(), rest.end(), pattern.segments.begin(), pattern.segments.end(), fits)) continue;
    match.route = pattern.route;
    const auto parameter = std::find_if(pattern.segments.begin(), pattern.segments.end(), is_parameter);
    if (parameter != pattern.segments.end()) match.segment = *(rest.begin() + (parameter - pattern.segments.begin()));
    return match;
  }
  return match;
}

}  // namespace kbase::http
