// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/stderr_log.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

namespace kbase::system {
namespace {

std::string_view name_of(ports::LogLevel level) {
  switch (level) {
    case ports::LogLevel::Debug:
      return "debug";
    case ports::LogLevel::Info:
      return "info";
    case ports::LogLevel::Warning:
      return "warning";
    case ports::LogLevel::Error:
      return "error";
  }
  return "error";
}

/// Control characters would let a message forge a line or steer a terminal.
std::string printable(std::string_view text) {
  std::string safe(text);
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return safe;
}

std::string text_line(std::string_view time, ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) {
  std::string line(time);
  line.append(" ").append(name_of(level)).append(" ").append(event).append(": ").append(printable(message));
  for (const ports::LogField& field : fields)
    line.append(" ").append(field.name).append("=").append(printable(field.value));
  return line + '\n';
}

std::string json_line(std::string_view time, ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) {
  nlohmann::ordered_json line = {{"time", time}, {"level", name_of(level)}, {"event", event}, {"message", message}};
  for (const ports::LogField& field : fields) line[std::string(field.name)] = field.value;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

StderrLog::StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format)
    : clock_(clock),
      level_(level),
      as_json_(format == Format::Json || (format == Format::Auto && ::isatty(STDERR_FILENO) == 0)) {}

void StderrLog::log(ports::LogLevel level, std::string_view event, std::string_view message,
                    std::span<const ports::LogField> fields) {
  if (level < level_.load(std::memory_order_relaxed)) return;
  const std::string time = model::format_instant(clock_.now());
  const std::string line =
      as_json_ ? json_line(time, level, event, message, fields) : text_line(time, level, event, message, fields);
  // A log nobody can take is no reason to stop serving.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace kbase::system
