// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/curl/options.hpp"
#include "adapters/curl/request.hpp"
#include "adapters/curl/response.hpp"
#include "domain/base/result.hpp"

namespace kbase::curl {

/// Receiver of the events of an attempt. Called on the loop's thread. May throw std::bad_alloc.
class Listener {
 public:
  enum class Next { Continue, Pause, Abort };

  virtual ~Listener() = default;
  /// Called before the request is sent, also before libcurl repeats it. False: the request must not be sent, and the
  /// attempt ends.
  virtual bool on_send() = 0;
  virtual Next on_head(Head& head) = 0;
  virtual Next on_body(std::string_view bytes) = 0;
};

/// One attempt at a request: a libcurl easy handle in a multi handle. libcurl repeats the request by itself if a pooled
/// connection is dead. Use it only on the loop's thread.
class Attempt {
 public:
  /// All arguments must outlive the attempt. `owner` is the private pointer that the loop gets from the handle when it
  /// is done.
  Attempt(CURLM* multi, const Request& request, const Url& url, const ClientOptions& options, Listener& listener,
          void* owner);
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// CURLE_OK: the attempt is in progress. Otherwise it did not start.
  CURLcode start_result() const noexcept { return start_result_; }

  /// Continues after a pause. False: libcurl could not continue.
  bool resume();

  bool is_paused() const noexcept { return is_paused_; }

  /// Whether anything arrived since the last call.
  bool take_activity() noexcept { return std::exchange(had_activity_, false); }

  /// Returns the error for the result `code` of the attempt.
  Error failure(CURLcode code) const;

 private:
  struct End {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  template <class T>
  void set(CURLoption option, T value);
  void set_up(const Request& request, const Url& url, const ClientOptions& options, void* owner);
  void set_method(const Request& request);
  void set_fields(const Request& request, const ClientOptions& options);

  bool was_sent() const;
  std::size_t apply(Listener::Next next, std::size_t size);
  std::size_t on_line(std::string_view line);
  std::size_t on_body(std::string_view bytes);
  static int send_entry(void* self, char*, char*, int, int) noexcept;
  static std::size_t line_entry(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t body_entry(char* data, std::size_t one, std::size_t size, void* self) noexcept;

  CURLM* const multi_;
  Listener& listener_;
  HeadParser head_;
  std::array<char, CURL_ERROR_SIZE> text_{};
  std::unique_ptr<curl_slist, End> lines_;
  std::unique_ptr<CURL, End> handle_;  // destroyed before the data it refers to
  CURLcode start_result_ = CURLE_OK;
  const char* error_text_ = nullptr;  // error found in the response by this class
  bool is_out_of_memory_ = false;
  bool must_not_be_sent_ = false;
  bool is_paused_ = false;
  bool had_activity_ = false;
};

}  // namespace kbase::curl
