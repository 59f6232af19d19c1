// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/host_table.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/generated/bindings.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

namespace kbase::plugin_host {

/// An instance created by a port's table, destroyed with this object. The table is static, and the host must outlive
/// the instance. Thread-safe: with KB_TABLE_SERIAL, calls of this instance wait for each other.
template <class Table, class Object> class Instance {
 public:
  /// Errors: those of the table's create(); Internal if it returned KB_OK and no instance.
  static Result<std::unique_ptr<Instance>> create(const Table& table, const HostTable& host,
                                                  std::string_view config_json) {
    ports::Call call;
    CallFrame frame(host, nullptr, "create", call);
    Object* object = nullptr;
    const kb_status status = frame.run(table.create, host.table(), frame.call(), sdk::view_of(config_json), &object);
    if (status == KB_OK && object == nullptr) frame.report_violation("returned KB_OK without an instance");
    KBASE_TRY(frame.finish_create(status));
    return std::make_unique<Instance>(table, host, object);
  }

  Instance(const Table& table, const HostTable& host, Object* object)
      : table_(table),
        host_(host),
        object_(object),
        turn_((table.flags & KB_TABLE_SERIAL) != 0 ? &one_at_a_time_ : nullptr) {}
  ~Instance() {
    run("destroy", [&] { table_.destroy(object_); });
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const Table& table() const noexcept { return table_; }
  Object* object() const noexcept { return object_; }
  const HostTable& host() const noexcept { return host_; }

  /// Returns true if this KB_..._INLINE_ bit is set and calls do not wait for each other.
  bool runs_inline(std::uint32_t bit) const noexcept { return turn_ == nullptr && (table_.inline_calls & bit) != 0; }
  /// Returns true if this KB_..._CAN_ bit is set.
  bool can(std::uint32_t bit) const noexcept { return (table_.capabilities & bit) != 0; }

  CallFrame frame(const char* function, ports::Call& call) { return CallFrame(host_, turn_, function, call); }

  Status health(ports::Call& call) {
    CallFrame frame = this->frame("health", call);
    return frame.finish(frame.run(table_.health, object_, frame.call()));
  }

  /// The error of an optional function that the plugin does not have.
  Error lacks(const char* function) const {
    return {ErrorCode::Unsupported, "The plugin " + host_.plugin_id() + " has no function " + function + "."};
  }

  /// Aborts a batch; this cannot fail. The deadline gives a networked plugin five seconds to clean up.
  template <class Writer>
  void abort(const char* function, void (*const& abort)(Writer*, kb_call*), Writer* writer) noexcept {
    run(function, [&] {
      ports::Call call;
      call.deadline = host_.clock().steady() + kAbortTimeout;
      CallFrame frame(host_, nullptr, function, call);
      abort(writer, frame.call());
    });
  }

  /// Calls a function that cannot fail.
  template <class Work> void run(const char* function, Work&& work) noexcept {
    const auto turn = turn_ != nullptr ? std::unique_lock(*turn_) : std::unique_lock<std::mutex>();
    const CallMark mark(host_.label().c_str());
    try {
      work();
    } catch (...) {
      host_.log(ports::LogLevel::Error, "plugin.threw",
                std::string("The plugin threw an exception in ") + function + ".");
    }
  }

 private:
  static constexpr std::chrono::seconds kAbortTimeout{5};

  const Table& table_;
  const HostTable& host_;
  Object* const object_;
  std::mutex* const turn_;  // null: concurrent calls are allowed
  std::mutex one_at_a_time_;
};

/// The instance of a port.
template <class Port>
using InstanceOf = Instance<typename sdk::CBinding<Port>::Table, typename sdk::CBinding<Port>::Handle>;

}  // namespace kbase::plugin_host
