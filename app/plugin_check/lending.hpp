// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kbase::plugin_check {

/// Memory that ends at an inaccessible page: an access beyond its end terminates the process.
class EdgeMemory {
 public:
  explicit EdgeMemory(std::size_t size);
  EdgeMemory(EdgeMemory&& other) noexcept;
  EdgeMemory(const EdgeMemory&) = delete;
  EdgeMemory& operator=(const EdgeMemory&) = delete;
  ~EdgeMemory();

  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* pages_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
};

/// How arguments and results are passed to the plugin.
struct Mode {
  enum class Memory {
    Plain,
    AtTheEdge,    ///< each block ends at the end of readable memory and is unmapped after the call
    Overwritten,  ///< each block is overwritten with other bytes after the call
  };
  Memory memory = Memory::Plain;
  /// Growable structs are larger than the plugin's header defines them, as from a newer server.
  bool longer_structs = false;
};

/// The arguments of one call; invalid after destruction.
class Loans {
 public:
  explicit Loans(Mode mode) : mode_(mode) {}
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;
  ~Loans();

  /// With AtTheEdge, empty text has a null `data`.
  kb_view text(std::string_view text);

  /// Copies `object` and sets struct_size if it has one.
  template <class T>
  T* object(const T& object) {
    constexpr bool kMayGrow = requires {
      object.struct_size;
    };
    const std::size_t surplus = kMayGrow && mode_.longer_structs ? kSurplus : 0;
    std::byte* const bytes = take(sizeof(T) + surplus);
    std::memset(bytes, 0xA5, sizeof(T) + surplus);
    T* const copy = new (bytes) T(object);
    if constexpr (kMayGrow) copy->struct_size = static_cast<std::uint32_t>(sizeof(T) + surplus);
    return copy;
  }

  template <class T>
  T* array(const std::vector<T>& objects) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::byte* const bytes = take(objects.size() * sizeof(T));
    if (!objects.empty()) std::memcpy(bytes, objects.data(), objects.size() * sizeof(T));
    return reinterpret_cast<T*>(bytes);
  }

 private:
  static constexpr std::size_t kSurplus = 64;

  std::byte* take(std::size_t size);

  Mode mode_;
  std::vector<EdgeMemory> edges_;
  std::vector<std::vector<std::byte>> blocks_;
};

}  // namespace kbase::plugin_check
