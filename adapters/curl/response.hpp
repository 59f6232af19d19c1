// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::curl {

struct Field {
  std::string name;  ///< in lower case
  std::string value;
};

/// The final status of a response and its fields, in the order received.
struct Head {
  std::uint32_t status = 0;
  std::vector<Field> fields;
  std::uint32_t attempts = 0;  ///< how often the request was sent for this response

  /// Returns the value of the first field with this name; null: there is no such field.
  const std::string* find(std::string_view name) const;
};

/// Parses the header lines that libcurl delivers one by one (RFC 9112, sections 4 and 5).
class HeadParser {
 public:
  enum class Step {
    More,
    Complete,  ///< the head is complete; further lines are trailers, which are ignored
    TooLarge,  ///< more bytes than allowed, including informational responses and trailers
    Malformed,
  };

  explicit HeadParser(std::size_t max_bytes) : remaining_bytes_(max_bytes) {}

  Step parse_line(std::string_view line);

  bool is_complete() const noexcept { return is_complete_; }
  Head& head() noexcept { return head_; }

 private:
  Step parse_status_line(std::string_view line);
  Step parse_field_line(std::string_view line);
  Step finish_head();

  std::size_t remaining_bytes_;
  Head head_;
  bool is_complete_ = false;
};

/// Buffer between the two sides of an exchange: the loop writes the response as it arrives, one reader reads it at its
/// own pace. The reader's waits have no timeout: the loop checks deadline and cancellation and calls fail().
class ResponsePipe {
 public:
  /// Buffered bytes at which the transfer pauses; one more network read may be added. Small, because every stream with
  /// a slow reader holds that many.
  static constexpr std::size_t kPauseBytes = 4U << 10U;

  explicit ResponsePipe(ports::CancelSource cancel) : cancel_(cancel) {}

  // Called by the loop.

  enum class PutResult { HasSpace, Full };  ///< Full: the transfer pauses until take_resume_request()

  void put_head(Head head);
  PutResult put_body(std::string_view bytes);
  /// The response is complete.
  void end();
  /// Ends the response with an error. The reader still gets the bytes before it, except after Deadline and Cancelled.
  void fail(Error why);

  bool has_reader() const;
  /// Whether the call was cancelled.
  bool is_cancelled() const;
  /// Whether the reader emptied a pipe whose transfer had paused. Returns true once.
  bool take_resume_request();

  // Called by the reader.

  /// Waits for the head. The result is valid as long as the pipe.
  Result<const Head*> head();

  struct ReadResult {
    std::size_t bytes = 0;  ///< 0: end of the response
    bool resumes = false;   ///< the transfer is paused and can continue: notify the loop
  };

  /// Waits for bytes and moves as many as fit into `buffer`, which must not be empty.
  Result<ReadResult> read(std::span<char> buffer);

  /// Detaches the reader. `cancel` is not used afterwards.
  void detach_reader();

 private:
  void drop_bytes();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ports::CancelSource cancel_;
  std::optional<Head> head_;
  std::string bytes_;
  std::size_t read_bytes_ = 0;  // read bytes of `bytes_`, which is cleared when all are read
  std::optional<Error> failure_;
  bool has_ended_ = false;
  bool has_reader_ = true;
  bool is_paused_ = false;
  bool resume_requested_ = false;
};

}  // namespace kbase::curl
