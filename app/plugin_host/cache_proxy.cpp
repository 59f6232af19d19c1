// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/cache_proxy.hpp"

#include <utility>

#include "app/plugin_host/row_sink.hpp"

namespace kbase::plugin_host {
namespace {

using sdk::view_of;

using ValueSink = RowSink<ValueReader, std::string_view, kb_view>;

}  // namespace

CacheProxy::CacheProxy(std::unique_ptr<CacheInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), cache_(instance_->object()) {}

model::Result<bool> CacheProxy::get(ports::Call& call, std::string_view key, model::Visitor<std::string_view> visitor) {
  CallFrame frame = instance_->frame("cache.get", call);
  ValueSink sink(frame, visitor, 1);
  return frame.found_one(frame.run(table_.get, cache_, frame.call(), view_of(key), ValueSink::receive, &sink));
}

model::Status CacheProxy::put(ports::Call& call, std::string_view key, std::string_view value,
                              std::chrono::milliseconds time_to_live) {
  CallFrame frame = instance_->frame("cache.put", call);
  return frame.done(frame.run(table_.put, cache_, frame.call(), view_of(key), view_of(value),
                              static_cast<std::uint64_t>(time_to_live.count())));
}

model::Status CacheProxy::erase(ports::Call& call, std::string_view key) {
  CallFrame frame = instance_->frame("cache.erase", call);
  return frame.done(frame.run(table_.erase, cache_, frame.call(), view_of(key)));
}

}  // namespace kbase::plugin_host
