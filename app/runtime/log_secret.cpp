// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/log_secret.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

namespace kbase::runtime {
namespace {

constexpr std::size_t kSecretBytes = 32;

model::Error failure(const std::filesystem::path& file, std::string_view doing) {
  const std::string message = errno == ENOSPC
                                  ? "no space left to write " + file.string() + ": free some on its disk and try again"
                                  : "cannot " + std::string(doing) + ' ' + file.string() + ": " + std::strerror(errno);
  return {model::ErrorCode::Unavailable, message, {}, {}, {}};
}

model::Result<std::string> read_secret(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return failure(file, "open");
  std::string secret(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return failure(file, "read");
  if (secret.size() == kSecretBytes) return secret;
  return model::Error{
      model::ErrorCode::Corrupt,
      file.string() + " is not the secret that kbase put there; restore it, or remove it to get another one",
      {},
      {},
      {}};
}

/// Whether the text is in the file and the disk has it.
bool write_durably(int file, std::string_view text) {
  return ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
}

/// The disk has the folder's newest entries.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// A file under the secret's name is a whole one: it is written under another name first.
model::Status keep_secret(const std::filesystem::path& file, std::string_view secret) {
  const std::filesystem::path draft = file.string() + ".new";
  ::unlink(draft.c_str());  // of a start that did not come to its end, with whatever rights
  const int descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure(draft, "make");
  const model::Status written = write_durably(descriptor, secret) ? model::Status() : failure(file, "write");
  ::close(descriptor);
  if (!written) return written;
  if (::rename(draft.c_str(), file.c_str()) != 0) return failure(file, "write");
  sync_folder(file.parent_path());
  return {};
}

}  // namespace

model::Result<std::string> log_secret(const std::filesystem::path& file, ports::Random& random) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return read_secret(file);
  std::array<std::uint8_t, kSecretBytes> bytes;
  random.fill(bytes);
  const std::string secret(bytes.begin(), bytes.end());
  if (auto kept = keep_secret(file, secret); !kept) return kept.error();
  return secret;
}

}  // namespace kbase::runtime
