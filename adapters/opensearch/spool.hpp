// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "adapters/opensearch/document.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"

namespace kbase::opensearch {

/// Documents of a batch until its commit, in an unnamed file that disappears with the process. Not thread-safe.
class Spool {
 public:
  /// Creates the folder if it is missing. Unavailable: the folder, or a file in it, cannot be created.
  static model::Result<Spool> open(const std::filesystem::path& folder);

  /// Unavailable: the disk is full.
  model::Status add(const Lines& lines);

  /// Passes every document to the visitor once, in order. Stops at the first error of the visitor.
  model::Status read(model::FunctionRef<model::Status(const Lines&)> visitor);

 private:
  struct Closing {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  explicit Spool(std::FILE* file, std::filesystem::path folder) : file_(file), folder_(std::move(folder)) {}

  model::Error failed(std::string_view doing) const;

  std::unique_ptr<std::FILE, Closing> file_;
  std::filesystem::path folder_;
};

}  // namespace kbase::opensearch
