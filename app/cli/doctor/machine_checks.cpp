// SPDX-License-Identifier: Apache-2.0
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/doctor/checks.hpp"
#include "app/composition/configured_files.hpp"
#include "app/plugin_host/descriptor_check.hpp"
#include "app/runtime/data_folder.hpp"

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

std::string limit_text(std::uint64_t limit) { return limit == kUnlimited ? "any number" : std::to_string(limit); }

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
  const std::string given = whose + " may have " + limit_text(limit->hard);
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
  const std::string given = whose + " may have " + limit_text(maximum);
  if (maximum >= required) return findings.ok("limits.threads", needed + "; " + given);
  findings.fail("limits.threads", needed + ", and " + given,
                "TasksMax=" + std::to_string(required) +
                    " or more in the service's unit (pids limit of a container, ulimit -u elsewhere), or lower "
                    "server.threads, codehost.max_concurrent and llm.max_concurrent");
}

/// Loads the settings without checking the plugins' own parts, so that a missing or broken plugin does not prevent the
/// other checks.
std::optional<config::Settings> settings_without_plugins(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = [](const config::ChosenPlugin&) {
    return config::PluginConfig{R"({"type": "object", "additionalProperties": true})"};
  };
  auto settings = config::load(options);
  if (!settings) return std::nullopt;
  return *std::move(settings);
}

std::string facts_of(const plugin_host::Plugin& plugin) {
  const kb_plugin& descriptor = plugin.descriptor();
  return std::string(descriptor.id) + " " + descriptor.version + ", ABI " +
         plugin_host::text_of(descriptor.abi_major, descriptor.abi_minor) + ", " + plugin.path().string();
}

/// Returns the process in a line of /proc/locks such as "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131082 0 EOF"
/// (proc_locks(5)) if it locks a file with this inode number. Ignores the device: layered file systems and some others,
/// such as btrfs, report two.
std::optional<pid_t> holder_in(const std::string& line, ino_t file) {
  std::istringstream words(line);
  std::string number, kind, type, mode, location;
  pid_t process = 0;
  if (!(words >> number >> kind >> type >> mode >> process >> location) || kind != "FLOCK" || mode != "WRITE")
    return std::nullopt;
  return location.ends_with(":" + std::to_string(file)) ? std::optional(process) : std::nullopt;
}

/// Returns the name of a process's program (proc_pid_comm(5)); "self" is this process. Empty: the process has ended.
std::string program_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

namespace fs = std::filesystem;

/// A rebuild creates a second index, and an import writes its batch twice before the write-ahead log is truncated.
constexpr std::uint64_t kMinFreeBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Calls `visit(path, status)` for a folder and everything in it. Skips files that are deleted meanwhile, such as
/// segments and journals.
void for_each_file(const fs::path& folder, const std::function<void(const fs::path&, const struct stat&)>& visit) {
  const auto visit_path = [&](const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) visit(path, status);
  };
  visit_path(folder);
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry.depth() == 0 && entry->path().filename() == "lost+found")
      entry.disable_recursion_pending();  // belongs to root if the folder is a separate file system
    else
      visit_path(entry->path());
  }
}

std::string name_of(uid_t user) {
  const passwd* const known = ::getpwuid(user);
  return known != nullptr ? known->pw_name : std::to_string(user);
}

/// The first file that violates a rule, and the number of violations.
struct Violation {
  fs::path first;
  std::size_t count = 0;

  void add(const fs::path& path) {
    if (count++ == 0) first = path;
  }
  std::string text() const {
    return first.string() + (count > 1 ? " and " + std::to_string(count - 1) + " more" : std::string());
  }
};

struct Violations {
  Violation foreign, writable, readable, closed;
};

Violations find_violations(const fs::path& folder) {
  struct stat top {};
  Violations found;
  if (::stat(folder.c_str(), &top) != 0) return found;
  for_each_file(folder, [&](const fs::path& path, const struct stat& status) {
    if (S_ISLNK(status.st_mode)) return;
    const bool is_secret = path.filename() == "log.secret";
    if (status.st_uid != top.st_uid) found.foreign.add(path);
    if ((status.st_mode & S_IWOTH) != 0) found.writable.add(path);
    if (is_secret && (status.st_mode & (S_IRGRP | S_IROTH)) != 0) found.readable.add(path);
    if (::access(path.c_str(), R_OK | W_OK) != 0) found.closed.add(path);
  });
  return found;
}

void check_permissions(const std::string& check, const fs::path& folder, Findings& findings) {
  struct stat top {};
  if (::stat(folder.c_str(), &top) != 0) return;
  const std::string owner = name_of(top.st_uid), where = folder.string();
  const Violations found = find_violations(folder);
  if (found.foreign.count > 0)
    return findings.fail(
        check, "files with another owner than " + owner + ", the owner of the folder: " + found.foreign.text(),
        "chown -R " + owner + ": " + where + ", and run kbase's commands as " + owner);
  if (found.writable.count > 0)
    return findings.fail(check, "writable by all users: " + found.writable.text(), "chmod -R o-w " + where);
  if (found.readable.count > 0)
    return findings.fail(check, "other users can read the secret of the log's client names in " + found.readable.text(),
                         "chmod 600 " + found.readable.first.string());
  if (found.closed.count > 0)
    return findings.fail(check, "this user, " + name_of(::geteuid()) + ", cannot read and write " + found.closed.text(),
                         "run kbase as " + owner + ", or give this user read and write access");
  findings.ok(check, "all files belong to " + owner + ", and other users cannot write them");
}

void check_space(const std::string& check, const fs::path& folder, Findings& findings) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return findings.skip(check, folder.string() + ": " + std::strerror(errno));
  std::uint64_t used = 0;
  for_each_file(folder, [&](const fs::path&, const struct stat& status) {
    used += static_cast<std::uint64_t>(status.st_blocks) * 512;  // st_blocks is in units of 512 bytes on every file
                                                                 // system, stat(2)
  });
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::uint64_t needed = std::max(kMinFreeBytes, used);
  const std::string message = std::to_string(free / kMiB) + " MiB are free, and " + std::to_string(used / kMiB) +
                              " MiB are used in " + folder.string();
  if (free >= needed) return findings.ok(check, message);
  findings.fail(check, message,
                "free " + std::to_string((needed - free) / kMiB + 1) +
                    " MiB: a rebuild of the index or an import needs as much space again, at least 256 MiB");
}

void check_folder(const std::string& name, const fs::path& folder, Findings& findings) {
  const std::string check = name + ".folder";
  std::error_code failed;
  const fs::file_status status = fs::status(folder, failed);
  if (!fs::exists(status))
    return findings.fail(check, "there is no folder " + folder.string(),
                         "check " + name + " in the configuration; `kbase import` and `kbase serve` create the folder");
  if (!fs::is_directory(status))
    return findings.fail(check, folder.string() + " is not a folder", "set another folder, or move this file away");
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    return findings.fail(check, folder.string() + ": " + std::strerror(errno),
                         "give the user that runs kbase read and write access");
  findings.ok(check, folder.string());
  check_permissions(name + ".permissions", folder, findings);
  check_space(name + ".space", folder, findings);
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

ReadSettings check_configuration(const ConfigArguments& arguments, Findings& findings) {
  auto settings = load_settings_to_serve(arguments);
  if (settings) {
    findings.ok("configuration", arguments.file.empty() ? "the built-in defaults" : arguments.file + " is valid");
    return {*std::move(settings), true};
  }
  findings.fail(
      "configuration", text_of(settings.error()),
      "fix the configuration; `kbase config schema` describes every key and `kbase config check` checks it again");
  return {settings_without_plugins(arguments), false};
}

std::vector<Section> sections_of(const config::Settings& settings) {
  return {{"storage", settings.storage}, {"search", settings.search},     {"rate_limit", settings.rate_limit},
          {"cache", settings.cache},     {"codehost", settings.codehost}, {"llm", settings.llm}};
}

config::ChosenPlugin chosen(const config::Settings& settings, const Section& section) {
  return {section.name, section.backend.plugin, section.backend.sha256, settings.plugin_directories};
}

void check_plugins(const config::Settings& settings, Findings& findings) {
  for (const Section& section : sections_of(settings)) {
    const std::string check = "plugin." + std::string(section.name);
    if (section.backend.plugin == config::kNoPlugin) {
      findings.skip(check, "no plugin is configured");
      continue;
    }
    const auto plugin = composition::load_chosen_plugin(chosen(settings, section));
    if (plugin)
      findings.ok(check, facts_of(*plugin));
    else
      findings.fail(check, text_of(plugin.error()),
                    "select another plugin with " + std::string(section.name) +
                        ".plugin, or fix this one; `kbase plugin list` shows where plugins are searched and why a "
                        "plugin is rejected");
  }
}

std::optional<pid_t> server_of(const std::filesystem::path& folder) {
  struct stat lock {};
  if (::stat((folder / "serve.lock").c_str(), &lock) != 0 || !runtime::ServeLock::is_locked(folder))
    return std::nullopt;
  const std::string kbase = program_of("self");
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);)
    if (const auto holder = holder_in(line, lock.st_ino); holder && program_of(std::to_string(*holder)) == kbase)
      return holder;  // the program name excludes a lock on another device's file with this inode number
  return std::nullopt;
}

void check_server(const config::Settings& settings, std::optional<pid_t> server, Findings& findings) {
  findings.ok("server", server ? "a server runs on " + settings.data_dir + " (process " + std::to_string(*server) + ")"
                               : "no server runs on " + settings.data_dir);
}

void check_folders(const config::Settings& settings, Findings& findings) {
  check_folder("data_dir", settings.data_dir, findings);
  if (const auto index = composition::find_external_index_folder(settings))
    check_folder("search.config.path", *index, findings);
}

}  // namespace kbase::cli::doctor
