// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/origin_look.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string_view>

#include "adapters/curl/failure.hpp"
#include "adapters/curl/url.hpp"
#include "adapters/curl/way.hpp"
#include "adapters/http_fields/retry_after.hpp"

namespace kbase::curl {
namespace {

struct End {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};

constexpr std::string_view kExpires = "Expire date:";

/// libcurl writes dates like OpenSSL, "Nov 23 21:30:45 2027 GMT", which curl_getdate parses.
std::optional<model::Instant> end_of_certificate(CURL* handle) {
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr || chain->num_of_certs == 0)
    return std::nullopt;
  for (const curl_slist* fact = chain->certinfo[0]; fact != nullptr; fact = fact->next) {
    const std::string_view text = fact->data;
    if (!text.starts_with(kExpires)) continue;
    const time_t ends = curl_getdate(fact->data + kExpires.size(), nullptr);
    if (ends >= 0) return model::Instant(std::chrono::seconds(ends));
  }
  return std::nullopt;
}

std::optional<model::Instant> date_of(CURL* handle) {
  curl_header* field = nullptr;
  if (curl_easy_header(handle, "date", 0, CURLH_HEADER, -1, &field) != CURLHE_OK) return std::nullopt;
  return http_fields::date(field->value);
}

}  // namespace

model::Result<OriginLook> look_at_origin(const std::string& text, const ClientOptions& options) {
  const auto url = Url::parse(text);
  if (!url) return url.error();
  const std::unique_ptr<CURL, End> handle(curl_easy_init());
  if (handle == nullptr) return error_of(CURLE_OUT_OF_MEMORY, {});
  std::array<char, CURL_ERROR_SIZE> said{};
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, said.data());
  curl_easy_setopt(handle.get(), CURLOPT_NOBODY, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_CERTINFO, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options.first_byte_timeout.count()));
  curl_easy_setopt(handle.get(), CURLOPT_USERAGENT, options.user_agent.c_str());
  CURLcode done = set_way(handle.get(), *url, options);
  if (done == CURLE_OK) done = curl_easy_perform(handle.get());
  if (done != CURLE_OK) return error_of(done, said.data());
  return OriginLook{url->origin().text(), date_of(handle.get()), end_of_certificate(handle.get())};
}

}  // namespace kbase::curl
