// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/http/refusal.hpp"

namespace kbase::http {

/// Message framing and connection persistence, derived from the header fields (RFC 9112 sections 3.2, 6 and 9.3; RFC
/// 9110 section 10.1.1). Refuses everything that two recipients could interpret differently. Not thread-safe.
class Framing {
 public:
  enum class Body { None, Fixed, Chunked };

  /// Processes one field. `name` must be in lower case.
  void note(std::string_view name, std::string_view value);

  /// Returns the refusal of the complete head, or nullopt if it is valid.
  std::optional<Refusal> judge(unsigned minor_version, std::uint64_t max_body_bytes) const;

  Body body() const noexcept;
  std::uint64_t content_length() const noexcept { return content_length_.value_or(0); }
  bool expects_continue() const noexcept { return expects_continue_; }
  bool keep_alive(unsigned minor_version) const noexcept { return !close_ && (minor_version >= 1 || keep_alive_); }

 private:
  void note_host(std::string_view value);
  void note_content_length(std::string_view value);
  void note_transfer_encoding(std::string_view value);
  void note_connection(std::string_view value);
  void note_expect(std::string_view value);
  void refuse(unsigned status, std::string_view message);

  std::optional<Refusal> refusal_;  // the first refusal
  std::optional<std::uint64_t> content_length_;
  unsigned hosts_ = 0;
  unsigned authorizations_ = 0;
  unsigned content_types_ = 0;
  unsigned codings_ = 0;
  bool chunked_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
};

}  // namespace kbase::http
