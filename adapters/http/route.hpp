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

/// Whose calls an endpoint makes: decides on which thread it runs.
enum class Work { Catalog, Search, CatalogAndSearch, Statistics, Health, Description, Codehost, Llm };

/// Whether it asks a service outside.
constexpr bool is_external(Work work) {
  return work == Work::Codehost || work == Work::Llm;
}

enum class Key { Optional, Required };
enum class Quota {
  Counted,
  CountedExactly,  ///< refused while the rate limiter is away, whatever stands in for it then
  Free,
};

/// What an endpoint is given.
struct Context {
  const Services& services;
  const ServerOptions& options;
  std::string_view edition;         ///< see entity_tag()
  const PreparedBody& description;  ///< see api_description()
  const Request& request;
  std::string_view segment;  ///< the path's parameter as it was sent
  std::string_view query;
  const ports::Admission& admission;
  const std::optional<ports::UserAnswer>& kept;  ///< see RouteMatch
  AnswerStream& stream;                          ///< for an answer that is told piece by piece
  ports::Call& call;
  model::Instant now;
  bool is_head = false;
};

/// An endpoint: one path of the interface, the conditions of asking it, and who answers.
struct Route {
  using Endpoint = model::Result<Answer> (*)(const Context&);

  std::string_view pattern;     ///< below the base path; a segment in braces is the parameter
  Method method = Method::Get;  ///< Get: HEAD too
  Work work = Work::Catalog;
  model::Scope scope = model::Scope::Read;
  Key key = Key::Optional;
  Quota quota = Quota::Counted;
  Endpoint endpoint = nullptr;

  std::string_view allow() const { return method == Method::Get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"; }
};

/// The method that a request names; nullopt: none that anything here answers.
std::optional<Method> method_named(std::string_view name);

}  // namespace kbase::http
