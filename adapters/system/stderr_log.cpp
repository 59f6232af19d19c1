// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/stderr_log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "adapters/base/json.hpp"
#include "domain/base/text.hpp"

namespace kbase::system {
namespace {

constexpr std::chrono::milliseconds kGatherTime{5};
constexpr std::chrono::milliseconds kTimeout{100};  // poll(2) timeout; stopping_ is checked after each one
constexpr int kMaxPollsAfterStop = 10;
constexpr std::chrono::seconds kFlushTime{1};

/// Returns the complete lines at the start of `lines` that fit into one atomic write to a pipe (POSIX write(),
/// PIPE_BUF), or the first line alone if it is longer.
std::string_view next_piece(std::string_view lines) {
  if (lines.size() <= PIPE_BUF) return lines;
  std::size_t end = lines.rfind('\n', PIPE_BUF - 1);
  if (end == std::string_view::npos) end = std::min(lines.find('\n'), lines.size() - 1);
  return lines.substr(0, end + 1);
}

constexpr std::size_t kCommonLineBytes = 320;

std::string_view name_of(ports::LogLevel level) {
  switch (level) {
    case ports::LogLevel::Debug: return "debug";
    case ports::LogLevel::Info: return "info";
    case ports::LogLevel::Warning: return "warning";
    case ports::LogLevel::Error: return "error";
  }
  return "error";
}

/// Appends `text` with control characters replaced by spaces, so that a message cannot forge a line or control a
/// terminal.
void append_printable(std::string& line, std::string_view text) {
  const std::size_t start = line.size();
  line += text;
  for (std::size_t i = start; i < line.size(); ++i)
    std::memset(line.data() + i, ' ', utf8::control_length(std::string_view(line).substr(i)));
}

template <class Append> void append_value(std::string& line, const ports::LogField& field, Append&& append) {
  if (const auto* number = std::get_if<std::uint64_t>(&field.value))
    line += std::to_string(*number);
  else
    append(line, std::get<std::string_view>(field.value));
}

std::string format_text_line(std::string_view time, ports::LogLevel level, std::string_view event,
                             std::string_view message, std::span<const ports::LogField> fields) {
  std::string line;
  line.reserve(kCommonLineBytes);
  line.append(time).append(" ").append(name_of(level)).append(" ").append(event).append(":");
  if (!message.empty()) {
    line += ' ';
    append_printable(line, message);
  }
  for (const ports::LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    append_value(line, field, append_printable);
  }
  return line += '\n';
}

std::string format_json_line(std::string_view time, ports::LogLevel level, std::string_view event,
                             std::string_view message, std::span<const ports::LogField> fields) {
  std::string line;
  line.reserve(kCommonLineBytes);
  line.append(R"({"time":")").append(time).append(R"(","level":")").append(name_of(level));
  line.append(R"(","event":")").append(event).append("\"");
  if (!message.empty()) {
    line += R"(,"message":)";
    json::append_string(line, message);
  }
  for (const ports::LogField& field : fields) {
    line.append(",\"").append(field.name).append("\":");
    append_value(line, field, json::append_string);
  }
  return line += "}\n";
}

/// Formats `now` with milliseconds, so that lines can be ordered among those of other programs.
std::string format_time(model::Instant now) {
  const auto fraction = (now - std::chrono::floor<std::chrono::seconds>(now)).count();
  std::string text = model::format_instant(now);
  text.replace(text.size() - 1, 1, std::to_string(1000 + fraction));  // replaces "Z"
  text[text.size() - 4] = '.';
  return text += 'Z';
}

}  // namespace

LineWriter::LineWriter(int descriptor, std::size_t capacity)
    : descriptor_(descriptor), capacity_(capacity), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::uint64_t LineWriter::write(std::string_view line) {
  std::uint64_t dropped = 0;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (pending_.size() + line.size() > capacity_) {
      ++dropped_;
      return 0;
    }
    dropped = std::exchange(dropped_, 0);
    is_first = pending_.empty();
    pending_ += line;
  }
  if (is_first) wake_.notify_one();
  return dropped;
}

void LineWriter::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = batches_ + (is_writing_ ? 1 : 0) + (pending_.empty() ? 0 : 1);
  written_.wait_for(lock, kFlushTime, [&] { return batches_ >= wanted; });
}

void LineWriter::run() {
  std::string lines;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    wake_.wait_for(lock, kGatherTime, [this] { return stopping_; });
    lines.clear();
    lines.swap(pending_);
    is_writing_ = true;
    lock.unlock();
    write_out(lines);
    lock.lock();
    is_writing_ = false;
    ++batches_;
    written_.notify_all();
  }
}

void LineWriter::write_out(std::string_view lines) {
  while (!lines.empty() && wait_writable()) {
    const ssize_t written = ::write(descriptor_, lines.data(), next_piece(lines).size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    lines.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

/// Waits until the descriptor is writable. Returns false if it does not become writable within kMaxPollsAfterStop
/// timeouts after the stop. Afterwards a write of at most PIPE_BUF bytes to a pipe does not block.
bool LineWriter::wait_writable() {
  for (int polls = 0; polls < kMaxPollsAfterStop;) {
    pollfd wanted{descriptor_, POLLOUT, 0};
    if (::poll(&wanted, 1, static_cast<int>(kTimeout.count())) > 0) return true;
    const std::lock_guard lock(mutex_);
    if (stopping_) ++polls;
  }
  return false;
}

StderrLog::StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format)
    : clock_(clock),
      level_(level),
      as_json_(format == Format::Json || (format == Format::Auto && ::isatty(STDERR_FILENO) == 0)) {}

void StderrLog::write_in_background() {
  background_ = std::make_unique<LineWriter>(STDERR_FILENO);
  writer_.store(background_.get(), std::memory_order_release);
}

std::string StderrLog::format_line(ports::LogLevel level, std::string_view event, std::string_view message,
                                   std::span<const ports::LogField> fields) const {
  const std::string time = format_time(clock_.now());
  return as_json_ ? format_json_line(time, level, event, message, fields)
                  : format_text_line(time, level, event, message, fields);
}

void StderrLog::flush() {
  if (LineWriter* const writer = writer_.load(std::memory_order_acquire); writer != nullptr) writer->flush();
}

void StderrLog::log(ports::LogLevel level, std::string_view event, std::string_view message,
                    std::span<const ports::LogField> fields) {
  if (!is_enabled(level)) return;
  const std::string line = format_line(level, event, message, fields);
  LineWriter* const writer = writer_.load(std::memory_order_acquire);
  if (writer == nullptr) {
    // Write errors are ignored: a failing log must not stop the program.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    return;
  }
  if (const std::uint64_t dropped = writer->write(line); dropped > 0) {
    const ports::LogField lines{"lines", dropped};
    writer->write(format_line(ports::LogLevel::Warning, "log.dropped",
                              "The log was not read fast enough; lines before the last one are missing.", {&lines, 1}));
  }
}

}  // namespace kbase::system
