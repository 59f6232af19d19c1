// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace kbase::model {

template <class Signature>
class FunctionRef;

/// A loan of a callable for the length of one call: two pointers, no allocation. The callable must outlive it, which
/// an argument of the call does.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& callable)
  noexcept  // NOLINT: any fitting callable may be lent
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// What a visitor says after each row.
enum class Visit { Continue, Stop };

/// Receives the rows of an answer one by one. A row and all its views are a loan until the visitor returns: it copies
/// what it keeps, returns at once, and never calls back into the port that called it.
template <class Row>
using Visitor = FunctionRef<Visit(const Row&)>;

}  // namespace kbase::model
