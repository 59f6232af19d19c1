// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace kbase {

template <class Signature> class FunctionRef;

/// Non-owning reference to a callable, valid for one call. Two pointers, no allocation. The callable must outlive the
/// reference; a temporary passed as an argument does.
template <class R, class... Args> class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& callable)
  noexcept  // NOLINT: accepts any matching callable
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// A visitor's decision after each row.
enum class Visit { Continue, Stop };

/// Receives the rows of a result one by one. A row and all its views are valid until the visitor returns. The visitor
/// copies what it keeps, returns quickly, and never calls back into the port that called it.
template <class Row> using Visitor = FunctionRef<Visit(const Row&)>;

}  // namespace kbase
