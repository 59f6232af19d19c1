// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::content {

/// How far a reading is: told by the thread that reads, asked by any.
class Meter {
 public:
  /// More bytes to come, as they lie on disk. Before the reading starts.
  void expect(std::uint64_t bytes) { expected_ += bytes; }
  void advance(std::uint64_t bytes) { read_.fetch_add(bytes, std::memory_order_relaxed); }

  /// nullopt: nothing is known of the size.
  std::optional<double> fraction() const;

 private:
  std::uint64_t expected_ = 0;
  std::atomic<std::uint64_t> read_{0};
};

/// The error of a source that cannot be read: InvalidArgument, "FILE: reason" or "FILE:LINE: reason".
model::Error unreadable(std::string_view file, std::string_view reason, std::uint64_t line = 0);

/// The bytes of a file or of standard input ("-"), front to back, unpacked where they are gzip (RFC 1952, any number of
/// members): a name that ends in ".gz" must be, others are when they begin like it. One thread.
class ByteStream {
 public:
  /// `meter` is told of the bytes as they lie on disk and must outlive the stream. A folder is an error.
  static model::Result<std::unique_ptr<ByteStream>> open(std::string path, Meter& meter);

  /// The same of an open file, from where it stands; `path` is what errors name. The stream closes it.
  static model::Result<std::unique_ptr<ByteStream>> take(int descriptor, std::string path, Meter& meter);
  virtual ~ByteStream() = default;

  /// The next bytes, valid until the next call; empty at the end, and after an error.
  virtual model::Result<std::string_view> next() = 0;
};

/// The rest of `stream`, an error where that is more than `limit` bytes.
model::Result<std::string> read_all(ByteStream& stream, std::string_view file, std::size_t limit);

}  // namespace kbase::content
