// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "adapters/http/body_pipe.hpp"
#include "adapters/http/response.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::http {

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
