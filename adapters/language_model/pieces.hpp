// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/function_ref.hpp"

namespace kbase::language_model {

/// Passes text that may be split within a character to a visitor as pieces of valid UTF-8. Passes everything at once
/// except the bytes of an incomplete character. Replaces bytes that are not UTF-8 by U+FFFD.
class Pieces {
 public:
  explicit Pieces(model::Visitor<std::string_view> visitor) : visitor_(visitor) {}

  /// Stop: the visitor stopped.
  model::Visit tell(std::string_view bytes);

  /// Ends the text. An incomplete character becomes U+FFFD.
  model::Visit finish();

  /// Number of bytes passed to the visitor.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  model::Visit tell_whole(std::string_view text);

  model::Visitor<std::string_view> visitor_;
  std::string cut_;  // start of an incomplete character
  std::uint64_t bytes_ = 0;
};

}  // namespace kbase::language_model
