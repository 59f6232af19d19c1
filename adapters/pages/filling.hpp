// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off: ctemplate uses it without including it.
#include <cstring>
// clang-format on
#include <ctemplate/template_dictionary.h>

#include <span>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"
#include "domain/model/query.hpp"

/// How values get into templates.
namespace kbase::pages {

inline void set(ctemplate::TemplateDictionary& values, const char* name, std::string_view value) {
  values.SetValue(name, ctemplate::TemplateString(value.data(), value.size()));
}

/// Returns what a page calls an item.
inline std::string_view shown_title(std::string_view title, std::string_view id) { return title.empty() ? id : title; }

/// Adds the template `file` in the place `name`, and returns its values. It sees no values of `values`.
inline ctemplate::TemplateDictionary& add_part(ctemplate::TemplateDictionary& values, const char* name,
                                               const char* file) {
  ctemplate::TemplateDictionary& part = *values.AddIncludeDictionary(name);
  part.SetFilename(file);
  return part;
}

/// Adds a section DAY with ISO ("2026-11-29") and TEXT ("29 Nov 2026"); the epoch is no day.
void set_day(ctemplate::TemplateDictionary& values, model::Day day);

/// Adds the parts of `text` as sections `name`, with TEXT and, for highlighted ones, the section MARKED.
void add_parts(ctemplate::TemplateDictionary& values, const char* name, std::string_view text,
               std::span<const model::Highlight> highlights);

}  // namespace kbase::pages
