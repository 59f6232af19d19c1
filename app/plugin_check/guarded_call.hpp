// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/plugin_check/guard.hpp"
#include "app/plugin_check/process_state.hpp"

namespace kbase::plugin_check {

template <class Row>
concept Growable = requires(Row row) {
  row.struct_size;
};

/// Memory that ends at an inaccessible page: an access beyond its end terminates the process.
class EdgeMemory {
 public:
  explicit EdgeMemory(std::size_t size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t readable = (size + page - 1) / page * page;
    mapped_ = readable + page;
    void* const memory = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    pages_ = static_cast<std::byte*>(memory);
    ::mprotect(pages_ + readable, page, PROT_NONE);
    data_ = pages_ + readable - size;
  }
  EdgeMemory(EdgeMemory&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), mapped_(other.mapped_), data_(other.data_) {}
  EdgeMemory(const EdgeMemory&) = delete;
  EdgeMemory& operator=(const EdgeMemory&) = delete;
  ~EdgeMemory() {
    if (pages_ != nullptr) ::munmap(pages_, mapped_);
  }

  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* pages_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
};

/// A function that passes at most one row to its sink, which then need not return KB_STOPPED.
inline bool passes_one_row(std::string_view function) {
  return function == "get" || function == "find" || function == "category" || function == "read_category";
}

/// The sinks of one call, which share one `data`. Stays valid until the guard ends, because a faulty plugin may call it
/// after the call.
struct GuardedSink {
  GuardedSink(Guard& of, const char* called, bool with_stops) : guard(of), function(called), stops(with_stops) {}

  Guard& guard;
  const char* const function;
  const bool stops;
  std::array<void (*)(), 3> sinks{};
  void* data = nullptr;
  std::atomic<bool> is_open{true};
  std::atomic<bool> is_stopped{false};

  /// Returns whether the sink may be called, and reports a violation if not. Sinks without a result, such as that of
  /// facets, do not end with the others.
  bool admit(bool has_result) {
    if (!is_open) {
      guard.report("a sink is not called after its function has returned",
                   std::string(function) + " called its sink later");
      return false;
    }
    if (!has_result || !is_stopped) return true;
    guard.report("a sink that returned \"stop\" is not called again", std::string(function) + " called it again");
    return false;
  }

  template <std::size_t kSlot, class Return, class... Parameters>
  static Return entry(void* self, Parameters... parameters) {
    auto& sink = *static_cast<GuardedSink*>(self);
    const auto original = reinterpret_cast<Return (*)(void*, Parameters...)>(sink.sinks[kSlot]);
    if constexpr (std::is_void_v<Return>) {
      if (sink.admit(false)) original(sink.data, parameters...);
    } else {
      if (!sink.admit(true)) return 1;
      const Return wish = original(sink.data, parameters...);
      if (wish != 0 || sink.stops) sink.is_stopped = true;
      return sink.stops ? 1 : wish;
    }
  }

  template <std::size_t kSlot, class Return, class... Parameters> auto wrap(Return (*original)(void*, Parameters...)) {
    sinks[kSlot] = reinterpret_cast<void (*)()>(original);
    return original == nullptr ? nullptr : &entry<kSlot, Return, Parameters...>;
  }
};

/// One call of the plugin: owns the copies of its arguments.
class GuardedCall {
 public:
  GuardedCall(Guard& guard, const char* function) : guard_(guard), mode_(guard.mode), function_(function) {}
  ~GuardedCall() {
    if (sink_ != nullptr) sink_->is_open = false;
    if (mode_.memory != GuardMode::Memory::Overwritten) return;
    for (std::vector<std::byte>& block : blocks_) std::fill(block.begin(), block.end(), std::byte{0xDD});
    const std::lock_guard lock(guard_.mutex_);
    guard_.kept_.push_back(std::make_shared<std::vector<std::vector<std::byte>>>(std::move(blocks_)));
  }
  GuardedCall(const GuardedCall&) = delete;
  GuardedCall& operator=(const GuardedCall&) = delete;

  /// Calls the plugin's function, and reports what it throws, how long it took and whether it obeyed its sink.
  template <class Return, class... Arguments> Return run(Return (*function)(Arguments...), Arguments... arguments) {
    guard_.steps_.enter(function_);
    const auto start = std::chrono::steady_clock::now();
    try {
      const auto leave = [&] {
        note_time(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start));
        copy_back();
        guard_.steps_.leave();
      };
      if constexpr (std::is_void_v<Return>) {
        call(function, arguments...);
        leave();
      } else {
        const Return result = call(function, arguments...);
        leave();
        if constexpr (std::is_same_v<Return, kb_status>) check_stop(result);
        return result;
      }
    } catch (const std::exception& exception) {
      guard_.report("no exception leaves the plugin", std::string(function_) + " threw: " + exception.what());
      throw;
    }
  }

  // Copies of arguments.

  kb_view text(kb_view from) {
    if (from.data == nullptr) return from;
    return {reinterpret_cast<const char*>(std::memcpy(take(from.size), from.data, from.size)), from.size};
  }
  const kb_view* texts(const kb_view* from, std::size_t count) {
    if (from == nullptr) return nullptr;
    auto* const copies = copy(from, count);
    std::transform(copies, copies + count, copies, [this](kb_view view) { return text(view); });
    return copies;
  }
  template <class T> T* copy(const T* from, std::size_t count) {
    return from == nullptr ? nullptr
                           : reinterpret_cast<T*>(std::memcpy(take(count * sizeof(T)), from, count * sizeof(T)));
  }
  /// Copies a struct, but not what it points to.
  template <class Row> Row* flat_row(const Row& from) {
    std::size_t size = sizeof(Row);
    if (Growable<Row> && mode_.longer_structs) size += 16;
    std::byte* const bytes = take(size);
    std::memset(bytes, 0xA5, size);
    Row* const row = new (bytes) Row(from);
    if constexpr (Growable<Row>) row->struct_size = static_cast<std::uint32_t>(size);
    return row;
  }
  template <class Row> const Row* row(const Row* from);
  const kb_query_node* query(const kb_query_node* from) {
    if (from == nullptr) return nullptr;
    kb_query_node* const node = flat_row(*from);
    node->text = text(node->text);
    node->first_child = query(node->first_child);
    node->next = query(node->next);
    return node;
  }
  template <class Row> const Row* const* rows(const Row* const* from, std::size_t count) {
    const Row** const copies = copy(const_cast<const Row**>(from), count);
    std::transform(copies, copies + count, copies, [this](const Row* each) { return row(each); });
    return copies;
  }
  /// A struct or a value that the plugin fills in.
  template <class T> T* out(T* to, std::size_t count = 1) {
    if (to == nullptr) return nullptr;
    T* made = nullptr;
    if constexpr (std::is_class_v<T>)
      made = flat_row(*to);
    else
      made = copy(to, count);
    results_.push_back({to, made, count * sizeof(T), Growable<T> ? sizeof(std::uint32_t) : 0});
    return made;
  }
  template <class Row> Row* const* outs(Row* const* to, std::size_t count) {
    Row** const copies = copy(const_cast<Row**>(to), count);
    std::transform(copies, copies + count, copies, [this](Row* each) { return out(each); });
    return copies;
  }
  kb_call* call(const kb_call* from) {
    kb_call* const call = flat_row(*from);
    call->trace_id = text(call->trace_id);
    if (mode_.timeout == GuardMode::Timeout::DeadlinePassed)
      call->deadline_ns = from->host->monotonic_ns(from->host) - 1;
    call->host = host(from->host);
    return call;
  }
  static const kb_host* host(const kb_host* from);

  GuardedSink& sink() {
    if (sink_ != nullptr) return *sink_;
    const auto made = std::make_shared<GuardedSink>(guard_, function_, mode_.stops_sinks);
    sink_ = made.get();
    const std::lock_guard lock(guard_.mutex_);
    guard_.kept_.push_back(made);
    return *sink_;
  }

 private:
  struct Out {
    void* to;
    const void* from;
    std::size_t size;
    std::size_t head;  // bytes at the start that stay as they are
  };

  std::byte* take(std::size_t size) {
    if (mode_.memory == GuardMode::Memory::AtTheEdge) return edges_.emplace_back(size).data();
    return blocks_.emplace_back(std::max<std::size_t>(size, 1)).data();
  }

  template <class Return, class... Arguments> Return call(Return (*function)(Arguments...), Arguments... arguments) {
    const auto hog = mode_.memory_left ? std::make_unique<MemoryHog>(*mode_.memory_left) : nullptr;
    return function(arguments...);
  }

  void copy_back() const {
    for (const Out& out : results_)
      std::memcpy(static_cast<std::byte*>(out.to) + out.head, static_cast<const std::byte*>(out.from) + out.head,
                  out.size - out.head);
  }

  void note_time(std::chrono::milliseconds took) {
    const std::lock_guard lock(guard_.mutex_);
    if (took >= guard_.longest_.took) guard_.longest_ = {function_, took};
  }

  void check_stop(kb_status status) {
    if (sink_ == nullptr || !sink_->is_stopped || !sink_->stops) return;
    {
      const std::lock_guard lock(guard_.mutex_);
      ++guard_.stopped_sinks_;
    }
    if (status == KB_STOPPED || (status == KB_OK && passes_one_row(function_))) return;
    guard_.report("a function whose sink returned \"stop\" returns KB_STOPPED",
                  std::string(function_) + " returned " + std::to_string(status));
  }

  Guard& guard_;
  const GuardMode mode_;
  const char* const function_;
  GuardedSink* sink_ = nullptr;
  std::vector<Out> results_;
  std::vector<EdgeMemory> edges_;
  std::vector<std::vector<std::byte>> blocks_;
};

}  // namespace kbase::plugin_check
