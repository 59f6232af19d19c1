// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/plugin.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::tests {

/// Minimal host: its clocks stand still, and it records what it receives. Not thread-safe.
struct FakeHost {
  FakeHost() {
    table.struct_size = sizeof table;
    table.host_data = this;
    table.log = [](const kb_host* host, std::int32_t level, kb_view event, kb_view message) {
      of(host).log.push_back(std::to_string(level) + " " + std::string(sdk::text_of(event)) + ": " +
                             std::string(sdk::text_of(message)));
    };
    table.explain = [](kb_call* c, const kb_explanation* why) {
      of(c->host).explained = sdk::error_of(KB_INTERNAL, *why);
    };
    table.cancelled = [](const kb_call* c) -> std::int32_t { return of(c->host).cancelled; };
    table.monotonic_ns = [](const kb_host* host) { return of(host).monotonic_ns; };
    table.wall_ms = [](const kb_host* host) { return of(host).wall_ms; };
    table.get_extension = [](const kb_host*, const char*) -> const void* { return nullptr; };
    call.struct_size = sizeof call;
    call.deadline_ns = UINT64_MAX;
    call.host = &table;
  }
  FakeHost(const FakeHost&) = delete;

  kb_host table{};
  kb_call call{};
  std::vector<std::string> log;
  std::optional<Error> explained;  ///< last explanation; its code has no meaning
  bool cancelled = false;
  std::uint64_t monotonic_ns = 7'000'000'000;
  std::int64_t wall_ms = 1'700'000'000'123;

 private:
  static FakeHost& of(const kb_host* host) { return *static_cast<FakeHost*>(host->host_data); }
};

/// Instance behind its table, of an implementation that the test can also access.
template <class Port, class Implementation> class TestInstance {
 public:
  using Table = typename sdk::CBinding<Port>::Table;
  using Handle = typename sdk::CBinding<Port>::Handle;

  TestInstance() {
    opening_ = &implementation;
    table.create(&host.table, &host.call, {}, &handle);
    opening_ = nullptr;
  }
  ~TestInstance() { table.destroy(handle); }

  FakeHost host;
  Implementation implementation;
  const Table table = sdk::table<Port, &TestInstance::open>({});
  Handle* handle = nullptr;

  kb_call* call() { return &host.call; }

 private:
  static sdk::Opened<Port> open(sdk::Setup&) {
    return std::shared_ptr<Port>(std::shared_ptr<void>(), opening_);  // the test owns it
  }

  static inline Implementation* opening_ = nullptr;
};

}  // namespace kbase::tests
