// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/sentinels.hpp"

#include <charconv>

#include "adapters/redis/error.hpp"

namespace kbase::redis {

Sentinels::Sentinels(const std::vector<Endpoint>& endpoints, std::string primary, const Access& sentinels,
                     const Client& client)
    : name_(std::move(primary)), client_(client) {
  for (const Endpoint& endpoint : endpoints)
    sentinels_.push_back(std::make_shared<Server>(endpoint, Client{sentinels, client_.clock, 1}, Role::Any));
}

model::Result<std::shared_ptr<Server>> Sentinels::server_of(std::string_view, const Timeout& timeout) {
  return primary_.get(timeout, [&](const Primary& before) { return look_up(before, timeout); });
}

std::shared_ptr<Server> Sentinels::server_at(const Endpoint& endpoint) {
  return std::make_shared<Server>(endpoint, client_, Role::Primary);
}

model::Result<Topology::Servers> Sentinels::servers(const Timeout& timeout) {
  auto primary = server_of({}, timeout);
  if (!primary) return primary.error();
  return Servers{*std::move(primary)};
}

model::Result<Sentinels::Primary> Sentinels::look_up(const Primary& before, const Timeout& timeout) {
  model::Error last;
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
    const auto named = ask(*sentinels_[first_ % sentinels_.size()], timeout);
    if (named) return before != nullptr && before->endpoint() == *named ? before : server_at(*named);
    last = named.error();
    ++first_;
  }
  return last.during("ask the sentinels for the primary " + name_);
}

model::Result<Endpoint> Sentinels::ask(Server& sentinel, const Timeout& timeout) const {
  const auto reply = sentinel.ask({"SENTINEL", "get-master-addr-by-name", name_}, timeout);
  if (!reply) return reply.error();
  if (reply->kind == Reply::Kind::Nil)
    return model::Error{model::ErrorCode::Unavailable,
                        "the sentinels of Redis know no primary of the configured name: see url",
                        "redis " + sentinel.endpoint().text() + ": it watches no primary named " + name_,
                        {},
                        {}};
  Endpoint named;
  if (reply->elements.size() == 2) {
    named.host = reply->elements[0].text;
    const std::string& port = reply->elements[1].text;
    std::from_chars(port.data(), port.data() + port.size(), named.port);
  }
  if (named.host.empty() || named.port == 0) return unexpected(sentinel.endpoint(), "SENTINEL");
  return named;
}

}  // namespace kbase::redis
