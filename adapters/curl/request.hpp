// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/options.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

/// An origin (RFC 6454). The host is in lower case; the port is always set.
struct Origin {
  std::string scheme;
  std::string host;
  std::string port;

  friend bool operator==(const Origin&, const Origin&) = default;
  std::string text() const { return scheme + "://" + host + ":" + port; }
};

/// A URL parsed by libcurl's own parser. No text is parsed twice, so the URL that was checked is the URL that is
/// requested.
///
/// Accepts only http and https, in printable ASCII without spaces, backslashes and user information, because two
/// parsers could interpret other URLs differently. Hosts beyond ASCII must be in "xn--" form.
class Url {
 public:
  /// InvalidArgument; the message describes the error.
  static Result<Url> parse(std::string_view text);

  /// Resolves `reference` (RFC 3986, section 4.1) against this URL. Errors: those of parse().
  Result<Url> resolve(std::string_view reference) const;

  const Origin& origin() const noexcept { return origin_; }

  /// The handle for CURLOPT_CURLU. Owned by this object.
  CURLU* handle() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(CURLU* handle) const noexcept { curl_url_cleanup(handle); }
  };
  using Handle = std::unique_ptr<CURLU, Free>;

  Url(Handle handle, Origin origin) : handle_(std::move(handle)), origin_(std::move(origin)) {}
  static Result<Url> read(Handle handle, std::string_view text);

  Handle handle_;
  Origin origin_;
};

/// A validated copy of a request that leads to an allowed origin.
struct Request {
  std::string method;
  Url url;
  std::vector<std::string> lines;  ///< fields in the form that libcurl expects
  std::string body;
  std::uint32_t max_redirects = 0;
  std::uint64_t max_body_bytes = 0;
  std::uint32_t max_attempts = 0;

  bool is_head() const { return method == "HEAD"; }
  /// Whether the request may be retried and may follow redirects: GET and HEAD (a subset of RFC 9110, section 9.2.2).
  bool is_repeatable() const { return method == "GET" || is_head(); }
};

/// Validates `request`. InvalidArgument: the request is not valid; `parameter` names the member.
Result<Request> validate_request(const ports::HttpRequest& request, std::span<const Origin> allowed,
                                 const ClientOptions& options);

/// Public facts about an origin.
struct OriginInfo {
  std::string origin;                              ///< "https://api.example.org:443"
  std::optional<model::Instant> date;              ///< its clock, to the second, from the Date of the response
  std::optional<model::Instant> certificate_ends;  ///< end of its own certificate; nullopt: no TLS
};

/// Sends one HEAD request without credentials to the URL and waits for the response; any status counts as success.
/// `options` are those of the client for the same service. Errors: those of an exchange of that client;
/// InvalidArgument: `url` is not valid.
Result<OriginInfo> probe_origin(const std::string& url, const ClientOptions& options);

struct Field {
  std::string name;  ///< in lower case
  std::string value;
};

/// The final status of a response and its fields, in the order received.
struct Head {
  std::uint32_t status = 0;
  std::vector<Field> fields;
  std::uint32_t attempts = 0;  ///< how often the request was sent for this response

  /// Returns the value of the first field with this name; null: there is no such field.
  const std::string* find(std::string_view name) const;
};

/// Parses the header lines that libcurl delivers one by one (RFC 9112, sections 4 and 5).
class HeadParser {
 public:
  enum class Step {
    More,
    Complete,  ///< the head is complete; further lines are trailers, which are ignored
    TooLarge,  ///< more bytes than allowed, including informational responses and trailers
    Malformed,
  };

  explicit HeadParser(std::size_t max_bytes) : remaining_bytes_(max_bytes) {}

  Step parse_line(std::string_view line);

  bool is_complete() const noexcept { return is_complete_; }
  Head& head() noexcept { return head_; }

 private:
  Step parse_status_line(std::string_view line);
  Step parse_field_line(std::string_view line);
  Step finish_head();

  std::size_t remaining_bytes_;
  Head head_;
  bool is_complete_ = false;
};

/// Buffer between the two sides of an exchange: the loop writes the response as it arrives, one reader reads it at its
/// own pace. The reader's waits have no timeout: the loop checks deadline and cancellation and calls fail().
class ResponsePipe {
 public:
  /// Buffered bytes at which the transfer pauses; one more network read may be added. Small, because every stream with
  /// a slow reader holds that many.
  static constexpr std::size_t kPauseBytes = 4U << 10U;

  explicit ResponsePipe(ports::CancelSource cancel) : cancel_(cancel) {}

  // Called by the loop.

  enum class PutResult { HasSpace, Full };  ///< Full: the transfer pauses until take_resume_request()

  void put_head(Head head);
  PutResult put_body(std::string_view bytes);
  /// The response is complete.
  void end();
  /// Ends the response with an error. The reader still gets the bytes before it, except after Deadline and Cancelled.
  void fail(Error why);

  bool has_reader() const;
  /// Whether the call was cancelled.
  bool is_cancelled() const;
  /// Whether the reader emptied a pipe whose transfer had paused. Returns true once.
  bool take_resume_request();

  // Called by the reader.

  /// Waits for the head. The result is valid as long as the pipe.
  Result<const Head*> head();

  struct ReadResult {
    std::size_t bytes = 0;  ///< 0: end of the response
    bool resumes = false;   ///< the transfer is paused and can continue: notify the loop
  };

  /// Waits for bytes and moves as many as fit into `buffer`, which must not be empty.
  Result<ReadResult> read(std::span<char> buffer);

  /// Detaches the reader. `cancel` is not used afterwards.
  void detach_reader();

 private:
  void drop_bytes();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ports::CancelSource cancel_;
  std::optional<Head> head_;
  std::string bytes_;
  std::size_t read_bytes_ = 0;  // read bytes of `bytes_`, which is cleared when all are read
  std::optional<Error> failure_;
  bool has_ended_ = false;
  bool has_reader_ = true;
  bool is_paused_ = false;
  bool resume_requested_ = false;
};

}  // namespace kbase::curl
