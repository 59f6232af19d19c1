// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase {

/// Writer to a file or to standard output ("-"). For a regular file it writes a temporary file in the same folder,
/// which finish() renames to the target name. So no reader sees a partial file, and without finish() the old file
/// stays. Not thread-safe. Errors: Unavailable, "FILE: reason"; after an error only destruction is allowed.
class OutputFile {
 public:
  enum class Permissions {
    Default,
    OwnerOnly,  ///< for secrets
  };

  static Result<std::unique_ptr<OutputFile>> open(const std::string& name,
                                                  Permissions permissions = Permissions::Default);
  virtual ~OutputFile() = default;

  virtual Status write(std::string_view bytes) = 0;

  /// Completes the output. After success a regular file is on disk under its name.
  virtual Status finish() = 0;
};

}  // namespace kbase
