// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/index_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

namespace kbase::fts5 {
namespace {

constexpr std::string_view kPrefix = "index-";
constexpr std::string_view kSuffix = ".db";

/// N of "index-N.db", also of its write-ahead log.
std::optional<std::uint64_t> number_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, number);
  if (error != std::errc() || !std::string_view(rest, static_cast<std::size_t>(end - rest)).starts_with(kSuffix))
    return std::nullopt;
  return number;
}

model::Error system_failure(const std::string& doing) {
  model::Error error;
  error.code = model::ErrorCode::Unavailable;
  error.message = "The search index cannot be written.";
  error.detail = doing + ": " + std::strerror(errno);
  return error;
}

model::Status synced(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return system_failure("open " + path.string());
  const bool done = ::fsync(file) == 0;
  ::close(file);
  return done ? model::Status() : system_failure("sync " + path.string());
}

}  // namespace

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Stamp> IndexFolder::stamp() const {
  struct stat status {};
  if (::stat((path_ / "CURRENT").c_str(), &status) != 0) return std::nullopt;
  return Stamp{status.st_dev, status.st_ino,
               static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::optional<std::filesystem::path> IndexFolder::current() const {
  std::ifstream file(path_ / "CURRENT");
  std::string name;
  if (!std::getline(file, name) || !number_of(name)) return std::nullopt;
  return path_ / name;
}

model::Result<WriterLock> IndexFolder::lock() const {
  std::error_code failed;
  std::filesystem::create_directories(path_, failed);
  const std::filesystem::path file = path_ / "lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return system_failure("open " + file.string());
  WriterLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return system_failure("lock " + file.string());
  model::Error error;
  error.code = model::ErrorCode::Conflict;
  error.message = "The search index at " + path_.string() + " is being written by another process or thread.";
  return error;
}

std::filesystem::path IndexFolder::next() const {
  const std::optional<std::filesystem::path> now = current();
  remove_all_but(now);
  const std::uint64_t number = now ? *number_of(now->filename().string()) + 1 : 1;
  return path_ / (std::string(kPrefix) + std::to_string(number) + std::string(kSuffix));
}

model::Status IndexFolder::publish(const std::filesystem::path& database) const {
  if (const model::Status status = synced(database, O_RDONLY); !status) return status;
  const std::filesystem::path draft = path_ / "CURRENT.new";
  {
    std::ofstream file(draft, std::ios::trunc);
    file << database.filename().string() << '\n';
    if (!file.flush()) return system_failure("write " + draft.string());
  }
  if (const model::Status status = synced(draft, O_RDONLY); !status) return status;
  if (::rename(draft.c_str(), (path_ / "CURRENT").c_str()) != 0) return system_failure("rename " + draft.string());
  if (const model::Status status = synced(path_, O_RDONLY | O_DIRECTORY); !status) return status;
  remove_all_but(database);
  return {};
}

void IndexFolder::remove_all_but(const std::optional<std::filesystem::path>& kept) const {
  const std::optional<std::uint64_t> number = kept ? number_of(kept->filename().string()) : std::nullopt;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path_, failed)) {
    const std::optional<std::uint64_t> found = number_of(entry.path().filename().string());
    if (found && found != number) std::filesystem::remove(entry.path(), failed);
  }
}

}  // namespace kbase::fts5
