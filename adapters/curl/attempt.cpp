// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/transfer.hpp"

#include <new>
#include <utility>

#include "adapters/base/authorities.hpp"

namespace kbase::curl {
namespace {

// Buffer sizes of one transfer. Small, because many slow streams may be open.
constexpr long kReceiveBufferBytes = 4L << 10;
constexpr long kSendBufferBytes = 16L << 10;

constexpr const char* kTooLarge = "the head of the response is too large";

constexpr std::size_t kAbort = 0;  // any result except the offered size aborts the transfer

}  // namespace

Attempt::Attempt(CURLM* multi, const Request& request, const Url& url, const ClientOptions& options, Listener& listener,
                 void* owner)
    : multi_(multi), listener_(listener), head_(options.max_head_bytes), handle_(curl_easy_init()) {
  if (handle_ == nullptr) {
    start_result_ = CURLE_OUT_OF_MEMORY;
    return;
  }
  set_up(request, url, options, owner);
  if (start_result_ == CURLE_OK && curl_multi_add_handle(multi_, handle_.get()) != CURLM_OK)
    start_result_ = CURLE_OUT_OF_MEMORY;
}

Attempt::~Attempt() {
  if (handle_ != nullptr) curl_multi_remove_handle(multi_, handle_.get());
}

template <class T> void Attempt::set(CURLoption option, T value) {
  if (start_result_ == CURLE_OK) start_result_ = curl_easy_setopt(handle_.get(), option, value);
}

void Attempt::set_up(const Request& request, const Url& url, const ClientOptions& options, void* owner) {
  set(CURLOPT_PRIVATE, owner);
  set(CURLOPT_ERRORBUFFER, text_.data());
  set(CURLOPT_PREREQFUNCTION, send_entry);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_HEADERFUNCTION, line_entry);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, body_entry);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
  set(CURLOPT_NOSIGNAL, 1L);
  // A name look-up runs on a thread of libcurl. Without this option, the end of a transfer would wait for that thread.
  set(CURLOPT_QUICK_EXIT, 1L);
  if (start_result_ == CURLE_OK) start_result_ = set_connection_options(handle_.get(), url, options);
  set_fields(request, options);
  set_method(request);
}

void Attempt::set_fields(const Request& request, const ClientOptions& options) {
  set(CURLOPT_USERAGENT, options.user_agent.c_str());
  for (const std::string& line : request.lines) {
    curl_slist* const longer = curl_slist_append(lines_.get(), line.c_str());
    if (longer == nullptr) {
      start_result_ = CURLE_OUT_OF_MEMORY;
      return;
    }
    (void)lines_.release();
    lines_.reset(longer);
  }
  set(CURLOPT_HTTPHEADER, lines_.get());
}

void Attempt::set_method(const Request& request) {
  if (request.is_head()) return set(CURLOPT_NOBODY, 1L);
  if (request.is_repeatable()) return set(CURLOPT_HTTPGET, 1L);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_POSTFIELDS, request.body.c_str());
  if (request.method != "POST") set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  // libcurl repeats a request for which a pooled connection gave no response. It does not do so on a new connection.
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
}

bool Attempt::resume() {
  is_paused_ = false;
  had_activity_ = true;  // the pause caused the silence
  return curl_easy_pause(handle_.get(), CURLPAUSE_CONT) == CURLE_OK;
}

/// Whether any part of the request was sent.
bool Attempt::was_sent() const {
  long bytes = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > 0;
}

Error Attempt::failure(CURLcode code) const {
  if (is_out_of_memory_) return to_error(CURLE_OUT_OF_MEMORY, {});
  if (must_not_be_sent_) return unreachable("the connection was lost, and the limit of attempts is reached");
  // libcurl 7.88 returns this code too if a header line is longer than its limit of 100 KiB.
  if (code == CURLE_OUT_OF_MEMORY && was_sent() && !head_.is_complete()) return bad_response(kTooLarge);
  if (error_text_ != nullptr) return bad_response(error_text_);
  return to_error(code, text_.data());
}

std::size_t Attempt::apply(Listener::Next next, std::size_t size) {
  if (next == Listener::Next::Abort) return size + 1;
  if (next == Listener::Next::Pause && curl_easy_pause(handle_.get(), CURLPAUSE_RECV) == CURLE_OK) is_paused_ = true;
  return size;
}

std::size_t Attempt::on_line(std::string_view line) {
  had_activity_ = true;
  switch (head_.parse_line(line)) {
    case HeadParser::Step::More: return line.size();
    case HeadParser::Step::Complete: return apply(listener_.on_head(head_.head()), line.size());
    case HeadParser::Step::TooLarge: error_text_ = kTooLarge; return kAbort;
    case HeadParser::Step::Malformed: error_text_ = "the head of the response is malformed"; return kAbort;
  }
  return kAbort;
}

std::size_t Attempt::on_body(std::string_view bytes) {
  had_activity_ = true;
  return apply(listener_.on_body(bytes), bytes.size());
}

int Attempt::send_entry(void* self, char*, char*, int, int) noexcept {
  Attempt& attempt = *static_cast<Attempt*>(self);
  attempt.must_not_be_sent_ = !attempt.listener_.on_send();
  return attempt.must_not_be_sent_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t Attempt::line_entry(char* data, std::size_t, std::size_t size, void* self) noexcept try {
  return static_cast<Attempt*>(self)->on_line({data, size});
} catch (const std::bad_alloc&) {
  static_cast<Attempt*>(self)->is_out_of_memory_ = true;
  return kAbort;
}

std::size_t Attempt::body_entry(char* data, std::size_t, std::size_t size, void* self) noexcept try {
  return static_cast<Attempt*>(self)->on_body({data, size});
} catch (const std::bad_alloc&) {
  static_cast<Attempt*>(self)->is_out_of_memory_ = true;
  return kAbort;
}

CURLcode set_connection_options(CURL* handle, const Url& url, const ClientOptions& options) {
  CURLcode done = CURLE_OK;
  const auto set = [&](CURLoption option, auto value) {
    if (done == CURLE_OK) done = curl_easy_setopt(handle, option, value);
  };
  set(CURLOPT_CURLU, url.handle());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);  // the client checks and follows each redirect itself
  // HTTP/1.1 has one exchange per connection, so that a response that is not read does not block other exchanges.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
  set(CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // not those of the system either
    set(CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
    set(CURLOPT_PROXY_CAPATH, static_cast<const char*>(nullptr));
  } else if (const char* const file = tls::find_system_authorities()) {
    set(CURLOPT_CAINFO, file);
    set(CURLOPT_PROXY_CAINFO, file);
  }
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // a proxy must not see the fields of the request
  // Empty, unlike null, disables the environment variables.
  set(CURLOPT_PROXY, options.proxy.c_str());
  set(CURLOPT_NOPROXY, options.no_proxy.c_str());
  return done;
}

Error unreachable(std::string detail) {
  return {ErrorCode::Unavailable, "The external service could not be reached.", std::move(detail)};
}

Error timed_out(std::string detail) {
  return {ErrorCode::Deadline, "The external service did not answer in time.", std::move(detail)};
}

Error bad_response(std::string detail) {
  return {ErrorCode::BadUpstream, "The external service sent an invalid response.", std::move(detail)};
}

Error cancelled() { return {ErrorCode::Cancelled, "The caller cancelled the request."}; }

Error to_error(CURLcode code, const std::string& text) {
  std::string detail = text.empty() ? curl_easy_strerror(code) : text;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING: return unreachable(std::move(detail));
    case CURLE_SSL_CONNECT_ERROR:
      return unreachable(detail + "; check that the server uses TLS, or change the URL to http://");
    case CURLE_PEER_FAILED_VERIFICATION:
      return bad_response(detail +
                          "; the URL's host must be a name in the certificate, and upstream.ca_file, or this " +
                          "machine, must trust the authority that issued it");
    case CURLE_OPERATION_TIMEDOUT: return timed_out(std::move(detail));
    case CURLE_OUT_OF_MEMORY: return {ErrorCode::NoMemory, "Not enough memory.", std::move(detail)};
    case CURLE_SSL_CACERT_BADFILE:
      return {ErrorCode::Internal, "The file with the certificate authorities cannot be read.", std::move(detail)};
    default: return bad_response(std::move(detail));
  }
}

bool is_transient(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
         code == CURLE_GOT_NOTHING;
}

}  // namespace kbase::curl
