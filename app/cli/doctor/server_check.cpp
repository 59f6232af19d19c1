// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "app/cli/doctor/checks.hpp"
#include "app/runtime/serve_lock.hpp"

namespace kbase::cli::doctor {
namespace {

/// Returns the process in a line of /proc/locks such as "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131082 0 EOF"
/// (proc_locks(5)) if it locks a file with this inode number. Ignores the device: layered file systems and some others,
/// such as btrfs, report two.
std::optional<pid_t> holder_in(const std::string& line, ino_t file) {
  std::istringstream words(line);
  std::string number, kind, way, mode, place;
  pid_t process = 0;
  if (!(words >> number >> kind >> way >> mode >> process >> place) || kind != "FLOCK" || mode != "WRITE")
    return std::nullopt;
  return place.ends_with(":" + std::to_string(file)) ? std::optional(process) : std::nullopt;
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
  if (::stat((folder / "serve.lock").c_str(), &lock) != 0 || !runtime::ServeLock::is_taken(folder)) return std::nullopt;
  const std::string kbase = program_of("self");
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);)
    if (const auto holder = holder_in(line, lock.st_ino); holder && program_of(std::to_string(*holder)) == kbase)
      return holder;  // the program name excludes a lock on another device's file with this inode number
  return std::nullopt;
}

void check_server(const config::Settings& settings, std::optional<pid_t> server, Findings& findings) {
  findings.ok("server", server ? "a server runs on " + settings.data_dir + " (process " + std::to_string(*server) + ")"
                               : "no server is seen on " + settings.data_dir);
}

}  // namespace kbase::cli::doctor
