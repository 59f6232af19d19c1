// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
class HeadReader {
 public:
  enum class Step {
    More,
    Complete,  ///< the head is complete; further lines are trailers, which are ignored
    TooLarge,  ///< more bytes than allowed, including informational responses and trailers
    Malformed,
  };

  explicit HeadReader(std::size_t max_bytes) : room_(max_bytes) {}

  Step line(std::string_view line);

  bool is_complete() const noexcept { return is_complete_; }
  Head& head() noexcept { return head_; }

 private:
  Step status_line(std::string_view line);
  Step field_line(std::string_view line);
  Step end_of_head();

  std::size_t room_;
  Head head_;
  bool is_complete_ = false;
};

}  // namespace kbase::curl
