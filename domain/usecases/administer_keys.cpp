// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/administer_keys.hpp"

#include <array>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "domain/usecases/secrets.hpp"

namespace kbase::usecases {
namespace {

constexpr std::size_t kMaxNameCodePoints = 200;

Status check_name(std::string_view name) {
  if (!utf8::is_valid(name) || name.empty() || utf8::has_control(name) || utf8::code_points(name) > kMaxNameCodePoints)
    return invalid_argument("name", "a key's name must have 1 to 200 characters and no control characters");
  return {};
}

}  // namespace

Result<ports::IssuedKey> AdministerKeys::create(ports::Call& call, const ports::NewKey& request) {
  KBASE_TRY(check_name(request.name));
  KBASE_TRY(check_plan(request.plan));
  if (request.expires && *request.expires <= deps_.clock.now())
    return invalid_argument("expires", "the expiry time " + model::format_instant(*request.expires) +
                                           " is in the past; choose a later time");
  ports::IssuedKey issued;
  issued.text = generate_text();
  issued.key.id = generate_id(deps_.random, "key_");
  issued.key.name = request.name;
  issued.key.plan = request.plan;
  issued.key.digest = deps_.digest.sha256(issued.text);
  issued.key.expires = request.expires;
  issued.key.scopes = request.scopes;
  issued.key.created = deps_.clock.now();
  issued.key.account = request.account;
  issued.key.suspended = request.suspended;
  KBASE_TRY(deps_.keys.create(call, issued.key));
  return issued;
}

Status AdministerKeys::list(ports::Call& call, Visitor<model::ApiKey> visitor) {
  return deps_.keys.list(call, visitor);
}

Result<bool> AdministerKeys::revoke(ports::Call& call, std::string_view id) {
  auto key = KBASE_TRY(find_existing(call, id));
  if (std::exchange(key.revoked, true)) return false;
  KBASE_TRY(deps_.keys.update(call, key));
  return true;
}

Result<ports::IssuedKey> AdministerKeys::rotate(ports::Call& call, std::string_view id, std::chrono::seconds grace) {
  auto key = KBASE_TRY(find_existing(call, id));
  if (key.revoked) return invalid_argument("id", "key " + key.id + " is revoked; create a new one");
  if (key.expires && *key.expires <= deps_.clock.now())
    return invalid_argument("expires", "key " + key.id + " expired at " + model::format_instant(*key.expires) +
                                           "; set a later expiry time before you rotate it");
  ports::IssuedKey issued{std::move(key), generate_text()};
  issued.key.previous_digest = issued.key.digest;
  issued.key.previous_expires = deps_.clock.now() + grace;
  issued.key.digest = deps_.digest.sha256(issued.text);
  KBASE_TRY(deps_.keys.update(call, issued.key));
  return issued;
}

Result<model::ApiKey> AdministerKeys::update(ports::Call& call, std::string_view id, const ports::KeyChange& change) {
  auto key = find_existing(call, id);
  if (!key) return key;
  // Unchanged members are not checked: the plan of a key may have been removed from the configuration.
  if (change.name) KBASE_TRY(check_name(*change.name));
  if (change.plan) KBASE_TRY(check_plan(*change.plan));
  if (change.name) key->name = *change.name;
  if (change.plan) key->plan = *change.plan;
  if (change.expires) key->expires = *change.expires;
  if (change.scopes) key->scopes = *change.scopes;
  KBASE_TRY(deps_.keys.update(call, *key));
  return key;
}

Result<model::ApiKey> AdministerKeys::find_existing(ports::Call& call, std::string_view id) const {
  auto key = KBASE_TRY(deps_.keys.get(call, id));
  if (!key) return Error{ErrorCode::NotFound, "no key has the id " + std::string(id)};
  return *std::move(key);
}

Status AdministerKeys::check_plan(std::string_view plan) const {
  if (deps_.plans.find(plan)) return {};
  std::string names;
  for (const std::string& name : deps_.plans.names()) names += (names.empty() ? "" : ", ") + name;
  return invalid_argument("plan", "the configuration has no plan '" + std::string(plan) + "'; its plans are: " + names);
}

std::string AdministerKeys::generate_text() {
  // Reject bytes from 248 on, so that every digit has the same probability.
  std::array<std::uint8_t, 32> digits;
  for (std::uint8_t& digit : digits) {
    do deps_.random.fill({&digit, 1});
    while (digit >= 248);
    digit = static_cast<std::uint8_t>(digit % 62);
  }
  return model::key_text(digits);
}

}  // namespace kbase::usecases
