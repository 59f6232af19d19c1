// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/connection.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "adapters/base/waiting.hpp"
#include "adapters/redis/channel.hpp"
#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

waiting::Time compute_deadline(const ports::Call& call, const ports::Clock& clock) {
  if (call.deadline == ports::Call::SteadyTime::max()) return waiting::Time::max();
  return waiting::after(call.deadline - clock.steady());
}

}  // namespace

Timeout::Timeout(const ports::Call& call, const ports::Clock& clock)
    : call_(call), until_(compute_deadline(call, clock)) {}

std::optional<Error> Timeout::exhausted() const {
  if (call_.cancelled()) return Error{ErrorCode::Cancelled, "the request was cancelled"};
  if (waiting::now() >= until_) return Error{ErrorCode::Deadline, "Redis did not respond in time"};
  return std::nullopt;
}

Timeout::Time Timeout::next_check() const { return waiting::next_check(until_); }

namespace {

/// Maximum time without progress when opening a connection. Longer than the deadline of an acquire call; the next call
/// continues the same attempt.
constexpr std::chrono::milliseconds kMaxConnectTime{1000};

/// A server that owes a reply and is silent for this long counts as lost. Longer than any deadline of an acquire call,
/// so that a pause of the server does not cost the connection.
constexpr std::chrono::milliseconds kMaxSilence{2000};

/// While this many exchanges wait for replies, further ones are queued. Two, so that two callers that share a
/// connection do not wait for each other's replies.
constexpr std::size_t kMaxUnanswered = 2;

/// Maximum number of bytes buffered for sending, except for a single larger exchange, so that large values of many
/// callers are not stored here a second time.
constexpr std::size_t kMaxSendBytes = std::size_t{1} << 20;

/// Maximum number of reads from TCP before the leader checks for its own replies and can pass the lead on.
constexpr int kMaxReads = 64;

int milliseconds_until(Timeout::Time time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - waiting::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

/// Holds the lead for a scope. Created and destroyed with the mutex held.
class LeaderScope {
 public:
  explicit LeaderScope(bool& is_led) : is_led_(is_led) { is_led_ = true; }
  LeaderScope(const LeaderScope&) = delete;
  LeaderScope& operator=(const LeaderScope&) = delete;
  ~LeaderScope() { is_led_ = false; }

 private:
  bool& is_led_;
};

}  // namespace

Connection::Connection(Endpoint endpoint, Access access, Role role, const ports::Clock& clock)
    : endpoint_(std::move(endpoint)), access_(std::move(access)), role_(role), clock_(clock) {}

std::shared_ptr<Exchange> Connection::post(Commands commands) {
  auto exchange = std::make_shared<Exchange>(std::move(commands));
  const Lock lock(mutex_);
  // Servers close connections that were idle for long. Detecting that here costs a new connection, but no failed
  // exchange.
  if (stage_ == Stage::Open && waiting_.empty() && !is_led_) run_step([&] { return receive(); });
  waiting_.push_back(exchange);
  ++load_;
  if (stage_ == Stage::Open && sent_ < kMaxUnanswered)
    run_step([&]() -> Status {
      stage_exchanges();
      [[maybe_unused]] const Status sent = send();  // the next read reports the lost connection
      return {};
    });
  return exchange;
}

Result<std::vector<Reply>> Connection::finish(Exchange& exchange, const Timeout& timeout) {
  auto exhausted = await(exchange, timeout);
  --load_;
  if (exhausted) {
    exhausted->detail = "redis " + endpoint_.text();
    return *std::move(exhausted);
  }
  if (exchange.error) return *exchange.error;
  return std::move(exchange.replies);
}

/// Waits until the exchange is done, leading if no other thread does. Returns the error if the call ended first.
std::optional<Error> Connection::await(Exchange& exchange, const Timeout& timeout) {
  Lock lock(mutex_);
  std::optional<Error> exhausted;
  exchange.is_awaited = true;
  while (!exchange.is_done && !(exhausted = timeout.exhausted())) {
    if (!is_led_) {
      lead_until_done(lock, exchange, timeout);
      continue;
    }
    lock.unlock();
    exchange.event.wait_until(timeout.next_check());
    if (exchange.is_done) return {};  // the leader has woken the next one
    lock.lock();
  }
  exchange.is_awaited = false;
  if (exchange.is_done)
    exhausted.reset();
  else
    abandon(exchange);
  if (!is_led_) wake_next_leader();
  wake_done(lock);
  return exhausted;
}

void Connection::lead_until_done(Lock& lock, const Exchange& exchange, const Timeout& timeout) {
  const LeaderScope scope(is_led_);
  bool is_first = true;
  bool has_all_sent = stage_ == Stage::Open && send_buffer_.empty();  // then only waiting is left
  while (!exchange.is_done && !timeout.exhausted()) {
    if (!std::exchange(has_all_sent, false)) run_step([&] { return step(std::exchange(is_first, false)); });
    if (exchange.is_done) break;
    wake_done(lock);
    pollfd awaited = channel_->awaited(!send_buffer_.empty());
    lock.unlock();
    ::poll(&awaited, 1, milliseconds_until(timeout.next_check()));
    lock.lock();
  }
}

/// Wakes one of the waiting threads to become the leader, because no thread reads any more.
void Connection::wake_next_leader() {
  const auto next = std::find_if(waiting_.begin(), waiting_.end(), [](const auto& other) { return other->is_awaited; });
  if (next != waiting_.end()) (*next)->event.set();
}

/// Wakes the threads of finished exchanges. Releases the mutex, so that they do not wait for it.
void Connection::wake_done(Lock& lock) {
  const auto done = std::exchange(done_, {});
  lock.unlock();
  for (const std::shared_ptr<Exchange>& exchange : done) exchange->event.set();
  lock.lock();
}

/// Removes the exchange if it was not sent. Replies to a sent exchange are dropped when they arrive.
void Connection::abandon(const Exchange& exchange) {
  if (exchange.is_sent) return;
  std::erase_if(waiting_, [&](const auto& other) { return other.get() == &exchange; });
}

/// Runs a step of the work. An exception (no memory, no threads) closes the connection like an error, because it is
/// unknown how far the step got.
template <class Work> void Connection::run_step(Work work) {
  try {
    if (const Status done = work(); !done) fail(done.error());
  } catch (const std::exception& thrown) {
    fail(unreachable_error(endpoint_, thrown.what()));
  }
}

/// `is_first`: first step of this leader, so the connection may have been unattended for long.
Status Connection::step(bool is_first) {
  const Time now = clock_.steady();  // before the check: data that arrives during it is not late
  KBASE_TRY(advance());
  return check_time(now, is_first);
}

Status Connection::advance() {
  if (stage_ == Stage::Closed) open();
  if (stage_ == Stage::Connecting) KBASE_TRY(connect());
  if (stage_ == Stage::Connecting) return {};
  KBASE_TRY(send());
  KBASE_TRY(receive());
  if (stage_ == Stage::Open && sent_ < kMaxUnanswered) stage_exchanges();
  return send();
}

void Connection::open() {
  if (lookup_ == nullptr) lookup_ = std::make_shared<const Lookup>(endpoint_);
  reader_ = ReplyReader();
  channel_.emplace(endpoint_, lookup_, access_.tls, first_address_);
  last_progress_ = clock_.steady();
  stage_ = Stage::Connecting;
}

Status Connection::connect() {
  const std::uint64_t before = channel_->progress();
  const auto connected = KBASE_TRY(channel_->connect());
  if (channel_->progress() != before) last_progress_ = clock_.steady();
  if (connected) send_greeting();
  return {};
}

bool Connection::is_overdue(Time now) const { return stage_ != Stage::Open && now - last_progress_ > kMaxConnectTime; }

/// Fails on a timeout. If opening stalled while no thread attended to it, it starts again with the next address
/// instead: nothing has been sent yet.
Status Connection::check_time(Time now, bool is_first) {
  if (is_overdue(now)) {
    ++first_address_;
    if (!is_first) return unreachable_error(endpoint_, "no connection could be opened within one second");
    close();
    return advance();
  }
  if (stage_ == Stage::Open && sent_ != 0 && now - last_received_ > kMaxSilence)
    return unreachable_error(endpoint_, "it did not respond for two seconds, so the connection was closed");
  return {};
}

void Connection::send_greeting() {
  Commands greeting;
  if (!access_.password.empty() && access_.username.empty()) greeting.add({"AUTH", access_.password});
  if (!access_.username.empty()) greeting.add({"AUTH", access_.username, access_.password});
  if (access_.database != 0) greeting.add({"SELECT", std::to_string(access_.database)});
  if (role_ == Role::Primary) greeting.add({"ROLE"});
  send_buffer_.add(greeting.bytes());
  greetings_ = greeting.count();
  stage_ = greetings_ == 0 ? Stage::Open : Stage::Greeting;
}

Status Connection::check_greeting(const Reply& reply) {
  if (reply.is_error()) return translate_greeting_error(endpoint_, reply);
  if (reply.kind == Reply::Kind::Array && (reply.elements.empty() || reply.elements.front().text != "master"))
    return unreachable_error(endpoint_, "it is not a primary; the sentinels have not agreed on one yet");
  last_progress_ = clock_.steady();
  if (--greetings_ == 0) stage_ = Stage::Open;
  return {};
}

void Connection::stage_exchanges() {
  if (sent_ == 0) last_received_ = clock_.steady();
  for (; sent_ < waiting_.size() && send_buffer_.unsent().size() < kMaxSendBytes; ++sent_) {
    send_buffer_.add(waiting_[sent_]->commands.bytes());
    waiting_[sent_]->is_sent = true;
  }
}

Status Connection::send() {
  while (!send_buffer_.empty()) {
    const auto sent = KBASE_TRY(channel_->send(send_buffer_.unsent()));
    if (sent == 0) break;
    send_buffer_.consume(sent);
  }
  return {};
}

Status Connection::receive() {
  const bool is_tls = access_.tls != nullptr;  // TLS is read until empty: poll() does not see its buffer
  bool more = true;
  for (int reads = 0; more && (is_tls || reads < kMaxReads); ++reads) {
    const auto received = KBASE_TRY(channel_->receive(receive_buffer_));
    if (received == 0) break;
    more = is_tls || received == receive_buffer_.size();
    last_received_ = clock_.steady();
    reader_.feed({receive_buffer_.data(), received});
    KBASE_TRY(deliver_all());
  }
  return {};
}

Status Connection::deliver_all() {
  for (;;) {
    auto reply = reader_.next();
    if (!reply) return unexpected_reply_error(endpoint_, "a command").during(reply.error().detail);
    if (*reply == nullptr) return {};
    KBASE_TRY(deliver(std::move(**reply)));
  }
}

Status Connection::deliver(Reply reply) {
  if (stage_ == Stage::Greeting) {
    KBASE_TRY(check_greeting(reply));
    if (stage_ != Stage::Open) return {};
    stage_exchanges();
    return send();
  }
  if (sent_ == 0) return unreachable_error(endpoint_, reply.text.empty() ? "it sent an unexpected reply" : reply.text);
  Exchange& exchange = *waiting_.front();
  exchange.replies.push_back(std::move(reply));
  if (exchange.replies.size() < exchange.commands.count()) return {};
  done_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  --sent_;
  exchange.is_done = true;
  return {};
}

/// Closes the channel. Each lookup is used once: the next connection resolves the host again.
void Connection::close() {
  if (channel_ && channel_->has_resolved()) lookup_.reset();
  channel_.reset();
  stage_ = Stage::Closed;
  send_buffer_.clear();
  sent_ = 0;
}

/// Closes the connection and fails all its exchanges.
void Connection::fail(const Error& error) {
  close();
  for (const std::shared_ptr<Exchange>& exchange : waiting_) {
    exchange->error = error;
    exchange->is_done = true;
    exchange->event.set();
  }
  waiting_.clear();
}

Server::Server(Endpoint endpoint, const Client& client, Role role) : endpoint_(std::move(endpoint)) {
  for (std::size_t i = 0; i < client.connections; ++i)
    connections_.push_back(std::make_unique<Connection>(endpoint_, client.access, role, client.clock));
}

Server::PendingReplies Server::post(Commands commands) {
  const auto by_load = [](const auto& a, const auto& b) { return a->load() < b->load(); };
  Connection& connection = **std::min_element(connections_.begin(), connections_.end(), by_load);
  auto exchange = connection.post(std::move(commands));
  return {shared_from_this(), connection, std::move(exchange)};
}

Result<Reply> Server::request(std::initializer_list<std::string_view> words, const Timeout& timeout) {
  Commands commands;
  commands.add(words);
  auto replies = KBASE_TRY(post(std::move(commands)).finish(timeout));
  if (replies.front().is_error()) return translate_error(endpoint_, replies.front());
  return std::move(replies.front());
}

}  // namespace kbase::redis
