// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/administer_keys.hpp"

#include <array>

#include "domain/model/utf8.hpp"

namespace kbase::usecases {
namespace {

constexpr std::size_t kMaxNameCodePoints = 200;

model::Status check_name(std::string_view name) {
  if (!model::utf8::is_valid(name) || name.empty() || model::utf8::has_control(name) ||
      model::utf8::code_points(name) > kMaxNameCodePoints)
    return model::invalid_argument("name", "a key's name has 1 to 200 characters, none of them a control character");
  return {};
}

}  // namespace

model::Result<ports::IssuedKey> AdministerKeys::create(ports::Call& call, const ports::NewKey& wanted) {
  if (auto checked = check_name(wanted.name); !checked) return checked.error();
  if (auto checked = check_plan(wanted.plan); !checked) return checked.error();
  if (wanted.expires && *wanted.expires <= parts_.clock.now())
    return model::invalid_argument("expires", "a key that expires at " + model::format_instant(*wanted.expires) +
                                                  " would never be good; name a later time");
  ports::IssuedKey issued;
  issued.text = new_text();
  issued.key.id = new_id();
  issued.key.name = wanted.name;
  issued.key.plan = wanted.plan;
  issued.key.digest = parts_.digest.sha256(issued.text);
  issued.key.expires = wanted.expires;
  issued.key.scopes = wanted.scopes;
  issued.key.created = parts_.clock.now();
  if (auto stored = parts_.keys.create(call, issued.key); !stored) return stored.error();
  return issued;
}

model::Status AdministerKeys::list(ports::Call& call, model::Visitor<model::ApiKey> visitor) {
  return parts_.keys.list(call, visitor);
}

model::Status AdministerKeys::revoke(ports::Call& call, std::string_view id) {
  auto key = existing(call, id);
  if (!key) return key.error();
  key->revoked = true;
  return parts_.keys.update(call, *key);
}

model::Result<ports::IssuedKey> AdministerKeys::rotate(ports::Call& call, std::string_view id,
                                                       std::chrono::seconds grace) {
  auto key = existing(call, id);
  if (!key) return key.error();
  if (key->revoked) return model::invalid_argument("id", "key " + key->id + " is revoked; create a new one");
  if (!model::is_alive(*key, parts_.clock.now()))
    return model::invalid_argument("id", "key " + key->id + " expired at " + model::format_instant(*key->expires) +
                                             ", so a new text would not be good either; give it a later time first, " +
                                             "with `kbase keys update " + key->id +
                                             " --expires 90d`, or where it stands in the configuration");
  ports::IssuedKey issued{*std::move(key), new_text()};
  issued.key.previous_digest = issued.key.digest;
  issued.key.previous_expires = parts_.clock.now() + grace;
  issued.key.digest = parts_.digest.sha256(issued.text);
  if (auto stored = parts_.keys.update(call, issued.key); !stored) return stored.error();
  return issued;
}

model::Result<model::ApiKey> AdministerKeys::update(ports::Call& call, std::string_view id,
                                                    const ports::KeyChange& change) {
  auto key = existing(call, id);
  if (!key) return key;
  // Unchanged members are not checked: the plan of a key may have been removed from the configuration.
  if (change.name)
    if (auto checked = check_name(*change.name); !checked) return checked.error();
  if (change.plan)
    if (auto checked = check_plan(*change.plan); !checked) return checked.error();
  if (change.name) key->name = *change.name;
  if (change.plan) key->plan = *change.plan;
  if (change.expires) key->expires = *change.expires;
  if (change.scopes) key->scopes = *change.scopes;
  if (auto stored = parts_.keys.update(call, *key); !stored) return stored.error();
  return key;
}

model::Result<model::ApiKey> AdministerKeys::existing(ports::Call& call, std::string_view id) const {
  auto key = parts_.keys.get(call, id);
  if (!key) return key.error();
  if (!*key) return model::Error{model::ErrorCode::NotFound, "no key has the id " + std::string(id), {}, {}, {}};
  return **std::move(key);
}

model::Status AdministerKeys::check_plan(std::string_view plan) const {
  if (parts_.plans.find(plan)) return {};
  std::string names;
  for (const std::string& name : parts_.plans.names()) names += (names.empty() ? "" : ", ") + name;
  return model::invalid_argument(
      "plan", "the configuration has no plan named '" + std::string(plan) + "'; its plans are " + names);
}

std::string AdministerKeys::new_text() {
  // Reject bytes from 248 on, so that every digit has the same probability.
  std::array<std::uint8_t, 32> digits;
  for (std::uint8_t& digit : digits) {
    do parts_.random.fill({&digit, 1});
    while (digit >= 248);
    digit = static_cast<std::uint8_t>(digit % 62);
  }
  return model::key_text(digits);
}

std::string AdministerKeys::new_id() {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<std::uint8_t, 12> bytes;
  parts_.random.fill(bytes);
  std::string id = "key_";
  for (const std::uint8_t byte : bytes) id += kAlphabet[byte % kAlphabet.size()];
  return id;
}

}  // namespace kbase::usecases
