// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/filling.hpp"

#include <algorithm>
#include <array>

namespace kbase::pages {

void set_day(ctemplate::TemplateDictionary& values, model::Day day) {
  if (day == model::Day()) return;
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::year_month_day date(day);
  ctemplate::TemplateDictionary& section = *values.AddSectionDictionary("DAY");
  set(section, "ISO", model::format_day(day));
  const std::string_view month = kMonths[static_cast<unsigned>(date.month()) - 1];
  set(section, "TEXT",
      std::to_string(static_cast<unsigned>(date.day())) + ' ' + std::string(month) + ' ' +
          std::to_string(static_cast<int>(date.year())));
}

void add_parts(ctemplate::TemplateDictionary& values, const char* name, std::string_view text,
               std::span<const model::Highlight> highlights) {
  const auto add = [&](std::size_t begin, std::size_t end, bool is_marked) {
    if (begin >= end) return;
    ctemplate::TemplateDictionary& part = *values.AddSectionDictionary(name);
    ctemplate::TemplateDictionary& kind = *part.AddSectionDictionary(is_marked ? "MARKED" : "PLAIN");
    set(kind, "TEXT", text.substr(begin, end - begin));
  };
  std::size_t done = 0;
  for (const model::Highlight& each : highlights) {
    const std::size_t end = std::min<std::size_t>(each.end, text.size());
    add(done, each.begin, false);
    add(each.begin, end, true);
    done = std::max(done, end);
  }
  add(done, text.size(), false);
}

}  // namespace kbase::pages
