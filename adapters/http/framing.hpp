// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/http/refusal.hpp"

namespace kbase::http {

/// What the fields of a head say about where its message ends and what its connection does then (RFC 9112 sections
/// 3.2, 6 and 9.3; RFC 9110 section 10.1.1). Whatever two recipients could understand in two ways is refused.
class Framing {
 public:
  enum class Body { None, Fixed, Chunked };

  /// Takes note of one field; `name` is in lower case.
  void note(std::string_view name, std::string_view value);

  /// The verdict over the whole head; nullopt: it can be framed.
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

  std::optional<Refusal> refusal_;  // the first
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
