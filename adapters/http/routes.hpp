// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/problem.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/services.hpp"
#include "adapters/http/static_content.hpp"
#include "adapters/http/upload_pipe.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"

namespace kbase::http {

class Parameters;

using Method = Pistache::Http::Method;

enum class Quota {
  Counted,
  CountedExactly,  ///< denied while the primary rate limiter is unavailable, even if there is a fallback
  Free,
};

/// Arguments of an endpoint.
struct EndpointContext {
  const Services& services;
  const ServerOptions& options;
  std::string_view edition;         ///< see make_entity_tag()
  const PreparedBody& description;  ///< see api_description()
  const Request& request;
  std::string_view segment;  ///< path parameter, still encoded
  std::string_view query;
  const ports::Admission& admission;
  EventStreamWriter& stream;  ///< for a reply that is sent in parts
  ports::Call& call;
  model::Instant now;
  std::string_view origin;       ///< scheme and authority of the site, for its pages and for accounts
  std::string_view address;      ///< of the client, in canonical form, for accounts
  UploadPipe* upload = nullptr;  ///< the body, if the route takes uploads and the request has a body
  bool is_head = false;
};

/// Whether requests run on the reactor thread.
enum class Inline {
  Never,
  IfQuick,  ///< are tried there as quick calls, see ports::Call::is_quick
  Always,   ///< never block for longer than a page fault
};

/// How the requests of an endpoint are run.
struct Execution {
  Executor& (*pool)(const Executors&) = nullptr;  ///< thread pool for requests that may block
  Inline (*inlining)(const ServerOptions&) = nullptr;
  /// Deadline of the reply and of all calls for it, counted from the arrival of the request.
  std::chrono::milliseconds (*time_limit)(const ServerOptions&) = nullptr;
  bool calls_upstream = false;  ///< calls an upstream service, so a timeout is a 504 and not a sign of overload
  bool needs_client = false;    ///< canceled when the client closes its sending side
};

inline bool needs_no_key(const ServerOptions&) { return false; }

/// Which web pages may make a browser send a request.
enum class Senders {
  All,
  NotForeign,  ///< no page of another site; other programs may
  OwnPages,    ///< only pages of this site: the browser adds the cookie of a session
};

/// An endpoint: its path, its requirements and its functions. A row of the table in routes.cpp holds everything that
/// the API handler must know about an endpoint.
struct Route {
  using Endpoint = Result<Reply> (*)(const EndpointContext&);

  std::string_view pattern;  ///< path below the base path; a segment in braces is the parameter
  Endpoint endpoint = nullptr;
  Execution execution = {};
  Method method = Method::Get;  ///< Get includes HEAD
  model::Scope scope = model::Scope::Read;
  Quota quota = Quota::Counted;
  Senders senders = Senders::All;
  bool takes_upload = false;                               ///< the body is passed on while it arrives
  bool (*needs_key)(const ServerOptions&) = needs_no_key;  ///< whether a request needs an API key
  /// Returns the reply if it is available without blocking, so that the request needs no pool. `segment` is the path
  /// parameter, still encoded. Null: it never is.
  std::optional<Reply> (*prepare_reply)(const Services& services, std::string_view segment) = nullptr;

  /// Whether requests with this method are for the route. Get includes HEAD.
  bool supports(std::string_view method_name) const;
};

/// Returns the method with this name, or nullopt if no endpoint supports it.
std::optional<Method> parse_method(std::string_view name);

/// Returns all endpoints (docs/guide/index.md).
std::span<const Route> routes();

/// Returns the pages of the site. Their patterns are paths below the root.
std::span<const Route> page_routes();

/// Returns the name of a page in metrics and the log, which differs from those of endpoints.
inline std::string page_name(const Route& page) { return "page " + std::string(page.pattern); }

/// Endpoint functions, defined in catalog_routes.cpp, query_routes.cpp and external_routes.cpp.
Result<Reply> get_categories(const EndpointContext& context);
Result<Reply> get_category(const EndpointContext& context);
Result<Reply> get_item(const EndpointContext& context);
Result<Reply> get_related(const EndpointContext& context);
Result<Reply> get_popular(const EndpointContext& context);
Result<Reply> get_recent(const EndpointContext& context);

Result<Reply> get_search(const EndpointContext& context);
Result<Reply> get_suggestions(const EndpointContext& context);
Result<Reply> get_statistics(const EndpointContext& context);
Result<Reply> get_health(const EndpointContext& context);
Result<Reply> get_description(const EndpointContext& context);

Result<Reply> post_feedback(const EndpointContext& context);

/// Pages of the site, defined in page_routes.cpp. They require Services::pages.
Result<Reply> get_home_page(const EndpointContext& context);
Result<Reply> get_search_page(const EndpointContext& context);
Result<Reply> get_item_page(const EndpointContext& context);
Result<Reply> get_categories_page(const EndpointContext& context);
Result<Reply> get_category_page(const EndpointContext& context);
Result<Reply> get_popular_page(const EndpointContext& context);
Result<Reply> get_recent_page(const EndpointContext& context);
Result<Reply> get_feed(const EndpointContext& context);
Result<Reply> get_sitemap(const EndpointContext& context);
Result<Reply> get_llms_text(const EndpointContext& context);
Result<Reply> get_robots_text(const EndpointContext& context);
Result<Reply> get_opensearch_description(const EndpointContext& context);
Result<Reply> get_reference_page(const EndpointContext& context);
Result<Reply> get_operation_page(const EndpointContext& context);
Result<Reply> get_account_page(const EndpointContext& context);
Result<Reply> get_confirmation_page(const EndpointContext& context);

/// Returns the reply of get_codehost_user() if it is cached.
std::optional<Reply> find_cached_user(const Services& services, std::string_view segment);
Result<Reply> get_codehost_user(const EndpointContext& context);
Result<Reply> post_completion(const EndpointContext& context);

/// Reads the id in the path. NotFound: there can be no `thing` with this id.
Result<std::string> read_path_id(const EndpointContext& context, Parameters& parameters, std::string_view thing);

/// Returns the entity tag of an item. `parameters`: those of get_item(), read.
std::string make_item_tag(const EndpointContext& context, const Parameters& parameters, model::Revision revision);

/// Changes of the content, defined in write_routes.cpp.
Result<Reply> put_item(const EndpointContext& context);
Result<Reply> delete_item(const EndpointContext& context);
Result<Reply> post_import(const EndpointContext& context);

/// Accounts, defined in account_routes.cpp.
Result<Reply> post_account(const EndpointContext& context);
Result<Reply> post_session(const EndpointContext& context);
Result<Reply> post_confirmation(const EndpointContext& context);
Result<Reply> delete_session(const EndpointContext& context);
Result<Reply> get_account(const EndpointContext& context);
Result<Reply> delete_account(const EndpointContext& context);
Result<Reply> post_account_key(const EndpointContext& context);
Result<Reply> post_key_rotation(const EndpointContext& context);
Result<Reply> delete_account_key(const EndpointContext& context);

/// Result of routing a request target. Views into the request.
struct RouteMatch {
  const Route* route = nullptr;  ///< null: no route matches the path; if none has the method too, any that matches
  std::string_view allow;        ///< methods of the path, as the value of Allow
  std::string_view segment;      ///< path parameter, still encoded
  std::string_view query;
  bool is_below_base = false;
  const PreparedBody* page = nullptr;  ///< file of the site; null: none
  bool is_page = false;                ///< the route is one of page_routes()
  bool is_server_wide = false;         ///< the target is the whole server: `*`, or an absolute form without a path
};

/// Router for paths below a base path. Compares decoded segments and ignores one trailing slash. Runs in time linear in
/// the length of the path. Several routes may have one path and different methods. Immutable.
class Router {
 public:
  /// `routes` must outlive the router. Each has at most one parameter.
  Router(std::string_view base_path, std::span<const Route> routes);

  RouteMatch match(std::string_view method, std::string_view target) const;

 private:
  struct Pattern {
    std::vector<const Route*> routes;  // with different methods
    std::string allow;
    std::vector<std::string_view> segments;
  };

  std::vector<std::string> base_;
  std::vector<Pattern> patterns_;
};

}  // namespace kbase::http
