// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/stored_synonyms.hpp"

#include <algorithm>
#include <utility>

#include "domain/base/result.hpp"

namespace kbase::usecases {

Result<std::vector<model::Synonyms>> read_synonyms(ports::Call& call, ports::ItemStore& items) {
  std::vector<model::Synonyms> all;
  if (!items.capabilities().synonyms) return all;
  KBASE_TRY(items.synonyms(call, [&all](const model::SynonymsView& each) {
    all.emplace_back(each);
    return Visit::Continue;
  }));
  return all;
}

Status check_synonyms(ports::Call& call, ports::ItemStore& items, std::span<const model::Synonyms> read) {
  const auto now = KBASE_TRY(read_synonyms(call, items));
  if (std::equal(now.begin(), now.end(), read.begin(), read.end())) return {};
  return Error{ErrorCode::Conflict, "an import changed the synonyms meanwhile; run the command again"};
}

Status write_synonyms(ports::Call& call, ports::ItemWriter& writer, std::span<const model::Synonyms> synonyms) {
  std::vector<std::vector<std::string_view>> words(synonyms.size());
  std::vector<model::SynonymsView> views;
  std::vector<const model::SynonymsView*> pointers;
  views.reserve(synonyms.size());
  for (std::size_t i = 0; i < synonyms.size(); ++i) {
    views.push_back(synonyms[i].view(words[i]));
    pointers.push_back(&views.back());
  }
  return writer.set_synonyms(call, pointers);
}

SynonymChanges::SynonymChanges(std::vector<model::Synonyms> stored) : stored_(std::move(stored)) {
  for (const model::Synonyms& each : stored_)
    if (by_key_.emplace(each.key(), entries_.size()).second) entries_.emplace_back(each);
}

const model::Synonyms* SynonymChanges::find(const model::SynonymsKey& key) const {
  const auto known = by_key_.find(key);
  return known != by_key_.end() ? &*entries_[known->second] : nullptr;
}

bool SynonymChanges::put(model::Synonyms added) {
  const auto known = by_key_.find(added.key());
  if (known == by_key_.end()) {
    if (added.is_removal()) return true;
    if (by_key_.size() >= model::kMaxSynonymsOfBase) return false;
    by_key_.emplace(added.key(), entries_.size());
    entries_.emplace_back(std::move(added));
  } else if (added.is_removal()) {
    entries_[known->second].reset();
    by_key_.erase(known);
  } else {
    entries_[known->second] = std::move(added);
  }
  return true;
}

void SynonymChanges::remove_if(FunctionRef<bool(const model::Synonyms&)> is_gone) {
  std::erase_if(by_key_, [&](const auto& each) {
    const bool is_removed = is_gone(*entries_[each.second]);
    if (is_removed) entries_[each.second].reset();
    return is_removed;
  });
}

std::uint64_t SynonymChanges::count() const {
  std::uint64_t changed = 0, kept = 0;
  for (const model::Synonyms& each : stored_) {
    const model::Synonyms* const now = find(each.key());
    kept += now != nullptr ? 1 : 0;
    changed += now == nullptr || *now != each ? 1 : 0;
  }
  return changed + by_key_.size() - kept;
}

std::vector<model::Synonyms> SynonymChanges::all() const {
  std::vector<model::Synonyms> all;
  for (const std::optional<model::Synonyms>& each : entries_)
    if (each) all.push_back(*each);
  return all;
}

}  // namespace kbase::usecases
