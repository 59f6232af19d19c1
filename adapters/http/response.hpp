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

/// An answer as it goes over the wire.
struct Response {
  enum class Connection { Close, KeepAlive };

  Status status = Status::Ok;
  std::string head;  ///< status line and fields, with the empty line
  std::string body;  ///< as sent: nothing for HEAD
  Connection connection = Connection::Close;
  std::unique_ptr<BodyReader> stream;  ///< what follows `body`, and is still being made; null: nothing
  bool is_sent = false;                ///< by way of an Outlet already
};

/// What every answer carries beside its own (docs/guide/index.md, rate-limits.md and cors.md).
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

/// Bodies of more bytes than this are compressed where the client takes it.
inline constexpr std::size_t kCompressAbove = 1024;

Response compose(Answer answer, const Envelope& envelope);

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
std::string http_date(model::Instant instant);

}  // namespace kbase::http
