// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// text/event-stream (WHATWG HTML, section 9.2 "Server-sent events").
namespace kbase::http {

/// A comment: readers skip it, and what stands between sees that the stream lives.
inline constexpr std::string_view kHeartbeat = ":\n\n";

/// `data` is JSON of JsonWriter, which has no line break.
inline std::string event(std::string_view name, std::string_view data) {
  std::string text;
  text.reserve(name.size() + data.size() + 16);
  return text.append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace kbase::http
