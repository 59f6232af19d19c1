// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <memory>
#include <utility>

#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "plugins/sdk/setup.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

/// Converts calls of a table's functions to calls of a port. Internal to the tables; plugins do not include it.
namespace kbase::sdk {

/// The object behind `kb_item_store*` and the other handles.
struct Instance {
  Setup setup;
  std::shared_ptr<void> port;  ///< points to the port that the table is for
};

template <class Port, class Handle>
Port& port_of(Handle* handle) noexcept {
  return *static_cast<Port*>(reinterpret_cast<Instance*>(handle)->port.get());
}

template <class Handle>
void destroy(Handle* handle) noexcept {
  delete reinterpret_cast<Instance*>(handle);
}

/// Queries the host; `call` is a kb_call.
bool is_cancelled(const void* call) noexcept;

/// The result is valid as long as `call`.
inline ports::Call call_of(const kb_call& call) noexcept {
  return {time_of(call.deadline_ns), ports::CancelSource(&call, is_cancelled), text_of(call.trace_id)};
}

/// Reports the error to the host as the call's explanation and returns its status.
kb_status failed(kb_call* call, const model::Error& error) noexcept;

/// As failed(), for the exception that is being handled.
kb_status failed_by_exception(kb_call* call) noexcept;

inline kb_status ended(kb_call* call, const model::Status& status) noexcept {
  return status ? KB_OK : failed(call, status.error());
}

template <class Value>
kb_status ended(kb_call* call, const model::Result<Value>& result, Value* out) noexcept {
  if (!result) return failed(call, result.error());
  *out = *result;
  return KB_OK;
}

/// Calls a port and converts exceptions to errors, so that none leaves the plugin. `body` takes the port's call and
/// returns the status.
template <class Body>
kb_status guarded(kb_call* call, Body body) noexcept {
  try {
    ports::Call inner = call_of(*call);
    return body(inner);
  } catch (...) {
    return failed_by_exception(call);
  }
}

/// `health` of the tables.
template <class Port, class Handle>
kb_status health(Handle* handle, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, port_of<Port>(handle).health(inner)); });
}

/// `health` for ports without a health function: reads the revision, which is cheap.
template <class Port, class Handle>
kb_status health_by_revision(Handle* handle, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto revision = port_of<Port>(handle).revision(inner);
    return revision ? KB_OK : failed(call, revision.error());
  });
}

/// A C sink that is not called again after it asked to stop.
template <class CSink>
class Sink {
 public:
  Sink(CSink sink, void* data) noexcept : sink_(sink), data_(data) {}

  template <class... Row>
  model::Visit lend(const Row&... row) {
    if (!stopped_) stopped_ = sink_(data_, row...) != 0;
    return stopped_ ? model::Visit::Stop : model::Visit::Continue;
  }

  bool stopped() const noexcept { return stopped_; }

 private:
  CSink sink_;
  void* data_;
  bool stopped_ = false;
};

/// Ends a call whose sink may have stopped it; ports then either succeed or return Cancelled. Takes the sink itself,
/// not sink.stopped(), because an argument would be evaluated before the call.
template <class CSink>
kb_status ended(kb_call* call, const model::Status& status, const Sink<CSink>& sink) noexcept {
  if (sink.stopped() && (status || status.error().code == model::ErrorCode::Cancelled)) return KB_STOPPED;
  return ended(call, status);
}

/// `out` is set only on KB_OK.
template <class Value, class CSink>
kb_status ended(kb_call* call, const model::Result<Value>& result, Value* out, const Sink<CSink>& sink) noexcept {
  if (sink.stopped()) return ended(call, result ? model::Status() : result.error(), sink);
  return ended(call, result, out);
}

}  // namespace kbase::sdk
