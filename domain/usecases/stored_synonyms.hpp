// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::usecases {

/// Returns the synonyms of a base; none if its storage keeps none. Errors: those of ItemStore::synonyms().
Result<std::vector<model::Synonyms>> read_synonyms(ports::Call& call, ports::ItemStore& items);

/// Checks, after the items of a base were read, that `read` still are its synonyms, so that both are of one revision.
/// Errors: Conflict if they are not; those of ItemStore::synonyms().
Status check_synonyms(ports::Call& call, ports::ItemStore& items, std::span<const model::Synonyms> read);

/// Passes all synonyms of a base to its writer. Errors: those of ItemWriter::set_synonyms().
Status write_synonyms(ports::Call& call, ports::ItemWriter& writer, std::span<const model::Synonyms> synonyms);

/// The synonyms of a base, as a batch leaves them.
class SynonymChanges {
 public:
  /// `stored`: what the base has.
  explicit SynonymChanges(std::span<const model::Synonyms> stored);

  /// Returns those with the key; null: the base has no such. Valid until the next change.
  const model::Synonyms* find(const model::SynonymsKey& key) const;

  /// Adds synonyms, replaces those with their key, or removes these (see model::Synonyms::is_removal()). Returns false,
  /// without a change, if the base has kMaxSynonymsOfBase others.
  bool put(model::Synonyms added);

  void remove_if(FunctionRef<bool(const model::Synonyms&)> is_gone);

  /// The number of keys that differ from what the base has.
  std::uint64_t count() const { return count_; }

  /// All synonyms: the stored ones in their order, then the added ones.
  std::vector<model::Synonyms> all() const;

 private:
  struct Entry {
    std::optional<model::Synonyms> stored, now;

    bool is_changed() const { return stored != now; }
  };
  void set(Entry& entry, std::optional<model::Synonyms> now);

  std::vector<Entry> entries_;
  std::map<model::SynonymsKey, std::size_t> by_key_;  // indexes of entries_
  std::size_t left_;                                  // entries with synonyms now
  std::uint64_t count_ = 0;
};

}  // namespace kbase::usecases
