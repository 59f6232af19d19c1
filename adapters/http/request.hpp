// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::http {

/// Reason for refusing a message: the status of the response and a message for the client, with static lifetime. The
/// connection is closed afterwards, because the start of the next message is unknown.
struct Refusal {
  unsigned status = 400;
  std::string_view message;
};

/// A complete HTTP request. All its fields are offsets into one text, so a request can be moved; returned views are
/// valid until it is moved or cleared.
class Request {
 public:
  std::string_view method() const noexcept { return text(method_); }

  /// Path and query as sent; "*" for OPTIONS *; for an absolute form the part after the authority.
  std::string_view target() const noexcept { return text(target_); }

  /// The x of HTTP/1.x; a value above 1 counts as 1 (RFC 9110 section 2.5).
  unsigned minor_version() const noexcept { return minor_version_; }

  /// Returns whether the connection should stay open after the response (RFC 9112 section 9.3).
  bool keep_alive() const noexcept { return keep_alive_; }

  const std::string& body() const noexcept { return body_; }

  /// Returns the first field with this name. `name` must be in lower case.
  std::optional<std::string_view> field(std::string_view name) const noexcept {
    for (const Field& field : fields_)
      if (text(field.name) == name) return text(field.value);
    return std::nullopt;
  }

  /// Calls `visit` with the value of every field with this name, in order. `name` must be in lower case.
  template <class Visit>
  void each_field(std::string_view name, Visit&& visit) const {
    for (const Field& field : fields_)
      if (text(field.name) == name) visit(text(field.value));
  }

 private:
  friend class RequestParser;

  struct Span {
    std::uint32_t start = 0;
    std::uint32_t size = 0;
  };
  struct Field {
    Span name;  // in lower case
    Span value;
  };

  std::string_view text(Span span) const noexcept { return std::string_view(head_).substr(span.start, span.size); }

  /// Resets the request. Keeps its memory unless it exceeds the needs of common requests.
  void clear();

  std::string head_;
  Span method_;
  Span target_;
  std::vector<Field> fields_;
  std::string body_;
  unsigned minor_version_ = 1;
  bool keep_alive_ = true;
};

}  // namespace kbase::http
