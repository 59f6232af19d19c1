// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/content_source.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "adapters/content/backup_lines.hpp"
#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kWriteBytes = 256 * 1024;

/// The largest item that an import accepts, if each of its bytes is escaped to six bytes, and 1 MiB for the rest.
constexpr std::size_t kMaxLineBytes = 6 * kMaxRecordBytes + (std::size_t{1} << 20);
constexpr std::size_t kFirstContentKind = 4;  // index of the first alternative of BackupRecord that is content
constexpr std::string_view kTruncated = "the backup is truncated: its last line is missing; use a complete copy";
constexpr std::string_view kWrongChecksum =
    "the checksum does not match, so the backup is damaged; restore from another copy";

/// Incremental SHA-256 (FIPS 180-4). Not thread-safe. Never fails.
class Sha256 {
 public:
  Sha256() : context_(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free) {
    // Fails only if OpenSSL lacks SHA-256, which kbase cannot work without.
    if (context_ == nullptr || ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) != 1) std::abort();
  }

  void add(std::string_view bytes) {
    if (::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) std::abort();
  }

  /// Returns the digest of all added bytes. add() must not be called afterwards.
  std::array<std::uint8_t, 32> finish() {
    std::array<std::uint8_t, 32> hash{};
    if (::EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) != 1) std::abort();
    return hash;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

class JsonLinesBackupSink final : public ports::BackupSink {
 public:
  JsonLinesBackupSink(std::unique_ptr<OutputFile> file, std::string program)
      : file_(std::move(file)), program_(std::move(program)) {}

  Status begin(const ports::BackupHead& head) override {
    summary_.head = head;
    append_head(lines_, head, program_);
    return {};
  }

  Status put(const ports::BackupRecord& record) override {
    append_record(lines_, record);
    count_record(summary_.counts, record);
    return lines_.size() < kWriteBytes ? Status() : write();
  }

  Result<ports::BackupSummary> finish(model::Revision revision) override {
    KBASE_TRY(write());
    summary_.revision = revision;
    summary_.sha256 = hash_.finish();
    append_end(lines_, {revision, summary_.counts, summary_.sha256});
    KBASE_TRY(file_->write(lines_));
    KBASE_TRY(file_->finish());
    return summary_;
  }

 private:
  Status write() {
    hash_.add(lines_);
    auto written = file_->write(lines_);
    lines_.clear();
    return written;
  }

  std::unique_ptr<OutputFile> file_;
  std::string program_;
  std::string lines_;  // lines that are not written yet
  Sha256 hash_;
  ports::BackupSummary summary_;
};

/// Reads one file once, from its first line to its last.
class BackupReader {
 public:
  BackupReader(ByteStream& stream, const std::string& name, const ports::Call& call,
               Visitor<ports::BackupRecord> visitor)
      : name_(name), call_(call), visitor_(visitor), lines_(stream, kMaxLineBytes) {}

  Result<ports::BackupSummary> run() {
    KBASE_TRY(read_head());
    for (;;) {
      if (call_.cancelled()) return reading_cancelled(name_);
      KBASE_TRY(next_line());
      if (BackupLineParser::is_end(lines_.line())) return finish();
      add_line();
      const auto visited = KBASE_TRY(visit());
      if (visited == Visit::Stop) return reading_cancelled(name_);
    }
  }

 private:
  Error line_error(std::string_view reason) const { return unreadable(name_, reason, lines_.number()); }

  Status read_head() {
    const auto more = KBASE_TRY(lines_.next());
    if (!more) return unreadable(name_, "is empty; expected a backup");
    auto head = BackupLineParser::parse_head(lines_.line());
    if (!head && head.error().code == ErrorCode::Unsupported) return line_error(head.error().message);
    if (!head)
      return line_error(head.error().message +
                        " (expected a file written by `kbase backup`; to load an export, use `kbase import`)");
    summary_.head = *std::move(head);
    add_line();
    return {};
  }

  /// Reads the next line. InvalidArgument: there is no next line.
  Status next_line() {
    const auto more = KBASE_TRY(lines_.next());
    if (!more) return unreadable(name_, kTruncated);
    if (lines_.too_long()) return line_error("the line is longer than the largest possible record");
    return {};
  }

  void add_line() {
    hash_.add(lines_.line());
    hash_.add("\n");
  }

  Result<Visit> visit() {
    const auto record = parser_.parse_record(lines_.line());
    if (!record) return line_error(record.error().message);
    const std::size_t kind = std::min(record->index(), kFirstContentKind);
    if (kind < kind_) return line_error("the record is out of order: records of a later kind come before it");
    kind_ = kind;
    count_record(summary_.counts, *record);
    return visitor_(*record);
  }

  Result<ports::BackupSummary> finish() {
    const auto end = BackupLineParser::parse_end(lines_.line());
    if (!end) return line_error(end.error().message);
    summary_.revision = end->revision;
    summary_.sha256 = hash_.finish();
    if (end->sha256 != summary_.sha256 || end->counts != summary_.counts) return unreadable(name_, kWrongChecksum);
    const auto more = KBASE_TRY(lines_.next());
    if (more) return line_error("the backup has data after its last line; restore from another copy");
    return summary_;
  }

  const std::string& name_;
  const ports::Call& call_;
  Visitor<ports::BackupRecord> visitor_;
  LineReader lines_;
  BackupLineParser parser_;
  Sha256 hash_;
  ports::BackupSummary summary_;
  std::size_t kind_ = 0;  // kind of the last record: its index in BackupRecord, but all content is kFirstContentKind
};

class JsonLinesBackupSource final : public ports::BackupSource {
 public:
  explicit JsonLinesBackupSource(std::string name) : name_(std::move(name)) {}
  JsonLinesBackupSource(const JsonLinesBackupSource&) = delete;
  JsonLinesBackupSource& operator=(const JsonLinesBackupSource&) = delete;
  ~JsonLinesBackupSource() override {
    if (file_ >= 0) ::close(file_);
  }

  std::string_view name() const override { return name_; }
  std::optional<double> progress() const override { return meter_ ? meter_->fraction() : std::nullopt; }
  Result<ports::BackupSummary> read(ports::Call& call, Visitor<ports::BackupRecord> visitor) override {
    meter_ = std::make_unique<Meter>();
    const auto file = KBASE_TRY(reopen_at_start());
    struct stat status {};
    if (::fstat(file, &status) == 0) meter_->expect(static_cast<std::uint64_t>(status.st_size));
    const auto stream = KBASE_TRY(ByteStream::from_descriptor(file, name_, *meter_));
    return BackupReader(*stream, name_, call, visitor).run();
  }

 private:
  /// Returns a descriptor at the start of the file, which the caller must close.
  Result<int> reopen_at_start() {
    if (file_ < 0) file_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_at_start = file_ >= 0 && ::lseek(file_, 0, SEEK_SET) == 0;
    const int copy = is_at_start ? ::fcntl(file_, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0) return unreadable(name_, std::generic_category().message(errno));
    return copy;
  }

  std::string name_;
  int file_ = -1;                 // opened by the first read()
  std::unique_ptr<Meter> meter_;  // progress of the current read()
};

}  // namespace

Result<std::unique_ptr<ports::BackupSink>> open_backup_sink(const std::string& name, std::string program) {
  auto file = KBASE_TRY(open_output(name, OutputFile::Permissions::OwnerOnly, Compression::Always));
  return {std::make_unique<JsonLinesBackupSink>(std::move(file), std::move(program))};
}

Result<std::unique_ptr<ports::BackupSource>> open_backup_source(std::string name) {
  if (name == "-")
    return unreadable(
        "-", "a backup is read twice, so it cannot come from standard input; write it to a file and pass its name");
  return {std::make_unique<JsonLinesBackupSource>(std::move(name))};
}

}  // namespace kbase::content
