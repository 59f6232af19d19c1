// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/file_trust.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include "app/plugin_host/refusal.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kRoot = 0;

struct User {
  std::string name;
  gid_t primary_group;
};

std::optional<User> user_of(uid_t id) {
  std::array<char, 16 * 1024> text;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(id, &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return User{entry.pw_name, entry.pw_gid};
}

std::string name_of(uid_t id) {
  const auto user = user_of(id);
  return user ? user->name : "user " + std::to_string(id);
}

/// For a user who is missing from the user database, as in many containers, compares with the process's group.
bool is_primary_group(gid_t group, uid_t owner) {
  if (const auto user = user_of(owner)) return user->primary_group == group;
  return owner == ::geteuid() && group == ::getegid();
}

std::string owners_text(const TrustedOwners& owners) {
  std::string text = "root";
  if (owners.server != kRoot) text += " or " + name_of(owners.server);
  if (owners.program != kRoot && owners.program != owners.server) text += " or " + name_of(owners.program);
  return text;
}

/// Checks one path: the file itself or a folder above it. `subject` names it in the error message.
Status judge(const fs::path& place, const std::string& subject, const TrustedOwners& owners) {
  struct stat status {};
  if (::lstat(place.c_str(), &status) != 0) return refusal("cannot be read: " + std::string(std::strerror(errno)));
  const bool is_trusted = status.st_uid == kRoot || status.st_uid == owners.server || status.st_uid == owners.program;
  if (!is_trusted)
    return refusal(subject + " owned by " + name_of(status.st_uid) + ", where only " + owners_text(owners) +
                   " may put code before the server; chown it, or move the plugin");
  const bool is_sticky_folder = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & S_IWOTH) != 0 && !is_sticky_folder)
    return refusal(subject + " writable by everybody; take that away with chmod o-w " + place.string());
  if ((status.st_mode & S_IWGRP) != 0 && !is_primary_group(status.st_gid, status.st_uid))
    return refusal(subject +
                   " writable by a group that is not its owner's primary one; take that away with chmod g-w " +
                   place.string());
  return {};
}

}  // namespace

TrustedOwners owners_of_this_process() {
  struct stat status {};
  const bool known = ::stat("/proc/self/exe", &status) == 0;
  return {::geteuid(), known ? status.st_uid : ::geteuid()};
}

Result<fs::path> trusted_file(const fs::path& path, const TrustedOwners& owners) {
  if (!path.is_absolute()) return refusal("is not an absolute path; write the whole path, from /");
  std::error_code failed;
  const fs::path file = fs::canonical(path, failed);
  if (failed) return refusal("cannot be read: " + failed.message() + "; correct the path");
  if (!fs::is_regular_file(file, failed)) return refusal("is not a file; name the shared object itself");

  const bool is_link = file != path.lexically_normal();
  KBASE_TRY(judge(file, is_link ? "leads to " + file.string() + ", which is" : "is", owners));
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    KBASE_TRY(judge(folder, "lies below " + folder.string() + ", which is", owners));
    if (folder == folder.root_path()) return file;
  }
}

}  // namespace kbase::plugin_host
