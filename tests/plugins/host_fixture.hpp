// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::tests {

inline kb_view to_view(std::string_view text) { return {text.data(), text.size()}; }

/// Invalid view: a size without data.
inline constexpr kb_view kInvalidView{nullptr, 7};

template <class Struct> Struct sized() {
  Struct made{};
  made.struct_size = sizeof made;
  return made;
}

/// Records log events. Thread-safe.
class RecordingLog final : public ports::EventLog {
 public:
  struct Line {
    ports::LogLevel level;
    std::string event, message, plugin;
    std::string further;  // the other fields: " name=text", " name:number"
  };

  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields) override {
    const std::lock_guard lock(mutex_);
    lines.push_back({level, std::string(event), std::string(message), {}, {}});
    for (const ports::LogField& field : fields)
      if (field.name == "plugin")
        lines.back().plugin = std::get<std::string_view>(field.value);
      else if (const auto* number = std::get_if<std::uint64_t>(&field.value))
        lines.back().further.append(" ").append(field.name).append(":").append(std::to_string(*number));
      else
        lines.back().further.append(" ").append(field.name).append("=").append(std::get<std::string_view>(field.value));
  }

  std::vector<Line> lines;

 private:
  std::mutex mutex_;
};

/// Records metrics by "name{label}". Not thread-safe.
class RecordingMetrics final : public ports::Metrics {
 public:
  struct Metric final : ports::Counter, ports::Gauge {
    void add(std::uint64_t more) noexcept override { value += static_cast<std::int64_t>(more); }
    void add(std::int64_t more) noexcept override { value += more; }
    std::int64_t value = 0;
  };

  ports::Counter& counter(std::string_view name, std::string_view, Labels labels) override { return at(name, labels); }
  ports::Gauge& gauge(std::string_view name, std::string_view, Labels labels) override { return at(name, labels); }
  ports::Histogram& histogram(std::string_view, std::string_view, std::span<const double>, Labels) override {
    throw std::logic_error("no test uses a histogram");
  }
  void register_callback(Kind, std::string_view, std::string_view, Reading, Labels) override {}
  Exposition expose() const override { return {}; }

  std::map<std::string, Metric, std::less<>> series;

 private:
  Metric& at(std::string_view name, Labels labels) {
    std::string key(name);
    for (const Label& label : labels) key.append("{").append(label.name).append("=").append(label.value).append("}");
    return series[key];
  }
};

/// Host whose clock, log and metrics a test can inspect.
struct HostFixture {
  conformance::ManualClock clock;
  RecordingLog log;
  RecordingMetrics metrics;
  plugin_host::HostTable host{"org.example.fake", "org.example.fake (/fake.so)", {clock, log, &metrics}};
};

}  // namespace kbase::tests
