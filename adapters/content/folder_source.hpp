// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::content {

/// What is read of a source, and how its pages are named.
struct SourceOptions {
  std::string prefix = {};  ///< precedes ids and categories, with a slash between; empty: nothing
  std::vector<std::string> include = {}, exclude = {};  ///< patterns, see is_selected(); no include: every file
  bool keeps_drafts = false;
  /// Commands that write HTML or Markdown to standard output, by the ending of the files that they read. `{file}` in
  /// a command is the path of the file; without it, the command reads standard input.
  std::map<std::string, std::string> converters = {};
  /// Whether git and the programs that convert files may run. Not for content of people without a shell: a repository
  /// can have a configuration that runs commands.
  bool runs_programs = true;
  std::vector<std::string> map = {};  ///< names of members in JSON and tables, see MemberMap::parse()
  /// Existing folder in which an archive is unpacked; empty: the temporary folder of the system.
  std::filesystem::path unpack_folder = {};
  /// How many bytes the compressed files of a folder or an archive may unpack to.
  std::uint64_t max_unpacked_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// Opens a folder of pages (docs/content/folders.md), an archive of one, or one page. `markup` must outlive the source;
/// `call` is checked while an archive is unpacked. InvalidArgument, with the name in the message: the folder or one
/// below it cannot be read. See also UnpackedArchive::unpack().
Result<std::unique_ptr<ports::ContentSource>> open_pages(std::string name, const SourceOptions& options,
                                                         const ports::Markup& markup, model::Day today,
                                                         const ports::Call& call);

/// Whether a file with this ending is a page.
bool is_page_ending(std::string_view ending);

}  // namespace kbase::content
