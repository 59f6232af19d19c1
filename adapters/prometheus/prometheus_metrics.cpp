// SPDX-License-Identifier: Apache-2.0
#include "adapters/prometheus/prometheus_metrics.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace kbase::prometheus {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;

/// One sample line, or one histogram, of the exposition. prometheus-cpp locks a mutex for each observation, so only its
/// data model and its text serializer are used; the counting is implemented here.
class Series {
 public:
  virtual ~Series() = default;

  /// Returns the current values, without labels, or nullopt if there is no value to report.
  virtual std::optional<ClientMetric> collect() const = 0;
};

namespace {

/// Counters are sharded by CPU, one cache line per shard, to avoid contention on cache lines.
constexpr std::size_t kShards = 16;
constexpr std::size_t kCacheLine = 64;

/// Returns the shard of the current CPU. Any shard gives a correct sum.
std::size_t current_shard() noexcept {
  // glibc reads the CPU number from memory that the kernel keeps up to date (rseq(2)). On failure it returns -1, which
  // also maps to a valid shard.
  return static_cast<unsigned>(::sched_getcpu()) % kShards;
}

/// Sum sharded by CPU. Thread-safe.
template <class Number> class ShardedSum {
 public:
  void add(Number more) noexcept { shards_[current_shard()].sum.fetch_add(more, std::memory_order_relaxed); }

  Number total() const noexcept {
    Number total = 0;
    for (const Shard& shard : shards_) total += shard.sum.load(std::memory_order_relaxed);
    return total;
  }

 private:
  struct alignas(kCacheLine) Shard {
    std::atomic<Number> sum{0};
  };
  std::array<Shard, kShards> shards_;
};

class ShardedCounter final : public ports::Counter, public Series {
 public:
  void add(std::uint64_t more) noexcept override { count_.add(more); }
  std::optional<ClientMetric> collect() const override {
    ClientMetric metric;
    metric.counter.value = static_cast<double>(count_.total());
    return metric;
  }

 private:
  ShardedSum<std::uint64_t> count_;
};

class ShardedGauge final : public ports::Gauge, public Series {
 public:
  void add(std::int64_t more) noexcept override { level_.add(more); }
  std::optional<ClientMetric> collect() const override {
    ClientMetric metric;
    metric.gauge.value = static_cast<double>(level_.total());
    return metric;
  }

 private:
  ShardedSum<std::int64_t> level_;
};

class ShardedHistogram final : public ports::Histogram, public Series {
 public:
  explicit ShardedHistogram(std::span<const double> bounds) : bounds_(bounds.begin(), bounds.end()) {
    for (Shard& shard : shards_) shard.counts = std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1);
  }

  void observe(double value) noexcept override {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    Shard& shard = shards_[current_shard()];
    shard.counts[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    shard.sum.fetch_add(value, std::memory_order_relaxed);
  }

  std::optional<ClientMetric> collect() const override {
    ClientMetric metric;
    ClientMetric::Histogram& histogram = metric.histogram;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      for (const Shard& shard : shards_) histogram.sample_count += shard.counts[i].load(std::memory_order_relaxed);
      if (i < bounds_.size()) histogram.bucket.push_back({histogram.sample_count, bounds_[i]});
    }
    for (const Shard& shard : shards_) histogram.sample_sum += shard.sum.load(std::memory_order_relaxed);
    return metric;
  }

 private:
  struct alignas(kCacheLine) Shard {
    std::atomic<double> sum{0};
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts;  // one per bound, plus one for larger values
  };

  const std::vector<double> bounds_;
  std::array<Shard, kShards> shards_;
};

/// Series whose value is read from a callback.
class WatchedSeries final : public Series {
 public:
  WatchedSeries(ports::Metrics::Kind kind, ports::Metrics::Reading read) : kind_(kind), read_(std::move(read)) {}
  std::optional<ClientMetric> collect() const override {
    const auto value = read_();
    if (!value) return std::nullopt;
    ClientMetric metric;
    (kind_ == ports::Metrics::Kind::Counter ? metric.counter.value : metric.gauge.value) = *value;
    return metric;
  }

 private:
  const ports::Metrics::Kind kind_;
  const ports::Metrics::Reading read_;
};

/// Fields of /proc/self/stat, in the units of proc(5).
struct ProcessStat {
  double user_ticks = 0;
  double system_ticks = 0;
  double threads = 0;
  double start_ticks = 0;  // since boot
  double virtual_bytes = 0;
  double resident_pages = 0;
};

std::optional<ProcessStat> read_stat() {
  std::ifstream file("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_end = text.rfind(')');  // field 2, the process name, may contain spaces and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string field;
  ProcessStat stat;
  for (int number = 3; number <= 24 && rest >> field; ++number) {
    if (number == 14) stat.user_ticks = std::stod(field);
    if (number == 15) stat.system_ticks = std::stod(field);
    if (number == 20) stat.threads = std::stod(field);
    if (number == 22) stat.start_ticks = std::stod(field);
    if (number == 23) stat.virtual_bytes = std::stod(field);
    if (number == 24) stat.resident_pages = std::stod(field);
  }
  return rest ? std::optional(stat) : std::nullopt;
}

/// Returns the boot time of the machine in Unix seconds.
std::optional<double> read_boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  return std::nullopt;
}

MetricFamily family(const char* name, const char* help, MetricType type, double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {name, help, type, {metric}};
}

void add_stat(std::vector<MetricFamily>& families, const ProcessStat& stat) {
  const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  families.push_back(family("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                            MetricType::Counter, (stat.user_ticks + stat.system_ticks) / ticks_per_second));
  families.push_back(family("process_resident_memory_bytes", "Resident memory size in bytes.", MetricType::Gauge,
                            stat.resident_pages * page_bytes));
  families.push_back(
      family("process_virtual_memory_bytes", "Virtual memory size in bytes.", MetricType::Gauge, stat.virtual_bytes));
  families.push_back(
      family("process_threads", "Number of OS threads in the process.", MetricType::Gauge, stat.threads));
  if (const auto boot = read_boot_time())
    families.push_back(family("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                              MetricType::Gauge, *boot + stat.start_ticks / ticks_per_second));
}

void add_descriptors(std::vector<MetricFamily>& families) {
  namespace fs = std::filesystem;
  std::error_code failed;
  double count = -1;  // do not count the iterator's own descriptor
  for (fs::directory_iterator open("/proc/self/fd", failed); !failed && open != fs::directory_iterator();
       open.increment(failed))
    ++count;
  if (failed) return;
  families.push_back(family("process_open_fds", "Number of open file descriptors.", MetricType::Gauge, count));
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    families.push_back(family("process_max_fds", "Maximum number of open file descriptors.", MetricType::Gauge,
                              static_cast<double>(limit.rlim_cur)));
}

}  // namespace

PrometheusMetrics::PrometheusMetrics() = default;
PrometheusMetrics::~PrometheusMetrics() = default;

/// Returns the slot of a series; the slot is null if the series is new. The caller holds the lock.
std::unique_ptr<Series>& PrometheusMetrics::find_slot(Type type, std::string_view name, std::string_view help,
                                                      Labels labels) {
  LabelValues values;
  for (const Label& label : labels) values.emplace_back(label.name, label.value);
  Family& family = families_.try_emplace(std::string(name), Family{type, std::string(help), {}}).first->second;
  assert(family.type == type);
  return family.series[std::move(values)];
}

template <class SeriesType, class... Arguments>
SeriesType& PrometheusMetrics::find_or_create(Type type, std::string_view name, std::string_view help, Labels labels,
                                              const Arguments&... arguments) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Series>& slot = find_slot(type, name, help, labels);
  if (slot == nullptr) slot = std::make_unique<SeriesType>(arguments...);
  auto* const typed = dynamic_cast<SeriesType*>(slot.get());
  assert(typed != nullptr);
  return *typed;
}

ports::Counter& PrometheusMetrics::counter(std::string_view name, std::string_view help, Labels labels) {
  return find_or_create<ShardedCounter>(Type::Counter, name, help, labels);
}

ports::Gauge& PrometheusMetrics::gauge(std::string_view name, std::string_view help, Labels labels) {
  return find_or_create<ShardedGauge>(Type::Gauge, name, help, labels);
}

ports::Histogram& PrometheusMetrics::histogram(std::string_view name, std::string_view help,
                                               std::span<const double> bounds, Labels labels) {
  return find_or_create<ShardedHistogram>(Type::Histogram, name, help, labels, bounds);
}

void PrometheusMetrics::register_callback(Kind kind, std::string_view name, std::string_view help, Reading read,
                                          Labels labels) {
  const std::lock_guard lock(mutex_);
  const Type type = kind == Kind::Counter ? Type::Counter : Type::Gauge;
  find_slot(type, name, help, labels) = std::make_unique<WatchedSeries>(kind, std::move(read));
}

ports::Metrics::Exposition PrometheusMetrics::expose() const {
  std::vector<MetricFamily> families = read_process_metrics();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      MetricFamily exported{name, family.help, MetricType::Counter, {}};
      if (family.type == Type::Gauge) exported.type = MetricType::Gauge;
      if (family.type == Type::Histogram) exported.type = MetricType::Histogram;
      for (const auto& [labels, series] : family.series) {
        auto collected = series->collect();
        if (!collected) continue;
        exported.metric.push_back(*std::move(collected));
        for (const auto& [label, value] : labels) exported.metric.back().label.push_back({label, value});
      }
      families.push_back(std::move(exported));
    }
  }
  return {"text/plain; version=0.0.4; charset=utf-8", ::prometheus::TextSerializer().Serialize(families)};
}

std::vector<MetricFamily> read_process_metrics() {
  std::vector<MetricFamily> families;
  if (const auto stat = read_stat()) add_stat(families, *stat);
  add_descriptors(families);
  return families;
}

}  // namespace kbase::prometheus
