// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/routes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

using model::Scope;
using std::chrono::milliseconds;

/// Subtracts from `time` the time to send the response. When an upstream service hangs, hundreds of requests time out
/// at the same moment.
milliseconds subtract_send_time(milliseconds time) {
  constexpr int kShare = 50;
  constexpr milliseconds kMaxSendTime{100};
  return time - std::min(time / kShare, kMaxSendTime);
}

Executor& common_pool(const Executors& executors) { return executors.common; }

Inline always_inline(const ServerOptions&) { return Inline::Always; }

Inline never_inline(const ServerOptions&) { return Inline::Never; }

/// `member`: whether the endpoint never blocks.
template <bool ServerOptions::*member> Inline inline_if(const ServerOptions& options) {
  return options.*member ? Inline::Always : Inline::Never;
}

Inline search_inlining(const ServerOptions& options) {
  return options.inline_search ? Inline::Always : options.inline_quick_search ? Inline::IfQuick : Inline::Never;
}

bool needs_key(const ServerOptions&) { return true; }

milliseconds request_timeout(const ServerOptions& options) { return options.request_timeout; }

// What the endpoints need to run, by the back end that they use.

constexpr Execution kMemory{common_pool, always_inline, request_timeout};

constexpr Execution kCatalog{common_pool, inline_if<&ServerOptions::inline_catalog>, request_timeout};

constexpr Execution kSearch{[](const Executors& executors) -> Executor& { return executors.search; }, search_inlining,
                            request_timeout};

constexpr Execution kSuggestions{kSearch.pool, inline_if<&ServerOptions::inline_search>, request_timeout};

constexpr Execution kCatalogAndSearch{
    [](const Executors& executors) -> Executor& { return executors.both; },
    [](const ServerOptions& options) { return std::min(kCatalog.inlining(options), search_inlining(options)); },
    request_timeout};

// Reads the counted views too, for a time that grows with them.
constexpr Execution kPopular{kCatalogAndSearch.pool,
                             [](const ServerOptions& options) {
                               return options.inline_catalog && options.inline_search ? Inline::Always : Inline::Never;
                             },
                             request_timeout};

constexpr Execution kStatistics{common_pool, inline_if<&ServerOptions::inline_statistics>, request_timeout};

// A change waits for others up to five seconds.
constexpr Execution kWriting{[](const Executors& executors) -> Executor& { return executors.writing; }, never_inline,
                             request_timeout};

// Takes as long as the client sends and the store writes.
constexpr Execution kImport{kWriting.pool, never_inline,
                            [](const ServerOptions&) { return milliseconds(std::chrono::hours(24)); }};

// Writes to the store.
constexpr Execution kStoring{common_pool, never_inline, request_timeout};

constexpr Execution kCodehost{
    .pool = [](const Executors& executors) -> Executor& { return executors.codehost; },
    .inlining = never_inline,
    .time_limit =
        [](const ServerOptions& options) {
          return subtract_send_time(std::min(options.codehost_timeout, options.request_timeout));
        },
    .calls_upstream = true};

constexpr Execution kLlm{
    .pool = [](const Executors& executors) -> Executor& { return executors.llm; },
    .inlining = never_inline,
    .time_limit = [](const ServerOptions& options) { return subtract_send_time(options.llm_timeout); },
    .calls_upstream = true,
    .needs_client = true};

constexpr std::array<Route, 26> kRoutes = {{
    {"/search", get_search, kSearch},
    {"/suggest", get_suggestions, kSuggestions},
    {"/categories", get_categories, kCatalog},
    {"/category/{id}", get_category, kCatalog},
    {"/item/{id}", get_item, kCatalog},
    {.pattern = "/item/{id}",
     .endpoint = put_item,
     .execution = kWriting,
     .method = Method::Put,
     .scope = Scope::Write,
     .needs_key = needs_key},
    {.pattern = "/item/{id}",
     .endpoint = delete_item,
     .execution = kWriting,
     .method = Method::Delete,
     .scope = Scope::Write,
     .needs_key = needs_key},
    {"/item/{id}/related", get_related, kCatalogAndSearch},
    {.pattern = "/item/{id}/feedback", .endpoint = post_feedback, .execution = kStoring, .method = Method::Post},
    {"/popular", get_popular, kPopular},
    {"/recent", get_recent, kCatalog},
    {"/stats", get_statistics, kStatistics},
    {.pattern = "/health", .endpoint = get_health, .execution = kMemory, .quota = Quota::Free},
    {"/openapi.json", get_description, kMemory},
    {.pattern = "/external/codehost/{username}",
     .endpoint = get_codehost_user,
     .execution = kCodehost,
     .scope = Scope::Codehost,
     .needs_key = [](const ServerOptions& options) { return options.codehost_needs_key; },
     .prepare_reply = find_cached_user},
    {.pattern = "/external/llm",
     .endpoint = post_completion,
     .execution = kLlm,
     .method = Method::Post,
     .scope = Scope::Llm,
     .quota = Quota::CountedExactly,
     .needs_key = needs_key},
    {.pattern = "/import",
     .endpoint = post_import,
     .execution = kImport,
     .method = Method::Post,
     .scope = Scope::Write,
     .takes_upload = true,
     .needs_key = needs_key},
    {.pattern = "/accounts",
     .endpoint = post_account,
     .execution = kStoring,
     .method = Method::Post,
     .senders = Senders::NotForeign},
    {.pattern = "/sessions",
     .endpoint = post_session,
     .execution = kStoring,
     .method = Method::Post,
     .senders = Senders::NotForeign},
    {.pattern = "/sessions/confirm",
     .endpoint = post_confirmation,
     .execution = kStoring,
     .method = Method::Post,
     .senders = Senders::NotForeign},
    {.pattern = "/sessions",
     .endpoint = delete_session,
     .execution = kStoring,
     .method = Method::Delete,
     .senders = Senders::OwnPages},
    {.pattern = "/account", .endpoint = get_account, .execution = kStoring, .senders = Senders::NotForeign},
    {.pattern = "/account",
     .endpoint = delete_account,
     .execution = kStoring,
     .method = Method::Delete,
     .senders = Senders::OwnPages},
    {.pattern = "/account/keys",
     .endpoint = post_account_key,
     .execution = kStoring,
     .method = Method::Post,
     .senders = Senders::OwnPages},
    {.pattern = "/account/keys/{key}/rotate",
     .endpoint = post_key_rotation,
     .execution = kStoring,
     .method = Method::Post,
     .senders = Senders::OwnPages},
    {.pattern = "/account/keys/{key}",
     .endpoint = delete_account_key,
     .execution = kStoring,
     .method = Method::Delete,
     .senders = Senders::OwnPages},
}};

// A page may need all back ends.
constexpr Execution kPage{kCatalogAndSearch.pool, kPopular.inlining, request_timeout};

constexpr std::array<Route, 16> kPageRoutes = {{
    {"/", get_home_page, kPage},
    {"/search", get_search_page, kPage},
    {"/item/{id}", get_item_page, kPage},
    {"/categories", get_categories_page, kCatalog},
    {"/category/{id}", get_category_page, kPage},
    {"/popular", get_popular_page, kPage},
    {"/recent", get_recent_page, kPage},
    {"/feed.atom", get_feed, kPage},
    {"/sitemap.xml", get_sitemap, kPage},
    {"/llms.txt", get_llms_text, kPage},
    {.pattern = "/robots.txt", .endpoint = get_robots_text, .execution = kMemory, .quota = Quota::Free},
    {.pattern = "/opensearch.xml", .endpoint = get_opensearch_description, .execution = kMemory, .quota = Quota::Free},
    {.pattern = "/docs", .endpoint = get_reference_page, .execution = kMemory, .quota = Quota::Free},
    {"/docs/{name}", get_operation_page, kCatalog},
    {"/account", get_account_page, kMemory},
    {"/account/confirm", get_confirmation_page, kMemory},
}};

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

/// Returns the raw text that stands for the parameter of the pattern; empty if the pattern has none. nullopt: the
/// segments do not match. An id may contain slashes, so `{id}` takes several segments.
std::optional<std::string_view> match_segments(std::span<const std::string_view> segments,
                                               std::span<const std::string_view> pattern) {
  if (segments.size() < pattern.size()) return std::nullopt;
  const auto parameter = std::find_if(pattern.begin(), pattern.end(), is_parameter);
  const bool takes_several = parameter != pattern.end() && *parameter == "{id}";
  if (segments.size() > pattern.size() && !takes_several) return std::nullopt;
  const auto begin = segments.begin() + (parameter - pattern.begin());
  const auto end = segments.end() - (parameter == pattern.end() ? 0 : pattern.end() - parameter - 1);
  const auto equal = [](std::string_view literal, std::string_view raw) { return decodes_to(raw, literal); };
  if (!std::equal(pattern.begin(), parameter, segments.begin(), equal)) return std::nullopt;
  if (parameter == pattern.end()) return std::string_view();
  if (begin->empty() || !std::equal(parameter + 1, pattern.end(), end, equal)) return std::nullopt;
  const std::string_view last = *(end - 1);
  return std::string_view(begin->data(), static_cast<std::size_t>(last.data() + last.size() - begin->data()));
}

std::string_view methods_of(const Route& route) {
  switch (route.method) {
    case Method::Get: return "GET, HEAD";
    case Method::Delete: return "DELETE";
    case Method::Put: return "PUT";
    default: return "POST";
  }
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

bool Route::supports(std::string_view name) const {
  const auto asked = parse_method(name);
  return asked == method || (asked == Method::Head && method == Method::Get);
}

std::span<const Route> page_routes() { return kPageRoutes; }

std::optional<Method> parse_method(std::string_view name) {
  if (name == "GET") return Method::Get;
  if (name == "HEAD") return Method::Head;
  if (name == "POST") return Method::Post;
  if (name == "OPTIONS") return Method::Options;
  if (name == "DELETE") return Method::Delete;
  if (name == "PUT") return Method::Put;
  return std::nullopt;
}

Router::Router(std::string_view base_path, std::span<const Route> routes) {
  for (const std::string_view segment : split_path(base_path)) base_.emplace_back(segment);
  for (const Route& route : routes) {
    const auto known = std::find_if(patterns_.begin(), patterns_.end(), [&route](const Pattern& pattern) {
      return pattern.routes.front()->pattern == route.pattern;
    });
    Pattern& pattern = known != patterns_.end() ? *known : patterns_.emplace_back();
    pattern.segments = split_path(route.pattern);
    pattern.routes.push_back(&route);
    pattern.allow.append(methods_of(route)).append(", ");
  }
  for (Pattern& pattern : patterns_) pattern.allow += "OPTIONS";
}

RouteMatch Router::match(std::string_view method, std::string_view target) const {
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
  std::size_t longest = 0;  // a further segment of a route wins over an id that ends so
  for (const Pattern& pattern : patterns_) {
    const auto parameter = match_segments(relative, pattern.segments);
    if (!parameter || (match.route != nullptr && pattern.segments.size() <= longest)) continue;
    longest = pattern.segments.size();
    const auto supporting = std::find_if(pattern.routes.begin(), pattern.routes.end(),
                                         [method](const Route* route) { return route->supports(method); });
    match.route = supporting != pattern.routes.end() ? *supporting : pattern.routes.front();
    match.allow = pattern.allow;
    match.segment = *parameter;
  }
  return match;
}

}  // namespace kbase::http
