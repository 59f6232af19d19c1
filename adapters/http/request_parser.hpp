// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbase::http {

/// Incremental reader of lines that end with CR LF. Scans each byte a bounded number of times. Appends to a text owned
/// by the caller, so that several lines can share one block. Not thread-safe.
class LineReader {
 public:
  enum class Outcome {
    Line,       ///< the line is complete
    More,       ///< all bytes were consumed; the end of the line is missing
    Malformed,  ///< a CR without LF, or an LF without CR (RFC 9112 section 2.2)
    TooLong,
  };

  /// Consumes `bytes` up to the end of the line. `limit` is the maximum length of the line without CR LF.
  Outcome read(std::string_view& bytes, std::string& text, std::size_t limit);

  /// Return the offset of the line in the text and its length without CR LF. Valid after Outcome::Line.
  std::size_t start() const noexcept { return start_; }
  std::size_t size() const noexcept { return size_; }

  /// Starts the next line at the end of `text`.
  void next(const std::string& text) noexcept { start_ = scanned_ = text.size(); }

 private:
  std::size_t start_ = 0;
  std::size_t size_ = 0;
  std::size_t scanned_ = 0;  // there is no CR in the line before this offset
};

/// A field line split into name and value (RFC 9112 section 5). Views into the line.
struct FieldLine {
  std::string_view name;
  std::string_view value;
};

/// Reason for refusing a message: the status of the response and a message for the client, with static lifetime; empty:
/// the default message of the status. The connection is closed afterwards, because the start of the next message is
/// unknown.
struct Refusal {
  unsigned status = 400;
  std::string_view message;
};

/// Splits `line`, which must not include CR LF. Returns nullopt and sets `refusal` if it is not a field line, or if
/// recipients could interpret it differently (obs-fold, a space before the colon, a control character).
std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal);

/// Decoder of the chunked transfer coding (RFC 9112 section 7.1). Validates and drops chunk extensions and trailer
/// fields. Uses memory for one line in addition to the body. Not thread-safe.
class ChunkedBody {
 public:
  struct Limits {
    std::uint64_t body_bytes = 0;
    std::size_t trailer_bytes = 0;  ///< total of all trailer fields
    std::size_t trailer_fields = 0;
  };
  enum class Outcome { More, Complete, Refused };

  explicit ChunkedBody(const Limits& limits) : limits_(limits) {}

  /// Removes the encoded data from the start of `bytes`, up to the end of the coding, and appends the decoded data to
  /// `body`.
  Outcome read(std::string_view& bytes, std::string& body);

  /// Valid after Outcome::Refused.
  const Refusal& refusal() const noexcept { return refusal_; }

 private:
  enum class State { Size, Data, DataEnd, Trailer, End };

  Outcome read_size(std::string_view& bytes);
  Outcome read_data(std::string_view& bytes, std::string& body);
  Outcome read_data_end(std::string_view& bytes);
  Outcome read_trailer(std::string_view& bytes);
  Outcome accept_size(std::string_view line);
  Outcome accept_trailer(std::string_view line);
  Outcome refuse(unsigned status, std::string_view message);
  Outcome refuse_line(LineReader::Outcome outcome, const Refusal& too_long);
  void start_line();

  Limits limits_;
  State state_ = State::Size;
  std::uint64_t remaining_ = 0;  // bytes left in the current chunk
  std::uint64_t total_ = 0;      // sum of all chunk sizes so far
  std::size_t extension_bytes_ = 0;
  std::size_t trailer_bytes_ = 0;
  std::size_t trailer_fields_ = 0;
  std::string line_;
  LineReader reader_;
  Refusal refusal_;
};

/// Message framing and connection persistence, derived from the header fields (RFC 9112 sections 3.2, 6 and 9.3; RFC
/// 9110 section 10.1.1). Refuses everything that two recipients could interpret differently. Not thread-safe.
class Framing {
 public:
  enum class Body { None, Fixed, Chunked };

  /// Processes one field. `name` must be in lower case.
  void read_field(std::string_view name, std::string_view value);

  /// Returns the refusal of the complete head, or nullopt if it is valid.
  std::optional<Refusal> check(unsigned minor_version, std::uint64_t max_body_bytes) const;

  Body body() const noexcept;
  std::uint64_t content_length() const noexcept { return content_length_.value_or(0); }
  bool expects_continue() const noexcept { return expects_continue_; }
  bool keep_alive(unsigned minor_version) const noexcept { return !close_ && (minor_version >= 1 || keep_alive_); }

 private:
  void read_host(std::string_view value);
  void read_content_length(std::string_view value);
  void read_transfer_encoding(std::string_view value);
  void read_connection(std::string_view value);
  void read_expect(std::string_view value);
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

/// Size limits of a message (docs/guide/parameters.md). A larger message is refused and the connection is closed.
struct MessageLimits {
  std::size_t request_line_bytes = 12 * 1024;  ///< 414 if larger; RFC 9112 section 3 recommends 8,000 or more
  std::size_t field_bytes = 32 * 1024;         ///< 431 if all fields together are larger; trailers have the same limit
  std::size_t fields = 128;                    ///< 431 if there are more
  std::uint64_t body_bytes = 1024 * 1024;      ///< 413 if larger; a Content-Length is checked before the body is read
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
  template <class Visit> void each_field(std::string_view name, Visit&& visit) const {
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

/// Decides which bodies are passed on while they arrive.
class UploadPolicy {
 public:
  virtual ~UploadPolicy() = default;

  /// Returns the largest body of a request, whose head is complete, if it is passed on while it arrives. nullopt: it is
  /// kept in memory, and MessageLimits::body_bytes applies.
  virtual std::optional<std::uint64_t> upload_limit(const Request& request) const = 0;
};

/// Incremental HTTP/1.x request parser (RFC 9112). The outcome depends only on the bytes, not on how they are split.
/// Strict: everything it accepts has one interpretation. Each byte is scanned a bounded number of times, and common
/// requests need no allocation after the first one. Not thread-safe.
class RequestParser {
 public:
  enum class State {
    Idle,      ///< no byte of a request yet; empty lines before a request do not count
    Head,      ///< in the request line or the header fields
    Body,      ///< in the body
    Complete,  ///< request() is complete
    Refused,   ///< refusal() is the reason; no further bytes are read
  };

  /// `uploads` must outlive the parser; null: all bodies are kept in memory.
  explicit RequestParser(const MessageLimits& limits, const UploadPolicy* uploads = nullptr)
      : limits_(limits), uploads_(uploads) {}

  /// Parses bytes up to the end of the request. Returns the number of bytes consumed, which is 0 in the states Complete
  /// and Refused.
  std::size_t feed(std::string_view bytes);

  State state() const noexcept { return state_; }

  /// Returns whether the client waits for "100 Continue" before it sends the body. Returns true at most once per
  /// request.
  bool consume_expectation() noexcept;

  /// Returns the request, as far as it is parsed. In the state Complete it may be moved from.
  Request& request() noexcept { return request_; }

  const Refusal& refusal() const noexcept { return refusal_; }

  /// Whether the body is passed on while it arrives: take_body() must be called after each feed().
  bool streams_body() const noexcept { return is_upload_; }

  /// Returns the part of the body that arrived since the last call.
  std::string take_body() { return std::exchange(request_.body_, {}); }

  /// Prepares for the next request of the connection.
  void next();

 private:
  enum class Line { Request, Fields };

  void read_head(std::string_view& bytes);
  void read_body(std::string_view& bytes);
  void refuse_line(LineReader::Outcome outcome);
  void accept_line();
  void accept_request_line(std::string_view line);
  void accept_version(std::string_view version);
  void accept_target(std::string_view target);
  void accept_absolute(std::string_view target);
  void accept_field(std::string_view line);
  void end_head();
  void refuse(unsigned status, std::string_view message) { refuse(Refusal{status, message}); }
  void refuse(const Refusal& refusal);
  Request::Span make_span(std::string_view part) const noexcept;

  MessageLimits limits_;
  const UploadPolicy* uploads_;
  State state_ = State::Idle;
  Line line_ = Line::Request;
  std::size_t empty_lines_ = 0;
  std::size_t field_bytes_ = 0;
  LineReader reader_;
  Framing framing_;
  std::optional<ChunkedBody> chunks_;
  std::uint64_t body_bytes_ = 0;  // received bytes of a body with a Content-Length
  bool expectation_ = false;
  bool is_upload_ = false;
  Request request_;
  Refusal refusal_;
};

}  // namespace kbase::http
