// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/api_key_store_proxy.hpp"

#include <utility>
#include <vector>

#include "app/plugin_host/content_sinks.hpp"
#include "app/plugin_host/lent_instants.hpp"
#include "app/plugin_host/row_sink.hpp"

namespace kbase::plugin_host {
namespace {

using KeySink = RowSink<KeyReader, model::ApiKey, const kb_key*>;
using KeyUsageSink = RowSink<KeyUsageReader, ports::KeyUsage, const kb_key_usage*>;

/// Copies the one key that a call returns.
struct KeyCopy {
  std::optional<model::ApiKey> key;

  model::Visit operator()(const model::ApiKey& lent) {
    key = lent;
    return model::Visit::Continue;
  }
};

model::Result<std::optional<model::ApiKey>> if_found(const model::Result<bool>& found, KeyCopy& copy) {
  if (!found) return found.error();
  return std::move(copy.key);
}

model::Error keeps_none() {
  return {model::ErrorCode::Unsupported, "the plugin that keeps the keys counts no requests of theirs", {}, {}, {}};
}

}  // namespace

ApiKeyStoreProxy::ApiKeyStoreProxy(std::unique_ptr<ApiKeyStoreInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), store_(instance_->object()) {}

model::Result<std::uint64_t> ApiKeyStoreProxy::revision(ports::Call& call) {
  CallFrame frame = instance_->frame("key_store.revision", call);
  std::uint64_t revision = 0;
  const kb_status status = frame.run(table_.revision, store_, frame.call(), &revision);
  if (auto done = frame.done(status); !done) return done.error();
  return revision;
}

model::Result<std::optional<model::ApiKey>> ApiKeyStoreProxy::find(ports::Call& call, const model::KeyDigest& digest) {
  CallFrame frame = instance_->frame("key_store.find", call);
  KeyCopy copy;
  KeySink sink(frame, copy, 1);
  const kb_status status = frame.run(table_.find, store_, frame.call(), digest.data(), KeySink::receive, &sink);
  return if_found(frame.found_one(status), copy);
}

model::Result<std::optional<model::ApiKey>> ApiKeyStoreProxy::get(ports::Call& call, std::string_view id) {
  CallFrame frame = instance_->frame("key_store.get", call);
  KeyCopy copy;
  KeySink sink(frame, copy, 1);
  const kb_status status = frame.run(table_.get, store_, frame.call(), sdk::view_of(id), KeySink::receive, &sink);
  return if_found(frame.found_one(status), copy);
}

model::Status ApiKeyStoreProxy::list(ports::Call& call, model::Visitor<model::ApiKey> visitor) {
  CallFrame frame = instance_->frame("key_store.list", call);
  KeySink sink(frame, visitor);
  return frame.visited(frame.run(table_.list, store_, frame.call(), KeySink::receive, &sink));
}

model::Status ApiKeyStoreProxy::create(ports::Call& call, const model::ApiKey& key) {
  CallFrame frame = instance_->frame("key_store.create_key", call);
  const kb_key lent = sdk::key_of(key);
  return frame.done(frame.run(table_.create_key, store_, frame.call(), &lent));
}

model::Status ApiKeyStoreProxy::update(ports::Call& call, const model::ApiKey& key) {
  CallFrame frame = instance_->frame("key_store.update_key", call);
  const kb_key lent = sdk::key_of(key);
  const kb_status status = frame.run(table_.update_key, store_, frame.call(), &lent);
  return frame.found_or(status, "there is no key of this id");
}

/// Both functions are optional.
bool ApiKeyStoreProxy::keeps_usage() const noexcept {
  return KB_HAS(&table_, usage) && table_.add_usage != nullptr && table_.usage != nullptr;
}

model::Status ApiKeyStoreProxy::add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) {
  if (!keeps_usage()) return keeps_none();
  CallFrame frame = instance_->frame("key_store.add_usage", call);
  std::vector<kb_key_usage> lent;
  std::vector<const kb_key_usage*> pointers;
  lent.reserve(usage.size());
  pointers.reserve(usage.size());
  for (const ports::KeyUsage& row : usage) pointers.push_back(&lent.emplace_back(sdk::usage_of(row)));
  return frame.done(frame.run(table_.add_usage, store_, frame.call(), pointers.data(), pointers.size()));
}

model::Status ApiKeyStoreProxy::usage(ports::Call& call, model::Day first, model::Day last,
                                      model::Visitor<ports::KeyUsage> visitor) {
  if (!keeps_usage()) return keeps_none();
  CallFrame frame = instance_->frame("key_store.usage", call);
  KeyUsageSink sink(frame, visitor);
  return frame.visited(frame.run(table_.usage, store_, frame.call(), sdk::number_of(first), sdk::number_of(last),
                                 KeyUsageSink::receive, &sink));
}

model::Result<std::optional<model::Day>> ApiKeyStoreProxy::last_used(ports::Call& call, std::string_view id) {
  if (!KB_HAS(&table_, last_used) || table_.last_used == nullptr) return keeps_none();
  CallFrame frame = instance_->frame("key_store.last_used", call);
  std::int32_t day = 0;
  const kb_status status = frame.run(table_.last_used, store_, frame.call(), sdk::view_of(id), &day);
  if (status == KB_OK && !is_calendar_day(day)) frame.report_violation(kNoDay);
  const auto found = frame.found(status);
  if (!found) return found.error();
  return *found ? std::optional(sdk::day_of(day)) : std::nullopt;
}

model::Status ApiKeyStoreProxy::delete_usage_before(ports::Call& call, model::Day first) {
  if (!KB_HAS(&table_, forget_usage) || table_.forget_usage == nullptr) return keeps_none();
  CallFrame frame = instance_->frame("key_store.forget_usage", call);
  return frame.done(frame.run(table_.forget_usage, store_, frame.call(), sdk::number_of(first)));
}

}  // namespace kbase::plugin_host
