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

Status LiveSynonyms::refresh(ports::Call& call) {
  const auto revision = KBASE_TRY(items_.revision(call));
  if (revision == read_) return {};
  const auto all = KBASE_TRY(usecases::read_synonyms(call, items_));
  auto table = std::make_shared<const model::SynonymTable>(all, fold_);
  {
    const std::lock_guard lock(mutex_);
    if (table->digest() != current_->digest()) std::swap(current_, table);
  }
  read_ = revision;
  return {};
}

}  // namespace kbase::runtime
