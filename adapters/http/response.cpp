// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/response.hpp"

#include <array>

#include "adapters/http/gzip.hpp"
#include "adapters/http/rate_fields.hpp"
#include "adapters/http/site.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kCommonHeadBytes = 1024;
constexpr std::size_t kDateBytes = 29;
constexpr std::string_view kJsonPolicy = "default-src 'none'; frame-ancestors 'none'";

void append_two_digits(std::string& text, unsigned value) {
  text += static_cast<char>('0' + value / 10 % 10);
  text += static_cast<char>('0' + value % 10);
}

void write_status_line(std::string& head, Status status) {
  head.append("HTTP/1.1 ").append(std::to_string(static_cast<int>(status))).append(" ");
  head.append(Pistache::Http::codeString(status)).append("\r\n");
}

bool has_content(Status status) {
  return status != Status::No_Content && status != Status::Not_Modified;
}

bool is_stream(const Answer& answer) {
  return answer.format == Answer::Format::EventStream;
}

bool is_page(const Answer& answer) {
  return answer.format == Answer::Format::Page;
}

void write_caching(std::string& head, const Answer& answer, std::chrono::seconds max_age) {
  if (is_page(answer)) return add_field(head, "Cache-Control", "no-cache");
  if (is_stream(answer)) return add_field(head, "Cache-Control", "no-store, no-transform");
  if (answer.caching == Answer::Caching::Never) return add_field(head, "Cache-Control", "no-store");
  if (max_age.count() <= 0) return add_field(head, "Cache-Control", "private, no-cache");
  add_field(head, "Cache-Control", "private, max-age=" + std::to_string(max_age.count()));
}

void write_vary(std::string& head, const Answer& answer, const CorsPolicy& cors) {
  const bool by_encoding = answer.status != Status::No_Content && !is_stream(answer);
  if (by_encoding && cors.varies()) return add_field(head, "Vary", "Accept-Encoding, Origin");
  if (by_encoding) return add_field(head, "Vary", "Accept-Encoding");
  if (cors.varies()) add_field(head, "Vary", "Origin");
}

/// In HTTP/1.0, only closing the connection ends a body of unknown length.
Response::Connection afterwards(const Answer& answer, const Envelope& envelope) {
  return is_stream(answer) && envelope.is_http_1_0 ? Response::Connection::Close : envelope.connection;
}

void write_connection(std::string& head, Response::Connection connection, const Envelope& envelope) {
  if (connection == Response::Connection::Close)
    add_field(head, "Connection", "close");
  else if (envelope.is_http_1_0)
    add_field(head, "Connection", "keep-alive");
}

/// Encodes the body and writes the fields that describe it.
void write_content(std::string& head, Answer& answer, const Envelope& envelope) {
  if (!has_content(answer.status)) {
    answer.body.clear();
    return;
  }
  if (is_stream(answer)) {
    add_field(head, "Content-Type", "text/event-stream");
    if (!envelope.is_http_1_0) add_field(head, "Transfer-Encoding", "chunked");
    return;
  }
  if (answer.prepared != nullptr) {
    const bool is_packed = envelope.takes_gzip && !answer.prepared->packed.empty();
    answer.body = is_packed ? answer.prepared->packed : answer.prepared->body;
    add_field(head, "Content-Type", answer.prepared->content_type);
    if (is_packed) add_field(head, "Content-Encoding", "gzip");
    add_field(head, "Content-Length", std::to_string(answer.body.size()));
    return;
  }
  add_field(head, "Content-Type", "application/json; charset=utf-8");
  if (envelope.takes_gzip && answer.body.size() > kCompressAbove) {
    if (auto packed = gzip(answer.body)) {
      answer.body = *std::move(packed);
      add_field(head, "Content-Encoding", "gzip");
    }
  }
  add_field(head, "Content-Length", std::to_string(answer.body.size()));
}

}  // namespace

std::string http_date(model::Instant instant) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const model::Day day = model::day_of(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(instant - day));
  const int year = static_cast<int>(date.year());
  std::string text;
  text.reserve(kDateBytes);
  text.append(kDays[std::chrono::weekday(day).c_encoding()]).append(", ");
  append_two_digits(text, static_cast<unsigned>(date.day()));
  text.append(" ").append(kMonths[static_cast<unsigned>(date.month()) - 1]).append(" ");
  append_two_digits(text, static_cast<unsigned>(year / 100));
  append_two_digits(text, static_cast<unsigned>(year % 100));
  append_two_digits(text += ' ', static_cast<unsigned>(time.hours().count()));
  append_two_digits(text += ':', static_cast<unsigned>(time.minutes().count()));
  append_two_digits(text += ':', static_cast<unsigned>(time.seconds().count()));
  return text += " GMT";
}

Response compose(Answer answer, const Envelope& envelope) {
  Response response;
  response.status = answer.status;
  response.connection = afterwards(answer, envelope);
  std::string& head = response.head;
  head.reserve(kCommonHeadBytes);
  write_status_line(head, answer.status);
  add_field(head, "Date", http_date(envelope.now));
  write_content(head, answer, envelope);
  write_caching(head, answer, envelope.max_age);
  if (!answer.entity_tag.empty()) add_field(head, "ETag", answer.entity_tag);
  write_vary(head, answer, envelope.cors);
  head += answer.fields;
  write_rate_fields(head, envelope.admission, envelope.now);
  add_field(head, "X-Request-Id", envelope.request_id);
  if (!is_page(answer)) envelope.cors.write_fields(head, envelope.origin);
  add_field(head, "X-Content-Type-Options", "nosniff");
  add_field(head, "Content-Security-Policy", is_page(answer) ? kPagePolicy : kJsonPolicy);
  if (is_page(answer)) add_field(head, "Referrer-Policy", "no-referrer");
  write_connection(head, response.connection, envelope);
  head += "\r\n";
  if (!envelope.is_head) response.body = std::move(answer.body);
  return response;
}

}  // namespace kbase::http
