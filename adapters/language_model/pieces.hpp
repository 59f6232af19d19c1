// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/function_ref.hpp"

namespace kbase::language_model {

/// Tells text that comes cut anywhere, even within a character, as pieces of whole UTF-8, at once: only the bytes of a
/// character that is not whole yet wait. What is no UTF-8 becomes U+FFFD.
class Pieces {
 public:
  explicit Pieces(model::Visitor<std::string_view> visitor) : visitor_(visitor) {}

  /// Stop: nobody reads on.
  model::Visit tell(std::string_view bytes);

  /// That was all.
  model::Visit finish();

  /// Of all that was told.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  model::Visit tell_whole(std::string_view text);

  model::Visitor<std::string_view> visitor_;
  std::string cut_;  // the start of a character
  std::uint64_t bytes_ = 0;
};

}  // namespace kbase::language_model
