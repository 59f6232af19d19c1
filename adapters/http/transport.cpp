// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/transport.hpp"

#include <pistache/peer.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kbase::http {
namespace {

using Pistache::Polling::NotifyOn;
using Pistache::Polling::Tag;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kScratchBytes = 64 * 1024;

// Above every descriptor, so that no id is taken for one of the base's own event descriptors, which share the poller.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 32;

// So many connections more than the limit are told that it is reached; beyond them they are just closed.
constexpr std::size_t kRejectedAtOnce = 64;

int make_timer() {
  const int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  itimerspec period{};
  period.it_interval.tv_nsec = std::chrono::nanoseconds(kTick).count();
  period.it_value = period.it_interval;
  ::timerfd_settime(fd, 0, &period, nullptr);
  return fd;
}

void add_to(Pistache::Polling::Epoll& poller, int fd) {
  poller.addFd(fd, Pistache::Flags<NotifyOn>(NotifyOn::Read), Tag(static_cast<std::uint64_t>(fd)));
}

NotifyOn events_of(Connection::Interest interest) {
  switch (interest) {
    case Connection::Interest::Read:
      return NotifyOn::Read | NotifyOn::Shutdown;
    case Connection::Interest::Write:
      return NotifyOn::Write;
    case Connection::Interest::Nothing:
      break;
  }
  return NotifyOn::None;
}

}  // namespace

Transport::Transport(std::shared_ptr<Reactors> reactors)
    : Pistache::Tcp::Transport(std::make_shared<PeerHandler>()),
      reactors_(std::move(reactors)),
      mailbox_(std::make_shared<Mailbox>()),
      next_id_(kFirstId) {}

Transport::~Transport() {
  mailbox_->close();
  if (timer_fd_ >= 0) ::close(timer_fd_);
  for (const auto& [id, client] : clients_) ::close(client.peer->fd());
  if (!clients_.empty()) reactors_->remove_connections(clients_.size());
}

std::shared_ptr<Pistache::Aio::Handler> Transport::clone() const {
  return std::make_shared<Transport>(reactors_);
}

void Transport::registerPoller(Pistache::Polling::Epoll& poller) {
  Pistache::Tcp::Transport::registerPoller(poller);
  timer_fd_ = make_timer();
  add_to(poller, timer_fd_);
  add_to(poller, mailbox_->descriptor());
  scratch_.resize(kScratchBytes);
}

void Transport::say_failure(const std::exception& error) {
  const ports::LogField cause{"cause", error.what()};
  reactors_->services.log.log(ports::LogLevel::Error, "http.reactor_failed", "A connection's event was lost.",
                              {&cause, 1});
}

/// An exception that leaves here would end the process, so each event is on its own.
void Transport::onReady(const Pistache::Aio::FdSet& events) {
  now_ = reactors_->services.clock.steady();
  for (const auto& event : events) {
    try {
      on_event(event);
    } catch (const std::exception& error) {
      say_failure(error);
    }
  }
}

void Transport::on_event(const Pistache::Aio::FdSet::Entry& event) {
  const std::uint64_t tag = event.getTag().value();
  if (tag >= kFirstId) {
    const auto client = clients_.find(tag);
    if (client == clients_.end()) return;
    on_client_event(client->second, event);
    settle(client);
  } else if (tag == static_cast<std::uint64_t>(mailbox_->descriptor())) {
    mailbox_->run();
  } else if (tag == static_cast<std::uint64_t>(timer_fd_)) {
    on_tick();
  } else {
    run_base(event.getTag());
  }
}

void Transport::on_client_event(Client& client, const Pistache::Aio::FdSet::Entry& event) {
  Connection& connection = *client.connection;
  if (event.isReadable()) connection.on_readable(scratch_, now_);
  if (event.isWritable()) connection.on_writable(now_);
  // Both directions are dead: nobody can send a request or receive an answer.
  if (event.isHangup() || (!event.isReadable() && !event.isWritable())) connection.on_hang_up();
}

/// Lets Pistache handle an event of its own queues; the peers it accepts thereby come to us as newcomers.
void Transport::run_base(Tag tag) {
  Pistache::Polling::Event event(tag);
  event.flags.setFlag(NotifyOn::Read);
  std::vector<Pistache::Polling::Event> events;
  events.push_back(event);
  Pistache::Tcp::Transport::onReady(Pistache::Aio::FdSet(std::move(events)));
  if (newcomers_.empty()) return;
  accept_tag_ = tag;
  admit_newcomers();
}

void Transport::admit_newcomers() {
  std::vector<std::shared_ptr<Pistache::Tcp::Peer>> newcomers;
  newcomers.swap(newcomers_);
  for (const auto& peer : newcomers) {
    try {
      admit(peer);
    } catch (const std::exception& error) {
      say_failure(error);
    }
  }
}

void Transport::admit(const std::shared_ptr<Pistache::Tcp::Peer>& peer) {
  const std::size_t before = reactors_->add_connection();
  const auto address = NetworkAddress::parse(peer->address().host());
  const std::uint64_t id = next_id_++;
  Connection::Host& host = *this;
  auto connection =
      std::make_unique<Connection>(id, peer->fd(), address.value_or(NetworkAddress{}), reactors_->options, host, now_);
  const auto client = clients_.emplace(id, Client{peer, std::move(connection)}).first;
  if (before >= reactors_->max_connections + kRejectedAtOnce || reactors_->is_draining()) return remove(client);
  watch(id, client->second);
  if (before >= reactors_->max_connections) {
    client->second.connection->reject(on_refusal({503, "The server has too many connections."}), now_);
    settle(client);
  }
}

void Transport::on_tick() {
  std::uint64_t ticks = 0;
  [[maybe_unused]] const auto taken = ::read(timer_fd_, &ticks, sizeof ticks);
  // Pistache's queue of accepted peers empties itself before it takes its event, so a peer that comes in between stays
  // unseen; a look at every tick finds it.
  if (accept_tag_.value() != 0) run_base(accept_tag_);
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto current = client++;
    current->second.connection->on_tick(now_);
    settle(current);
  }
}

/// After every event of a connection: drops it where it is finished, else watches its socket as it now wants.
void Transport::settle(Clients::iterator client) {
  Connection& connection = *client->second.connection;
  if (reactors_->is_draining()) connection.on_drain();
  if (connection.is_finished()) return remove(client);
  if (connection.interest() != client->second.watched) watch(client->first, client->second);
}

void Transport::watch(std::uint64_t id, Client& client) {
  client.watched = client.connection->interest();
  reactor()->modifyFd(key(), client.peer->fd(), events_of(client.watched), Tag(id), Pistache::Polling::Mode::Level);
}

void Transport::remove(Clients::iterator client) {
  const std::shared_ptr<Pistache::Tcp::Peer> peer = std::move(client->second.peer);
  clients_.erase(client);
  reactors_->remove_connections(1);
  removePeer(peer);
}

Response Transport::on_refusal(const Refusal& refusal) {
  return reactors_->responder.refuse(refusal);
}

std::optional<Response> Transport::on_request(Connection& connection, Request& request) {
  const RouteMatch match = reactors_->responder.match(request);
  const bool goes_on = request.keep_alive() && !reactors_->is_draining();
  const auto afterwards = goes_on ? Response::Connection::KeepAlive : Response::Connection::Close;
  if (!reactors_->responder.is_inline(match)) return submit(connection, request, afterwards);
  return reactors_->responder.respond({request, match, connection.peer(), connection.now(), afterwards});
}

/// Hands the request to the executor with all that answering needs; the connection may be gone by then.
std::optional<Response> Transport::submit(Connection& connection, Request& request, Response::Connection afterwards) {
  struct Task {
    Request request;
    Peer peer;
    CancelFlag cancel;
    std::shared_ptr<Reactors> reactors;
    std::shared_ptr<Mailbox> mailbox;
  };
  auto task = std::make_shared<Task>(
      Task{std::move(request), connection.peer(), connection.cancel_flag(), reactors_, mailbox_});
  const auto arrival_of = [arrived = connection.now(), afterwards](const Task& owner) {
    return Arrival{owner.request,     owner.reactors->responder.match(owner.request), owner.peer, arrived, afterwards,
                   owner.cancel.get()};
  };
  const bool taken = reactors_->services.executor.try_submit([this, task, arrival_of, id = connection.id()] {
    if (task->cancel->load(std::memory_order_relaxed)) return;
    auto response = std::make_shared<Response>(task->reactors->responder.respond(arrival_of(*task)));
    // The mailbox runs nothing once this transport is gone.
    task->mailbox->post([this, id, response] { deliver(id, std::move(*response)); });
  });
  if (taken) return std::nullopt;
  return reactors_->responder.overloaded(arrival_of(*task));
}

void Transport::deliver(std::uint64_t id, Response response) {
  const auto client = clients_.find(id);
  if (client == clients_.end()) return;
  try {
    client->second.connection->deliver(std::move(response), now_);
    settle(client);
  } catch (const std::exception& error) {
    say_failure(error);
  }
}

}  // namespace kbase::http
