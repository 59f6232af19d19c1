// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/body_pipe.hpp"
#include "adapters/http/cors.hpp"
#include "domain/model/day.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// An HTTP response as sent on the connection.
struct Response {
  enum class Connection { Close, KeepAlive };

  Status status = Status::Ok;
  std::string head;  ///< status line and fields, including the empty line
  std::string body;  ///< body as sent; empty for HEAD
  Connection connection = Connection::Close;
  std::unique_ptr<BodyReader> stream;  ///< source of further data after `body`; null: none
  bool is_sent = false;                ///< sent through a ResponseStream already
};

/// Input for the header fields that all responses have (docs/guide/index.md, rate-limits.md and cors.md).
struct Envelope {
  model::Instant now;
  const ports::Admission& admission;
  std::string_view request_id;
  const CorsPolicy& cors;
  std::optional<std::string_view> origin;
  std::chrono::seconds max_age{0};
  bool is_head = false;
  bool takes_gzip = false;
  bool is_http_1_0 = false;
  Response::Connection connection = Response::Connection::Close;
};

/// Larger bodies are compressed if the client accepts it. In bytes.
inline constexpr std::size_t kCompressAbove = 1024;

Response compose(Answer answer, const Envelope& envelope);

/// Formats an IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
std::string http_date(model::Instant instant);

}  // namespace kbase::http
