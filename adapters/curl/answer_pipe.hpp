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

/// What an exchange's two sides share: the loop puts the answer in as it comes, one reader takes it out at its pace.
/// The reader's waits have no end of their own: the loop looks after deadline and cancellation, and fails the pipe.
class AnswerPipe {
 public:
  /// Bytes that lie ready before the transfer pauses; one piece of the network's may come on top. Few, since each
  /// stream whose reader is slow holds them for as long as it lasts.
  static constexpr std::size_t kEnoughBytes = 4U << 10U;

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

  struct Decision {
    std::size_t bytes = 0;    ///< 0: that was all
    bool makes_room = false;  ///< the transfer had paused and may go on: the loop must be told
  };

  /// Waits for bytes and moves as many as fit into `buffer`, which is not empty.
  model::Result<Decision> take(std::span<char> buffer);

  /// The reader goes, and nobody asks `cancel` after this.
  void leave();

 private:
  void drop_bytes();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ports::CancelSource cancel_;
  std::optional<Head> head_;
  std::string bytes_;
  std::size_t taken_bytes_ = 0;  // of these; they go when all are
  std::optional<model::Error> failure_;
  bool has_ended_ = false;
  bool has_reader_ = true;
  bool is_paused_ = false;
  bool takes_more_ = false;
};

}  // namespace kbase::curl
