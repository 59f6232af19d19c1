// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/curl/head.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::curl {

/// Buffer between the two sides of an exchange: the loop writes the response as it arrives, one reader reads it at its
/// own pace. The reader's waits have no timeout: the loop checks deadline and cancellation and calls fail().
class AnswerPipe {
 public:
  /// Buffered bytes at which the transfer pauses; one more network read may be added. Small, because every stream with
  /// a slow reader holds that many.
  static constexpr std::size_t kEnoughBytes = 4U << 10U;

  explicit AnswerPipe(ports::CancelSource cancel) : cancel_(cancel) {}

  // Called by the loop.

  enum class Room { Left, None };  ///< None: the transfer pauses until takes_more()

  void put_head(Head head);
  Room put_body(std::string_view bytes);
  /// The response is complete.
  void end();
  /// Ends the response with an error. The reader still gets the bytes before it, except after Deadline and Cancelled.
  void fail(model::Error why);

  bool has_reader() const;
  /// Whether the call was cancelled.
  bool is_cancelled() const;
  /// Whether the reader emptied a pipe whose transfer had paused. Returns true once.
  bool takes_more();

  // Called by the reader.

  /// Waits for the head. The result is valid as long as the pipe.
  model::Result<const Head*> head();

  struct Decision {
    std::size_t bytes = 0;    ///< 0: end of the response
    bool makes_room = false;  ///< the transfer is paused and can continue: notify the loop
  };

  /// Waits for bytes and moves as many as fit into `buffer`, which must not be empty.
  model::Result<Decision> take(std::span<char> buffer);

  /// Detaches the reader. `cancel` is not used afterwards.
  void leave();

 private:
  void drop_bytes();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ports::CancelSource cancel_;
  std::optional<Head> head_;
  std::string bytes_;
  std::size_t taken_bytes_ = 0;  // read bytes of `bytes_`, which is cleared when all are read
  std::optional<model::Error> failure_;
  bool has_ended_ = false;
  bool has_reader_ = true;
  bool is_paused_ = false;
  bool takes_more_ = false;
};

}  // namespace kbase::curl
