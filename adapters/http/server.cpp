// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/server.hpp"

#include <pistache/listener.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>

#include "adapters/http/accept_backoff.hpp"
#include "adapters/http/admin_handler.hpp"
#include "adapters/http/api_handler.hpp"
#include "adapters/http/listening_socket.hpp"
#include "adapters/http/transport.hpp"

namespace kbase::http {
namespace {

// File descriptors reserved for purposes other than client connections.
constexpr std::size_t kOtherDescriptors = 256;

/// Raises the limit of open files as far as possible, and returns the number of connections that fit below it. A server
/// without free descriptors could neither accept nor refuse connections.
std::size_t connection_limit(std::size_t wanted, ports::EventLog& log) {
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return wanted;
  if (descriptors.rlim_cur < wanted + kOtherDescriptors) {
    descriptors.rlim_cur = std::min<rlim_t>(descriptors.rlim_max, wanted + kOtherDescriptors);
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  const std::size_t possible = descriptors.rlim_cur > 2 * kOtherDescriptors
                                   ? descriptors.rlim_cur - kOtherDescriptors
                                   : std::max<std::size_t>(1, descriptors.rlim_cur / 2);
  if (wanted <= possible) return wanted;
  const std::string limit = std::to_string(possible);
  const ports::LogField field{"connections", limit};
  log.log(ports::LogLevel::Warning, "http.connections_lowered",
          "max_connections was lowered to what the limit of open files (ulimit -n) leaves.", {&field, 1});
  return possible;
}

/// Pistache reports only the message of an errno value, not its number.
bool is_error(std::string_view reason, int number) {
  return reason == std::generic_category().message(number);
}

std::string way_to_listen(const ServerOptions& options, std::string_view reason) {
  const std::string address = options.section + ".address", port = options.section + ".port";
  if (is_error(reason, EADDRNOTAVAIL))
    return "Set " + address + " to an address of this machine, or to 0.0.0.0 for all of them.";
  if (is_error(reason, EACCES))
    return "Choose a " + port + " of 1024 or more, or give the program the capability CAP_NET_BIND_SERVICE.";
  const std::string another = "another " + port + " or " + address + ".";
  return (is_error(reason, EADDRINUSE) ? "Stop the program that does, or choose " : "Choose ") + another;
}

model::Error cannot_listen(const ServerOptions& options, std::string_view reason) {
  return {model::ErrorCode::Unavailable,
          "Cannot listen on " + options.address + " port " + std::to_string(options.port) + ": " + std::string(reason) +
              ". " + way_to_listen(options, reason),
          {},
          {},
          {}};
}

}  // namespace

class Server::Listening {
 public:
  Listening(const sockaddr_storage& address, std::shared_ptr<Reactors> reactors)
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
  LoopTurns::Time last_turn() const { return reactors_->turns.oldest(); }

  void drain() {
    stop_listening(address_, port_);
    reactors_->start_draining();
    reactors_->connections.wait_until_none(reactors_->options.drain_timeout);
  }

 private:
  const sockaddr_storage address_;
  std::shared_ptr<Reactors> reactors_;
  std::uint16_t port_ = 0;
  Pistache::Tcp::Listener listener_;
};

model::Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, const Services& services) {
  auto trusted_proxies = NetworkSet::parse(options.trusted_proxies);
  if (!trusted_proxies) return trusted_proxies.error();
  return listen(options, {services.clock, services.log},
                std::make_unique<ApiHandler>(options, services, *std::move(trusted_proxies)));
}

model::Result<std::unique_ptr<Server>> Server::start_admin(const ServerOptions& options,
                                                           const AdminServices& services) {
  auto api_handler = std::make_unique<AdminHandler>(services);
  return listen(options, {services.clock, services.log}, std::move(api_handler));
}

model::Result<std::unique_ptr<Server>> Server::listen(const ServerOptions& options, const EdgeServices& services,
                                                      std::unique_ptr<RequestHandler> request_handler) {
  if (options.threads == 0) return model::invalid_argument("threads", "threads must be at least 1");
  const auto address = resolve(options.address, options.port);
  if (!address) return address.error();
  const std::size_t limit = connection_limit(options.max_connections, services.log);
  const ConnectionCount::Limits limits{limit, options.max_connections_per_address};
  try {
    auto listening = std::make_unique<Listening>(
        *address, std::make_shared<Reactors>(options, services, std::move(request_handler), limits));
    listening->start();
    return std::unique_ptr<Server>(new Server(std::move(listening)));
  } catch (const std::exception& error) {
    return cannot_listen(options, error.what());
  }
}

Server::Server(std::unique_ptr<Listening> listening) : listening_(std::move(listening)) {}

Server::~Server() = default;

std::uint16_t Server::port() const noexcept {
  return listening_->port();
}

ConnectionCount::Stats Server::connections() const {
  return listening_->connections();
}

std::chrono::steady_clock::time_point Server::last_turn() const {
  return listening_->last_turn();
}

void Server::drain() {
  listening_->drain();
}

}  // namespace kbase::http
