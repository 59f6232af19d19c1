// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/http/client_address.hpp"
#include "adapters/http/services.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {

class RequestHandler;
struct TransportServices;

/// Limit on the memory of the request bodies of all connections together. Bodies are read before the client is
/// admitted, so a limit per body alone would let a client use up the memory with many connections. Thread-safe.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) noexcept : limit_(limit) {}

  /// Reservation of one connection; released when it is destroyed. Not thread-safe. The budget must outlive it.
  class Share {
   public:
    explicit Share(BodyBudget& budget) noexcept : budget_(budget) {}
    ~Share() { resize(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Changes the reservation to `bytes`. Returns false and keeps the current reservation if the budget is exceeded.
    bool resize(std::size_t bytes) noexcept;

   private:
    BodyBudget& budget_;
    std::size_t bytes_ = 0;
  };

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> reserved_{0};
};

/// Counts the connections of a server, in total and per client address, and enforces the limits. Thread-safe.
class ConnectionCount {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_address = 0;
  };
  enum class AdmitResult {
    Admitted,
    OverLimit,  ///< only one request, which gets a 503
    Rejected,
  };

  explicit ConnectionCount(const Limits& limits) : limits_(limits) {}

  /// Counts a new connection. The limit per address does not apply to a proxy, which serves many clients. Call remove()
  /// for every connection, whatever the result.
  AdmitResult add(const Peer& peer, bool is_proxy);
  void remove(const Peer& peer);

  struct Stats {
    std::size_t open = 0;
    std::uint64_t opened = 0;   ///< since the start
    std::uint64_t refused = 0;  ///< number of opened connections above a limit
  };
  Stats stats() const;

  /// Waits until there is no connection, for at most `timeout`.
  void wait_until_empty(std::chrono::milliseconds timeout);

 private:
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::size_t total_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

/// A file of the site, with its path from the root, for example "/explorer/main.js".
struct SiteFile {
  std::string path;
  std::string bytes;
  bool is_immutable = false;  ///< another content would have another path
};

/// Origins whose scripts may read responses.
struct CorsOptions {
  std::vector<std::string> allowed_origins = {"*"};  ///< values of Origin; "*": any origin
  std::chrono::seconds max_age{86'400};              ///< how long a browser may cache a preflight response
};

/// How the access log identifies a client address.
enum class LoggedAddress {
  Hash,    ///< pseudonym of the address as the rate limiter counts it
  Prefix,  ///< pseudonym and network: the first 24 bits of an IPv4 address, 48 of IPv6
  Full,    ///< pseudonym and full address
  None,    ///< nothing that distinguishes addresses
};

/// Options of a server. All durations use Clock::steady and are checked ten times per second.
struct ServerOptions {
  std::string section = "server";              ///< section of the configuration, for messages
  std::string address = "127.0.0.1";           ///< IPv4, IPv6 or a name; "::" listens on both families
  std::uint16_t port = 8080;                   ///< 0: any free port
  std::string base_path = "/api/v1";           ///< base path of all endpoints; "" or "/": the root
  unsigned threads = 1;                        ///< reactor threads; more than the number of cores only add overhead
  std::uint64_t max_body_bytes = 1024 * 1024;  ///< of one request; larger: 413
  std::uint64_t max_body_bytes_total = 256 * 1024 * 1024;  ///< of all connections together; larger: 503
  std::size_t max_connections = 10'000;  ///< up to 64 more get a 503, others are closed; lowered to fit the fd limit
  std::size_t max_connections_per_address = 8'000;  ///< per client address, except trusted proxies; handled likewise

  std::uint64_t max_import_bytes = std::uint64_t{1} << 30;  ///< of the body of an import; larger: 413

  std::chrono::milliseconds header_timeout{10'000};    ///< from the first byte of a request to its last field; then 408
  std::chrono::milliseconds body_timeout{30'000};      ///< from the last field to the end of the body; then 408
  std::chrono::milliseconds idle_timeout{60'000};      ///< between requests; then the connection is closed
  std::chrono::milliseconds send_timeout{30'000};      ///< without progress in sending; then the connection is closed
  std::chrono::milliseconds request_timeout{30'000};   ///< deadline of the reply and of all calls for it
  std::chrono::milliseconds codehost_timeout{10'000};  ///< of code-hosting requests, if shorter than request_timeout
  std::chrono::milliseconds llm_timeout{10'000};       ///< for a completion; for a stream, up to its first part
  std::chrono::milliseconds stream_timeout{600'000};   ///< of a whole stream; cut off after send_timeout in addition
  std::chrono::milliseconds drain_timeout{10'000};     ///< for pending requests when the server stops

  std::vector<std::string> trusted_proxies;  ///< networks of trusted proxies; empty: none, not even loopback
  CorsOptions cors;
  LoggedAddress logged_address = LoggedAddress::Hash;
  std::chrono::seconds http_max_age{0};  ///< max-age of replies in the client's cache; 0: revalidate each time

  std::string program_version = "1.0.0";  ///< shown in /health; part of every ETag
  std::string search_fingerprint;         ///< search plugin and its configuration; part of every ETag

  std::string description;     ///< content of /openapi.json; see api_description()
  std::vector<SiteFile> site;  ///< files served outside of the base path
  std::string site_origin;     ///< scheme and authority of the site's addresses; empty: as clients ask for them
  bool has_visitors = false;   ///< readers of the pages count by the plan `visitor`

  bool codehost_needs_key = false;  ///< the code-hosting endpoint requires an API key

  /// Whether calls never block for longer than a page fault. Such requests run on the reactor thread, others on an
  /// executor.
  bool inline_catalog = false;
  bool inline_search = false;
  bool inline_quick_search = false;  ///< see ports::Call::is_quick
  bool inline_statistics = false;
};

/// The address and port of a server that starts later. Holds the port, unless it is 0, from take() until its
/// destruction, so that a server which opens a large knowledge base first reports a port in use at once. Accepts no
/// connections. The server of the same process can listen on the port in the meantime.
class ReservedPort {
 public:
  /// Uses `section`, `address` and `port` of the options. Errors are those of Server::start() for the address.
  static Result<ReservedPort> take(const ServerOptions& options);

  ~ReservedPort();
  ReservedPort(ReservedPort&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ReservedPort& operator=(ReservedPort&&) = delete;

 private:
  explicit ReservedPort(int socket) : socket_(socket) {}

  int socket_;  // -1: none
};

/// HTTP API server (docs/guide) on Pistache's listener and reactor threads. Listens from start() until drain() or its
/// destruction, which closes all connections. Before the objects that `services` refers to are destroyed, the executors
/// must have finished or dropped all work of the server. Not thread-safe, except where noted.
class Server {
 public:
  /// Returns InvalidArgument with the name of the option in `parameter` if an option is invalid, Unavailable if the
  /// server cannot listen on the address.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const Services& services);

  /// Starts a server for the admin endpoints. Errors are those of start().
  static Result<std::unique_ptr<Server>> start_admin(const ServerOptions& options, const AdminServices& services);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Returns the port on which the server listens.
  std::uint16_t port() const noexcept;

  /// Thread-safe.
  ConnectionCount::Stats connections() const;

  /// Returns the oldest of the last iteration times of the reactor threads; each iterates at least ten times per
  /// second. Thread-safe.
  std::chrono::steady_clock::time_point last_iteration() const;

  /// Stops accepting connections and answers pending requests with `Connection: close`. Returns when all connections
  /// are closed, or after drain_timeout.
  void drain();

 private:
  class Listener;
  explicit Server(std::unique_ptr<Listener> listener);
  static Result<std::unique_ptr<Server>> listen(const ServerOptions& options, const TransportServices& services,
                                                std::unique_ptr<RequestHandler> request_handler);

  std::unique_ptr<Listener> listener_;
};

/// Returns the OpenAPI 3.1 document of the API below `base_path`, as compact JSON. Its source is openapi.json in this
/// directory. Tests compare it with the routes and their responses.
std::string api_description(std::string_view base_path);

}  // namespace kbase::http
