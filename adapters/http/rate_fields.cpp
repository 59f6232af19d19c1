// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/rate_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "adapters/http/answer.hpp"

namespace kbase::http {
namespace {

constexpr std::uint64_t kNoLimit = 2147483647;
constexpr std::int64_t kDaySeconds = 86'400;

struct Window {
  std::string_view name;
  std::int64_t seconds = 0;
  std::uint32_t limit = 0;
  model::WindowState state;
};

std::array<Window, 2> windows_of(const ports::Admission& admission) {
  const model::Limits& limits = admission.plan.limits;
  return {{{"\"minute\"", 60, limits.per_minute, admission.decision.minute},
           {"\"day\"", kDaySeconds, limits.per_day, admission.decision.day}}};
}

/// Limited to `at_most`, the length of the window, because the rate limiter may have read the clock after `now`.
std::int64_t seconds_until(model::Instant reset, model::Instant now, std::int64_t at_most) {
  return std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(reset - now).count(), 0, at_most);
}

std::optional<Window> tightest(std::span<const Window> windows) {
  std::optional<Window> chosen;
  for (const Window& window : windows) {
    if (window.limit == 0) continue;
    const bool is_tighter =
        !chosen || window.state.remaining < chosen->state.remaining ||
        (window.state.remaining == chosen->state.remaining && window.state.reset > chosen->state.reset);
    if (is_tighter) chosen = window;
  }
  return chosen;
}

}  // namespace

RateState rate_state(const ports::Admission& admission, model::Instant now) {
  const auto windows = windows_of(admission);
  const std::optional<Window> window = tightest(windows);
  const model::Instant reset = window ? window->state.reset : model::next_midnight(now);
  RateState stats;
  stats.limit = window ? window->limit : kNoLimit;
  stats.remaining = window ? window->state.remaining : kNoLimit;
  stats.reset = std::chrono::ceil<std::chrono::seconds>(reset.time_since_epoch()).count();
  stats.retry_after = std::chrono::seconds(
      std::max<std::int64_t>(1, seconds_until(reset, now, window ? window->seconds : kDaySeconds)));
  return stats;
}

void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now) {
  const RateState stats = rate_state(admission, now);
  add_field(fields, "X-RateLimit-Limit", std::to_string(stats.limit));
  add_field(fields, "X-RateLimit-Remaining", std::to_string(stats.remaining));
  add_field(fields, "X-RateLimit-Reset", std::to_string(stats.reset));

  std::string policy;
  std::string left;
  for (const Window& window : windows_of(admission)) {
    if (window.limit == 0) continue;
    const std::string_view separator = policy.empty() ? "" : ", ";
    policy.append(separator).append(window.name).append(";q=").append(std::to_string(window.limit));
    policy.append(";w=").append(std::to_string(window.seconds));
    left.append(separator).append(window.name).append(";r=").append(std::to_string(window.state.remaining));
    left.append(";t=").append(std::to_string(seconds_until(window.state.reset, now, window.seconds)));
  }
  if (policy.empty()) return;
  add_field(fields, "RateLimit-Policy", policy);
  add_field(fields, "RateLimit", left);
}

}  // namespace kbase::http
