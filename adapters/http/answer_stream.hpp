// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/http/body_pipe.hpp"
#include "adapters/http/response.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::http {

/// Sends responses whose body is still being computed. Belongs to one connection.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  /// Sends the head of `response`, followed by the data written into the returned pipe.
  virtual std::shared_ptr<BodyPipe> open(Response response, BodyPipe::Framing framing) = 0;
};

/// Event stream written by an endpoint while it handles a request. Aborts the response if it is destroyed without
/// end(). Not thread-safe.
class AnswerStream {
 public:
  /// `head` is called at the first event; until then the endpoint can return another reply. `outlet` and `head` must
  /// outlive the stream. With a null `outlet`, send() returns false.
  AnswerStream(ResponseStream* outlet, BodyPipe::Framing framing, model::FunctionRef<Response()> head)
      : outlet_(outlet), framing_(framing), head_(head) {}
  ~AnswerStream() {
    if (pipe_ != nullptr && !has_ended_) pipe_->break_off();
  }
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;

  /// Blocks while the client reads slowly. Returns false if the client is gone.
  bool send(std::string_view event) {
    if (outlet_ == nullptr) return false;
    if (pipe_ == nullptr) {
      Response response = head_();
      head_bytes_ = response.head.size();
      pipe_ = outlet_->open(std::move(response), framing_);
    }
    sent_bytes_ += event.size();
    return pipe_->write(event);
  }

  void end() {
    pipe_->end();
    has_ended_ = true;
  }

  bool has_begun() const noexcept { return pipe_ != nullptr; }
  std::size_t head_bytes() const noexcept { return head_bytes_; }
  std::size_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  ResponseStream* const outlet_;
  const BodyPipe::Framing framing_;
  const model::FunctionRef<Response()> head_;
  std::shared_ptr<BodyPipe> pipe_;
  bool has_ended_ = false;
  std::size_t head_bytes_ = 0;
  std::size_t sent_bytes_ = 0;
};

}  // namespace kbase::http
