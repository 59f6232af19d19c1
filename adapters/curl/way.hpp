// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include "adapters/curl/options.hpp"
#include "adapters/curl/url.hpp"

namespace kbase::curl {

/// Sets how a URL is reached: the protocols, the proxy, and whose certificates are trusted. URL and options outlive
/// what the handle does.
CURLcode set_way(CURL* handle, const Url& url, const ClientOptions& options);

}  // namespace kbase::curl
