// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/live_synonyms.hpp"

#include <utility>

#include "domain/base/result.hpp"
#include "domain/usecases/stored_synonyms.hpp"

namespace kbase::runtime {

std::shared_ptr<const model::SynonymTable> LiveSynonyms::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Status LiveSynonyms::read(ports::Call& call) {
  const auto revision = KBASE_TRY(items_.revision(call));
  if (revision == read_) return {};
  const auto all = KBASE_TRY(usecases::read_synonyms(call, items_));
  next_ = std::make_shared<const model::SynonymTable>(all, fold_);
  read_ = revision;
  return {};
}

void LiveSynonyms::publish() {
  const auto next = std::exchange(next_, nullptr);
  if (!next || next->digest() == current()->digest()) return;
  const std::lock_guard lock(mutex_);
  current_ = next;
}

}  // namespace kbase::runtime
