// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/tcp.h>
#include <pistache/transport.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "adapters/http/connection.hpp"
#include "adapters/http/mailbox.hpp"
#include "adapters/http/reactors.hpp"

namespace kbase::http {

/// Connections of one reactor thread. Pistache's transport, the base class, accepts peers and owns their sockets.
/// Reading, writing, timeouts and closing are implemented here, because Pistache's versions lose wake-ups, spin on slow
/// readers and confuse responses of sockets whose descriptors are reused. The poller identifies connections by a unique
/// id, not by the descriptor, so that a late event or response of a closed connection is dropped.
class Transport final : public Pistache::Tcp::Transport, private Connection::Host {
 public:
  explicit Transport(std::shared_ptr<Reactors> reactors);
  ~Transport() override;

  /// Called by Pistache once per reactor thread.
  std::shared_ptr<Pistache::Aio::Handler> clone() const override;
  void registerPoller(Pistache::Polling::Epoll& poller) override;
  void onReady(const Pistache::Aio::FdSet& events) override;

  /// Adds an accepted peer, whose socket is not polled yet.
  void on_peer(const std::shared_ptr<Pistache::Tcp::Peer>& peer) { newcomers_.push_back(peer); }

 private:
  struct Client {
    std::shared_ptr<Pistache::Tcp::Peer> peer;
    std::unique_ptr<Connection> connection;
    Connection::Interest watched = Connection::Interest::Read;
  };
  using Clients = std::unordered_map<std::uint64_t, Client>;

  std::optional<Response> on_request(Connection& connection, Request& request) override;
  Response on_refusal(Connection& connection, const Refusal& refusal) override;

  class Task;
  std::optional<Response> submit(Connection& connection, Request& request, RouteMatch& match);
  template <class Work>
  void attend(std::uint64_t id, Work work);
  void deliver(std::uint64_t id, Response response);
  void on_stream(std::uint64_t id);

  void on_event(const Pistache::Aio::FdSet::Entry& event);
  void on_client_event(Client& client, const Pistache::Aio::FdSet::Entry& event);
  void on_tick();
  void send_answers();
  void send_answer(Clients::iterator client);
  void run_base(Pistache::Polling::Tag tag);
  void admit_newcomers();
  void admit(const std::shared_ptr<Pistache::Tcp::Peer>& peer);
  void settle(Clients::iterator client);
  void watch(std::uint64_t id, Client& client);
  void remove(Clients::iterator client);
  void say_failure(const std::exception& error);

  std::shared_ptr<Reactors> reactors_;
  std::shared_ptr<Mailbox> mailbox_;
  int timer_fd_ = -1;
  LoopTurns::Loop* turn_ = nullptr;       // set by registerPoller()
  Pistache::Polling::Tag accept_tag_{0};  // tag of the base class's queue of accepted peers; 0: unknown yet
  Clients clients_;
  std::uint64_t next_id_;
  std::vector<std::shared_ptr<Pistache::Tcp::Peer>> newcomers_;
  std::vector<std::uint64_t> unsent_;  // ids of connections with an unsent response
  Connection::Time unsent_since_{};
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
