// SPDX-License-Identifier: Apache-2.0
#include <sys/timex.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>

#include "app/cli/doctor/checks.hpp"

namespace kbase::cli::doctor {
namespace {

/// Files that a server opens in addition to its client connections.
constexpr std::uint64_t kOtherFiles = 256;
/// Threads of a server in addition to its reactors and the pools for upstream services: workers, pollers, health
/// checkers, index builders.
constexpr std::uint64_t kOtherThreads = 32;
constexpr std::chrono::milliseconds kMaxSkew{5000};

std::string folder_of(std::optional<pid_t> server) {
  return "/proc/" + (server ? std::to_string(*server) : std::string("self"));
}

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Parses a limit. "unlimited" and "max", the kernel's names for no limit, are not numbers.
std::uint64_t limit_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? number : kUnlimited;
}

std::string text_of(std::uint64_t limit) { return limit == kUnlimited ? "any number" : std::to_string(limit); }

struct Limit {
  std::uint64_t soft = kUnlimited, hard = kUnlimited;
};

/// Reads a line of /proc/PID/limits, which has columns of fixed width (proc_pid_limits(5)). nullopt: it cannot be read.
std::optional<Limit> limit_of(std::optional<pid_t> process, std::string_view name) {
  constexpr std::size_t kSoft = 26, kHard = 47;
  std::ifstream limits(folder_of(process) + "/limits");
  for (std::string line; std::getline(limits, line);)
    if (line.starts_with(name) && line.size() > kHard)
      return Limit{limit_in(std::string_view(line).substr(kSoft)), limit_in(std::string_view(line).substr(kHard))};
  return std::nullopt;
}

/// Returns the lowest pids.max from the process's cgroup up to the root. Only for cgroups of version 2.
std::uint64_t cgroup_pid_limit(std::optional<pid_t> process) {
  std::ifstream groups(folder_of(process) + "/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::")) {
  }
  std::uint64_t lowest = kUnlimited;
  if (!line.starts_with("0::/")) return lowest;
  for (std::filesystem::path path = line.substr(4);; path = path.parent_path()) {
    std::ifstream file(std::filesystem::path("/sys/fs/cgroup") / path / "pids.max");
    std::string text;
    if (file >> text) lowest = std::min(lowest, limit_in(text));
    if (path.empty()) return lowest;
  }
}

void check_files(const config::Settings& settings, std::optional<pid_t> server, const std::string& whose,
                 Findings& findings) {
  const auto limit = limit_of(server, "Max open files");
  if (!limit) return findings.skip("limits.files", "the limit of " + whose + " cannot be read");
  const std::uint64_t required = settings.server.max_connections + kOtherFiles;
  const std::string needed =
      std::to_string(settings.server.max_connections) + " connections need " + std::to_string(required) + " open files";
  const std::string given = whose + " may have " + text_of(limit->hard);
  if (limit->hard >= required) return findings.ok("limits.files", needed + "; " + given);
  findings.fail("limits.files", needed + ", and " + given,
                "LimitNOFILE=" + std::to_string(required) +
                    " in the service's unit (ulimit -Hn elsewhere), or a lower server.max_connections");
}

void check_threads(const config::Settings& settings, std::optional<pid_t> server, const std::string& whose,
                   Findings& findings) {
  const auto pool = [](const auto& section) {
    return section.plugin == config::kNoPlugin ? std::uint64_t{1} : std::uint64_t{section.max_concurrent};
  };
  const std::uint64_t required = settings.server.threads + pool(settings.codehost) + pool(settings.llm) + kOtherThreads;
  const std::uint64_t user_limit = limit_of(server, "Max processes").value_or(Limit()).soft;
  const std::uint64_t maximum = std::min(user_limit, cgroup_pid_limit(server));
  const std::string needed = "a server uses up to " + std::to_string(required) + " threads";
  const std::string given = whose + " may have " + text_of(maximum);
  if (maximum >= required) return findings.ok("limits.threads", needed + "; " + given);
  findings.fail("limits.threads", needed + ", and " + given,
                "TasksMax=" + std::to_string(required) +
                    " or more in the service's unit (pids limit of a container, ulimit -u elsewhere), or lower "
                    "server.threads, codehost.max_concurrent and llm.max_concurrent");
}

}  // namespace

void check_limits(const config::Settings& settings, std::optional<pid_t> server, Findings& findings) {
  const std::string whose = server ? "the running server" : "this process";
  check_files(settings, server, whose, findings);
  check_threads(settings, server, whose, findings);
}

void check_clock(Findings& findings) {
  timex state{};  // without modes, adjtimex(2) only reads the state
  const int answered = ::adjtimex(&state);
  if (answered < 0)
    return findings.skip("clock.machine", "the system does not report whether the clock is synchronized");
  if (answered != TIME_ERROR && (state.status & STA_UNSYNC) == 0)
    return findings.ok("clock.machine", "synchronized; maximum error " + std::to_string(state.maxerror / 1000) + " ms");
  findings.warn("clock.machine", "the kernel reports that the machine's clock is not synchronized",
                "run chrony or systemd-timesyncd, unless the host of this virtual machine sets the clock");
}

void compare_clocks(std::string check, model::Instant theirs, model::Instant ours, std::chrono::milliseconds precision,
                    Findings& findings) {
  const auto ahead = theirs - ours;
  const bool is_ahead = ahead.count() > 0;
  const auto distance = is_ahead ? ahead : -ahead;
  const std::string seconds = std::to_string(std::chrono::round<std::chrono::seconds>(distance).count());
  if (distance <= precision) return findings.ok(std::move(check), "same time as this machine's clock");
  const std::string message = "it is " + seconds + " s " + (is_ahead ? "ahead of" : "behind") + " this machine's clock";
  if (distance <= kMaxSkew) return findings.ok(std::move(check), message);
  findings.fail(std::move(check), message, "synchronize the clocks of both machines: rate limits depend on them");
}

}  // namespace kbase::cli::doctor
