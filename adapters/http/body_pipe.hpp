// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kbase::http {

/// The body of an answer that is sent while it is being made, on its way from the thread that makes it to the reactor
/// that sends it. Its bytes are framed as they go over the wire. No more than kRoom bytes and one write wait in it or
/// are being sent: a writer waits for a reader that is slower.
class BodyPipe {
 public:
  static constexpr std::size_t kRoom = 8 * 1024;

  enum class Framing {
    Chunked,     ///< RFC 9112 section 7.1
    UntilClose,  ///< for HTTP/1.0: the end of the connection is that of the body
  };
  enum class State {
    Open,
    Whole,   ///< all was taken
    Broken,  ///< it ended before it was whole, and so must the connection
  };

  /// `notify` is called on the writer's thread when there is something to take after there was nothing.
  BodyPipe(Framing framing, std::function<void()> notify) : framing_(framing), notify_(std::move(notify)) {}

  // The writer's thread.

  /// False: nobody reads any more.
  bool write(std::string_view bytes);
  void end() { close(State::Whole); }
  void break_off() { close(State::Broken); }

  // The reader's thread; none of these waits.

  /// All that was taken before is sent. Puts what is there now into `bytes`, whose memory is used again. The state is
  /// Open as long as there was any.
  State take(std::string& bytes);

  /// Such bytes as `write` would frame them.
  std::string framed(std::string_view bytes) const;

  void leave();

 private:
  void close(State state);
  void append_framed(std::string& to, std::string_view bytes) const;

  const Framing framing_;
  const std::function<void()> notify_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::string waiting_;
  std::size_t taken_bytes_ = 0;  // and not sent yet
  State state_ = State::Open;
  bool has_left_ = false;
};

/// The reader's end. Whoever drops it has left.
class BodyReader {
 public:
  explicit BodyReader(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~BodyReader() { pipe_->leave(); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  BodyPipe* operator->() const noexcept { return pipe_.get(); }

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

}  // namespace kbase::http
