// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Names of pages and categories, made from those of files and folders.
namespace kbase::content {

/// Returns the name of a page of Logseq from that of its file: "a___b" is "a/b".
std::string logseq_name(std::string_view name);

/// Returns a name made from that of a file or folder: "01-getting-started" is "Getting started".
std::string readable_name(std::string_view name);

}  // namespace kbase::content
