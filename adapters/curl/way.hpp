// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include "adapters/curl/options.hpp"
#include "adapters/curl/url.hpp"

namespace kbase::curl {

/// Sets how a URL is reached: the protocols, the proxy and the trusted certificate authorities. `url` and `options`
/// must outlive the transfer of `handle`.
CURLcode set_way(CURL* handle, const Url& url, const ClientOptions& options);

}  // namespace kbase::curl
