// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <string>

#include "domain/model/error.hpp"

/// Errors of an exchange, with their messages. `detail` is written to the log only.
namespace kbase::curl {

model::Error unreachable(std::string detail);
model::Error too_late(std::string detail);
model::Error bad_answer(std::string detail);
model::Error cancelled();

/// Returns the error for libcurl's result of a transfer. `text` is the content of libcurl's error buffer.
model::Error error_of(CURLcode code, const std::string& text);

/// Whether a retry of the request may succeed soon: the connection failed, not the response.
bool is_passing(CURLcode code);

}  // namespace kbase::curl
