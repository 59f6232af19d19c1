// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace jsonl {
namespace {

constexpr mode_t kOwnerOnly = 0600;

Error system_error(std::string_view operation, const std::filesystem::path& path) {
  const int error = errno;
  std::string message =
      "cannot " + std::string(operation) + " " + path.string() + ": " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) message += "; free space there and try again";
  return {ErrorCode::Unavailable, std::move(message)};
}

/// Writes and syncs the whole content.
Status write_all(int descriptor, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("write", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? Status() : system_error("write", path);
}

/// A rename is durable only when the folder is synced.
Status sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return system_error("open", folder);
  const bool is_synced = ::fsync(descriptor) == 0;
  const Error error = is_synced ? Error() : system_error("write", folder);
  ::close(descriptor);
  return is_synced ? Status() : error;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_acquire(const std::filesystem::path& path) {
  const std::filesystem::path file = path.string() + ".lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return system_error("open", file);
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return std::optional(std::move(lock));
  if (errno != EWOULDBLOCK) return system_error("lock", file);
  return std::optional<FileLock>();
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileVersion> version_of(const std::filesystem::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return system_error("read", path);
  return FileVersion{file.st_dev, file.st_ino,
                     file.st_mtim.tv_sec * std::int64_t{1'000'000'000} + file.st_mtim.tv_nsec};
}

Result<std::optional<std::string>> read_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT) return std::optional<std::string>();
  if (!in) return system_error("open", path);
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return system_error("read", path);
  return std::optional(std::move(content));
}

Status replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path next = path.string() + ".new";
  const int descriptor = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return system_error("open", next);
  const Status written = write_all(descriptor, content, next);
  ::close(descriptor);
  if (!written) return written;
  if (::rename(next.c_str(), path.c_str()) != 0) return system_error("replace", path);
  return sync_folder_of(path);
}

}  // namespace jsonl
