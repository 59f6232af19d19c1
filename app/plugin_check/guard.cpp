// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "app/plugin_check/process_state.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "plugins/sdk/generated/fields.hpp"

namespace kbase::plugin_check {

// The values of the structs that functions take as arguments, for sdk::Fields.
model::ItemView value_of(const kb_item&);
model::CategoryView value_of(const kb_category&);
model::ApiKey value_of(const kb_key&);
ports::KeyUsage value_of(const kb_key_usage&);
ports::ViewIncrement value_of(const kb_view_count&);
ports::Prompt value_of(const kb_completion_request&);
ports::SearchRequest value_of(const kb_search_request&);

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

Guard* active = nullptr;

/// Size of a kb_host with the last member of ABI 1.0.
constexpr std::size_t kOldestHostSize = offsetof(kb_host, get_extension) + sizeof(kb_host::get_extension);
constexpr std::size_t kAddedBytes = 16;  // of a longer struct
constexpr std::int32_t kStop = 1;

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

template <class Row>
concept HasFields = requires(const Row& row) {
  value_of(row);
};

template <class Row>
concept Growable = requires(Row row) {
  row.struct_size;
};

template <class T>
concept Complete = requires {
  sizeof(T);
};

/// A function that passes at most one row to its sink, which then need not return KB_STOPPED.
bool passes_one_row(std::string_view function) {
  return function == "get" || function == "find" || function == "category" || function == "read_category";
}

}  // namespace

/// The sinks of one call, which share one `data`. Stays valid until the guard ends, because a faulty plugin may call it
/// after the call.
struct GuardedSink {
  Guard& guard;
  const char* function;
  bool stops;
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
      if (!sink.admit(true)) return kStop;
      const Return wish = original(sink.data, parameters...);
      if (wish != 0 || sink.stops) sink.is_stopped = true;
      return sink.stops ? kStop : wish;
    }
  }

  template <std::size_t kSlot, class Return, class... Parameters>
  auto wrap(Return (*original)(void*, Parameters...)) {
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
  template <class Return, class... Arguments>
  Return run(Return (*function)(Arguments...), Arguments... arguments) {
    guard_.steps_.enter(function_);
    const auto start = steady_clock::now();
    try {
      const auto leave = [&] {
        note_time(std::chrono::duration_cast<milliseconds>(steady_clock::now() - start));
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
  template <class T>
  T* copy(const T* from, std::size_t count) {
    return from == nullptr ? nullptr
                           : reinterpret_cast<T*>(std::memcpy(take(count * sizeof(T)), from, count * sizeof(T)));
  }
  /// Copies a struct, but not what it points to.
  template <class Row>
  Row* flat_row(const Row& from) {
    std::size_t size = sizeof(Row);
    if (Growable<Row> && mode_.longer_structs) size += kAddedBytes;
    std::byte* const bytes = take(size);
    std::memset(bytes, 0xA5, size);
    Row* const row = new (bytes) Row(from);
    if constexpr (Growable<Row>) row->struct_size = static_cast<std::uint32_t>(size);
    return row;
  }
  template <class Row>
  const Row* row(const Row* from);
  const kb_query_node* query(const kb_query_node* from) {
    if (from == nullptr) return nullptr;
    kb_query_node* const node = flat_row(*from);
    node->text = text(node->text);
    node->first_child = query(node->first_child);
    node->next = query(node->next);
    return node;
  }
  template <class Row>
  const Row* const* rows(const Row* const* from, std::size_t count) {
    const Row** const copies = copy(const_cast<const Row**>(from), count);
    std::transform(copies, copies + count, copies, [this](const Row* each) { return row(each); });
    return copies;
  }
  /// A struct or a value that the plugin fills in.
  template <class T>
  T* out(T* to, std::size_t count = 1) {
    if (to == nullptr) return nullptr;
    T* made = nullptr;
    if constexpr (std::is_class_v<T>)
      made = flat_row(*to);
    else
      made = copy(to, count);
    results_.push_back({to, made, count * sizeof(T), Growable<T> ? sizeof(std::uint32_t) : 0});
    return made;
  }
  template <class Row>
  Row* const* outs(Row* const* to, std::size_t count) {
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

  template <class Return, class... Arguments>
  Return call(Return (*function)(Arguments...), Arguments... arguments) {
    const auto hog = mode_.memory_left ? std::make_unique<MemoryHog>(*mode_.memory_left) : nullptr;
    return function(arguments...);
  }

  void copy_back() const {
    for (const Out& out : results_)
      std::memcpy(static_cast<std::byte*>(out.to) + out.head, static_cast<const std::byte*>(out.from) + out.head,
                  out.size - out.head);
  }

  void note_time(milliseconds took) {
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

namespace {

/// Replaces what the members of a struct point to by copies. See sdk::Fields.
class Relocator {
 public:
  explicit Relocator(GuardedCall& call) : call_(call) {}

  void id(kb_view& view, const auto&) { view = call_.text(view); }
  void name(kb_view& view, const auto&) { view = call_.text(view); }
  void bytes(kb_view& view, const auto&) { view = call_.text(view); }
  void text(kb_view& view, const auto&) { view = call_.text(view); }
  void texts(const kb_view*& first, std::size_t count, const auto&) { first = call_.texts(first, count); }
  void optional(const kb_view*& view, const auto&) { view = call_.texts(view, 1); }
  void optional(const std::int32_t*& number, const auto&) { number = call_.copy(number, 1); }
  void ref(const kb_query_node*& node, const auto&) { node = call_.query(node); }
  void none(kb_facet_sink& facet) { facet = call_.sink().wrap<2>(facet); }
  void none(const auto&...) {}
  void number(const auto&...) {}
  void flag(const auto&...) {}
  void day(const auto&...) {}
  void instant(const auto&...) {}
  void array(const auto&...) {}
  void choice(const auto&...) {}
  void bits(const auto&...) {}

 private:
  GuardedCall& call_;
};

/// Passes the parameters of one function.
template <class Port, std::size_t kIndex>
class Entry {
 public:
  using Table = typename sdk::CBinding<Port>::Table;
  static constexpr auto kMember = std::get<kIndex>(sdk::CBinding<Port>::kFunctions);

  static inline const Table* original = nullptr;
  static inline const char* name = nullptr;

  template <class Return, class... Parameters>
  static Return enter(Parameters... parameters) {
    return enter_with<Return>(std::index_sequence_for<Parameters...>(), std::tuple<Parameters...>(parameters...));
  }

  template <class Return, class... Parameters>
  static constexpr auto pointer(Return (*Table::*)(Parameters...)) {
    return &enter<Return, Parameters...>;
  }

 private:
  // The arrays of bytes among the parameters: digests of keys, else ids of stores and journals.
  static constexpr std::size_t kBytes = std::is_same_v<Port, ports::ApiKeyStore> ? 32 : 16;

  template <class Return, std::size_t... kAt, class... Parameters>
  static Return enter_with(std::index_sequence<kAt...>, const std::tuple<Parameters...>& given) {
    GuardedCall call(*active, name);
    return call.run(original->*kMember, static_cast<Parameters>(pass<kAt>(call, given))...);
  }

  template <std::size_t kAt, class Given>
  static auto pass(GuardedCall& call, const Given& given) {
    using T = std::tuple_element_t<kAt, Given>;
    const T value = std::get<kAt>(given);
    if constexpr (std::is_same_v<T, kb_view>)
      return call.text(value);
    else if constexpr (std::is_same_v<T, kb_call*>)
      return call.call(value);
    else if constexpr (std::is_same_v<T, const kb_host*>)
      return GuardedCall::host(value);
    else if constexpr (std::is_same_v<T, void*>)
      return static_cast<void*>(&(call.sink().data = value, call.sink()));
    else if constexpr (std::is_same_v<T, const std::uint8_t*>)
      return call.copy(value, kBytes);
    else if constexpr (std::is_same_v<T, std::uint8_t*>)
      return call.out(value, kBytes);
    else if constexpr (std::is_same_v<T, const kb_view*>)
      return call.texts(value, is_one_text() ? 1 : count<kAt>(given));
    else if constexpr (std::is_pointer_v<T>)
      return pass_pointer<kAt>(call, given, value);
    else
      return value;
  }

  template <std::size_t kAt, class Given, class T>
  static auto pass_pointer(GuardedCall& call, const Given& given, T* value) {
    if constexpr (std::is_function_v<T>) {
      return call.sink().template wrap<sinks_before<kAt, Given>()>(value);
    } else if constexpr (!Complete<T>) {
      return value;  // the handle of an instance or a batch
    } else if constexpr (std::is_pointer_v<T> && std::is_const_v<T>) {
      if constexpr (std::is_const_v<std::remove_pointer_t<T>>)
        return call.rows(value, count<kAt>(given));
      else
        return call.outs(value, count<kAt>(given));
    } else if constexpr (!std::is_const_v<T>) {
      return call.out(value);
    } else if constexpr (Growable<T>) {
      return call.row(value);
    } else {
      auto* const copies = call.copy(value, count<kAt>(given));
      Relocator relocator(call);
      for (std::size_t i = 0; i < count<kAt>(given); ++i) {
        decltype(value_of(*value)) unused{};
        sdk::Fields<std::remove_const_t<T>, decltype(unused)>::visit(relocator, copies[i], unused);
      }
      return copies;
    }
  }

  /// The parameter "category" of "recent" is an optional text; other pointers to texts are lists.
  static bool is_one_text() { return std::string_view(name) == "recent"; }

  /// Returns the number of elements of the list at `kAt`: the next parameter that is a number.
  template <std::size_t kAt, class Given>
  static std::size_t count(const Given& given) {
    if constexpr (std::is_same_v<std::tuple_element_t<kAt, Given>, std::size_t>)
      return std::get<kAt>(given);
    else if constexpr (kAt + 1 < std::tuple_size_v<Given>)
      return count<kAt + 1>(given);
    else
      return 0;
  }

  template <std::size_t kAt, class Given>
  static constexpr std::size_t sinks_before() {
    std::size_t number = 0;
    [&]<std::size_t... kEach>(std::index_sequence<kEach...>) {
      ((number += std::is_function_v<std::remove_pointer_t<std::tuple_element_t<kEach, Given>>> ? 1 : 0), ...);
    }
    (std::make_index_sequence<kAt>());
    return number;
  }
};

template <class Port, std::size_t... kIndices>
void wrap_functions(typename sdk::CBinding<Port>::Table& wrapped, const typename sdk::CBinding<Port>::Table& table,
                    const plugin_host::KnownPort& known, std::index_sequence<kIndices...>) {
  const auto wrap_one = [&]<std::size_t kIndex>(std::integral_constant<std::size_t, kIndex>) {
    using Each = Entry<Port, kIndex>;
    if (plugin_host::offset_of(kIndex) >= table.struct_size || table.*Each::kMember == nullptr) return;
    Each::original = &table;
    Each::name = known.functions[kIndex];
    wrapped.*Each::kMember = Each::pointer(Each::kMember);
  };
  (wrap_one(std::integral_constant<std::size_t, kIndices>()), ...);
}

std::int32_t (*original_cancelled)(const kb_call* call);

std::int32_t cancelled(const kb_call* call) {
  return active->mode.timeout == GuardMode::Timeout::Cancelled ? 1 : original_cancelled(call);
}

}  // namespace

template <class Row>
const Row* GuardedCall::row(const Row* from) {
  if (from == nullptr) return nullptr;
  Row* const row = flat_row(*from);
  if constexpr (HasFields<Row>) {
    decltype(value_of(*from)) unused{};
    Relocator relocator(*this);
    sdk::Fields<Row, decltype(unused)>::visit(relocator, *row, unused);
  }
  return row;
}

/// The plugin may keep the host until it destroys the instance, so the copy is the same in every call.
const kb_host* GuardedCall::host(const kb_host* from) {
  static std::mutex mutex;
  static auto& copies = *new std::map<const void*, EdgeMemory>();  // by host_data
  const std::lock_guard lock(mutex);
  const auto [copy, is_new] = copies.try_emplace(from->host_data, kOldestHostSize);
  auto* const host = reinterpret_cast<kb_host*>(copy->second.data());
  if (!is_new) return host;
  original_cancelled = from->cancelled;
  std::memcpy(host, from, kOldestHostSize);
  host->struct_size = kOldestHostSize;
  host->cancelled = cancelled;
  return host;
}

Guard::Guard(Steps& steps, conformance::Report& report) : steps_(steps), report_(report) {
  active = this;
}

Guard::~Guard() {
  flush();
  active = nullptr;
}

void Guard::flush() {
  const std::lock_guard lock(mutex_);
  for (const auto& [expected, observed] : std::exchange(violations_, {})) report_.expect(false, expected, observed);
}

Guard::Longest Guard::take_longest() {
  const std::lock_guard lock(mutex_);
  return std::exchange(longest_, {});
}

void Guard::report(std::string_view expected, std::string observed) {
  const std::lock_guard lock(mutex_);
  violations_.emplace_back(expected, std::move(observed));
}

template <class Port>
const typename sdk::CBinding<Port>::Table& Guard::wrap(const typename sdk::CBinding<Port>::Table& table) {
  using Binding = sdk::CBinding<Port>;
  static typename Binding::Table wrapped;
  std::memcpy(&wrapped, &table, std::min<std::size_t>(sizeof wrapped, table.struct_size));
  const auto known =
      std::ranges::find(plugin_host::known_ports(), std::string_view(Binding::kId), &plugin_host::KnownPort::id);
  wrap_functions<Port>(wrapped, table, *known,
                       std::make_index_sequence<std::tuple_size_v<decltype(Binding::kFunctions)>>());
  return wrapped;
}

#define KBASE_GUARD(Port) \
  template const sdk::CBinding<ports::Port>::Table& Guard::wrap<ports::Port>(const sdk::CBinding<ports::Port>::Table&)

KBASE_GUARD(ItemStore);
KBASE_GUARD(ActivityStore);
KBASE_GUARD(ApiKeyStore);
KBASE_GUARD(SearchIndex);
KBASE_GUARD(RateLimitStore);
KBASE_GUARD(Cache);
KBASE_GUARD(CodeHost);
KBASE_GUARD(LanguageModel);

}  // namespace kbase::plugin_check
