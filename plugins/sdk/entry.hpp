// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/generated/bindings.hpp"
#include "plugins/sdk/setup.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

/// Creates the table of a port from a function that opens an implementation.
/// Converts calls of a table's functions to calls of a port. Internal to the tables; plugins do not include it.
namespace kbase::sdk {

/// What a plugin declares about its implementation of a port; base.h documents each member.
struct Declaration {
  std::uint32_t inline_calls = 0;
  std::uint32_t flags = 0;
  std::uint32_t capabilities = 0;
  const char* config_schema = nullptr;
};

/// Creates an instance; implements `create` of every table.
kb_status create(const kb_host* host, kb_call* call, kb_view config, FunctionRef<Opened<void>(Setup&)> open,
                 void** instance) noexcept;

/// Returns the table of an implementation whose instances `open` creates. An error of `open` is the error of `create`;
/// exceptions of `open` and of the port's calls are converted to errors.
template <class Port, Opened<Port> (*open)(Setup&)>
typename CBinding<Port>::Table table(const Declaration& declaration) {
  auto made = CBinding<Port>::kCalls;
  made.inline_calls = declaration.inline_calls;
  made.flags = declaration.flags;
  made.capabilities = declaration.capabilities;
  made.config_schema = declaration.config_schema;
  made.create = [](const kb_host* host, kb_call* call, kb_view config, typename CBinding<Port>::Handle** instance) {
    const auto open_any = [](Setup& setup) -> Opened<void> {
      auto opened = KBASE_TRY(open(setup));
      return std::shared_ptr<void>(std::move(opened));
    };
    void* untyped = nullptr;
    const kb_status status = create(host, call, config, open_any, &untyped);
    *instance = static_cast<typename CBinding<Port>::Handle*>(untyped);
    return status;
  };
  return made;
}

/// The object behind `kb_item_store*` and the other handles.
struct Instance {
  Setup setup;
  std::shared_ptr<void> port;  ///< points to the port that the table is for
};

template <class Port, class Handle> Port& port_of(Handle* handle) noexcept {
  return *static_cast<Port*>(reinterpret_cast<Instance*>(handle)->port.get());
}

template <class Handle> void destroy(Handle* handle) noexcept { delete reinterpret_cast<Instance*>(handle); }

/// Queries the host; `call` is a kb_call.
bool is_cancelled(const void* call) noexcept;

/// The result is valid as long as `call`.
inline ports::Call call_of(const kb_call& call) noexcept {
  return {time_of(call.deadline_ns), ports::CancelSource(&call, is_cancelled), text_of(call.trace_id),
          KB_HAS(&call, flags) && (call.flags & KB_CALL_IS_QUICK) != 0};
}

/// Reports the error to the host as the call's explanation and returns its status.
kb_status failed(kb_call* call, const Error& error) noexcept;

/// As failed(), for the exception that is being handled.
kb_status failed_by_exception(kb_call* call) noexcept;

/// As failed(), for a wrong argument of the host.
kb_status failed(kb_call* call, Violation violation) noexcept;

/// Calls a port and converts exceptions to errors, so that none leaves the plugin. `body` takes the port's call and
/// returns the status.
template <class Body> kb_status guarded(kb_call* call, Body body) noexcept {
  try {
    ports::Call inner = call_of(*call);
    return body(inner);
  } catch (...) {
    return failed_by_exception(call);
  }
}

/// `health` of the tables. A port without such a function reads its revision, which is cheap; one with neither is
/// healthy, and its calls report what fails.
template <class Port, class Handle> kb_status health(Handle* handle, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) -> kb_status {
    Port& port = port_of<Port>(handle);
    if constexpr (requires { port.health(inner); }) {
      const Status status = port.health(inner);
      return status ? KB_OK : failed(call, status.error());
    } else if constexpr (requires { port.revision(inner); }) {
      const auto revision = port.revision(inner);
      return revision ? KB_OK : failed(call, revision.error());
    } else {
      return KB_OK;
    }
  });
}

/// The object behind a `kb_item_writer*` or `kb_index_writer*`. One thread uses it at a time, so all its calls share a
/// converter.
template <class Writer> struct Batch {
  std::unique_ptr<Writer> writer;
  FromC from_c{};
};

template <class Writer, class Handle> Batch<Writer>& batch_of(Handle* handle) noexcept {
  return *reinterpret_cast<Batch<Writer>*>(handle);
}

/// Calls a C sink until it returns "stop".
template <class CSink> class StoppableSink {
 public:
  StoppableSink(CSink sink, void* data) noexcept : sink_(sink), data_(data) {}

  template <class... Arguments> Visit pass(const Arguments&... arguments) {
    if (!stopped_) stopped_ = sink_(data_, arguments...) != 0;
    return stopped_ ? Visit::Stop : Visit::Continue;
  }

  bool stopped() const noexcept { return stopped_; }

 private:
  CSink sink_;
  void* data_;
  bool stopped_ = false;
};

/// Passes a port's rows to a C sink, which receives a pointer to a struct, or the members of a tuple.
template <class Row, class Value, class CSink> class RowsToC : public StoppableSink<CSink> {
 public:
  using StoppableSink<CSink>::StoppableSink;

  Visit operator()(const Value& value) {
    Row row;
    to_c_.clear().fill(row, value);
    if constexpr (requires { std::tuple_size<Row>::value; })
      return std::apply([this](const auto&... parts) { return this->pass(parts...); }, row);
    else
      return this->pass(&row);
  }

 private:
  ToC to_c_;
};

// Convert the result of a port's function to the status of the table's function, and set what it returns on KB_OK. A
// port whose visitor stopped either succeeds or returns Cancelled. These take the rows, not rows.stopped(), because an
// argument could be evaluated before the call.

inline kb_status to_status(kb_call* call, const Status& status) noexcept {
  return status ? KB_OK : failed(call, status.error());
}

template <class CSink>
kb_status to_status(kb_call* call, const Status& status, const StoppableSink<CSink>& rows) noexcept {
  if (rows.stopped() && (status || status.error().code == ErrorCode::Cancelled)) return KB_STOPPED;
  return to_status(call, status);
}

inline kb_status to_status(kb_call* call, const Result<std::uint64_t>& result, std::uint64_t* out) noexcept {
  if (!result) return failed(call, result.error());
  *out = *result;
  return KB_OK;
}

template <class CSink>
kb_status to_status(kb_call* call, const Result<std::uint64_t>& result, std::uint64_t* out,
                    const StoppableSink<CSink>& rows) noexcept {
  if (rows.stopped()) return to_status(call, result ? Status() : result.error(), rows);
  return to_status(call, result, out);
}

/// For a function that may find nothing.
inline kb_status to_status(kb_call* call, const Result<bool>& found) noexcept {
  if (!found) return failed(call, found.error());
  return *found ? KB_OK : KB_NOT_FOUND;
}

template <class CSink>
kb_status to_status(kb_call* call, const Result<bool>& found, const StoppableSink<CSink>& rows) noexcept {
  if (found && *found && rows.stopped()) return KB_STOPPED;
  return to_status(call, found);
}

template <class Row, class Value, class CSink>
kb_status to_status(kb_call* call, const Result<std::optional<Value>>& found, RowsToC<Row, Value, CSink>& rows) {
  if (!found) return failed(call, found.error());
  if (!*found) return KB_NOT_FOUND;
  rows(**found);
  return rows.stopped() ? KB_STOPPED : KB_OK;
}

inline kb_status to_status(kb_call* call, const Result<std::optional<model::Day>>& found, std::int32_t* out) noexcept {
  if (!found) return failed(call, found.error());
  if (!*found) return KB_NOT_FOUND;
  *out = number_of(**found);
  return KB_OK;
}

template <class Value, class Row> kb_status to_status(kb_call* call, const Result<Value>& result, Row* out) {
  if (!result) return failed(call, result.error());
  Row row;
  ToC().fill(row, *result);
  fill_in(row, *out);
  return KB_OK;
}

template <class Writer, class Handle>
kb_status to_status(kb_call* call, Result<std::unique_ptr<Writer>> begun, Handle** out) {
  if (!begun) return failed(call, begun.error());
  *out = reinterpret_cast<Handle*>(new Batch<Writer>{*std::move(begun)});
  return KB_OK;
}

}  // namespace kbase::sdk
