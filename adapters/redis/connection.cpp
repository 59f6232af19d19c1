// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/connection.hpp"

#include <algorithm>
#include <utility>

#include "adapters/redis/error.hpp"

namespace kbase::redis {
namespace {

using Steady = std::chrono::steady_clock;

/// What opening a connection may take: more than a take's deadline, which the next one then finds nearly opened.
constexpr std::chrono::milliseconds kLongestOpening{1000};

/// After how long a server that owes an answer counts as gone. Longer than any deadline of a take, so that a pause of
/// the server does not cost the connection.
constexpr std::chrono::milliseconds kLongestSilence{2000};

int milliseconds_until(Patience::Time time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Steady::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

}  // namespace

Connection::Connection(Endpoint endpoint, Access access, Role role)
    : endpoint_(std::move(endpoint)), access_(std::move(access)), role_(role) {}

std::shared_ptr<Exchange> Connection::post(Commands commands) {
  auto exchange = std::make_shared<Exchange>(std::move(commands));
  const Lock lock(mutex_);
  // A server closes connections that were idle for long. Seen in time, it costs a new connection and no answer.
  if (stage_ == Stage::Open && waiting_.empty() && !is_led_)
    if (auto alive = receive(); !alive) fail(alive.error());
  waiting_.push_back(exchange);
  ++load_;
  if (stage_ == Stage::Open) {
    stage_exchanges();
    [[maybe_unused]] const model::Status sent = send();  // the next reader finds the connection lost
  }
  return exchange;
}

model::Result<std::vector<Reply>> Connection::finish(Exchange& exchange, const Patience& patience) {
  Lock lock(mutex_);
  exchange.is_awaited = true;
  std::optional<model::Error> exhausted;
  while (!exchange.is_done && !(exhausted = patience.exhausted())) {
    if (is_led_)
      exchange.changed.wait_until(lock, patience.next_look());
    else
      lead(lock, exchange, patience);
  }
  exchange.is_awaited = false;
  --load_;
  if (!exchange.is_done) give_up(exchange);
  if (!is_led_) appoint();
  if (!exchange.is_done) {
    exhausted->detail = "redis " + endpoint_.text();
    return *exhausted;
  }
  if (exchange.error) return *exchange.error;
  return std::move(exchange.replies);
}

void Connection::lead(Lock& lock, const Exchange& exchange, const Patience& patience) {
  is_led_ = true;
  bool has_all_sent = stage_ == Stage::Open && outgoing_.empty();  // then there is nothing to do but to wait
  while (!exchange.is_done && !patience.exhausted()) {
    if (!std::exchange(has_all_sent, false))
      if (auto done = step(); !done) fail(done.error());
    if (exchange.is_done) break;
    pollfd awaited = channel_->awaited(!outgoing_.empty());
    lock.unlock();
    ::poll(&awaited, 1, milliseconds_until(patience.next_look()));
    lock.lock();
  }
  is_led_ = false;
}

/// Wakes one of those who wait, for nobody reads any more.
void Connection::appoint() {
  const auto next = std::find_if(waiting_.begin(), waiting_.end(), [](const auto& other) { return other->is_awaited; });
  if (next != waiting_.end()) (*next)->changed.notify_one();
}

/// What was not sent yet never will be; the replies to what was are dropped when they come.
void Connection::give_up(const Exchange& exchange) {
  if (exchange.is_sent) return;
  std::erase_if(waiting_, [&](const auto& other) { return other.get() == &exchange; });
}

model::Status Connection::step() {
  if (stage_ == Stage::Closed) open();
  if (stage_ == Stage::Connecting) {
    const auto connected = channel_->connect();
    if (!connected) return connected.error();
    if (*connected)
      if (auto greeted = greet(); !greeted) return greeted;
  }
  if (stage_ == Stage::Open) stage_exchanges();
  if (stage_ != Stage::Connecting) {
    if (auto sent = send(); !sent) return sent;
    if (auto received = receive(); !received) return received;
  }
  return check_time(Steady::now());
}

void Connection::open() {
  if (lookup_ == nullptr || lookup_->is_done()) lookup_ = std::make_shared<const Lookup>(endpoint_);
  channel_.emplace(endpoint_, lookup_, access_.tls);
  reader_ = ReplyReader();
  began_ = Steady::now();
  stage_ = Stage::Connecting;
}

model::Status Connection::check_time(Time now) const {
  if (stage_ != Stage::Open && now - began_ > kLongestOpening)
    return unreachable(endpoint_, "no connection could be opened within a second");
  if (stage_ == Stage::Open && sent_ != 0 && now - heard_ > kLongestSilence)
    return unreachable(endpoint_, "it has not answered for two seconds, so the connection is given up");
  return {};
}

model::Status Connection::greet() {
  Commands greeting;
  if (!access_.password.empty() && access_.username.empty()) greeting.add({"AUTH", access_.password});
  if (!access_.username.empty()) greeting.add({"AUTH", access_.username, access_.password});
  if (access_.database != 0) greeting.add({"SELECT", std::to_string(access_.database)});
  if (role_ == Role::Primary) greeting.add({"ROLE"});
  outgoing_ = greeting.bytes();
  greetings_ = greeting.count();
  stage_ = greetings_ == 0 ? Stage::Open : Stage::Greeting;
  return {};
}

model::Status Connection::check_greeting(const Reply& reply) {
  if (reply.is_error()) return error_of(endpoint_, reply);
  if (reply.kind == Reply::Kind::Array && (reply.elements.empty() || reply.elements.front().text != "master"))
    return unreachable(endpoint_, "it is no primary: sentinels have not agreed on one yet");
  if (--greetings_ == 0) stage_ = Stage::Open;
  return {};
}

void Connection::stage_exchanges() {
  if (sent_ == 0) heard_ = Steady::now();
  for (; sent_ < waiting_.size(); ++sent_) {
    outgoing_ += waiting_[sent_]->commands.bytes();
    waiting_[sent_]->is_sent = true;
  }
}

model::Status Connection::send() {
  while (!outgoing_.empty()) {
    const auto taken = channel_->send(outgoing_);
    if (!taken) return taken.error();
    if (*taken == 0) break;
    outgoing_.erase(0, *taken);
  }
  return {};
}

model::Status Connection::receive() {
  for (bool more = true; more;) {
    const auto received = channel_->receive(room_);
    if (!received) return received.error();
    more = *received == room_.size() || access_.tls != nullptr;
    if (*received == 0) break;
    heard_ = Steady::now();
    reader_.feed({room_.data(), *received});
  }
  for (;;) {
    auto reply = reader_.next();
    if (!reply) return unexpected(endpoint_, "what was sent").during(reply.error().detail);
    if (*reply == nullptr) return {};
    if (auto done = deliver(std::move(**reply)); !done) return done;
  }
}

model::Status Connection::deliver(Reply reply) {
  if (stage_ == Stage::Greeting) {
    if (auto good = check_greeting(reply); !good) return good;
    if (stage_ != Stage::Open) return {};
    stage_exchanges();
    return send();
  }
  if (sent_ == 0) return unreachable(endpoint_, reply.text.empty() ? "it said what nobody asked for" : reply.text);
  Exchange& exchange = *waiting_.front();
  exchange.replies.push_back(std::move(reply));
  if (exchange.replies.size() < exchange.commands.count()) return {};
  exchange.is_done = true;
  exchange.changed.notify_one();
  waiting_.pop_front();
  --sent_;
  return {};
}

/// Ends the connection and every exchange on it.
void Connection::fail(const model::Error& error) {
  channel_.reset();
  stage_ = Stage::Closed;
  outgoing_.clear();
  sent_ = 0;
  for (const std::shared_ptr<Exchange>& exchange : waiting_) {
    exchange->error = error;
    exchange->is_done = true;
    exchange->changed.notify_one();
  }
  waiting_.clear();
}

}  // namespace kbase::redis
