// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "domain/usecases/write_items.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/content_writing.hpp"

namespace kbase::runtime {

/// Reads what clients send as the lines of an import, and writes it into the store of a server. Any thread.
class ContentWriter final : public ports::ContentWriting {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::Markup& markup;
    const ports::Clock& clock;
  };
  /// `base_url`: see ports::ImportOptions. `spool_folder`: existing folder in which the bodies of imports are kept
  /// until they are imported.
  ContentWriter(const Dependencies& deps, std::string base_url, std::filesystem::path spool_folder);

  Result<ports::WriteReport> put_item(ports::Call& call, std::string_view id, std::string_view json,
                                      ports::WriteCondition condition) override;
  Result<ports::WriteReport> remove_item(ports::Call& call, std::string_view id,
                                         ports::WriteCondition condition) override;
  Result<ports::ImportResult> import(ports::Call& call, FunctionRef<Result<std::string>()> next,
                                     const ports::ImportRequest& request) override;

 private:
  Status check_persistent() const;

  const Dependencies deps_;
  usecases::WriteItems write_;
  const std::string base_url_;
  const std::filesystem::path spool_folder_;
  std::mutex importing_;  // held by the only import
};

}  // namespace kbase::runtime
