// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {

/// Returns the position as "FILE:LINE", or "FILE" if the record is a whole file.
std::string text_of(const ports::SourcePosition& position);

/// Import, export and deletion of content (docs/content/importing.md and exporting.md).
class TransferContent final : public ports::ContentTransfer {
 public:
  /// All must outlive the object.
  TransferContent(ports::ItemStore& items, ports::ActivityStore& activity, const ports::Markup& markup,
                  const ports::Clock& clock)
      : items_(items), activity_(activity), markup_(markup), clock_(clock) {}

  Status import(ports::Call& call, std::span<ports::ContentSource* const> sources, const ports::ImportOptions& options,
                ports::ImportObserver& observer, ports::ImportReport& report) override;
  Status export_to(ports::Call& call, ports::ContentSink& sink) override;
  Result<std::uint64_t> remove(ports::Call& call, std::span<const std::string_view> ids,
                               Visitor<std::string_view> visitor) override;

 private:
  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  const ports::Markup& markup_;
  const ports::Clock& clock_;
};

}  // namespace kbase::usecases
