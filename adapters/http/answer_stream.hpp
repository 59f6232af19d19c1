// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/http/body_pipe.hpp"
#include "adapters/http/response.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::http {

/// Takes an answer whose body is still being made; its connection's.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  /// Sends the head of `response`, and after it what is written into the pipe.
  virtual std::shared_ptr<BodyPipe> open(Response response, BodyPipe::Framing framing) = 0;
};

/// An event stream that an endpoint tells, event after event; lives while the request is being answered, and breaks off
/// where nobody ended it. One thread.
class AnswerStream {
 public:
  /// `head` is asked for at the first event, before which the answer may become another one. Both outlive the stream; a
  /// null outlet takes nothing.
  AnswerStream(ResponseStream* outlet, BodyPipe::Framing framing, model::FunctionRef<Response()> head)
      : outlet_(outlet), framing_(framing), head_(head) {}
  ~AnswerStream() {
    if (pipe_ != nullptr && !has_ended_) pipe_->break_off();
  }
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;

  /// Waits for a client that reads slowly. False: it is gone.
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
