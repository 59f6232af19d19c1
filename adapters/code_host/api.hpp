// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/options.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::code_host {

struct Field {
  std::string name;
  std::string value;
};

/// A service's API: where it is, and what goes with every call. Never changes; any thread.
struct Api {
  /// InvalidArgument: `options.base_url` is no plain http:// or https:// URL, or the token can't be sent. `http` null:
  /// none is lent, and every call fails with Unavailable. What is lent outlives the API. `fields` are sent with every
  /// call.
  static model::Result<Api> make(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                                 std::vector<Field> fields);

  /// Whether a "/path?query" that the service leads to lies within `path`: beside it there may be other applications,
  /// which the token is not for.
  bool covers(std::string_view target) const noexcept;

  ports::HttpClient* http;
  const ports::Clock& clock;
  std::string origin;  ///< "https://git.example"
  std::string path;    ///< of base_url, "" or "/sub/path"
  std::vector<Field> fields;
  std::string authorization;  ///< the field's value; empty: none is sent
  std::size_t max_calls;
};

/// `url` without slashes at its end and without `ending` before them: whoever names the API means its site.
std::string site_of(std::string url, std::string_view ending);

}  // namespace kbase::code_host
