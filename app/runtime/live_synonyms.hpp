// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "domain/model/synonyms.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/synonym_source.hpp"

namespace kbase::runtime {

/// The synonyms of the base, read again after each change of the store.
class LiveSynonyms final : public ports::SynonymSource {
 public:
  /// `items` must outlive the object.
  LiveSynonyms(ports::ItemStore& items, model::SynonymTable::Fold fold) : items_(items), fold_(std::move(fold)) {}

  std::shared_ptr<const model::SynonymTable> current() const override;

  /// Reads the synonyms if the store changed since the last call. After an error the next call tries again. One thread
  /// at a time, as publish().
  Status read(ports::Call& call);

  /// The revision of the store that the synonyms had when they were read; nullopt: all that were read are current.
  std::optional<model::Revision> unpublished() const { return next_ ? read_ : std::nullopt; }

  /// Makes the synonyms current that were read last. Call it when the search index has the items of that revision too,
  /// so that a search does not see half a batch.
  void publish();

 private:
  ports::ItemStore& items_;
  const model::SynonymTable::Fold fold_;
  std::optional<model::Revision> read_;              // revision of the store before the last read
  std::shared_ptr<const model::SynonymTable> next_;  // read and not published; null: none
  mutable std::mutex mutex_;                         // guards the pointer, only while it is copied
  std::shared_ptr<const model::SynonymTable> current_ = std::make_shared<const model::SynonymTable>();
};

}  // namespace kbase::runtime
