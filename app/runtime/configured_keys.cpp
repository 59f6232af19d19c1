// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/configured_keys.hpp"

#include <algorithm>

namespace kbase::runtime {

model::Result<std::optional<model::ApiKey>> ConfiguredKeys::find(ports::Call& call, const model::KeyDigest& digest) {
  for (const model::ApiKey& key : configured())
    if (key.digest == digest) return std::optional(key);
  return store_.find(call, digest);
}

model::Result<std::optional<model::ApiKey>> ConfiguredKeys::get(ports::Call& call, std::string_view id) {
  for (const model::ApiKey& key : configured())
    if (key.id == id) return std::optional(key);
  return store_.get(call, id);
}

model::Status ConfiguredKeys::list(ports::Call& call, model::Visitor<model::ApiKey> visitor) {
  for (const model::ApiKey& key : configured())
    if (visitor(key) == model::Visit::Stop) return {};
  return store_.list(call, visitor);
}

model::Status ConfiguredKeys::update(ports::Call& call, const model::ApiKey& key) {
  const auto mine = configured();
  if (std::any_of(mine.begin(), mine.end(), [&](const model::ApiKey& known) { return known.id == key.id; }))
    return model::invalid_argument("id", "key " + key.id + " stands in the configuration file; change it there");
  return store_.update(call, key);
}

void ConfiguredKeys::replace(std::vector<model::ApiKey> keys) {
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

std::vector<model::ApiKey> ConfiguredKeys::configured() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

}  // namespace kbase::runtime
