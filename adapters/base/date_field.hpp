// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase {

/// Formats the date of a message in UTC: "Sun, 06 Nov 1994 08:49:37 ZONE". `zone`: GMT for HTTP (RFC 9110 section 5.6.7),
/// +0000 for mails (RFC 5322 section 3.3).
std::string format_date(model::Instant instant, std::string_view zone);

}  // namespace kbase
