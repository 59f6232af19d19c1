// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/problem.hpp"
#include "adapters/http/server.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/model/day.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// Pipe for a response body that is sent while it is computed, from the thread that computes it to the reactor that
/// sends it. Adds the framing of the body. Flow control: a writer blocks while kCapacity bytes or more are queued or
/// being sent, so that at most kCapacity bytes and one write are in memory.
class BodyPipe {
 public:
  static constexpr std::size_t kCapacity = 8 * 1024;

  enum class Framing {
    Chunked,     ///< chunked transfer coding (RFC 9112 section 7.1)
    UntilClose,  ///< for HTTP/1.0: closing the connection ends the body
  };
  enum class State {
    Open,
    Complete,  ///< complete, and all data was read
    Aborted,   ///< aborted; the connection must be closed
  };

  /// `notify` is called on the writer's thread when data becomes available after the pipe was empty, and at the end.
  BodyPipe(Framing framing, std::function<void()> notify) : framing_(framing), notify_(std::move(notify)) {}

  // Functions of the writer's thread.

  /// Returns false if the reader is gone.
  bool write(std::string_view bytes);
  void end() { close(State::Complete); }
  void abort() { close(State::Aborted); }

  // Functions of the reader's thread; none of them blocks.

  /// Confirms that the data of the previous call was sent, and moves the queued data into `bytes`, whose memory is
  /// reused. Returns Open as long as there was data.
  State read(std::string& bytes);

  /// Returns `bytes` with the framing that write() would add.
  std::string frame(std::string_view bytes) const;

  void close_reader();

 private:
  void close(State state);
  void append_frame(std::string& to, std::string_view bytes) const;

  const Framing framing_;
  const std::function<void()> notify_;
  std::mutex mutex_;
  std::condition_variable space_available_;
  std::string queued_;
  std::size_t in_flight_bytes_ = 0;  // read but not sent yet
  State state_ = State::Open;
  bool is_reader_closed_ = false;
};

/// Read end of a pipe. Its destructor calls close_reader(), after which write() returns false.
class BodyReader {
 public:
  explicit BodyReader(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~BodyReader() { pipe_->close_reader(); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  BodyPipe* operator->() const noexcept { return pipe_.get(); }

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

/// CORS header fields (Fetch standard, "HTTP extensions"). Never allows credentials: a key is sent in Authorization,
/// which a script must set itself. Immutable.
class CorsPolicy {
 public:
  explicit CorsPolicy(const CorsOptions& options);

  /// Writes the fields of every response.
  void write_fields(std::string& fields, std::optional<std::string_view> origin) const;

  /// Writes the additional fields of a preflight response.
  void write_preflight(std::string& fields) const;

  /// Returns whether responses depend on Origin.
  bool varies() const noexcept { return !any_; }

 private:
  CorsOptions options_;
  bool any_;
};

/// State of the window shown in X-RateLimit-*: the one with the fewest remaining requests among those with a limit; on
/// a tie the one that resets later. For a denied request this is the window that denied it.
struct RateState {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::int64_t reset = 0;               ///< Unix time in seconds, rounded up
  std::chrono::seconds retry_after{1};  ///< time until `reset`, at least 1 s
};

RateState compute_rate_state(const ports::Admission& admission, model::Instant now);

/// Appends X-RateLimit-* and, if a window has a limit, RateLimit-Policy and RateLimit
/// (draft-ietf-httpapi-ratelimit-headers), as complete field lines.
void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now);

/// An HTTP response as sent on the connection.
struct HttpResponse {
  enum class Connection { Close, KeepAlive };

  HttpStatus status = HttpStatus::Ok;
  std::string head;  ///< status line and fields, including the empty line
  std::string body;  ///< body as sent; empty for HEAD
  Connection connection = Connection::Close;
  std::unique_ptr<BodyReader> stream;  ///< source of further data after `body`; null: none
  bool is_sent = false;                ///< sent through a ResponseStream already
};

/// Input for the header fields that all responses have (docs/guide/index.md, rate-limits.md and cors.md).
struct ResponseContext {
  model::Instant now;
  const ports::Admission& admission;
  std::string_view request_id;
  const CorsPolicy& cors;
  std::optional<std::string_view> origin;
  std::chrono::seconds max_age{0};
  bool is_head = false;
  bool takes_gzip = false;
  bool is_http_1_0 = false;
  HttpResponse::Connection connection = HttpResponse::Connection::Close;
};

/// Larger bodies are compressed if the client accepts it. In bytes.
inline constexpr std::size_t kCompressionThreshold = 1024;

HttpResponse compose_response(Reply reply, const ResponseContext& context);

/// Comment line. Readers ignore it; it keeps proxies from closing an idle stream.
inline constexpr std::string_view kHeartbeat = ":\n\n";

/// Returns an event. `data` must be JSON by JsonWriter, which contains no line breaks.
inline std::string format_event(std::string_view name, std::string_view data) {
  std::string text;
  text.reserve(name.size() + data.size() + 16);
  return text.append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
}

/// Sends responses whose body is still being computed. Belongs to one connection.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  /// Sends the head of `response`, followed by the data written into the returned pipe.
  virtual std::shared_ptr<BodyPipe> open(HttpResponse response, BodyPipe::Framing framing) = 0;
};

/// Event stream written by an endpoint while it handles a request. Aborts the response if it is destroyed without
/// end(). Not thread-safe.
class EventStreamWriter {
 public:
  /// `head` is called at the first event; until then the endpoint can return another reply. `response_stream` and
  /// `head` must outlive the stream. With a null `response_stream`, send() returns false.
  EventStreamWriter(ResponseStream* response_stream, BodyPipe::Framing framing, FunctionRef<HttpResponse()> head)
      : response_stream_(response_stream), framing_(framing), head_(head) {}
  ~EventStreamWriter() {
    if (pipe_ != nullptr && !has_ended_) pipe_->abort();
  }
  EventStreamWriter(const EventStreamWriter&) = delete;
  EventStreamWriter& operator=(const EventStreamWriter&) = delete;

  /// Blocks while the client reads slowly. Returns false if the client is gone.
  bool send(std::string_view format_event) {
    if (response_stream_ == nullptr) return false;
    if (pipe_ == nullptr) {
      HttpResponse response = head_();
      head_bytes_ = response.head.size();
      pipe_ = response_stream_->open(std::move(response), framing_);
    }
    sent_bytes_ += format_event.size();
    return pipe_->write(format_event);
  }

  void end() {
    pipe_->end();
    has_ended_ = true;
  }

  bool has_started() const noexcept { return pipe_ != nullptr; }
  std::size_t head_bytes() const noexcept { return head_bytes_; }
  std::size_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  ResponseStream* const response_stream_;
  const BodyPipe::Framing framing_;
  const FunctionRef<HttpResponse()> head_;
  std::shared_ptr<BodyPipe> pipe_;
  bool has_ended_ = false;
  std::size_t head_bytes_ = 0;
  std::size_t sent_bytes_ = 0;
};

}  // namespace kbase::http
