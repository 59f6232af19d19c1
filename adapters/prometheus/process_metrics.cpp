// SPDX-License-Identifier: Apache-2.0
#include "adapters/prometheus/process_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace kbase::prometheus {
namespace {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;

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

std::vector<MetricFamily> read_process_metrics() {
  std::vector<MetricFamily> families;
  if (const auto stat = read_stat()) add_stat(families, *stat);
  add_descriptors(families);
  return families;
}

}  // namespace kbase::prometheus
