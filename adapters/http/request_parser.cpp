// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/request_parser.hpp"

#include <algorithm>
#include <utility>

#include "adapters/http/syntax.hpp"
#include "domain/base/text.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kMaxRetainedBytes = 2048;
constexpr std::size_t kMaxRetainedFields = 64;

void reset(std::string& text) {
  text.clear();
  if (text.capacity() > kMaxRetainedBytes) text.shrink_to_fit();
}

// RFC 9112 section 2.2: a server should ignore at least one empty line before a request, because some clients send one
// after a body.
constexpr std::size_t kMaxEmptyLines = 8;

bool is_target_text(std::string_view target) {
  return std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
}

}  // namespace

void Request::clear() {
  reset(head_);
  reset(body_);
  fields_.clear();
  if (fields_.capacity() > kMaxRetainedFields) fields_.shrink_to_fit();
  method_ = target_ = {};
  minor_version_ = 1;
  keep_alive_ = true;
}

void Framing::refuse(unsigned status, std::string_view message) {
  if (!refusal_) refusal_ = Refusal{status, message};
}

void Framing::read_field(std::string_view name, std::string_view value) {
  if (name == "host")
    read_host(value);
  else if (name == "content-length")
    read_content_length(value);
  else if (name == "transfer-encoding")
    read_transfer_encoding(value);
  else if (name == "connection")
    read_connection(value);
  else if (name == "expect")
    read_expect(value);
  else if (name == "authorization" && ++authorizations_ > 1)
    refuse(400, "There is more than one Authorization field.");
  else if (name == "content-type" && ++content_types_ > 1)
    refuse(400, "There is more than one Content-Type field.");
}

void Framing::read_host(std::string_view value) {
  if (++hosts_ > 1) refuse(400, "There is more than one Host field.");
  if (!is_authority(value)) refuse(400, "The Host field is malformed.");
}

void Framing::read_content_length(std::string_view value) {
  if (content_length_) refuse(400, "There is more than one Content-Length field.");
  content_length_ = parse_decimal(value);
  if (!content_length_) refuse(400, "The Content-Length field is not a decimal number.");
}

void Framing::read_transfer_encoding(std::string_view value) {
  while (!value.empty()) {
    const std::string_view coding = next_element(value);
    if (coding.empty()) continue;
    ++codings_;
    if (chunked_) return refuse(400, "The transfer coding chunked must be the last one and must not be repeated.");
    if (!equals_lower(coding, "chunked")) return refuse(501, {});
    chunked_ = true;
  }
  if (codings_ == 0) refuse(400, "The Transfer-Encoding field is empty.");
}

void Framing::read_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = next_token(value);
    close_ = close_ || equals_lower(option, "close");
    keep_alive_ = keep_alive_ || equals_lower(option, "keep-alive");
  }
}

void Framing::read_expect(std::string_view value) {
  if (!equals_lower(value, "100-continue")) return refuse(417, {});
  expects_continue_ = true;
}

std::optional<Refusal> Framing::check(unsigned minor_version, std::uint64_t max_body_bytes) const {
  if (refusal_) return refusal_;
  if (minor_version >= 1 && hosts_ == 0) return Refusal{400, "The Host field is missing."};
  if (codings_ > 0 && content_length_)
    return Refusal{400, "The request has both Transfer-Encoding and Content-Length."};
  if (codings_ > 0 && minor_version == 0) return Refusal{400, "Transfer-Encoding is not allowed in HTTP/1.0."};
  if (content_length() > max_body_bytes) return Refusal{413, {}};
  return std::nullopt;
}

Framing::Body Framing::body() const noexcept {
  if (chunked_) return Body::Chunked;
  return content_length() > 0 ? Body::Fixed : Body::None;
}

std::size_t RequestParser::feed(std::string_view bytes) {
  const std::size_t given = bytes.size();
  while (!bytes.empty() && (state_ == State::Idle || state_ == State::Head)) read_head(bytes);
  if (state_ == State::Body) read_body(bytes);
  return given - bytes.size();
}

void RequestParser::next() {
  request_.clear();
  framing_ = {};
  chunks_.reset();
  reader_.next(request_.head_);
  state_ = State::Idle;
  line_ = Line::Request;
  empty_lines_ = field_bytes_ = 0;
  body_bytes_ = 0;
  expectation_ = is_upload_ = false;
}

bool RequestParser::consume_expectation() noexcept {
  return state_ == State::Body && std::exchange(expectation_, false);
}

void RequestParser::refuse(const Refusal& refusal) {
  refusal_ = refusal;
  state_ = State::Refused;
}

Request::Span RequestParser::make_span(std::string_view part) const noexcept {
  return {static_cast<std::uint32_t>(part.data() - request_.head_.data()), static_cast<std::uint32_t>(part.size())};
}

void RequestParser::read_head(std::string_view& bytes) {
  if (state_ == State::Idle && bytes.front() != '\r' && request_.head_.empty()) {
    if (!is_token(bytes.substr(0, 1))) return refuse(400, "This is not an HTTP request.");
    state_ = State::Head;
  }
  const std::size_t limit = line_ == Line::Request ? limits_.request_line_bytes : limits_.field_bytes - field_bytes_;
  const LineReader::Outcome outcome = reader_.read(bytes, request_.head_, limit);
  if (outcome == LineReader::Outcome::Line) return accept_line();
  if (outcome != LineReader::Outcome::More) refuse_line(outcome);
}

void RequestParser::refuse_line(LineReader::Outcome outcome) {
  if (outcome == LineReader::Outcome::Malformed) return refuse(400, "A line does not end with CR LF.");
  if (line_ == Line::Request) return refuse(414, {});
  refuse(431, {});
}

void RequestParser::accept_line() {
  const std::string_view line = std::string_view(request_.head_).substr(reader_.start(), reader_.size());
  if (line_ == Line::Fields) {
    line.empty() ? end_head() : accept_field(line);
  } else if (!line.empty()) {
    accept_request_line(line);
    line_ = Line::Fields;
  } else {
    request_.head_.clear();
    if (++empty_lines_ > kMaxEmptyLines) refuse(400, "There are too many empty lines before the request.");
  }
  reader_.next(request_.head_);
}

void RequestParser::accept_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos)
    return refuse(400, "The request line is not a method, a target and a version separated by single spaces.");
  const std::string_view method = line.substr(0, first);
  if (!is_token(method)) return refuse(400, "The method has an invalid character.");
  request_.method_ = make_span(method);
  accept_version(line.substr(second + 1));
  if (state_ != State::Refused) accept_target(line.substr(first + 1, second - first - 1));
}

void RequestParser::accept_version(std::string_view version) {
  if (version.size() != 8 || !version.starts_with("HTTP/") || !ascii::is_digit(version[5]) || version[6] != '.' ||
      !ascii::is_digit(version[7]))
    return refuse(400, "The request line does not end with an HTTP version.");
  if (version[5] != '1') return refuse(505, {});
  request_.minor_version_ = version[7] == '0' ? 0 : 1;
}

// Accepts the forms of RFC 9112 section 3.2: origin, absolute, authority and asterisk.
void RequestParser::accept_target(std::string_view target) {
  if (target.empty() || !is_target_text(target)) return refuse(400, "The request target has an invalid character.");
  const bool is_connect = request_.method() == "CONNECT";
  for (const std::string_view scheme : {"http://", "https://"})
    if (!is_connect && equals_lower(target.substr(0, scheme.size()), scheme))
      return accept_absolute(target.substr(scheme.size()));
  const bool is_asterisk_form = request_.method() == "OPTIONS" && target == "*";
  const bool is_other_form = is_connect ? is_authority(target) : target.front() == '/';
  if (!is_asterisk_form && !is_other_form) return refuse(400, "The request target is not a path.");
  request_.target_ = make_span(target);
}

// The authority is validated and dropped, because the server answers for every host name.
void RequestParser::accept_absolute(std::string_view target) {
  const std::size_t end = std::min(target.find_first_of("/?"), target.size());
  const std::string_view authority = target.substr(0, end);
  if (authority.empty() || authority.front() == ':' || !is_authority(authority))
    return refuse(400, "The request target has no valid host.");
  request_.target_ = make_span(target.substr(end));
}

void RequestParser::accept_field(std::string_view line) {
  field_bytes_ += line.size();
  if (request_.fields_.size() == limits_.fields) return refuse(431, "There are too many header fields.");
  const std::optional<FieldLine> field = parse_field_line(line, refusal_);
  if (!field) return refuse(Refusal(refusal_));
  const Request::Field stored{make_span(field->name), make_span(field->value)};
  for (std::size_t i = stored.name.start; i < stored.name.start + stored.name.size; ++i)
    request_.head_[i] = ascii::to_lower(request_.head_[i]);
  request_.fields_.push_back(stored);
  framing_.read_field(field->name, field->value);
}

void RequestParser::end_head() {
  const auto upload_limit = uploads_ != nullptr ? uploads_->upload_limit(request_) : std::nullopt;
  const std::uint64_t max_bytes = upload_limit.value_or(limits_.body_bytes);
  if (const auto refusal = framing_.check(request_.minor_version_, max_bytes)) return refuse(*refusal);
  // After CONNECT, bytes of another protocol may follow if the client did not wait for the response.
  request_.keep_alive_ = framing_.keep_alive(request_.minor_version_) && request_.method() != "CONNECT";
  if (framing_.body() == Framing::Body::None) {
    state_ = State::Complete;
    return;
  }
  state_ = State::Body;
  is_upload_ = upload_limit.has_value();
  expectation_ = framing_.expects_continue() && request_.minor_version_ >= 1;
  if (framing_.body() == Framing::Body::Chunked)
    chunks_.emplace(ChunkedBody::Limits{max_bytes, limits_.field_bytes, limits_.fields});
}

void RequestParser::read_body(std::string_view& bytes) {
  if (!bytes.empty()) expectation_ = false;  // the client did not wait for 100 Continue
  if (chunks_) {
    const ChunkedBody::Outcome outcome = chunks_->read(bytes, request_.body_);
    if (outcome == ChunkedBody::Outcome::Refused) refuse(chunks_->refusal());
    if (outcome == ChunkedBody::Outcome::Complete) state_ = State::Complete;
    return;
  }
  const std::uint64_t missing = framing_.content_length() - body_bytes_;
  const auto consumed = static_cast<std::size_t>(std::min<std::uint64_t>(missing, bytes.size()));
  body_bytes_ += consumed;
  request_.body_.append(bytes.substr(0, consumed));
  bytes.remove_prefix(consumed);
  if (consumed == missing) state_ = State::Complete;
}

}  // namespace kbase::http
