// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/llhttp_reading.hpp"

#include <llhttp/llhttp.h>

namespace kbase::tests {
namespace {

/// Reading so far, and the request that is still incomplete.
struct Progress {
  Reading reading;
  ReadRequest current;
};

Progress& progress_of(llhttp_t* parser) { return *static_cast<Progress*>(parser->data); }

llhttp_settings_t settings() {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_message_begin = [](llhttp_t* parser) {
    progress_of(parser).current = {};
    progress_of(parser).reading.is_between = false;
    return 0;
  };
  settings.on_url = [](llhttp_t* parser, const char* text, std::size_t size) {
    progress_of(parser).current.target.append(text, size);
    return 0;
  };
  settings.on_body = [](llhttp_t* parser, const char* text, std::size_t size) {
    progress_of(parser).current.body.append(text, size);
    return 0;
  };
  settings.on_headers_complete = [](llhttp_t* parser) {
    // Continue with HTTP/1.1 after an Upgrade field, as kbase's parser does and RFC 9110 section 7.8 permits.
    parser->upgrade = 0;
    return 0;
  };
  settings.on_message_complete = [](llhttp_t* parser) {
    Progress& progress = progress_of(parser);
    progress.current.method = llhttp_method_name(static_cast<llhttp_method_t>(parser->method));
    progress.current.keep_alive = llhttp_should_keep_alive(parser) != 0;
    progress.reading.requests.push_back(progress.current);
    progress.reading.is_between = true;
    return 0;
  };
  return settings;
}

}  // namespace

Reading read_with_llhttp(std::string_view bytes) {
  static const llhttp_settings_t kSettings = settings();
  llhttp_t parser;
  Progress progress;
  llhttp_init(&parser, HTTP_REQUEST, &kSettings);
  parser.data = &progress;
  const llhttp_errno_t error = llhttp_execute(&parser, bytes.data(), bytes.size());
  progress.reading.is_refused = error != HPE_OK;
  if (progress.reading.is_refused) {
    progress.reading.is_between = false;
    progress.reading.why = llhttp_errno_name(error);
    if (const char* reason = llhttp_get_error_reason(&parser)) progress.reading.why.append(": ").append(reason);
  }
  return progress.reading;
}

}  // namespace kbase::tests
