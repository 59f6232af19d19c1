// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFiles = 100'000;

constexpr std::array<std::string_view, 10> kEndings = {".zip",    ".tar",     ".tgz",    ".tar.gz", ".tar.bz2",
                                                       ".tar.xz", ".tar.zst", ".tar.lz", ".tbz2",   ".txz"};

std::string_view ending_of_archive(std::string_view name) {
  const std::string lower = ascii::to_lower(name);
  for (const std::string_view ending : kEndings)
    if (lower.size() > ending.size() && lower.ends_with(ending)) return name.substr(name.size() - ending.size());
  return {};
}

/// libarchive converts the names of entries to the character set of the thread's locale.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(uselocale(locale_)) {}
  ~Utf8Locale() {
    uselocale(before_);
    if (locale_ != nullptr) freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t locale_;
  locale_t before_;
};

struct ReaderCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
struct WriterCloser {
  void operator()(archive* writer) const { archive_write_free(writer); }
};

std::string reason_of(archive* from) {
  const char* const text = archive_error_string(from);
  return text == nullptr ? "it is damaged" : text;
}

/// The bytes of an archive for libarchive. Ends the reading once the call is cancelled or the archive unpacks to too
/// much: libarchive runs through the entries that are left out in one call.
class ArchiveFile {
 public:
  ArchiveFile(const std::string& name, const ports::Call& call) : name_(name), call_(call) {}
  ~ArchiveFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  /// Reads the archive with `reader`. Returns a code of libarchive.
  int open(archive* reader) {
    descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      failure_ = unreadable(name_, std::generic_category().message(errno));
      return ARCHIVE_FATAL;
    }
    archive_read_set_read_callback(reader, read);
    archive_read_set_seek_callback(reader, seek);
    archive_read_set_callback_data(reader, this);
    return archive_read_open1(reader);
  }

  /// Why the reading was ended.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  static la_ssize_t read(archive* reader, void* self, const void** block) {
    return static_cast<ArchiveFile*>(self)->read(reader, block);
  }
  static la_int64_t seek(archive*, void* self, la_int64_t offset, int whence) {
    const la_int64_t reached = ::lseek(static_cast<ArchiveFile*>(self)->descriptor_, offset, whence);
    return reached < 0 ? ARCHIVE_FATAL : reached;
  }

  la_ssize_t read(archive* reader, const void** block) {
    constexpr int kUnpacked = 0;  // number of the last filter
    if (call_.cancelled()) {
      failure_ = reading_cancelled(name_);
    } else if (archive_filter_bytes(reader, kUnpacked) > static_cast<la_int64_t>(kMaxUnpackedBytes)) {
      failure_ = unreadable(name_, kUnpacksToTooMuch);
    } else {
      ssize_t got = 0;
      do {
        got = ::read(descriptor_, block_.data(), block_.size());
      } while (got < 0 && errno == EINTR);
      *block = block_.data();
      if (got >= 0) return got;
      failure_ = unreadable(name_, std::generic_category().message(errno));
    }
    return ARCHIVE_FATAL;
  }

  const std::string& name_;
  const ports::Call& call_;
  int descriptor_ = -1;
  std::array<char, 64 * 1024> block_;
  std::optional<Error> failure_;
};

class Unpacking {
 public:
  Unpacking(const std::string& name, const fs::path& folder, const ports::Call& call)
      : name_(name), folder_(folder), file_(name, call) {}

  Status run() {
    // Not all filters: some are programs.
    for (const auto& support : {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
                                archive_read_support_filter_xz, archive_read_support_filter_zstd})
      support(reader_.get());
    archive_read_support_format_zip(reader_.get());
    archive_read_support_format_tar(reader_.get());
    constexpr int kFlags = ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT;
    archive_write_disk_set_options(writer_.get(), kFlags);
    if (file_.open(reader_.get()) != ARCHIVE_OK) return damaged();
    archive_entry* entry = nullptr;
    for (int outcome = 0; (outcome = archive_read_next_header(reader_.get(), &entry)) != ARCHIVE_EOF;) {
      if (outcome < ARCHIVE_WARN) return damaged();
      KBASE_TRY(unpack(entry));
    }
    return {};
  }

 private:
  Status unpack(archive_entry* entry) {
    const auto type = archive_entry_filetype(entry);
    if (type != AE_IFREG && type != AE_IFDIR) return {};
    const char* const path = archive_entry_pathname(entry);
    if (path == nullptr || !utf8::is_valid(path)) return refused("has a file whose name is not UTF-8");
    const fs::path relative = fs::path(path).lexically_normal();
    if (relative.empty() || relative.is_absolute() || *relative.begin() == "..")
      return refused("has a file that leads out of it: " + std::string(path));
    if (*relative.begin() == "__MACOSX") return {};  // attributes of files, added by macOS
    // The configuration of a repository can run commands.
    if (std::find(relative.begin(), relative.end(), ".git") != relative.end()) return {};
    if (archive_entry_is_encrypted(entry) != 0) return refused("is encrypted");
    if (++files_ > kMaxFiles) return refused("has more than 100,000 files and folders");
    const fs::path target = folder_ / relative;
    archive_entry_set_pathname(entry, target.c_str());
    archive_entry_set_hardlink(entry, nullptr);
    archive_entry_set_perm(entry, type == AE_IFDIR ? 0700 : 0600);
    if (archive_write_header(writer_.get(), entry) != ARCHIVE_OK) return unwritable();
    if (type == AE_IFREG) KBASE_TRY(copy());
    if (archive_write_finish_entry(writer_.get()) != ARCHIVE_OK) return unwritable();
    return {};
  }

  Status copy() {
    for (std::uint64_t copied = 0;;) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int outcome = archive_read_data_block(reader_.get(), &block, &size, &offset);
      if (outcome == ARCHIVE_EOF) return {};
      if (outcome < ARCHIVE_WARN) return damaged();
      const std::uint64_t end = static_cast<std::uint64_t>(offset) + size;  // with the holes of a sparse file
      if (end > copied) bytes_ += end - std::exchange(copied, end);
      if (bytes_ > kMaxUnpackedBytes) return refused(kUnpacksToTooMuch);
      if (archive_write_data_block(writer_.get(), block, size, offset) < ARCHIVE_OK) return unwritable();
    }
  }

  Error refused(std::string_view reason) const { return unreadable(name_, reason); }
  Error damaged() const {
    return file_.failure() ? *file_.failure() : refused("cannot be unpacked: " + reason_of(reader_.get()));
  }
  Error unwritable() const {
    return {ErrorCode::Unavailable,
            name_ + ": cannot be unpacked to " + folder_.string() + ": " + reason_of(writer_.get())};
  }

  const std::string& name_;
  const fs::path& folder_;
  ArchiveFile file_;  // outlives the reader
  const Utf8Locale locale_;
  std::unique_ptr<archive, ReaderCloser> reader_{archive_read_new()};
  std::unique_ptr<archive, WriterCloser> writer_{archive_write_disk_new()};
  std::uint64_t bytes_ = 0, files_ = 0;
};

}  // namespace

bool is_archive_name(std::string_view name) { return !ending_of_archive(name).empty(); }

std::string_view archive_stem(std::string_view name) {
  return name.substr(0, name.size() - ending_of_archive(name).size());
}

Result<std::unique_ptr<UnpackedArchive>> UnpackedArchive::unpack(const std::string& name, const fs::path& parent,
                                                                 const ports::Call& call) {
  std::error_code failure;
  std::string folder = (parent / "kbase-unpacked-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    return Error{ErrorCode::Unavailable, name + ": no temporary folder can be created in " + parent.string() + ": " +
                                             std::generic_category().message(errno)};
  std::unique_ptr<UnpackedArchive> unpacked(new UnpackedArchive(fs::canonical(folder, failure)));
  KBASE_TRY(Unpacking(name, unpacked->folder_, call).run());
  std::size_t entries = 0;
  fs::path first;
  for (const auto& entry : fs::directory_iterator(unpacked->folder_, failure)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    ++entries;
    first = entry.path();
  }
  if (entries == 1 && fs::is_directory(first, failure)) unpacked->root_ = first;
  return unpacked;
}

UnpackedArchive::~UnpackedArchive() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace kbase::content
