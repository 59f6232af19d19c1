// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off: ctemplate uses it without including it.
#include <cstring>
// clang-format on
#include <ctemplate/template_cache.h>
#include <ctemplate/template_dictionary.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase {

/// The templates of a folder, read once. ctemplate escapes each value for its place in the text. Thread-safe.
class Templates {
 public:
  /// `setting`: names the folder in messages. Errors: Unsupported if the folder has no template, or one that is
  /// malformed.
  static Result<Templates> open(const std::filesystem::path& folder, std::string_view setting);

  /// Returns the template `name` with the values of `dictionary`. The templates that it includes must exist.
  std::string expand(const std::string& name, const ctemplate::TemplateDictionary& dictionary) const;

  bool has(const std::string& name) const { return names_.contains(name); }

  /// Returns the text of all templates.
  const std::string& text() const { return text_; }

 private:
  Templates(std::unique_ptr<ctemplate::TemplateCache> cache, std::set<std::string> names, std::string text)
      : cache_(std::move(cache)), names_(std::move(names)), text_(std::move(text)) {}

  std::unique_ptr<ctemplate::TemplateCache> cache_;
  std::set<std::string> names_;
  std::string text_;
};

}  // namespace kbase
