// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/scripts.hpp"

#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <new>
#include <string>
#include <vector>

#include "adapters/redis/acquire_lua.hpp"
#include "adapters/redis/adjust_lua.hpp"
#include "domain/base/encoding.hpp"

namespace kbase::redis {
namespace {

std::string hex_sha1(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha1(), nullptr) != 1) throw std::bad_alloc();
  return to_hex({bytes.data(), size});
}

std::uint32_t to_count(const Reply& reply) { return static_cast<std::uint32_t>(reply.integer); }

model::Instant to_instant(const Reply& reply) { return model::Instant(std::chrono::milliseconds(reply.integer)); }

}  // namespace

Script::Script(std::string_view text) : text_(text), digest_(hex_sha1(text)) {}

Commands Script::build_command(Form form, std::string_view key,
                               std::initializer_list<std::string_view> arguments) const {
  const bool is_full_text = form == Form::FullText;
  std::vector<std::string_view> words{is_full_text ? "EVAL" : "EVALSHA",
                                      is_full_text ? text_ : std::string_view(digest_), "1", key};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Commands commands;
  commands.add(words);
  return commands;
}

AcquireScript::AcquireScript() : script_(kAcquireLua) {}

std::string_view AcquireScript::text() { return kAcquireLua; }

Commands AcquireScript::build_command(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                                      std::optional<model::Instant> now) const {
  const std::string cost = std::to_string(request.is_charge() ? request.cost : 0);
  const std::string per_minute = std::to_string(request.limits.per_minute);
  const std::string per_day = std::to_string(request.limits.per_day);
  if (!now) return script_.build_command(form, key, {cost, per_minute, per_day});
  return script_.build_command(form, key, {cost, per_minute, per_day, std::to_string(now->time_since_epoch().count())});
}

std::optional<ports::Decision> AcquireScript::parse_decision(const Reply& reply) {
  if (reply.elements.size() != 5) return std::nullopt;
  ports::Decision decision;
  decision.allowed = reply.elements[0].integer == 1;
  decision.minute = {to_count(reply.elements[1]), to_instant(reply.elements[2])};
  decision.day = {to_count(reply.elements[3]), to_instant(reply.elements[4])};
  return decision;
}

AdjustScript::AdjustScript() : script_(kAdjustLua) {}

Commands AdjustScript::build_command(Script::Form form, std::string_view key, model::Instant day_end,
                                     std::int64_t difference) const {
  const auto day = model::day_of(day_end - std::chrono::milliseconds(1)).time_since_epoch().count();
  return script_.build_command(form, key, {std::to_string(day), std::to_string(difference)});
}

}  // namespace kbase::redis
