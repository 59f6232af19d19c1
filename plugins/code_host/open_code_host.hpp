// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "adapters/code_host/calls.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/plugin.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::code_host {

/// Returns the settings schema of a code-hosting service. `base_url`: members of the schema of that setting, without
/// braces.
template <std::size_t N> constexpr auto settings_schema(const char (&base_url)[N]) {
  constexpr std::string_view kStart = R"({"type": "object", "additionalProperties": false, "properties": {
    "base_url": {"type": "string", "minLength": 1, )";
  constexpr std::string_view kEnd = R"(},
    "token": {"type": "string", "writeOnly": true, "default": "",
      "description": "Access token of the service. kbase returns only public data, so use a token without access to private data. Empty: requests are anonymous."},
    "max_calls": {"type": "integer", "minimum": 5, "maximum": 100, "default": 20,
      "description": "Maximum number of calls for one look-up. Calls that remain after profile, repositories and contributions are used for the languages of the most recently updated repositories."},
    "max_repositories": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100,
      "description": "Maximum number of repositories in a response, the most recently updated first."}}})";
  std::array<char, kStart.size() + N - 1 + kEnd.size() + 1> schema{};
  auto* end = std::copy(kStart.begin(), kStart.end(), schema.data());
  end = std::copy(base_url, base_url + N - 1, end);
  std::copy(kEnd.begin(), kEnd.end(), end);
  return schema;
}

/// Opens `Host` with these settings.
template <class Host> sdk::Opened<ports::CodeHost> open_code_host(sdk::Setup& setup) {
  Options options;
  options.base_url = setup.settings().text("base_url", options.base_url);
  options.token = setup.settings().text("token", options.token);
  options.max_calls = setup.settings().number("max_calls", options.max_calls);
  options.max_repositories = setup.settings().number("max_repositories", options.max_repositories);
  auto opened = KBASE_TRY(Host::open(setup.http(), setup.clock(), std::move(options)));
  return std::shared_ptr<ports::CodeHost>(std::move(opened));
}

}  // namespace kbase::code_host
