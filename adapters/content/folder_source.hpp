// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  std::vector<std::string> map = {};  ///< names of members in JSON and tables, see MemberMap::parse()
};

/// Opens a folder of pages (docs/content/folders.md), an archive of one, or one page. `markup` must outlive the source.
/// InvalidArgument, with the name in the message: the folder or one below it cannot be read.
Result<std::unique_ptr<ports::ContentSource>> open_pages(std::string name, const SourceOptions& options,
                                                         const ports::Markup& markup, model::Day today);

/// Whether a file with this ending is a page.
bool is_page_ending(std::string_view ending);

}  // namespace kbase::content
