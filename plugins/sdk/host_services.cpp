// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/host_services.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string>

#include "plugins/sdk/translation.hpp"

namespace kbase::sdk {
namespace {

constexpr std::uint32_t kNoSeries = std::numeric_limits<std::uint32_t>::max();

std::int32_t number_of(ports::LogLevel level) {
  switch (level) {
    case ports::LogLevel::Debug: return KB_LOG_DEBUG;
    case ports::LogLevel::Info: return KB_LOG_INFO;
    case ports::LogLevel::Warning: return KB_LOG_WARNING;
    case ports::LogLevel::Error: return KB_LOG_ERROR;
  }
  return KB_LOG_ERROR;
}

std::string sentence_of(std::string_view message, std::span<const ports::LogField> fields) {
  std::string sentence(message);
  for (const ports::LogField& field : fields) {
    sentence.append(" ").append(field.name).append("=");
    if (const auto* number = std::get_if<std::uint64_t>(&field.value))
      sentence += std::to_string(*number);
    else
      sentence += std::get<std::string_view>(field.value);
  }
  return sentence;
}

}  // namespace

model::Instant HostClock::now() const {
  if (KB_HAS(&host_, wall_ms)) return instant_of(host_.wall_ms(&host_));
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point HostClock::steady() const {
  return KB_HAS(&host_, monotonic_ns) ? time_of(host_.monotonic_ns(&host_)) : std::chrono::steady_clock::now();
}

void HostLog::log(ports::LogLevel level, std::string_view event, std::string_view message,
                  std::span<const ports::LogField> fields) {
  if (!KB_HAS(&host_, log)) return;
  host_.log(&host_, number_of(level), view_of(event), view_of(sentence_of(message, fields)));
}

HostSeries::HostSeries(const kb_host& host, std::int32_t kind, std::string_view name, std::string_view help)
    : host_(host),
      number_(KB_HAS(&host, metric) ? host.metric(&host, kind, view_of(name), view_of(help)) : kNoSeries) {}

void HostSeries::add(std::int64_t amount) noexcept {
  if (number_ != kNoSeries && KB_HAS(&host_, metric_add)) host_.metric_add(&host_, number_, amount);
}

void KernelRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace kbase::sdk
