// SPDX-License-Identifier: Apache-2.0
#include "app/composition/sealed_ledger.hpp"

#include <algorithm>
#include <vector>

namespace kbase::composition {

model::Status SealedLedger::take(ports::Call& call, std::span<const ports::Take* const> takes,
                                 std::span<ports::Taken* const> taken) {
  std::vector<ports::Take> hidden;
  std::vector<const ports::Take*> pointers;
  hidden.reserve(takes.size());
  for (const ports::Take* const take : takes) pointers.push_back(&hidden.emplace_back(sealed(*take)));
  return ledger_->take(call, pointers, taken);
}

ports::Take SealedLedger::sealed(const ports::Take& take) const {
  ports::Take copy = take;
  copy.subject = sealed("subject:", take.subject);
  if (take.has_group()) copy.group = sealed("group:", take.group);
  return copy;
}

/// The kind keeps both apart from each other, and from the names that the log makes where it has the same secret.
model::Subject SealedLedger::sealed(std::string_view kind, const model::Subject& subject) const {
  std::string message(kind);
  message.append(subject.begin(), subject.end());
  const auto code = seal_.of(message);
  model::Subject hidden;
  std::copy_n(code.begin(), hidden.size(), hidden.begin());
  return hidden;
}

}  // namespace kbase::composition
