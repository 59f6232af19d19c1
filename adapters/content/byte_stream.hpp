// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/base/output_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {

/// What compressed content of clients, or an archive, may unpack to: a small body cannot fill the disk or take hours.
inline constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{4} << 30;
inline constexpr std::string_view kUnpacksToTooMuch =
    "unpacks to more than the 4 GiB that an archive or a body of an import may have";

/// Progress of a read. One thread calls advance() and unpack(); any thread may call fraction().
class Meter {
 public:
  /// Adds to the expected size, in bytes on disk. Call it only before the read starts.
  void expect(std::uint64_t bytes) { expected_ += bytes; }
  void advance(std::uint64_t bytes) { read_.fetch_add(bytes, std::memory_order_relaxed); }

  /// Sets how many bytes all gzip data of the read may unpack to. Call it only before the read starts.
  void limit_unpacked(std::uint64_t bytes) { unpacked_left_ = bytes; }
  /// Counts unpacked bytes. Returns false if they exceed the limit.
  bool unpack(std::uint64_t bytes) {
    const bool is_within = bytes <= unpacked_left_;
    unpacked_left_ -= is_within ? bytes : unpacked_left_;
    return is_within;
  }

  /// nullopt: the size is unknown.
  std::optional<double> fraction() const;

 private:
  std::uint64_t expected_ = 0;
  std::uint64_t unpacked_left_ = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> read_{0};
};

/// Returns the error for a source that cannot be read: InvalidArgument, "FILE: reason" or "FILE:LINE: reason".
Error unreadable(std::string_view file, std::string_view reason, std::uint64_t line = 0);

/// Sequential reader of a file or of standard input ("-") that decompresses gzip (RFC 1952, any number of members). A
/// file whose name ends in ".gz" must be gzip; any other file is decompressed if it starts with the gzip magic bytes.
/// Not thread-safe.
class ByteStream {
 public:
  /// `meter` counts bytes on disk and must outlive the stream. Fails for a folder.
  static Result<std::unique_ptr<ByteStream>> open(std::string path, Meter& meter);

  /// Reads an open file from its current position. Takes ownership of `descriptor`. Errors name `path`.
  static Result<std::unique_ptr<ByteStream>> from_descriptor(int descriptor, std::string path, Meter& meter);
  virtual ~ByteStream() = default;

  /// Returns the next bytes, valid until the next call. Empty at the end, and after an error.
  virtual Result<std::string_view> next() = 0;
};

/// Decompresses gzip data in memory. `file` names them in messages. Fails if the result is more than `limit` bytes.
Result<std::string> gunzip(std::string_view bytes, std::string_view file, std::size_t limit);

/// Whether the bytes start as gzip data do.
bool is_gzip(std::string_view bytes);

/// Returns the rest of `stream`. Fails if that is more than `limit` bytes.
Result<std::string> read_all(ByteStream& stream, std::string_view file, std::size_t limit);

/// Maximum size of one record in its source. Bounds the memory of a read.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
inline constexpr std::string_view kRecordTooLong = "the record is longer than 64 MiB";

/// Splits a stream into lines. Removes a byte order mark before the first line, and the LF or CR LF after each line.
class LineReader {
 public:
  /// `stream` must outlive the reader. A line of more than `max_bytes` bytes is too long.
  explicit LineReader(ByteStream& stream, std::size_t max_bytes = kMaxRecordBytes)
      : stream_(stream), max_bytes_(max_bytes) {}

  /// Moves to the next line; false at the end. Errors: those of the stream.
  Result<bool> next();

  /// Valid until the next call of next(). Empty if the line is too long.
  std::string_view line() const { return line_; }
  bool too_long() const { return too_long_; }

  /// Number of the line, counted from 1.
  std::uint64_t number() const { return number_; }

 private:
  void append(std::string_view part);
  void end_line();

  ByteStream& stream_;
  const std::size_t max_bytes_;
  std::string_view rest_;  // unread part of the stream's chunk
  std::string joined_;     // line that spans several chunks
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool too_long_ = false;
};

enum class Compression {
  ByName,  ///< gzip if the name ends in ".gz"
  Always,
};

/// Opens a file for writing, plain or compressed as gzip (RFC 1952). See OutputFile::open().
Result<std::unique_ptr<OutputFile>> open_output(const std::string& name,
                                                OutputFile::Permissions permissions = OutputFile::Permissions::Default,
                                                Compression compression = Compression::ByName);

}  // namespace kbase::content
