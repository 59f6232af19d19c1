// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Format text/event-stream (WHATWG HTML, section 9.2 "Server-sent events").
namespace kbase::http {

/// Comment line. Readers ignore it; it keeps proxies from closing an idle stream.
inline constexpr std::string_view kHeartbeat = ":\n\n";

/// Returns an event. `data` must be JSON by JsonWriter, which contains no line breaks.
inline std::string event(std::string_view name, std::string_view data) {
  std::string text;
  text.reserve(name.size() + data.size() + 16);
  return text.append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace kbase::http
