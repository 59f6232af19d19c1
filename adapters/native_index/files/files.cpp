// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // restricted by the umask

bool is_disk_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

Error io_error(std::string_view operation, const fs::path& path, int error) {
  return {ErrorCode::Unavailable,
          is_disk_full(error) ? "The disk of the search index is full. Free some space and try again."
                              : "The files of the search index cannot be accessed.",
          std::string(operation) + " " + path.string() + ": " + std::generic_category().message(error)};
}

Error io_error(std::string_view operation, const fs::path& path) { return io_error(operation, path, errno); }

/// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, kMode)) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

class PosixNewFile final : public NewFile {
 public:
  PosixNewFile(fs::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  Status append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return io_error("write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Status sync() override { return ::fsync(file_.number()) == 0 ? Status() : io_error("sync", path_); }

 private:
  fs::path path_;
  Descriptor file_;
};

class PosixMapping final : public MappedFile {
 public:
  PosixMapping(void* start, std::size_t size) : start_(start), size_(size) {}
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override {
    if (size_ > 0) ::munmap(start_, size_);
  }

  std::span<const std::byte> bytes() const noexcept override { return {static_cast<const std::byte*>(start_), size_}; }

  void release(std::span<const std::byte> part) const noexcept override {
    if (part.empty()) return;
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto before = static_cast<std::size_t>(part.data() - static_cast<const std::byte*>(start_));
    const std::size_t begin = before / page * page;
    ::madvise(static_cast<std::byte*>(start_) + begin, before - begin + part.size(), MADV_DONTNEED);
  }

 private:
  void* start_;
  std::size_t size_;
};

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

}  // namespace

Result<std::unique_ptr<NewFile>> PosixFiles::create(const fs::path& path) {
  // The old file may be mapped. Unlinking it keeps its bytes; truncating it would not.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return io_error("remove", path);
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return io_error("create", path);
  return {std::make_unique<PosixNewFile>(path, std::move(file))};
}

Result<std::shared_ptr<const MappedFile>> PosixFiles::map(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (!file.is_open() && errno == ENOENT)
    return Error{ErrorCode::NotFound, "A file of the search index is missing. Rebuild the index.",
                 path.string() + " does not exist"};
  if (!file.is_open()) return io_error("open", path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return io_error("stat", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {std::make_shared<const PosixMapping>(nullptr, 0)};
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
  if (start == MAP_FAILED) return io_error("map", path);
  return {std::make_shared<const PosixMapping>(start, size)};
}

std::optional<FileStamp> PosixFiles::stamp(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return FileStamp{status.st_dev, status.st_ino,
                   static_cast<std::int64_t>(status.st_ctim.tv_sec) * kNsPerSecond + status.st_ctim.tv_nsec};
}

Status PosixFiles::rename(const fs::path& from, const fs::path& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? Status() : io_error("rename", from);
}

Status PosixFiles::remove(const fs::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return io_error("remove", path);
}

Result<std::vector<std::string>> PosixFiles::list(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
    if (entry->is_regular_file(failed)) names.push_back(entry->path().filename().string());
  if (failed) return io_error("list", folder, failed.value());
  std::sort(names.begin(), names.end());
  return names;
}

Status PosixFiles::create_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  return failed ? io_error("create folder", folder, failed.value()) : Status();
}

Status PosixFiles::sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) return io_error("open", folder);
  return ::fsync(descriptor.number()) == 0 ? Status() : io_error("sync", folder);
}

Result<std::unique_ptr<FileLock>> PosixFiles::lock(const fs::path& path) {
  Descriptor file(path, O_RDWR | O_CREAT);
  if (!file.is_open()) return io_error("open", path);
  if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return {std::make_unique<PosixLock>(std::move(file))};
  if (errno != EWOULDBLOCK) return io_error("lock", path);
  return Error{ErrorCode::Conflict, "The search index at " + path.parent_path().string() +
                                        " is already being written by another process or thread. Try again later."};
}

Status replace_file(Files& files, const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path next = path.string() + ".new";
  {
    const auto file = KBASE_TRY(files.create(next));
    KBASE_TRY(file->append(content));
    KBASE_TRY(file->sync());
  }
  KBASE_TRY(files.rename(next, path));
  return files.sync_folder(path.parent_path());
}

Error corrupt_error(std::string detail) {
  return {ErrorCode::Corrupt, "The search index is damaged. Rebuild it.", std::move(detail)};
}

Error cancelled_error() { return {ErrorCode::Cancelled, "The operation on the search index was cancelled."}; }

}  // namespace kbase::native_index
