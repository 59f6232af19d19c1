// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/guard.hpp"

#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "app/plugin_check/guarded_call.hpp"
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
model::QueryCount value_of(const kb_query_count&);

namespace {

Guard* active = nullptr;

/// Size of a kb_host with the last member of ABI 1.0.
constexpr std::size_t kOldestHostSize = offsetof(kb_host, get_extension) + sizeof(kb_host::get_extension);
template <class Row>
concept HasFields = requires(const Row& row) {
  value_of(row);
};

template <class T>
concept Complete = requires {
  sizeof(T);
};

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
  void absent(const auto&...) {}
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
template <class Port, std::size_t kIndex> class Entry {
 public:
  using Table = typename sdk::CBinding<Port>::Table;
  static constexpr auto kMember = std::get<kIndex>(sdk::CBinding<Port>::kFunctions);

  static inline const Table* original = nullptr;
  static inline const char* name = nullptr;

  template <class Return, class... Parameters> static Return enter(Parameters... parameters) {
    return enter_with<Return>(std::index_sequence_for<Parameters...>(), std::tuple<Parameters...>(parameters...));
  }

  template <class Return, class... Parameters> static constexpr auto pointer(Return (*Table::*)(Parameters...)) {
    return &enter<Return, Parameters...>;
  }

 private:
  template <class Return, std::size_t... kAt, class... Parameters>
  static Return enter_with(std::index_sequence<kAt...>, const std::tuple<Parameters...>& given) {
    GuardedCall call(*active, name);
    return call.run(original->*kMember, static_cast<Parameters>(pass<kAt>(call, given))...);
  }

  template <std::size_t kAt, class Given> static auto pass(GuardedCall& call, const Given& given) {
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
      return call.copy(value, sdk::CBinding<Port>::kBytes);
    else if constexpr (std::is_same_v<T, std::uint8_t*>)
      return call.out(value, sdk::CBinding<Port>::kBytes);
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
  template <std::size_t kAt, class Given> static std::size_t count(const Given& given) {
    if constexpr (std::is_same_v<std::tuple_element_t<kAt, Given>, std::size_t>)
      return std::get<kAt>(given);
    else if constexpr (kAt + 1 < std::tuple_size_v<Given>)
      return count<kAt + 1>(given);
    else
      return 0;
  }

  template <std::size_t kAt, class Given> static constexpr std::size_t sinks_before() {
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

/// The copies that plugins got of their hosts. Never destroyed: a thread of a faulty plugin may outlive main().
struct HostCopies {
  static HostCopies& get() {
    static auto& copies = *new HostCopies();
    return copies;
  }

  std::mutex mutex;
  std::map<const void*, EdgeMemory> by_host_data;
};

std::int32_t cancelled(const kb_call* call) {
  return active->mode.timeout == GuardMode::Timeout::Cancelled ? 1 : original_cancelled(call);
}

}  // namespace

template <class Row> const Row* GuardedCall::row(const Row* from) {
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
  HostCopies& copies = HostCopies::get();
  const std::lock_guard lock(copies.mutex);
  const auto [copy, is_new] = copies.by_host_data.try_emplace(from->host_data, kOldestHostSize);
  auto* const host = reinterpret_cast<kb_host*>(copy->second.data());
  if (!is_new) return host;
  original_cancelled = from->cancelled;
  std::memcpy(host, from, kOldestHostSize);
  host->struct_size = kOldestHostSize;
  host->cancelled = cancelled;
  return host;
}

void Guard::forget(const kb_host& host) {
  HostCopies& copies = HostCopies::get();
  const std::lock_guard lock(copies.mutex);
  copies.by_host_data.erase(host.host_data);
}

Guard::Guard(Steps& steps, conformance::Report& report) : steps_(steps), report_(report) { active = this; }

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
KBASE_GUARD(AccountStore);
KBASE_GUARD(InsightStore);
KBASE_GUARD(SearchIndex);
KBASE_GUARD(RateLimitStore);
KBASE_GUARD(Cache);
KBASE_GUARD(CodeHost);
KBASE_GUARD(LanguageModel);
KBASE_GUARD(Mailer);

}  // namespace kbase::plugin_check
