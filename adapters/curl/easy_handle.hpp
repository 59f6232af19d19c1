// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <string>

#include "adapters/curl/options.hpp"
#include "adapters/curl/request.hpp"
#include "domain/base/result.hpp"

namespace kbase::curl {

/// Sets how a URL is reached: the protocols, the proxy and the trusted certificate authorities. `url` and `options`
/// must outlive the transfer of `handle`.
CURLcode set_connection_options(CURL* handle, const Url& url, const ClientOptions& options);

/// Errors of an exchange, with their messages. `detail` is written to the log only.
Error unreachable(std::string detail);
Error timed_out(std::string detail);
Error bad_response(std::string detail);
Error cancelled();

/// Returns the error for libcurl's result of a transfer. `text` is the content of libcurl's error buffer.
Error to_error(CURLcode code, const std::string& text);

/// Whether a retry of the request may succeed soon: the connection failed, not the response.
bool is_transient(CURLcode code);

}  // namespace kbase::curl
