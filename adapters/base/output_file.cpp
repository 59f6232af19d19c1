// SPDX-License-Identifier: Apache-2.0
#include "adapters/base/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kbase {
namespace {

namespace fs = std::filesystem;

Error unwritable(const std::string& name, std::string_view reason) {
  return {ErrorCode::Unavailable, name + ": " + std::string(reason)};
}

Error failed_to_write(const std::string& name) {
  if (errno == ENOSPC || errno == EDQUOT)
    return unwritable(name, "no space left to write it; free disk space and try again");
  if (errno == EFBIG)
    return unwritable(
        name, "the file is larger than this process or disk allows; raise the limit (ulimit -f) or use another disk");
  return unwritable(name, std::generic_category().message(errno));
}

class PlainFile final : public OutputFile {
 public:
  /// `target` is empty if finish() must not rename a temporary file.
  PlainFile(std::string name, int descriptor, std::string temporary, std::string target)
      : name_(std::move(name)), descriptor_(descriptor), temporary_(std::move(temporary)), target_(std::move(target)) {}
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() override {
    if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed_to_write(name_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Status finish() override {
    if (target_.empty()) return {};
    if (::fsync(descriptor_) != 0 || std::rename(temporary_.c_str(), target_.c_str()) != 0)
      return failed_to_write(name_);
    temporary_.clear();
    return sync_folder();
  }

 private:
  /// The new name is durable only after an fsync of its folder.
  Status sync_folder() {
    const fs::path folder = fs::path(target_).parent_path();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return failed_to_write(name_);
    const bool synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    if (!synced) return failed_to_write(name_);
    return {};
  }

  std::string name_;
  int descriptor_;
  std::string temporary_;
  std::string target_;
};

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& name, Permissions permissions) {
  if (name == "-") return {std::make_unique<PlainFile>(name, STDOUT_FILENO, "", "")};
  std::error_code ignored;
  const mode_t mode = permissions == Permissions::OwnerOnly ? 0600 : 0666;
  if (fs::exists(name, ignored) && !fs::is_regular_file(name, ignored)) {  // writes to a pipe or device directly
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failed_to_write(name);
    return {std::make_unique<PlainFile>(name, descriptor, "", "")};
  }
  const bool is_link = fs::is_symlink(name, ignored);
  const std::string target = is_link ? fs::weakly_canonical(name, ignored).string() : name;
  const std::string temporary = target + ".part-" + std::to_string(::getpid());
  ::unlink(temporary.c_str());  // may be left by a killed process, with any permissions
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return failed_to_write(name);
  return {std::make_unique<PlainFile>(name, descriptor, temporary, target)};
}

}  // namespace kbase
