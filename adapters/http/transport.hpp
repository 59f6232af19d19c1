// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/tcp.h>
#include <pistache/transport.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/http/connection.hpp"
#include "adapters/http/mailbox.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/server.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Times of the last iteration of several event loops, used to detect a loop that hangs. Thread-safe.
class LoopHeartbeats {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Heartbeat = std::atomic<Time>;

  /// Registers a loop. The loop stores the time of each iteration in the returned object, which is valid for the
  /// lifetime of this one.
  Heartbeat& add(Time now) {
    const std::lock_guard lock(mutex_);
    return loops_.emplace_back(now);
  }

  /// Returns the oldest of the last iteration times, or Time::max() if there is no loop.
  Time oldest() const {
    const std::lock_guard lock(mutex_);
    Time oldest = Time::max();
    for (const Heartbeat& heartbeat : loops_) oldest = std::min(oldest, heartbeat.load(std::memory_order_relaxed));
    return oldest;
  }

 private:
  mutable std::mutex mutex_;
  std::list<Heartbeat> loops_;
};

/// Services used by the transport. They must outlive the server.
struct TransportServices {
  ports::Clock& clock;
  ports::EventLog& log;
};

/// State shared by the reactor threads of one server and the tasks they gave to an executor. Thread-safe.
class Reactors {
 public:
  Reactors(const ServerOptions& server_options, const TransportServices& transport_services,
           std::unique_ptr<RequestHandler> handler, const ConnectionCount::Limits& limits)
      : options(server_options),
        services(transport_services),
        request_handler(std::move(handler)),
        connections(limits),
        bodies(server_options.max_body_bytes_total) {}

  const ServerOptions options;
  const TransportServices services;
  const std::unique_ptr<RequestHandler> request_handler;
  ConnectionCount connections;
  BodyBudget bodies;
  LoopHeartbeats heartbeats;

  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  void start_draining() noexcept { draining_ = true; }

  /// Whether no other connection had work for an executor within the last milliseconds. A quick request of an only
  /// client is answered sooner without another thread. With several clients the executors share the processors better.
  bool is_only_client(const void* connection, Connection::Time now) noexcept {
    constexpr std::chrono::milliseconds kRecent{10};
    const Connection::Time::duration before = last_work_.exchange(now.time_since_epoch(), std::memory_order_relaxed);
    const void* const last = last_client_.exchange(connection, std::memory_order_relaxed);
    return last == connection || now.time_since_epoch() - before > kRecent;
  }

 private:
  std::atomic<bool> draining_{false};
  std::atomic<const void*> last_client_{nullptr};  // compared, never used
  std::atomic<Connection::Time::duration> last_work_{};
};

/// Connections of one reactor thread. Pistache's transport, the base class, accepts peers and owns their sockets.
/// Reading, writing, timeouts and closing are implemented here, because Pistache's versions lose wake-ups, spin on slow
/// readers and confuse responses of sockets whose descriptors are reused. The poller identifies connections by a unique
/// id, not by the descriptor, so that a late event or response of a closed connection is dropped.
class Transport final : public Pistache::Tcp::Transport, private Connection::Handler {
 public:
  explicit Transport(std::shared_ptr<Reactors> reactors);
  ~Transport() override;

  /// Called by Pistache once per reactor thread.
  std::shared_ptr<Pistache::Aio::Handler> clone() const override;
  void registerPoller(Pistache::Polling::Epoll& poller) override;
  void onReady(const Pistache::Aio::FdSet& events) override;

  /// Adds an accepted peer, whose socket is not polled yet.
  void on_peer(const std::shared_ptr<Pistache::Tcp::Peer>& peer) { accepted_peers_.push_back(peer); }

 private:
  struct Client {
    std::shared_ptr<Pistache::Tcp::Peer> peer;
    std::unique_ptr<Connection> connection;
    Connection::Interest polled = Connection::Interest::Read;
  };
  using Clients = std::unordered_map<std::uint64_t, Client>;

  std::optional<HttpResponse> on_request(Connection& connection, Request& request) override;
  std::optional<std::uint64_t> upload_limit(const Request& request) const override;
  HttpResponse on_refusal(Connection& connection, const Refusal& refusal) override;

  class Task;
  std::optional<HttpResponse> submit(Executor& executor, Connection& connection, Request& request,
                                     RequestContext& context, std::shared_ptr<UploadPipe> upload = nullptr);
  template <class Work> void with_connection(std::uint64_t id, Work work);
  void deliver(std::uint64_t id, HttpResponse response);
  void on_stream(std::uint64_t id);
  void on_upload(std::uint64_t id);

  void on_event(const Pistache::Aio::FdSet::Entry& event);
  void on_client_event(Client& client, const Pistache::Aio::FdSet::Entry& event);
  void on_tick();
  void send_responses();
  void send_response(Clients::iterator client);
  void handle_base_event(Pistache::Polling::Tag tag);
  void admit_accepted_peers();
  void admit(const std::shared_ptr<Pistache::Tcp::Peer>& peer);
  void update_client(Clients::iterator client);
  void update_polling(std::uint64_t id, Client& client);
  void remove(Clients::iterator client);
  void log_failure(const std::exception& error);

  std::shared_ptr<Reactors> reactors_;
  std::shared_ptr<Mailbox> mailbox_;
  int timer_fd_ = -1;
  LoopHeartbeats::Heartbeat* heartbeat_ = nullptr;  // set by registerPoller()
  Pistache::Polling::Tag accept_tag_{0};            // tag of the base class's queue of accepted peers; 0: unknown yet
  Clients clients_;
  std::uint64_t next_id_;
  std::vector<std::shared_ptr<Pistache::Tcp::Peer>> accepted_peers_;
  std::vector<std::uint64_t> unsent_;  // ids of connections with an unsent response
  Connection::Time unsent_since_{};
  bool has_time_ = false;  // no other event waits for this thread, and no quick request was tried since the last poll
  std::vector<char> scratch_;
  Connection::Time now_{};
};

/// Forwards accepted peers from Pistache to the transport of their thread.
class PeerHandler final : public Pistache::Tcp::Handler {
 public:
  std::shared_ptr<Pistache::Tcp::Handler> clone() const override { return std::make_shared<PeerHandler>(); }
  void onConnection(const std::shared_ptr<Pistache::Tcp::Peer>& peer) override {
    static_cast<Transport*>(transport())->on_peer(peer);
  }
  void onInput(const char*, std::size_t, const std::shared_ptr<Pistache::Tcp::Peer>&) override {}
};

}  // namespace kbase::http
