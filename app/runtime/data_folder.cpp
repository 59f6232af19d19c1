// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/data_folder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "adapters/content/byte_stream.hpp"
#include "domain/base/result.hpp"

namespace kbase::runtime {
namespace {

/// Retries, because a concurrent is_locked() holds the lock for a moment.
constexpr int kTries = 5;
constexpr int kPause = 10;  // milliseconds

Error open_error(const std::filesystem::path& path, std::string_view setting, int reason) {
  const bool is_forbidden = reason == EACCES || reason == EROFS;
  std::string message = "cannot open " + path.string() + ": " + std::strerror(reason) + "; ";
  if (is_forbidden)
    message +=
        "let the user that runs kbase read and write the folder " + path.parent_path().string() + " and its files, or ";
  message += "set " + std::string(setting) + " to another folder";
  return {ErrorCode::Unavailable, std::move(message)};
}

bool try_lock(int file, int operation) { return ::flock(file, operation | LOCK_NB) == 0; }

constexpr std::size_t kSecretBytes = 32;

Error read_error(const std::filesystem::path& file) {
  return {ErrorCode::Unavailable, "cannot read " + file.string() + ": " + std::strerror(errno)};
}

Result<std::string> read_secret(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return read_error(file);
  std::string secret(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return read_error(file);
  if (secret.size() == kSecretBytes) return secret;
  return Error{ErrorCode::Corrupt,
               file.string() +
                   " is not a valid secret of kbase (its size is wrong); restore the file, or delete it so that "
                   "kbase creates a new one"};
}

Status write_secret(const std::filesystem::path& path, std::string_view secret) {
  auto file = KBASE_TRY(OutputFile::open(path.string(), OutputFile::Permissions::OwnerOnly));
  KBASE_TRY(file->write(secret));
  return file->finish();
}

}  // namespace

Result<ServeLock> ServeLock::acquire(const std::filesystem::path& folder, std::string_view setting) {
  const std::filesystem::path path = folder / "serve.lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return open_error(path, setting, errno);
  ServeLock lock(file);
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) ::poll(nullptr, 0, kPause);
    if (try_lock(file, LOCK_EX)) return lock;
  }
  return Error{ErrorCode::Conflict, "another kbase server is running on " + folder.string() + "; stop it, or set " +
                                        std::string(setting) + " of this server to another folder"};
}

bool ServeLock::is_locked(const std::filesystem::path& folder) {
  // Does not create the file: the caller may be another user than the server's, for example root.
  const ServeLock lock(::open((folder / "serve.lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock.file_ >= 0 && !try_lock(lock.file_, LOCK_SH);
}

ServeLock::ServeLock(ServeLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

ServeLock::~ServeLock() {
  if (file_ >= 0) ::close(file_);
}

Result<std::string> load_or_create_log_secret(const std::filesystem::path& file, ports::Random& random) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return read_secret(file);
  std::array<std::uint8_t, kSecretBytes> bytes;
  random.fill(bytes);
  const std::string secret(bytes.begin(), bytes.end());
  KBASE_TRY(write_secret(file, secret));
  return secret;
}

}  // namespace kbase::runtime
