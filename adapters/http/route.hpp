// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/answer_stream.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/request.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/result.hpp"

namespace kbase::http {

using Method = Pistache::Http::Method;

/// Back end that an endpoint uses. Determines the thread on which it runs.
enum class Work { Catalog, Search, CatalogAndSearch, Statistics, Health, Description, Codehost, Llm };

/// Returns whether the endpoint calls an upstream service.
constexpr bool is_external(Work work) {
  return work == Work::Codehost || work == Work::Llm;
}

enum class Key { Optional, Required };
enum class Quota {
  Counted,
  CountedExactly,  ///< denied while the primary rate limiter is unavailable, even if there is a fallback
  Free,
};

/// Arguments of an endpoint.
struct Context {
  const Services& services;
  const ServerOptions& options;
  std::string_view edition;         ///< see entity_tag()
  const PreparedBody& description;  ///< see api_description()
  const Request& request;
  std::string_view segment;  ///< path parameter, still encoded
  std::string_view query;
  const ports::Admission& admission;
  const std::optional<ports::UserAnswer>& kept;  ///< cached reply; see RouteMatch
  AnswerStream& stream;                          ///< for a reply that is sent in parts
  ports::Call& call;
  model::Instant now;
  bool is_head = false;
};

/// An endpoint: its path, its requirements and its function.
struct Route {
  using Endpoint = model::Result<Answer> (*)(const Context&);

  std::string_view pattern;     ///< path below the base path; a segment in braces is the parameter
  Method method = Method::Get;  ///< Get includes HEAD
  Work work = Work::Catalog;
  model::Scope scope = model::Scope::Read;
  Key key = Key::Optional;
  Quota quota = Quota::Counted;
  Endpoint endpoint = nullptr;

  std::string_view allow() const { return method == Method::Get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"; }
};

/// Returns the method with this name, or nullopt if no endpoint supports it.
std::optional<Method> method_named(std::string_view name);

}  // namespace kbase::http
