// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/git_days.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "adapters/content/child_process.hpp"

namespace kbase::content {
namespace {

constexpr ChildLimits kLimits{std::chrono::seconds(60), std::size_t{256} << 20, std::size_t{4} << 30};

}  // namespace

std::optional<model::Day> GitDays::last_commit(const std::string& path, const ports::Call& call) {
  if (!is_read_) read(call);
  is_read_ = true;
  const auto found = days_.find(path);
  return found == days_.end() ? std::nullopt : std::optional(found->second);
}

/// The log has the newest commit first: a time, then the names of the files that the commit changed, each ended by NUL.
void GitDays::read(const ports::Call& call) {
  const auto log =
      run_program({"git", "-C", folder_.string(), "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c",
                   "protocol.allow=never", "log",  // else a partial clone fetches what it lacks, by a command it names
                   "--format=format:%x01%ct", "--name-only", "--no-renames", "--relative", "-z", "--", "."},
                  {}, kLimits, call);
  if (!log || log->exit_code != 0) return;
  model::Day day{};
  std::string_view rest = log->output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(std::string_view("\0\n", 2)), rest.size());
    std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (entry.starts_with('\x01')) {
      std::int64_t seconds = 0;
      std::from_chars(entry.data() + 1, entry.data() + entry.size(), seconds);
      day = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
    } else if (!entry.empty()) {
      days_.try_emplace(std::string(entry), day);
    }
  }
}

}  // namespace kbase::content
