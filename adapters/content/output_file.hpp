// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::content {

/// Bytes on their way to a file or to standard output ("-"), plain or packed as gzip (RFC 1952). A regular
/// file is written beside itself and takes its place in finish(): nobody ever sees half of it, and without finish() the
/// old one stays. One thread. Errors: Unavailable, "FILE: reason"; after one only destruction is of use.
class OutputFile {
 public:
  enum class Readers {
    AsUmaskAllows,
    OwnerOnly,  ///< for secrets
  };

  enum class Packing {
    ByName,  ///< where the name ends in ".gz"
    Always,
  };

  static model::Result<std::unique_ptr<OutputFile>> open(const std::string& name,
                                                         Readers readers = Readers::AsUmaskAllows,
                                                         Packing packing = Packing::ByName);
  virtual ~OutputFile() = default;

  virtual model::Status write(std::string_view bytes) = 0;

  /// Everything written is on disk under its name.
  virtual model::Status finish() = 0;
};

}  // namespace kbase::content
