// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "adapters/native_index/postings/array_place.hpp"
#include "adapters/native_index/postings/window.hpp"

namespace kbase::native_index {

/// Forward-only cursor over the postings of a window. Starts at the first posting. Not thread-safe.
class WindowCursor {
 public:
  static constexpr std::uint32_t kEnd = kWindowDocuments;

  explicit WindowCursor(const Window& window);

  std::uint32_t document() const { return document_; }  ///< kEnd after the last posting

  /// Moves to the first posting >= `document` at or after the current one. Returns its document or kEnd.
  std::uint32_t next_at_or_after(std::uint32_t document);
  std::uint32_t next() { return next_at_or_after(document_ + 1); }

  // These describe the current posting; not valid at kEnd.
  std::uint32_t rank() const;
  std::uint8_t impact() const { return window_.impacts_[rank()]; }
  PositionReader positions() const { return window_.positions(rank()); }

 private:
  std::uint32_t next_in_bitmap(std::uint32_t document) const;

  Window window_;
  ArrayPlace place_;  ///< unused if the window is a bitmap
  std::uint32_t document_ = 0;
};

}  // namespace kbase::native_index
