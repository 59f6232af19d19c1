// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driving/content_writing.hpp"

namespace kbase::runtime {

/// The body of an import, in a file without a name. The files of an archive have names while they are read; a killed
/// process leaves them in the folder.
class UploadedContent {
 public:
  /// Stores what `next` returns until it returns nothing. `folder` must exist. Errors: those of `next`; Unavailable if
  /// there is no space.
  static Result<std::unique_ptr<UploadedContent>> receive(const std::filesystem::path& folder,
                                                          FunctionRef<Result<std::string>()> next);
  ~UploadedContent();
  UploadedContent(const UploadedContent&) = delete;
  UploadedContent& operator=(const UploadedContent&) = delete;

  /// Opens the body. An archive is unpacked into the folder; its pages are read, but no program converts them. What is
  /// compressed may unpack to content::kMaxUnpackedBytes. `markup` must outlive the source, and this object too; `call`
  /// is checked while an archive is unpacked. Errors: those of content::open_source().
  Result<std::unique_ptr<ports::ContentSource>> open(const ports::ImportRequest& request, const ports::Markup& markup,
                                                     model::Day today, const ports::Call& call);

  /// Returns a message without the paths of this machine.
  std::string shown(std::string message) const;

 private:
  UploadedContent(const std::filesystem::path& folder, int descriptor) : folder_(folder), descriptor_(descriptor) {}

  Status write(std::string_view bytes);
  Result<std::unique_ptr<ports::ContentSource>> open_lines(const ports::ImportRequest& request);
  Result<std::unique_ptr<ports::ContentSource>> open_archive(const ports::ImportRequest& request,
                                                             const ports::Markup& markup, model::Day today,
                                                             const ports::Call& call);

  const std::filesystem::path folder_;
  const int descriptor_;
  std::string archive_;  // path of the archive while it was unpacked
};

}  // namespace kbase::runtime
