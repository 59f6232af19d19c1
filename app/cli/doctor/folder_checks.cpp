// SPDX-License-Identifier: Apache-2.0
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "app/cli/doctor/checks.hpp"
#include "app/composition/configured_files.hpp"
#include "app/runtime/data_folder.hpp"

namespace kbase::cli::doctor {
namespace {

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

}  // namespace

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

namespace {

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

void check_folders(const config::Settings& settings, Findings& findings) {
  check_folder("data_dir", settings.data_dir, findings);
  if (const auto index = composition::find_external_index_folder(settings))
    check_folder("search.config.path", *index, findings);
}

}  // namespace kbase::cli::doctor
