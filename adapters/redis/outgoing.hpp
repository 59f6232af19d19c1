// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase::redis {

/// Send buffer. Moves the remaining bytes to the front only when they are less than half, so that each byte is moved
/// less than once on average, however small the pieces are.
class Outgoing {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }

  bool empty() const { return gone_ == bytes_.size(); }

  /// Returns the unsent bytes. Valid until the next change.
  std::string_view rest() const { return std::string_view(bytes_).substr(gone_); }

  /// Removes the first `size` unsent bytes.
  void drop(std::size_t size) {
    gone_ += size;
    if (!empty() && gone_ <= bytes_.size() / 2) return;
    bytes_.erase(0, gone_);
    gone_ = 0;
  }

  void clear() {
    bytes_.clear();
    gone_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t gone_ = 0;
};

}  // namespace kbase::redis
