// SPDX-License-Identifier: Apache-2.0
#include "app/cli/service_failure.hpp"

#include <cstdio>

#include "app/cli/command.hpp"
#include "app/composition/upstreams.hpp"

namespace kbase::cli {
namespace {

using model::ErrorCode;

std::string in(std::string_view section, std::string_view key) {
  return std::string(section).append(".").append(key);
}

/// Returns a hint that names the option for a request parameter.
std::string option_of(std::string_view parameter) {
  if (parameter == "model") return "name another one with --model or llm.config.default_model";
  if (parameter == "max_tokens") return "--max-tokens gives it, and llm.max_tokens is the most";
  if (parameter == "temperature") return "--temperature gives it";
  return parameter == "prompt" ? "--prompt gives it, and llm.max_prompt_bytes is the most" : "";
}

/// Returns for example "codehost.config.base_url". If no setting names the service: the whole section,
/// "rate_limit.config".
std::string setting_of(const AskedService& service) {
  const auto setting = composition::service_setting(service.config);
  return in(service.section, setting ? "config." + setting->name : "config");
}

}  // namespace

std::string way_to(const AskedService& service) {
  const auto setting = composition::service_setting(service.config);
  const std::string see = "see " + setting_of(service);
  return setting && setting->is_http ? see + ", and upstream.proxy and upstream.ca_file for the way there"
                                     : see + ", and whether the server that it names runs";
}

std::string way_out(const model::Error& error, const AskedService& service) {
  if (error.parameter == "base_url") return "see " + setting_of(service);
  switch (error.code) {
    case ErrorCode::InvalidArgument:
      return option_of(error.parameter);
    case ErrorCode::NotFound:
      return setting_of(service) + " says which service was asked";
    case ErrorCode::Unavailable:
      if (error.retry_after.count() == 0) return way_to(service);
      return "come again in " + std::to_string((error.retry_after.count() + 999) / 1000) + " s";
    case ErrorCode::BadUpstream:
      return "see " + setting_of(service) + ", and whether what answers there is of the kind that " +
             in(service.section, "plugin") + " names";
    case ErrorCode::Deadline:
      return "it had " + in(service.section, "timeout") + "; " + way_to(service);
    default:
      return {};
  }
}

int fail_at_service(const model::Error& error, const AskedService& service) {
  const std::string way = way_out(error, service);
  const bool is_usage = error.code == ErrorCode::InvalidArgument;
  const int exit_code = is_usage ? fail_usage(error) : fail(error);
  if (!way.empty()) std::fprintf(stderr, "kbase: %s\n", way.c_str());
  return exit_code;
}

}  // namespace kbase::cli
