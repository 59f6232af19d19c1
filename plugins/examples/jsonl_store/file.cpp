// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace jsonl {
namespace {

constexpr mode_t kOwnerOnly = 0600;

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

File::FileStat to_file_stat(const struct stat& stat) {
  return {stat.st_dev, stat.st_ino, static_cast<std::uint64_t>(stat.st_size),
          std::chrono::seconds(stat.st_mtim.tv_sec) + std::chrono::nanoseconds(stat.st_mtim.tv_nsec)};
}

/// Syncs the folder of a file: a rename or creation is durable only then.
model::Status sync_folder_of(const std::filesystem::path& path) {
  const auto folder = File::open(std::filesystem::absolute(path).parent_path(), O_RDONLY | O_DIRECTORY);
  return folder ? folder->sync() : folder.error();
}

}  // namespace

model::Error system_error(std::string_view operation, const std::filesystem::path& path) {
  const int error = errno;
  const std::string reason = std::generic_category().message(error);
  std::string message = "cannot " + std::string(operation) + " " + path.string() + ": " + reason;
  if (is_full(error)) message += "; make room there and try again";
  return {model::ErrorCode::Unavailable, std::move(message), {}, {}, {}};
}

model::Result<File> File::open(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return system_error("open", path);
  return File(path, descriptor);
}

model::Result<std::optional<File::FileStat>> File::stat_path(const std::filesystem::path& path) {
  struct stat stat {};
  if (::stat(path.c_str(), &stat) == 0) return std::optional(to_file_stat(stat));
  if (errno == ENOENT) return std::optional<FileStat>();
  return system_error("look at", path);
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

model::Result<File::FileStat> File::read_stat() const {
  struct stat stat {};
  if (::fstat(descriptor_, &stat) != 0) return system_error("look at", path_);
  return to_file_stat(stat);
}

model::Result<std::string> File::read(std::uint64_t from, std::uint64_t to) const {
  std::string bytes(to - from, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::pread(descriptor_, bytes.data() + size, bytes.size() - size, static_cast<off_t>(from + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path_);
    if (got == 0) break;  // the file was truncated
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

model::Status File::write(std::uint64_t at, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("write", path_);
    at += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

model::Status File::truncate(std::uint64_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return system_error("shorten", path_);
  return {};
}

model::Status File::sync() const {
  if (::fsync(descriptor_) != 0) return system_error("write", path_);
  return {};
}

bool File::try_lock() const {
  return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
}

model::Status replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path next = path.string() + ".new";
  {
    const auto file = File::open(next, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file) return file.error();
    if (const auto written = file->write(0, content); !written) return written;
    if (const auto synced = file->sync(); !synced) return synced;
  }
  if (::rename(next.c_str(), path.c_str()) != 0) return system_error("replace", path);
  return sync_folder_of(path);
}

}  // namespace jsonl
