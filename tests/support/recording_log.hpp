// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::tests {

/// An event log that tests can read. Thread-safe.
class RecordingLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view,
           std::span<const ports::LogField> fields) override {
    std::string line(event);
    for (const ports::LogField& field : fields) line.append(" ").append(field.name).append("=").append(text_of(field));
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }

  void flush() override {
    const std::lock_guard lock(mutex_);
    flushed_ = lines_.size();
  }

  /// Number of lines before the last flush.
  std::size_t flushed() const {
    const std::lock_guard lock(mutex_);
    return flushed_;
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return lines_.empty() ? "" : lines_.back();
  }

 private:
  static std::string text_of(const ports::LogField& field) {
    if (const auto* number = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*number);
    return std::string(std::get<std::string_view>(field.value));
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::size_t flushed_ = 0;
};

/// Names every client by its first byte: "s07".
class PlainPseudonyms final : public ports::Pseudonyms {
 public:
  ports::Pseudonym of(const model::ClientId& client_id) const override {
    ports::Pseudonym name;
    name.fill('.');
    name[0] = 's';
    name[1] = static_cast<char>('0' + client_id[0] / 10 % 10);
    name[2] = static_cast<char>('0' + client_id[0] % 10);
    return name;
  }
};

}  // namespace kbase::tests
