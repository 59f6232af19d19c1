// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/routes.hpp"

#include <algorithm>
#include <array>

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

bool is_always_inline(const ServerOptions&) { return true; }

bool is_never_inline(const ServerOptions&) { return false; }

milliseconds request_timeout(const ServerOptions& options) { return options.request_timeout; }

// What the endpoints need to run, by the back end that they use.

constexpr Execution kMemory{common_pool, is_always_inline, request_timeout};

constexpr Execution kCatalog{common_pool, [](const ServerOptions& options) { return options.inline_catalog; },
                             request_timeout};

constexpr Execution kSearch{[](const Executors& executors) -> Executor& { return executors.search; },
                            [](const ServerOptions& options) { return options.inline_search; }, request_timeout};

constexpr Execution kCatalogAndSearch{
    [](const Executors& executors) -> Executor& { return executors.both; },
    [](const ServerOptions& options) { return options.inline_catalog && options.inline_search; }, request_timeout};

constexpr Execution kStatistics{common_pool, [](const ServerOptions& options) { return options.inline_statistics; },
                                request_timeout};

constexpr Execution kCodehost{
    .pool = [](const Executors& executors) -> Executor& { return executors.codehost; },
    .is_inline = is_never_inline,
    .time_limit =
        [](const ServerOptions& options) {
          return subtract_send_time(std::min(options.codehost_timeout, options.request_timeout));
        },
    .calls_upstream = true};

constexpr Execution kLlm{
    .pool = [](const Executors& executors) -> Executor& { return executors.llm; },
    .is_inline = is_never_inline,
    .time_limit = [](const ServerOptions& options) { return subtract_send_time(options.llm_timeout); },
    .calls_upstream = true,
    .needs_client = true};

constexpr std::array<Route, 13> kRoutes = {{
    {"/search", get_search, kSearch},
    {"/suggest", get_suggestions, kSearch},
    {"/categories", get_categories, kCatalog},
    {"/category/{id}", get_category, kCatalog},
    {"/item/{id}", get_item, kCatalog},
    {"/item/{id}/related", get_related, kCatalogAndSearch},
    {"/popular", get_popular, kCatalogAndSearch},
    {"/recent", get_recent, kCatalog},
    {"/stats", get_statistics, kStatistics},
    {.pattern = "/health", .endpoint = get_health, .execution = kMemory, .quota = Quota::Free},
    {"/openapi.json", get_description, kMemory},
    {.pattern = "/external/codehost/{username}",
     .endpoint = get_codehost_user,
     .execution = kCodehost,
     .scope = Scope::Codehost,
     .needs_key = [](const ServerOptions& options) { return options.codehost_needs_key; },
     .find_cached_reply = find_cached_user},
    {.pattern = "/external/llm",
     .endpoint = post_completion,
     .execution = kLlm,
     .method = Method::Post,
     .scope = Scope::Llm,
     .quota = Quota::CountedExactly,
     .needs_key = [](const ServerOptions&) { return true; }},
}};

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::optional<Method> parse_method(std::string_view name) {
  if (name == "GET") return Method::Get;
  if (name == "HEAD") return Method::Head;
  if (name == "POST") return Method::Post;
  if (name == "OPTIONS") return Method::Options;
  return std::nullopt;
}

}  // namespace kbase::http
