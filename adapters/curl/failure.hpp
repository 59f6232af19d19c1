// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <string>

#include "domain/model/error.hpp"

/// The sentences that an exchange fails with. `detail` is for the log.
namespace kbase::curl {

model::Error unreachable(std::string detail);
model::Error too_late(std::string detail);
model::Error bad_answer(std::string detail);
model::Error cancelled();

/// What libcurl's failure of a transfer means; `text` is what it wrote into its error buffer.
model::Error error_of(CURLcode code, const std::string& text);

/// Whether the same request may well succeed a moment later: the connection, not the answer, was bad.
bool is_passing(CURLcode code);

}  // namespace kbase::curl
