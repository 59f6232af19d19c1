// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/transport.hpp"

#include <pistache/peer.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace kbase::http {
namespace {

using Pistache::Polling::NotifyOn;
using Pistache::Polling::Tag;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kScratchBytes = 64 * 1024;

// Maximum delay to send several ready responses together: a client that gets several is woken once, and the caches stay
// warm for the network stack. Only ready responses are gathered.
constexpr std::chrono::microseconds kGatherTime{200};

// Above every descriptor, so that no connection id equals an event descriptor of the base class, which uses the same
// poller.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 32;

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

NotifyOn to_poll_events(Connection::Interest interest) {
  switch (interest) {
    case Connection::Interest::Read: return NotifyOn::Read | NotifyOn::Shutdown;
    case Connection::Interest::Write: return NotifyOn::Write;
    case Connection::Interest::Nothing: break;
  }
  return NotifyOn::None;
}

/// Returns whether the connection stays open after the response.
HttpResponse::Connection connection_after(const Request& request, const Reactors& reactors) {
  const bool keeps_alive = request.keep_alive() && !reactors.is_draining();
  return keeps_alive ? HttpResponse::Connection::KeepAlive : HttpResponse::Connection::Close;
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
  for (const auto& [id, client] : clients_) {
    ::close(client.peer->fd());
    reactors_->connections.remove(client.connection->peer());
  }
}

std::shared_ptr<Pistache::Aio::Handler> Transport::clone() const { return std::make_shared<Transport>(reactors_); }

void Transport::registerPoller(Pistache::Polling::Epoll& poller) {
  Pistache::Tcp::Transport::registerPoller(poller);
  timer_fd_ = make_timer();
  add_to(poller, timer_fd_);
  add_to(poller, mailbox_->descriptor());
  scratch_.resize(kScratchBytes);
  heartbeat_ = &reactors_->heartbeats.add(reactors_->services.clock.steady());
}

void Transport::log_failure(const std::exception& error) {
  const ports::LogField cause{"cause", error.what()};
  reactors_->services.log.log(ports::LogLevel::Error, "http.reactor_failed",
                              "The handling of a connection event failed.", {&cause, 1});
}

/// Handles each event separately, because an exception that leaves this function would end the process.
void Transport::onReady(const Pistache::Aio::FdSet& events) {
  now_ = reactors_->services.clock.steady();
  has_time_ = events.begin() != events.end() && std::next(events.begin()) == events.end();
  for (const auto& event : events) {
    try {
      on_event(event);
    } catch (const std::exception& error) {
      log_failure(error);
    }
    if (!unsent_.empty() && reactors_->services.clock.steady() - unsent_since_ > kGatherTime) send_responses();
  }
  send_responses();
}

/// Sends the gathered responses. Responses to pipelined requests behind them are appended to the list meanwhile.
void Transport::send_responses() {
  for (std::size_t i = 0; i < unsent_.size(); ++i) {
    const auto client = clients_.find(unsent_[i]);
    if (client != clients_.end()) send_response(client);
  }
  unsent_.clear();
}

void Transport::send_response(Clients::iterator client) {
  try {
    if (client->second.connection->has_unsent_response()) client->second.connection->on_writable(now_);
    update_client(client);
  } catch (const std::exception& error) {
    log_failure(error);
  }
}

void Transport::on_event(const Pistache::Aio::FdSet::Entry& event) {
  const std::uint64_t tag = event.getTag().value();
  if (tag >= kFirstId) {
    const auto client = clients_.find(tag);
    if (client == clients_.end()) return;
    on_client_event(client->second, event);
    update_client(client);
  } else if (tag == static_cast<std::uint64_t>(mailbox_->descriptor())) {
    mailbox_->run();
  } else if (tag == static_cast<std::uint64_t>(timer_fd_)) {
    on_tick();
  } else {
    handle_base_event(event.getTag());
  }
}

void Transport::on_client_event(Client& client, const Pistache::Aio::FdSet::Entry& event) {
  Connection& connection = *client.connection;
  if (event.isReadable()) connection.on_readable(scratch_, now_);
  if (event.isWritable()) connection.on_writable(now_);
  // Both directions are closed: the client can neither send a request nor receive a response.
  if (event.isHangup() || (!event.isReadable() && !event.isWritable())) connection.on_hang_up();
}

/// Lets Pistache handle an event of its own queues. Peers that it accepts are added to accepted_peers_.
void Transport::handle_base_event(Tag tag) {
  Pistache::Polling::Event event(tag);
  event.flags.setFlag(NotifyOn::Read);
  std::vector<Pistache::Polling::Event> events;
  events.push_back(event);
  Pistache::Tcp::Transport::onReady(Pistache::Aio::FdSet(std::move(events)));
  if (accepted_peers_.empty()) return;
  accept_tag_ = tag;
  admit_accepted_peers();
}

void Transport::admit_accepted_peers() {
  std::vector<std::shared_ptr<Pistache::Tcp::Peer>> new_peers;
  new_peers.swap(accepted_peers_);
  for (const auto& peer : new_peers) {
    try {
      admit(peer);
    } catch (const std::exception& error) {
      log_failure(error);
    }
  }
}

void Transport::admit(const std::shared_ptr<Pistache::Tcp::Peer>& peer) {
  const auto address = NetworkAddress::parse(peer->address().host());
  const std::uint64_t id = next_id_++;
  Connection::Handler& handler = *this;
  auto connection = std::make_unique<Connection>(id, peer->fd(), address.value_or(NetworkAddress{}), reactors_->options,
                                                 reactors_->bodies, handler, now_);
  const auto client = clients_.emplace(id, Client{peer, std::move(connection)}).first;
  Connection& added = *client->second.connection;
  const auto result =
      reactors_->connections.add(added.peer(), reactors_->request_handler->is_trusted_proxy(added.peer().address));
  if (result == ConnectionCount::AdmitResult::Rejected || reactors_->is_draining()) return remove(client);
  if (result == ConnectionCount::AdmitResult::OverLimit) added.make_over_limit();
  update_polling(id, client->second);
}

void Transport::on_tick() {
  std::uint64_t ticks = 0;
  [[maybe_unused]] const auto consumed = ::read(timer_fd_, &ticks, sizeof ticks);
  heartbeat_->store(now_, std::memory_order_relaxed);
  // Pistache empties its queue of accepted peers before it reads the queue's event, so a peer that arrives in between
  // is missed. Check the queue at every tick.
  if (accept_tag_.value() != 0) handle_base_event(accept_tag_);
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto current = client++;
    current->second.connection->on_tick(now_);
    update_client(current);
  }
}

/// Called after every event of a connection: removes it if it is finished, else queues its unsent response or updates
/// the events to poll for.
void Transport::update_client(Clients::iterator client) {
  Connection& connection = *client->second.connection;
  if (reactors_->is_draining()) connection.on_drain();
  if (connection.is_finished()) return remove(client);
  if (connection.has_unsent_response()) {
    if (unsent_.empty()) unsent_since_ = reactors_->services.clock.steady();
    return unsent_.push_back(client->first);
  }
  if (connection.interest() != client->second.polled) update_polling(client->first, client->second);
}

void Transport::update_polling(std::uint64_t id, Client& client) {
  client.polled = client.connection->interest();
  reactor()->modifyFd(key(), client.peer->fd(), to_poll_events(client.polled), Tag(id), Pistache::Polling::Mode::Level);
}

void Transport::remove(Clients::iterator client) {
  const std::shared_ptr<Pistache::Tcp::Peer> peer = std::move(client->second.peer);
  reactors_->connections.remove(client->second.connection->peer());
  clients_.erase(client);
  removePeer(peer);
}

HttpResponse Transport::on_refusal(Connection& connection, const Refusal& refusal) {
  return reactors_->request_handler->refuse(refusal, connection.request(), connection.peer());
}

std::optional<HttpResponse> Transport::on_request(Connection& connection, Request& request) {
  RequestHandler& request_handler = *reactors_->request_handler;
  RequestContext context{request, request_handler.match(request), connection.peer(), connection.now(),
                         connection_after(request, *reactors_)};
  if (connection.is_over_limit()) {
    context.connection = HttpResponse::Connection::Close;
    return request_handler.overloaded(context);
  }
  if (connection.streams_body()) {
    // A response may be sent before the body has arrived, so the connection cannot be used again.
    context.connection = HttpResponse::Connection::Close;
    if (Executor* const executor = request_handler.prepare(context)) {
      auto pipe = std::make_shared<UploadPipe>(
          reactors_->services.clock,
          [mailbox = mailbox_, this, id = connection.id()] { mailbox->post([this, id] { on_upload(id); }); });
      connection.begin_upload(pipe);
      return submit(*executor, connection, request, context, std::move(pipe));
    }
  }
  Executor* const executor = request_handler.prepare(context);
  if (executor == nullptr) return request_handler.respond(context);
  if (reactors_->is_only_client(&connection, now_) && std::exchange(has_time_, false))
    if (auto response = request_handler.respond_quickly(context, *executor)) return response;
  return submit(*executor, connection, request, context);
}

/// A request handed to an executor, with everything needed to answer it. The connection, and the transport, may be
/// destroyed before it runs. Not thread-safe.
class Transport::Task final : public ResponseStream {
 public:
  Task(Transport& transport, Connection& connection, Request request, std::optional<Reply> prepared_reply,
       std::optional<ports::Admission> admission, std::shared_ptr<UploadPipe> upload)
      : transport_(transport),
        id_(connection.id()),
        request_(std::move(request)),
        prepared_reply_(std::move(prepared_reply)),
        admission_(std::move(admission)),
        upload_(std::move(upload)),
        peer_(connection.peer()),
        arrived_(connection.now()),
        cancel_(connection.cancel_flag()),
        reactors_(transport.reactors_),
        mailbox_(transport.mailbox_) {}

  void run(Executor::Timing timing) {
    if (cancel_->load(std::memory_order_relaxed)) return;
    HttpResponse response =
        timing == Executor::Timing::OnTime ? reactors_->request_handler->respond(make_context()) : overloaded();
    if (!response.is_sent) post(std::move(response));
  }

  HttpResponse overloaded() { return reactors_->request_handler->overloaded(make_context()); }

  std::shared_ptr<BodyPipe> open(HttpResponse response, BodyPipe::Framing framing) override {
    const auto notify = [mailbox = mailbox_, &transport = transport_, id = id_] {
      mailbox->post([&transport, id] { transport.on_stream(id); });
    };
    auto pipe = std::make_shared<BodyPipe>(framing, notify);
    response.stream = std::make_unique<BodyReader>(pipe);
    post(std::move(response));
    return pipe;
  }

 private:
  /// Call once. Repeats the match, because its views must refer to the moved request.
  RequestContext make_context() {
    return {request_,
            reactors_->request_handler->match(request_),
            peer_,
            arrived_,
            upload_ ? HttpResponse::Connection::Close : connection_after(request_, *reactors_),
            cancel_.get(),
            this,
            std::move(prepared_reply_),
            std::move(admission_),
            upload_.get()};
  }

  /// Safe after the destruction of the transport, because the mailbox then drops all tasks.
  void post(HttpResponse response) {
    const auto shared = std::make_shared<HttpResponse>(std::move(response));
    mailbox_->post([&transport = transport_, id = id_, shared] { transport.deliver(id, std::move(*shared)); });
  }

  Transport& transport_;
  const std::uint64_t id_;
  const Request request_;
  std::optional<Reply> prepared_reply_;
  std::optional<ports::Admission> admission_;
  const std::shared_ptr<UploadPipe> upload_;  // null: the request has its body
  const Peer peer_;
  const Connection::Time arrived_;
  const CancelFlag cancel_;
  const std::shared_ptr<Reactors> reactors_;
  const std::shared_ptr<Mailbox> mailbox_;
};

std::optional<HttpResponse> Transport::submit(Executor& executor, Connection& connection, Request& request,
                                              RequestContext& context, std::shared_ptr<UploadPipe> upload) {
  if (reactors_->request_handler->needs_client(context.match)) connection.require_client();
  const auto task = std::make_shared<Task>(*this, connection, std::move(request), std::move(context.prepared_reply),
                                           context.admission, std::move(upload));
  auto work = [task](Executor::Timing timing) { task->run(timing); };
  if (context.admission) {
    executor.submit(std::move(work));
    return std::nullopt;
  }
  if (executor.try_submit(std::move(work))) return std::nullopt;
  return task->overloaded();
}

/// Runs `work` on a connection, unless it is gone. Catches exceptions, so that other tasks of the mailbox still run.
template <class Work> void Transport::with_connection(std::uint64_t id, Work work) {
  const auto client = clients_.find(id);
  if (client == clients_.end()) return;
  try {
    work(*client->second.connection);
    update_client(client);
  } catch (const std::exception& error) {
    log_failure(error);
  }
}

void Transport::deliver(std::uint64_t id, HttpResponse response) {
  with_connection(id, [&](Connection& connection) { connection.deliver(std::move(response), now_); });
}

std::optional<std::uint64_t> Transport::upload_limit(const Request& request) const {
  return reactors_->request_handler->upload_limit(reactors_->request_handler->match(request), request);
}

void Transport::on_upload(std::uint64_t id) {
  with_connection(id, [&](Connection& connection) { connection.on_upload(now_); });
}

void Transport::on_stream(std::uint64_t id) {
  with_connection(id, [&](Connection& connection) { connection.on_stream(now_); });
}

}  // namespace kbase::http
