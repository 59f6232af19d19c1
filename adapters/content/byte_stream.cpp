// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::string_view kGzipMagic = "\x1f\x8b";  // RFC 1952, section 2.3.1
constexpr int kGzipOnly = 15 + 16;                   // zlib's window bits: the largest window, gzip wrapping
constexpr std::string_view kTruncated = "the gzip data is truncated: the file is incomplete";

std::string describe_errno() { return std::generic_category().message(errno); }

class FileStream final : public ByteStream {
 public:
  FileStream(std::string path, int descriptor, Meter& meter)
      : path_(std::move(path)), descriptor_(descriptor), meter_(meter), buffer_(kChunkBytes) {}
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;
  ~FileStream() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  Result<std::string_view> next() override {
    if (std::exchange(peeked_, false)) return begin_;
    return read_at_least(1);
  }

  /// Returns the first bytes, at least two if the file has two. next() returns them again.
  Result<std::string_view> peek() {
    auto begin = read_at_least(kGzipMagic.size());
    if (begin) begin_ = *begin;
    peeked_ = begin.has_value();
    return begin;
  }

 private:
  Result<std::string_view> read_at_least(std::size_t wanted) {
    std::size_t filled = 0;
    while (filled < wanted) {
      const ssize_t got = ::read(descriptor_, buffer_.data() + filled, buffer_.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return unreadable(path_, describe_errno());
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    meter_.advance(filled);
    return std::string_view(buffer_.data(), filled);
  }

  std::string path_;
  int descriptor_;
  Meter& meter_;
  std::vector<char> buffer_;
  std::string_view begin_;
  bool peeked_ = false;
};

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}
  Result<std::string_view> next() override { return std::exchange(bytes_, {}); }

 private:
  std::string_view bytes_;
};

class GzipStream final : public ByteStream {
 public:
  GzipStream(std::string path, std::unique_ptr<ByteStream> compressed, Meter& meter)
      : path_(std::move(path)), compressed_(std::move(compressed)), meter_(meter), buffer_(kChunkBytes) {
    inflateInit2(&zlib_, kGzipOnly);
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&zlib_); }

  Result<std::string_view> next() override {
    zlib_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    zlib_.avail_out = static_cast<uInt>(buffer_.size());
    while (zlib_.avail_out == buffer_.size()) {
      if (zlib_.avail_in == 0) {
        const auto compressed = compressed_->next();
        if (!compressed) return compressed;
        if (compressed->empty()) {
          if (!between_members_) return unreadable(path_, kTruncated);
          return std::string_view();
        }
        zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed->data()));
        zlib_.avail_in = static_cast<uInt>(compressed->size());
      }
      KBASE_TRY(inflate_input());
    }
    const std::string_view plain(buffer_.data(), buffer_.size() - zlib_.avail_out);
    if (!meter_.unpack(plain.size())) return unreadable(path_, kUnpacksToTooMuch);
    return plain;
  }

 private:
  Status inflate_input() {
    const int outcome = inflate(&zlib_, Z_NO_FLUSH);
    between_members_ = outcome == Z_STREAM_END;
    if (between_members_) {
      inflateReset(&zlib_);
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return unreadable(path_,
                        std::string("invalid gzip data: ") + (zlib_.msg != nullptr ? zlib_.msg : "out of memory"));
    }
    return {};
  }

  std::string path_;
  std::unique_ptr<ByteStream> compressed_;
  Meter& meter_;
  std::vector<char> buffer_;
  z_stream zlib_{};
  bool between_members_ = false;
};

constexpr int kGzip = 15 + 16;  // zlib's window bits: the largest window, gzip wrapping

class GzipFile final : public OutputFile {
 public:
  GzipFile(std::string name, std::unique_ptr<OutputFile> compressed)
      : name_(std::move(name)), compressed_(std::move(compressed)), buffer_(kChunkBytes) {
    constexpr int kMemoryLevel = 8;  // default of zlib
    deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() override { deflateEnd(&zlib_); }

  Status write(std::string_view bytes) override {
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    return compress(Z_NO_FLUSH);
  }

  Status finish() override {
    KBASE_TRY(compress(Z_FINISH));
    return compressed_->finish();
  }

 private:
  Status compress(int flush) {
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      zlib_.avail_out = static_cast<uInt>(buffer_.size());
      if (deflate(&zlib_, flush) == Z_STREAM_ERROR)
        return Error{ErrorCode::Unavailable, name_ + ": out of memory while compressing"};
      auto written = compressed_->write({buffer_.data(), buffer_.size() - zlib_.avail_out});
      if (!written) return written;
    } while (zlib_.avail_out == 0);
    return {};
  }

  std::string name_;
  std::unique_ptr<OutputFile> compressed_;
  std::vector<char> buffer_;
  z_stream zlib_{};
};

}  // namespace

std::optional<double> Meter::fraction() const {
  if (expected_ == 0) return std::nullopt;
  const auto read = static_cast<double>(read_.load(std::memory_order_relaxed));
  return std::min(1.0, read / static_cast<double>(expected_));
}

Error unreadable(std::string_view file, std::string_view reason, std::uint64_t line) {
  std::string message(file);
  if (line != 0) message.append(":").append(std::to_string(line));
  message.append(": ").append(reason);
  return {ErrorCode::InvalidArgument, std::move(message)};
}

Result<std::unique_ptr<ByteStream>> ByteStream::open(std::string path, Meter& meter) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unreadable(path, describe_errno());
  return from_descriptor(descriptor, std::move(path), meter);
}

Result<std::unique_ptr<ByteStream>> ByteStream::from_descriptor(int descriptor, std::string path, Meter& meter) {
  auto file = std::make_unique<FileStream>(path, descriptor, meter);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return unreadable(path, describe_errno());
  if (S_ISDIR(status.st_mode)) return unreadable(path, "is a folder, not a file");

  const auto begin = KBASE_TRY(file->peek());
  if (is_gzip(begin)) return {std::make_unique<GzipStream>(std::move(path), std::move(file), meter)};
  if (path.ends_with(".gz")) return unreadable(path, begin.empty() ? kTruncated : "is not gzip data");
  return {std::move(file)};
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with(kGzipMagic); }

Result<std::string> gunzip(std::string_view bytes, std::string_view file, std::size_t limit) {
  Meter meter;
  GzipStream stream(std::string(file), std::make_unique<MemoryStream>(bytes), meter);
  auto plain = read_all(stream, file, limit);
  return plain;
}

Result<std::string> read_all(ByteStream& stream, std::string_view file, std::size_t limit) {
  std::string text;
  for (;;) {
    const auto chunk = KBASE_TRY(stream.next());
    if (chunk.empty()) return text;
    if (chunk.size() > limit - text.size())
      return unreadable(file, "is larger than " + std::to_string(limit >> 20) + " MiB");
    text.append(chunk);
  }
}

Result<bool> LineReader::next() {
  joined_.clear();
  too_long_ = false;
  for (bool begun = false;;) {
    if (const std::size_t end = rest_.find('\n'); end != std::string_view::npos) {
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (begun) {
        append(line_);
        line_ = joined_;
      }
      end_line();
      return true;
    }
    begun = begun || !rest_.empty();
    append(rest_);
    const auto chunk = KBASE_TRY(stream_.next());
    rest_ = chunk;
    if (rest_.empty()) {
      line_ = joined_;
      if (begun) end_line();
      return begun;
    }
  }
}

void LineReader::append(std::string_view part) {
  if (too_long_ || part.size() > max_bytes_ - joined_.size()) {
    too_long_ = true;
    joined_.clear();
  } else {
    joined_.append(part);
  }
}

void LineReader::end_line() {
  if (++number_ == 1 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
}

Result<std::unique_ptr<OutputFile>> open_output(const std::string& name, OutputFile::Permissions permissions,
                                                Compression compression) {
  auto file = OutputFile::open(name, permissions);
  if (!file || (compression == Compression::ByName && !name.ends_with(".gz"))) return file;
  return {std::make_unique<GzipFile>(name, std::move(*file))};
}

}  // namespace kbase::content
