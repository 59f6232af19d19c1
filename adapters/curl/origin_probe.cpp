// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/origin_probe.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string_view>

#include "adapters/base/retry_after.hpp"
#include "adapters/curl/easy_handle.hpp"
#include "adapters/curl/request.hpp"
#include "domain/base/result.hpp"

namespace kbase::curl {
namespace {

struct End {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};

constexpr std::string_view kExpiresPrefix = "Expire date:";

/// libcurl writes dates like OpenSSL, "Nov 23 21:30:45 2027 GMT", which curl_getdate parses.
std::optional<model::Instant> read_certificate_end(CURL* handle) {
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr || chain->num_of_certs == 0)
    return std::nullopt;
  for (const curl_slist* fact = chain->certinfo[0]; fact != nullptr; fact = fact->next) {
    const std::string_view text = fact->data;
    if (!text.starts_with(kExpiresPrefix)) continue;
    const time_t ends = curl_getdate(fact->data + kExpiresPrefix.size(), nullptr);
    if (ends >= 0) return model::Instant(std::chrono::seconds(ends));
  }
  return std::nullopt;
}

std::optional<model::Instant> read_date(CURL* handle) {
  curl_header* field = nullptr;
  if (curl_easy_header(handle, "date", 0, CURLH_HEADER, -1, &field) != CURLHE_OK) return std::nullopt;
  return http_fields::parse_http_date(field->value);
}

}  // namespace

Result<OriginInfo> probe_origin(const std::string& text, const ClientOptions& options) {
  const auto url = KBASE_TRY(Url::parse(text));
  const std::unique_ptr<CURL, End> handle(curl_easy_init());
  if (handle == nullptr) return to_error(CURLE_OUT_OF_MEMORY, {});
  std::array<char, CURL_ERROR_SIZE> error_text{};
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, error_text.data());
  curl_easy_setopt(handle.get(), CURLOPT_NOBODY, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_CERTINFO, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options.first_byte_timeout.count()));
  curl_easy_setopt(handle.get(), CURLOPT_USERAGENT, options.user_agent.c_str());
  CURLcode done = set_connection_options(handle.get(), url, options);
  if (done == CURLE_OK) done = curl_easy_perform(handle.get());
  if (done != CURLE_OK) return to_error(done, error_text.data());
  return OriginInfo{url.origin().text(), read_date(handle.get()), read_certificate_end(handle.get())};
}

}  // namespace kbase::curl
