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

SynonymChanges::SynonymChanges(std::span<const model::Synonyms> stored) : left_(stored.size()) {
  for (const model::Synonyms& each : stored)
    if (by_key_.emplace(each.key(), entries_.size()).second) entries_.push_back({each, each});
}

const model::Synonyms* SynonymChanges::find(const model::SynonymsKey& key) const {
  const auto known = by_key_.find(key);
  return known != by_key_.end() && entries_[known->second].now ? &*entries_[known->second].now : nullptr;
}

bool SynonymChanges::put(model::Synonyms added) {
  model::SynonymsKey key = added.key();
  if (find(key) == nullptr && (added.is_removal() || left_ >= model::kMaxSynonymsOfBase)) return added.is_removal();
  const auto [known, is_new] = by_key_.emplace(std::move(key), entries_.size());
  if (is_new) entries_.emplace_back();
  set(entries_[known->second], added.is_removal() ? std::nullopt : std::optional(std::move(added)));
  return true;
}

void SynonymChanges::remove_if(FunctionRef<bool(const model::Synonyms&)> is_gone) {
  for (Entry& entry : entries_)
    if (entry.now && is_gone(*entry.now)) set(entry, std::nullopt);
}

std::vector<model::Synonyms> SynonymChanges::all() const {
  std::vector<model::Synonyms> all;
  for (const Entry& entry : entries_)
    if (entry.now) all.push_back(*entry.now);
  return all;
}

void SynonymChanges::set(Entry& entry, std::optional<model::Synonyms> now) {
  left_ = left_ + (now ? 1 : 0) - (entry.now ? 1 : 0);
  count_ -= entry.is_changed() ? 1 : 0;
  entry.now = std::move(now);
  count_ += entry.is_changed() ? 1 : 0;
}

}  // namespace kbase::usecases
