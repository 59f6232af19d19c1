// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/curl/head.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::curl {

/// What an exchange's two sides share: the loop puts the answer in as it comes, one reader takes it out at its pace.
/// The reader's waits have no end of their own: the loop looks after deadline and cancellation, and fails the pipe.
class AnswerPipe {
 public:
  /// Bytes that lie ready before the transfer pauses; one piece of the network's may come on top.
  static constexpr std::size_t kEnoughBytes = 32U << 10U;

  explicit AnswerPipe(ports::CancelSource cancel) : cancel_(cancel) {}

  // The loop.

  enum class Room { Left, None };  ///< None: the transfer pauses until wants_more()

  void put_head(Head head);
  Room put_body(std::string_view bytes);
  /// That was the whole answer.
  void end();
  /// Nothing more comes. What was put before is still read, unless nobody should wait for it: Deadline and Cancelled.
  void fail(model::Error why);

  bool has_reader() const;
  /// Whether nobody waits for the answer of the call any more.
  bool is_cancelled() const;
  /// Whether the reader has emptied a pipe that had no room; true once.
  bool takes_more();

  // The reader.

  /// Waits. The head stays as long as the pipe.
  model::Result<const Head*> head();

  /// What take() did beside taking.
  enum class Took { Some, SomeOfPaused, End };

  /// Waits for bytes and swaps them with `bytes`, which then holds them alone. SomeOfPaused: the loop must be told.
  model::Result<Took> take(std::string& bytes);

  /// The reader goes, and nobody asks `cancel` after this.
  void leave();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ports::CancelSource cancel_;
  std::optional<Head> head_;
  std::string bytes_;
  std::optional<model::Error> failure_;
  bool has_ended_ = false;
  bool has_reader_ = true;
  bool is_paused_ = false;
  bool takes_more_ = false;
};

}  // namespace kbase::curl
