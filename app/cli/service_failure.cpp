// SPDX-License-Identifier: Apache-2.0
#include "app/cli/service_failure.hpp"

#include <cstdio>

#include "app/cli/command.hpp"

namespace kbase::cli {
namespace {

using model::ErrorCode;

std::string in(std::string_view section, std::string_view key) {
  return std::string(section).append(".").append(key);
}

/// Of a request, the option that gave it.
std::string option_of(std::string_view parameter) {
  if (parameter == "model") return "name another one with --model or llm.config.default_model";
  if (parameter == "max_tokens") return "--max-tokens gives it, and llm.max_tokens is the most";
  if (parameter == "temperature") return "--temperature gives it";
  return parameter == "prompt" ? "--prompt gives it, and llm.max_prompt_bytes is the most" : "";
}

std::string way_to(std::string_view section) {
  return "see " + in(section, "config.base_url") + ", and upstream.proxy and upstream.ca_file for the way there";
}

}  // namespace

std::string way_out(const model::Error& error, std::string_view section) {
  if (error.parameter == "base_url") return "see " + in(section, "config.base_url");
  switch (error.code) {
    case ErrorCode::InvalidArgument:
      return option_of(error.parameter);
    case ErrorCode::NotFound:
      return in(section, "config.base_url") + " says which service was asked";
    case ErrorCode::Unavailable:
      if (error.retry_after.count() == 0) return way_to(section);
      return "come again in " + std::to_string((error.retry_after.count() + 999) / 1000) + " s";
    case ErrorCode::Deadline:
      return "it had " + in(section, "timeout") + "; " + way_to(section);
    default:
      return {};
  }
}

int fail_at_service(model::Error error, std::string_view section) {
  const std::string way = way_out(error, section);
  // A plugin's own reason, handed on as both.
  if (error.detail.ends_with(": " + error.message)) error.detail.clear();
  const bool is_usage = error.code == ErrorCode::InvalidArgument;
  const int exit_code = is_usage ? fail_usage(error) : fail(error);
  if (!way.empty()) std::fprintf(stderr, "kbase: %s\n", way.c_str());
  return exit_code;
}

}  // namespace kbase::cli
