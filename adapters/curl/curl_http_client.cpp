// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/curl_http_client.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/curl/request.hpp"
#include "adapters/curl/transfer.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/curl/upstream_service.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's inflateInit2: gzip headers only

uInt clamp_size(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

Error invalid_gzip(const z_stream& stream) {
  const char* const why = stream.msg != nullptr ? stream.msg : "the data ends too early";
  return {ErrorCode::BadUpstream, "The external service sent a response that cannot be decompressed.",
          std::string("gzip: ") + why};
}

/// Decompresses gzip (RFC 1952), one or several members, only as far as the caller reads. So a small input that expands
/// to a huge output uses no extra memory. Not thread-safe.
class GzipReader {
 public:
  GzipReader() : stream_(new z_stream_s{}) {
    if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
  }

  /// Decompresses from the front of `compressed` into `buffer` and removes the used bytes from `compressed`. Returns
  /// the number of bytes written; 0: more input is needed. BadUpstream: the input is not valid gzip.
  Result<std::size_t> read(std::string_view& compressed, std::span<char> buffer) {
    // zlib may hold output for which the last buffer had no space, so it is called at least once, even without input.
    for (bool is_called = false; !is_called || !compressed.empty(); is_called = true) {
      const uInt given = clamp_size(compressed.size());
      const uInt capacity = clamp_size(buffer.size());
      // zlib's interface uses neither const nor char. It only reads next_in and only writes next_out.
      stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
      stream_->avail_in = given;
      stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_->avail_out = capacity;
      int code = inflate(stream_.get(), Z_NO_FLUSH);
      compressed.remove_prefix(given - stream_->avail_in);
      if (code == Z_BUF_ERROR) break;  // no more output without input
      is_complete_ = code == Z_STREAM_END;
      if (is_complete_) code = inflateReset(stream_.get());
      if (code != Z_OK) return invalid_gzip(*stream_);
      if (stream_->avail_out < capacity) return capacity - stream_->avail_out;
    }
    return std::size_t{0};
  }

  /// Whether the input so far is empty or ends at the end of a gzip member.
  bool is_complete() const noexcept { return is_complete_; }

 private:
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };

  std::unique_ptr<z_stream_s, End> stream_;
  bool is_complete_ = true;
};

void GzipReader::End::operator()(z_stream_s* stream) const noexcept {
  inflateEnd(stream);
  delete stream;
}

constexpr std::string_view kEncoding = "content-encoding";
constexpr std::string_view kLength = "content-length";

/// Read size for compressed responses.
constexpr std::size_t kCompressedBytes = std::size_t{4} << 10;

/// The reader's side of one exchange. Decompresses the body on the reader's thread, only as far as it is read.
class Exchange final : public ports::HttpExchange {
 public:
  /// Starts the exchange.
  Exchange(TransferLoop& loop, std::shared_ptr<Transfer> transfer) : loop_(loop), transfer_(std::move(transfer)) {
    loop_.notify(transfer_);
  }
  ~Exchange() override {
    transfer_->pipe().detach_reader();
    loop_.notify(transfer_);
  }

  Result<ports::HttpHead> head() override {
    KBASE_TRY(load_head());
    return *head_;
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    KBASE_TRY(load_head());
    if (failure_) return *failure_;
    auto got = gzip_ ? read_decompressed(buffer) : read_raw(buffer);
    if (got) {
      read_bytes_ += *got;
      if (read_bytes_ <= transfer_->request().max_body_bytes) return got;
      failure_ =
          bad_response("the body has more than " + std::to_string(transfer_->request().max_body_bytes) + " bytes");
    } else {
      failure_ = got.error();
    }
    return *failure_;
  }

 private:
  Status load_head() {
    if (head_) return {};
    const auto came = KBASE_TRY(transfer_->pipe().head());
    const Head& head = *came;
    const std::string* const encoding = head.find(kEncoding);
    const bool is_compressed = encoding != nullptr && *encoding != "identity";
    if (is_compressed && *encoding != "gzip" && *encoding != "x-gzip")
      failure_ = bad_response("the response has a content encoding that was not requested");
    else if (is_compressed)
      gzip_.emplace();
    for (const Field& field : head.fields)
      if (!is_compressed || (field.name != kEncoding && field.name != kLength))
        fields_.push_back({field.name, field.value});
    head_ = {head.status, fields_, head.attempts};
    return {};
  }
  Result<std::size_t> read_decompressed(std::span<char> buffer) {
    compressed_.resize(kCompressedBytes);
    while (true) {
      const auto read = gzip_->read(unread_, buffer);
      if (!read || *read > 0) return read;
      const auto got = read_raw(compressed_);
      if (!got) return got;
      if (*got == 0) return gzip_->is_complete() ? got : bad_response("gzip: the data ends too early");
      unread_ = std::string_view(compressed_).substr(0, *got);
    }
  }
  /// Waits for bytes as they arrived, before decompression; 0: end of the response.
  Result<std::size_t> read_raw(std::span<char> buffer) {
    const auto result = KBASE_TRY(transfer_->pipe().read(buffer));
    if (result.resumes) loop_.notify(transfer_);
    return result.bytes;
  }

  TransferLoop& loop_;
  const std::shared_ptr<Transfer> transfer_;

  std::optional<ports::HttpHead> head_;
  std::vector<ports::HttpField> fields_;

  // Used only if the response is compressed.
  std::optional<GzipReader> gzip_;
  std::string compressed_;   // bytes before decompression
  std::string_view unread_;  // unread part of compressed_

  std::uint64_t read_bytes_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<CurlHttpClient>> CurlHttpClient::make(TransferLoop& loop, const ClientPorts& ports,
                                                             ClientOptions options) {
  std::vector<Origin> allowed;
  for (const std::string& text : options.allowed_urls) {
    const auto url = KBASE_TRY(Url::parse(text));
    allowed.push_back(url.origin());
  }
  if (allowed.empty()) return invalid_argument("url", "An HTTP client requires at least one allowed URL.");
  auto service = std::make_shared<UpstreamService>(ports, std::move(options), std::move(allowed));
  return std::unique_ptr<CurlHttpClient>(new CurlHttpClient(loop, std::move(service)));
}

Result<std::unique_ptr<ports::HttpExchange>> CurlHttpClient::open(ports::Call& call,
                                                                  const ports::HttpRequest& request) {
  if (call.cancelled()) return cancelled();
  auto copy = KBASE_TRY(validate_request(request, service_->allowed(), service_->options()));
  const auto pass = KBASE_TRY(service_->enter());
  const Breaker::Time entered = service_->clock().steady();
  try {
    auto transfer = std::make_shared<Transfer>(service_, pass, std::move(copy), call);
    return std::unique_ptr<ports::HttpExchange>(new Exchange(loop_, std::move(transfer)));
  } catch (...) {  // out of memory: no one else calls leave()
    service_->leave(pass, Outcome::Cancelled, entered);
    throw;
  }
}

}  // namespace kbase::curl
