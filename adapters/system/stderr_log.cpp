// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/stderr_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "domain/model/utf8.hpp"

namespace kbase::system {
namespace {

constexpr std::size_t kCommonLineBytes = 320;

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

/// Appends `text` with control characters replaced by spaces, so that a message cannot forge a line or control a
/// terminal.
void append_printable(std::string& line, std::string_view text) {
  const std::size_t start = line.size();
  line += text;
  for (std::size_t i = start; i < line.size(); ++i)
    std::memset(line.data() + i, ' ', model::utf8::control_length(std::string_view(line).substr(i)));
}

/// Appends `text` as a JSON string (RFC 8259 section 7). Replaces invalid UTF-8 with U+FFFD.
void append_json(std::string& line, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  line += '"';
  while (!text.empty()) {
    const std::size_t length = model::utf8::sequence_length(text);
    const char first = text.front();
    if (length == 0) {
      line += "\uFFFD";
    } else if (first == '"' || first == '\\') {
      (line += '\\') += first;
    } else if (static_cast<unsigned char>(first) < 0x20) {
      ((line += "\\u00") += kDigits[static_cast<unsigned char>(first) >> 4]) += kDigits[first & 15];
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  line += '"';
}

template <class Append>
void append_value(std::string& line, const ports::LogField& field, Append&& append) {
  if (const auto* number = std::get_if<std::uint64_t>(&field.value))
    line += std::to_string(*number);
  else
    append(line, std::get<std::string_view>(field.value));
}

std::string text_line(std::string_view time, ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) {
  std::string line;
  line.reserve(kCommonLineBytes);
  line.append(time).append(" ").append(name_of(level)).append(" ").append(event).append(": ");
  append_printable(line, message);
  for (const ports::LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    append_value(line, field, append_printable);
  }
  return line += '\n';
}

std::string json_line(std::string_view time, ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) {
  std::string line;
  line.reserve(kCommonLineBytes);
  line.append(R"({"time":")").append(time).append(R"(","level":")").append(name_of(level));
  line.append(R"(","event":")").append(event).append(R"(","message":)");
  append_json(line, message);
  for (const ports::LogField& field : fields) {
    line.append(",\"").append(field.name).append("\":");
    append_value(line, field, append_json);
  }
  return line += "}\n";
}

/// Formats `now` with milliseconds, so that lines can be ordered among those of other programs.
std::string time_text(model::Instant now) {
  const auto fraction = (now - std::chrono::floor<std::chrono::seconds>(now)).count();
  std::string text = model::format_instant(now);
  text.replace(text.size() - 1, 1, std::to_string(1000 + fraction));  // replaces "Z"
  text[text.size() - 4] = '.';
  return text += 'Z';
}

}  // namespace

StderrLog::StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format)
    : clock_(clock),
      level_(level),
      as_json_(format == Format::Json || (format == Format::Auto && ::isatty(STDERR_FILENO) == 0)) {}

void StderrLog::write_in_background() {
  background_ = std::make_unique<LineWriter>(STDERR_FILENO);
  writer_.store(background_.get(), std::memory_order_release);
}

std::string StderrLog::line_of(ports::LogLevel level, std::string_view event, std::string_view message,
                               std::span<const ports::LogField> fields) const {
  const std::string time = time_text(clock_.now());
  return as_json_ ? json_line(time, level, event, message, fields) : text_line(time, level, event, message, fields);
}

void StderrLog::log(ports::LogLevel level, std::string_view event, std::string_view message,
                    std::span<const ports::LogField> fields) {
  if (!takes(level)) return;
  const std::string line = line_of(level, event, message, fields);
  LineWriter* const writer = writer_.load(std::memory_order_acquire);
  if (writer == nullptr) {
    // Write errors are ignored: a failing log must not stop the program.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    return;
  }
  if (const std::uint64_t dropped = writer->write(line); dropped > 0) {
    const ports::LogField lines{"lines", dropped};
    writer->write(line_of(ports::LogLevel::Warning, "log.dropped",
                          "Nobody read the log fast enough, so lines before the last one are missing.", {&lines, 1}));
  }
}

}  // namespace kbase::system
