// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/server.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pistache/listener.h>
#include <pistache/string_logger.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "adapters/base/waiting.hpp"
#include "adapters/http/api_handler.hpp"
#include "adapters/http/syntax.hpp"
#include "adapters/http/transport.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {
namespace {

const sockaddr_in& as_ipv4(const sockaddr_storage& address) { return reinterpret_cast<const sockaddr_in&>(address); }

const sockaddr_in6& as_ipv6(const sockaddr_storage& address) { return reinterpret_cast<const sockaddr_in6&>(address); }

bool is_bound_to(const sockaddr_storage& bound, const sockaddr_storage& address, std::uint16_t port) {
  if (bound.ss_family != address.ss_family) return false;
  if (bound.ss_family == AF_INET)
    return as_ipv4(bound).sin_port == htons(port) && as_ipv4(bound).sin_addr.s_addr == as_ipv4(address).sin_addr.s_addr;
  return as_ipv6(bound).sin6_port == htons(port) &&
         std::memcmp(&as_ipv6(bound).sin6_addr, &as_ipv6(address).sin6_addr, sizeof(in6_addr)) == 0;
}

bool is_listening_on(int descriptor, const sockaddr_storage& address, std::uint16_t port) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) return false;
  sockaddr_storage bound{};
  size = sizeof bound;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) == 0 &&
         is_bound_to(bound, address, port);
}

std::optional<int> find_listening_descriptor(const sockaddr_storage& address, std::uint16_t port) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const auto descriptor = parse_decimal(entry.path().filename().string());
    if (descriptor && is_listening_on(static_cast<int>(*descriptor), address, port))
      return static_cast<int>(*descriptor);
  }
  return std::nullopt;
}

/// Returns the socket address of `host` (a literal or a name) and `port`. Returns InvalidArgument with the parameter
/// "address" if `host` cannot be resolved.
Result<sockaddr_storage> resolve_address(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    return invalid_argument("address", "Cannot find the address '" + host + "' to listen on: " + ::gai_strerror(error));
  sockaddr_storage address{};
  std::memcpy(&address, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return address;
}

/// Closes the listening socket of this process on `address` and `port`, no matter which code opened it. Replaces its
/// descriptor with a socket that never becomes readable. Needed because Pistache's listener does not expose its socket
/// and can only shut down completely; a draining server must refuse new connections and keep the existing ones.
void stop_listening(const sockaddr_storage& address, std::uint16_t port) {
  const std::optional<int> listener = find_listening_descriptor(address, port);
  if (!listener) return;
  // Use a socket that does not listen, so that a concurrent accept() fails with an error that Pistache treats as
  // temporary.
  const int inert_socket = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (inert_socket < 0) return;
  ::dup3(inert_socket, *listener, O_CLOEXEC);
  ::close(inert_socket);
}

/// Pistache logger that slows down a failing accept loop. When Pistache's listener cannot accept, usually for lack of
/// file descriptors, its thread retries at once without limit and reports the failure only to its logger. This logger
/// sleeps before it returns, and logs the first of a series of failures. Only for the listener's thread.
class AcceptBackoff final : public Pistache::Log::StringLogger {
 public:
  /// `log` must outlive this object.
  explicit AcceptBackoff(ports::EventLog& log) : log_(log) {}

  void log(Pistache::Log::Level, const std::string& message) override {
    const auto now = waiting::now();
    if (!failed_at_ || now - *failed_at_ > kLogInterval) {
      const ports::LogField cause{"cause", message};
      log_.log(ports::LogLevel::Warning, "http.accept_failed",
               "A connection could not be accepted; the server retries.", {&cause, 1});
    }
    failed_at_ = now;
    std::this_thread::sleep_for(kPause);
  }
  bool isEnabledFor(Pistache::Log::Level level) const override { return level >= Pistache::Log::Level::WARN; }

 private:
  static constexpr std::chrono::milliseconds kPause{50};
  static constexpr std::chrono::seconds kLogInterval{10};  // failures within this time are logged once

  ports::EventLog& log_;
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
};

// File descriptors reserved for purposes other than client connections.
constexpr std::size_t kReservedDescriptors = 256;

/// Raises the limit of open files as far as available, and returns the number of connections that fit below it. A
/// server without free descriptors could neither accept nor refuse connections.
std::size_t raise_connection_limit(std::size_t requested, ports::EventLog& log) {
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return requested;
  if (descriptors.rlim_cur < requested + kReservedDescriptors) {
    descriptors.rlim_cur = std::min<rlim_t>(descriptors.rlim_max, requested + kReservedDescriptors);
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  const std::size_t available = descriptors.rlim_cur > 2 * kReservedDescriptors
                                    ? descriptors.rlim_cur - kReservedDescriptors
                                    : std::max<std::size_t>(1, descriptors.rlim_cur / 2);
  if (requested <= available) return requested;
  const ports::LogField field{"connections", std::uint64_t{available}};
  log.log(ports::LogLevel::Warning, "http.connections_lowered",
          "max_connections was lowered to fit the limit of open files (ulimit -n); raise that limit for more.",
          {&field, 1});
  return available;
}

std::string error_message(int number) { return std::generic_category().message(number); }

/// Pistache reports only the message of an errno value, not its number.
bool is_error(std::string_view reason, int number) { return reason == error_message(number); }

std::string suggest_fix(const ServerOptions& options, std::string_view reason) {
  const std::string address = options.section + ".address", port = options.section + ".port";
  if (is_error(reason, EADDRNOTAVAIL))
    return "Set " + address + " to an address of this machine, or to 0.0.0.0 for all of them.";
  if (is_error(reason, EACCES))
    return "Choose a " + port + " of 1024 or more, or give the program the capability CAP_NET_BIND_SERVICE.";
  const std::string another = "another " + port + " or " + address + ".";
  return (is_error(reason, EADDRINUSE) ? "Stop the program that uses it, or choose " : "Choose ") + another;
}

Error make_listen_error(const ServerOptions& options, std::string_view reason) {
  return {ErrorCode::Unavailable, "Cannot listen on " + options.address + " port " + std::to_string(options.port) +
                                      ": " + std::string(reason) + ". " + suggest_fix(options, reason)};
}

socklen_t size_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

// Number of connections above the limit that get a 503; further ones are closed without a response.
constexpr std::size_t kMaxOverLimit = 64;

std::size_t excess_over(std::size_t count, std::size_t limit) { return count > limit ? count - limit : 0; }

}  // namespace

Result<ReservedPort> ReservedPort::take(const ServerOptions& options) {
  if (options.port == 0) return ReservedPort(-1);
  const sockaddr_storage address = KBASE_TRY(resolve_address(options.address, options.port));
  ReservedPort reserved(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int reuse = 1;  // the listener of the server sets it too; Linux then permits both as long as one listens
  if (reserved.socket_ < 0 || ::setsockopt(reserved.socket_, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) != 0 ||
      ::bind(reserved.socket_, reinterpret_cast<const sockaddr*>(&address), size_of(address)) != 0)
    return make_listen_error(options, error_message(errno));
  return reserved;
}

ReservedPort::~ReservedPort() {
  if (socket_ >= 0) ::close(socket_);
}

class Server::Listener {
 public:
  Listener(const sockaddr_storage& address, std::shared_ptr<Reactors> reactors)
      : address_(address), reactors_(std::move(reactors)) {}

  /// Throws the exceptions of Pistache if it cannot listen.
  void start() {
    using Pistache::Tcp::Options;
    sockaddr_storage address = address_;
    const auto flags = Pistache::Flags<Options>(Options::ReuseAddr | Options::NoDelay | Options::CloseOnExec);
    listener_.init(reactors_->options.threads, flags, "kbase-http", SOMAXCONN,
                   std::make_shared<AcceptBackoff>(reactors_->services.log));
    listener_.setTransportFactory([reactors = reactors_] { return std::make_shared<Transport>(reactors); });
    listener_.setHandler(std::make_shared<PeerHandler>());
    // Address::fromUnix cannot be used: it interprets the port as host byte order.
    const Pistache::IP ip(reinterpret_cast<sockaddr*>(&address));
    listener_.bind(Pistache::Address(ip, Pistache::Port(reactors_->options.port)));
    port_ = listener_.getPort();
    listener_.runThreaded();
  }

  std::uint16_t port() const noexcept { return port_; }
  ConnectionCount::Stats connections() const { return reactors_->connections.stats(); }
  LoopHeartbeats::Time last_iteration() const { return reactors_->heartbeats.oldest(); }

  void drain() {
    stop_listening(address_, port_);
    reactors_->start_draining();
    reactors_->connections.wait_until_empty(reactors_->options.drain_timeout);
  }

 private:
  const sockaddr_storage address_;
  std::shared_ptr<Reactors> reactors_;
  std::uint16_t port_ = 0;
  Pistache::Tcp::Listener listener_;
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, const Services& services) {
  auto trusted_proxies = KBASE_TRY(NetworkSet::parse(options.trusted_proxies));
  return listen(options, {services.clock, services.log},
                std::make_unique<ApiHandler>(options, services, std::move(trusted_proxies)));
}

Result<std::unique_ptr<Server>> Server::start_admin(const ServerOptions& options, const AdminServices& services) {
  return listen(options, {services.clock, services.log}, make_admin_handler(services));
}

Result<std::unique_ptr<Server>> Server::listen(const ServerOptions& options, const TransportServices& services,
                                               std::unique_ptr<RequestHandler> request_handler) {
  if (options.threads == 0) return invalid_argument("threads", "threads must be at least 1");
  const auto address = KBASE_TRY(resolve_address(options.address, options.port));
  const std::size_t limit = raise_connection_limit(options.max_connections, services.log);
  const ConnectionCount::Limits limits{limit, options.max_connections_per_address};
  try {
    auto listener = std::make_unique<Listener>(
        address, std::make_shared<Reactors>(options, services, std::move(request_handler), limits));
    listener->start();
    return std::unique_ptr<Server>(new Server(std::move(listener)));
  } catch (const std::exception& error) {
    return make_listen_error(options, error.what());
  }
}

Server::Server(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}

Server::~Server() = default;

std::uint16_t Server::port() const noexcept { return listener_->port(); }

ConnectionCount::Stats Server::connections() const { return listener_->connections(); }

std::chrono::steady_clock::time_point Server::last_iteration() const { return listener_->last_iteration(); }

void Server::drain() { listener_->drain(); }

bool BodyBudget::Share::resize(std::size_t bytes) noexcept {
  if (bytes > bytes_) {
    const std::size_t more = bytes - bytes_;
    if (budget_.reserved_.fetch_add(more, std::memory_order_relaxed) + more > budget_.limit_) {
      budget_.reserved_.fetch_sub(more, std::memory_order_relaxed);
      return false;
    }
  } else if (bytes < bytes_) {
    budget_.reserved_.fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  }
  bytes_ = bytes;
  return true;
}

ConnectionCount::AdmitResult ConnectionCount::add(const Peer& peer, bool is_proxy) {
  const std::lock_guard lock(mutex_);
  ++total_;
  ++opened_;
  const std::size_t per_address = ++by_address_[peer.canonical];
  const std::size_t excess =
      std::max(excess_over(total_, limits_.total), is_proxy ? 0 : excess_over(per_address, limits_.per_address));
  if (excess == 0) return AdmitResult::Admitted;
  ++refused_;
  return excess <= kMaxOverLimit ? AdmitResult::OverLimit : AdmitResult::Rejected;
}

void ConnectionCount::remove(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(peer.canonical);
  if (known != by_address_.end() && --known->second == 0) by_address_.erase(known);
  if (--total_ == 0) emptied_.notify_all();
}

ConnectionCount::Stats ConnectionCount::stats() const {
  const std::lock_guard lock(mutex_);
  return {total_, opened_, refused_};
}

void ConnectionCount::wait_until_empty(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  emptied_.wait_for(lock, timeout, [this] { return total_ == 0; });
}

}  // namespace kbase::http
