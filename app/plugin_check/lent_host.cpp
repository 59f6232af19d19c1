// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/lent_host.hpp"

#include <chrono>
#include <cstring>

#include "app/plugin_check/caller.hpp"

namespace kbase::plugin_check {
namespace {

/// Size of the table including the last member of ABI 1.0.
constexpr std::size_t kOldestSize = offsetof(kb_host, get_extension) + sizeof(kb_host::get_extension);

void log(const kb_host*, std::int32_t, kb_view, kb_view) {}

void explain(kb_call* call, const kb_explanation* why) {
  Turn::of(*call).explain(*why);
}

std::int32_t cancelled(const kb_call* call) {
  return Turn::of(*call).is_cancelled() ? 1 : 0;
}

std::uint64_t monotonic_ns(const kb_host*) {
  return now_ns();
}

std::int64_t wall_ms(const kb_host*) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::uint32_t metric(const kb_host*, std::int32_t, kb_view, kb_view) {
  return UINT32_MAX;
}

void metric_add(const kb_host*, std::uint32_t, std::int64_t) {}

const void* get_extension(const kb_host*, const char*) {
  return nullptr;
}

}  // namespace

LentHost::LentHost() : memory_(kOldestSize) {
  kb_host host{};
  host.struct_size = kOldestSize;
  host.abi_minor = KB_ABI_MINOR;
  host.name = "kbase-plugin-check";
  host.version = "1.0.0";
  host.log = log;
  host.explain = explain;
  host.cancelled = cancelled;
  host.monotonic_ns = monotonic_ns;
  host.wall_ms = wall_ms;
  host.metric = metric;
  host.metric_add = metric_add;
  host.get_extension = get_extension;
  std::memcpy(memory_.data(), &host, kOldestSize);
  table_ = reinterpret_cast<kb_host*>(memory_.data());
}

}  // namespace kbase::plugin_check
