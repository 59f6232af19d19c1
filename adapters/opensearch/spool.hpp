// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "adapters/opensearch/document.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"

namespace kbase::opensearch {

/// The documents of a batch until its commit, in a file that has no name and so ends with the process. One thread.
class Spool {
 public:
  /// Makes the folder where it is missing. Unavailable: that, or a file in it, can't be made.
  static model::Result<Spool> open(const std::filesystem::path& folder);

  /// Unavailable: the disk is full.
  model::Status add(const Lines& lines);

  /// Gives every document in the order it came, once. Ends with the visitor's first failure.
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
