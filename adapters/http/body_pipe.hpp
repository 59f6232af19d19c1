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

}  // namespace kbase::http
